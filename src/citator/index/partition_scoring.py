"""What the texts of a scope score for a question. Numbers in, numbers out.

- One of the asker's words counts once: an identifier as the better of its whole and its parts
  together, never as all of them; a word that could mean several as the best of these.
- Words that follow each other in the question and in a passage (*neighbours*) say more together
  than apart; words that only join the others say little.
- A text scores as its best passage, and a share of its second: where two passages bear on it, it
  is more likely about it. A text of one passage is not worse for being short: it counts as both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citator.index.partition import Scope
from citator.model.stop import checkpoint

if TYPE_CHECKING:
    from citator.index.array_file import Array

NEIGHBOURS = 0.3
JOINING = 0.2
SECOND = 0.4
DIGITS = 9

# The terms that spell a word out, each with its weight.
Form = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A word as it is looked for: in one of its ``forms``, worth ``scale`` words."""

    forms: tuple[Form, ...]
    scale: float = 1.0

    def most(self, scope: Scope) -> float:
        """The most it can add to a passage's score."""
        return self.scale * max(
            (sum(weight * scope.idf(term) for term, weight in form) / len(form))
            for form in self.forms
        )


@dataclass(frozen=True, slots=True)
class Scores:
    """Over texts: ``total`` orders them, ``content`` is what the words alone add to the passage
    that holds most of them. Over units: ``units`` orders the passages of one text."""

    total: Array
    content: Array
    units: Array


def score(
    scope: Scope, words: Sequence[Wanted], joining: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> Scores:
    """Score every text of ``scope``. ``joining`` are terms, ``pairs`` neighbours."""
    import numpy as np

    partition = scope.partition
    content = np.zeros(partition.units)
    for word in words:
        checkpoint()
        content += word.scale * _best_form(scope, word)
    units = content.copy()
    for term in joining:
        held = scope.held(term)
        units[held.units] += JOINING * held.scores
    for pair in pairs:
        held = scope.held_pair(*pair)
        units[held.units] += NEIGHBOURS * held.scores
    first = partition.array("first_unit")[:-1].astype(np.intp)
    best = np.maximum.reduceat(units, first)
    total = best + SECOND * _second(units, best, partition.text_of, first)
    return Scores(
        np.round(total, DIGITS), np.maximum.reduceat(content, first), np.round(units, DIGITS)
    )


def _second(units: Array, best: Array, text_of: Array, first: Array) -> Array:
    """What the second passage of each text scores; the only one where there is no second."""
    import numpy as np

    places: Array = (units == best[text_of]).nonzero()[0]
    _, once = np.unique(text_of[places], return_index=True)
    rest = units.copy()
    rest[places[once]] = 0.0
    alone = np.diff(np.append(first, len(units))) == 1
    second: Array = np.where(alone, best, np.maximum.reduceat(rest, first))
    return second


def _best_form(scope: Scope, word: Wanted) -> Array:
    import numpy as np

    best = np.zeros(scope.partition.units)
    for form in word.forms:
        found = np.zeros(scope.partition.units)
        for term, weight in form:
            held = scope.held(term)
            found[held.units] += weight * held.scores
        np.maximum(best, found / len(form), out=best)
    return best
