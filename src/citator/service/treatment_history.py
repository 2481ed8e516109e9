"""The history of one ruling, as a citator gives it: all that treats it, and what treats that.

- What is asked for is a reference, a commit as git names it, the number of a change (``#12``), or a
  decision by its id, the start of it, or an alias.
- The latest comes first. What no longer counts is told too, and by what it stopped counting.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from citator.git.revisions import commit_named
from citator.index.nothing import NothingSeen
from citator.model.document import AdrStatus
from citator.model.errors import CitatorError, NotFoundError
from citator.model.horizon import Horizon, HorizonFact, Limit
from citator.model.reference import DocumentKind, split_ref
from citator.model.treatment import Edge, StandingReason, Verdict
from citator.service.horizon import Seen, horizon_of
from citator.service.kept_views import RecordView
from citator.service.opened import opened
from citator.service.readership import mask_of
from citator.service.record_view import audience_of, view_of
from citator.service.treatment import Treatments, treatments
from citator.service.workspace import Workspace, require_commits

LEG: Final = "treatment"
MAX_DEPTH: Final = 6
MAX_EDGES: Final = 400
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
    """How one commit, decision or document was treated. ``treats`` is what it does itself."""

    kind: DocumentKind
    subject: str
    verdict: Verdict
    treated: tuple[Treated, ...]
    treats: tuple[Edge, ...]
    horizon: Horizon
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class _Subject:
    kind: DocumentKind
    id: str
    adr_status: AdrStatus | None = None


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
            return _history(workspace, subject, treated)
    finally:
        if view is not None:
            view.partition.close()


def _history(workspace: Workspace, subject: _Subject, treated: Treatments) -> History:
    found = list(_walked(subject.id, treated))
    horizon = _horizon(workspace, treated)
    if subject.kind is DocumentKind.MARKDOWN or subject.kind is DocumentKind.REVIEW:
        verdict = treated.stated(subject.id, subject.adr_status)
    else:
        verdict = treated.verdict(subject.id)
    return History(
        subject.kind,
        subject.id,
        verdict,
        tuple(found[:MAX_EDGES]),
        treated.by(subject.id),
        horizon,
        max(0, len(found) - MAX_EDGES),
    )


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
    ):
        if found is not None:
            return found
    raise NotFoundError(
        "unknown_ref",
        "nothing that HEAD has is called so",
        "give a reference, a commit, the number of a change (#12), or the id of a decision",
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
    return _Subject(rows[0].kind, rows[0].object_id, rows[0].adr_status)


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
