"""Lines a person may copy into a shell.

A reference is hexadecimal and needs no quoting. A path or a question is quoted for the shell;
one that holds control or direction-changing characters is not offered at all, because what a
person would see is not what the shell would get.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from citator.model.inert import inert_line
from citator.model.reference import Ref

SHORT = 12


def short_ref(ref: Ref) -> str:
    """Enough digits of a reference to name it in one repository."""
    return ref.rpartition(":")[2][:SHORT]


def command_line(*words: str) -> str | None:
    """``words`` as one line for the shell, None where the line would not be what it looks like."""
    if any(not word.isprintable() or inert_line(word) != word for word in words):
        return None
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def read_line(ref: Ref, root: Path) -> str:
    """The command that reads ``ref``."""
    words = ["citator", "read", short_ref(ref)]
    return command_line(*words, *root_words(root)) or " ".join([*words, "--root", "..."])


def root_words(root: Path) -> list[str]:
    """The ``--root`` a following command needs; none where the caller stands in it."""
    return [] if root == Path() else ["--root", str(root)]
