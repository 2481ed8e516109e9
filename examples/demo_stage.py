"""What every part of the demo stands on: it runs commands, shows them, and checks them.

- Runs the real command as a person would, with data in the demo's own directory and nowhere else:
  no key, pin or git setting of the person who runs it takes part.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_BLOCK = re.MULTILINE | re.DOTALL


class DemoError(Exception):
    """What the demo showed is not what it promises."""


@dataclass(frozen=True, slots=True)
class Demo:
    """Runs commands with data in ``home`` and nowhere else."""

    home: Path

    def environment(self, where: Path) -> dict[str, str]:
        """What a command in ``where`` stands in: its own data, and in a repository that the demo
        made no git configuration of this machine.
        """
        kept = {name: value for name, value in os.environ.items() if name != "SSH_AUTH_SOCK"}
        alone = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        return {
            **kept,
            **({} if where == ROOT else alone),
            "CITATOR_DATA_DIR": str(self.home / "data"),
            "CITATOR_CONFIG_DIR": str(self.home / "config"),
            "PYTHONPATH": str(ROOT / "src"),
        }

    def citator(
        self,
        where: Path,
        *words: str,
        show: bool = False,
        codes: Sequence[int] = (0,),
        parts: Sequence[tuple[str, str]] = (),
    ) -> str:
        """What ``citator WORDS`` prints in ``where``; shown under the command where ``show``.

        With ``parts``, only these are shown: each from the line that begins so, up to the line
        that begins otherwise (empty: to the end).
        """
        if show:
            say(f"\n$ citator {shlex.join(words)}")
        done = subprocess.run(
            [sys.executable, "-m", "citator", *words],
            cwd=where,
            env=self.environment(where),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        text = done.stdout.decode("utf-8")
        if show:
            said = done.stderr.decode("utf-8", "replace")
            say(indented(_parts(text, parts) + said))
        expect(done.returncode in codes, f"citator {words[0]} ended with {done.returncode}")
        return text

    def json(self, where: Path, *words: str) -> dict[str, Any]:
        """The JSON object of a command."""
        value = json.loads(self.citator(where, *words, "--json", codes=(0, 3)))
        expect(isinstance(value, dict), "the output is one JSON object")
        return dict(value)

    def git(self, where: Path, *words: str, show: bool = False) -> None:
        """Run git in a repository that the demo made."""
        if show:
            say(f"\n$ git {shlex.join(words)}")
        subprocess.run(
            ["git", *words],
            cwd=where,
            env=self.environment(where),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )


def _parts(text: str, parts: Sequence[tuple[str, str]]) -> str:
    kept: list[str] = [] if parts else [text]
    for first, until in parts:
        found = re.search(rf"^{re.escape(first)}.*?(?=^{re.escape(until)}|\Z)", text, _BLOCK)
        expect(found is not None, f"there is a line that begins with {first!r}")
        assert found is not None
        kept += ["...\n", found[0] if until else text[found.start() :]]
    return "".join(kept)


def expect(holds: bool, what: str) -> None:
    """Stop the demo where something is not as promised."""
    if not holds:
        raise DemoError(what)


def title(text: str) -> None:
    """A heading."""
    say(f"\n{text}\n{'-' * len(text)}")


def indented(text: str) -> str:
    """Output of a command, set apart."""
    return "\n".join(f"  {line}".rstrip() for line in text.rstrip().split("\n"))


def say(text: str) -> None:
    """Print for any terminal, whatever its encoding."""
    encoding = sys.stdout.encoding or "ascii"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    sys.stdout.flush()
