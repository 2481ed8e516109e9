"""What a question names exactly → the passages that carry that name.

- *Named*: a reference, a commit or blob id. It is what was asked for; it comes first.
- *Marked*: passages of a named path, of a named issue, or with a quoted phrase word for word.
  They come before others that answer the words as well.
- A name that leads nowhere in the view leads nowhere: the words are still searched for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from citator.index.analysis import Analyser
from citator.index.protocol import Candidate, Row, View, WeightedTerm
from citator.model.reference import MIN_PREFIX, split_ref
from citator.search.question import Question

KEY_BONUS = 1.0
PATH_BONUS = 0.5
PHRASE_BONUS = 0.5
MAX_ROWS = 50
SHADE = 1e-6
MIN_ID = 7
MIN_PHRASE_TERMS = 2

_NUMBER = r"(?:#|\bGH-|/(?:issues|pull|merge_requests)/){}(?!\d)"


@dataclass(frozen=True, slots=True)
class Exact:
    """``named`` rows in the order asked for; ``marked`` ordinals with their bonus.

    ``resolved`` are the texts that led somewhere, in lower case.
    """

    named: tuple[Row, ...]
    marked: Mapping[int, float]
    resolved: frozenset[str]


def find(question: Question, view: View, analyser: Analyser) -> Exact:
    """Look up everything that ``question`` names."""
    named: dict[int, Row] = {}
    marked: dict[int, float] = {}
    resolved: set[str] = set()
    for text, rows in [
        *((ref, _by_ref(ref, view)) for ref in question.refs),
        *((run, _by_id(run, view)) for run in question.hashes),
    ]:
        if rows:
            resolved.add(text.lower())
            named.update((row.ordinal, row) for row in rows)
    for path in question.paths:
        rows = view.find_path(path, MAX_ROWS)
        if rows:
            resolved.add(path.lower())
            _mark(marked, (row.ordinal for row in rows), PATH_BONUS)
    for key in question.keys:
        ordinals = _verified(view, analyser.terms(key), key_pattern(key).search)
        if ordinals:
            resolved.add(key.lower())
            _mark(marked, ordinals, KEY_BONUS)
    for phrase in question.quoted:
        terms = analyser.terms(phrase)
        if len(set(terms)) >= MIN_PHRASE_TERMS:
            _mark(marked, _verified(view, terms, _phrase_test(phrase)), PHRASE_BONUS)
    return Exact(tuple(named.values()), marked, frozenset(resolved))


def _by_ref(text: str, view: View) -> Sequence[Row]:
    parts = split_ref(text)
    if parts is None:
        return ()
    rows = view.find_ref(parts[0], parts[1], limit=2)
    return rows if len(rows) == 1 else ()


def _by_id(run: str, view: View) -> Sequence[Row]:
    """The passages of the one object whose id, or the one passage whose digest, begins so."""
    rows = view.find_object(run, MAX_ROWS)
    if len({row.object_id for row in rows}) == 1:
        return rows
    if not rows and len(run) >= max(MIN_ID, MIN_PREFIX):
        rows = view.find_ref(None, run, limit=2)
        return rows if len(rows) == 1 else ()
    return ()


def _mark(marked: dict[int, float], ordinals: Iterable[int], bonus: float) -> None:
    """Give each its bonus; the earlier of two a shade more, so that their order is kept."""
    for place, ordinal in enumerate(ordinals):
        marked[ordinal] = max(marked.get(ordinal, 0.0), bonus * (1.0 - place * SHADE))


def _verified(view: View, terms: Sequence[str], holds: Callable[[str], object]) -> list[int]:
    """The passages, among the best for ``terms``, whose subject or text really ``holds`` it."""
    found = view.candidates([WeightedTerm(term) for term in dict.fromkeys(terms)], MAX_ROWS)
    likely = [one for one in found if _holds_all(one, terms)]
    return [
        row.ordinal
        for row in view.rows([one.ordinal for one in likely])
        if holds(row.subject) or holds(row.text)
    ]


def _holds_all(candidate: Candidate, terms: Sequence[str]) -> bool:
    return set(terms) <= set(candidate.terms)


def key_pattern(key: str) -> re.Pattern[str]:
    """What an issue key looks like in text: ``#12`` also as ``GH-12`` or in an address."""
    if key.startswith("#"):
        return re.compile(_NUMBER.format(key[1:]))
    return re.compile(rf"(?<![\w-]){re.escape(key)}(?![\w-])")


def _phrase_test(phrase: str) -> Callable[[str], bool]:
    wanted = " ".join(phrase.casefold().split())

    def holds(text: str) -> bool:
        return wanted in " ".join(text.casefold().split())

    return holds
