"""The texts that one audience may see → the arrays of a small index. Pure: values in, arrays out.

- A unit is one passage of one text. What it is found by is one bag of terms: the title three
  times, the ruling twice (where it says more than the title), labels, aliases and scope once,
  the passage itself once.
- *Neighbours* are two content words that follow each other, words that carry nothing left out;
  a pair is indexed like a term, written with PAIR between the two, which no term holds.
- Japanese writes the stem of a word in kanji and what inflects in hiragana: where the stem is a
  single character, which no pair of characters is, it is a term as well.
- Everything is sorted, so the same texts give the same bytes, whatever the order or the history
  in which they came.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from citator.index import analysis
from citator.index.analysis import Analyser
from citator.index.partition import moment
from citator.index.tokens import clean
from citator.model.record import ItemKind
from citator.sources.decisions import Decision
from citator.sources.versions import VERSIONS

if TYPE_CHECKING:
    from citator.index.array_file import Array

FORMAT = f"p1.{analysis.VERSION}.{VERSIONS}"

PAIR = "\x1f"
TITLE = 3
RULING = 2
MAX_SCOPE_TERMS = 48
MOST_COUNTED = 255
# The first and last moment that a time can be: a text that holds still ends at LAST.
FIRST = -(1 << 62)
LAST = 1 << 62

KINDS = tuple(ItemKind)
_KANJI = "\u3400-\u9fff\uf900-\ufaff"
_STEM = re.compile(f"(?<![{_KANJI}])[{_KANJI}](?=[\u3040-\u309f])")
# Words that carry nothing between two that do, as the analyser stems them.
_NOTHING = """
a about all also an and any are as at be been but by can did do doe for from had ha have how i if
in into is it it just may must nor not of off on onto only or our out over so such than that the
their them then there these they thi those to too under up us very via wa we were what when where
whether which who whi will with without would you your
"""
NOTHING = frozenset(_NOTHING.split())


@dataclass(frozen=True, slots=True)
class Built:
    """Arrays and texts of one partition; ``id`` is the digest of what it holds."""

    id: str
    arrays: dict[str, Array]


def identity(decisions: Sequence[Decision]) -> str:
    """The digest of exactly what ``decisions`` show: 64 hexadecimal digits."""
    return _identity([_stored(one) for one in _ordered(decisions)])


def _identity(stored: Iterable[bytes]) -> str:
    digest = hashlib.sha256(FORMAT.encode())
    for one in stored:
        digest.update(len(one).to_bytes(8, "big"))
        digest.update(one)
    return digest.hexdigest()


def _ordered(decisions: Iterable[Decision]) -> list[Decision]:
    return sorted(decisions, key=lambda one: (one.document.object_id, one.item))


def _stored(one: Decision) -> bytes:
    """What is kept of one text, and told of it: canonical JSON."""
    document = one.document
    places, at = [], 0
    for passage in document.passages:
        at = document.text.index(passage.text, at)
        digest = passage.ref.rpartition(":")[2]
        places.append([passage.start, passage.end, at, len(passage.text), digest])
        at += len(passage.text)
    kept: dict[str, Any] = {
        "aliases": one.aliases,
        "authored": document.authored_at,
        "created": one.created_at,
        "current": one.current,
        "from": one.held_from,
        "item": one.item,
        "kind": one.kind,
        "labels": one.labels,
        "object": document.object_id,
        "owner": one.owner,
        "passages": places,
        "paths": one.paths,
        "redactions": document.redactions,
        "revision": one.revision,
        "ruling": one.ruling,
        "sensitivity": one.sensitivity,
        "status": one.status,
        "text": document.text,
        "title": document.subject,
        "until": one.held_until,
    }
    text = json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def build(decisions: Sequence[Decision], analyser: Analyser | None = None) -> Built:
    """The small index of ``decisions``, in whatever order they come."""
    import numpy as np

    ordered = _ordered(decisions)
    stored = [_stored(one) for one in ordered]
    reader = Reader(analyser or Analyser())
    postings = _Postings()
    lengths: list[int] = []
    first_unit = [0]
    for one in ordered:
        for bag, length in reader.units(one):
            postings.add(len(lengths), bag)
            lengths.append(length)
        first_unit.append(len(lengths))
    return Built(
        _identity(stored),
        {
            **postings.arrays(),
            "lengths": np.array(lengths, np.uint32),
            "first_unit": np.array(first_unit, np.uint32),
            "refs": _digests(ordered),
            "kinds": np.array([KINDS.index(one.kind) for one in ordered], np.uint8),
            "current": np.array([one.current for one in ordered], np.uint8),
            "proposals": np.array([one.is_proposal for one in ordered], np.uint8),
            "held": np.array([_held(one) for one in ordered], np.int64).reshape(-1, 2),
            "texts": np.frombuffer(b"".join(stored), np.uint8),
            "text_ends": np.cumsum([len(one) for one in stored], dtype=np.uint64),
            **_names(ordered),
        },
    )


class Reader:
    """Texts → the bags of their passages."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser

    def units(self, one: Decision) -> Iterator[tuple[dict[str, int], int]]:
        """The bag of each passage, and how many terms it is long."""
        head = self._head(one)
        for passage in one.document.passages:
            text = passage.text
            if passage.start == 1:  # the title, which the head has
                text = text.partition("\n")[2]
            bag = Counter(head)
            bag.update(self._found(text))
            yield bag, sum(count for term, count in bag.items() if PAIR not in term)

    def _head(self, one: Decision) -> Counter[str]:
        title = one.document.subject
        head: Counter[str] = Counter()
        _add(head, self._found(title), TITLE)
        if one.ruling != title:
            _add(head, self._found(one.ruling), RULING)
        names = " ".join((*one.labels, *one.aliases, *one.paths))
        terms = dict.fromkeys(clean(term) for term in self._analyser.terms(names))
        _add(head, list(terms)[:MAX_SCOPE_TERMS], 1)
        return head

    def _found(self, text: str) -> list[str]:
        """The terms of a text, and its neighbours."""
        words = self._analyser.words(text)
        terms = [clean(term) for _, found in words for term in found if term]
        return [*terms, *stems(text), *neighbours(found for _, found in words)]


def _add(bag: Counter[str], terms: Iterable[str], times: int) -> None:
    for term in terms:
        bag[term] += times


def stems(text: str) -> list[str]:
    """The single characters of ``text`` that are the stem of an inflected Japanese word."""
    return _STEM.findall(text)


def neighbours(words: Iterable[Sequence[str]]) -> list[str]:
    """The pairs that follow each other in words as analysed, an identifier as one word."""
    said: list[str] = []
    for terms in words:
        one = terms[:1] if terms and terms[0].isascii() else terms
        said.extend(clean(term) for term in one if term and term not in NOTHING)
    return [f"{first}{PAIR}{second}" for first, second in pairwise(said)]


class _Postings:
    """For each term, the units that hold it and how often."""

    def __init__(self) -> None:
        self._units: dict[str, list[int]] = {}
        self._counts: dict[str, bytearray] = {}

    def add(self, unit: int, bag: dict[str, int]) -> None:
        """One unit; numbers only grow."""
        for term, count in bag.items():
            if term not in self._units:
                self._units[term] = []
                self._counts[term] = bytearray()
            self._units[term].append(unit)
            self._counts[term].append(min(count, MOST_COUNTED))

    def arrays(self) -> dict[str, Array]:
        """Terms in the order of their bytes; postings in that order, units rising."""
        import numpy as np

        encoded = sorted((term.encode(), term) for term in self._units)
        order = [term for _, term in encoded]
        units = [np.array(self._units[term], np.uint32) for term in order]
        empty = [np.zeros(0, np.uint32)]
        return {
            "terms": np.frombuffer(b"".join(raw for raw, _ in encoded), np.uint8),
            "term_ends": np.cumsum([len(raw) for raw, _ in encoded], dtype=np.uint64),
            "post_ends": np.cumsum([len(one) for one in units], dtype=np.uint64),
            "units": np.concatenate(units or empty),
            "counts": np.frombuffer(b"".join(self._counts[term] for term in order), np.uint8),
        }


def _digests(ordered: Sequence[Decision]) -> Array:
    """The reference digest of each unit, one row of 32 bytes."""
    import numpy as np

    digests = [
        bytes.fromhex(passage.ref.rpartition(":")[2])
        for one in ordered
        for passage in one.document.passages
    ]
    return np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 32)


def _held(one: Decision) -> tuple[int, int]:
    """When it was the text of its item, in Unix seconds. A proposal never was."""
    if one.is_proposal:
        return LAST, FIRST
    return moment(one.held_from), LAST if one.held_until is None else moment(one.held_until)


def _names(ordered: Sequence[Decision]) -> dict[str, Array]:
    """What a text is called (item, revision, aliases), and the patterns of what it governs."""
    import numpy as np

    names: dict[str, list[int]] = {}
    scopes: list[list[str | int]] = []
    for number, one in enumerate(ordered):
        for name in dict.fromkeys((one.item, one.revision, *one.aliases)):
            names.setdefault(name, []).append(number)
        scopes.extend([pattern, number] for pattern in one.paths)
    return {
        "names": np.frombuffer(_json(names), np.uint8),
        "scopes": np.frombuffer(_json(scopes), np.uint8),
    }


def _json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")
