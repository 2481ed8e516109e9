"""``citator apply``: land what was approved.

What is served is what is committed: ``--commit`` does that, too, and commits nothing else.
"""

from __future__ import annotations

from pathlib import Path

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.cli.words import counted
from citator.model.errors import ExitCode


@click.command("apply", epilog=example("citator apply --commit", "citator apply 01JD4Q"))
@click.argument("proposals", nargs=-1, metavar="[ID]...")
@click.option("--commit", "and_commit", is_flag=True, help="Commit the record's files, too.")
@house_options
def command(proposals: tuple[str, ...], and_commit: bool, root: Path, as_json: bool) -> int:
    """Land approved proposals: all of them, or those named.

    Replays the whole record first; nothing is applied where anything is refused.
    """
    from citator.cli.decide import now
    from citator.service.land import apply

    done = apply(opened_here(root), proposals, now(), and_commit=and_commit)
    if as_json:
        output.write_json(
            {
                "landed": [{"id": one.id, "digest": one.digest} for one in done.landed],
                "left": list(done.left),
                "commit": done.commit,
            }
        )
        return ExitCode.OK
    lines = [f"Landed: {one.id}" for one in done.landed] or ["Nothing new to land."]
    if done.left:
        lines.append(
            f"{counted(len(done.left), 'proposal')} without the approval that is asked for"
        )
    if done.commit is not None:
        lines.append(f"Committed: {done.commit[:12]}")
    elif done.landed:
        lines.append("Next: commit the folder `.citator` (what is served is what is committed)")
    output.write_lines(lines)
    return ExitCode.OK
