"""``citator serve``: the MCP face over standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from citator.cli import surroundings
from citator.cli.tree import example


@click.command("serve", epilog=example("citator serve --root /path/to/repository"))
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="PATH",
    help="A directory of the repository, if not here.",
)
@click.option(
    "--profile",
    default="evidence",
    show_default=True,
    metavar="NAME",
    help="Which tools to serve.",
)
@click.pass_obj
def command(serve: object, root: Path, profile: str) -> int:
    """Serve one repository to an MCP client over stdio.

    Put this command into the client's configuration; it is not for typing.
    """
    assert callable(serve)
    serve(root, surroundings.places(), profile)
    return 0
