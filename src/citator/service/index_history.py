"""Bring the index of a repository up to its HEAD: the only use case that writes it.

- A fresh build and any sequence of increments give the same answers for the same HEAD.
- What could not be read is kept item by item with the generation, so that an increment forgets
  exactly what it replaced.
- What an older version wrote is made again; what a newer one wrote is not touched unless a
  fresh build was asked for.
- Threads that this machine alone keeps are indexed with the history; where they changed, all is
  read again.
- A rewritten history leaves nothing to see at once, and nothing at all as soon as what is hidden
  is worth a rebuild.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from citator.git import history, repository
from citator.index.protocol import Batch, GenerationInfo
from citator.model.trace import timed
from citator.service import calibration, local_reviews, treatment
from citator.service.findings import FindingsCollector
from citator.service.findings import save as save_findings
from citator.service.reading import HistoryReader
from citator.service.workspace import Workspace
from citator.store.stamp import bring_up

Progress = Callable[[int, int | None], None]

# An index this small, or with this share hidden, is rebuilt when its history was rewritten.
SMALL_DOCUMENTS = 5_000
HIDDEN_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What an update did: ``built`` is False where nothing had to be done.

    ``examined`` and ``explained`` count commits of the whole history seen so far.
    """

    built: bool
    generation: GenerationInfo | None
    examined: int = 0
    explained: int = 0


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What is indexed, and how far behind HEAD it is (None: cannot be told)."""

    head: str | None
    current: GenerationInfo | None
    generations: tuple[GenerationInfo, ...]
    behind: int | None
    examined: int
    explained: int


def update(
    workspace: Workspace, *, fresh: bool = False, progress: Progress | None = None
) -> UpdateReport:
    """Index what HEAD has and the index has not; ``progress`` gets (commits read, of how many).

    Raises LockedError where another process is writing, StorageError where it cannot, and
    IntegrityError where a newer version wrote what is there.
    """
    head = workspace.head.commit
    if head is None:
        return UpdateReport(built=False, generation=None)
    if not fresh:
        workspace.index.require_not_newer()
    current = current_generation(workspace)
    fresh = fresh or current is None or _is_other(workspace, current)
    if not fresh and current is not None and current.tip == head:
        if calibration.load(workspace, current.number) is None:
            _calibrate(workspace, head)
        if not treatment.is_kept(workspace):
            treatment.bring_up(workspace)
        return _report(False, current)
    bring_up(workspace.places.data)
    with timed("update", fresh=fresh) as facts:
        built, rewritten = _build(workspace, head, None if fresh else current, progress)
        if rewritten and _worth_rebuilding(built):
            built, _ = _build(workspace, head, None, progress)
        _calibrate(workspace, head)
        treatment.bring_up(workspace)
        facts.update(generation=built.number, documents=built.documents, passages=built.passages)
    return _report(True, built)


def _calibrate(workspace: Workspace, head: str) -> None:
    snapshot = workspace.index.open()
    if snapshot is None:
        return
    with closing(snapshot):
        view = snapshot.view(head)
        if view is not None:
            calibration.save(workspace, snapshot, view)


def is_outdated(workspace: Workspace) -> bool:
    """Whether there is an index, but one that another version made: the next update starts over."""
    return workspace.head.commit is not None and workspace.index.outdated


def needs_update(workspace: Workspace) -> bool:
    """Whether HEAD has moved past the index, or there is none that this version can use."""
    if workspace.head.commit is None:
        return False
    current = current_generation(workspace)
    return current is None or current.tip != workspace.head.commit or _is_other(workspace, current)


def _is_other(workspace: Workspace, current: GenerationInfo) -> bool:
    """Whether an index has to be made anew: by other versions, or with other local threads."""
    kept = local_reviews.fingerprint(workspace.place.local)
    return (
        current.versions != versions(workspace)
        or current.details.get(local_reviews.DETAIL, 0) != kept
    )


def versions(workspace: Workspace) -> str:
    """What an index must have been built with to be added to."""
    return workspace.index.versions


def _build(
    workspace: Workspace, head: str, current: GenerationInfo | None, progress: Progress | None
) -> tuple[GenerationInfo, bool]:
    """A new generation on the current one (None: from nothing); whether history was rewritten."""
    base = _base(workspace, current)
    reader = _reader(workspace, base, head, current)
    total = None if progress is None else _commits_to_read(workspace, base, head)

    def report(_: int) -> None:
        if progress is not None:
            progress(reader.read, total)

    collector = FindingsCollector()
    built = workspace.index.build(
        Batch(
            tip=head,
            documents=collector.watch(reader.documents()),
            change=reader.change(),
            facts=reader.facts,
            details=reader.details,
            fresh=base is None,
        ),
        report,
    )
    save_findings(workspace.place.derived, collector.findings(), fresh=base is None)
    if progress is not None:
        progress(reader.read, total)
    return built, reader.rewritten


def _reader(
    workspace: Workspace, base: str | None, head: str, current: GenerationInfo | None
) -> HistoryReader:
    if base is None or current is None:
        return HistoryReader(workspace, None, head)
    snapshot = workspace.index.open()
    if snapshot is None:
        return HistoryReader(workspace, None, head)
    with closing(snapshot):
        facts = snapshot.facts
    return HistoryReader(workspace, base, head, facts, current.details, workspace.index.holds)


def _commits_to_read(workspace: Workspace, base: str | None, head: str) -> int:
    if base is None:
        return sum(1 for _ in history.reachable(workspace.repository, head))
    return history.count_between(workspace.repository, base, head)


def _base(workspace: Workspace, current: GenerationInfo | None) -> str | None:
    """The commit to build upon: the indexed one, where git still has it."""
    if current is None or current.tip is None:
        return None
    return current.tip if repository.has_commit(workspace.repository, current.tip) else None


def _worth_rebuilding(built: GenerationInfo) -> bool:
    """Whether what a rewritten history left in the index is worth reading everything again."""
    hidden = built.details.get("hidden_documents", 0)
    small = built.documents <= SMALL_DOCUMENTS
    return hidden > 0 and (small or hidden > built.documents * HIDDEN_SHARE)


def current_generation(workspace: Workspace) -> GenerationInfo | None:
    """The generation that answers now."""
    return next((info for info in workspace.index.generations() if info.current), None)


def _report(built: bool, info: GenerationInfo | None) -> UpdateReport:
    details = info.details if info is not None else {}
    return UpdateReport(built, info, details.get("examined", 0), details.get("explained", 0))


def status(workspace: Workspace) -> IndexStatus:
    """What is indexed here."""
    generations = tuple(workspace.index.generations())
    current = next((info for info in generations if info.current), None)
    head = workspace.head.commit
    details = current.details if current is not None else {}
    return IndexStatus(
        head=head,
        current=current,
        generations=generations,
        behind=_behind(workspace, current, head),
        examined=details.get("examined", 0),
        explained=details.get("explained", 0),
    )


def _behind(workspace: Workspace, current: GenerationInfo | None, head: str | None) -> int | None:
    base = _base(workspace, current)
    if base is None or head is None:
        return None
    return history.count_between(workspace.repository, base, head)


def promote(workspace: Workspace, number: int) -> GenerationInfo:
    """Make generation ``number`` the one that answers. Raises NotFoundError, LockedError."""
    return workspace.index.promote(number)


def rollback(workspace: Workspace) -> GenerationInfo:
    """Go back to the generation before the current one. Raises NotFoundError, LockedError."""
    return workspace.index.rollback()
