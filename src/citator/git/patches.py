"""What single commits changed, as unified diffs without context, against their parent.

- One git process for the whole list; no program, text conversion or filter of the repository runs.
- Renames are followed where git finds them. A patch is read up to ``MAX_BYTES`` and then dropped.
- git ends at an object that is missing. After ``PATIENCE`` such ends (a clone without blobs has
  thousands) the rest is given up.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Final

from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import checked_id
from citator.model import stop

MAX_BYTES: Final = 4 << 20
PATIENCE: Final = 32
_COMMAND: Final = (
    *("diff-tree", "--stdin", "-r", "-p", "-U0", "-M", "-l400", "--root", "--always"),
    *("--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--diff-merges=off"),
)


def patches(repo: Repository, commits: Sequence[str]) -> Generator[tuple[str, bytes | None]]:
    """Each of ``commits`` (no merges) with its patch, in their order; None where it is longer
    than ``MAX_BYTES`` or cannot be read."""
    at = 0
    for _ in range(PATIENCE):
        if at < len(commits):
            at = yield from _by_git(repo, commits, at)
    yield from ((one, None) for one in commits[at:])


def _by_git(
    repo: Repository, commits: Sequence[str], at: int
) -> Generator[tuple[str, bytes | None], None, int]:
    """Patches from ``at`` on, up to one at which git ends; where to go on."""
    feed = "".join(f"{checked_id(repo, one)}\n" for one in commits[at:]).encode()
    with object_git(repo) as git, git.start(*_COMMAND, feed=feed) as child:
        kept: list[bytes] | None = None
        size = 0
        expected = commits[at].encode() + b"\n"
        for line in child.stdout:
            if line == expected:
                if kept is not None:
                    yield commits[at], b"".join(kept) if size <= MAX_BYTES else None
                    at += 1
                kept, size = [], 0
                following = at + 1
                expected = commits[following].encode() + b"\n" if following < len(commits) else b""
            elif kept is not None and size <= MAX_BYTES:
                size += len(line)
                kept.append(line)
        code = child.finish()
        stop.checkpoint()
    whole = kept is not None and size <= MAX_BYTES and code == 0
    yield commits[at], b"".join(kept or ()) if whole else None
    return at + 1
