"""What a note is worth now, and how old it is: arithmetic on facts, every part of it said.

    score = 35 recency + 30 frequency + 20 impact + 15 explicit     (of 100)
          + feedback                                                (-30 to +15)

- Recency falls in a line from 1 when it was last confirmed to 0 when it is stale.
- Frequency: how often it was said or confirmed, of ten. Impact: the files it is about, of five.
- Explicit: whether a person typed it. No text, and nothing that a text claims, takes part.
- Feedback: 5 points for each ticket that it helped, where that is one of five that it was shown
  in; 10 the other way for each that was reverted, where these are three and one of three. So what
  is shown often is neither raised nor demoted by chance. While it is below nothing it is not hot.
- The time is passed in; the same facts give the same score on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

DAY: Final = 86_400
OFTEN: Final = 10
WIDE: Final = 5
HOT: Final = 50
WARM: Final = 25
HELPED: Final = 500
REVERTED: Final = -1000
LEAST_REVERTED: Final = 3
ONE_HELPED_OF: Final = 5
ONE_REVERTED_OF: Final = 3
MOST_UP: Final = 1500
MOST_DOWN: Final = -3000


class Level(StrEnum):
    """Where a note is told of: in the brief, on demand, or only where all are listed."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


class Age(StrEnum):
    """How long nobody confirmed it. What is stale is in no brief."""

    FRESH = "fresh"
    SUSPECT = "suspect"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Periods:
    """After how many days without a confirmation a note is suspect, and stale."""

    suspect_days: int = 60
    stale_days: int = 90


@dataclass(frozen=True, slots=True)
class Facts:
    """What a score is made of: ``seconds`` since the last confirmation, ``times`` it was said,
    ``files`` it is about, and whether a person typed it."""

    seconds: int
    times: int
    files: int
    explicit: bool


@dataclass(frozen=True, slots=True)
class Feedback:
    """What became of the tickets in whose work a note was ``shown``: how many of them it ``helped``
    to complete, and how many were ``reverted``."""

    shown: int = 0
    helped: int = 0
    reverted: int = 0

    @property
    def worth(self) -> int:
        """Hundredths of a point, within their bounds."""
        raises = self.helped * ONE_HELPED_OF >= self.shown
        often = self.reverted * ONE_REVERTED_OF >= self.shown
        up = HELPED * self.helped if raises else 0
        down = REVERTED * self.reverted if often and self.reverted >= LEAST_REVERTED else 0
        return min(MOST_UP, max(MOST_DOWN, up + down))


@dataclass(frozen=True, slots=True)
class Score:
    """Points of 100, by part; each part is a whole number of hundredths of a point."""

    recency: int
    frequency: int
    impact: int
    explicit: int
    feedback: int = 0

    @property
    def points(self) -> int:
        """The sum, in whole points, from 0 to 100."""
        parts = self.recency + self.frequency + self.impact + self.explicit + self.feedback
        return min(100, max(0, parts // 100))

    @property
    def demoted(self) -> bool:
        """Whether what became of tickets speaks against it."""
        return self.feedback < 0

    @property
    def level(self) -> Level:
        """What the points earn."""
        hot = self.points >= HOT and not self.demoted
        return Level.HOT if hot else _below(self.points)


def _below(points: int) -> Level:
    return Level.WARM if points >= WARM else Level.COLD


NONE: Final = Feedback()


def score(facts: Facts, periods: Periods, feedback: Feedback = NONE) -> Score:
    """What ``facts`` are worth."""
    parts = _parts(facts.seconds, facts.times, facts.files, facts.explicit, periods)
    return Score(*parts, feedback=feedback.worth)


def bare(seconds: int, times: int, files: int, explicit: bool, periods: Periods) -> int:
    """The points of :func:`score` without feedback, for many: made of the facts as they are."""
    return sum(_parts(seconds, times, files, explicit, periods)) // 100


def _parts(
    seconds: int, times: int, files: int, explicit: bool, periods: Periods
) -> tuple[int, int, int, int]:
    """Recency, frequency, impact and explicit."""
    life = periods.stale_days * DAY
    return (
        3500 * min(life, max(0, life - max(0, seconds))) // life,
        3000 * min(times, OFTEN) // OFTEN,
        2000 * min(files, WIDE) // WIDE,
        1500 if explicit else 0,
    )


def age(seconds: int, periods: Periods) -> Age:
    """How old a note is that was last confirmed ``seconds`` ago."""
    if seconds >= periods.stale_days * DAY:
        return Age.STALE
    return Age.SUSPECT if seconds >= periods.suspect_days * DAY else Age.FRESH
