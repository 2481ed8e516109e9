"""Symbols since: holds only where seen; else what happened to it, or why nothing was seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from citator.git import repository
from citator.index.symbol_drift import (
    AMBIGUOUS,
    MAX_BACK,
    MISSING,
    NO_GRAMMAR,
    NOT_DEFINED,
    UNPARSED,
    Symbols,
)
from citator.model.treatment import DriftState, SymbolDrift
from tests.support.builder import Builder

MILL = '''"""A mill."""

import math


class Mill:
    def grind(self, wheat):
        if wheat:
            self.stones.turn()
            return math.floor(wheat)
        return 0

    def stop(self):
        return None


def sift(flour):
    return flour.strip()
'''


@pytest.fixture
def repo(tmp_path: Path) -> Builder:
    built = Builder.init(tmp_path / "repo")
    built.write("mill.py", MILL).write("bread.py", "def bake(dough):\n    return dough\n")
    built.write("pyproject.toml", 'dependencies = [\n  "requests >= 2",\n  "numpy",\n]\n')
    built.commit("Build a mill")
    return built


def since(
    repo: Builder,
    then: str,
    *names: str,
    touched: tuple[str, ...] = (),
    covers: Callable[[str], bool] = lambda _: False,
) -> list[SymbolDrift]:
    with Symbols(repository.discover(repo.path), repo.head(), covers) as symbols:
        return symbols.since(then, names, touched)


def test_what_only_looks_otherwise_holds(repo: Builder) -> None:
    then = repo.head()
    other = MILL.replace("        if wheat:\n", "        # grain\n\n        if wheat:\n")
    repo.write("mill.py", f"import os\n{other}").commit("Comment it")
    assert since(repo, then, "Mill.grind", "sift", "Mill", "bake") == [
        SymbolDrift("Mill.grind", DriftState.HOLDS, "mill.py"),
        SymbolDrift("sift", DriftState.HOLDS, "mill.py"),
        SymbolDrift("Mill", DriftState.HOLDS, "mill.py"),
        SymbolDrift("bake", DriftState.HOLDS, "bread.py"),
    ]


def test_what_was_changed_names_the_last_commit_that_did(repo: Builder) -> None:
    then = repo.head()
    repo.write("mill.py", MILL.replace("floor", "ceil")).commit("Round up")
    changed = repo.write("mill.py", MILL.replace("floor", "trunc")).commit("Cut off")
    repo.write("mill.py", MILL.replace("floor", "trunc") + "\nX = 1\n").commit("Other")
    found = since(repo, then, "grind", "stop", touched=("mill.py",))
    assert found == [
        SymbolDrift("grind", DriftState.CHANGED, "mill.py", changed),
        SymbolDrift("stop", DriftState.HOLDS, "mill.py"),
    ]


def test_the_block_a_line_is_in_is_part_of_a_definition(repo: Builder) -> None:
    then = repo.head()
    out = MILL.replace("            return math", "        return math")
    changed = repo.write("mill.py", out).commit("Dedent")
    (found,) = since(repo, then, "grind")
    assert (found.state, found.by) == (DriftState.CHANGED, changed)
    decorated = MILL.replace("def sift", "@cached\ndef sift")
    changed = repo.write("mill.py", decorated).commit("Cache")
    (found,) = since(repo, then, "sift")
    assert (found.state, found.by) == (DriftState.CHANGED, changed)


def test_a_symbol_is_followed_with_its_file_and_out_of_it(repo: Builder) -> None:
    then = repo.head()
    moved = repo.remove("mill.py").write("lib/mill.py", MILL).commit("Move it")
    head, _, tail = MILL.partition("def sift")
    out = repo.write("lib/mill.py", head).write("lib/sieve.py", "def sift" + tail).commit("Out")
    gone = repo.remove("bread.py").commit("No bread")
    assert since(repo, then, "Mill.stop", "bake") == [
        SymbolDrift("Mill.stop", DriftState.MOVED, "mill.py", moved, "lib/mill.py"),
        SymbolDrift("bake", DriftState.GONE, "bread.py", gone),
    ]
    (found,) = since(repo, moved, "sift")
    assert found == SymbolDrift("sift", DriftState.MOVED, "lib/mill.py", out, "lib/sieve.py")


def test_a_change_before_a_move_is_the_change(repo: Builder) -> None:
    then = repo.head()
    other = MILL.replace("floor", "ceil")
    changed = repo.write("mill.py", other).commit("Round up")
    repo.remove("mill.py").write("lib/mill.py", other).commit("Move it")
    (found,) = since(repo, then, "grind")
    assert found == SymbolDrift("grind", DriftState.CHANGED, "mill.py", changed, "lib/mill.py")


def test_beyond_what_is_looked_back_nobody_is_named(repo: Builder) -> None:
    then = repo.head()
    other = MILL.replace("floor", "ceil")
    repo.write("mill.py", other).commit("Round up")
    repo.remove("mill.py").write("lib/mill.py", other).commit("Move it")
    for turn in range(MAX_BACK):
        repo.write("lib/mill.py", f"{other}\nA = {turn}\n").commit("Later")
    (found,) = since(repo, then, "grind")
    assert found == SymbolDrift("grind", DriftState.CHANGED, "mill.py", None, "lib/mill.py")


def test_a_merge_of_a_change_is_not_the_change(repo: Builder) -> None:
    then = repo.head()
    repo.branch("side")
    repo.write("mill.py", MILL + "\nA = 1\n").commit("Main")
    repo.switch("side")
    changed = repo.write("mill.py", MILL.replace("floor", "ceil")).commit("Round up")
    repo.switch("main")
    repo.merge("side")
    repo.write("mill.py", MILL.replace("floor", "ceil") + "\nA = 2\n").commit("Later")
    (found,) = since(repo, then, "grind")
    assert (found.state, found.by) == (DriftState.CHANGED, changed)


def test_a_dependency_holds_is_changed_or_gone(repo: Builder) -> None:
    then = repo.head()
    assert since(repo, then, "numpy") == [
        SymbolDrift("numpy", DriftState.HOLDS, "pyproject.toml", is_dependency=True)
    ]
    changed = repo.write("pyproject.toml", '  "requests >= 3",\n  "numpy",\n').commit("Up")
    gone = repo.write("pyproject.toml", '  "requests >= 3",\n').commit("Without")
    assert since(repo, then, "requests", "numpy") == [
        SymbolDrift("requests", DriftState.CHANGED, "pyproject.toml", changed, is_dependency=True),
        SymbolDrift("numpy", DriftState.GONE, "pyproject.toml", gone, is_dependency=True),
    ]


def test_silence_is_not_holds(repo: Builder) -> None:
    repo.write("a.py", "def run(): return 1\n").write("b.py", "def run(): return 2\n")
    repo.write("old.scala", "def reap() = 1\n").write("half.py", "def half(:\n    ((((\n")
    then = repo.commit("More")
    found = {one.name: one for one in since(repo, then, "run", "reap", "half", "nothing")}
    assert {one.state for one in found.values()} == {DriftState.NOT_OBSERVED}
    assert found["run"].why == AMBIGUOUS
    assert found["reap"].why == NO_GRAMMAR
    assert found["nothing"].why == NOT_DEFINED
    repo.write("bread.py", "def bake(dough):\n    return ((dough\n").commit("Break it")
    (broken,) = since(repo, then, "bake")
    assert (broken.state, broken.why) == (DriftState.NOT_OBSERVED, UNPARSED)


def test_a_blob_that_is_missing_is_not_observed(repo: Builder) -> None:
    then = repo.head()
    repo.write("bread.py", "def bake(dough):\n    return 2 * dough\n").commit("Twice")
    repo.lose(repo.resolve(f"{then}:bread.py"))
    (found,) = since(repo, then, "bake", touched=("bread.py",))
    assert (found.state, found.why) == (DriftState.NOT_OBSERVED, MISSING)


def test_in_a_partial_clone_nothing_is_gone_from_silence(repo: Builder) -> None:
    then = repo.head()
    head, _, _ = MILL.partition("def sift")
    gone = repo.write("mill.py", head).commit("Without")
    (found,) = since(repo, then, "sift", touched=("mill.py",))
    assert (found.state, found.by) == (DriftState.GONE, gone)
    repo.git("config", "remote.origin.promisor", "true")
    repo.git("config", "remote.origin.partialclonefilter", "blob:none")
    repo.git("config", "core.repositoryformatversion", "1")
    repo.git("config", "extensions.partialClone", "origin")
    (found,) = since(repo, then, "sift", touched=("mill.py",))
    assert (found.state, found.why) == (DriftState.NOT_OBSERVED, MISSING)
    (found,) = since(repo, then, "Mill.stop", touched=("mill.py",))
    assert found.state is DriftState.HOLDS


def test_what_is_hidden_takes_no_part(repo: Builder) -> None:
    repo.write("secret/a.py", "def bake(dough):\n    return 7\n")
    then = repo.commit("Hide")
    (seen,) = since(repo, then, "bake")
    assert seen.why == AMBIGUOUS
    (found,) = since(repo, then, "bake", covers=lambda path: path.startswith("secret/"))
    assert found == SymbolDrift("bake", DriftState.HOLDS, "bread.py")
