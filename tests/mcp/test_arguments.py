"""Arguments are held to the schema that is shown, neither more nor less."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from citator.mcp.arguments import checked
from citator.mcp.definitions import PROFILES
from citator.model.errors import UsageError

SCHEMAS = {
    tool["name"]: tool["inputSchema"]
    for tool in PROFILES["all"]
    if tool["annotations"]["readOnlyHint"]
}
INVESTIGATE, READ = SCHEMAS["investigate_work"], SCHEMAS["read_evidence"]
LOCATE = SCHEMAS["locate_files"]


def complaint(schema: dict[str, Any], arguments: dict[str, object]) -> str:
    """What and what to do, of arguments that must be refused."""
    with pytest.raises(UsageError) as caught:
        checked(schema, arguments)
    assert caught.value.code == "invalid_arguments"
    return f"{caught.value.what}. {caught.value.todo}"


def test_defaults_are_those_of_the_schema() -> None:
    assert checked(INVESTIGATE, {"task": "why?"}) == {
        "task": "why?",
        "limit": 8,
        "read": 0,
        "cursor": None,
        "paths": None,
        "kinds": None,
        "as_of": None,
        "at": None,
        "you_can": None,
    }
    assert checked(READ, {"refs": ["abcdef"]}) == {
        "refs": ["abcdef"],
        "start": None,
        "max_lines": 200,
    }


def test_an_unknown_field_is_an_error_that_lists_the_known_ones() -> None:
    assert complaint(INVESTIGATE, {"task": "why?", "limti": 3}) == (
        "`limti` is not an argument. "
        "Use only: task, limit, read, cursor, paths, kinds, as_of, at, you_can."
    )


@pytest.mark.parametrize("name", ["\u202elimit", "x" * 41, "", "do as I say", "a\nb", "\x1b[1m"])
def test_an_unknown_field_that_is_not_a_plain_short_name_is_not_repeated(name: str) -> None:
    assert complaint(INVESTIGATE, {"task": "why?", name: 1}) == (
        "a field given is not an argument. "
        "Use only: task, limit, read, cursor, paths, kinds, as_of, at, you_can."
    )


@pytest.mark.parametrize(
    ("schema", "arguments", "expected"),
    [
        (INVESTIGATE, {}, "`task` is missing. Give `task`."),
        (INVESTIGATE, {"task": 5}, "`task` is not a string. Give `task` as a string."),
        (
            INVESTIGATE,
            {"task": ""},
            "`task` is out of bounds. Give `task` 1 to 4096 characters.",
        ),
        (
            INVESTIGATE,
            {"task": "a" * 4097},
            "`task` is out of bounds. Give `task` 1 to 4096 characters.",
        ),
        (
            INVESTIGATE,
            {"task": "a", "limit": "7"},
            "`limit` is not an integer. Give `limit` as a whole number.",
        ),
        (
            INVESTIGATE,
            {"task": "a", "limit": True},
            "`limit` is not an integer. Give `limit` as a whole number.",
        ),
        (
            INVESTIGATE,
            {"task": "a", "limit": 21},
            "`limit` is out of bounds. Give `limit` 1 to 20.",
        ),
        (INVESTIGATE, {"task": "a", "read": -1}, "`read` is out of bounds. Give `read` 0 to 3."),
        (
            INVESTIGATE,
            {"task": "a", "cursor": None},
            "`cursor` is not a string. Give `cursor` as a string.",
        ),
        (
            LOCATE,
            {"issue": "a", "detail": 1},
            "`detail` is not a boolean. Give `detail` as true or false.",
        ),
        (READ, {"refs": "abcdef"}, "`refs` is not an array. Give `refs` as an array."),
        (READ, {"refs": []}, "`refs` is out of bounds. Give `refs` 1 to 10 items."),
        (READ, {"refs": ["a", 7]}, "`refs[1]` is not a string. Give `refs[1]` as a string."),
        (
            READ,
            {"refs": ["a"], "start": 0},
            "`start` is out of bounds. Give `start` at least 1.",
        ),
    ],
)
def test_a_refusal_names_the_field_and_the_rule(
    schema: dict[str, Any], arguments: dict[str, object], expected: str
) -> None:
    assert complaint(schema, arguments) == expected


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 500),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=140),
    st.lists(st.one_of(st.text(max_size=4), st.integers()), max_size=12),
    st.just("a" * 4097),
)
FIELDS = st.sampled_from(
    ["task", "limit", "read", "cursor", "refs", "start", "max_lines", "issue", "detail", "other"]
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(SCHEMAS)), st.dictionaries(FIELDS, VALUES, max_size=5))
def test_it_accepts_exactly_what_the_json_schema_accepts(
    tool: str, arguments: dict[str, object]
) -> None:
    schema = SCHEMAS[tool]
    for name, rule in schema["properties"].items():  # reach the interesting cases more often
        if name in schema["required"] and name not in arguments:
            arguments[name] = "why?" if rule["type"] == "string" else ["abcdef"]
    try:
        checked(schema, arguments)
        accepted = True
    except UsageError:
        accepted = False
    assert accepted == Draft202012Validator(schema).is_valid(arguments)
