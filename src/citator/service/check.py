"""The guard: what bears on a change before it is made, for whom the operator granted.

- The record is read at the base of the change, and so are the configuration and the policy: text
  that the change itself writes has no authority over it.
- What is found carries references, facts and plain names; of words only what is signed, or what the
  operator trusts. What is asked to be read is handed out apart, to be fenced.
- Nothing found is nothing said. Only a predicate that an approved decision carries blocks, where
  the policy turned that on.
- What a commit removed is told of only where all that it touches may be seen.
- What only some checks need is imported where it is needed: a hook runs this for every commit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from citator.git.commit_objects import commit_of
from citator.git.intended import lines_holding
from citator.git.objects import ObjectReader, Unread
from citator.guard.change import Change
from citator.guard.resurrections import (
    Brought,
    Resurrection,
    Strength,
    brought_by,
    brought_by_words,
    resurrections,
    settled,
)
from citator.guard.signatures import Called, changed_signatures
from citator.index.nothing import NothingSeen
from citator.index.removals import Removals
from citator.model.errors import StorageError
from citator.model.evidence import ReadItem
from citator.model.horizon import Horizon, HorizonFact, Limit
from citator.model.inert import inert
from citator.model.plain import is_plain, shown_path
from citator.model.reference import Ref
from citator.model.ruling import Governing
from citator.model.visibility import Audience
from citator.record.outcome import refuse_of
from citator.service import guard_log
from citator.service.check_findings import (
    Checked,
    Finding,
    FindingKind,
    RemovalNotice,
    Wanted,
    finding_id,
)
from citator.service.guard_log import Shown, Tally
from citator.service.horizon import Seen, horizon_of
from citator.service.intent import Intent, based, change_of
from citator.service.kept_views import RecordView
from citator.service.readership import Mask, mask_of
from citator.service.record_view import audience_of, verified, view_of
from citator.service.removed import is_long
from citator.service.trusted_words import reasons
from citator.service.workspace import Workspace, require_commits
from citator.team.claim_store import Claims
from citator.trust.assurance import Signature

MAX_PATHS: Final = 300
MOST_DECISIONS: Final = 8
MOST_REJECTIONS: Final = 8
MOST_RESURRECTIONS: Final = 8
MOST_PARTNERS: Final = 5
MOST_CLAIMS: Final = 5
MOST_LOOKED_FOR: Final = 60  # of at most 400 characters each: what every system takes as arguments
COMMIT_BYTES: Final = 1 << 20
REMOVALS: Final = "removals"
PARTNERS: Final = "cochange"
_WORD: Final = re.compile(r"--[a-z][a-z0-9-]{2,60}|@?[A-Za-z0-9_][A-Za-z0-9_.+/-]{1,99}")

Report = Callable[[int], None]


@dataclass(slots=True)
class _Found:
    findings: list[Finding] = field(default_factory=list)
    left_out: int = 0
    off: list[str] = field(default_factory=list)


def check(
    workspace: Workspace,
    intent: Intent,
    time: str,
    wanted: Wanted | None = None,
    audience: Audience | None = None,
    report: Report | None = None,
) -> Checked:
    """Hold a change against what is known. ``time`` is now (RFC 3339), for what is shown.

    Raises UsageError, NotFoundError for a base that is no commit, RefusedError ``no_commits``,
    GitRefusedError, StorageError.
    """
    asked = wanted or Wanted()
    asker = audience or audience_of(workspace)
    mask = mask_of(workspace, asker)
    base = based(workspace, intent)
    change = change_of(workspace, base, intent)
    found = _Found()
    _from_record(base, asker, intent, change, time, found)
    _from_history(base, mask, intent, change, asked, found, report)
    _from_partners(base, change, asked, found)
    _from_claims(workspace, mask, change, time, found)
    known = guard_log.tallies(workspace)
    findings = _shown(found, known, every=asked.every)
    if not asked.quiet:
        shown = [Shown(one.id, one.kind.value, one.subject, one.mined) for one in findings]
        guard_log.note_shown(workspace, known, shown, require_commits(base), time)
    return Checked(
        findings=tuple(findings),
        files=len(change.files),
        unread=change.unread,
        left_out=found.left_out,
        base=require_commits(base),
        horizon=_horizon(base, mask, change, found.off),
        texts=tuple(_texts(base, findings, asked.read)),
    )


def _shown(found: _Found, known: Mapping[str, Tally], *, every: bool) -> list[Finding]:
    """What is told: not what has withdrawn itself, unless all is asked for."""
    order = list(FindingKind)
    kept = [
        one for one in found.findings if every or one.id not in known or not known[one.id].withdrawn
    ]
    return sorted(kept, key=lambda one: (not one.blocks, order.index(one.kind)))


# -- the record


def _from_record(
    base: Workspace, audience: Audience, intent: Intent, change: Change, time: str, found: _Found
) -> None:
    if intent.approach:
        from citator.service.governing import Asked, governing

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


def _of_words(said: Governing, found: _Found) -> None:
    for told in said.rejections[:MOST_REJECTIONS]:
        id = finding_id(FindingKind.REJECTED, told.rejection)
        found.findings.append(Finding(id, FindingKind.REJECTED, Strength.FAIR, rejection=told))
    for one in said.decisions:
        id = finding_id(FindingKind.GOVERNED, one.item)
        strength = Strength.STRONG if one.governs else Strength.FAIR
        found.findings.append(Finding(id, FindingKind.GOVERNED, strength, decision=one))
    found.left_out += said.left_out + max(0, len(said.rejections) - MOST_REJECTIONS)


def _refused(base: Workspace, view: RecordView, change: Change, time: str, found: _Found) -> None:
    """What decisions in force refuse, each once; only what a key signed, verified at the base."""
    if not view.refusing:
        return
    from citator.guard.refusals import refused_by
    from citator.service.governing import Chosen, evidence

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


def _of_change(base: Workspace, view: RecordView, change: Change, found: _Found) -> None:
    from citator.guard.rejected import said_by
    from citator.service.governing import Chosen, depth, evidence, notice

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


# -- history


def _from_history(
    base: Workspace,
    mask: Mask,
    intent: Intent,
    change: Change,
    asked: Wanted,
    found: _Found,
    report: Report | None,
) -> None:
    if intent.approach:
        brought = brought_by_words(_WORD.findall(intent.approach))
    else:
        brought = brought_by(change)
    made = _resurrections(base, mask, brought, asked, found, report)
    if not asked.every:
        made = [one for one in made if one.strength is not Strength.WEAK]
    made = made[:MOST_LOOKED_FOR]
    signatures = [] if intent.approach else changed_signatures(change)
    names = [one.name for one in signatures if one.distinctive]
    texts = [*(one.place.text for one in made), *names]
    lines = lines_holding(base.repository, require_commits(base), texts, mask.covers)
    back = settled(made, lines)
    shown = back[:MOST_RESURRECTIONS]
    said = reasons(base, [one.found.commit for one in shown]) if shown else {}
    found.findings += [_resurrected(one, said.get(one.found.commit)) for one in shown]
    found.left_out += max(0, len(back) - MOST_RESURRECTIONS)
    if signatures:
        from citator.service.callers import known_callers

        called = known_callers(base, signatures, lines, frozenset(change.paths), mask)
        found.findings += [_called(one) for one in called]


def _resurrections(
    base: Workspace,
    mask: Mask,
    brought: Brought,
    asked: Wanted,
    found: _Found,
    report: Report | None,
) -> list[Resurrection]:
    """What comes back, of what left by commits that may be seen."""
    if not brought.places or mask.everything:
        return []
    try:
        with Removals(base.place.derived) as removals:
            commit = require_commits(base)
            view = removals.view(commit)
            if view is None:
                if asked.patience is not None and is_long(
                    base.repository, removals, commit, asked.patience
                ):
                    found.off.append(REMOVALS)
                    return []
                view = removals.bring_up(base.repository, commit, report)
            if mask.hides:
                view = removals.without(view, mask.covers_any)
            return resurrections(brought, removals.found(list(brought.places), view))
    except StorageError:
        found.off.append(REMOVALS)
        return []


def _resurrected(one: Resurrection, says: str | None) -> Finding:
    found = one.found
    day = datetime.fromtimestamp(found.at, UTC).date().isoformat() if found.at else ""
    name = found.name if found.name and is_plain(found.name) else None
    return Finding(
        finding_id(FindingKind.RESURRECTION, found.commit),
        FindingKind.RESURRECTION,
        one.strength,
        shown_path(one.place.path) if one.place.path else None,
        one.place.line,
        removal=RemovalNotice(
            commit=found.commit,
            date=day,
            cause=found.cause.name.lower(),
            what=found.kind.name.lower(),
            name=name,
            path=shown_path(found.path),
            line=found.line,
            share=round(one.share, 2),
            also=one.also,
            reason=Ref(found.ref) if found.ref else None,
            says=says,
        ),
    )


def _called(one: Called) -> Finding:
    changed = one.changed
    return Finding(
        finding_id(FindingKind.CALLERS, changed.path, changed.name),
        FindingKind.CALLERS,
        Strength.FAIR,
        shown_path(changed.path),
        changed.line,
        name=changed.name if is_plain(changed.name) else None,
        callers=tuple(map(shown_path, one.callers)),
    )


def _from_partners(base: Workspace, change: Change, asked: Wanted, found: _Found) -> None:
    if not change.files:
        return
    from citator.service.cochange import cochange_of, is_late

    if asked.patience is not None and is_late(base):
        found.off.append(PARTNERS)
        return
    partners = cochange_of(base, change.paths)
    for one in partners[:MOST_PARTNERS]:
        id = finding_id(FindingKind.PARTNER, one.because, one.path)
        found.findings.append(
            Finding(id, FindingKind.PARTNER, Strength.FAIR, one.path, partner=one)
        )
    found.left_out += max(0, len(partners) - MOST_PARTNERS)


def _from_claims(
    workspace: Workspace, mask: Mask, change: Change, time: str, found: _Found
) -> None:
    """Who else says that they work on these files."""
    if not Claims(workspace.place.local).folder.is_dir():
        return
    from citator.service.conflicts import met

    near = met(
        workspace, change.paths[:MAX_PATHS], (), time, branches=False, scopes=False, mask=mask
    ).conflicts
    for one in near[:MOST_CLAIMS]:
        assert one.claim is not None
        id = finding_id(FindingKind.CLAIMED, one.claim.id)
        found.findings.append(
            Finding(id, FindingKind.CLAIMED, Strength.FAIR, one.paths[0], claim=one.notice)
        )
    found.left_out += max(0, len(near) - MOST_CLAIMS)


# -- beside it


def _horizon(base: Workspace, mask: Mask, change: Change, off: Sequence[str]) -> Horizon:
    horizon = horizon_of(base, None, off, Seen(NothingSeen(), mask))
    facts = []
    if change.unread:
        facts.append(HorizonFact(Limit.TOO_LARGE, change.unread))
    if change.cut:
        facts.append(HorizonFact(Limit.CUT_LONG))
    return horizon.having(facts)


def _texts(base: Workspace, findings: Iterable[Finding], most: int) -> Iterable[ReadItem]:
    """The messages of the first ``most`` removals, as they are served: redacted and inert."""
    wanted = [one.removal for one in findings if one.removal is not None][:most]
    return [said_by_commit(base, one.commit) for one in wanted]


def said_by_commit(workspace: Workspace, commit: str) -> ReadItem:
    """What a commit says, bounded; a problem where it cannot be read or explains nothing."""
    with ObjectReader(workspace.repository) as objects:
        read = objects.read(commit, COMMIT_BYTES)
    if isinstance(read, Unread) or read.kind != "commit":
        return ReadItem(commit, problem="damaged", locator=commit)
    from citator.sources.commits import document_of

    document = document_of(commit_of(commit, read.content, ()))
    if document is None:
        return ReadItem(commit, problem="unknown_ref", locator=commit)
    first = document.passages[0]
    return ReadItem(
        ref=str(first.ref),
        text=inert(first.text),
        lines=(first.start, first.end),
        truncated=len(document.passages) > 1,
        locator=commit,
        redactions=document.redactions,
    )
