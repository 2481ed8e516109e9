"""``citator log``: what a person's commands changed here, and whether the log of it is whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.service.journal import History

SHORT = 12


@click.command("log", epilog=example("citator log", "citator log --prune 5000"))
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    metavar="N",
    help="How many.",
)
@click.option("--before", type=click.IntRange(1), metavar="N", help="Only entries below number N.")
@click.option("--prune", type=click.IntRange(1), metavar="N", help="Delete old ones below N.")
@house_options
def command(limit: int, before: int | None, prune: int | None, root: Path, as_json: bool) -> int:
    """Show what changed the record from this machine, newest first.

    Checks the chain that holds the entries together; exit code 4 where it is broken.
    """
    from citator.cli.decide import now
    from citator.service import journal

    workspace = opened_here(root)
    if prune is not None:
        journal.prune(workspace, prune, now().text)
    found = journal.history(workspace, limit, before)
    if as_json:
        output.write_json(_object(found))
    else:
        output.write_lines(_lines(found))
    if found.verified.broken is not None:
        if as_json:
            return ExitCode.INTEGRITY
        journal.require_whole(workspace)
    return ExitCode.OK


def _object(found: History) -> dict[str, object]:
    broken = found.verified.broken
    return {
        "entries": [
            {
                "n": one.n,
                "time": one.time,
                "event": one.event,
                "subjects": list(one.subjects),
                "digests": list(one.digests),
            }
            for one in found.entries
        ],
        "whole": broken is None,
        "broken": None if broken is None else {"n": broken.n, "fault": broken.fault.value},
        "head": found.verified.head,
    }


def _lines(found: History) -> list[str]:
    lines = [
        f"{one.n:5}  {one.time}  {one.event}  {' '.join(one.subjects)}".rstrip()
        for one in found.entries
    ]
    return lines or ["Nothing has been changed from here yet."]
