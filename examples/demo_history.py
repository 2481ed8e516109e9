"""Builds the demo's history: a small job queue and the reasons that shaped it.

Every run gives the same commits with the same ids. The people are invented. The last commit is
hostile on request: its file name, its author and its prose try to steer whoever reads it.

    python -m examples.demo_history DIRECTORY [--hostile]
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from inspect import cleandoc
from pathlib import Path

from examples.demo_commits import HISTORY, HOSTILE

FIRST_DAY = 1_699_264_800  # 2023-11-06T10:00:00Z
STEP = 5 * 86_400 + 4_321


@dataclass(frozen=True, slots=True)
class Step:
    """One commit. ``files`` maps paths to contents; None removes a file.

    ``{N}`` in the message stands for the full id of commit N (from 1).
    """

    author: str
    message: str
    files: dict[str, str | None] = field(default_factory=dict)


def steps(hostile: bool) -> list[Step]:
    """The history, oldest first."""
    written = [*HISTORY, HOSTILE] if hostile else HISTORY
    return [Step(author, cleandoc(text) + "\n", dict(files)) for author, text, files in written]


def build(directory: Path, *, hostile: bool) -> Path:
    """Make the repository in ``directory`` (which must not exist) and return it."""
    directory.mkdir(parents=True)
    _git(directory, "init", "--quiet", "--template=", "--initial-branch=main")
    made: list[str] = []
    for number, step in enumerate(steps(hostile)):
        message = step.message
        for index, commit in enumerate(made, 1):
            message = message.replace(f"{{{index}}}", commit)
        _git(directory, "fast-import", "--quiet", feed=_stream(step, message, number))
        made.append(_git(directory, "rev-parse", "main").decode().strip())
    _git(directory, "reset", "--quiet", "--hard", "main")
    return directory


def _stream(step: Step, message: str, number: int) -> bytes:
    when = f"{FIRST_DAY + number * STEP} +0000"
    body = message.encode()
    lines = [
        b"commit refs/heads/main",
        f"author {step.author} {when}".encode(),
        f"committer {step.author} {when}".encode(),
        b"data %d" % len(body),
        body,
    ]
    if number:
        lines.append(b"from refs/heads/main^0")
    for path, content in step.files.items():
        name = b'"%s"' % path.encode()
        if content is None:
            lines.append(b"D " + name)
        else:
            data = content.encode()
            lines += [b"M 100644 inline " + name, b"data %d" % len(data), data]
    return b"\n".join(lines) + b"\n"


def _git(directory: Path, *arguments: str, feed: bytes = b"") -> bytes:
    """git without the configuration of this machine, so that the ids are the same everywhere."""
    bare = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return subprocess.run(
        ["git", *arguments],
        cwd=directory,
        input=feed,
        env=inherited | bare,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout


if __name__ == "__main__":
    made = build(Path(sys.argv[1]), hostile="--hostile" in sys.argv[2:])
    sys.stdout.write(f"{made}\n")
