"""``index watch`` as a process: a line an update, one at a time, ended by a signal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import COMMAND, Home
from tests.support import old_data
from tests.support.builder import Builder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of POSIX")

PATIENCE = 60


@contextmanager
def watching(home: Home, root: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A running watcher."""
    command = [*COMMAND, "index", "watch", "--root", str(root), *more]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=home.environment(), stdout=pipe, stderr=pipe, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


@pytest.fixture
def gauge(tmp_path: Path) -> Builder:
    return old_data.history(tmp_path / "repo")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_follows_head_and_ends_cleanly(number: int, home: Home, gauge: Builder) -> None:
    with watching(home, gauge.path, "--json") as process:
        first = line(process)
        assert set(first) == {"built", "generation", "examined", "explained", "seconds"}
        assert (first["built"], first["generation"]["number"]) == (True, 1)
        tip = gauge.commit("Measure in millimetres\n\nBecause a centimetre hid the swell.")
        assert line(process)["generation"]["tip"] == tip
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, err) == (0, "", "")
    assert home.run("index", "status", "--json", "--root", gauge.path).object["behind"] == 0


def test_a_second_one_says_who_is_there_and_a_killed_one_leaves_nothing_behind(
    home: Home, gauge: Builder
) -> None:
    with watching(home, gauge.path) as process:
        assert process.stdout is not None
        told = process.stdout.readline()
        assert "Built in " in told
        assert "generation 1 at " in told
        second = home.run("index", "watch", "--root", gauge.path)
        assert (second.code, second.out) == (1, "")
        assert f"watched already (process {process.pid})" in second.err
        assert home.run("forget", "--yes", "--root", gauge.path).code == 1
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=PATIENCE)
    with watching(home, gauge.path, "--json") as process:
        assert line(process)["built"] is False


def test_an_interrupted_build_leaves_the_index_as_it_was(home: Home, tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "long")
    builder.many(12_000)
    with watching(home, builder.path) as process:
        limit = time.monotonic() + PATIENCE
        while not list((home.path / "data").rglob("engine")) and time.monotonic() < limit:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, err) == (0, "", "")
    status = home.run("index", "status", "--json", "--root", builder.path).object
    assert (status["current"], status["generations"]) == (None, [])
    assert not list((home.path / "data").rglob("generations/*"))


def test_a_reader_who_leaves_ends_it(home: Home, gauge: Builder) -> None:
    with watching(home, gauge.path) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        gauge.commit("Measure in millimetres\n\nBecause a centimetre hid the swell.")
        assert process.wait(timeout=PATIENCE) == 141
