"""``citator eval locate`` as a user meets it: figures, what is kept, and why there is nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.process import Home
from tests.service.test_eval_locate import grow
from tests.support.builder import Builder


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return grow(Builder.init(tmp_path_factory.mktemp("farm") / "repo"), 32).path


def test_it_prints_figures_calibrates_and_locate_says_how_far_to_read(
    home: Home, farm: Path
) -> None:
    done = home.run("eval", "locate", "--root", farm)
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[:2] == [
        "Past fixes: 32, of 33 commits looked at; with a source file to find: 32.",
        "Replayed now: 32.",
    ]
    assert "hit@1      100.0   89.3 to 100.0" in lines
    plan = "The first file holds every changed file in 100 % of 32 past fixes here."
    assert plan in lines
    assert any("0 of 32 name a file they changed" in line for line in lines)

    told = home.run("eval", "locate", "--json", "--root", farm).object
    assert set(told) == {
        *("examined", "fixes", "cases", "replayed", "named", "measures", "bins", "error", "plan"),
        *("widened", "horizon"),
    }
    assert (told["cases"], told["replayed"]) == (32, 0)
    assert told["measures"]["hit@1"] == {"value": 1.0, "low": 0.8928, "high": 1.0}
    assert sum(one["count"] for one in told["bins"]) == 32
    expected = {"cases": 32, "files": 1, "share": 1.0, "held": [32] * 10, "widened": False}
    assert told["plan"] == expected

    found = home.run("locate", "use_barn loses grains", "--json", "--root", farm).object
    assert (found["calibration"], found["reading_plan"]) == ("yes", expected)
    assert plan in home.run("locate", "use_barn loses grains", "--root", farm).out
    assert "calibrated on 32 past fixes" in home.run("doctor", "--root", farm).out
    kept = next((home.path / "data").glob("*/local/calibration/locate.json"))
    kept.write_text(kept.read_text().replace('"engine": "', '"engine": "0'))
    stale = home.run("locate", "use_barn loses grains", "--root", farm).out
    assert "another version" in stale
    assert plan not in stale
    assert "citator eval locate" in home.run("doctor", "--root", farm).out


def test_where_nothing_was_fixed_or_kept_it_says_so(home: Home, tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "new")
    empty = home.run("eval", "locate", "--root", builder.path)
    assert (empty.code, empty.out) == (2, "")
    assert "no commit here yet" in empty.err
    builder.write("a.py", "x = 1\n").commit("Start")
    none = home.run("eval", "locate", "--root", builder.path)
    assert none.code == 3
    assert none.out.startswith("Past fixes: 0, of 1 commit looked at; none changed a source file")
    (tmp_path / "folder").mkdir()
    folder = home.run("eval", "locate", "--root", tmp_path / "folder")
    assert folder.code == 2
    assert "there is no git repository here" in folder.err
    assert home.run("eval", "locate", "--since", "soon", "--root", builder.path).code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_replay_that_was_killed_goes_on(home: Home, farm: Path) -> None:
    run = [sys.executable, "-m", "citator", "eval", "locate", "--root", str(farm)]
    started = subprocess.Popen(run, env=home.environment(), stdout=subprocess.DEVNULL)
    for _ in range(2_000):
        kept = list((home.path / "data").glob("*/local/calibration/cases.jsonl"))
        if kept and kept[0].read_bytes().count(b"\n") > 3:
            break
        time.sleep(0.005)
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    done = home.run("eval", "locate", "--json", "--root", farm).object
    assert done["cases"] == 32
    assert 0 < done["replayed"] < 30
