"""What a person calls a commit: a branch, a tag, a part of an id, such as git itself takes them."""

from __future__ import annotations

from collections.abc import Sequence

from citator.git.records import Repository
from citator.git.refusals import unknown_commit
from citator.git.runner import Git, is_id

MAX_NAME = 256


def commit_named(repo: Repository, name: str) -> str:
    """The id of the commit that ``name`` is. Raises NotFoundError ``unknown_commit``."""
    if not name or len(name) > MAX_NAME or name.startswith("-") or not name.isprintable():
        raise unknown_commit()
    options = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    found = Git.of(repo).attempt(*options)
    commit = found.output.decode("ascii", "replace").strip()
    if found.code != 0 or not is_id(repo, commit):  # `^HEAD` is a name to git, and no commit
        raise unknown_commit()
    return commit


def main_branch(repo: Repository) -> str | None:
    """The branch that others start from: what the remote calls so, else ``main`` or ``master``."""
    git = Git.of(repo)
    said = git.attempt("symbolic-ref", "-q", "--short", "refs/remotes/origin/HEAD")
    if said.code == 0:
        name = said.output.decode("utf-8", "surrogateescape").strip().removeprefix("origin/")
        return name or None
    listed = git.run("for-each-ref", "--format=%(refname)", "refs/heads/main", "refs/heads/master")
    first = listed.decode().split()[:1]
    return first[0].removeprefix("refs/heads/") if first else None


def branches_named(repo: Repository, name: str) -> list[str]:
    """The commits at the branch of this name: here, and as each remote last had it."""
    listed = Git.of(repo).run("for-each-ref", "--format=%(refname) %(objectname)", "refs/")
    found = []
    for line in listed.decode("utf-8", "surrogateescape").splitlines():
        ref, _, commit = line.rpartition(" ")
        remote = ref.removeprefix("refs/remotes/").partition("/")[2]
        here = ref.removeprefix("refs/heads/") == name and ref.startswith("refs/heads/")
        if here or (ref.startswith("refs/remotes/") and remote == name):
            found.append(commit)
    return found


def tip_of(repo: Repository, names: Sequence[str]) -> str | None:
    """The commit at the first of these branches that there is: as a remote last had it, else here.

    One git process.
    """
    patterns = [f"refs/{where}/{name}" for name in names for where in ("remotes/*", "heads")]
    listed = Git.of(repo).run("for-each-ref", "--format=%(objectname) %(refname)", "--", *patterns)
    found: dict[str, str] = {}
    for line in listed.decode("utf-8", "surrogateescape").splitlines():
        commit, _, ref = line.partition(" ")
        found.setdefault(ref, commit)
    for name in names:
        for ref, commit in found.items():
            if ref.startswith("refs/remotes/") and ref.split("/", 3)[-1] == name:
                return commit
        if f"refs/heads/{name}" in found:
            return found[f"refs/heads/{name}"]
    return None
