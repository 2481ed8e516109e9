"""A snapshot made out of an earlier one is, to the last bit, the one made of all the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.index.code import kept, renewing
from citator.index.code.facts import FileFacts
from citator.index.code.parsing import facts_of
from citator.index.code.snapshot import CodeSnapshot, snapshot_of
from citator.index.code.words import Words

CONTENTS = (
    b"",
    b"import b\nclass Field:\n    def sow(self):\n        return 'x'\n    def reap(self): 3\n",
    b"from . import c\ndef water(field, field_b): # rain\n    def inner(): return field\n",
    b"from farm.a import Field\nimport c\nDRY = 3\nclass Rain(Field): pass\n",
    b"import farm\n",
    b"from .. import a\nfrom ..farm import b, d\nfrom . import b\n",
    b"import farm.d, b\ndef water(): pass\n" * 3,
)
PATHS = (
    "a.py", "b.py", "c.py", "docs/a.md", "farm/__init__.py", "farm/a.py", "farm/b.py", "farm/d.py",
    "old/a.py", "web/b.py", "web/farm/c.py",
)  # fmt: skip
TREES = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(range(len(CONTENTS))))
WORDS = Words()
FACTS = {
    (path, number): facts_of(content, path, WORDS)
    for path in PATHS
    for number, content in enumerate(CONTENTS)
}  # read-only


def members(tree: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(path, f"{number:040x}") for path, number in tree.items()]


def asked(tree: Mapping[str, int], places: Sequence[int], seen: list[int]) -> list[FileFacts]:
    seen += places
    every = list(tree.items())
    return [FACTS[every[place]] for place in places]


def beside(folder: Path, tree: Mapping[str, int], name: str) -> tuple[CodeSnapshot, list[int]]:
    """The snapshot of a tree, kept under ``name``, and whose facts were asked for."""
    seen: list[int] = []
    code, sources = renewing.snapshot_beside(
        folder, members(tree), lambda places: asked(tree, places, seen), WORDS
    )
    kept.save_snapshot(folder / f"{name}.code.arrays", code, sources)
    return code, seen


def fresh(tree: Mapping[str, int]) -> CodeSnapshot:
    return snapshot_of([(path, FACTS[path, number]) for path, number in tree.items()], WORDS)


def assert_same(one: Any, other: Any) -> None:
    """Equal values of equal kinds, field by field."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()
    elif hasattr(one, "__dataclass_fields__"):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    elif hasattr(one, "_fields"):
        for part, whole in zip(one, other, strict=True):
            assert_same(part, whole)
    else:
        assert one == other


@settings(max_examples=100, deadline=None)
@given(before=TREES, after=TREES, order=st.booleans())
def test_any_tree_out_of_any_other(
    before: dict[str, int], after: dict[str, int], order: bool
) -> None:
    """Edits, renames, deletions and additions at once, in the order of paths or in another."""
    old, new = (dict(sorted(one.items())) for one in (before, after))
    if order:
        new = dict(sorted(after.items(), key=lambda item: item[1]))
    rows = renewing.staying(members(old), members(new))
    paths = tuple(new)
    every = [FACTS[one] for one in new.items()]
    made = snapshot_of([(paths[row], every[row]) for row in rows.rest.tolist()], WORDS)
    imports = ["\n".join(one.imports) for one in every]
    assert_same(renewing.renewed(fresh(old), made, rows, paths, imports), fresh(new))


TREE = {path: number % len(CONTENTS) for number, path in enumerate(PATHS) if path != "farm/b.py"}
HERE = tuple(TREE)


@pytest.mark.parametrize(
    ("tree", "read"),
    [
        (TREE | {"farm/a.py": 1}, ["farm/a.py"]),
        ({path: TREE[path] for path in HERE if path != "b.py"}, []),
        (dict(sorted((TREE | {"farm/b.py": 2}).items())), ["farm/b.py"]),
        ({path: TREE[path] for path in (*HERE[1:], HERE[0])}, ["a.py"]),
        (dict.fromkeys(HERE, 0), list(HERE)),
    ],
    ids=["edited", "deleted", "added", "moved to the end", "all anew"],
)
def test_facts_are_read_of_what_changed_alone(
    tmp_path: Path, tree: dict[str, int], read: list[str]
) -> None:
    beside(tmp_path, TREE, "first")
    code, seen = beside(tmp_path, tree, "second")
    assert [list(tree)[place] for place in seen] == read
    assert_same(code, fresh(tree))
    assert_same(beside(tmp_path, TREE, "third")[0], fresh(TREE))


def test_one_that_is_damaged_or_of_another_version_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside(tmp_path, TREE, "first")
    file = tmp_path / "first.code.arrays"
    file.write_bytes(file.read_bytes().replace(b"water\0", b"later\0", 1))
    edited = TREE | {"a.py": 3}
    code, seen = beside(tmp_path, edited, "second")
    assert len(seen) == len(edited)
    assert_same(code, fresh(edited))
    file.unlink()
    monkeypatch.setattr(kept, "_MADE", "another version")
    _, seen = beside(tmp_path, TREE, "third")
    assert len(seen) == len(TREE)
