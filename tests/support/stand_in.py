"""Something that stands in the place of git, for what the real one does not do on request."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def git_that(folder: Path, script: str) -> Path:
    """A folder for PATH whose git runs ``script``."""
    folder.mkdir(exist_ok=True)
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return folder


posix_only = pytest.mark.skipif(os.name == "nt", reason="stands in for git with a shell script")
