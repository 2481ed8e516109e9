"""A public repository's history for building question sets, read from a local clone.

- Nothing is fetched: a clone (bare or not) is found under a directory that the caller names.
- History is read at a pinned commit, so that a set is the same wherever it is built.
- Renames are not asked for: some public clones lack their largest files.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from citator.git.records import RawCommit
from citator.model.document import Person

# A fork that carries the same history where the upstream clone is too large to hold.
FORKS: Mapping[str, str] = {
    "django/django": "adamchainz/django",
    "matplotlib/matplotlib": "anntzer/matplotlib",
    "scikit-learn/scikit-learn": "thomasjpfan/scikit-learn",
}

_MAIN_BRANCHES = ("main", "master", "develop", "dev", "trunk")
_FIELDS = "%H%x01%T%x01%P%x01%an%x01%ae%x01%at%x01%cn%x01%ce%x01%ct%x01%B"


@dataclass(frozen=True, slots=True)
class Mirror:
    """A clone on disk, read at one commit. ``name`` is ``owner/name`` as the sets use it."""

    name: str
    git_dir: Path
    tip: str

    def git(self, *arguments: str, text_in: str | None = None) -> str:
        """What git prints, undecodable bytes surrogate-escaped; a failure raises."""
        return git(self.git_dir, *arguments, text_in=text_in)


def git(git_dir: Path, *arguments: str, text_in: str | None = None) -> str:
    """Run git on ``git_dir`` without renames, lazy fetches or a pager."""
    done = subprocess.run(
        ["git", f"--git-dir={git_dir}", "--no-pager", *arguments],
        input=None if text_in is None else text_in.encode("utf-8", "surrogateescape"),
        capture_output=True,
        check=True,
        env={**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C"},
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def find_clone(directory: Path, repository: str) -> Path | None:
    """The git directory of ``owner/name`` under ``directory``, or of the fork that stands in.

    Looked for as ``owner+name/repo``, ``owner/name`` and ``name``, bare or with a work tree.
    """
    for name in dict.fromkeys((repository, FORKS.get(repository, repository))):
        owner, short = name.split("/")
        for place in (f"{owner}+{short}/repo", f"{owner}/{short}", f"{owner}__{short}", short):
            for git_dir in (directory / place / ".git", directory / place):
                if (git_dir / "HEAD").is_file() and (git_dir / "objects").is_dir():
                    return git_dir
    return None


def open_mirror(directory: Path, repository: str, pins: Mapping[str, str]) -> Mirror | None:
    """The clone of ``repository`` at its pinned commit; unpinned, at its newest main branch."""
    git_dir = find_clone(directory, repository)
    if git_dir is None:
        return None
    tip = pins.get(repository) or newest_main(git_dir)
    return None if tip is None else Mirror(repository, git_dir, tip)


def newest_main(git_dir: Path) -> str | None:
    """The tip of the main branch with the newest commit (a fork's HEAD may be an old one)."""
    form = "--format=%(committerdate:unix) %(objectname) %(refname)"
    rows = [line.split() for line in git(git_dir, "for-each-ref", form, "refs/heads").splitlines()]
    rows += [
        line.split() for line in git(git_dir, "for-each-ref", form, "refs/remotes").splitlines()
    ]
    main = [row for row in rows if len(row) == 3 and row[2].rsplit("/", 1)[-1] in _MAIN_BRANCHES]
    return max(main)[1] if main else None


def pinned(git_dir: Path, commit: str, into: Path) -> Path:
    """A bare repository at ``into`` whose HEAD is ``commit``, on the objects of ``git_dir``.

    The clone itself is left alone: indexes read HEAD, and a shared clone must not move.
    """
    into.mkdir(parents=True, exist_ok=True)
    git(into, "init", "--quiet", "--bare", str(into))
    borrowed = into / "objects" / "info" / "alternates"
    borrowed.write_text(f"{(git_dir / 'objects').resolve().as_posix()}\n", "utf-8")
    (into / "HEAD").write_text(f"{commit}\n", "utf-8")
    return into


def read_pins(path: Path) -> dict[str, str]:
    """``{"owner/name": commit}``; empty where the file is not there yet."""
    if not path.is_file():
        return {}
    pins: dict[str, str] = json.loads(path.read_text("utf-8"))
    return pins


class History:
    """All commits that the mirror's tip reaches, read once and kept in memory."""

    def __init__(self, mirror: Mirror) -> None:
        self.mirror = mirror

    @cached_property
    def commits(self) -> dict[str, RawCommit]:
        """Commits by id, newest first as git lists them; their ``paths`` are not read."""
        text = self.mirror.git("log", "-z", f"--format=tformat:{_FIELDS}", self.mirror.tip)
        return {raw.object_id: raw for raw in map(_raw, filter(None, text.split("\0")))}

    @cached_property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """Touched paths of every commit that has one parent."""
        form = "--format=tformat:%x01%H"
        arguments = ("log", "-z", "--no-merges", "--no-renames", "--name-only", form)
        text = self.mirror.git(*arguments, self.mirror.tip)
        found: dict[str, tuple[str, ...]] = {}
        for part in text.split("\x01")[1:]:
            oid, _, names = part.partition("\0")
            found[oid] = tuple(name.lstrip("\n") for name in names.split("\0") if name.strip("\n"))
        return found

    def paths_of(self, oid: str) -> tuple[str, ...]:
        """The paths one commit touched against its first parent."""
        arguments = ("diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames")
        text = self.mirror.git(*arguments, "--name-only", oid)
        return tuple(filter(None, text.split("\0")))

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether ``newer`` has ``older`` in its history (or is it)."""
        return not self.mirror.git("rev-list", "-1", older, f"^{newer}").strip()

    def changed_lines(self, oid: str, paths: Sequence[str]) -> dict[str, list[str]]:
        """Removed and added lines of one commit in ``paths``, by path: see ``lines_of_patch``."""
        arguments = ("diff-tree", "-p", "-U0", "--root", "--no-commit-id", "--no-renames")
        return lines_of_patch(self.mirror.git(*arguments, oid, "--", *paths))


def lines_of_patch(patch: str) -> dict[str, list[str]]:
    """The lines a unified diff removes and adds, with their sign, by path, in order.

    Context, positions and object ids are left out: the same change made on another base is
    the same change.
    """
    found: dict[str, list[str]] = {}
    here: list[str] = []
    in_hunk = False
    for line in patch.split("\n"):
        if line.startswith("diff --git "):
            in_hunk = False
            here = found.setdefault(line.rsplit(" b/", 1)[-1], [])
        elif line.startswith("@@"):
            in_hunk = True
        elif in_hunk and line[:1] in ("+", "-"):
            here.append(line.rstrip("\r"))
    return found


def _raw(record: str) -> RawCommit:
    oid, tree, parents, author, email, at, committer, c_email, c_at, message = record.split(
        "\x01", 9
    )
    return RawCommit(
        oid,
        tree,
        tuple(parents.split()),
        Person(author, email),
        int(at) if at.lstrip("-").isdigit() else None,
        Person(committer, c_email),
        int(c_at) if c_at.lstrip("-").isdigit() else None,
        message,
        False,
        None,
    )


def subject_of(raw: RawCommit) -> str:
    """The first line of the message."""
    return raw.message.lstrip("\n").split("\n", 1)[0].strip()
