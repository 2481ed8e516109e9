"""What changed together: the narrow commits of a tip, against the files of one tree.

- A commit takes part where it has at most one parent (a merge repeats what it brought) and
  touches at most :data:`WIDEST` files (a bulk change ties nothing to anything).
- Files are followed through moves as :mod:`citator.index.code.past` does.
- What is counted is of the changed file's own newest :data:`WINDOW` such commits. How many these
  are is part of the answer.
- A *partner* of a set of files passes all of :class:`Threshold`; what each of them was worth
  stands in ``bench/localize/results/cochange.json``.
- What is kept is read without numpy: loading it takes longer than the answer.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citator.index.array_file import ArrayFile, write_arrays

if TYPE_CHECKING:
    from citator.index.code.past import Past

# The second part is that of :mod:`citator.index.code.past`, whose imports are not for a hook.
VERSION: Final = "c2.h3"
WIDEST: Final = 30
WINDOW: Final = 20
_MONTH: Final = 30 * 86_400
_ARRAYS: Final = ("ids", "times", "commits", "files", "order", "ends")


@dataclass(frozen=True, slots=True)
class Threshold:
    """``times`` at least, in ``share`` of the newest changes of one of the files, spread over
    ``months`` (weeks in which a new part is written tie everything in it to everything), and on
    the average of all files in ``agreement`` of their changes; ``most`` partners, the surest."""

    times: int = 5
    share: float = 0.8
    months: int = 4
    agreement: float = 0.5
    most: int = 3


DEFAULT: Final = Threshold()


@dataclass(frozen=True, eq=False)
class Changes:
    """p changes: ``commits`` (p,), ascending, a higher number for a later commit; ``files`` (p,),
    numbers of files of the tree, ascending within a commit. ``ids`` (k,), ``times`` (k,) Unix
    seconds, of the commits. ``order`` (p,): the changes file by file, ascending; ``ends`` (n,):
    where each file's end there."""

    ids: memoryview
    times: memoryview
    commits: memoryview
    files: memoryview
    order: memoryview
    ends: memoryview

    def of(self, file: int) -> dict[int, list[int]]:
        """The newest commits that touched ``file``, oldest first, and what each touched."""
        begin, end = self.ends[file - 1] if file else 0, self.ends[file]
        touching = [self.commits[at] for at in self.order[max(begin, end - WINDOW) : end]]
        found = {}
        for commit in touching:
            low = bisect_left(self.commits, commit)
            high = bisect_right(self.commits, commit, low)
            found[commit] = self.files[low:high].tolist()
        return found


@dataclass(frozen=True, slots=True)
class Together:
    """``file`` changed in ``together`` of the newest ``of`` changes of ``because``: in
    ``commits`` (their numbers), newest first."""

    file: int
    because: int
    together: int
    of: int
    commits: tuple[int, ...]


def changes_of(past: Past, tip: str, paths: Sequence[str], hidden: Collection[int] = ()) -> Changes:
    """The narrow commits that ``tip`` has, but those whose numbers are ``hidden``."""
    import numpy as np

    from citator.index.code.past import places_of

    reached = past.ancestors([tip])
    if hidden:
        reached &= ~np.isin(past.ids, np.array(sorted(hidden), np.uint64))
    touched = np.diff(past.path_ends, prepend=0)
    narrow = reached & (np.diff(past.parent_ends, prepend=0) <= 1)
    narrow &= (touched > 0) & (touched <= WIDEST)
    kept = np.flatnonzero(narrow)
    number = np.full(len(narrow), -1, np.int64)
    number[kept] = np.arange(len(kept))
    commits = np.repeat(number, touched)
    inside = commits >= 0
    commits, files = commits[inside], places_of(past, reached, paths, past.paths[inside])
    pairs = np.unique(np.stack([commits, files])[:, files >= 0], axis=1).astype(np.int32)
    arrays = (
        *(past.ids[kept].astype(np.uint64), past.times[kept].astype(np.int64)),
        *(pairs[0], pairs[1], np.argsort(pairs[1], kind="stable").astype(np.int32)),
        np.cumsum(np.bincount(pairs[1], minlength=len(paths))).astype(np.int32),
    )
    return Changes(*(np.ascontiguousarray(one).data for one in arrays))


def partners(
    changes: Changes, files: Iterable[int], threshold: Threshold = DEFAULT
) -> list[Together]:
    """What usually changes with ``files`` and is none of them, the surest first."""
    given = sorted(set(files))
    shares: dict[int, float] = defaultdict(float)
    sure: dict[int, list[Together]] = defaultdict(list)
    for because in given:
        for one in _beside(changes, because):
            shares[one.file] += one.together / one.of / len(given)
            if _passes(changes, one, threshold):
                sure[one.file].append(one)
    best = [
        max(ties, key=lambda one: (one.together / one.of, one.together, -one.because))
        for file, ties in sure.items()
        if file not in given and shares[file] >= threshold.agreement
    ]
    best.sort(key=lambda one: (-shares[one.file], -one.together / one.of, one.file))
    return best[: threshold.most]


def _beside(changes: Changes, because: int) -> Iterator[Together]:
    """Every file that changed with one file, with how often."""
    touching = changes.of(because)
    commits: dict[int, list[int]] = defaultdict(list)
    for commit in reversed(touching):
        for file in touching[commit]:
            commits[file].append(commit)
    for file, both in commits.items():
        if file != because:
            yield Together(file, because, len(both), len(touching), tuple(both))


def _passes(changes: Changes, one: Together, threshold: Threshold) -> bool:
    if one.together < max(threshold.times, threshold.share * one.of):
        return False
    months = {int(changes.times[commit]) // _MONTH for commit in one.commits}
    return len(months) >= threshold.months


def save(path: Path, changes: Changes, paths: Sequence[str]) -> None:
    """Keep changes and the files that they number. Raises StorageError."""
    import numpy as np

    arrays = {name: np.asarray(getattr(changes, name)) for name in _ARRAYS}
    named = "\0".join(paths).encode("utf-8", "surrogateescape")
    write_arrays(path, {**arrays, "paths": np.frombuffer(named, np.uint8)}, {})


def load(path: Path) -> tuple[Changes, list[str]]:
    """Open kept changes and their files. Raises OSError, IntegrityError."""
    file = ArrayFile(path)
    named = file.numbers("paths").tobytes().decode("utf-8", "surrogateescape")
    return Changes(**{name: file.numbers(name) for name in _ARRAYS}), named.split("\0")
