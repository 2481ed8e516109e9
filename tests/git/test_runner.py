"""A git process ends with the work it was started for."""

from __future__ import annotations

import gc
import os
import threading
from pathlib import Path

import pytest

from citator.git import runner
from citator.git.blobs import BlobReader
from citator.git.history import commits, reachable
from citator.git.repository import discover
from citator.git.runner import Git
from citator.git.version import MINIMUM, version
from citator.model.errors import GitRefusedError
from citator.model.stop import Stop, Stopped, stoppable
from tests.support.builder import Builder
from tests.support.stand_in import git_that, posix_only


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    built = Builder.init(tmp_path / "repo")
    built.many(1500)
    return built


def children() -> list[str]:
    """The processes this one started that are still there, where the platform tells; less what
    ``multiprocessing`` keeps to the end, if other tests ran here."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text()
        except OSError:
            continue
        name, _, rest = status.partition(" (")[2].rpartition(")")
        if int(rest.split()[1]) == os.getpid() and not name.startswith("python"):
            found.append(status)
    return found


def test_a_process_is_seen_while_it_runs(built: Builder) -> None:
    with BlobReader(discover(built.path)) as reader:
        reader.read("1" * 40, 1)
        assert len(children()) == (1 if Path("/proc").exists() else 0)
    assert children() == []


def test_an_abandoned_walk_leaves_no_process(built: Builder) -> None:
    repo = discover(built.path)
    tip = built.head()
    with commits(repo, tip) as left_early:
        next(left_early)
    assert list(left_early) == []
    forgotten = commits(repo, tip)
    next(forgotten)
    ids = reachable(repo, tip)
    next(ids)
    del forgotten, ids
    gc.collect()
    assert children() == []


def test_an_error_while_walking_leaves_no_process(built: Builder) -> None:
    repo = discover(built.path)
    with pytest.raises(ZeroDivisionError):
        for number, _ in enumerate(commits(repo, built.head())):
            _ = 1 // (number - 5)
    gc.collect()
    assert children() == []


def test_a_walk_that_ends_leaves_no_process(built: Builder) -> None:
    assert len(list(commits(discover(built.path), built.head()))) == 1500
    assert children() == []


def test_stopping_ends_a_walk_in_the_middle(built: Builder) -> None:
    repo, tip, stop = discover(built.path), built.head(), Stop()
    with stoppable(stop):
        walk = commits(repo, tip)
        next(walk)
        asking = threading.Thread(target=stop.request)
        asking.start()
        asking.join()
        with pytest.raises(Stopped):
            list(walk)
    assert children() == []


def test_stopping_ends_a_reader_that_waits(built: Builder) -> None:
    repo, stop = discover(built.path), Stop()
    blob = built.resolve("HEAD:src/part0.txt")
    with stoppable(stop), BlobReader(repo) as reader:
        assert isinstance(reader.read(blob, 1000), bytes)
        stop.request()
        with pytest.raises(Stopped):
            reader.read(blob, 1000)
    assert children() == []


def test_under_a_stop_that_was_asked_for_nothing_is_answered(built: Builder) -> None:
    stop = Stop()
    stop.request()
    with stoppable(stop), pytest.raises(Stopped):
        discover(built.path)
    assert children() == []


@posix_only
def test_a_git_that_does_not_answer_is_given_up(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(git_that(tmp_path / "bin", "exec /bin/sleep 600")))
    monkeypatch.setattr(runner, "SHORT_SECONDS", 0.05)
    with pytest.raises(GitRefusedError) as raised:
        discover(built.path)
    assert raised.value.code == "git_silent"
    assert children() == []


def test_what_is_fed_may_be_larger_than_any_pipe(built: Builder) -> None:
    tip = built.head()
    lines = 50_000
    outcome = Git.of(discover(built.path)).attempt(
        "cat-file", "--batch-check", feed=f"{tip}\n".encode() * lines
    )
    assert outcome.code == 0
    assert outcome.output.count(tip.encode()) == lines


def test_the_installed_git_is_new_enough() -> None:
    assert version() >= MINIMUM
