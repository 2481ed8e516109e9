"""Runs the real command at a terminal of the test's making, and answers what is asked.

A terminal proves nobody: whoever can start a process can be the person in front of it.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.cli.process import COMMAND

SECONDS = 60.0
GRACE = 5.0


@dataclass(frozen=True)
class Shown:
    """How it ended, and all that the terminal showed."""

    code: int
    text: str


def at_a_terminal(
    words: Sequence[str], folder: Path, env: Mapping[str, str], answers: Sequence[tuple[str, str]]
) -> Shown:
    """Run ``citator WORDS``; whenever the next question is shown, type the answer to it."""
    import pty  # there is none on Windows

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *words],
        cwd=folder,
        env=dict(env),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_controlling,
    )
    os.close(theirs)
    try:
        text = _conversation(ours, list(answers), time.monotonic() + SECONDS)
    finally:
        os.close(ours)
        if process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
            process.kill()
    return Shown(process.wait(), text)


def _controlling() -> None:
    """Make the terminal on standard input the one that ssh-keygen asks at."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _conversation(ours: int, answers: list[tuple[str, str]], until: float) -> str:
    shown = b""
    at = 0
    while time.monotonic() < until:
        if not select.select([ours], [], [], 1.0)[0]:
            continue
        try:
            more = os.read(ours, 65536)
        except OSError:  # Linux says so where the other end is closed
            break
        if not more:
            break
        shown += more
        while answers and answers[0][0].encode() in shown[at:]:
            question, answer = answers.pop(0)
            at = shown.index(question.encode(), at) + len(question)
            os.write(ours, answer.encode() + b"\n")
    return shown.decode("utf-8", "replace")
