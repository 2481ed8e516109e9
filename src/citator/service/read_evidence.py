"""Exact, bounded lines of references, on request.

- Only what the caller's HEAD has and is for the caller is known; anything else is
  ``unknown_ref``, whatever the reason.
- What is served is verified against the reference; a mismatch is an integrity error.
- The text is made inert; a face fences it.
"""

from __future__ import annotations

from collections.abc import Sequence

from citator.index.protocol import Row, View
from citator.model.evidence import ReadItem
from citator.model.inert import inert
from citator.model.reference import make_ref, split_ref
from citator.model.visibility import Audience
from citator.service.evidence import locator
from citator.service.opened import opened
from citator.service.readership import mask_of
from citator.service.workspace import Workspace
from citator.sources.versions import VERSIONS

MAX_LINES = 200
MAX_CHARACTERS = 8_000


def read_evidence(
    workspace: Workspace,
    refs: Sequence[str],
    *,
    max_lines: int = MAX_LINES,
    max_characters: int = MAX_CHARACTERS,
    audience: Audience | None = None,
) -> list[ReadItem]:
    """The text of each reference in the order asked for, for ``audience`` (None: as granted).

    Raises RefusedError where nothing was indexed, IntegrityError never: a damaged item says
    ``damaged`` for itself alone.
    """
    with opened(workspace, mask_of(workspace, audience)) as (_, view):
        items = [read_one(view, ref, max_lines, max_characters) for ref in refs]
    return _with_decisions(workspace, items, max_lines, max_characters, audience)


def _with_decisions(
    workspace: Workspace,
    items: list[ReadItem],
    max_lines: int,
    max_characters: int,
    audience: Audience | None,
) -> list[ReadItem]:
    """The items, those that history does not know looked for in the record, then in the skills."""
    if all(item.problem not in ("unknown_ref", "ambiguous_ref") for item in items):
        return items
    from citator.service.read_decisions import read_decisions

    items = read_decisions(workspace, items, max_lines, max_characters, audience)
    if all(item.problem != "unknown_ref" for item in items):
        return items
    from citator.service.skill_dispatch import read_skills

    return read_skills(workspace.places, items, max_lines, max_characters)


def read_one(view: View, ref: str, max_lines: int, max_characters: int) -> ReadItem:
    """One reference: its text, or what is wrong with it.

    Problems: ``malformed_ref``, ``unknown_ref``, ``ambiguous_ref``, ``damaged``.
    """
    parts = split_ref(ref)
    if parts is None:
        return ReadItem(ref=ref, problem="malformed_ref")
    rows = view.find_ref(*parts)
    if not rows:
        return ReadItem(ref=ref, problem="unknown_ref")
    if len({row.ref for row in rows}) > 1:
        return ReadItem(ref=ref, problem="ambiguous_ref")
    row = rows[0]
    if make_ref(row.kind, row.object_id, (row.start, row.end), row.text, VERSIONS) != row.ref:
        return ReadItem(ref=row.ref, problem="damaged")
    return read_row(row, max_lines, max_characters)


def read_row(row: Row, max_lines: int, max_characters: int) -> ReadItem:
    """The bounded, inert text of a row that was found."""
    lines = row.text.split("\n")
    text = "\n".join(lines[:max_lines])
    truncated = len(lines) > max_lines or len(text) > max_characters
    text = text[:max_characters]
    shown = text.count("\n") + 1
    return ReadItem(
        ref=row.ref,
        text=inert(text),
        lines=(row.start, row.start + shown - 1),
        truncated=truncated,
        locator=locator(row),
        redactions=row.redactions,
    )
