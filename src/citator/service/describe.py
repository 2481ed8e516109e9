"""Subjects, authors and dates for a person at a terminal: inert, and never for an agent unasked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citator.index.protocol import Row, View
from citator.model.evidence import Evidence
from citator.model.inert import inert_line
from citator.model.reference import Ref, split_ref
from citator.service.evidence import iso_date
from citator.service.opened import opened
from citator.service.workspace import Workspace

MAX_SUBJECT = 120
MAX_AUTHOR = 60


@dataclass(frozen=True, slots=True)
class Description:
    """What a person sees beside a reference: words of the repository, made inert."""

    subject: str
    author: str
    date: str


def describe(workspace: Workspace, evidence: Sequence[Evidence]) -> list[Description]:
    """The description of each item, in order; empty strings where it is no longer there."""
    with opened(workspace) as (_, view):
        return [description_of(view, item.ref) for item in evidence]


def descriptions_of(workspace: Workspace, refs: Sequence[Ref]) -> dict[str, Description]:
    """The descriptions of whole references, by reference."""
    with opened(workspace) as (_, view):
        return {ref: description_of(view, ref) for ref in refs}


def description_of(view: View, ref: Ref) -> Description:
    """The description of one whole reference."""
    parts = split_ref(ref)
    rows = view.find_ref(*parts) if parts is not None else []
    return described(rows[0]) if rows else Description("", "", "")


def described(row: Row) -> Description:
    """The description of a row."""
    author = row.author.name if row.author is not None else ""
    return Description(
        subject=_cut(inert_line(row.subject), MAX_SUBJECT),
        author=_cut(inert_line(author), MAX_AUTHOR),
        date=iso_date(row.authored_at) or "",
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def subjects_of(workspace: Workspace, ids: Sequence[str]) -> dict[str, str]:
    """The subjects of those commits or blobs that are documents here, by id."""
    found: dict[str, str] = {}
    with opened(workspace) as (_, view):
        for one in dict.fromkeys(ids):
            rows = view.find_object(one, 1)
            if rows:
                found[one] = described(rows[0]).subject
    return found
