"""Which files an intended change touches: what is staged, or what the work tree holds, against a
commit. No filter, hook or monitor of the repository runs, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from citator.git import trees, uncommitted
from citator.git.records import Repository
from citator.git.runner import Git, checked_id

MAX_PRINTED: Final = 4 << 20
_FILES: Final = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class Touched:
    """A file by its path, and the blobs it was and would be; None where it is not there.

    ``stored`` says that git has the new content; where not, it stands in the work tree alone.
    """

    path: str
    old_id: str | None
    new_id: str | None
    stored: bool = True


def staged(repo: Repository, base: str) -> list[Touched]:
    """The files that the index holds otherwise than the commit ``base``, by path."""
    command = ("diff-index", "--cached", "-z", "--raw", "--no-abbrev", "--no-renames")
    said = Git.of(repo).run(*command, "--ignore-submodules=all", checked_id(repo, base), "--")
    parts = said.decode("utf-8", "surrogateescape").split("\0")
    found = []
    for facts, path in zip(parts[::2], parts[1::2], strict=False):
        old_mode, new_mode, old_id, new_id, _ = facts.removeprefix(":").split(" ")
        before, after = old_mode in _FILES, new_mode in _FILES
        if before or after:
            found.append(Touched(path, old_id if before else None, new_id if after else None))
    return found


def in_worktree(repo: Repository, base: str) -> list[Touched]:
    """The files of the work tree that are otherwise than in the commit ``base``, by path."""
    found = {one.path: one for one in staged(repo, base)}
    loose, gone = uncommitted.differing(repo)
    asked = [one for one in (*(each.path for each in loose), *gone) if one not in found]
    before = _files(repo, base, asked)

    def was(path: str) -> str | None:
        return found[path].old_id if path in found else before.get(path)

    now = [Touched(one.path, was(one.path), one.object_id, False) for one in loose]
    now += [Touched(path, was(path), None) for path in gone]
    found |= {one.path: one for one in now}
    return sorted(
        (one for one in found.values() if one.old_id != one.new_id or _is_large(one)),
        key=lambda one: one.path,
    )


def _is_large(one: Touched) -> bool:
    """Whether a new file of the work tree is too large to be hashed."""
    return one.old_id is None and not one.stored


def between(repo: Repository, base: str, tip: str) -> list[Touched]:
    """The files that the commit ``tip`` holds otherwise than the commit ``base``, by path."""
    found = []
    for old, new in trees.changed(repo, base, tip):
        before = old.object_id if old is not None and old.mode in _FILES else None
        after = new.object_id if new is not None and new.mode in _FILES else None
        one = new or old
        if one is not None and (before or after):
            found.append(Touched(one.path, before, after))
    return found


def _files(repo: Repository, commit: str, paths: Sequence[str]) -> Mapping[str, str]:
    """The blobs that a commit has at these paths: asked for by name where they are few."""
    if not paths:
        return {}
    few = len(paths) <= 500 and sum(map(len, paths)) < 60_000
    held = frozenset(paths)
    return {
        one.path: one.object_id
        for one in trees.entries(repo, commit, paths if few else ())
        if one.mode in _FILES and one.path in held
    }


def merge_base(repo: Repository, one: str, other: str) -> str | None:
    """The newest commit that both have, None where there is none."""
    git = Git.of(repo)
    said = git.attempt("merge-base", checked_id(repo, one), checked_id(repo, other))
    return said.output.decode().split()[0] if said.code == 0 and said.output else None


def lines_holding(
    repo: Repository, commit: str, texts: Sequence[str], hidden: Callable[[str], bool]
) -> dict[str, list[tuple[str, str]]]:
    """For each of ``texts`` (single lines) the lines of ``commit`` that hold it, with their paths.

    Looked for in all of it but what is ``hidden``, with one process; of what that prints, at most
    ``MAX_PRINTED`` bytes are read. White space in the lines is in normal form.
    """
    wanted = tuple(dict.fromkeys(one for one in texts if one and "\n" not in one))
    found: dict[str, list[tuple[str, str]]] = {one: [] for one in wanted}
    if not wanted:
        return found
    marks = [part for one in wanted for part in ("-e", one)]
    options = ("grep", "--null", "-I", "-F", *marks, checked_id(repo, commit), "--")
    with Git.of(repo).start(*options) as child:
        said = child.stdout.read(MAX_PRINTED).decode("utf-8", "surrogateescape")
    for line in said.split("\n"):
        place, _, raw = line.partition("\0")
        path, text = place.partition(":")[2], " ".join(raw.split())
        for one in wanted:
            if one in text and not hidden(path):
                found[one].append((path, text))
    return found
