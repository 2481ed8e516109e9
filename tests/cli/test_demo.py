"""``make demo`` keeps its promises, wherever the clone came from."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from examples.demo_commits import PAYLOAD
from examples.demo_history import build
from examples.demo_record import begun, decided
from examples.demo_signing import Hand
from examples.demo_stage import Demo

ROOT = Path(__file__).parents[2]


def test_the_demo_ends_well_and_touches_nothing_but_its_own_directory(tmp_path: Path) -> None:
    user = tmp_path / "user"
    user.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "examples.demo", str(tmp_path / "demo")],
        cwd=ROOT,
        env={**os.environ, "HOME": str(user), "XDG_DATA_HOME": str(user / "data")},
        capture_output=True,
        check=False,
    )
    text = done.stdout.decode("utf-8")
    assert (done.returncode, done.stderr) == (0, b""), text
    assert text.rstrip().endswith("nothing was written outside .demo/")
    assert '    > Revert "Raise the retry limit to twenty"' in text
    assert PAYLOAD[0] in text.partition("because you ask to:")[2]
    assert PAYLOAD[0] not in text.partition("because you ask to:")[0]
    for shown in (
        "Told no on ",
        "signature: key, landed: local branch",
        "  status: proposed\n",
        "  status: told_no\n",
        "it no longer says what was first added",
    ):
        assert shown in text, shown
    assert re.search(r"^  Verified at \w{12}: 2 migrations, all approved\.$", text, re.MULTILINE)
    assert list(user.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"user", "demo"}


def test_it_signs_by_itself_where_there_is_no_openssh(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = Demo(tmp_path)
    ferry = build(tmp_path / "ferry", hostile=False)
    begun(demo, ferry)
    hand = Hand.made(demo, ferry, openssh=False)
    id = decided(demo, ferry)
    hand.pin()
    hand.approve(id, show=True)
    assert (
        f"Signed by the demo itself (no ssh-keygen here): approve {id}" in capsys.readouterr().out
    )
    demo.citator(ferry, "apply", "--commit")
    told = demo.citator(ferry, "verify")
    assert re.match(r"Verified at \w{12}: 1 migration, all approved\.\n", told)
    no = decided(demo, ferry, named="Write times in the local zone")
    hand.reject(no, "the night the clocks went back", "")
    (stone,) = [
        one
        for one in demo.json(ferry, "decisions", "list", "--all", "--rejections")["rejections"]
        if one["source"] == no
    ]
    assert stone["kind"] is None
