"""What a check found, as a plain object: findings in the order in which they are told, cut from the
bottom to fit. Facts, references and plain names; words are signed, or were asked for and fenced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from citator.mcp.answers import (
    COMMIT_DIGITS,
    ROWS_BYTES,
    decision_row,
    fill,
    horizon_row,
    rejection_row,
)
from citator.mcp.claimed import claim_row
from citator.mcp.definitions import compact
from citator.mcp.rows import fitted

if TYPE_CHECKING:
    from citator.service.answer_finding import Answered
    from citator.service.check_findings import Checked, Finding, RemovalNotice


def checked_object(found: Checked, secret: bytes) -> dict[str, Any]:
    """The answer: at most ROWS_BYTES of findings, then the texts that were asked for."""
    rows = [_finding(one) for one in found.findings]
    told: dict[str, Any] = {"findings": [], "blocked": found.blocked}
    told["base"] = found.base[:COMMIT_DIGITS]
    told["horizon"] = horizon_row(found.horizon)
    kept = fitted(rows, ROWS_BYTES - len(compact(told).encode()))
    told["findings"] = rows[:kept]
    if left_out := found.left_out + len(rows) - kept:
        told["left_out"] = left_out
    if found.unread:
        told["unread"] = found.unread
    if found.texts:
        told["texts"] = []
        fill(told, "texts", found.texts, secret)
    return told


def _finding(one: Finding) -> dict[str, Any]:
    row: dict[str, Any] = {"id": one.id, "kind": one.kind.value, "strength": one.strength.value}
    if one.path is not None:
        row["at"] = f"{one.path}:{one.line}" if one.line else one.path
    if one.blocks:
        row["blocks"] = True
    if one.predicate is not None:
        row["predicate"] = one.predicate
    if one.decision is not None:
        row["decision"] = decision_row(one.decision)
    if one.rejection is not None:
        row["rejection"] = rejection_row(one.rejection)
    if one.removal is not None:
        row["removal"] = _removal(one.removal)
    if one.claim is not None:
        row["claim"] = claim_row(one.claim)
    if one.partner is not None:
        row["because"] = one.partner.because
        row["changed_with_it"] = f"{one.partner.together} of {one.partner.of}"
    if one.name is not None:
        row["name"] = one.name
    if one.callers:
        row["callers"] = list(one.callers)
    return row


def _removal(one: RemovalNotice) -> dict[str, Any]:
    row: dict[str, Any] = {"commit": one.commit[:COMMIT_DIGITS], "date": one.date, "by": one.cause}
    row["what"] = one.what
    if one.name is not None and one.what != "file":
        row["name"] = one.name
    if one.what == "lines":
        row["share"] = one.share
    if one.also:
        row["also"] = one.also
    if one.reason is not None:
        row["ref"] = one.reason
    if one.says is not None:
        row["says"] = one.says
    return row


def answered_object(done: Sequence[Answered]) -> dict[str, Any]:
    """What was noted; ``proposal`` is what a challenge wrote, for a person to sign or not."""
    return {"answered": [_answered(one) for one in done]}


def _answered(one: Answered) -> dict[str, Any]:
    row: dict[str, Any] = {"id": one.id, "reply": one.reply.value}
    if one.withdrawn:
        row["withdrawn"] = True
    if one.proposal is not None:
        row["proposal"] = one.proposal.id or one.proposal.status
    return row
