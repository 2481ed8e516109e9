"""A question in one view: what it names there, what its words mean there, what to look for.

- Words that only spell out a name that was found are not looked for again.
- Words that join the others help to order passages; they are no evidence, so what they add to
  a score is taken off again before the score is measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from citator.index.analysis import Analyser
from citator.index.protocol import Candidate, View, WeightedTerm
from citator.search.exact import Exact, find
from citator.search.induction import Induction
from citator.search.question import Question
from citator.search.senses import Sense, Speaker

MAX_TERMS = 64
JOINED_WEIGHT = 0.5
JOINING_WEIGHT = 0.2
# How much of its most a term that is held adds to a score, more or less.
TYPICAL = 0.6


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What a question names, what its words mean in this view, and the terms to look for.

    ``joins`` is what each joining term adds to a score, where a passage holds it.
    """

    asked: Question
    exact: Exact
    senses: tuple[Sense, ...]
    terms: tuple[WeightedTerm, ...]
    joins: Mapping[str, float]

    @property
    def names_something(self) -> bool:
        """Whether the view has something the question names; then it is never silent."""
        return bool(self.exact.named) or (bool(self.exact.marked) and not self.senses)

    @property
    def unknown_words(self) -> tuple[str, ...]:
        """The asker's words that no passage holds."""
        return tuple(sense.word for sense in self.senses if not sense.known)

    def content_score(self, candidate: Candidate) -> float:
        """What the words that say something add to the candidate's score."""
        return candidate.score - sum(self.joins.get(term, 0.0) for term in candidate.terms)

    def held_words(self, terms: frozenset[str]) -> list[str]:
        """Those of the asker's own words that a passage with ``terms`` holds."""
        return [sense.word for sense in self.senses if sense.is_held_by(terms)]


def understood(asked: Question, view: View, analyser: Analyser, induction: Induction) -> Inquiry:
    """The inquiry of ``asked`` in ``view``."""
    exact = find(asked, view, analyser)
    speaker = Speaker(view, analyser)
    spelled = {word for name in exact.resolved for word, _ in analyser.words(name)}
    senses = tuple(
        sense for sense in speaker.senses(asked, induction) if sense.word.lower() not in spelled
    )
    weights: dict[str, float] = {}
    for one in chain.from_iterable(sense.terms for sense in senses):
        weights[one.term] = max(weights.get(one.term, 0.0), one.weight)
    joins: dict[str, float] = {}
    if weights:
        for word in asked.joined:
            if speaker.holding(word.terms[0]):
                weights.setdefault(word.terms[0], JOINED_WEIGHT)
        joining = {word.terms[0] for word in asked.joining} - weights.keys()
        for term in sorted(term for term in joining if speaker.holding(term)):
            weights[term] = JOINING_WEIGHT
            joins[term] = TYPICAL * JOINING_WEIGHT * speaker.idf(term)
    heaviest = sorted(weights, key=lambda term: (-weights[term] * speaker.idf(term), term))
    terms = tuple(WeightedTerm(term, weights[term]) for term in heaviest[:MAX_TERMS])
    return Inquiry(asked, exact, senses, terms, joins)
