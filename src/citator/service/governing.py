"""What the record says to a question, or about paths: for one audience, each text verified anew.

- Rejections come first: they are the only knowledge that leaves no trace in code.
- A ruling travels only where a pinned key signed it; a decision below what policy asks for is shown
  as what it is, and only to those who see what is unapproved.
- What cannot be verified at this moment is left out, and told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citator.formats.globs import usable
from citator.git.records import Repository
from citator.index.analysis import Analyser
from citator.index.partition import Partition, Text
from citator.model.evidence import ClaimState
from citator.model.inert import inert_line
from citator.model.record import RULING_CHARACTERS, ItemKind, RecordStatus, Rejected
from citator.model.ruling import DecisionEvidence, Governing, RejectionNotice
from citator.model.treatment import Standing, StandingReason, Verdict
from citator.model.visibility import Audience
from citator.record.folding import folded
from citator.record.migration import Migration
from citator.record.rejections import holds_words, may_meet
from citator.search.decisions import DecisionHit, search_decisions
from citator.search.stop_words import ACTS, ENGLISH, plain_form
from citator.service.kept_views import RecordView
from citator.service.record_view import verified, view_of
from citator.service.treatment import Treatments, treatments
from citator.service.workspace import Workspace
from citator.sources.redaction import redact
from citator.trust.assurance import Signature

UNVERIFIED = "decision_unverified"
MOST_BROUGHT = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to the record. ``paths`` are files it is about; ``as_of`` (an RFC 3339 time) asks
    what held then, ``at`` (a whole commit id that HEAD has) what was recorded by then;
    ``predicted`` are files it may be about: they bring a few decisions, behind those of ``paths``.
    ``now`` is the time against which validity is held for the standing, None leaves it unread.
    """

    text: str
    limit: int = 5
    paths: tuple[str, ...] = ()
    kinds: tuple[ItemKind, ...] = ()
    as_of: str | None = None
    at: str | None = None
    now: str | None = None
    predicted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chosen:
    """A text to show, and why."""

    text: Text
    hit: DecisionHit | None = None
    governs: bool = field(default=False)
    brought_by: str | None = None


def governing(workspace: Workspace, audience: Audience, asked: Asked) -> Governing:
    """What the record says. Nothing where there is none, or none that the audience may see.

    Raises UsageError ``invalid_time``, NotFoundError ``unknown_ref`` for a commit that HEAD has
    not, GitRefusedError, StorageError.
    """
    view = view_of(workspace, audience, asked.at)
    if view is None:
        return Governing()
    try:
        return _said(workspace, audience, view, asked)
    finally:
        view.partition.close()


def governing_paths(
    workspace: Workspace, audience: Audience, paths: Sequence[str], limit: int, now: str
) -> Governing:
    """What holds at ``paths``, whatever was asked: rejections whose scope holds one (no scope holds
    all), those of a scope first and of these the newest; decisions, the nearest scope first.

    At most ``limit`` of each. Raises as :func:`governing`.
    """
    view = view_of(workspace, audience)
    if view is None:
        return Governing()
    try:
        there = [one for one in view.rejections if _holds_one(one, paths)]
        there.sort(key=lambda one: one.id)
        there.sort(key=lambda one: (bool(one.scope), one.at), reverse=True)
        chosen = _governing(view.partition, Asked("", paths=tuple(paths)))
        shown = chosen[:limit]
        held = verified(workspace, view, [one.text.revision for one in shown])
        kept = [one for one in shown if one.text.revision in held]
        return Governing(
            decisions=_evidence_of(workspace, audience, view, kept, held, now),
            rejections=tuple(map(notice, there[:limit])),
            left_out=len(chosen) - len(shown) + max(0, len(there) - limit),
            facts=tuple(sorted({*view.facts, *([UNVERIFIED] if len(kept) < len(shown) else [])})),
        )
    finally:
        view.partition.close()


def _holds_one(rejected: Rejected, paths: Sequence[str]) -> bool:
    if not rejected.scope:
        return True
    patterns = usable(rejected.scope)
    return any(one.fullmatch(path) for one in patterns for path in paths)


def _said(workspace: Workspace, audience: Audience, view: RecordView, asked: Asked) -> Governing:
    analyser = Analyser()
    found = search_decisions(
        view.partition,
        asked.text,
        asked.limit,
        kinds=asked.kinds,
        as_of=asked.as_of,
        analyser=analyser,
    )
    named = _governing(view.partition, asked)
    brought = _brought(view.partition, asked, {one.text.number for one in named})
    hits = [
        Chosen(view.partition.read(hit.number), hit, brought_by=brought.get(hit.number))
        for hit in found.hits
        if hit.revision not in {one.text.revision for one in named}
    ]
    met = {one.text.number for one in hits}
    more = [
        Chosen(view.partition.read(number), brought_by=path)
        for number, path in brought.items()
        if number not in met
    ][:MOST_BROUGHT]
    room = max(0, asked.limit - len(named) - len(more))
    chosen = [*named, *hits, *more]
    shown = [*named, *hits[:room], *more][: asked.limit]
    held = verified(workspace, view, [one.text.revision for one in shown])
    facts = set(view.facts)
    if len(held) < len({one.text.revision for one in shown}):
        facts.add(UNVERIFIED)
    kept = [one for one in shown if one.text.revision in held]
    return Governing(
        decisions=_evidence_of(workspace, audience, view, kept, held, asked.now),
        rejections=tuple(notice(one) for one in spoken_of(view.rejections, asked, analyser)),
        left_out=found.left_out + len(chosen) - len(shown),
        facts=tuple(sorted(facts)),
    )


def _governing(partition: Partition, asked: Asked) -> list[Chosen]:
    """The texts in force now whose scope holds a path that was named, the nearest scope first."""
    if asked.as_of is not None or not asked.paths:
        return []
    numbers = {number for path in asked.paths for number in partition.governing(path)}
    texts = [partition.read(number) for number in numbers]
    kept = [one for one in texts if one.current and (not asked.kinds or one.kind in asked.kinds)]
    kept.sort(key=lambda one: (one.status is not RecordStatus.APPROVED, -depth(one), one.item))
    return [Chosen(one, governs=True) for one in kept]


def _brought(partition: Partition, asked: Asked, named: set[int]) -> dict[int, str]:
    """The approved texts whose scope holds a predicted file, each with the likeliest that it holds:
    those of likelier files first, and of one file the nearest scope."""
    found: dict[int, str] = {}
    if asked.as_of is not None or asked.at is not None:
        return found
    for path in asked.predicted:
        new = [one for one in partition.governing(path) if one not in named and one not in found]
        texts = [one for one in map(partition.read, new) if one.status is RecordStatus.APPROVED]
        for one in sorted(texts, key=lambda one: (-depth(one), one.item)):
            if one.current and (not asked.kinds or one.kind in asked.kinds):
                found[one.number] = path
    return found


def depth(text: Text) -> int:
    """How long its longest pattern is: a nearer scope has a longer one."""
    return max((len(pattern) for pattern in text.paths), default=0)


def spoken_of(rejections: Sequence[Rejected], asked: Asked, analyser: Analyser) -> list[Rejected]:
    """The rejections that the question speaks of, about paths it may be about, oldest first.

    It does where it says the value in whole words, or every word of it that carries something.
    """
    said = folded(asked.text)
    terms = set(analyser.terms(asked.text))
    found = (
        one
        for one in rejections
        if one.folded
        and (holds_words(said, one.folded) or _carried(one.folded, analyser) <= terms)
        and may_meet(one.scope, asked.paths)
        and (not asked.kinds or one.kind is None or one.kind in asked.kinds)
    )
    return sorted(found, key=lambda one: (one.at, one.id))


def _carried(value: str, analyser: Analyser) -> set[str]:
    """The terms of a value that carry something: whatever is proposed is to be used or added."""
    words = analyser.split(value)
    for left_out in (ENGLISH | ACTS, ENGLISH, frozenset[str]()):
        kept = [word for word in words if plain_form(word) not in left_out]
        if kept:
            return {term for word in kept for term in analyser.of_word(word)}
    return {value}


def _evidence_of(
    workspace: Workspace,
    audience: Audience,
    view: RecordView,
    chosen: Sequence[Chosen],
    held: Mapping[str, Migration],
    now: str | None,
) -> tuple[DecisionEvidence, ...]:
    if not chosen:
        return ()
    with treatments(workspace, audience, now, view=view) as treated:
        return tuple(evidence(view, one, held[one.text.revision], treated) for one in chosen)


def evidence(
    view: RecordView, one: Chosen, there: Migration, treated: Treatments | None = None
) -> DecisionEvidence:
    """What may be told of a text that was verified: ``there`` is what stands in the file.

    It stands as ``treated`` says; None: as the record alone says. A proposal stands nowhere yet.
    """
    verdict = Verdict(Standing.UNASSESSED, StandingReason.PROPOSED)
    if one.text.status is RecordStatus.APPROVED:
        verdict = (treated or Treatments(None, view)).decision(one.text.item)
    text, partition = one.text, view.partition
    assurance = view.assurance_of(text.revision)
    if one.hit is None:
        row = partition.row(int(partition.array("first_unit")[text.number]))
        ref, lines, characters = row.ref, (row.start, row.end), len(row.text)
    else:
        ref, lines, characters = one.hit.ref, one.hit.lines, one.hit.characters
    return DecisionEvidence(
        ref=ref,
        item=text.item,
        revision=text.revision,
        kind=text.kind,
        status=text.status,
        sensitivity=text.sensitivity,
        signature=assurance.signature.value,
        landed=assurance.landed.value,
        lines=lines,
        characters=characters,
        valid_from=text.held_from,
        valid_to=text.held_until,
        ruling=_ruling(text, there, signed=assurance.signature >= Signature.KEY),
        matched=one.hit.matched if one.hit is not None else (),
        governs=one.governs,
        brought_by=one.brought_by,
        standing=verdict.standing,
        standing_reason=verdict.reason,
        standing_by=verdict.by,
        claim_state=_claim_state(view, text, verdict, treated),
    )


def _claim_state(
    view: RecordView, text: Text, verdict: Verdict, treated: Treatments | None
) -> ClaimState:
    """Expired, or stale where something that an approved decision names is seen to be another."""
    if verdict.reason is StandingReason.EXPIRED:
        return ClaimState.EXPIRED
    if treated is None or text.status is not RecordStatus.APPROVED:
        return ClaimState.UNKNOWN
    from citator.service.spoken_since import QUICK_SECONDS, Spoken, by_decision

    def speaks(repo: Repository, tip: str) -> Spoken:
        return by_decision(repo, tip, text.item, view, QUICK_SECONDS)

    changed = treated.names_changed(text.revision, speaks)
    return ClaimState.STALE if changed else ClaimState.UNKNOWN


def _ruling(text: Text, there: Migration, *, signed: bool) -> str | None:
    """The ruling as it stands in the file that was verified, not as the index has it."""
    revision = there.revision
    if not signed or text.status is not RecordStatus.APPROVED or revision is None:
        return None
    ruling, _ = redact(revision.values["ruling"])
    return inert_line(ruling)[:RULING_CHARACTERS]


def notice(one: Rejected) -> RejectionNotice:
    """What may be told of a rejection that the audience may know."""
    return RejectionNotice(
        rejection=one.id,
        migration=one.source,
        date=one.at[:10],
        kind=one.kind,
        reason=inert_line(one.reason)[:RULING_CHARACTERS] or None,
    )
