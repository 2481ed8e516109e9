"""Runs the real command as a process, at a pipe or at a terminal, with data of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-m", "citator"]


@dataclass(frozen=True)
class Finished:
    """How a process ended."""

    code: int
    out: str
    err: str

    @property
    def object(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        assert self.out.count("\n") == 1
        return value


@dataclass(frozen=True)
class Home:
    """A user whose data lives in ``path``."""

    path: Path

    def environment(self, **extra: str) -> dict[str, str]:
        """What the process stands in."""
        return {
            **os.environ,
            "CITATOR_DATA_DIR": str(self.path / "data"),
            "CITATOR_CONFIG_DIR": str(self.path / "config"),
            **extra,
        }

    def run(self, *words: str | Path, cwd: Path | None = None, **extra: str) -> Finished:
        """Run at a pipe."""
        done = subprocess.run(
            [*COMMAND, *map(str, words)],
            cwd=cwd,
            env=self.environment(**extra),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return Finished(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
