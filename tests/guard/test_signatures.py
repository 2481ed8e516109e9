"""Which definitions a change gives another header."""

from __future__ import annotations

import pytest

from citator.guard.change import changed, compared
from citator.guard.signatures import Changed, changed_signatures

JAVA = """\
class Store {
    @Deprecated
    public int loadEverything(String name%s) {
        return 1;
    }

    public int loadEverything(int other) {
        return 2;
    }
}
"""
SHARP = (
    "class Store\n{\n    public async Task<int> LoadEverything(string name%s) => Ask(name);\n}\n"
)
PYTHON = """\
def load_everything(
    name,
    times%s,
):
    return name * times
"""
RUST = (
    "impl Store {\n    fn load_everything(\n        &self,\n%s    ) -> u8 {\n        1\n    }\n}\n"
)


def seen(path: str, before: str, after: str) -> list[Changed]:
    return changed_signatures(
        changed([compared(path, path, before.encode(), after.encode())]),
    )


@pytest.mark.parametrize(
    ("path", "text", "more", "line", "inner"),
    [
        ("src/Store.java", JAVA, ", int times", 3, True),
        ("src/Store.cs", SHARP, ", int times", 3, True),
        ("src/store.py", PYTHON, "=3", 1, False),
        ("src/store.rs", RUST, "        times: u8,\n", 2, True),
    ],
)
def test_a_header_is_all_that_stands_before_the_body(
    path: str, text: str, more: str, line: int, inner: bool
) -> None:
    name = "load_everything" if text in (PYTHON, RUST) else "loadEverything"
    name = "LoadEverything" if text is SHARP else name
    wanted = [Changed(name, path, line, inner)]
    assert seen(path, text % "", text % more) == wanted
    assert seen(path, text % more, text % "") == wanted


def test_layout_comments_and_marks_are_none_of_it() -> None:
    laid_out = "def load_everything(name, times):  # see below\n    return name * times\n"
    assert seen("src/store.py", PYTHON % "", laid_out) == []
    marked = (JAVA % "").replace("@Deprecated", "@Safe").replace("public int", "int")
    assert seen("src/Store.java", JAVA % "", marked) == []
    assert seen("src/store.py", PYTHON % "", (PYTHON % "").replace("*", "+")) == []


def test_one_more_of_a_name_changes_none_and_of_several_the_last_is_told() -> None:
    more = (JAVA % "").replace("class Store {", "class Store {\n    void loadEverything() {}\n")
    assert seen("src/Store.java", JAVA % "", more) == []
    both = (JAVA % ", int times").replace("int other", "long other")
    wanted = Changed("loadEverything", "src/Store.java", 7, inner=True)
    assert seen("src/Store.java", JAVA % "", both) == [wanted]


def test_a_type_counts_where_it_takes_something_and_a_qualified_name_is_of_elsewhere() -> None:
    assert seen("a.kt", "class RowsOfStore(x: Int)\n", "class RowsOfStore(x: Int, y: Int)\n") == [
        Changed("RowsOfStore", "a.kt", 1, calls=False)
    ]
    assert (
        seen("a.py", "class RowsOfStore(A):\n    x = 1\n", "class RowsOfStore(B):\n    x = 1\n")
        == []
    )
    body = "int {0}load_all(int a{1}) {{\n    return a;\n}}\n"
    for owner, found in (("", ["load_all"]), ("Store::", [])):
        sides = body.format(owner, ""), body.format(owner, ", int b")
        assert [one.name for one in seen("a.cpp", *sides)] == found


def test_without_a_grammar_it_is_the_first_line() -> None:
    before, after = "func load_everything() {\n}\n", "func load_everything(a: Int) {\n}\n"
    assert seen("src/store.swift", before, after) == [
        Changed("load_everything", "src/store.swift", 1)
    ]
    assert seen("src/store.py", PYTHON % "", "def load_everything(:\n") == []
