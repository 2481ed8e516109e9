"""How the product does here: calls of its tools, how fresh the index is, what its predictions were
worth, which notes are noise. Numbers, ids and names of ours; only what was observed.

- A window of days up to now. A percentile is the smallest observed value that so many calls do
  not exceed (nearest rank): no value is made up between two.
- Predictions are told as tickets ended (``service/outcomes.py``): means over those that could be
  judged, and how many these are.
- A note is noise where what became of tickets speaks against it, or where it was shown in the work
  on three tickets or more and was of use in none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from citator.model.errors import UsageError
from citator.model.tokens import BYTES_A_TOKEN
from citator.service import outcomes
from citator.service.brief_health import Health, health
from citator.service.call_log import Call, calls
from citator.service.notes import judged
from citator.service.proposing import Moment
from citator.service.workspace import Workspace
from citator.team.outcomes import Outcome

DAYS: Final = 30
MOST_DAYS: Final = 3_650
MOST_NOISY: Final = 20
LEAST_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class ToolStats:
    """The calls of one tool: milliseconds at three percentiles, tokens (bytes / 4) of all answers
    and of the median one."""

    tool: str
    calls: int
    errors: int
    p50: float
    p95: float
    p99: float
    tokens: int
    median_tokens: int


@dataclass(frozen=True, slots=True)
class Predictions:
    """Tickets that ended in the window, and means over the ``judged`` ones; None without any.

    ``first`` is the share of them whose first predicted file was right.
    """

    completed: int
    reverted: int
    abandoned: int
    judged: int
    precision: float | None
    recall: float | None
    f1: float | None
    first: float | None


@dataclass(frozen=True, slots=True)
class NoisyNote:
    """A note that was ``shown`` in the work on so many tickets, what of them it ``helped``, and how
    many were ``reverted``."""

    id: str
    shown: int
    helped: int
    reverted: int


@dataclass(frozen=True, slots=True)
class Stats:
    """All of it, over ``days``."""

    days: int
    tools: tuple[ToolStats, ...]
    predictions: Predictions
    noisy: tuple[NoisyNote, ...]
    health: Health


def stats(workspace: Workspace, moment: Moment, days: int = DAYS) -> Stats:
    """What was observed in the last ``days``. Raises UsageError ``bad_window``, StorageError,
    IntegrityError."""
    if not 1 <= days <= MOST_DAYS:
        raise UsageError(
            "bad_window", f"a window is of 1 to {MOST_DAYS} days", "give --since as days: 30"
        )
    since = (datetime.fromisoformat(moment.text) - timedelta(days=days)).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )
    return Stats(
        days=days,
        tools=_tools(calls(workspace.place.local, since)),
        predictions=_predictions(outcomes.listing(workspace), since),
        noisy=_noisy(workspace, moment),
        health=health(workspace, moment),
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the sorted ``values`` that ``share`` (0 to 1) of them do not exceed."""
    return values[max(0, math.ceil(share * len(values)) - 1)]


def _tools(found: Iterable[Call]) -> tuple[ToolStats, ...]:
    by: dict[str, list[Call]] = {}
    for one in found:
        by.setdefault(one.tool, []).append(one)
    return tuple(_of_tool(tool, by[tool]) for tool in sorted(by))


def _of_tool(tool: str, some: Sequence[Call]) -> ToolStats:
    spent = sorted(one.milliseconds for one in some)
    sizes = sorted(-(-one.size // BYTES_A_TOKEN) for one in some)
    return ToolStats(
        tool=tool,
        calls=len(some),
        errors=sum(one.error is not None for one in some),
        p50=percentile(spent, 0.50),
        p95=percentile(spent, 0.95),
        p99=percentile(spent, 0.99),
        tokens=sum(sizes),
        median_tokens=int(percentile(sizes, 0.50)),
    )


def _predictions(told: Sequence[outcomes.Told], since: str) -> Predictions:
    ended = [one for one in told if one.time >= since]
    count = {kind: sum(one.outcome is kind for one in ended) for kind in Outcome}
    held = [one.judged for one in ended if one.judged is not None]
    held = [one for one in held if one.recall is not None]
    return Predictions(
        completed=count[Outcome.COMPLETED],
        reverted=count[Outcome.REVERTED],
        abandoned=count[Outcome.ABANDONED],
        judged=len(held),
        precision=_mean([one.precision for one in held]),
        recall=_mean([one.recall for one in held]),
        f1=_mean([one.f1 for one in held]),
        first=_mean([float(one.first == 1) for one in held]),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return round(sum(known) / len(known), 3) if known else None


def _noisy(workspace: Workspace, moment: Moment) -> tuple[NoisyNote, ...]:
    """The notes that are noise, those that were shown most first."""
    found = [
        NoisyNote(one.id, one.feedback.shown, one.feedback.helped, one.feedback.reverted)
        for one in judged(workspace, moment)
        if one.score.demoted or (one.feedback.shown >= LEAST_SHOWN and not one.feedback.helped)
    ]
    return tuple(sorted(found, key=lambda one: (-one.shown, one.id))[:MOST_NOISY])
