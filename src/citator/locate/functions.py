"""The functions and types inside files, in the order in which the issue points at them.

- An opinion on a definition: what the words of the issue (of its title) find in its own text,
  beside the others of its file; whether they spell its name or its holder's; whether a frame of a
  traceback is inside; what it is.
- A word is as rare as the functions of the *file* make it: what every function of a file says
  tells them not apart, however rare it is elsewhere.
- A type holds what its functions do not, so that the function that holds the words comes first.
- The weights stand beside those of the files in ``weights.json``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citator.index.code.facts import DefinitionKind
from citator.index.code.words import Words
from citator.locate.issue import Issue
from citator.locate.mentions import frame_files
from citator.locate.protocol import Scene
from citator.locate.words_signal import asked

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

NAMES = (
    "words",
    "best",
    "first",
    "present",
    "title",
    "name_title",
    "name",
    "holder",
    "held",
    "framed",
    "length",
    "alike",
    "method",
    "private",
    "builds",
)
_POINTING = tuple(NAMES.index(name) for name in ("present", "name", "framed"))
_TYPE_SHARE = 0.8
_SHARE = 5.0  # a function seldom holds more than a fifth of what an issue says
_K1, _B = 1.5, 0.6
_BUILDERS = frozenset(("__init__", "__new__", "constructor", "initialize", "__construct"))


@dataclass(frozen=True, slots=True)
class Place:
    """A definition: number, qualified name, kind, first and last line, worth."""

    definition: int
    name: str
    kind: DefinitionKind
    first: int
    last: int
    worth: float


class Functions:
    """The definitions of a scene, weighed for an issue, file by file as they are asked for."""

    def __init__(self, issue: Issue, scene: Scene, weights: Mapping[str, float]) -> None:
        import numpy as np

        self._issue = issue
        self._scene = scene
        self._weights = np.array([weights.get(name, 0.0) for name in NAMES])
        code = scene.code
        self._starts = np.searchsorted(code.def_files, np.arange(scene.size + 1))
        self._query = asked(code.chunks, max(len(code.chunk_files), 1), issue.weights)
        self._docs = code.chunks.docs[self._query.index]
        self._rarity = _rarity(scene, np.array(list(issue.weights), np.uint32))
        self._frames = frame_files(issue, scene)
        self._most = float((self._query.weights * self._rarity).sum()) / _SHARE or 1.0

    def best(self, file: int, limit: int) -> list[Place]:
        """The best definitions of a file that anything points at; values take no part."""
        import numpy as np

        code = self._scene.code
        here, opinions = self.opinions(file, file + 1)
        worth = opinions @ self._weights
        pointed = opinions[:, _POINTING].any(axis=1)
        here, worth = here[pointed], worth[pointed]
        order = np.lexsort((here, -worth))[:limit]
        return [
            Place(
                definition=one,
                name=code.qualified(one),
                kind=DefinitionKind(int(code.def_kinds[one])),
                first=int(code.def_spans[one, 0]),
                last=int(code.def_spans[one, 1]),
                worth=float(value),
            )
            for one, value in zip(here[order].tolist(), worth[order], strict=True)
        ]

    def opinions(self, first: int, end: int) -> tuple[Array, Array]:
        """The functions and types of the files from ``first`` to before ``end``, and (d, len(
        NAMES)) opinions on them."""
        import numpy as np

        code = self._scene.code
        here = np.arange(self._starts[first], self._starts[end])
        here = here[code.def_kinds[here] != DefinitionKind.VALUE]
        found = np.zeros((len(here), len(NAMES)))
        if not len(here):
            return here, found
        owner = code.def_files[here] - first
        self._words(found, here, owner, first, end)
        self._names(found, here, owner)
        self._framed(found[:, 9], here)
        spans = code.def_spans[here]
        found[:, 10] = np.log1p(np.maximum(spans[:, 1] - spans[:, 0] + 1, 0)) / 5
        numbers, _ = code.by_name
        said = code.def_names[here]
        alike = np.searchsorted(numbers, said, "right") - np.searchsorted(numbers, said)
        found[:, 11] = np.log(np.maximum(alike, 1))
        parents = code.def_parents[here]
        found[:, 12] = (parents >= 0) & (code.def_kinds[parents] == DefinitionKind.TYPE)
        return here, found

    def _words(self, found: Array, here: Array, owner: Array, first: int, end: int) -> None:
        import numpy as np

        code, query, issue = self._scene.code, self._query, self._issue
        low, high = int(self._starts[first]) + first, int(self._starts[end]) + end
        inside = np.flatnonzero((self._docs >= low) & (self._docs < high))
        place = np.full(high - low, -1)
        place[here + code.def_files[here] + 1 - low] = np.arange(len(here))
        at = place[self._docs[inside] - low]
        inside, at = inside[at >= 0], at[at >= 0]
        which = query.which[inside]
        tf = code.chunks.counts[query.index[inside]].astype(float)
        sizes = np.bincount(owner, minlength=end - first)
        pairs, pair, holding = np.unique(
            owner[at].astype(np.int64) * len(query.idf) + which,
            return_inverse=True,
            return_counts=True,
        )
        of = sizes[pairs // max(len(query.idf), 1)]
        rare = np.log1p((of - holding + 0.5) / (holding + 0.5))[pair]
        length = code.chunk_lengths[here + code.def_files[here] + 1]
        mean = np.bincount(owner, length, end - first) / np.maximum(sizes, 1)
        norm = _K1 * (1 - _B + _B * length / np.maximum(mean[owner], 1.0))
        gain = rare * tf * (_K1 + 1) / (tf + norm[at])
        gain = np.where(code.def_kinds[here][at] == DefinitionKind.TYPE, gain * _TYPE_SHARE, gain)
        weight = query.weights[which]
        title = np.array([issue.title_weights.get(number, 0.0) for number in issue.weights])

        def summed(gains: Array) -> Array:
            return np.bincount(at, gains, len(here))

        found[:, 0] = summed(weight * gain) / self._most
        found[:, 1] = _shared(summed(weight * gain * self._rarity[which]), owner)
        found[:, 2] = (found[:, 1] >= 1.0) & (found[:, 1] > 0)
        found[:, 3] = _shared(summed(weight * rare), owner)
        found[:, 4] = _shared(summed(title[which] * gain), owner)
        parents = code.def_parents[here]
        holders = place[np.where(parents >= 0, parents, here) + code.def_files[here] + 1 - low]
        plain = summed(weight * self._rarity[which] * tf / (tf + norm[at]))
        found[:, 8] = np.where((parents >= 0) & (holders >= 0), plain[holders], 0.0) / self._most

    def _names(self, found: Array, here: Array, owner: Array) -> None:
        import numpy as np

        code, issue = self._scene.code, self._issue
        words: Words = self._scene.stash.setdefault("words", Words())
        parents = code.def_parents[here].tolist()
        names = [code.names[one] for one in here.tolist()]
        holders = [code.names[one] if one >= 0 else "" for one in parents]
        terms = {name: tuple(dict.fromkeys(words.numbers(name))) for name in {*names, *holders}}
        every = list({number for numbers in terms.values() for number in numbers})
        rarity = dict(
            zip(every, _rarity(self._scene, np.array(every, np.uint32)).tolist(), strict=True)
        )
        spelled = {name: _share(numbers, rarity, issue.weights) for name, numbers in terms.items()}
        titled = [
            sum(rarity[one] * issue.title_weights.get(one, 0.0) for one in terms[name])
            for name in names
        ]
        found[:, 5] = _shared(np.array(titled), owner)
        found[:, 6] = [spelled[name] for name in names]
        found[:, 7] = [spelled[name] for name in holders]
        found[:, 13] = [name.startswith("_") and not name.startswith("__") for name in names]
        found[:, 14] = [name in _BUILDERS for name in names]

    def _framed(self, column: Array, here: Array) -> None:
        import numpy as np

        code = self._scene.code
        files = code.def_files[here]
        spans = code.def_spans[here]
        for depth, (number, candidates) in enumerate(self._frames):
            frame = self._issue.frames[number - 1]
            for file in candidates:
                own = files == file
                if not own.any():
                    continue
                worth = 1.0 / (1 + depth)
                inside = own & (spans[:, 0] <= frame.line) & (spans[:, 1] >= frame.line)
                for one in np.flatnonzero(inside).tolist()[-1:]:
                    column[one] = max(column[one], worth / 2)
                named = np.isin(here, code.definitions(frame.function or "")) & own
                column[named] = np.maximum(column[named], worth)


def _rarity(scene: Scene, numbers: Array) -> Array:
    """How rare each term is among the files of ``scene``."""
    import numpy as np

    table = scene.code.files
    if not len(table.terms):
        return np.zeros(len(numbers))
    at = np.minimum(np.searchsorted(table.terms, numbers), len(table.terms) - 1)
    held = np.where(table.terms[at] == numbers, table.starts[at + 1] - table.starts[at], 0)
    rarity: Array = np.log1p((scene.size - held + 0.5) / (held + 0.5))
    return rarity


def _shared(values: Array, owner: Array) -> Array:
    """Each value as its share of the best of its file."""
    import numpy as np

    best = np.zeros(int(owner.max(initial=0)) + 1)
    np.maximum.at(best, owner, values)
    shared: Array = values / np.maximum(best[owner], 1e-9)
    return shared


def _share(numbers: Sequence[int], rarity: Mapping[int, float], said: Mapping[int, float]) -> float:
    """How much of a name is said, by how rare its terms are."""
    whole = sum(rarity[one] for one in numbers)
    return sum(rarity[one] for one in numbers if one in said) / whole if whole else 0.0
