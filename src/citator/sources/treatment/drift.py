"""What became of the files that a commit touched: each holds, was changed or moved, is gone, or
could not be observed.

- A file holds where HEAD has the same content at the same place, or none where the commit left
  none. Whether it still says what was meant is another question, and is not answered here.
- A file that is gone is followed through the commits that moved it, a few times at most.
- Every look is bounded; what was not looked at is not observed, and never called unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from citator.git import trees
from citator.git.records import Repository
from citator.git.runner import Git, checked_id, is_id
from citator.model.treatment import TOO_MANY_FILES, Drift, DriftState

MAX_FILES: Final = 12
MAX_HOPS: Final = 4
EDGE: Final = "edge_of_history"
MISSING: Final = "blob_missing"


def drift_of(repo: Repository, commit: str, tip: str, paths: Sequence[str]) -> list[Drift]:
    """The drift from ``commit`` to ``tip`` of ``paths`` (surrogate-escaped), in their order.

    Raises GitRefusedError.
    """
    looked = paths[:MAX_FILES]
    lying = blobs_at(repo, [(at, path) for at in (commit, tip) for path in looked])
    found = []
    for path in looked:
        before, after = lying[commit, path], lying[tip, path]
        if after == before and (after is not None or _is_seen(repo, path)):
            found.append(Drift(path, DriftState.HOLDS))
        elif after is not None:
            found.append(Drift(path, DriftState.CHANGED, _last(repo, tip, path)))
        else:
            found.append(_followed(repo, tip, path))
    return found + [
        Drift(path, DriftState.NOT_OBSERVED, why=TOO_MANY_FILES) for path in paths[MAX_FILES:]
    ]


def nothing_left(
    repo: Repository, tip: str, touched: Mapping[str, Sequence[str]]
) -> dict[str, bool]:
    """Of each commit whether at ``tip`` each file that it wrote is seen to lie there no more, and
    each that it took away to be there again: of all at once, and without who did it. Of what
    cannot be seen, nothing is said."""
    wanted = {
        commit: [path for path in paths if _is_seen(repo, path)][:MAX_FILES]
        for commit, paths in touched.items()
    }
    asked = [
        (at, path) for commit, paths in wanted.items() for path in paths for at in (commit, tip)
    ]
    lying = blobs_at(repo, list(dict.fromkeys(asked))) if asked else {}
    return {
        commit: bool(paths)
        and all((lying[commit, path] is None) is not (lying[tip, path] is None) for path in paths)
        for commit, paths in wanted.items()
    }


def _is_seen(repo: Repository, path: str) -> bool:
    """Whether nothing lying at a path means that nothing does."""
    return not repo.partial and "\n" not in path


def _followed(repo: Repository, tip: str, path: str) -> Drift:
    """A file that is not where it was: where it went, or who took it."""
    place = path
    for _ in range(MAX_HOPS):
        by = _last(repo, tip, place, "--diff-filter=D")
        if by is None:
            return Drift(path, DriftState.NOT_OBSERVED, why=EDGE)
        moved = _moved(repo, by, place)
        if moved is None and repo.partial:  # it may have moved and changed: that is not seen
            return Drift(path, DriftState.NOT_OBSERVED, why=MISSING)
        if moved is None:
            return Drift(path, DriftState.GONE, by)
        place = moved
        if blobs_at(repo, [(tip, place)])[tip, place] is not None:
            return Drift(path, DriftState.MOVED, by, place)
    return Drift(path, DriftState.NOT_OBSERVED, why=EDGE)


def _last(repo: Repository, tip: str, path: str, *options: str) -> str | None:
    """The latest commit that touched a path."""
    checked_id(repo, tip)
    command = ("log", "-1", "--format=%H", "--no-renames", *options, tip, "--", path)
    found = Git.of(repo).run(*command).decode().strip()
    return found if is_id(repo, found) else None


def _moved(repo: Repository, commit: str, path: str) -> str | None:
    """Where a commit moved a file, None where it did not."""
    like = "-M100%" if repo.partial else "-M"  # what is the same is told by its id
    options = ("-r", "-z", like, "--diff-filter=R", "--name-status", "--no-commit-id", "--root")
    command = ("diff-tree", *options, "--diff-merges=first-parent", checked_id(repo, commit))
    tokens = Git.of(repo).run(*command).decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(tokens[1::3], tokens[2::3], strict=False)
    return next((new for old, new in pairs if old == path), None)


def blobs_at(
    repo: Repository, wanted: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], str | None]:
    """What lies at each (commit, path), by its id; None where nothing does."""
    if repo.partial:  # asked for an object that is not here, git would want to fetch it
        return _in_trees(repo, wanted)
    asked = [one for one in wanted if "\n" not in one[1]]
    feed = "".join(f"{checked_id(repo, commit)}:{path}\n" for commit, path in asked)
    told = Git.of(repo).run(
        "cat-file", "--batch-check=%(objectname)", feed=feed.encode("utf-8", "surrogateescape")
    )
    found: dict[tuple[str, str], str | None] = dict.fromkeys(wanted)
    for one, line in zip(asked, told.decode("utf-8", "replace").splitlines(), strict=False):
        found[one] = line if is_id(repo, line) else None
    return found


def _in_trees(
    repo: Repository, wanted: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], str | None]:
    """The same from the trees alone."""
    found: dict[tuple[str, str], str | None] = dict.fromkeys(wanted)
    for commit in dict.fromkeys(one for one, _ in wanted):
        paths = [path for at, path in wanted if at == commit]
        for one in trees.entries(repo, commit, paths):
            if (commit, one.path) in found:
                found[commit, one.path] = one.object_id
    return found
