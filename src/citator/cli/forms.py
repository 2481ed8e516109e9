"""The JSON forms of what commands share (``docs/reference/json.md``, held by schema tests)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citator.cli.output import plain
from citator.model.evidence import Evidence, ReadItem
from citator.model.fence import fenced
from citator.model.horizon import Horizon
from citator.model.ruling import Governing

if TYPE_CHECKING:
    from citator.service.describe import Description
    from citator.service.reading_plan import ReadingPlan


def evidence_object(evidence: Evidence, description: Description | None = None) -> dict[str, Any]:
    """One item of evidence: every field of :class:`Evidence` by its name.

    ``words`` (subject and author) is there only where they were asked for.
    """
    form: dict[str, Any] = dict(plain(evidence))
    if description is not None:
        form["words"] = {"subject": description.subject, "author": description.author}
    return form


def read_object(item: ReadItem, secret: bytes) -> dict[str, Any]:
    """One text that was asked for, fenced; None where there is none."""
    form = dict(plain(item))
    form["text"] = None if item.problem else fenced(item.text, secret, procedure=item.procedure)
    return form


def horizon_object(horizon: Horizon) -> dict[str, Any]:
    """What the answer could and could not see."""
    return {**plain(horizon), "complete": horizon.complete}


def record_object(record: Governing) -> dict[str, Any]:
    """What the record says: ``rejections`` and ``decisions``, every field by its name."""
    return {
        "rejections": [plain(one) for one in record.rejections],
        "decisions": [plain(one) for one in record.decisions],
        "decisions_left_out": record.left_out,
    }


def plan_object(plan: ReadingPlan) -> dict[str, Any]:
    """A reading plan: how many files, and the share of cases in which so many hold all."""
    return {
        "cases": plan.cases,
        "files": plan.files,
        "share": round(plan.share(plan.files), 3),
        "held": list(plan.held),
        "widened": plan.widened,
    }
