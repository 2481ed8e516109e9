"""When there is no evidence to show, and how we know.

- Judged from what was found, never from the vocabulary of the question.
- The best passage is measured by how much of the question it answers: its score, of the most
  that the words could have scored. A word that the corpus never held counts as the rarest.
- Unrelated words answer each other to some degree by chance, few words more than many. How much
  is measured on this corpus: questions made of one word each from unrelated subjects. What does
  not clearly beat them is no evidence (a gap between scores cannot tell, nor can the score).
- A question whose weight lies in words that the corpus never held is not answered by the rest
  of its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citator.index.analysis import Analyser
from citator.index.protocol import Row, View, WeightedTerm
from citator.index.scoring import idf
from citator.model.evidence import AbstainReason
from citator.model.stop import checkpoint
from citator.search.senses import Sense
from citator.search.stop_words import ENGLISH

MARGIN = 0.8
MIN_SIZE = 4
DECISIVE_SHARE = 0.45
NAMED_SHARE = 0.25

PROBES = 96
SUBJECTS = 256
MIN_SUBJECTS = 64
SCANNED = 4096
_SIZES = range(2, 9)
_BASES = (0.05, 0.3)
_SLOPES = (0.6, 1.3)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What share of itself a question of unrelated words finds: ``base + slope / words``.

    The defaults are the middle of four repositories of 400 to 35,000 passages.
    """

    base: float = 0.15
    slope: float = 0.95

    def chance(self, size: int) -> float:
        """The share that a question of ``size`` terms reaches by chance."""
        return self.base + self.slope / max(size, MIN_SIZE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """How good the best passage is: its score, and what the words could have scored."""

    best: float
    senses: tuple[Sense, ...]

    @property
    def most(self) -> float:
        """The most that the words could have scored."""
        return sum(sense.most for sense in self.senses)

    @property
    def size(self) -> int:
        """How many terms the question has."""
        return sum(sense.size for sense in self.senses)

    @property
    def unknown_share(self) -> float:
        """The share of the question's weight in words that the corpus never held."""
        unknown = sum(sense.most for sense in self.senses if not sense.known)
        return unknown / self.most if self.most else 0.0

    def floor(self, calibration: Calibration) -> float:
        """The score from which on a passage is evidence."""
        return MARGIN * calibration.chance(self.size) * self.most

    def verdict(self, calibration: Calibration) -> AbstainReason | None:
        """Why there is nothing to show, or None where there is."""
        unknown = self.unknown_share
        if unknown >= DECISIVE_SHARE:
            return AbstainReason.UNKNOWN_TERMS
        if self.best <= 0:
            return AbstainReason.NO_MATCH
        if self.best < self.floor(calibration):
            far = unknown >= NAMED_SHARE
            return AbstainReason.UNKNOWN_TERMS if far else AbstainReason.WEAK_COVERAGE
        return None


def calibrate(view: View, analyser: Analyser, probes: int = PROBES) -> Calibration:
    """Measure chance on ``view`` with ``probes`` unanswerable questions of its own words.

    A function of the view alone. A corpus of fewer than ``MIN_SUBJECTS`` documents is too small
    to be measured and gets the defaults.
    """
    subjects = _subjects(view, analyser)
    if len(subjects) < MIN_SUBJECTS:
        return Calibration()
    points = [
        point
        for number in range(probes)
        if (point := _reached(view, _probe(subjects, number))) is not None
    ]
    return _fitted(points)


def _subjects(view: View, analyser: Analyser) -> list[tuple[str, ...]]:
    """The content terms of a sample of subjects, one a document, by reference."""
    stops = {term for word in ENGLISH for term in analyser.terms(word)}
    found: dict[int, tuple[str, ...]] = {}
    for row in _sample(view):
        terms = dict.fromkeys(
            term
            for term in analyser.terms(row.subject)
            if len(term) > 1 and term not in stops and not term.isdigit()
        )
        if terms:
            found.setdefault(row.document, tuple(terms))
    return list(found.values())[:SUBJECTS]


def _sample(view: View) -> Iterator[Row]:
    """Passages in the order of their references, which is no order of anything else."""
    passages = view.statistics.passages
    if passages <= SCANNED:
        yield from sorted(view.scan(), key=lambda row: row.ref)
        return
    digits = 2
    while 16 ** (digits + 1) <= passages:
        digits += 1
    step = 16**digits // (2 * SUBJECTS)
    for number in range(2 * SUBJECTS):
        checkpoint()
        yield from view.find_ref(None, f"{number * step:0{digits}x}", limit=1)


def _probe(subjects: Sequence[tuple[str, ...]], number: int) -> list[str]:
    """One term each of several subjects that stand far apart in the sample."""
    size = _SIZES[number % len(_SIZES)]
    stride = len(subjects) // size
    terms = []
    for place in range(size):
        subject = subjects[(number * 7 + place * stride) % len(subjects)]
        terms.append(subject[(number + place) % len(subject)])
    return list(dict.fromkeys(terms))


def _reached(view: View, terms: Sequence[str]) -> tuple[float, float] | None:
    """One over the number of terms, and the share that the best passage reaches."""
    checkpoint()
    passages = view.statistics.passages
    most = sum(idf(passages, view.document_frequency(term)) for term in terms)
    found = view.candidates([WeightedTerm(term) for term in terms], 1)
    if not found or most <= 0:
        return None
    return 1.0 / len(terms), found[0].score / most


def _fitted(points: Sequence[tuple[float, float]]) -> Calibration:
    """The line through the points by least squares, kept within sane bounds."""
    if len(points) < len(_SIZES):
        return Calibration()
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if spread <= 0:
        return Calibration()
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    slope = min(max(slope, _SLOPES[0]), _SLOPES[1])
    base = min(max(mean_y - slope * mean_x, _BASES[0]), _BASES[1])
    return Calibration(round(base, 4), round(slope, 4))
