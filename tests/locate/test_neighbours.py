"""Folders and imports carry what their files read like to the files beside them."""

from __future__ import annotations

import numpy as np
import pytest

from citator.index.code.parsing import facts_of
from citator.index.code.snapshot import snapshot_of
from citator.index.code.words import Words
from citator.locate.neighbours import NAMES, READING, neighbours
from citator.locate.protocol import Scene

TREE = {
    "farm/barn.py": "x = 1\n",
    "farm/field.py": "from town import mill\n",
    "farm/well.py": "x = 2\n",
    "town/mill.py": "x = 3\n",
}


def beside(reading: list[float]) -> dict[str, dict[str, float]]:
    words = Words()
    members = [(path, facts_of(text.encode(), path, words)) for path, text in TREE.items()]
    opinions = {name: np.array(reading) for name, _ in READING}
    found = neighbours(opinions, Scene(snapshot_of(members, words), None))
    return {
        name: dict(zip(TREE, found[:, column].tolist(), strict=True))
        for column, name in enumerate(NAMES)
    }


def test_the_best_other_file_of_a_folder_counts() -> None:
    found = beside([1.0, 0.5, 0.0, 0.25])["n_next"]
    assert list(found.values()) == pytest.approx([0.5, 1.0, 1.0, 0.0])


def test_all_others_of_a_folder_count_by_how_many_they_are() -> None:
    found = beside([1.0, 0.5, 0.0, 0.25])["n_folder"]
    assert list(found.values()) == pytest.approx([0.0625 / 2**0.5, 1 / 2**0.5, 1.0625 / 2**0.5, 0])


def test_what_reads_like_the_issue_points_at_what_it_imports() -> None:
    found = beside([0.0, 1.0, 0.0, 0.0])["n_used"]
    assert found["town/mill.py"] == pytest.approx(1.0)
    assert sum(found.values()) == pytest.approx(1.0)


def test_an_empty_tree_has_no_neighbours() -> None:
    empty = Scene(snapshot_of([], Words()), None)
    opinions = {name: np.empty(0) for name, _ in READING}
    assert neighbours(opinions, empty).shape == (0, 3)
