"""``citator claims finish``, ``outcomes``, ``undo``: how tickets ended, for people and scripts.

What is told are ids, numbers and plain paths: no words of a ticket are kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output
from citator.cli.decide import now
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.cli.words import counted
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.service.outcomes import Told


@click.command(
    "finish", epilog=example("citator claims finish 42 --outcome completed --commit HEAD")
)
@click.argument("ticket")
@click.option(
    "--outcome",
    type=click.Choice(["completed", "reverted", "abandoned"]),
    required=True,
    metavar="HOW",
    help="completed, reverted or abandoned.",
)
@click.option("--commit", metavar="REV", help="The commit (a merge: all it brought) that did it.")
@click.option(
    "--file", "files", multiple=True, metavar="PATH", help="What changed, where no commit is named."
)
@house_options
def finish(
    ticket: str, outcome: str, commit: str | None, files: tuple[str, ...], root: Path, as_json: bool
) -> int:
    """Say how TICKET ended, and end your claims for it."""
    from citator.service import outcomes
    from citator.team.outcomes import Outcome

    made = outcomes.finish(
        opened_here(root),
        now(),
        ticket=ticket,
        outcome=Outcome(outcome),
        files=files,
        commit=commit,
    )
    if as_json:
        output.write_json(
            {
                "outcome": outcome_object(made.told),
                "replaced": made.replaced,
                "released": made.released,
            }
        )
        return ExitCode.OK
    lines = outcome_lines(made.told)
    lines += ["It takes the place of what was said before."] if made.replaced else []
    lines += [f"{counted(made.released, 'claim')} released."] if made.released else []
    output.write_lines(lines)
    return ExitCode.OK


@click.command("outcomes", epilog=example("citator claims outcomes"))
@click.argument("ticket", required=False)
@house_options
def outcomes(ticket: str | None, root: Path, as_json: bool) -> int:
    """List how tickets ended here, the latest first; of TICKET alone where one is named."""
    from citator.service import outcomes as kept
    from citator.service.claims import named_ticket

    named = None if ticket is None else named_ticket(ticket)
    workspace = opened_here(root)
    kept.correct(workspace, now())
    found = [one for one in kept.listing(workspace) if named in (None, one.ticket)]
    if as_json:
        output.write_json({"outcomes": [outcome_object(one) for one in found]})
    else:
        lines = [line for one in found for line in outcome_lines(one)]
        output.write_lines(lines or ["No ticket was finished here."])
    return ExitCode.OK if found or named is None else ExitCode.NOT_FOUND


@click.command("undo", epilog=example("citator claims undo 42"))
@click.argument("ticket")
@house_options
def undo(ticket: str, root: Path, as_json: bool) -> int:
    """Take back the outcome of TICKET that counts, and what it taught."""
    from citator.service import outcomes as kept

    left = kept.undo(opened_here(root), ticket, now())
    if as_json:
        output.write_json({"outcome": None if left is None else outcome_object(left)})
    elif left is None:
        output.write_lines(["Taken back: no outcome of that ticket counts now."])
    else:
        output.write_lines(["Taken back. What counts now:", *outcome_lines(left)])
    return ExitCode.OK


def outcome_object(told: Told) -> dict[str, Any]:
    """An outcome (``docs/reference/json.md``)."""
    held = told.judged
    measured = None
    if held is not None:
        measured = {
            "changed": held.changed,
            "foreseeable": held.gold,
            "predicted": held.foreseen,
            "right": held.right,
            "precision": held.precision,
            "recall": held.recall,
            "f1": held.f1,
            "first_right": held.first,
        }
    return {
        "ticket": told.ticket,
        "outcome": told.outcome.value,
        "time": told.time,
        "commit": told.commit,
        "corrected_by": told.corrected_by,
        "prediction": measured,
        "shown": {"notes": list(told.notes), "files": told.files, "decisions": told.decisions},
        "used": {"notes": list(told.used), "files": told.files_used},
    }


def outcome_lines(told: Told) -> list[str]:
    """An outcome, for people."""
    commit = f" ({told.commit[:12]})" if told.commit else ""
    by = f", as {told.corrected_by[:12]} shows" if told.corrected_by else ""
    lines = [f"{told.ticket}  {told.outcome.value}{commit}, {told.time[:10]}{by}"]
    held = told.judged
    if held is not None and held.foreseen:
        place = f", the first at place {held.first}" if held.first else ""
        lines.append(
            f"  {counted(held.foreseen, 'file')} predicted, {len(held.places)} of"
            f" {held.gold} to be foreseen among them{place}"
        )
    if told.notes:
        lines.append(f"  {counted(len(told.notes), 'note')} shown, {len(told.used)} of use")
    return lines
