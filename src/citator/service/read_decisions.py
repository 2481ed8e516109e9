"""The text of decisions, on request: what the audience may see, verified anew, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
        found = [_found(view, item) for item in items]
        shown = [one for one in found if isinstance(one, Row)]
        held = verified(workspace, view, [_revision(view, row) for row in shown])
        return [
            _read(view, one, held, max_lines, max_characters) if isinstance(one, Row) else one
            for one in found
        ]
    finally:
        view.partition.close()


def _found(view: RecordView, item: ReadItem) -> Row | ReadItem:
    """The row that an item with a problem names; else the item, or what is wrong with its name."""
    parts = None if item.problem is None else split_ref(item.ref)
    rows = view.partition.find_ref(*parts) if parts is not None else []
    if not rows:
        return item
    if item.problem == "ambiguous_ref" or len({row.ref for row in rows}) > 1:
        return replace(item, problem="ambiguous_ref")
    return rows[0]


def _read(
    view: RecordView,
    row: Row,
    held: Collection[str],
    max_lines: int,
    max_characters: int,
) -> ReadItem:
    """The text of a row, where it is what the reference names and ``held`` has its revision."""
    ref = make_ref(row.kind, row.object_id, (row.start, row.end), row.text, VERSIONS)
    if ref != row.ref or _revision(view, row) not in held:
        return ReadItem(ref=row.ref, problem="damaged")
    return read_row(row, max_lines, max_characters)


def _revision(view: RecordView, row: Row) -> str:
    number = int(view.partition.text_of[row.ordinal])
    return view.partition.read(number).revision
