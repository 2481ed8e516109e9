"""``citator prove-absent``: whether nothing speaks of something. For a person at a terminal; others
are told that there is not enough to say."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citator.cli import output, surroundings
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.service.prove_absent import Proof

INSUFFICIENT = "insufficient evidence"


@click.command(
    "prove-absent",
    short_help="Prove that nothing speaks of it.",
    epilog=example('citator prove-absent "a queue for mail" --at v2.0'),
)
@click.argument("text", nargs=-1, required=True)
@click.option("--at", metavar="REV", help="As of that commit (default: HEAD).")
@house_options
def command(text: tuple[str, ...], at: str | None, root: Path, as_json: bool) -> int:
    """Read every commit, document and decision, and say whether one speaks of it.

    Exit code 1: something does. 3: nothing was proved.
    """
    from citator.service.decisions import operator
    from citator.service.prove_absent import Verdict, prove_absent

    workspace = opened_here(root)
    if not surroundings.is_terminal(sys.stdout):
        if as_json:
            output.write_json({"verdict": INSUFFICIENT})
        else:
            output.write_lines([f"{INSUFFICIENT}: this is proved to people alone."])
        return ExitCode.NOT_FOUND
    found = prove_absent(workspace, " ".join(text), at, operator(workspace))
    if as_json:
        from citator.cli.forms import horizon_object

        output.write_json({**output.plain(found), "horizon": horizon_object(found.horizon)})
    else:
        output.write_lines(_lines(found))
    codes = {Verdict.ABSENT: ExitCode.OK, Verdict.FOUND: ExitCode.REFUSED}
    return codes.get(found.verdict, ExitCode.NOT_FOUND)


def _lines(found: Proof) -> list[str]:
    from citator.cli.render import SHORT_COMMIT, horizon_lines
    from citator.cli.words import counted

    read = found.covered
    at = found.commit[:SHORT_COMMIT]
    counts = ", ".join(
        (
            counted(read.commits, "commit"),
            counted(read.documents, "document"),
            counted(read.decisions, "decision"),
        )
    )
    lines = [f"Looked for: {', '.join(found.words)}", f"Read at {at}: {counts}."]
    if found.control is not None:
        words = " and ".join(found.control_words)
        lines.append(f"Control: {words} found in commit {found.control[:SHORT_COMMIT]}.")
    if found.found:
        more = f", and {found.more} more" if found.more else ""
        lines.append(f"Found in: {', '.join(found.found)}{more}.")
    elif found.control is not None:
        bound = "" if found.horizon.complete else ", as far as was read"
        lines.append(f"Absent{bound}.")
    else:
        lines.append("Unproved: no control could be found, so nothing is said.")
    return [*lines, *horizon_lines(found.horizon)]
