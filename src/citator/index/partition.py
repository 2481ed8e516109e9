"""A partition: the small index of what one audience may see of the record, open for asking.

- It holds nothing else, so its counts, its statistics and its order carry no trace of anything
  that was withheld.
- A *scope* is the part of it that a question is about: what is current, or what held at a time.
  Statistics are over the scope alone.
- Numbers are over units (passages); a text's units are neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from citator.formats.globs import compiled, problem_with
from citator.index.protocol import Row, Statistics
from citator.index.scoring import idf
from citator.index.tokens import clean
from citator.model.record import ItemKind, RecordStatus, Sensitivity
from citator.model.reference import DocumentKind, Ref

if TYPE_CHECKING:
    from citator.index.array_file import Array

K1 = 1.5
B = 0.75
SMALL = 200


class Arrays(Protocol):
    """Where a partition's arrays come from: a file, or memory."""

    def array(self, name: str) -> Array: ...


class Held(NamedTuple):
    """The units that hold a term, rising, and what each scores for it."""

    units: Array
    scores: Array


@dataclass(frozen=True, slots=True)
class Text:
    """One text as it is kept. Words in it are the record's: they travel by rule 1 alone."""

    number: int
    item: str
    revision: str
    kind: ItemKind
    status: RecordStatus
    sensitivity: Sensitivity
    owner: str
    title: str
    ruling: str
    text: str
    object_id: str
    created_at: str
    held_from: str
    held_until: str | None
    current: bool
    labels: tuple[str, ...]
    aliases: tuple[str, ...]
    paths: tuple[str, ...]


def moment(time: str) -> int:
    """Unix seconds of an RFC 3339 time. Raises ValueError."""
    return int(datetime.fromisoformat(time).timestamp())


class Partition:
    """One audience's record. ``id`` is the digest of exactly what it may see."""

    def __init__(self, identity: str, texts: int, source: Arrays | None) -> None:
        """``source`` None: there is nothing to see, and nothing is opened."""
        self.id = identity
        self.texts = texts if source is not None else 0
        self._source = source

    def array(self, name: str) -> Array:
        """One array of the index."""
        if self._source is None:
            raise KeyError(name)
        return self._source.array(name)

    def close(self) -> None:
        """Let the files go; nothing can be asked any more."""
        self.__dict__.clear()
        self.id, self.texts, self._source = "", 0, None

    @cached_property
    def units(self) -> int:
        """How many passages it holds."""
        return int(self.array("first_unit")[-1]) if self.texts else 0

    @cached_property
    def text_of(self) -> Array:
        """The text that each unit is of."""
        import numpy as np

        first = self.array("first_unit")
        return np.repeat(np.arange(self.texts, dtype=np.uint32), np.diff(first))

    def term(self, term: str) -> int | None:
        """The number of a term, None where no text holds it."""
        wanted = clean(term).encode()
        low, high = 0, len(self.array("term_ends")) if self.texts else 0
        while low < high:
            middle = (low + high) // 2
            found = self._raw_term(middle)
            if found == wanted:
                return middle
            if found < wanted:
                low = middle + 1
            else:
                high = middle
        return None

    def _raw_term(self, number: int) -> bytes:
        start, end = self._between("term_ends", number)
        return self.array("terms")[start:end].tobytes()

    def _between(self, ends: str, number: int) -> tuple[int, int]:
        found = self.array(ends)
        return int(found[number - 1]) if number else 0, int(found[number])

    def pair(self, first: str, second: str) -> int | None:
        """The number of two neighbours, None where no text holds them side by side."""
        numbers = self.term(first), self.term(second)
        if numbers[0] is None or numbers[1] is None:
            return None
        key = (numbers[0] << 32) | numbers[1]
        pairs = self.array("pairs")
        at = int(pairs.searchsorted(pairs.dtype.type(key)))
        return at if at < len(pairs) and int(pairs[at]) == key else None

    def term_postings(self, number: int) -> tuple[Array, Array]:
        """The units that hold a term, rising, and how often each does."""
        return self._postings("term", number)

    def pair_postings(self, number: int) -> tuple[Array, Array]:
        """The same of two neighbours."""
        return self._postings("pair", number)

    def _postings(self, kind: str, number: int) -> tuple[Array, Array]:
        start, end = self._between(f"{kind}_post_ends", number)
        return self.array(f"{kind}_units")[start:end], self.array(f"{kind}_counts")[start:end]

    def terms(self) -> Iterator[str]:
        """Every term there is, in the order of their bytes."""
        for number in range(len(self.array("term_ends")) if self.texts else 0):
            yield self._raw_term(number).decode()

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Every two neighbours there are."""
        for key in self.array("pairs") if self.texts else ():
            first, second = divmod(int(key), 1 << 32)
            yield self._raw_term(first).decode(), self._raw_term(second).decode()

    def read(self, number: int) -> Text:
        """One text, whole."""
        kept = self._kept(number)
        return Text(
            number=number,
            item=kept["item"],
            revision=kept["revision"],
            kind=ItemKind(kept["kind"]),
            status=RecordStatus(kept["status"]),
            sensitivity=Sensitivity(kept["sensitivity"]),
            owner=kept["owner"],
            title=kept["title"],
            ruling=kept["ruling"],
            text=kept["text"],
            object_id=kept["object"],
            created_at=kept["created"],
            held_from=kept["from"],
            held_until=kept["until"],
            current=kept["current"],
            labels=tuple(kept["labels"]),
            aliases=tuple(kept["aliases"]),
            paths=tuple(kept["paths"]),
        )

    def _kept(self, number: int) -> dict[str, Any]:
        start, end = self._between("text_ends", number)
        raw = self.array("texts")[start:end].tobytes()
        kept: dict[str, Any] = json.loads(raw.decode("utf-8", "surrogatepass"))
        return kept

    def all(self) -> Iterator[Text]:
        """Every text there is."""
        return map(self.read, range(self.texts))

    def named(self, name: str) -> list[int]:
        """The texts of the item, revision or alias ``name``."""
        return self._names.get(name, []) if self.texts else []

    @cached_property
    def _names(self) -> Mapping[str, list[int]]:
        names: dict[str, list[int]] = json.loads(self.array("names").tobytes())
        return names

    def governing(self, path: str) -> list[int]:
        """The texts with a pattern that holds ``path``, each once, in order."""
        if not self.texts:
            return []
        found = {number for pattern, number in self._scopes if _holds(pattern, path)}
        return sorted(found)

    @cached_property
    def _scopes(self) -> list[tuple[str, int]]:
        return [(one, number) for one, number in json.loads(self.array("scopes").tobytes())]

    def row(self, unit: int) -> Row:
        """One passage."""
        number = int(self.text_of[unit])
        kept = self._kept(number)
        first = int(self.array("first_unit")[number])
        start, end, at, size, digest = kept["passages"][unit - first]
        return Row(
            ordinal=unit,
            document=first,
            ref=Ref(f"{DocumentKind.DECISION.value}:v1:{digest}"),
            kind=DocumentKind.DECISION,
            object_id=kept["object"],
            path="",
            start=start,
            end=end,
            subject=kept["title"],
            text=kept["text"][at : at + size],
            authored_at=kept["authored"],
            redactions=kept["redactions"],
        )

    def find_ref(self, kind: DocumentKind | None, prefix: str, limit: int = 2) -> list[Row]:
        """Passages whose reference digest starts with ``prefix`` (hexadecimal), by reference."""
        if not self.texts or kind not in (None, DocumentKind.DECISION):
            return []
        refs, whole = self.array("refs"), len(prefix) // 2
        same = (refs[:, :whole] == list(bytes.fromhex(prefix[: 2 * whole]))).all(axis=1)
        if len(prefix) % 2:
            same &= (refs[:, whole] >> 4) == int(prefix[-1], 16)
        rows = [self.row(int(unit)) for unit in same.nonzero()[0]]
        first = {row.ref: row for row in reversed(rows)}
        return sorted(first.values(), key=lambda row: row.ref)[:limit]

    def scope(self, as_of: int | None = None) -> Scope:
        """What is current, or what held at ``as_of`` (Unix seconds)."""
        if as_of is None:
            return Scope(self, self.array("current") != 0)
        held = self.array("held")
        return Scope(self, (held[:, 0] <= as_of) & (as_of < held[:, 1]))

    def of_kinds(self, kinds: Collection[ItemKind]) -> Array:
        """Which texts are of one of ``kinds``."""
        import numpy as np

        order = list(ItemKind)
        return np.isin(self.array("kinds"), [order.index(one) for one in kinds])

    def of_paths(self, paths: Sequence[str]) -> Array:
        """Which texts govern one of ``paths``."""
        import numpy as np

        mask = np.zeros(self.texts, bool)
        for path in paths:
            mask[self.governing(path)] = True
        return mask


class Scope:
    """The part of a partition that a question is about; ``mask`` says which texts."""

    def __init__(self, partition: Partition, mask: Array) -> None:
        self.partition = partition
        self.mask = mask
        self._seen = mask[partition.text_of]
        self._everything = bool(mask.all())
        lengths = partition.array("lengths")
        self._passages = int(self._seen.sum())
        mean = float(lengths[self._seen].mean()) if self._passages else 1.0
        self._norm = K1 * (1.0 - B + B * lengths / mean)
        self._found: dict[str, tuple[Array, Array]] = {}

    @property
    def statistics(self) -> Statistics:
        """Of what is in the scope."""
        return Statistics(self._passages, int(self.mask.sum()), 0.0)

    def document_frequency(self, term: str) -> int:
        """Passages of the scope that hold the analysed ``term``."""
        return len(self._of_term(term)[0])

    def is_held(self, term: str, units: range) -> bool:
        """Whether one of ``units`` is in the scope and holds ``term``."""
        found = self._of_term(term)[0]
        at = int(found.searchsorted(units.start))
        return at < len(found) and int(found[at]) < units.stop

    @property
    def smallness(self) -> float:
        """How little this scope can say of how rare a word is: 1 for nothing, 0 from SMALL on."""
        return max(0.0, 1.0 - self._passages / SMALL)

    def idf(self, term: str) -> float:
        """The weight of a term in this scope."""
        return self._weight(self.document_frequency(term))

    def _weight(self, frequency: int) -> float:
        """The weight of a term that so many passages hold.

        Of a few passages each word is in most of them or in none: up to SMALL, passages are
        imagined that hold every word alike, one in fifty.
        """
        imagined = round(SMALL * self.smallness)
        return idf(self._passages + imagined, frequency + imagined // 50)

    def held(self, term: str) -> Held:
        """What each passage of the scope that holds ``term`` scores for it."""
        return self._scored(*self._of_term(term))

    def held_pair(self, first: str, second: str) -> Held:
        """The same of two neighbours."""
        number = self.partition.pair(first, second)
        if number is None:
            return self._scored(*self._nothing())
        return self._scored(*self._seen_of(*self.partition.pair_postings(number)))

    def _scored(self, units: Array, counts: Array) -> Held:
        weight = self._weight(len(units))
        return Held(units, weight * (counts / (counts + self._norm[units])))

    def _of_term(self, term: str) -> tuple[Array, Array]:
        if term not in self._found:
            number = self.partition.term(term)
            self._found[term] = (
                self._nothing()
                if number is None
                else self._seen_of(*self.partition.term_postings(number))
            )
        return self._found[term]

    def _nothing(self) -> tuple[Array, Array]:
        return self.partition.array("term_units")[:0], self.partition.array("term_counts")[:0]

    def _seen_of(self, units: Array, counts: Array) -> tuple[Array, Array]:
        if self._everything:
            return units, counts
        kept = self._seen[units]
        return units[kept], counts[kept]


def _holds(pattern: str, path: str) -> bool:
    literal = len(pattern)
    for mark in "*?[\\":
        at = pattern.find(mark)
        literal = at if 0 <= at < literal else literal
    if not path.startswith(pattern[:literal].removeprefix("./").rstrip("/")):
        return False
    return problem_with(pattern) is None and compiled(pattern).fullmatch(path) is not None
