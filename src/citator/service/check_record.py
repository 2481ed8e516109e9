"""What the record says of an intended change: what it refuses, rejected and governs.

- It is read at the base of the change, for one audience: what the change itself writes has no part.
- Only a predicate that an approved decision carries blocks, signed by a key and in force now.
- Of words only what is signed is carried.
- It is looked for only where there is a ledger: what reads one is loaded then, and not before.
"""

from __future__ import annotations

from typing import Final

from citator.guard.change import Change
from citator.guard.refusals import refused_by
from citator.guard.rejected import said_by
from citator.guard.resurrections import Strength
from citator.model.plain import shown_path
from citator.model.ruling import Governing
from citator.model.visibility import Audience
from citator.record.outcome import refuse_of
from citator.service.check_findings import MAX_PATHS, Finding, FindingKind, Gathered, finding_id
from citator.service.governing import Asked, Chosen, depth, evidence, governing, notice
from citator.service.intent import Intent
from citator.service.kept_views import RecordView
from citator.service.record_view import verified, view_of
from citator.service.workspace import Workspace
from citator.trust.assurance import Signature

MOST_DECISIONS: Final = 8
MOST_REJECTIONS: Final = 8


def from_record(
    base: Workspace, audience: Audience, intent: Intent, change: Change, time: str, found: Gathered
) -> None:
    """Add to ``found`` what the record at ``base`` says to ``audience``. ``time`` is now."""
    if intent.approach:
        said = governing(
            base, audience, Asked(intent.approach, MOST_DECISIONS, change.paths[:MAX_PATHS])
        )
        _of_words(said, found)
        return
    view = view_of(base, audience)
    if view is None:
        return
    try:
        _refused(base, view, change, time, found)
        _of_change(base, view, change, found)
    finally:
        view.partition.close()


def _of_words(said: Governing, found: Gathered) -> None:
    for told in said.rejections[:MOST_REJECTIONS]:
        id = finding_id(FindingKind.REJECTED, told.rejection)
        found.findings.append(Finding(id, FindingKind.REJECTED, Strength.FAIR, rejection=told))
    for one in said.decisions:
        id = finding_id(FindingKind.GOVERNED, one.item)
        strength = Strength.STRONG if one.governs else Strength.FAIR
        found.findings.append(Finding(id, FindingKind.GOVERNED, strength, decision=one))
    found.left_out += said.left_out + max(0, len(said.rejections) - MOST_REJECTIONS)


def _refused(base: Workspace, view: RecordView, change: Change, time: str, found: Gathered) -> None:
    """What decisions in force refuse, each once; only what a key signed, verified at the base."""
    if not view.refusing:
        return
    held = verified(base, view, view.refusing)
    for revision, there in sorted(held.items()):
        number = next(iter(view.partition.named(revision)), None)
        values = there.revision.values if there.revision is not None else {}
        refuse = refuse_of(values)
        if number is None or refuse is None:
            continue
        text = view.partition.read(number)
        signed = view.assurance_of(revision).signature >= Signature.KEY
        if not signed or text.held_from > time or (text.held_until or time) < time:
            continue
        hit = refused_by(change, refuse, values.get("paths", ()))
        if hit is not None:
            found.findings.append(
                Finding(
                    finding_id(FindingKind.REFUSED, text.item, hit.predicate),
                    FindingKind.REFUSED,
                    Strength.STRONG,
                    shown_path(hit.path),
                    hit.line,
                    decision=evidence(view, Chosen(text, governs=True), there),
                    predicate=hit.predicate,
                    blocks=True,
                )
            )


def _of_change(base: Workspace, view: RecordView, change: Change, found: Gathered) -> None:
    spoken = said_by(change, view.rejections)
    for one in spoken[:MOST_REJECTIONS]:
        told = notice(one.rejected)
        found.findings.append(
            Finding(
                finding_id(FindingKind.REJECTED, told.rejection),
                FindingKind.REJECTED,
                Strength.STRONG if one.named else Strength.FAIR,
                shown_path(one.path),
                one.line,
                rejection=told,
            )
        )
    found.left_out += max(0, len(spoken) - MOST_REJECTIONS)
    paths = change.paths[:MAX_PATHS]
    first: dict[int, str] = {}
    for path in paths:
        for number in view.partition.governing(path):
            first.setdefault(number, path)
    texts = [one for one in map(view.partition.read, first) if one.current]
    texts.sort(key=lambda one: (one.status.value != "approved", -depth(one), one.item))
    shown = texts[:MOST_DECISIONS]
    held = verified(base, view, [one.revision for one in shown])
    for text in shown:
        if text.revision in held:
            found.findings.append(
                Finding(
                    finding_id(FindingKind.GOVERNED, text.item),
                    FindingKind.GOVERNED,
                    Strength.STRONG,
                    shown_path(first[text.number]),
                    decision=evidence(view, Chosen(text, governs=True), held[text.revision]),
                )
            )
    found.left_out += len(texts) - len(shown)
