"""One folder through a whole history: which commit has which tree there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from citator.git.object_view import object_git
from citator.git.records import Repository
from citator.git.runner import Git, checked_id, ended

_TREES: Final = "--batch-check=%(objectname) %(objecttype)"
_AT_ONCE: Final = 4096


def folder_trees(
    repo: Repository, tip: str, folder: str, excluding: Sequence[str] = ()
) -> Iterator[tuple[str, str | None]]:
    """Each commit that ``tip`` has and none of ``excluding`` has, parents first, and the id of
    its tree at ``folder`` (a literal path of plain characters); None where it has none.

    Raises GitRefusedError.
    """
    for one in (tip, *excluding):
        checked_id(repo, one)
    order = ("--topo-order", "--reverse", tip, *(f"^{one}" for one in excluding), "--")
    with Git.of(repo).start("rev-list", *order) as child:
        commits = (line.decode().rstrip() for line in child.stdout)
        while batch := list(islice(commits, _AT_ONCE)):
            yield from zip(batch, _trees(repo, batch, folder), strict=True)
        ended(child)


def _trees(repo: Repository, commits: Sequence[str], folder: str) -> Iterator[str | None]:
    feed = "".join(f"{commit}:{folder}\n" for commit in commits).encode()
    with object_git(repo) as git, git.start("cat-file", _TREES, feed=feed) as child:
        for line in child.stdout:
            name, _, kind = line.decode("utf-8", "replace").rstrip().rpartition(" ")
            yield name if kind == "tree" else None
        ended(child)


def folder_id(repo: Repository, commit: str, folder: str) -> str | None:
    """The id of the tree of ``commit`` at ``folder`` (plain characters), None where it has none."""
    checked_id(repo, commit)
    return next(_trees(repo, [commit], folder))


def is_ancestor(repo: Repository, older: str, newer: str) -> bool:
    """Whether ``newer`` has ``older`` in its history. A commit is its own ancestor."""
    checked_id(repo, older)
    checked_id(repo, newer)
    return Git.of(repo).attempt("merge-base", "--is-ancestor", older, newer).code == 0
