"""Reads what lies between two commits into documents, and keeps count of what could not be read.

Facts are itemised (a commit id, or a digest of blob and path), so that an increment can take
back exactly those of what it replaced.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from citator.git import history
from citator.git.records import RawCommit, TreeEntry
from citator.index.protocol import DocumentKey, ViewChange
from citator.model.document import Document
from citator.model.horizon import HorizonFact, Limit
from citator.model.reference import DocumentKind
from citator.model.stop import checkpoint
from citator.service import local_reviews
from citator.service.markdown_changes import MarkdownChange, key_of, markdown_change
from citator.service.workspace import Workspace, config_at
from citator.sources.commits import document_of, limits_of
from citator.sources.markdown import MarkdownSource


class HistoryReader:
    """One reading of a repository: documents first, then what they amount to.

    ``base`` is the commit already indexed (None: nothing is), ``known`` what was noted of it:
    facts, and counts by name; ``holds`` tells which documents the index has. ``documents`` is
    read once; the rest is true after that.
    """

    def __init__(
        self,
        workspace: Workspace,
        base: str | None,
        tip: str,
        facts: tuple[HorizonFact, ...] = (),
        details: Mapping[str, int] | None = None,
        holds: Callable[[DocumentKey], bool] = lambda _: False,
    ) -> None:
        self._workspace = workspace
        self._base = base
        self._tip = tip
        self._known_facts = facts
        self._found_facts: list[HorizonFact] = []
        self._keys: list[DocumentKey] = []
        self._holds = holds
        self.details: dict[str, int] = dict(details or {})
        self.read = 0

    @cached_property
    def _commits(self) -> tuple[list[str], list[str]]:
        """Commit ids that only the base has, and that only the tip has."""
        if self._base is None:
            return [], []
        return history.between(self._workspace.repository, self._base, self._tip)

    @cached_property
    def _markdown(self) -> MarkdownChange:
        return markdown_change(self._workspace, self._base, self._tip)

    @property
    def rewritten(self) -> bool:
        """Whether the tip lacks a commit that the base had."""
        return bool(self._commits[0])

    def documents(self) -> Iterator[Document]:
        """Commits, parents before children; then Markdown by path; then local threads by name.

        Local threads are of a fresh reading alone: an increment has the ones its base had.
        """
        yield from self._kept(self._commit_documents())
        yield from self._kept(self._markdown_documents())
        if self._base is None:
            local = self._workspace.place.local
            kept = local_reviews.fingerprint(local)
            if kept:
                self.details[local_reviews.DETAIL] = kept
            yield from self._kept(local_reviews.documents(local, self._found_facts))

    def _kept(self, documents: Iterator[Document]) -> Iterator[Document]:
        for document in documents:
            self._keys.append(DocumentKey(document.kind, document.object_id, document.path or ""))
            yield document

    def _commit_documents(self) -> Iterator[Document]:
        removed = self._commits[0]
        explained = -sum(map(self._holds, commit_keys(removed)))
        excluding = [] if self._base is None else [self._base]
        with history.commits(self._workspace.repository, self._tip, excluding) as walk:
            for raw in walk:
                checkpoint()
                self.read += 1
                self._found_facts.extend(self._limits(raw))
                document = document_of(raw)
                if document is not None:
                    explained += 1
                    yield document
            self._found_facts.extend(walk.facts)
        self._count("examined", self.read - len(removed))
        self._count("explained", explained)

    def _limits(self, raw: RawCommit) -> Iterator[HorizonFact]:
        """What of one commit was not read; what a shallow clone lacks is said by that already."""
        for limit in limits_of(raw):
            if limit is not Limit.MISSING_OBJECTS or not self._workspace.repository.shallow:
                yield HorizonFact(limit, 1, raw.object_id)

    def _count(self, name: str, more: int) -> None:
        self.details[name] = self.details.get(name, 0) + more

    def _markdown_documents(self) -> Iterator[Document]:
        repo = self._workspace.repository
        config, problems = config_at(repo, self._tip)
        self._found_facts.extend(problems)
        source = MarkdownSource(repo, config)
        yield from source.documents(sorted(self._markdown.gained, key=lambda entry: entry.path))
        self._found_facts.extend(
            HorizonFact(trouble.limit, 1, item_of(trouble.object_id, trouble.path))
            for trouble in source.troubles
        )

    def change(self) -> ViewChange:
        """What the tip sees more and less than the base. Consume it after the documents."""
        if self._base is None:
            return ViewChange(None, self._keys)
        return view_change(self._base, self._commits, self._markdown)

    def facts(self) -> tuple[HorizonFact, ...]:
        """All that could not be read of what the tip has, one fact an item."""
        lost = (*self._markdown.lost, *self._markdown.joined)
        gone = {*self._commits[0], *(item_of(entry.object_id, entry.path) for entry in lost)}
        kept = [
            fact
            for fact in self._known_facts
            if fact.detail is not None and fact.detail not in gone
        ]
        return tuple(sorted({*kept, *self._found_facts, *map(_apart, self._markdown.apart)}))


def view_change(
    base: str, commits: tuple[Iterable[str], Iterable[str]], markdown: MarkdownChange
) -> ViewChange:
    """The change of view that goes with (commits removed, commits added) and with Markdown."""
    removed, added = commits
    return ViewChange(
        base,
        [*commit_keys(added), *map(key_of, markdown.gained)],
        [*commit_keys(removed), *map(key_of, markdown.lost)],
    )


def commit_keys(ids: Iterable[str]) -> Iterator[DocumentKey]:
    """The keys of commits."""
    return (DocumentKey(DocumentKind.COMMIT, object_id) for object_id in ids)


def item_of(object_id: str, path: str) -> str:
    """A name for one blob at one path that says nothing of either."""
    digest = hashlib.sha256(f"{object_id} {path}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:32]


def _apart(entry: TreeEntry) -> HorizonFact:
    """A submodule is a repository of its own; a folder here is one that could not be read."""
    limit = Limit.SUBMODULES_APART if entry.kind == "commit" else Limit.MISSING_OBJECTS
    return HorizonFact(limit, 1, item_of(entry.object_id, entry.path))
