"""Files since: holds, changed, moved, gone, or not observed; each with the commit that did it."""

from __future__ import annotations

from pathlib import Path

from citator.git import repository
from citator.model.treatment import TOO_MANY_FILES, Drift, DriftState
from citator.sources.treatment.drift import MAX_FILES, drift_of, nothing_left
from tests.support.builder import Builder

NAMES = ("kept.txt", "changed.txt", "moved.txt", "gone.txt", "-odd name.txt")


def test_every_file_says_what_became_of_it(tmp_path: Path) -> None:
    repo = Builder.init(tmp_path / "repo")
    lines = {name: "".join(f"{name} {n}\n" for n in range(9)) for name in NAMES}
    for name in NAMES:
        repo.write(name, lines[name])
    start = repo.commit("Begin")
    changed = repo.write("changed.txt", "other\n").commit("Change")
    repo.remove("moved.txt").write("lib/moved.txt", lines["moved.txt"]).commit("Move")
    moved = repo.remove("lib/moved.txt").write("src/m.txt", lines["moved.txt"]).commit("Again")
    gone = repo.remove("gone.txt").commit("Take it away")
    found = repository.discover(repo.path)
    assert drift_of(found, start, repo.head(), NAMES) == [
        Drift("kept.txt", DriftState.HOLDS),
        Drift("changed.txt", DriftState.CHANGED, changed),
        Drift("moved.txt", DriftState.MOVED, moved, "src/m.txt"),
        Drift("gone.txt", DriftState.GONE, gone),
        Drift("-odd name.txt", DriftState.HOLDS),
    ]


def test_what_was_not_looked_at_is_not_observed(tmp_path: Path) -> None:
    repo = Builder.init(tmp_path / "repo")
    names = [f"f{n:02}.txt" for n in range(MAX_FILES + 2)]
    for name in names:
        repo.write(name, "x\n")
    start = repo.commit("Begin")
    found = drift_of(repository.discover(repo.path), start, start, [*names, "never.txt"])
    assert [one.state for one in found[:MAX_FILES]] == [DriftState.HOLDS] * MAX_FILES
    assert {one.why for one in found[MAX_FILES:]} == {TOO_MANY_FILES}


def test_what_a_commit_took_away_holds_while_nothing_is_there_again(tmp_path: Path) -> None:
    repo = Builder.init(tmp_path / "repo")
    repo.write("a.txt", "x\n").write("b.txt", "x\n").commit("Begin")
    taken = repo.remove("a.txt").commit("Take it")
    found = repository.discover(repo.path)
    assert [one.state for one in drift_of(found, taken, taken, ["a.txt"])] == [DriftState.HOLDS]
    assert nothing_left(found, taken, {taken: ["a.txt"]}) == {taken: False}
    back = repo.write("a.txt", "y\n").commit("Back")
    assert drift_of(found, taken, back, ["a.txt"]) == [Drift("a.txt", DriftState.CHANGED, back)]
    assert nothing_left(found, back, {taken: ["a.txt", "b\n.txt"]}) == {taken: True}


def test_nothing_is_left_once_the_last_file_is_elsewhere_or_gone(tmp_path: Path) -> None:
    repo = Builder.init(tmp_path / "repo")
    repo.write("c.txt", "x\n")
    first = repo.write("a.txt", "x\n").write("b.txt", "y\n").commit("Begin")
    found, touched = repository.discover(repo.path), {first: ["a.txt", "b.txt"]}
    changed = repo.write("a.txt", "other\n").write("b.txt", "z\n").commit("Change both")
    assert nothing_left(found, changed, touched) == {first: False}
    one = repo.remove("a.txt").commit("Take one")
    assert nothing_left(found, one, touched) == {first: False}
    both = repo.remove("b.txt").write("d/b.txt", "z\n").commit("Move the other")
    assert nothing_left(found, both, touched) == {first: True}


def test_in_a_partial_clone_it_is_told_from_the_trees_and_nothing_is_gone_from_silence(
    tmp_path: Path,
) -> None:
    repo = Builder.init(tmp_path / "repo")
    repo.write("kept.txt", "1\n").write("changed.txt", "2\n").write("moved.txt", "3\n")
    first = repo.write("gone.txt", "4\n").commit()
    repo.remove("moved.txt").write("there.txt", "3\n").remove("gone.txt")
    last = repo.write("changed.txt", "5\n").commit()
    clone = repo.clone(tmp_path / "clone", filter="blob:none", checkout=False)
    paths = ["kept.txt", "changed.txt", "moved.txt", "gone.txt"]
    assert drift_of(repository.discover(clone.path), first, last, paths) == [
        Drift("kept.txt", DriftState.HOLDS),
        Drift("changed.txt", DriftState.CHANGED, last),
        Drift("moved.txt", DriftState.MOVED, last, "there.txt"),
        Drift("gone.txt", DriftState.NOT_OBSERVED, why="blob_missing"),
    ]
