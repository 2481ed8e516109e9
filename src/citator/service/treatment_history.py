"""The history of one ruling, as a citator gives it: all that treats it, and what treats that.

- What is asked for is a reference, a commit as git names it, the number of a change (``#12``), or a
  decision by its id, the start of it, or an alias.
- A page is named by its path too. Commits that cite the number of a decision record treat it where
  one record alone has the number; they change nothing about how it stands.
- The latest comes first. What no longer counts is told too, and by what it stopped counting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from citator.git.revisions import commit_named
from citator.git.touched import touched
from citator.git.trees import entries
from citator.index.nothing import NothingSeen
from citator.model.document import AdrStatus
from citator.model.errors import CitatorError, NotFoundError
from citator.model.evidence import ClaimState
from citator.model.horizon import Horizon, HorizonFact, Limit
from citator.model.plain import plain_path
from citator.model.reference import DocumentKind, split_ref
from citator.model.treatment import (
    Drift,
    Edge,
    StandingReason,
    SymbolDrift,
    Verdict,
)
from citator.service.horizon import Seen, horizon_of
from citator.service.kept_views import RecordView
from citator.service.opened import opened
from citator.service.readership import Mask, mask_of
from citator.service.record_view import audience_of, view_of
from citator.service.spoken_since import (
    anything_changed,
    by_commit,
    by_decision,
    by_page,
    since,
)
from citator.service.treatment import LEG, Treatments, treatments
from citator.service.workspace import Workspace, require_commits
from citator.sources.markdown import is_markdown
from citator.sources.treatment.drift import drift_of
from citator.sources.treatment.records import record_in, records_of

MAX_DEPTH: Final = 6
MAX_EDGES: Final = 400
MAX_DRIFT: Final = 50
_CHANGE: Final = re.compile(r"#([1-9][0-9]{0,8})")
_ITEM_START: Final = re.compile(r"[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{5,25}")


@dataclass(frozen=True, slots=True)
class Treated:
    """A treatment, and whether it counts. ``depth`` 0 treats the subject, 1 what treats it, …"""

    edge: Edge
    counts: bool
    depth: int = 0


@dataclass(frozen=True, slots=True)
class History:
    """How one commit, decision or document was treated. ``treats`` is what it does itself,
    ``drift`` what became of the files that a commit touched, ``symbols`` what became of the symbols
    and dependencies that it names."""

    kind: DocumentKind
    subject: str
    verdict: Verdict
    treated: tuple[Treated, ...]
    treats: tuple[Edge, ...]
    horizon: Horizon
    left_out: int = 0
    drift: tuple[Drift, ...] = ()
    claim_state: ClaimState = ClaimState.UNKNOWN
    symbols: tuple[SymbolDrift, ...] = ()


@dataclass(frozen=True, slots=True)
class _Subject:
    kind: DocumentKind
    id: str
    adr_status: AdrStatus | None = None
    path: str | None = None


def history_of(workspace: Workspace, name: str, now: str | None = None) -> History:
    """The history of what ``name`` names, for whom the operator granted. Reads what is new.

    Raises NotFoundError ``unknown_ref``, RefusedError ``no_commits``, GitRefusedError.
    """
    require_commits(workspace)
    audience = audience_of(workspace)
    view = view_of(workspace, audience)
    try:
        with treatments(workspace, audience, now, view=view, patience=None) as treated:
            subject = _subject(workspace, name, view, treated)
            return _history(workspace, subject, treated, view)
    finally:
        if view is not None:
            view.partition.close()


def _history(
    workspace: Workspace, subject: _Subject, treated: Treatments, view: RecordView | None
) -> History:
    found = [*_walked(subject.id, treated), *_citing(workspace, subject, treated)]
    horizon = _horizon(workspace, treated)
    if subject.kind is DocumentKind.MARKDOWN or subject.kind is DocumentKind.REVIEW:
        verdict = treated.stated(subject.id, subject.adr_status)
    else:
        verdict = treated.verdict(subject.id)
    mask = mask_of(workspace)
    drift, shown = _drift(workspace, subject, mask, treated)
    symbols = _symbols(workspace, subject, mask, treated, view, shown)
    return History(
        subject.kind,
        subject.id,
        verdict,
        tuple(found[:MAX_EDGES]),
        treated.by(subject.id),
        horizon,
        max(0, len(found) - MAX_EDGES),
        drift,
        state_of(verdict, symbols, gone=treated.files_gone(subject.id)),
        symbols,
    )


def state_of(
    verdict: Verdict, symbols: Sequence[SymbolDrift] = (), *, gone: bool = False
) -> ClaimState:
    """Expired, or stale where anything it names was changed, moved or taken away since, or nothing
    is left of what it did to files (``gone``): what it says may hold of another text. That a file
    was changed since says little: most are. Otherwise it is not known: nothing was checked. Stale
    says nothing of the standing."""
    if verdict.reason is StandingReason.EXPIRED:
        return ClaimState.EXPIRED
    return ClaimState.STALE if gone or anything_changed(symbols) else ClaimState.UNKNOWN


def _drift(
    workspace: Workspace, subject: _Subject, mask: Mask, treated: Treatments
) -> tuple[tuple[Drift, ...], tuple[str, ...]]:
    """The drift of a commit's files, less those that are hidden; and those files."""
    if subject.kind is not DocumentKind.COMMIT:
        return (), ()
    listing = f"{subject.id}\n".encode()
    paths = next(iter(touched(workspace.repository, listing)), None) or ()
    shown = [one for one in paths if not mask.covers(one)][:MAX_DRIFT]
    treated.look_at_files({subject.id: shown})
    tip = require_commits(workspace)
    found = tuple(
        replace(
            one,
            path=plain_path(one.path),
            now=None if one.now is None else plain_path(one.now),
            by=one.by if one.by is None or treated.shows(one.by) else None,
        )
        for one in drift_of(workspace.repository, subject.id, tip, shown)
        if one.now is None or not mask.covers(one.now)
    )
    return found, tuple(shown)


def _symbols(
    workspace: Workspace,
    subject: _Subject,
    mask: Mask,
    treated: Treatments,
    view: RecordView | None,
    shown: Sequence[str],
) -> tuple[SymbolDrift, ...]:
    """What became of what the subject names."""
    repo, tip = workspace.repository, require_commits(workspace)
    if subject.kind is DocumentKind.COMMIT:
        spoken = by_commit(repo, subject.id, shown)
    elif subject.kind is DocumentKind.MARKDOWN and subject.path is not None:
        spoken = by_page(repo, tip, subject.id, subject.path)
    elif subject.kind is DocumentKind.DECISION and view is not None:
        spoken = by_decision(repo, tip, subject.id, view)
    else:
        return ()
    found = since(repo, tip, spoken, mask, treated.shows)
    of = subject.id if subject.kind is not DocumentKind.DECISION else spoken.revision
    if of is not None:
        treated.keep_changed(of, changed=anything_changed(found))
    return found


def _citing(workspace: Workspace, subject: _Subject, treated: Treatments) -> list[Treated]:
    """The commits that cite the number of a decision record, where it alone has that number."""
    if subject.kind is not DocumentKind.MARKDOWN or subject.adr_status is None:
        return []
    tip = require_commits(workspace)
    records = records_of(workspace.repository, tip, mask_of(workspace).covers)
    numbers = [one.adr.number for one in records]
    own = next((one.adr.number for one in records if one.blob == subject.id), None)
    if own is None or numbers.count(own) != 1:
        return []
    name = f"ADR-{own}"
    counts = set(treated.counting(name))
    return [Treated(replace(edge, of=subject.id), edge in counts) for edge in treated.of(name)]


def _walked(subject: str, treated: Treatments) -> list[Treated]:
    """The treatments of a subject, each followed by what treats what made it."""
    found: list[Treated] = []
    seen = {subject}

    def walk(one: str, depth: int) -> None:
        counts = set(treated.counting(one))
        for edge in treated.of(one):
            found.append(Treated(edge, edge in counts, depth))
            if edge.by not in seen and depth + 1 < MAX_DEPTH and len(found) <= MAX_EDGES:
                seen.add(edge.by)
                if edge.strength.decides:
                    walk(edge.by, depth + 1)

    walk(subject, 0)
    return found


def _horizon(workspace: Workspace, treated: Treatments) -> Horizon:
    mask = mask_of(workspace)
    seen = Seen(NothingSeen(), mask) if mask.hides else None
    horizon = horizon_of(workspace, None, (), seen)
    return horizon if treated.read else horizon.having([HorizonFact(Limit.LEG_OFF, None, LEG)])


def _subject(
    workspace: Workspace, name: str, view: RecordView | None, treated: Treatments
) -> _Subject:
    for found in (
        _decision(name, view),
        _referenced(workspace, name),
        _commit(workspace, name, treated),
        _page(workspace, name),
    ):
        if found is not None:
            return found
    raise NotFoundError(
        "unknown_ref",
        "nothing that HEAD has is called so",
        "give a reference, a commit, the number of a change (#12), the id of a decision, or the "
        "path of a page",
    )


def _decision(name: str, view: RecordView | None) -> _Subject | None:
    if view is None:
        return None
    named = set()
    if _ITEM_START.fullmatch(name):
        named = {one for one in view.items if one.startswith(name.upper())}
    if len(named) != 1:
        named = {view.partition.read(number).item for number in view.partition.named(name)}
    return _Subject(DocumentKind.DECISION, named.pop()) if len(named) == 1 else None


def _referenced(workspace: Workspace, name: str) -> _Subject | None:
    parts = split_ref(name)
    if parts is None:
        return None
    try:
        with opened(workspace) as (_, view):
            rows = view.find_ref(*parts)
    except CitatorError:
        return None
    if len({(row.kind, row.object_id) for row in rows}) != 1:
        return None
    return _Subject(rows[0].kind, rows[0].object_id, rows[0].adr_status, rows[0].path or None)


def _page(workspace: Workspace, name: str) -> _Subject | None:
    """The page that lies at a path, as HEAD has it."""
    path = name.removeprefix("./")
    if not path or not is_markdown(path) or mask_of(workspace).covers(path):
        return None
    found = entries(workspace.repository, require_commits(workspace), (path,))
    entry = next((one for one in found if one.path == path and one.kind == "blob"), None)
    if entry is None:
        return None
    record = record_in(workspace.repository, entry)
    status = None if record is None else record.adr.status
    return _Subject(DocumentKind.MARKDOWN, entry.object_id, status, path)


def _commit(workspace: Workspace, name: str, treated: Treatments) -> _Subject | None:
    change = _CHANGE.fullmatch(name)
    if change is not None:
        commit = treated.numbered(int(change[1]))
    else:
        try:
            commit = commit_named(workspace.repository, name)
        except NotFoundError:
            return None
        if treated.verdict(commit).reason is StandingReason.NOT_IN_HISTORY:
            return None
    return None if commit is None else _Subject(DocumentKind.COMMIT, commit)
