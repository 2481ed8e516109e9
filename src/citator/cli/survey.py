"""``citator survey``: what the record leaves open. At a terminal, for the person of this machine;
elsewhere for whom the operator granted."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citator.cli import output, surroundings
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citator.model.docket import Ownership
    from citator.service.ownership import Owned
    from citator.service.survey import Open, Surveyed

_MOST_NAME = 60

TITLES = {
    "paths_gone": "Decisions whose paths are gone",
    "ungoverned": "Files that a retired decision governed, and nothing in force does",
    "unreachable": "Decisions that no path can find, because they name none",
    "expiring": "Decisions that end soon",
    "unapproved": "Proposals that nobody approved, and that files already stand under",
    "hot": "Files that change much and that no decision governs",
    "withdrawn": "Findings of `check` that nobody honoured, and that are shown no more",
}


@click.command(
    "survey",
    short_help="Say what the record leaves open.",
    epilog=example("citator survey --days 90"),
)
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    default=30,
    show_default=True,
    metavar="N",
    help="How soon `soon` is.",
)
@house_options
def command(days: int, root: Path, as_json: bool) -> int:
    """Say what the record leaves open: gone paths, ungoverned files, ends, proposals; and which
    folders rest on one author."""
    from citator.service.decisions import granted, operator
    from citator.service.survey import survey

    workspace = opened_here(root)
    wide = surroundings.is_terminal(sys.stdout) and not as_json
    audience = operator(workspace) if wide else granted(workspace)
    found = survey(workspace, audience, datetime.now(UTC), days)
    if as_json:
        from citator.cli.forms import horizon_object

        horizon = horizon_object(found.horizon)
        told = {key: [output.plain(one) for one in items] for key, items in _parts(found).items()}
        output.write_json({**told, "horizon": horizon})
    else:
        output.write_lines(lines(found, names=wide))
    return ExitCode.OK


def _parts(found: Surveyed) -> dict[str, Sequence[object]]:
    return {"open": found.open, "owners": found.owned.paths}


def lines(found: Surveyed, *, names: bool) -> list[str]:
    """What was found, as text. ``names``: a person reads it, and is told who the authors are."""
    from citator.cli.render import horizon_lines

    told: list[str] = []
    matter = None
    for one in found.open:
        if one.matter is not matter:
            matter = one.matter
            told.append(f"{TITLES[matter.value]}:")
        told.append(f"  {_said(one)}")
    told = told or ["Nothing is open."]
    if found.owned.paths:
        told.append("Folders of which one author holds half of the recent work:")
        told += [f"  {_held(one, found.owned, names=names)}" for one in found.owned.paths]
    return [*told, *horizon_lines(found.horizon)]


def _held(one: Ownership, owned: Owned, *, names: bool) -> str:
    """A folder and who holds it: by name for a person, else by number."""
    from citator.model.inert import inert_line

    owner = one.owners[0]
    name = f"author {owner.author}"
    if names:
        name = inert_line(owned.people[owner.author].name)[:_MOST_NAME] or name
    share = f"{round(100 * owner.share)}% of {one.changes} changes"
    said = f"{one.path}: {name}, {share}, last {owner.last}"
    return f"{said}; CODEOWNERS: {', '.join(one.declared)}" if one.declared else said


def _said(one: Open) -> str:
    facts = []
    if one.count:
        units = {"hot": "changes", "withdrawn": "showings", "paths_gone": "patterns"}
        facts.append(f"{one.count} {units.get(one.matter.value, 'files')}")
    facts += [f"ends {one.date}"] if one.date is not None else []
    facts += [f"such as {one.path}"] if one.path is not None else []
    return f"{one.subject}: {', '.join(facts)}" if facts else one.subject
