"""A build that ends itself, as if by SIGKILL, at a chosen step. Run as a module, in a process.

    python -m tests.support.killed_build INDEX_DIRECTORY STEP

A step is one touch of the file system from Python, or one document read. Without being killed
(``STEP`` too large) it prints how many steps there were.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from citator.index.history import TantivyHistory
from citator.model.document import Document
from tests.support.corpus import VERSIONS, batch, commit, key_of

_TOUCHES = frozenset(
    {"open", "os.link", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.listdir",
     "os.scandir", "os.truncate", "shutil.rmtree", "shutil.copyfile"}
)  # fmt: skip


def before() -> list[Document]:
    """What the index holds before the build."""
    return [commit(n, f"Keep {n}", f"stale row {n}") for n in range(40)]


def after() -> list[Document]:
    """What the build adds."""
    return [commit(n, f"Drop {n}", f"fresh row {n}", "second") for n in range(40, 60)]


def build(directory: Path) -> None:
    """The build that is killed."""
    TantivyHistory(directory, VERSIONS).build(
        batch("new", _documents(), base="old", added=after(), removed=before()[:3])
    )


def _documents() -> Iterator[Document]:
    for document in after():
        sys.audit("open", "document", "", 0)
        yield document


def main(directory: Path, step: int) -> None:
    """Build, and die at ``step``."""
    assert key_of(after()[0]) not in map(key_of, before())
    steps = 0

    def count(event: str, _: object) -> None:
        nonlocal steps
        if event in _TOUCHES:
            steps += 1
            if steps == step:
                os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

    sys.addaudithook(count)
    build(directory)
    print(steps)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
