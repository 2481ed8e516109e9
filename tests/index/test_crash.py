"""A build that dies at any step, and one that runs out of disk: the old generation serves on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import citator
from citator.index.history import TantivyHistory
from citator.index.protocol import View
from citator.model.errors import StorageError
from tests.support import killed_build
from tests.support.corpus import VERSIONS, batch, commit, key_of

ROOT = Path(__file__).parents[2]
SOURCES = Path(citator.__file__).parents[1]
POINTS = 30


def prepared(directory: Path) -> TantivyHistory:
    index = TantivyHistory(directory, VERSIONS)
    index.build(batch("old", killed_build.before()))
    return index


def run(directory: Path, step: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.support.killed_build", str(directory), str(step)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCES), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )


def texts(index: TantivyHistory, tip: str) -> list[str]:
    snapshot = index.open()
    assert snapshot is not None
    with snapshot:
        view: View | None = snapshot.view(tip)
        assert view is not None
        assert snapshot.tip == tip
        return sorted(row.text for row in view.scan())


OLD = sorted(passage.text for one in killed_build.before() for passage in one.passages)
NEW = sorted(
    passage.text
    for one in [*killed_build.before()[3:], *killed_build.after()]
    for passage in one.passages
)


def test_a_build_killed_at_any_step_leaves_one_whole_generation_serving(tmp_path: Path) -> None:
    template = tmp_path / "template"
    prepared(template)
    shutil.copytree(template, tmp_path / "whole")
    whole = run(tmp_path / "whole", 10**9)
    assert whole.returncode == 0, whole.stderr
    steps = int(whole.stdout)
    assert steps > POINTS
    assert texts(TantivyHistory(tmp_path / "whole", VERSIONS), "new") == NEW
    served = []
    for point in range(POINTS):
        directory = tmp_path / f"killed-{point}"
        shutil.copytree(template, directory)
        killed = run(directory, 1 + point * steps // POINTS)
        assert killed.returncode != 0
        index = TantivyHistory(directory, VERSIONS)
        snapshot = index.open()
        assert snapshot is not None
        served.append(snapshot.tip or "")
        snapshot.close()
        if served[-1] == "old":
            assert texts(index, "old") == OLD
            killed_build.build(directory)
        assert texts(index, "new") == NEW
        kept = [one.number for one in index.generations()]
        on_disk = sorted(int(path.name) for path in (directory / "generations").iterdir())
        assert on_disk == kept
        index.verify()
        shutil.rmtree(directory)
    assert served[0] == "old"
    assert served == sorted(served, reverse=True)  # once the new one serves, it stays


def test_a_leftover_of_a_killed_build_is_swept_by_the_next(tmp_path: Path) -> None:
    index = prepared(tmp_path / "index")
    leftover = tmp_path / "index" / "generations" / "000007"
    (leftover / "engine").mkdir(parents=True)
    (leftover / "engine" / "half.term").write_bytes(b"half")
    assert texts(index, "old") == OLD
    made = index.build(batch("new", [commit("x", "one", "two")], base="old"))
    assert not leftover.exists()
    assert made.number == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a file")
@pytest.mark.parametrize("most", [0, 10, 200, 1000, 3000, 8000, 30_000])
def test_a_full_disk_is_an_error_and_what_was_there_still_serves(tmp_path: Path, most: int) -> None:
    import resource

    index = prepared(tmp_path / "index")
    # Words that do not compress, so that the new segment is larger than any limit here.
    large = [
        commit(n, "x", " ".join(f"{(n * 7919 + k) ** 5:x}" for k in range(60))) for n in range(90)
    ]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        with pytest.raises(StorageError) as caught:
            index.build(batch("new", large, base="old"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.code == "disk_full"
    assert "free some space" in caught.value.todo
    assert texts(index, "old") == OLD
    assert [one.number for one in index.generations()] == [1]
    index.build(batch("new", large, base="old"))
    assert index.holds(key_of(large[-1]))


@pytest.mark.parametrize("blocked", ["index", "index/generations"])
def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path, blocked: str) -> None:
    (tmp_path / blocked).parent.mkdir(exist_ok=True)
    (tmp_path / blocked).write_bytes(b"in the way")
    index = TantivyHistory(tmp_path / "index", VERSIONS)
    assert index.open() is None
    with pytest.raises(StorageError):
        index.build(batch("new", killed_build.after()))
    assert (tmp_path / blocked).read_bytes() == b"in the way"


def test_what_stands_where_a_generation_would_be_is_walked_around(tmp_path: Path) -> None:
    index = prepared(tmp_path / "index")
    (tmp_path / "index" / "generations" / "000002").write_bytes(b"in the way")
    (tmp_path / "index" / "generations" / "notes.txt").write_bytes(b"somebody's")
    made = index.build(batch("new", killed_build.after(), base="old"))
    assert made.number == 3
    assert (tmp_path / "index" / "generations" / "notes.txt").exists()
