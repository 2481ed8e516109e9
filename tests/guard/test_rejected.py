"""Rejected values that a change says, and functions whose signature changes."""

from __future__ import annotations

from typing import Any

import pytest

from citator.guard.change import Change, changed, compared
from citator.guard.rejected import said_by
from citator.guard.signatures import (
    Changed,
    Holder,
    callers,
    candidates,
    changed_signatures,
)
from citator.model.record import Rejected
from citator.record.folding import folded


def rejected(value: str, *scope: str, at: str = "2026-03-01T00:00:00Z") -> Rejected:
    id = f"{len(value):064x}"
    return Rejected(id, id, folded(value), value, "we tried it", "M", at, scope=scope)


def adding(path: str, content: str) -> Change:
    return changed([compared(path, path, b"", content.encode())])


@pytest.mark.parametrize(
    ("path", "content", "line", "named"),
    [
        ("package.json", '{"dependencies": {"redis": "1"}}', 1, True),
        ("requirements.txt", "flask\nREDIS==5\n", 2, True),
        ("src/a.py", "import os\nimport redis\n", 2, False),
        ("src/a.py", "# store it in Redis, then\n", 1, False),
        ("src/a.py", "# store it in Rеdis\n", 1, False),
    ],
)
def test_a_change_says_a_value_as_a_dependency_or_in_whole_words(
    path: str, content: str, line: int, named: bool
) -> None:
    (one,) = said_by(adding(path, content), [rejected("Redis")])
    assert (one.path, one.line, one.named) == (path, line, named)


@pytest.mark.parametrize("content", ["credis = 1\n", "redistribute()\n", ""])
def test_a_part_of_a_word_is_not_the_value(content: str) -> None:
    assert said_by(adding("src/a.py", content), [rejected("Redis")]) == []


def test_a_scope_holds_the_value_to_its_paths_and_the_oldest_comes_first() -> None:
    change = adding("src/a.py", "use redis and memcached\n")
    assert said_by(change, [rejected("redis", "db/**")]) == []
    found = said_by(
        change,
        [rejected("memcached", at="2026-05-01T00:00:00Z"), rejected("redis", "src/**")],
    )
    assert [one.rejected.value for one in found] == ["redis", "memcached"]


def test_the_record_itself_and_short_values_say_nothing() -> None:
    assert said_by(adding(".citator/proposals/a.md", "redis\n"), [rejected("redis")]) == []
    assert said_by(adding("src/a.py", "use an x and go\n"), [rejected("x"), rejected("go")]) == []


def changing(name: str, indent: str = "") -> Changed:
    old, new = (f"{indent}def {name}({one}):\n".encode() for one in "ab")
    (one,) = changed_signatures(changed([compared("src/a.py", "src/a.py", old, new)]))
    return one


def held(name: str, *lines: tuple[str, str], **facts: Any) -> dict[str, Holder]:
    """Files that hold a name; ``facts`` by stem are what a grammar saw in them."""
    files = {"src/a.py": (), **candidates(changing(name), lines)}
    seen = {
        path: {"language": "python", **facts[stem]}
        for path in files
        if (stem := path.rpartition("/")[2].partition(".")[0]) in facts
    }
    return {path: Holder(path, texts, **seen.get(path, {})) for path, texts in files.items()}


def test_a_signature_that_changes_names_the_files_that_name_it() -> None:
    old = b"def fetch_rows(client):\n    pass\n\ndef keep_rows(a):\n    pass\n"
    new = b"def fetch_rows(client, limit):\n    pass\n\ndef keep_rows(a):  # kept\n    return 1\n"
    signatures = changed_signatures(changed([compared("src/a.py", "src/a.py", old, new)]))
    assert [(one.name, one.line) for one in signatures] == [("fetch_rows", 1)]
    files = held(
        "fetch_rows",
        ("src/a.py", "def fetch_rows(client):"),
        ("src/b.py", "rows = fetch_rows(c)"),
        ("src/c.py", "prefetch_rows_of = 1"),
        ("src/d.py", "prefetch_rows(1)"),
        ("docs/x.md", "call fetch_rows(c)"),
        ("src/a.py", "fetch_rows(self)"),
    )
    found = callers(signatures[0], files, frozenset({"src/a.py"}))
    assert found is not None and found.callers == ("src/b.py",)


def test_a_call_that_the_grammar_saw_is_told_from_a_mention_and_from_another_language() -> None:
    files = held(
        "fetch_rows",
        ("src/b.py", "return self.rows.fetch_rows(c)"),
        ("src/c.py", "say('fetch_rows(c)')"),
        ("src/d.js", "fetch_rows(1)"),
        a={"defines": frozenset({"fetch_rows"})},
        b={"calls": frozenset({"fetch_rows"})},
        c={"calls": frozenset({"say"})},
        d={"language": "javascript", "calls": frozenset({"fetch_rows"})},
    )
    found = callers(changing("fetch_rows"), files, frozenset({"src/a.py"}))
    assert found is not None and found.callers == ("src/b.py",)


def test_a_name_that_two_places_define_is_that_which_is_imported() -> None:
    two = [
        ("src/a.py", "def fetch_rows(a):"),
        ("src/z.py", "def fetch_rows(x):"),
        ("src/b.py", "fetch_rows(1)"),
        ("src/c.py", "fetch_rows(1)"),
    ]
    nothing = callers(changing("fetch_rows"), held("fetch_rows", *two), frozenset())
    assert nothing is None
    calls = frozenset({"fetch_rows"})
    files = held(
        "fetch_rows",
        *two,
        a={"defines": calls},
        z={"defines": calls, "calls": calls, "imports": ("a",)},
        b={"calls": calls, "imports": (".", "./a")},
        c={"calls": calls, "imports": ("src/z", "src/z/fetch_rows")},
    )
    found = callers(changing("fetch_rows"), files, frozenset({"src/a.py"}))
    assert found is not None and found.callers == ("src/b.py",)


def test_a_common_name_counts_where_its_file_is_imported_and_it_stands_bare() -> None:
    calls = frozenset({"keep"})
    imports = ("src/a", "src/a/keep")
    files = held(
        "keep",
        ("src/b.py", "return keep(1)"),
        ("src/c.py", "return a.keep(1)"),
        ("src/d.py", "return other.keep(1)"),
        ("src/e.py", "return keep(1)"),
        b={"calls": calls, "imports": imports},
        c={"calls": calls, "imports": imports},
        d={"calls": calls, "imports": imports},
        e={"calls": calls},
    )
    found = callers(changing("keep"), files, frozenset({"src/a.py"}))
    assert found is not None and found.callers == ("src/b.py", "src/c.py")
    old, new = (f"class A:\n    def keep({one}):\n".encode() for one in "ab")
    assert changed_signatures(changed([compared("a.py", "a.py", old, new)])) == []
