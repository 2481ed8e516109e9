"""How far to read in an answer of locate: what past fixes of this repository say.

    local/calibration/locate.json

- ``held``: of the past cases, in how many the first 1 … 10 files held every changed file.
- The curve corrects a confidence: a logistic one, fitted on the first three files of each case
  against what the shipped curve said, and held back towards it by :data:`_PRIOR` imagined cases.
  It keeps the order of the files.
- The curve is used only where the past shows a gain beyond chance: fitted on every second case and
  judged on the others, both ways, the first file has a Brier score that is lower by two standard
  errors, and no higher calibration error. Where not, the confidences stay those of the shipped
  curve: a fix is told by who knows the answer, and a small gain there was a loss on issues.
- Neither is used below :data:`ENOUGH` cases, nor where another engine ranked them
  (:func:`citator.service.replayed_cases.engine`), nor where part of the history is not for whom
  the operator granted: counts would tell of it.
- Tickets that were finished here (:func:`citator.service.outcomes.cases`) join the curve, each in
  the place of the past fix that its commit is. A ticket is told by who does not know the answer;
  but fewer than ten files may have been predicted for it, so that how far to read is of past
  fixes where these are enough.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from citator.model.visibility import Audience
from citator.service.measures import curve, expected_error
from citator.service.readership import mask_of
from citator.service.replayed_cases import FOLDER, TOP, Case, engine
from citator.service.workspace import Workspace
from citator.store.files import guarded, make_directory, write_atomically

FORMAT: Final = 1
NAME: Final = "locate.json"
ENOUGH: Final = 30
GOOD_SHARE: Final = 0.8
_FITTED: Final = 3
_PRIOR: Final = 10.0
_ERRORS: Final = 2.0
_STEPS: Final = 25
_LEAST: Final = 1e-6


class Calibrated(StrEnum):
    """Whether this repository has a calibration of locate."""

    NO = "no"
    STALE = "stale"
    YES = "yes"


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """``cases`` past fixes, with ``widened`` past changes; ``held`` (10,), see the module; the
    curve's ``slope``, ``offset``, in which ``tickets`` take part. Where past fixes are too few the
    cases are tickets (``of_tickets``)."""

    cases: int
    held: tuple[int, ...]
    slope: float = 1.0
    offset: float = 0.0
    widened: bool = False
    tickets: int = 0
    of_tickets: bool = False

    @property
    def kind(self) -> str:
        """What the cases are, in our own words."""
        if self.of_tickets:
            return "finished tickets"
        return "past changes" if self.widened else "past fixes"

    def share(self, k: int) -> float:
        """Of the cases, the share in which the first ``k`` (1 to 10) files hold all."""
        return self.held[k - 1] / self.cases

    @property
    def corrects(self) -> bool:
        """Whether it corrects confidences, or only says how far to read."""
        return (self.slope, self.offset) != (1.0, 0.0)

    @property
    def files(self) -> int:
        """How many files to read: the fewest that held all in four of five cases, else ten."""
        return next((k for k in range(1, TOP) if self.share(k) >= GOOD_SHARE), TOP)

    def corrected(self, confidence: float) -> float:
        """What ``confidence`` (0 to 1, of the shipped curve) means in this repository."""
        return Curve(self.slope, self.offset)(confidence)


def plan_of(
    cases: Sequence[Case], *, widened: bool = False, tickets: Sequence[Case] = ()
) -> ReadingPlan | None:
    """The plan that past fixes and finished tickets give; None where they are too few."""
    of_tickets = len(cases) < ENOUGH
    counted = tickets if of_tickets else cases
    if len(counted) < ENOUGH:
        return None
    held = tuple(sum(one.held(k) for one in counted) for k in range(1, TOP + 1))
    plan = ReadingPlan(len(counted), held, widened=widened, of_tickets=of_tickets)
    return _with_curve(plan, cases, tickets)


def recalibrated(
    plan: ReadingPlan | None, cases: Sequence[Case], tickets: Sequence[Case]
) -> ReadingPlan | None:
    """The plan with a curve that ``tickets`` take part in; how far to read stays what past fixes
    said."""
    if plan is None or plan.of_tickets:
        return plan_of((), tickets=tickets)
    return _with_curve(plan, cases, tickets)


def _with_curve(plan: ReadingPlan, cases: Sequence[Case], tickets: Sequence[Case]) -> ReadingPlan:
    told = {one.commit for one in tickets}
    both = [*(one for one in cases if one.commit not in told), *tickets]
    used = curve_of(both) if HeldOut.of(both).gains else Curve()
    slope, offset = round(used.slope, 4), round(used.offset, 4)
    return replace(plan, slope=slope, offset=offset, tickets=len(tickets))


@dataclass(frozen=True, slots=True)
class Curve:
    """What moves a confidence; by itself it moves none."""

    slope: float = 1.0
    offset: float = 0.0

    def __call__(self, confidence: float) -> float:
        return _logistic(self.slope * _logit(confidence) + self.offset)


def curve_of(cases: Sequence[Case]) -> Curve:
    """The curve that cases give."""
    return _fitted(
        (_logit(sure), number in one.places)
        for one in cases
        for number, sure in enumerate(one.sure[:_FITTED], 1)
    )


@dataclass(frozen=True, slots=True)
class HeldOut:
    """How sure the first file was and whether it was changed, case by case: by the ``shipped``
    curve, and by one's ``own`` of the cases that do not stand in the same half."""

    shipped: tuple[tuple[float, bool], ...]
    own: tuple[tuple[float, bool], ...]

    @classmethod
    def of(cls, cases: Sequence[Case]) -> HeldOut:
        """Every second case, judged by the others, both ways."""
        curves = curve_of(cases[1::2]), curve_of(cases[::2])
        ranked = [(number % 2, one) for number, one in enumerate(cases) if one.sure]
        return cls(
            tuple((one.sure[0], 1 in one.places) for _, one in ranked),
            tuple((curves[half](one.sure[0]), 1 in one.places) for half, one in ranked),
        )

    @property
    def gains(self) -> bool:
        """Whether one's own curve is better, beyond chance."""
        won = [
            (before - right) ** 2 - (after - right) ** 2
            for (before, right), (after, _) in zip(self.shipped, self.own, strict=True)
        ]
        if len(won) < ENOUGH:
            return False
        mean = sum(won) / len(won)
        spread = sum((one - mean) ** 2 for one in won) / (len(won) - 1)
        beyond = mean > _ERRORS * math.sqrt(spread / len(won))
        return beyond and scores(self.own)[1] <= scores(self.shipped)[1]


def scores(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """The Brier score and the calibration error."""
    bins = curve([sure for sure, _ in pairs], [right for _, right in pairs])
    brier = sum((sure - right) ** 2 for sure, right in pairs) / max(len(pairs), 1)
    return brier, expected_error(bins)


def sentence(plan: ReadingPlan) -> str:
    """The plan in our own words."""
    k = plan.files
    files = "file holds" if k == 1 else f"{k} files hold"
    share = round(100 * plan.share(k))
    return f"The first {files} every changed file in {share} % of {plan.cases} {plan.kind} here."


def plan_for(workspace: Workspace, audience: Audience | None = None) -> ReadingPlan | None:
    """The plan of this repository, where there is one that may be used."""
    return calibration_of(workspace, audience)[1]


def calibration_of(
    workspace: Workspace, audience: Audience | None = None
) -> tuple[Calibrated, ReadingPlan | None]:
    """Whether there is a plan, and the plan that may be used."""
    try:
        said = json.loads(_path(workspace).read_bytes())
        if said["format"] != FORMAT or said["engine"] != engine():
            return _seen(workspace, audience, Calibrated.STALE, None)
        plan = ReadingPlan(
            cases=int(said["cases"]),
            held=tuple(int(one) for one in said["held"]),
            slope=float(said["slope"]),
            offset=float(said["offset"]),
            widened=said.get("widened") is True,
            tickets=int(said.get("tickets", 0)),
            of_tickets=said.get("of_tickets") is True,
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return Calibrated.NO, None
    sound = len(plan.held) == TOP and plan.cases >= max(ENOUGH, *plan.held) and plan.slope > 0
    if not sound or not math.isfinite(plan.slope + plan.offset):
        return Calibrated.NO, None
    return _seen(workspace, audience, Calibrated.YES, plan)


def _seen(
    workspace: Workspace, audience: Audience | None, state: Calibrated, plan: ReadingPlan | None
) -> tuple[Calibrated, ReadingPlan | None]:
    hides = mask_of(workspace, audience).hides
    return (Calibrated.NO, None) if hides else (state, plan)


def save(workspace: Workspace, plan: ReadingPlan | None, ranked_by: str) -> None:
    """Keep the plan, of cases that ``ranked_by`` (an engine) ranked, or none. Raises
    StorageError."""
    if plan is None:
        with guarded(), suppress(FileNotFoundError):
            _path(workspace).unlink()
        return
    said = {
        "format": FORMAT,
        "engine": ranked_by,
        "cases": plan.cases,
        "held": list(plan.held),
        "slope": plan.slope,
        "offset": plan.offset,
        "widened": plan.widened,
        "tickets": plan.tickets,
        "of_tickets": plan.of_tickets,
    }
    make_directory(_path(workspace).parent)
    write_atomically(_path(workspace), (json.dumps(said, indent=1) + "\n").encode("ascii"))


def _path(workspace: Workspace) -> Path:
    return workspace.place.local / FOLDER / NAME


def _logit(share: float) -> float:
    share = min(max(share, _LEAST), 1 - _LEAST)
    return math.log(share / (1 - share))


def _logistic(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(max(logit, -60.0), 60.0)))


def _fitted(pairs: Iterable[tuple[float, bool]]) -> Curve:
    """The likeliest logistic curve, near the one that changes nothing."""
    known = list(pairs)
    slope, offset = 1.0, 0.0
    for _ in range(_STEPS):
        ga, gb = _PRIOR * (slope - 1.0), _PRIOR * offset
        haa, hab, hbb = _PRIOR, 0.0, _PRIOR
        for logit, right in known:
            p = _logistic(slope * logit + offset)
            weight = p * (1 - p)
            ga += (p - right) * logit
            gb += p - right
            haa += weight * logit * logit
            hab += weight * logit
            hbb += weight
        scale = haa * hbb - hab * hab
        slope -= (ga * hbb - gb * hab) / scale
        offset -= (gb * haa - ga * hab) / scale
    return Curve(max(slope, 0.05), offset)
