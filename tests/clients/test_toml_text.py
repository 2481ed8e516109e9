"""Editing TOML: a table of our own, and nothing else changes."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.clients.editing import Entry, NotEditableError
from citator.clients.toml import statements
from citator.clients.toml_text import TomlText, rendered

KEYS = ("mcp_servers", "citator")
ENTRY = Entry({"command": "/bin/citator", "args": ["serve"]})
TOML = TomlText()

LINES = (
    "",
    '# a [comment] = "x"',
    "  # deep",
    'model = "m"  # why',
    "odd.'na me' = '''\n[mcp_servers.citator]\ncommand = 1\n'''",
    'text = """\n# no comment \\""" [x]\n"""',
    'list = [ # one\n  1, \'a]\', "b\\"]",\n]',
    "inline = { a = [1, {b = 2}], \"c d\" = '}' }",
    "when = 1979-05-27T07:32:00Z",
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A valid document that does not name our entry, with either line end."""
    pieces = draw(st.permutations(LINES[:9]))[: draw(st.integers(0, 6))]
    for number in range(draw(st.integers(0, 3))):
        head = draw(
            st.sampled_from(
                ["[t{0}]", "[[a{0}]]", "[mcp_servers.s{0}]", "[ mcp_servers . 'x{0}' ]"]
            )
        )
        pieces = [
            *pieces,
            head.format(number),
            *draw(st.lists(st.sampled_from(LINES[:3]), max_size=2)),
        ]
        if draw(st.booleans()):
            pieces.append('command = "c" # its command')
    text = "\n".join(pieces) + ("\n" if draw(st.booleans()) else "")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(documents())
def test_adding_changes_the_entry_alone_and_removing_gives_the_text_back(text: str) -> None:
    value = tomllib.loads(text)
    edited = TOML.put(text, KEYS, ENTRY)
    servers = {**value.get("mcp_servers", {}), "citator": dict(ENTRY.fields)}
    assert tomllib.loads(edited) == {**value, "mcp_servers": servers}
    assert edited.startswith(text)
    assert TOML.put(edited, KEYS, ENTRY) == edited
    if text.strip():
        assert TOML.remove(edited, KEYS) == text
    assert tomllib.loads(TOML.remove(edited, KEYS)) == value


@given(documents(), documents())
def test_a_table_between_others_is_renewed_and_removed_in_place(before: str, after: str) -> None:
    after = after.replace("[t", "[u").replace("[[a", "[[b").replace(".s", ".r").replace("'x", "'y")
    table = "[mcp_servers.citator]\n  args = ['old',\n 'x'] # why\n  mine = 1 # mine\n"
    head = before if not before or before.endswith("\n") else before + "\n"
    tail = "\n".join(after.partition("\n[")[1:]) if "\n[" in after else ""
    text = f"{head}{table}{tail}"
    try:
        value: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    edited = TOML.put(text, KEYS, ENTRY)
    own = {"args": ["serve"], "mine": 1, "command": "/bin/citator"}
    assert tomllib.loads(edited)["mcp_servers"]["citator"] == own
    assert edited.startswith(
        f'{head}[mcp_servers.citator]\n  args = ["serve"] # why\n  mine = 1 # mine\n'
    )
    assert edited.endswith(tail)
    gone = tomllib.loads(TOML.remove(edited, KEYS))
    del value["mcp_servers"]["citator"]
    assert {"mcp_servers": {}, **gone} == value


def test_places_of_statements_are_exact() -> None:
    text = 'a.b = 1 # x\n[t."u v"]\nc = [\n 1, # ]\n]\n'
    found = [(item.path, text[item.start : item.end]) for item in statements(text)]
    assert found == [
        (("a", "b"), "a.b = 1"),
        (("t", "u v"), '[t."u v"]'),
        (("t", "u v", "c"), "c = [\n 1, # ]\n]"),
    ]


def test_subtables_go_with_the_entry_and_comments_of_others_stay() -> None:
    text = (
        "# top\n[mcp_servers.citator]\ncommand = 'c'\n\n[mcp_servers.citator.env]\nA = 'b'\n"
        "# about the next\n[mcp_servers.other]\ncommand = 'o'\n"
    )
    assert TOML.remove(text, KEYS) == (
        "# top\n# about the next\n[mcp_servers.other]\ncommand = 'o'\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = { other = { command = 'c' } }\n",
        "[mcp_servers]\ncitator = { command = 'old' }\n",
        "mcp_servers.citator.command = 'old'\n",
        "[[mcp_servers.citator]]\n",
        "[mcp_servers]\ncitator = 1\n",
        "mcp_servers = 1\n",
    ],
)
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(NotEditableError):
        TOML.put(text, KEYS, ENTRY)


def test_an_inline_entry_that_is_right_already_is_left_alone() -> None:
    text = "mcp_servers = { citator = { command = '/bin/citator', args = ['serve'] } }\n"
    assert TOML.put(text, KEYS, ENTRY) == text
    with pytest.raises(NotEditableError):
        TOML.remove(text, KEYS)


@pytest.mark.parametrize(("text", "line"), [("a = 1\nb = \n", 2), ("a = '''\n", 2), ("\n[x\n", 2)])
def test_what_does_not_parse_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(NotEditableError) as told:
        TOML.put(text, KEYS, ENTRY)
    assert (told.value.reason, told.value.line) == ("it is not valid TOML", line)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_every_text_is_written_as_toml_reads_it(value: str) -> None:
    assert tomllib.loads(f"a = {rendered([value, True])}") == {"a": [value, True]}


def test_windows_paths_are_literal() -> None:
    assert rendered("C:\\Users\\Ada\\citator.exe") == "'C:\\Users\\Ada\\citator.exe'"
    assert rendered("C:\\it's\\x") == '"C:\\\\it\'s\\\\x"'


@pytest.mark.parametrize("dots", [100, 1_200])
def test_tables_that_are_nested_without_end_are_left_alone(dots: int) -> None:
    with pytest.raises(NotEditableError) as told:
        TOML.put(f"[mcp_servers{'.c' * dots}]\n", KEYS, ENTRY)
    assert "nested too deeply" in str(told.value)
