"""The texts that one audience may see → the arrays of a small index. Pure: values in, arrays out.

A unit is one passage of one text. What it holds is worked out text by text and put in order in
one go; the order is of terms and units alone, so the same texts give the same bytes, whatever the
order or the history in which they came.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citator.index import partition_texts as texts
from citator.index.analysis import Analyser
from citator.index.partition import moment
from citator.index.partition_terms import Vocabulary
from citator.model.record import ItemKind
from citator.model.stop import checkpoint
from citator.sources.decisions import Decision

if TYPE_CHECKING:
    from citator.index.array_file import Array

MOST_COUNTED = 255
# The first and last moment that a time can be: a text that holds still ends at LAST.
FIRST = -(1 << 62)
LAST = 1 << 62

_KINDS = tuple(ItemKind)


@dataclass(frozen=True, slots=True)
class Built:
    """The arrays of one partition; ``id`` is the digest of what it holds."""

    id: str
    arrays: dict[str, Array]


def build(decisions: Iterable[Decision], analyser: Analyser | None = None) -> Built:
    """The small index of ``decisions``, in whatever order they come."""
    import numpy as np

    ordered = texts.ordered(decisions)
    stored = [texts.stored(one) for one in ordered]
    vocabulary = Vocabulary(analyser or Analyser())
    first_unit = np.cumsum([0, *(len(one.document.passages) for one in ordered)], dtype=np.uint32)
    terms, pairs, lengths = _entries(ordered, vocabulary, first_unit)
    spelled = _spelled(vocabulary, terms.keys[0])
    rank = np.zeros(len(vocabulary.numbers), np.uint64)
    rank[[number for _, number in spelled]] = np.arange(len(spelled), dtype=np.uint64)
    _, term_arrays = _postings(rank[terms.keys[0]], terms, "term")
    pair_keys, pair_arrays = _postings(
        (rank[pairs.keys[0]] << np.uint64(32)) | rank[pairs.keys[1]], pairs, "pair"
    )
    kept = [raw for raw, _ in spelled]
    return Built(
        texts.identity_of(stored),
        {
            "terms": _bytes(kept),
            "term_ends": _ends(kept),
            **term_arrays,
            "pairs": pair_keys,
            **pair_arrays,
            "lengths": lengths,
            "first_unit": first_unit,
            "refs": _digests(ordered),
            "kinds": np.array([_KINDS.index(one.kind) for one in ordered], np.uint8),
            "current": np.array([one.current for one in ordered], np.uint8),
            "held": np.array([_held(one) for one in ordered], np.int64).reshape(-1, 2),
            "texts": _bytes(stored),
            "text_ends": _ends(stored),
            "names": _bytes([texts.names(ordered)]),
            "scopes": _bytes([texts.scopes(ordered)]),
        },
    )


def _spelled(vocabulary: Vocabulary, held: Array) -> list[tuple[bytes, int]]:
    """The terms that a unit holds, in the order of their bytes, each with its number.

    A term can have a number and be held by none: there is a limit to what a scope is found by.
    """
    import numpy as np

    is_held = np.zeros(len(vocabulary.numbers), bool)
    is_held[held] = True
    return sorted(
        (term.encode(), number) for term, number in vocabulary.numbers.items() if is_held[number]
    )


@dataclass(frozen=True, slots=True)
class _Entries:
    """One entry a row: what (one or two numbers), in which unit, how often."""

    keys: tuple[Array, ...]
    units: Array
    counts: Array


class _Rows:
    """Rows of numbers as they come, without an object for each."""

    def __init__(self, width: int) -> None:
        self.columns = [array("I") for _ in range(width)]

    def extend(self, rows: Sequence[tuple[int, ...]]) -> None:
        for column, values in zip(self.columns, zip(*rows, strict=True), strict=False):
            column.extend(values)

    def arrays(self) -> list[Array]:
        import numpy as np

        return [np.array(column, np.uint32) for column in self.columns]


def _entries(
    ordered: Sequence[Decision], vocabulary: Vocabulary, first_unit: Array
) -> tuple[_Entries, _Entries, Array]:
    """The terms and the pairs of each unit, and how many terms it is long."""
    import numpy as np

    heads = (_Rows(2), _Rows(3))
    bodies = (_Rows(1), _Rows(2))
    sizes: list[tuple[list[int], list[int]]] = [([], []), ([], [])]
    for one in ordered:
        checkpoint()
        head = vocabulary.head(one)
        heads[0].extend(head.terms)
        heads[1].extend(head.pairs)
        sizes[0][0].append(len(head.terms))
        sizes[1][0].append(len(head.pairs))
        for passage in one.document.passages:
            # The title, which the head has, is the first line.
            text = passage.text if passage.start > 1 else passage.text.partition("\n")[2]
            found = vocabulary.found(text)
            bodies[0].columns[0].extend(found.terms)
            bodies[1].extend(found.pairs)
            sizes[0][1].append(len(found.terms))
            sizes[1][1].append(len(found.pairs))
    made = [
        _joined(head.arrays(), body.arrays(), size, first_unit)
        for head, body, size in zip(heads, bodies, sizes, strict=True)
    ]
    units = int(first_unit[-1])
    lengths = np.bincount(made[0].units, weights=made[0].counts, minlength=units)
    return made[0], made[1], lengths.astype(np.uint32)


def _joined(
    head: list[Array], body: list[Array], sizes: tuple[list[int], list[int]], first_unit: Array
) -> _Entries:
    """Entries of every unit: what its text's head holds, and what it holds itself."""
    import numpy as np

    per_text, per_unit = (np.array(one, np.intp) for one in sizes)
    units_of = np.diff(first_unit).astype(np.intp)
    text_of = np.repeat(np.arange(len(units_of)), units_of)
    # For each unit, the rows of its text's head.
    repeats = per_text[text_of]
    starts = (np.cumsum(per_text) - per_text)[text_of]
    offsets = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    rows = np.repeat(starts, repeats) + offsets
    numbers = np.arange(len(text_of), dtype=np.uint32)
    *keys, counts = (column[rows] for column in head)
    return _Entries(
        tuple(np.concatenate(pair) for pair in zip(keys, body, strict=True)),
        np.concatenate([np.repeat(numbers, repeats), np.repeat(numbers, per_unit)]),
        np.concatenate([counts, np.ones(len(body[0]), np.uint32)]),
    )


def _postings(keys: Array, entries: _Entries, name: str) -> tuple[Array, dict[str, Array]]:
    """The distinct keys, rising, and for each the units that hold it, rising, with counts."""
    import numpy as np

    order = np.lexsort((entries.units, keys))
    keys, units = keys[order], entries.units[order]
    counts = entries.counts[order]
    fresh = np.ones(len(keys), bool)
    fresh[1:] = (keys[1:] != keys[:-1]) | (units[1:] != units[:-1])
    starts = fresh.nonzero()[0]
    summed = np.add.reduceat(counts, starts) if len(starts) else counts[:0]
    keys, units = keys[starts], units[starts]
    distinct, first = np.unique(keys, return_index=True)
    return distinct, {
        f"{name}_post_ends": np.append(first[1:], len(keys)).astype(np.uint32)[: len(distinct)],
        f"{name}_units": units,
        f"{name}_counts": np.minimum(summed, MOST_COUNTED).astype(np.uint8),
    }


def _digests(ordered: Sequence[Decision]) -> Array:
    """The reference digest of each unit, one row of 32 bytes."""
    passages = [passage for one in ordered for passage in one.document.passages]
    return _bytes([bytes.fromhex(one.ref.rpartition(":")[2]) for one in passages]).reshape(-1, 32)


def _held(one: Decision) -> tuple[int, int]:
    """When it was the text of its item, in Unix seconds. A proposal never was."""
    if one.is_proposal:
        return LAST, FIRST
    return moment(one.held_from), LAST if one.held_until is None else moment(one.held_until)


def _bytes(parts: Sequence[bytes]) -> Array:
    import numpy as np

    return np.frombuffer(b"".join(parts), np.uint8)


def _ends(parts: Sequence[bytes]) -> Array:
    import numpy as np

    return np.cumsum([len(one) for one in parts], dtype=np.uint64)
