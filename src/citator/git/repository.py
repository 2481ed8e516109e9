"""Finds a repository, says where HEAD stands, and what of the history cannot be seen.

- git alone decides what a repository is and whether it may be read (ownership included).
- A question costs one or two short git processes; no answer is remembered.
- The limits told here are those of the clone; what reading meets comes with what was read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from citator.git.configuration import remotes
from citator.git.object_view import object_git
from citator.git.records import Head, Repository
from citator.git.refusals import broken, not_a_repository, refusal, too_old
from citator.git.runner import Git, ended, is_id
from citator.model.errors import CitatorError, UsageError
from citator.model.horizon import HorizonFact, Limit, merge_facts

_FACTS: Final = ("--is-inside-work-tree", "--is-shallow-repository", "--show-object-format")
_PLACES: Final = ("--git-common-dir", "--git-dir")


def discover(start: Path) -> Repository:
    """The repository that holds ``start`` (a file or a folder), looked for upwards.

    The search ends where git's own does, at the edge of the file system. Raises UsageError
    ``no_such_path`` or ``not_a_repository``, and GitRefusedError.
    """
    folder = _folder_of(start)
    git = Git(folder)
    outcome = git.attempt("rev-parse", *_FACTS, "--path-format=absolute", *_PLACES, "--show-cdup")
    if outcome.code != 0:
        raise _why_not(folder, refusal(outcome.complaint))
    inside, shallow, object_format, *places = outcome.output.removesuffix(b"\n").split(b"\n")
    in_worktree = inside == b"true"
    if len(places) != (3 if in_worktree else 2):  # a path of several lines, or a foreign work tree
        places = [_place(git, question) for question in (*_PLACES, "--show-cdup")]
    left_out = remotes(git)
    common_dir, git_dir, up = [os.fsdecode(place) for place in [*places, b""][:3]]
    return Repository(
        common_dir=Path(common_dir),
        git_dir=Path(git_dir),
        worktree=Path(os.path.normpath(Path(folder.resolve(), up))) if in_worktree else None,
        object_format=_object_format(object_format),
        shallow=shallow == b"true",
        partial=left_out.partial,
        filter=left_out.filter,
        narrow=left_out.narrow,
    )


def _folder_of(start: Path) -> Path:
    if start.is_dir():
        folder = start
    elif os.path.lexists(start):
        folder = start.parent
    else:
        raise UsageError("no_such_path", "there is no such path", "check its spelling")
    if not os.access(folder, os.X_OK):
        raise UsageError("no_such_path", "that folder cannot be entered", "check its permissions")
    return folder


def _place(git: Git, question: str) -> bytes:
    """One path of the repository, which may hold newlines."""
    return git.run("rev-parse", "--path-format=absolute", question).removesuffix(b"\n")


def _object_format(said: bytes) -> Literal["sha1", "sha256"]:
    if said == b"sha1":
        return "sha1"
    if said == b"sha256":
        return "sha256"
    raise too_old()


def _why_not(folder: Path, error: CitatorError) -> CitatorError:
    """``error``, or what is behind it: a ``.git`` that git itself does not recognise."""
    if error.code != "not_a_repository":
        return error
    for parent in (folder.resolve(), *folder.resolve().parents):
        remains = parent / ".git"
        if remains.is_dir():
            readable = Git(parent, f"--git-dir={remains}").attempt("rev-parse", "--git-dir")
            return not_a_repository() if readable.code == 0 else broken()
    return error


def head(repo: Repository) -> Head:
    """Where HEAD stands. Raises GitRefusedError where what it names is missing or damaged."""
    git = Git.of(repo)
    outcome = git.attempt("rev-parse", "HEAD^0", "--symbolic-full-name", "HEAD")
    lines = outcome.output.removesuffix(b"\n").split(b"\n")
    if outcome.code == 0 and len(lines) == 2:
        return Head(lines[0].decode(), _branch(lines[1]))
    return _head_the_long_way(git)


def _head_the_long_way(git: Git) -> Head:
    """For an unborn, ambiguous or broken HEAD."""
    symbolic = git.attempt("symbolic-ref", "-q", "HEAD")
    if symbolic.code != 0:
        return Head(git.run("rev-parse", "-q", "--verify", "HEAD^0").decode().strip(), None)
    name = symbolic.output.removesuffix(b"\n")
    found = git.attempt("for-each-ref", "--format=%(objectname)", "--", os.fsdecode(name))
    if found.code != 0 or b"broken ref" in found.complaint:
        raise broken()
    if not found.output:
        return Head(None, _branch(name))
    commit = git.run("rev-parse", "-q", "--verify", found.output.decode().strip() + "^0")
    return Head(commit.decode().strip(), _branch(name))


def _branch(reference: bytes) -> str | None:
    if reference == b"HEAD":
        return None
    return reference.removeprefix(b"refs/heads/").decode("utf-8", "surrogateescape")


def root_ids(repo: Repository) -> tuple[str, ...]:
    """The ids of HEAD's commits that have no parents here, sorted: () where unborn.

    Walks the whole history. In a shallow clone these are the commits at its edge.
    """
    commit = head(repo).commit
    if commit is None:
        return ()
    with Git.of(repo).start("rev-list", "--max-parents=0", commit, "--") as child:
        roots = child.stdout.read().decode().split()
        ended(child)
    return tuple(sorted(roots))


def has_commit(repo: Repository, object_id: str) -> bool:
    """Whether the commit ``object_id`` (all its digits) is here. Never fetches."""
    if not is_id(repo, object_id):
        return False
    with object_git(repo) as git:
        return git.attempt("cat-file", "-t", object_id).output == b"commit\n"


def commits_here(repo: Repository, object_ids: Sequence[str]) -> list[str]:
    """Those of ``object_ids`` (all their digits) that are commits and are here, in their order.
    One git process; never fetches."""
    asked = [one for one in object_ids if is_id(repo, one)]
    if not asked:
        return []
    form = "--batch-check=%(objecttype) %(objectname)"
    with object_git(repo) as git:
        told = git.run("cat-file", form, feed="".join(f"{one}\n" for one in asked).encode())
    here = set(told.decode("ascii", "replace").splitlines())
    return [one for one in asked if f"commit {one}" in here]


def edge(repo: Repository) -> frozenset[str]:
    """The commits whose parents a shallow clone does not have: what they seem to bring may be
    older."""
    if not repo.shallow:
        return frozenset()
    try:
        cut = (repo.common_dir / "shallow").read_bytes()
    except OSError:
        return frozenset()
    return frozenset(one for one in cut.decode("ascii", "replace").split() if is_id(repo, one))


def limits(repo: Repository, here: Head | None = None) -> tuple[HorizonFact, ...]:
    """What of the history this clone cannot show, sorted. One git process.

    ``here`` is where HEAD stands; where the caller does not know, one more.
    """
    git = Git.of(repo)
    here = here or head(repo)
    replaced = git.run("for-each-ref", "--format=x", "--", "refs/replace/").count(b"\n")
    grafted = _grafts(repo.common_dir / "info" / "grafts")
    facts = [
        (repo.shallow, HorizonFact(Limit.SHALLOW)),
        (repo.narrow, HorizonFact(Limit.SINGLE_BRANCH)),
        (repo.partial, HorizonFact(Limit.PARTIAL_CLONE, detail=repo.filter)),
        (replaced > 0, HorizonFact(Limit.REPLACED_OBJECTS, replaced)),
        (grafted > 0, HorizonFact(Limit.GRAFTED, grafted)),
        (here.commit is None, HorizonFact(Limit.UNBORN_HEAD)),
        (here.branch is None, HorizonFact(Limit.DETACHED_HEAD)),
    ]
    return merge_facts(fact for holds, fact in facts if holds)


def _grafts(file: Path) -> int:
    """How many commits a grafts file gives other parents."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return 0
        with file.open("rb") as lines:
            return sum(1 for line in lines if line.strip() and not line.startswith(b"#"))
    except OSError:
        return 0
