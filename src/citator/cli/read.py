"""``citator read``: the exact, bounded, fenced text of references that were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options, printable
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.model.evidence import ReadItem

PROBLEMS = {
    "malformed_ref": "is not a reference",
    "unknown_ref": "names nothing in this history",
    "ambiguous_ref": "names more than one text: give more digits",
    "damaged": "does not match the text that is stored for it: run citator index build --fresh",
}
CODES = {"malformed_ref": ExitCode.USAGE, "damaged": ExitCode.INTEGRITY}


@click.command("read", epilog=example("citator read 3fa9c1d2e4f0"))
@click.argument("refs", nargs=-1, required=True, metavar="REF...")
@click.option(
    "--lines",
    type=click.IntRange(1, 2000),
    default=200,
    show_default=True,
    metavar="N",
    help="At most N lines of each.",
)
@house_options
def command(refs: tuple[str, ...], lines: int, root: Path, as_json: bool) -> int:
    """Print the text behind references (a unique prefix is enough).

    The text is the repository's: it stands between two boundary lines as data.
    """
    from citator.cli.ask import bring_up_to_date
    from citator.cli.forms import read_object
    from citator.cli.render import read_lines
    from citator.service.read_evidence import read_evidence

    workspace = opened_here(root)
    bring_up_to_date(workspace)
    items = read_evidence(workspace, refs, max_lines=lines, max_characters=lines * 400)
    if as_json:
        output.write_json({"items": [read_object(item, workspace.secret) for item in items]})
    else:
        for item in items:
            if item.problem is None:
                output.write_lines(read_lines(item, workspace.secret))
    _complain(items)
    return max((CODES.get(i.problem, ExitCode.NOT_FOUND) for i in items if i.problem), default=0)


def _complain(items: Sequence[ReadItem]) -> None:
    """One line on standard error for each reference that could not be read."""
    for item in items:
        if item.problem is not None:
            sentence = PROBLEMS.get(item.problem, item.problem)
            click.echo(f"citator: {printable(item.ref)} {sentence}", err=True)
