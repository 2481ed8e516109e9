"""Which files a path, a name or a definition could mean: made once, kept, and checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from citator.index.array_file import ArrayFile, write_arrays
from citator.index.code import kept, lookups
from citator.index.code.parsing import facts_of
from citator.index.code.snapshot import CodeSnapshot, snapshot_of
from citator.index.code.words import Words, number_of

PATHS = (
    "docs/field.md",
    "farm/__init__.py",
    "farm/field.py",
    "old/farm/_Field.py",
    "web/index/index.js",
    "web/migrations/Makefile",
)


@pytest.fixture
def code() -> CodeSnapshot:
    words = Words()
    return snapshot_of(
        [(path, facts_of(b"def sow(): pass\n", path, words)) for path in PATHS], words
    )


@pytest.mark.parametrize(
    ("end", "files"),
    [
        ("farm/field.py", [2]),
        ("field.py", [2]),
        ("field", [0, 2]),
        ("ield.py", []),
        ("farm", [1]),
        ("index", [4]),
        ("web/index", [4]),
        ("Makefile", [5]),
        ("", []),
    ],
)
def test_a_path_is_found_by_its_ends(code: CodeSnapshot, end: str, files: list[int]) -> None:
    assert code.ending(end) == files


@pytest.mark.parametrize(
    ("stem", "files"), [("field", [0, 2, 3]), ("makefile", [5]), ("index", []), ("init", [])]
)
def test_a_file_is_found_by_its_stem(code: CodeSnapshot, stem: str, files: list[int]) -> None:
    assert code.stemmed(stem) == files


def test_what_shares_a_number_is_not_taken_for_the_other() -> None:
    number = np.full(2, number_of("barn.py"), np.uint32)
    shared = lookups.Lookup(number, np.arange(2, dtype=np.int32))
    assert lookups.ending(shared, ("barn.py", "mill.py"), "barn.py") == [0]
    many = lookups.Lookup(np.resize(number, 65), np.arange(65, dtype=np.int32))
    assert len(lookups.ending(many, ["mill.py"] * 65, "barn.py")) == 65


def test_traits_are_told_by_the_path(code: CodeSnapshot) -> None:
    assert code.traits.tolist() == [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
    ]


def test_a_path_of_many_folders_is_known_by_its_last() -> None:
    path = "a/" * 2_000 + "field.py"
    ends = lookups.ends_of([path])
    assert len(ends.numbers) == 2 * lookups.DEEPEST
    assert lookups.ending(ends, [path], "a/field.py") == [0]


def test_they_are_kept_with_the_files_and_made_where_they_were_not(
    code: CodeSnapshot, tmp_path: Path
) -> None:
    kept.save_snapshot(tmp_path / "new.arrays", code)
    file = ArrayFile(tmp_path / "new.arrays")
    made = ("by_name", "ends", "stems", "traits")
    old = {name: file.array(name) for name in file.names if not name.startswith(made)}
    write_arrays(tmp_path / "old.arrays", old, {})
    for name in ("new.arrays", "old.arrays"):
        opened = kept.load_snapshot(tmp_path / name)
        assert opened.ending("field.py") == [2]
        assert opened.stemmed("field") == [0, 2, 3]
        assert opened.definitions("sow").tolist() == [0, 1, 2]
        assert opened.traits.tolist() == code.traits.tolist()
