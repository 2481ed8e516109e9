"""``make demo`` keeps its promises, wherever the clone came from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from examples.demo_commits import PAYLOAD

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
    assert list(user.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"user", "demo"}
