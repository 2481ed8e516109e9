"""What the record says of files, by its scopes alone: what governs them, what was rejected there.

- Membership and nothing else: a decision or a rejection is about a file where one of its path
  patterns holds it. What is about everything is about no file in particular, and is left out.
- As in :mod:`citator.service.governing`: for one audience, each text verified anew, a ruling only
  where a pinned key signed it. Where there is no record this costs one look at HEAD.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from citator.formats.globs import usable
from citator.model.record import RecordStatus, Rejected
from citator.model.ruling import Governing
from citator.model.visibility import Audience
from citator.service.governing import UNVERIFIED, Chosen, depth, evidence, notice
from citator.service.kept_views import RecordView
from citator.service.record_view import verified, view_of
from citator.service.workspace import Workspace

MOST_DECISIONS: Final = 5
MOST_REJECTIONS: Final = 3


@dataclass(frozen=True, slots=True)
class Bearing:
    """``record``: decisions and rejections, each once. ``decisions`` and ``rejections``: for each
    path that was asked about, the items (the ids of rejections) that are about it."""

    record: Governing = field(default_factory=Governing)
    decisions: tuple[tuple[str, ...], ...] = ()
    rejections: tuple[tuple[str, ...], ...] = ()


def bearing_on(workspace: Workspace, audience: Audience, paths: Sequence[str]) -> Bearing:
    """What is in force about ``paths`` (as git has them, best first), and what was rejected there.

    Raises GitRefusedError, StorageError.
    """
    nothing = ((),) * len(paths)
    view = None
    if paths and workspace.head.commit is not None:
        view = view_of(workspace, audience)
    if view is None:
        return Bearing(decisions=nothing, rejections=nothing)
    try:
        return _borne(workspace, view, paths)
    finally:
        view.partition.close()


def _borne(workspace: Workspace, view: RecordView, paths: Sequence[str]) -> Bearing:
    found = [view.partition.governing(path) for path in paths]
    first = {number: at for at, held in reversed(list(enumerate(found))) for number in held}
    texts = [one for one in map(view.partition.read, first) if one.current]
    texts.sort(
        key=lambda one: (
            one.status is not RecordStatus.APPROVED,
            first[one.number],
            -depth(one),
            one.item,
        )
    )
    held = verified(workspace, view, [one.revision for one in texts[:MOST_DECISIONS]])
    shown = {one.number: one for one in texts[:MOST_DECISIONS] if one.revision in held}
    spoken = _rejections(view.rejections, paths)
    told = {id(one): notice(one) for one, _ in spoken[:MOST_REJECTIONS]}
    facts = set(view.facts)
    if len(shown) < len(texts[:MOST_DECISIONS]):
        facts.add(UNVERIFIED)
    return Bearing(
        record=Governing(
            decisions=tuple(
                evidence(view, Chosen(one), held[one.revision]) for one in shown.values()
            ),
            rejections=tuple(told.values()),
            left_out=max(0, len(texts) - MOST_DECISIONS) + len(spoken) - len(told),
            facts=tuple(sorted(facts)),
        ),
        decisions=tuple(
            tuple(one.item for number, one in shown.items() if number in here) for here in found
        ),
        rejections=tuple(
            tuple(told[id(one)].rejection for one, about in spoken[:MOST_REJECTIONS] if at in about)
            for at in range(len(paths))
        ),
    )


def _rejections(
    rejections: Sequence[Rejected], paths: Sequence[str]
) -> list[tuple[Rejected, list[int]]]:
    """The rejections with a scope that holds one of ``paths``, newest first, each with which."""
    found = []
    for one in rejections:
        patterns = usable(one.scope)
        about = [
            at for at, path in enumerate(paths) if any(each.fullmatch(path) for each in patterns)
        ]
        if about:
            found.append((one, about))
    return sorted(found, key=lambda pair: (pair[0].at, pair[0].id), reverse=True)
