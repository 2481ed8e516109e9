"""Editing JSON and JSON with comments: our entry changes, nothing else does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.clients.editing import Entry, NotEditableError
from citator.clients.json_text import JsonText
from citator.clients.jsonc import DEEPEST, Parser

KEYS = ("mcpServers", "citator")
ENTRY = Entry({"command": "/bin/citator", "args": ["serve"], "env": {}}, frozenset({"env"}))
JSONC = JsonText()
STRICT = JsonText(strict=True)

names = st.text(st.sampled_from('ab"\\/*,{}é\u2028 '), max_size=4).map(lambda name: f"k{name}")
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(st.sampled_from('x"\\/*,]} é'), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def documents(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """An object that may hold a table of servers, and a text for it as people write them."""
    value: dict[str, Any] = draw(st.dictionaries(names, values, max_size=3))
    table = draw(st.none() | st.dictionaries(names, values, max_size=3))
    if table is not None:
        items = list(value.items())
        items.insert(draw(st.integers(0, len(items))), ("mcpServers", table))
        value = dict(items)
    blanks = ["", " ", "\n", "\r\n  ", "\t", '// it\'s "so" }\n', "/* , */", "\n    "]

    def blank() -> str:
        return "".join(draw(st.lists(st.sampled_from(blanks), max_size=3)))

    def tossed() -> bool:
        return draw(st.booleans())

    def written(item: Any) -> str:
        if isinstance(item, dict):
            members = [
                f"{blank()}{json.dumps(key)}{blank()}:{blank()}{written(inner)}{blank()}"
                for key, inner in item.items()
            ]
            comma = "," + blank() if members and tossed() else ""
            return "{" + (",".join(members) + comma or blank()) + "}"
        if isinstance(item, list):
            inner = [f"{blank()}{written(one)}{blank()}" for one in item]
            return "[" + (",".join(inner) or blank()) + "]"
        return json.dumps(item, ensure_ascii=tossed())

    return value, blank() + written(value) + blank()


def value_of(text: str) -> Any:
    found = Parser(text, strict=False).document()
    return None if found is None else found.value


def letters(text: str) -> str:
    """``text`` without what an edit may add or take between members."""
    return "".join(text.split())


@given(documents())
def test_adding_changes_the_entry_alone_and_removing_gives_the_text_back(
    document: tuple[dict[str, Any], str],
) -> None:
    value, text = document
    edited = JSONC.put(text, KEYS, ENTRY)
    servers = {**value.get("mcpServers", {}), "citator": dict(ENTRY.fields)}
    assert value_of(edited) == {**value, "mcpServers": servers}
    assert list(value_of(edited)) == list({**value, "mcpServers": None})
    assert JSONC.put(edited, KEYS, ENTRY) == edited
    rest = iter(letters(edited))
    assert all(character in rest for character in letters(text))
    back = JSONC.remove(edited, KEYS)
    if value.get("mcpServers", value):
        assert back == text
    else:
        assert {"mcpServers": {}, **value_of(back)} == {**value, "mcpServers": {}}


@given(documents(), values)
def test_renewing_an_entry_keeps_its_other_fields_and_all_other_text(
    document: tuple[dict[str, Any], str], other: Any
) -> None:
    _, text = document
    old = Entry({"args": other, "mine": other, "command": "old"})
    before = JSONC.put(text, KEYS, old)
    after = JSONC.put(before, KEYS, ENTRY)
    entry = value_of(after)["mcpServers"]["citator"]
    assert entry == {"args": ["serve"], "mine": other, "command": "/bin/citator"}
    assert letters(JSONC.remove(after, KEYS)) == letters(JSONC.remove(before, KEYS))


@given(st.text(st.sampled_from('{}[]",:/*\n a1\\ntrue'), max_size=30))
def test_any_text_is_edited_right_or_refused(text: str) -> None:
    try:
        edited = JSONC.put(text, KEYS, ENTRY)
    except NotEditableError:
        return
    assert value_of(edited)["mcpServers"]["citator"] == dict(ENTRY.fields)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "mcpServers": {\n    "citator": @\n  }\n}\n'),
        ("{}\n", '{\n  "mcpServers": {\n    "citator": @\n  }\n}\n'),
        (
            '{\n\t"a": 1, // one\n\t"mcpServers": {\n\t\t"b": {}, // two\n\t},\n}',
            '{\n\t"a": 1, // one\n\t"mcpServers": {\n\t\t"b": {}, // two\n'
            '\t\t"citator": @,\n\t},\n}',
        ),
        (
            '{\r\n    "a": 1 // last\r\n}\r\n',
            '{\r\n    "a": 1, // last\r\n    "mcpServers": {\r\n'
            '        "citator": @\r\n    }\r\n}\r\n',
        ),
        ('{"a":1}', '{"a":1, "mcpServers": {"citator": @}}'),
        ('{"a":1,"mcpServers":{}}', '{"a":1,"mcpServers":{"citator": @}}'),
    ],
)
def test_an_entry_is_written_as_its_neighbours_are(before: str, after: str) -> None:
    entry = Entry({"command": "c"})
    edited = JSONC.put(before, KEYS, entry)
    value = edited[edited.index('"citator": ') + len('"citator": ') :]
    found = Parser(value, strict=False)._value(0, 0)
    assert found.value == {"command": "c"}
    assert edited == after.replace("@", value[: found.end])
    if before not in ("", "{}\n"):
        assert value_of(JSONC.remove(edited, KEYS)) == {
            key: item for key, item in value_of(before).items() if item != {}
        }


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{\n "a": 1\n "b": 2\n}', 3, "a comma or a closing brace is missing"),
        ('{\n "a": \n}', 3, "a value is missing or is not JSON"),
        ("{'a': 1}", 1, "a name or a string is not JSON"),
        ('{"a": 1} x', 1, "something follows the end of the document"),
        ("[]", 1, "a list or a plain value stands where a table of settings belongs"),
        ('{\n"mcpServers": []}', 2, "a list or a plain value stands"),
        ('{"mcpServers": {"citator": 1}}', 1, "a list or a plain value stands"),
        ('{"mcpServers": {},\n"mcpServers": {}}', 2, "a name occurs twice"),
        ('{"a" 1}', 1, "a colon is missing"),
        ('{"a": [1 2]}', 1, "a comma or a closing bracket is missing"),
        ('{"a": "\\q"}', 1, "a value is not JSON"),
        ("/* open", 1, "a value is missing"),
        ("[" * (DEEPEST + 2), 1, "it is nested too deeply"),
    ],
)
def test_what_does_not_parse_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(NotEditableError) as told:
        JSONC.put(text, KEYS, ENTRY)
    assert told.value.line == line
    assert told.value.reason.startswith(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{} // note", "something follows"),
        ("{ // note\n}", "it holds a comment, which this client does not read"),
        ('{"a": /* x */ 1}', "it holds a comment, which this client does not read"),
        ('{"a": 1,}', "a comma stands before a closing bracket"),
        ('{"a": [1,]}', "a comma stands before a closing bracket"),
    ],
)
def test_strict_json_is_strict(text: str, reason: str) -> None:
    assert JSONC.entry(text, KEYS) is None
    with pytest.raises(NotEditableError, match=reason):
        STRICT.put(text, KEYS, ENTRY)


def test_an_edit_that_would_not_hold_is_refused() -> None:
    lone_returns = '{"a": 1 // note\r}'
    assert value_of(lone_returns) == {"a": 1}
    with pytest.raises(NotEditableError, match="without risk"):
        JSONC.put(lone_returns, KEYS, ENTRY)


def test_comments_beside_the_entry_stay_when_it_goes() -> None:
    text = '{"mcpServers": {\n  // mine\n  "citator": {},\n  // theirs\n  "b": {}\n}}\n'
    assert JSONC.remove(text, KEYS) == ('{"mcpServers": {\n  // mine\n  // theirs\n  "b": {}\n}}\n')
    alone = '{"mcpServers": {\n  // mine\n  "citator": {}}}\n'
    assert value_of(JSONC.remove(alone, KEYS)) == {"mcpServers": {}}
    assert "// mine\n" in JSONC.remove(alone, KEYS)
    assert JSONC.remove('{"a": 1}', KEYS) == '{"a": 1}'
