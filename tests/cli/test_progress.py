"""A bar for somebody who watches long work; nothing otherwise."""

from __future__ import annotations

import subprocess
import sys

import pytest

from citator.cli import progress, surroundings


def test_nobody_watching_means_no_reporter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "shows_progress", lambda: False)
    with progress.watched("Reading") as report:
        assert report is None


def test_short_work_draws_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    bar = progress.Bar("Reading", clock=lambda: 0.0)
    bar(1, 10)
    bar.close()
    assert capsys.readouterr() == ("", "")


def test_the_library_that_draws_is_imported_only_to_draw() -> None:
    code = "import sys, citator.cli.progress, citator.cli.ask; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"False"
