"""``citator forget``: delete what this machine keeps about a repository.

What would be deleted is listed first, with sizes. Nothing goes without a yes: typed by a person
at a terminal, or given as ``--yes``. The repository itself is never touched.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citator.cli import output, surroundings
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.cli.words import size
from citator.model.errors import ExitCode, RefusedError

if TYPE_CHECKING:
    from citator.service.forget import Belonging


@click.command("forget", epilog=example("citator forget", "citator forget --yes"))
@click.option("--yes", is_flag=True, help="Delete without asking.")
@house_options
def command(yes: bool, root: Path, as_json: bool) -> int:
    """Delete what Citator keeps about this repository.

    Lists it first. The repository itself is not touched.
    """
    from citator.service.forget import carry_out, plan

    workspace = opened_here(root)
    belongings = plan(workspace)
    if not as_json:
        output.write_lines(_listed(belongings))
    agreed = bool(belongings) and (yes or (not as_json and _agreed()))
    freed = carry_out(workspace) if agreed else 0
    if as_json:
        output.write_json(
            {"belongings": output.plain(belongings), "deleted": agreed, "freed": freed}
        )
    elif agreed:
        output.write_lines([f"Deleted: {size(freed)}."])
    if belongings and not agreed:
        raise_not_agreed(as_json)
    return ExitCode.OK


def raise_not_agreed(as_json: bool) -> None:
    """End with code 1; the JSON object has said already that nothing was deleted."""
    if as_json:
        raise click.exceptions.Exit(ExitCode.REFUSED)
    raise RefusedError("not_agreed", "nothing was deleted", "To delete without being asked: --yes")


def _listed(belongings: Sequence[Belonging]) -> list[str]:
    if not belongings:
        return ["Nothing is kept about this repository on this machine."]
    total = sum(item.bytes for item in belongings)
    rows = [f"  {size(item.bytes):>10}  {item.path}{_note(item)}" for item in belongings]
    return ["Kept about this repository:", *rows, f"  {size(total):>10}  in all"]


def _note(item: Belonging) -> str:
    return "" if item.derived else "  (cannot be made again)"


def _agreed() -> bool:
    """A person's yes. Whoever cannot be asked has not agreed."""
    if not (surroundings.is_terminal(sys.stdin) and surroundings.is_terminal(sys.stdout)):
        return False
    output.flush()
    return click.confirm("Delete all of it?", default=False)
