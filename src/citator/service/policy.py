"""What the signed policy here says of a task and of what was found for it.

- Which sources apply is set membership: of the task's domain and intent in the sets of packs that
  count now (rule 3). Nothing found and nothing asked can change them.
- Nothing here refuses or raises: what is missing is a gap, and evidence is searched all the same.
- A source speaks of what it names and of nothing else: of a path, the one that names it longest.
- Fresh is what the repository's own dates say: a time after the moment says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from citator.index.protocol import Row
from citator.model.domain import Applied, Authority, Gap, GapKind, Intent, SourceKind, Task
from citator.model.evidence import ClaimState
from citator.model.reference import DocumentKind
from citator.search.domains import classify
from citator.store.layout import Layout
from citator.trust.pack_format import Source, covers
from citator.trust.packs import Shelf, shelf_at

_DAY: Final = 86_400
_KINDS: Final = {
    DocumentKind.COMMIT: SourceKind.COMMITS,
    DocumentKind.MARKDOWN: SourceKind.DOCUMENTS,
    DocumentKind.DECISION: SourceKind.DECISIONS,
    DocumentKind.REVIEW: SourceKind.REVIEWS,
}


@dataclass(frozen=True)
class Policy:
    """What applies to one task at one ``moment`` (UTC, to the second; None: unread, so that no
    pack counts and none is missed)."""

    applied: Applied
    sources: tuple[Source, ...] = ()
    moment: str | None = None
    if_silent: tuple[Gap, ...] = ()

    def told(self, *, silent: bool) -> Applied:
        """What is told of it. Where nothing answered (``silent``), a domain that the task is also
        of and no pack covers is named, too: the project has nothing that stands before it."""
        if not silent or not self.if_silent:
            return self.applied
        return replace(self.applied, gaps=(*self.applied.gaps, *self.if_silent))

    def source_of(self, row: Row) -> Source | None:
        """The source that names what ``row`` is of; None where none of this domain does."""
        named = [
            (max((len(one) for one in source.locators if covers(one, row.path)), default=0), source)
            for source in self.sources
            if source.kind is _KINDS.get(row.kind)
            and (not source.locators or any(covers(one, row.path) for one in source.locators))
        ]
        weighed = [one for one in named if one[1].authority is not Authority.NOT_ASSESSED]
        return max(weighed or named, key=lambda one: one[0], default=(0, None))[1]

    def state(self, source: Source, row: Row, told: ClaimState) -> ClaimState:
        """What ``row`` says is, where history told ``told``: the graver of both. Days make nothing
        fresh that history calls stale, and keep nothing from expiring."""
        fresh = self.freshness(source, row)
        return fresh if told is ClaimState.UNKNOWN or fresh is ClaimState.EXPIRED else told

    def freshness(self, source: Source, row: Row) -> ClaimState:
        """Whether what ``row`` says is within the days that ``source`` gives it."""
        if source.fresh_days is None or row.authored_at is None or self.moment is None:
            return ClaimState.UNKNOWN
        age = datetime.fromisoformat(self.moment).timestamp() - row.authored_at
        if age < 0:
            return ClaimState.UNKNOWN
        if source.expires_days is not None and age > source.expires_days * _DAY:
            return ClaimState.EXPIRED
        return ClaimState.SUPPORTED if age <= source.fresh_days * _DAY else ClaimState.STALE


def policy_for(layout: Layout, text: str, moment: str | None) -> Policy:
    """What applies to the task ``text``."""
    task = classify(text)
    if moment is None:
        return Policy(Applied(task))
    shelf = shelf_at(layout, moment)
    covered = any(task.also in one.pack.domains for one in shelf.loaded)
    also = () if task.also is None or covered else (Gap(GapKind.NO_POLICY, task.also),)
    return Policy(applied_of(shelf, task), _of_domain(shelf, task), moment, also)


def applied_of(shelf: Shelf, task: Task) -> Applied:
    """The sources for ``task``, in the order of packs and of their sources, and what is missing."""
    found = [
        (f"{one.pack.id}/{source.id}", source)
        for one in shelf.loaded
        for source in one.pack.sources
        if task.domain in source.domains and _wanted(source, task.intent)
    ]
    return Applied(
        task,
        tuple(name for name, _ in found),
        tuple(name for name, source in found if source.kind is SourceKind.WEB),
        tuple(_gaps(shelf, task, has_source=bool(found))),
    )


def _wanted(source: Source, intent: Intent) -> bool:
    return intent is Intent.UNCLEAR or intent in source.intents


def _gaps(shelf: Shelf, task: Task, *, has_source: bool) -> Iterator[Gap]:
    covering = [one for one in shelf.loaded if task.domain in one.pack.domains]
    if not covering:
        yield Gap(GapKind.NO_POLICY, task.domain)
    elif not has_source:
        yield Gap(GapKind.NO_SOURCE, task.domain)
    for refused in shelf.refused:
        if refused.domains is None or task.domain in refused.domains:
            yield Gap(refused.kind, refused.pack)
    for one in covering:
        if one.expires_soon:
            yield Gap(GapKind.EXPIRES_SOON, one.pack.id)


def _of_domain(shelf: Shelf, task: Task) -> tuple[Source, ...]:
    return tuple(
        source
        for one in shelf.loaded
        for source in one.pack.sources
        if task.domain in source.domains
    )
