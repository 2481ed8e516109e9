"""The newest commits of HEAD and what each touched, and how far a branch is from its upstream."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from citator.git.records import Repository
from citator.git.runner import Git, checked_id
from citator.git.touched import touched

_AT_ONCE: Final = 16
_TRACK: Final = re.compile(r"(ahead|behind) (\d+)")


@dataclass(frozen=True, slots=True)
class Recent:
    """A commit that is no merge: when it was committed (Unix seconds), what it touched (None: that
    cannot be told)."""

    object_id: str
    at: int
    paths: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a branch is from its upstream. ``gone``: the upstream is configured and not there."""

    ahead: int = 0
    behind: int = 0
    gone: bool = False


def recent(repo: Repository, tip: str) -> Generator[Recent]:
    """The commits of ``tip`` without merges, newest first, read some at a time."""
    skipped = 0
    options = ("--no-merges", "--timestamp", "--parents", f"--max-count={_AT_ONCE}")
    while True:
        command = ("rev-list", *options, f"--skip={skipped}", checked_id(repo, tip), "--")
        lines = Git.of(repo).run(*command).splitlines()
        listing = b"".join(line.partition(b" ")[2] + b"\n" for line in lines)
        with closing(touched(repo, listing)) as all_paths:
            for line, paths in zip(lines, all_paths, strict=True):
                time, object_id, *parents = line.decode("ascii").split()
                at_edge = repo.shallow and not parents
                yield Recent(object_id, int(time), None if at_edge else paths)
        if len(lines) < _AT_ONCE:
            return
        skipped += _AT_ONCE


def distance(repo: Repository, branch: str) -> Distance | None:
    """How far ``branch`` is from its upstream; None where it has none."""
    form = "--format=%(refname)%00%(upstream)%00%(upstream:track,nobracket)"
    said = Git.of(repo).attempt("for-each-ref", form, "--", f"refs/heads/{branch}")
    for line in said.output.decode("utf-8", "surrogateescape").split("\n"):
        name, _, rest = line.partition("\0")
        upstream, _, track = rest.partition("\0")
        if name == f"refs/heads/{branch}" and upstream:
            counts = {word: int(number) for word, number in _TRACK.findall(track)}
            return Distance(counts.get("ahead", 0), counts.get("behind", 0), track == "gone")
    return None
