"""The text of decisions, on request: what the audience may see, verified anew, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citator.index.protocol import Row
from citator.model.evidence import ReadItem
from citator.model.reference import make_ref, split_ref
from citator.model.visibility import Audience
from citator.service.kept_views import RecordView
from citator.service.read_evidence import read_row
from citator.service.record_view import audience_of, verified, view_of
from citator.service.workspace import Workspace
from citator.sources.versions import VERSIONS


def read_decisions(
    workspace: Workspace,
    items: Sequence[ReadItem],
    max_lines: int,
    max_characters: int,
    audience: Audience | None = None,
) -> list[ReadItem]:
    """``items``, those with a problem replaced by the decision they name, where there is one."""
    view = view_of(workspace, audience or audience_of(workspace))
    if view is None:
        return list(items)
    try:
        return [
            item
            if item.problem is None
            else _read(workspace, view, item, max_lines, max_characters)
            for item in items
        ]
    finally:
        view.partition.close()


def _read(
    workspace: Workspace,
    view: RecordView,
    item: ReadItem,
    max_lines: int,
    max_characters: int,
) -> ReadItem:
    parts = split_ref(item.ref)
    rows = view.partition.find_ref(*parts) if parts is not None else []
    if not rows:
        return item
    if item.problem == "ambiguous_ref" or len({row.ref for row in rows}) > 1:
        return replace(item, problem="ambiguous_ref")
    row = rows[0]
    if not _is_as_signed(workspace, view, row):
        return ReadItem(ref=row.ref, problem="damaged")
    return read_row(row, max_lines, max_characters)


def _is_as_signed(workspace: Workspace, view: RecordView, row: Row) -> bool:
    if make_ref(row.kind, row.object_id, (row.start, row.end), row.text, VERSIONS) != row.ref:
        return False
    number = int(view.partition.text_of[row.ordinal])
    revision = view.partition.read(number).revision
    return revision in verified(workspace, view, [revision])
