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
from datetime import UTC, datetime
from typing import Final

from citator.git.commit_objects import commit_of
from citator.git.folders import folder_id
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
from citator.model.record import FOLDER
from citator.model.reference import Ref
from citator.model.visibility import Audience, may_open_second
from citator.service import guard_log
from citator.service.check_findings import (
    MAX_PATHS,
    Checked,
    Finding,
    FindingKind,
    Gathered,
    RemovalNotice,
    Wanted,
    finding_id,
)
from citator.service.guard_log import Shown, Tally
from citator.service.horizon import Seen, horizon_of
from citator.service.intent import Intent, based, change_of
from citator.service.readership import Mask, mask_of
from citator.service.removed import is_long
from citator.service.workspace import Workspace, require_commits
from citator.team.claim_store import Claims
from citator.trust.grants import Grants

MOST_RESURRECTIONS: Final = 8
MOST_PARTNERS: Final = 5
MOST_CLAIMS: Final = 5
MOST_LOOKED_FOR: Final = 60  # of at most 400 characters each: what every system takes as arguments
COMMIT_BYTES: Final = 1 << 20
REMOVALS: Final = "removals"
PARTNERS: Final = "cochange"
_WORD: Final = re.compile(r"--[a-z][a-z0-9-]{2,60}|@?[A-Za-z0-9_][A-Za-z0-9_.+/-]{1,99}")

Report = Callable[[int], None]


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
    asker = audience or Grants(workspace.layout).relied_on()
    mask = mask_of(workspace, asker)
    base = based(workspace, intent)
    change = change_of(workspace, base, intent)
    found = Gathered()
    if intent.approach or _has_ledger(base, asker):
        from citator.service.check_record import from_record

        from_record(base, asker, intent, change, time, found)
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


def _shown(found: Gathered, known: Mapping[str, Tally], *, every: bool) -> list[Finding]:
    """What is told: not what has withdrawn itself, unless all is asked for."""
    order = list(FindingKind)
    kept = [
        one for one in found.findings if every or one.id not in known or not known[one.id].withdrawn
    ]
    return sorted(kept, key=lambda one: (not one.blocks, order.index(one.kind)))


def _has_ledger(base: Workspace, audience: Audience) -> bool:
    """Whether there may be a record: what reads one is not loaded for nothing."""
    tip = require_commits(base)
    return may_open_second(audience) or folder_id(base.repository, tip, FOLDER) is not None


# -- history


def _from_history(
    base: Workspace,
    mask: Mask,
    intent: Intent,
    change: Change,
    asked: Wanted,
    found: Gathered,
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
    said: Mapping[str, str] = {}
    if shown:
        from citator.service.trusted_words import reasons

        said = reasons(base, [one.found.commit for one in shown])
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
    found: Gathered,
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


def _from_partners(base: Workspace, change: Change, asked: Wanted, found: Gathered) -> None:
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
    workspace: Workspace, mask: Mask, change: Change, time: str, found: Gathered
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
