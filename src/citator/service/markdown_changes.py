"""Which Markdown one commit has that another has not, as each commit's configuration selects it."""

from __future__ import annotations

from dataclasses import dataclass

from citator.formats.config import PATH as CONFIG_PATH
from citator.git import trees
from citator.git.records import TreeEntry
from citator.index.protocol import DocumentKey
from citator.model.reference import DocumentKind
from citator.service.workspace import Workspace, config_at
from citator.sources.markdown import MarkdownSource


@dataclass(frozen=True, slots=True)
class MarkdownChange:
    """Entries only the base has, and entries only the tip has."""

    lost: list[TreeEntry]
    gained: list[TreeEntry]


def markdown_change(workspace: Workspace, base: str | None, tip: str) -> MarkdownChange:
    """The Markdown entries that differ between two commits; all of the tip's where no base."""
    repo = workspace.repository
    wanted = MarkdownSource(repo, config_at(repo, tip)[0])
    if base is None:
        return MarkdownChange([], _selected(wanted, list(trees.entries(repo, tip))))
    pairs = list(trees.changed(repo, base, tip))
    if any(entry is not None and entry.path == CONFIG_PATH for pair in pairs for entry in pair):
        return _reselected(workspace, base, tip)
    return MarkdownChange(
        _selected(wanted, [old for old, _ in pairs if old is not None]),
        _selected(wanted, [new for _, new in pairs if new is not None]),
    )


def _reselected(workspace: Workspace, base: str, tip: str) -> MarkdownChange:
    """The change where the configuration changed too, so that unchanged files may come or go."""
    repo = workspace.repository
    sides: list[dict[tuple[str, str], TreeEntry]] = []
    for commit in (base, tip):
        source = MarkdownSource(repo, config_at(repo, commit)[0])
        chosen = _selected(source, list(trees.entries(repo, commit)))
        sides.append({(entry.object_id, entry.path): entry for entry in chosen})
    before, after = sides
    return MarkdownChange(
        [entry for key, entry in before.items() if key not in after],
        [entry for key, entry in after.items() if key not in before],
    )


def _selected(source: MarkdownSource, entries: list[TreeEntry]) -> list[TreeEntry]:
    return [entry for entry in entries if entry.kind == "blob" and source.selects(entry.path)]


def key_of(entry: TreeEntry) -> DocumentKey:
    """The key under which an entry is indexed."""
    return DocumentKey(DocumentKind.MARKDOWN, entry.object_id, entry.path)
