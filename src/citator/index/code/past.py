"""What earlier commits said and touched, ready to be compared with an issue.

- A segment holds commits in an order in which parents come first; segments are only added.
- A path is the CRC-32 of its bytes paired with its length: 40 bits, enough to find it again
  among the files of a tree. A commit is the first eight bytes of its id.
- A merge touches what it brought, if that is not much: its message may say what for.
- Two paths of one commit that end alike may be one file that was moved: a path that is no file
  of the tree stands for the one it was moved to.
- What an earlier place may see is decided by ancestry: only ancestors of the tip take part.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from citator.git.records import RawCommit
from citator.index.code.snapshot import Postings, postings
from citator.index.code.words import Words
from citator.model.record import is_of_record

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

VERSION = "h3"
_MESSAGE = 1500
_SUBJECT_WEIGHT = 2
_MOST_PATHS = 400
_MOST_MERGED = 60
_MOST_MOVED = 4_000
_FIX = re.compile(r"\b(?:fix(?:e[sd])?|bug|close[sd]?|resolve[sd]?|regression|crash|error)\b", re.I)
_TRAILER = re.compile(r"^[A-Za-z-]+-by: .*$|^git-svn-id:.*$", re.M)
_ARRAYS = (
    ("ids", "<u8"),
    ("times", "<i8"),
    ("fixes", "|u1"),
    ("parent_ends", "<i4"),
    ("parents", "<u8"),
    ("term_ends", "<i4"),
    ("terms", "<u4"),
    ("counts", "|u1"),
    ("path_ends", "<i4"),
    ("paths", "<u8"),
    ("move_ends", "<i4"),
    ("moves", "<u8"),
)


@dataclass(frozen=True, eq=False)
class Past:
    """c commits, parents first.

    ``ids`` (c,) · ``times`` (c,) Unix seconds, 0 where unknown · ``fixes`` (c,) whether the
    message says that it mends something · ``parents`` by ``parent_ends`` · ``terms`` with
    ``counts`` by ``term_ends`` · ``paths`` (numbers) by ``path_ends`` · ``moves`` by
    ``move_ends``: pairs of paths, one after the other, of which one may be the other's new place.
    """

    ids: Array
    times: Array
    fixes: Array
    parent_ends: Array
    parents: Array
    term_ends: Array
    terms: Array
    counts: Array
    path_ends: Array
    paths: Array
    move_ends: Array
    moves: Array

    def ancestors(self, tips: Iterable[str]) -> Array:
        """(c,) whether each commit is one of ``tips`` (full ids) or an ancestor of one."""
        import numpy as np

        place = dict(zip(self.ids[::-1].tolist(), range(len(self.ids) - 1, -1, -1), strict=True))
        seen = bytearray(len(self.ids))
        for tip in tips:
            if (index := place.get(commit_number(tip))) is not None:
                seen[index] = 1
        ends = self.parent_ends.tolist()
        parents = [place.get(number, -1) for number in self.parents.tolist()]
        for index in range(len(seen) - 1, -1, -1):
            if seen[index]:
                for parent in parents[ends[index - 1] if index else 0 : ends[index]]:
                    if parent >= 0:
                        seen[parent] = 1
        return np.frombuffer(bytes(seen), np.uint8).astype(bool)


def commit_number(object_id: str) -> int:
    """The number of a commit."""
    return int(object_id[:16], 16)


def path_number(path: str) -> int:
    """The number of a path (surrogate-escaped)."""
    raw = path.encode("utf-8", "surrogateescape")
    return (len(raw) & 0xFF) << 32 | zlib.crc32(raw)


def segment_of(commits: Iterable[RawCommit], words: Words) -> Past:
    """A segment of ``commits``, in their order."""
    import numpy as np

    columns: dict[str, list[int]] = {name: [] for name, _ in _ARRAYS}
    for commit in commits:
        subject, _, body = commit.message[:_MESSAGE].partition("\n")
        terms = Counter(words.numbers(_TRAILER.sub("", body)))
        for number in words.numbers(subject):
            terms[number] += _SUBJECT_WEIGHT
        paths = [one for one in commit.paths or () if not is_of_record(one)]
        most = _MOST_MERGED if len(commit.parents) > 1 else _MOST_PATHS
        columns["ids"].append(commit_number(commit.object_id))
        columns["times"].append(commit.committed_at or 0)
        columns["fixes"].append(bool(_FIX.search(commit.message[:_MESSAGE])))
        columns["parents"] += [commit_number(parent) for parent in commit.parents]
        columns["terms"] += terms
        columns["counts"] += [min(count, 255) for count in terms.values()]
        if len(paths) <= most:
            columns["paths"] += [path_number(path) for path in paths]
        if 1 < len(paths) <= _MOST_MOVED and len(commit.parents) == 1:
            columns["moves"] += [path_number(path) for path in _moved(paths)]
        for name in ("parent", "term", "path", "move"):
            columns[f"{name}_ends"].append(len(columns[f"{name}s"]))
    return Past(**{name: np.array(columns[name], dtype) for name, dtype in _ARRAYS})


def _moved(paths: Sequence[str]) -> list[str]:
    """Pairs of paths that end in the same parts and are the only two that do."""
    pairs: list[str] = []
    left = list(paths)
    for parts in (3, 2, 1):
        groups: dict[tuple[str, ...], list[str]] = {}
        for path in left:
            pieces = path.split("/")
            if len(pieces) >= parts:
                groups.setdefault(tuple(pieces[-parts:]), []).append(path)
        found = [path for group in groups.values() if len(group) == 2 for path in group]
        pairs += found
        left = [path for path in left if path not in set(found)] if found else left
    return pairs


def pack(past: Past) -> bytes:
    """The compact form of a segment."""
    arrays = [getattr(past, name) for name, _ in _ARRAYS]
    sizes = b"".join(len(array).to_bytes(4, "little") for array in arrays)
    return zlib.compress(sizes + b"".join(array.tobytes() for array in arrays), 3)


def joined(segments: Sequence[bytes], before: Past | None = None) -> Past:
    """One past of compact segments, after ``before``. Raises ValueError where one is damaged."""
    import numpy as np

    parts: dict[str, list[Array]] = {
        name: [np.empty(0, dtype) if before is None else getattr(before, name)]
        for name, dtype in _ARRAYS
    }
    totals = {name: int(one[0][-1]) for name, one in parts.items() if len(one[0]) and _is_end(name)}
    for packed in segments:
        try:
            raw = zlib.decompress(packed)
        except zlib.error as error:
            raise ValueError("not a segment") from error
        at = 4 * len(_ARRAYS)
        for index, (name, dtype) in enumerate(_ARRAYS):
            size = int.from_bytes(raw[4 * index : 4 * index + 4], "little")
            array = np.frombuffer(raw, dtype, size, at)
            at += array.nbytes
            if _is_end(name):
                array = array + totals.get(name, 0)
                totals[name] = int(array[-1]) if len(array) else totals.get(name, 0)
            parts[name].append(array)
    return Past(**{name: np.concatenate(arrays) for name, arrays in parts.items()})


def _is_end(name: str) -> bool:
    return name.endswith("_ends")


@dataclass(frozen=True, eq=False)
class PastView:
    """What one tip has of the past, against the files of one tree.

    ``messages``: postings over the k commits that take part; ``lengths`` (k,); ``times``,
    ``fixes``, ``ids`` (k,); ``commits`` and ``files``: (p,), which commit touched which file of
    the tree, ``touched`` (k,) how many files each commit touched in all.
    """

    ids: Array
    times: Array
    fixes: Array
    touched: Array
    messages: Postings
    lengths: Array
    commits: Array
    files: Array


def view_of(past: Past, tips: Iterable[str], paths: Sequence[str]) -> PastView:
    """The past that ``tips`` have, against ``paths``."""
    import numpy as np

    mask = past.ancestors(tips)
    touched = np.diff(past.path_ends, prepend=0)
    mask &= touched > 0
    kept = np.flatnonzero(mask)
    new = np.full(len(mask), -1, np.int64)
    new[kept] = np.arange(len(kept))
    term_commit = np.repeat(new, np.diff(past.term_ends, prepend=0))
    inside = term_commit >= 0
    messages = postings(past.terms[inside], term_commit[inside], past.counts[inside])
    path_commit = np.repeat(new, touched)
    inside = path_commit >= 0
    of = places_of(past, mask, paths, past.paths[inside])
    commits, files = path_commit[inside][of >= 0], of[of >= 0]
    return PastView(
        ids=past.ids[kept],
        times=past.times[kept],
        fixes=past.fixes[kept].astype(bool),
        touched=touched[kept],
        messages=messages,
        lengths=np.bincount(
            term_commit[term_commit >= 0],
            past.counts[np.repeat(mask, np.diff(past.term_ends, prepend=0))],
            len(kept),
        ).astype(np.float32),
        commits=commits.astype(np.int32),
        files=files.astype(np.int32),
    )


def split(view: PastView, sizes: Sequence[int]) -> list[PastView]:
    """The view against each of the runs of files that ``sizes`` cut its files into."""
    parts = []
    first = 0
    for size in sizes:
        inside = (view.files >= first) & (view.files < first + size)
        parts.append(replace(view, commits=view.commits[inside], files=view.files[inside] - first))
        first += size
    return parts


def places_of(past: Past, mask: Array, paths: Sequence[str], numbers: Array) -> Array:
    """(len(numbers),) the file of ``paths`` that each path number stands for, -1 for none.

    Former places count, as the commits of ``mask`` (c,) tell of them.
    """
    import numpy as np

    places = _places(past, mask, paths)
    ordered = np.array(sorted(places), np.uint64)
    if not len(ordered):
        return np.full(len(numbers), -1, np.int64)
    order = np.array([places[number] for number in ordered.tolist()], np.int64)
    at = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    return np.where(ordered[at] == numbers, order[at], -1)


def _places(past: Past, mask: Array, paths: Sequence[str]) -> dict[int, int]:
    """The file of the tree that each path number stands for, former places included."""
    import numpy as np

    places = {path_number(path): index for index, path in enumerate(paths)}
    inside = np.repeat(mask, np.diff(past.move_ends, prepend=0))
    pairs = past.moves[inside].reshape(-1, 2)
    for one, other in reversed(pairs.tolist()):
        if one in places and other not in places:
            places[other] = places[one]
        elif other in places and one not in places:
            places[one] = places[other]
    return places
