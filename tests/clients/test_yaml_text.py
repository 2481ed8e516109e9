"""Editing YAML: a block of our own under one key, and nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from citator.clients.editing import Entry, NotEditableError
from citator.clients.yaml_text import YamlText

KEYS = ("extensions", "citator")
ENTRY = Entry({"cmd": "/bin/citator", "args": ["serve"], "enabled": True}, frozenset({"enabled"}))
YAML = YamlText()

ROOT = (
    "# a comment: {",
    "",
    "GOOSE_MODEL: m # why",
    "text: |\n  extensions:\n    citator: no\n\n",
    "folded: >-\n  a\n  b",
    "flow: {a: [1, 2], 'b c': x}",
    "'quoted key': \"x: y\"",
)
SERVERS = (
    "# about what follows",
    "",
    "one:\n  cmd: c # its command\n  args:\n    - a\n    - b",
    "two: {cmd: c}",
    "three:\n  note: |\n    # not a comment\n    x",
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document in block style that does not hold our entry, with either line end."""
    pieces = list(draw(st.permutations(ROOT))[: draw(st.integers(0, 5))])
    if draw(st.booleans()):
        step = draw(st.sampled_from(["  ", "    "]))
        inner = list(draw(st.permutations(SERVERS))[: draw(st.integers(0, 4))])
        block = [step + line if line else line for piece in inner for line in piece.split("\n")]
        head = "extensions: # mine" if draw(st.booleans()) else "extensions:"
        pieces.insert(draw(st.integers(0, len(pieces))), "\n".join([head, *block]))
    text = "\n".join(pieces) + ("\n" if draw(st.booleans()) else "")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def loaded(text: str) -> dict[str, Any]:
    return yaml.safe_load(text) or {}


@given(documents())
def test_adding_changes_the_entry_alone_and_removing_gives_the_text_back(text: str) -> None:
    value = loaded(text)
    servers = value.get("extensions") or {}
    edited = YAML.put(text, KEYS, ENTRY)
    meant = {**value, "extensions": {**servers, "citator": dict(ENTRY.fields)}}
    assert loaded(edited) == meant
    rest = iter(edited)
    assert all(character in rest for character in text)
    assert YAML.put(edited, KEYS, ENTRY) == edited
    back = YAML.remove(edited, KEYS)
    if servers or ("extensions" not in value and value):
        assert back == text
    else:
        assert {**loaded(back), "extensions": {}} == {**value, "extensions": {}}
        assert not loaded(back).get("extensions")


@given(documents())
def test_renewing_keeps_the_other_fields_and_all_other_text(text: str) -> None:
    old = Entry({"args": ["old"], "mine": {"x": 1}})
    before = YAML.put(text, KEYS, old)
    after = YAML.put(before, KEYS, ENTRY)
    own = {"cmd": "/bin/citator", "args": ["serve"], "mine": {"x": 1}}
    assert loaded(after)["extensions"]["citator"] == own
    assert YAML.remove(after, KEYS) == YAML.remove(before, KEYS)


def test_a_list_in_block_style_is_replaced_and_comments_around_it_stay() -> None:
    text = (
        "extensions:\n  citator:\n    cmd: old # c\n    args:\n      - x\n      - y\n"
        "    enabled: false\n  # next\n  b: {}\n"
    )
    assert YAML.put(text, KEYS, ENTRY) == (
        'extensions:\n  citator:\n    cmd: "/bin/citator" # c\n    args:\n      ["serve"]\n'
        "    enabled: false\n  # next\n  b: {}\n"
    )
    assert YAML.remove(text, KEYS) == "extensions:\n  # next\n  b: {}\n"


@pytest.mark.parametrize(
    "empty", ["extensions: {}", "extensions:", "extensions: ~", "extensions: {} "]
)
def test_an_empty_table_is_filled(empty: str) -> None:
    edited = YAML.put(f"a: 1\n{empty}\nb: 2\n", KEYS, ENTRY)
    assert loaded(edited) == {"a": 1, "extensions": {"citator": dict(ENTRY.fields)}, "b": 2}
    assert YAML.remove(edited, KEYS) == "a: 1\nb: 2\n"


def test_a_comment_beside_an_empty_table_stays() -> None:
    edited = YAML.put("a: 1\nextensions: null # n\n", KEYS, Entry({"cmd": "c"}))
    assert edited == "a: 1\nextensions: # n\n  citator:\n    cmd: c\n"
    assert YAML.remove(edited, KEYS) == "a: 1\nextensions: # n\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{extensions: {}}\n", 1),
        ("a: 1\nextensions: {b: {}}\n", 2),
        ("x: &x {a: 1}\nextensions: *x\n", 2),
        ("extensions:\n  b: &b {}\n", 2),
        ("extensions:\n  b:\n    <<: {c: 1}\n", 3),
        ("extensions: &all\n  b: {}\n", 1),
        ("extensions:\n- b\n", None),
        ("extensions:\n  a: {}\nextensions:\n  b: {}\n", 3),
        ("- a\n", 1),
        ("a: 1\n---\nb: 2\n", 2),
        ("a: 1\n b: [\n", 2),
        ("a: !!python/object:os.system x\n", None),
        ("extensions:\n  citator: 1\n", None),
    ],
)
def test_what_cannot_be_edited_safely_is_refused_with_its_line(text: str, line: int | None) -> None:
    with pytest.raises(NotEditableError) as told:
        YAML.put(text, KEYS, ENTRY)
    assert told.value.line == line


@pytest.mark.parametrize("text", ["a: 1\n...\n", "a: |+\n  x", "a: |\n  x"])
def test_an_edit_that_would_not_hold_is_refused(text: str) -> None:
    with pytest.raises(NotEditableError, match="without risk"):
        YAML.put(text, KEYS, ENTRY)


def test_an_entry_in_flow_style_is_left_to_its_author() -> None:
    with pytest.raises(NotEditableError, match="block style"):
        YAML.put("extensions:\n  citator: {cmd: old}\n", KEYS, ENTRY)
