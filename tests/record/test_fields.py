"""What a field may hold, in its one spelling; everything else is refused in words of ours."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.model.record import Sensitivity
from citator.record import fields
from citator.record.fields import BadValueError, Check

WRONG_TYPES: list[Any] = [None, 1, 0, True, 1.5, [], ["x"], {}, {"x": 1}, b"x"]


def refused(check: Check, value: Any) -> str:
    with pytest.raises(BadValueError) as caught:
        check(value)
    return str(caught.value)


@pytest.mark.parametrize("value", WRONG_TYPES)
def test_no_field_takes_another_type_for_a_text(value: Any) -> None:
    for check in (
        fields.text(10),
        fields.ulid,
        fields.digest,
        fields.alias,
        fields.time,
        fields.media_type,
        fields.path_pattern,
        fields.one_of(Sensitivity),
    ):
        refused(check, value)


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ("one", "one"),
        ("  one  ", "one"),
        ("e\u0301", "é"),
        ("שלום", "שלום"),
        ("日本語", "日本語"),
        ("a" * 10, "a" * 10),
        ("\u3000one\u00a0", "one"),
    ],
)
def test_a_text_is_trimmed_and_in_nfc(given: str, held: str) -> None:
    assert fields.text(10)(given) == held


@pytest.mark.parametrize(
    "value",
    [
        "",
        "   ",
        "a" * 11,
        "a\nb",
        "a\rb",
        "a\tb",
        "a\0b",
        "a\x1b[2Jb",
        "a\x7fb",
        "a\x85b",
        "a\u200bb",
        "a\u200db",
        "a\u202eb",
        "a\u2066b",
        "a\u2028b",
        "a\u2029b",
        "a\ufeffb",
        "a\u00adb",
        "a\u00a0b",
        "a\u3000b",
        "a\ud800b",
        "a\ufdd0b",
        "a\ue000b",
        "a\U000e0041b",
    ],
)
def test_a_text_is_one_printable_line(value: str) -> None:
    said = refused(fields.text(10), value)
    assert value.strip() == "" or value not in said


def test_the_bounds_of_a_text_are_counted_after_it_is_brought_into_its_spelling() -> None:
    assert fields.text(2)(" e\u0301x ") == "éx"
    refused(fields.text(5, minimum=3), " ab ")


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.text(max_size=30))
def test_a_held_text_is_held_as_it_is(value: str) -> None:
    try:
        held = fields.text(20)(value)
    except BadValueError:
        return
    assert fields.text(20)(held) == held


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ("2026-03-01T09:00:00Z", "2026-03-01T09:00:00Z"),
        ("2026-03-01T09:00:00+00:00", "2026-03-01T09:00:00Z"),
        ("2026-03-01T09:00:00-00:00", "2026-03-01T09:00:00Z"),
        ("2026-03-01T09:00:00+05:30", "2026-03-01T03:30:00Z"),
        ("2026-03-01T00:30:00+01:00", "2026-02-28T23:30:00Z"),
        ("2026-12-31T23:59:59-23:59", "2027-01-01T23:58:59Z"),
        ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"),
        ("2026-03-01T09:00:00.5Z", "2026-03-01T09:00:00Z"),
        ("2026-03-01T09:00:00.999999999Z", "2026-03-01T09:00:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("0999-12-31T23:59:59Z", "0999-12-31T23:59:59Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
    ],
)
def test_a_time_is_held_in_utc_to_the_second(given: str, held: str) -> None:
    assert fields.time(given) == held
    assert fields.time(held) == held


@pytest.mark.parametrize(
    "value",
    [
        "2026-03-01",
        "2026-03-01T09:00Z",
        "2026-03-01T09:00:00",
        "2026-03-01 09:00:00Z",
        "2026-03-01t09:00:00z",
        "2026-03-01T09:00:00+0100",
        "2026-03-01T09:00:00+01",
        "2026-03-01T09:00:00+24:00",
        "2026-03-01T09:00:00+01:60",
        "2026-03-01T24:00:00Z",
        "2026-03-01T09:60:00Z",
        "2016-12-31T23:59:60Z",
        "2026-02-29T09:00:00Z",
        "2026-13-01T09:00:00Z",
        "2026-00-01T09:00:00Z",
        "2026-03-00T09:00:00Z",
        "0000-03-01T09:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "12026-03-01T09:00:00Z",
        "-026-03-01T09:00:00Z",
        "２０２６-03-01T09:00:00Z",
        "2026-03-01T09:00:00.Z",
        "2026-03-01T09:00:00,5Z",
        "2026-03-01T09:00:00.1234567890Z",
        "2026-03-01T09:00:00Z\n",
        "2026-W09-7T09:00:00Z",
        "now",
    ],
)
def test_what_is_no_time_on_every_python_is_none(value: str) -> None:
    refused(fields.time, value)


@pytest.mark.parametrize("value", ["adr-7", "a", "a.b_c-d", "0007", "a" * 64])
def test_an_alias_is_a_plain_lower_case_name(value: str) -> None:
    assert fields.alias(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        "ADR-7",
        "a b",
        "a/b",
        "a:b",
        "-a",
        "a-",
        "a..b",
        "ä",
        "а",
        "a\n",
        "a" * 65,
        "01j9zk4e3m8qw7x2v5t6r1n0pa",
        "01J9ZK4E3M8QW7X2V5T6R1N0PA",
    ],
)
def test_an_alias_is_nothing_else_and_never_looks_like_an_id(value: str) -> None:
    refused(fields.alias, value)


def test_ids_and_digests_have_one_spelling() -> None:
    assert fields.ulid("01J9ZK4E3M8QW7X2V5T6R1N0PA") == "01J9ZK4E3M8QW7X2V5T6R1N0PA"
    refused(fields.ulid, "01j9zk4e3m8qw7x2v5t6r1n0pa")
    assert fields.digest("ab" * 32) == "ab" * 32
    for value in ("AB" * 32, "ab" * 31, "ab" * 33, "ab" * 32 + "\n", "gg" * 32, "٠" * 64):
        refused(fields.digest, value)


def test_a_media_type() -> None:
    assert fields.media_type("application/vnd.oai.openapi+json") == (
        "application/vnd.oai.openapi+json"
    )
    for value in ("text", "text/", "/x", "Text/plain", "text/plain; charset=x", "a/b/c", "a" * 99):
        refused(fields.media_type, value)


def test_a_number_is_whole_and_within_its_bounds() -> None:
    check = fields.number(0, 100)
    assert [check(value) for value in (0, 1, 100)] == [0, 1, 100]
    for value in (-1, 101, 10**30, True, False, "5", 5.0, None, [5], float("nan")):
        refused(check, value)


def test_a_flag_is_true_or_false() -> None:
    assert fields.flag(True) is True
    assert fields.flag(False) is False
    wrong: list[Any] = [0, 1, "true", "yes", None, []]
    for value in wrong:
        refused(fields.flag, value)


def test_a_vocabulary_is_closed_and_named_where_it_is_missed() -> None:
    check = fields.one_of(Sensitivity)
    assert check("public") == "public"
    for value in ("Public", "PUBLIC", "secret", "", "public ", ["public"]):
        assert "public, internal, confidential, restricted" in refused(check, value)


def test_a_list_is_sorted_where_order_says_nothing_and_has_no_repeats() -> None:
    check = fields.listed(fields.text(5), 3)
    assert check(["b", " a ", "c"]) == ["a", "b", "c"]
    assert check([]) == []
    assert fields.listed(fields.text(5), 3, ordered=True)(["b", "a"]) == ["b", "a"]
    wrong: list[Any] = [
        ["a"] * 2,
        ["é", "e\u0301"],
        ["a", "b", "c", "d"],
        "abc",
        {"a": 1},
        ["a", 1],
        [["a"]],
    ]
    for value in wrong:
        refused(check, value)


def test_a_table_has_exactly_its_keys() -> None:
    check = fields.table(name=(fields.text(5), True), age=(fields.number(0, 9), False))
    assert check({"age": 3, "name": " x "}) == {"name": "x", "age": 3}
    assert check({"name": "x", "age": None}) == {"name": "x"}
    wrong: list[Any] = [
        {},
        {"name": None},
        {"age": 3},
        {"name": "x", "else": 1},
        [],
        "name",
        {"name": 5},
    ]
    for value in wrong:
        refused(check, value)


@pytest.mark.parametrize("value", ["src/**", "*.md", "docs/", "src/[ab]?.py", "\\*", "日本/**"])
def test_a_path_pattern_can_match(value: str) -> None:
    assert fields.path_pattern(value) == value


@pytest.mark.parametrize("value", ["/", ".", "./", "!src", "a/../b", "..", "a" * 513, "a\0", ""])
def test_a_path_pattern_that_can_match_nothing_is_refused(value: str) -> None:
    refused(fields.path_pattern, value)


COMMIT = "89abcdef" * 5


@pytest.mark.parametrize(
    "value",
    [
        {"commit": COMMIT},
        {"blob": "89abcdef" * 8},
        {"path": "src/a.py", "lines": [1, 1]},
        {"path": "src/a.py", "lines": [1, 10_000_000]},
        {"uri": "https://example.org/"},
    ],
)
def test_an_anchor_points_somewhere(value: dict[str, Any]) -> None:
    assert fields.anchor(value) == value


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"lines": [1, 2]},
        {"commit": None},
        {"commit": COMMIT[:39]},
        {"commit": COMMIT[:12]},
        {"commit": COMMIT.upper()},
        {"commit": "HEAD"},
        {"path": "a", "lines": [0, 1]},
        {"path": "a", "lines": [2, 1]},
        {"path": "a", "lines": [1]},
        {"path": "a", "lines": [1, 2, 3]},
        {"path": "a", "lines": ["1", "2"]},
        {"path": "a", "lines": [True, 2]},
        {"path": "a", "lines": [1, 10_000_001]},
        {"path": "a", "lines": "1-2"},
        {"path": "a", "line": 1},
        {"path": ["a"]},
        "src/a.py",
        [],
    ],
)
def test_an_anchor_that_points_nowhere_is_refused(value: Any) -> None:
    refused(fields.anchor, value)
