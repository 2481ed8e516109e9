"""Which Markdown one commit has that another has not, as each commit's configuration selects it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from citator.formats.config import PATH as CONFIG_PATH
from citator.git import trees
from citator.git.records import TreeEntry
from citator.index.protocol import DocumentKey
from citator.model.reference import DocumentKind
from citator.service.workspace import Workspace, config_at
from citator.sources.markdown import MarkdownSource
from citator.sources.reviews import is_review


@dataclass(frozen=True, slots=True)
class MarkdownChange:
    """Entries only the base has, and entries only the tip has.

    ``apart`` are those of the tip that are not files here: submodules, and folders that could
    not be read; ``joined`` those of the base.
    """

    lost: list[TreeEntry]
    gained: list[TreeEntry]
    joined: list[TreeEntry]
    apart: list[TreeEntry]


def markdown_change(workspace: Workspace, base: str | None, tip: str) -> MarkdownChange:
    """The Markdown entries that differ between two commits; all of the tip's where no base."""
    repo = workspace.repository
    wanted = MarkdownSource(repo, config_at(repo, tip)[0])
    if base is None:
        return _change(wanted, wanted, [], list(trees.entries(repo, tip)))
    pairs = trees.changed(repo, base, tip)
    if any(entry is not None and entry.path == CONFIG_PATH for pair in pairs for entry in pair):
        return _reselected(workspace, base, tip)
    before = [old for old, _ in pairs if old is not None]
    after = [new for _, new in pairs if new is not None]
    return _change(wanted, wanted, before, after)


def _change(
    then: MarkdownSource, now: MarkdownSource, before: list[TreeEntry], after: list[TreeEntry]
) -> MarkdownChange:
    return MarkdownChange(
        lost=_selected(then, before),
        gained=_selected(now, after),
        joined=[entry for entry in before if entry.kind != "blob"],
        apart=[entry for entry in after if entry.kind != "blob"],
    )


def _reselected(workspace: Workspace, base: str, tip: str) -> MarkdownChange:
    """The change where the configuration changed too, so that unchanged files may come or go."""
    repo = workspace.repository
    sources = [MarkdownSource(repo, config_at(repo, commit)[0]) for commit in (base, tip)]
    listed = [list(trees.entries(repo, commit)) for commit in (base, tip)]
    whole = _change(sources[0], sources[1], listed[0], listed[1])
    before, after = ({(e.object_id, e.path) for e in side} for side in (whole.lost, whole.gained))
    return replace(
        whole,
        lost=[e for e in whole.lost if (e.object_id, e.path) not in after],
        gained=[e for e in whole.gained if (e.object_id, e.path) not in before],
    )


def _selected(source: MarkdownSource, entries: list[TreeEntry]) -> list[TreeEntry]:
    return [entry for entry in entries if entry.kind == "blob" and source.selects(entry.path)]


def key_of(entry: TreeEntry) -> DocumentKey:
    """The key under which an entry is indexed."""
    kind = DocumentKind.REVIEW if is_review(entry.path) else DocumentKind.MARKDOWN
    return DocumentKey(kind, entry.object_id, entry.path)
