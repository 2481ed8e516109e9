"""``citator serve``: the MCP face over standard input and output, or over HTTP."""

from __future__ import annotations

from pathlib import Path

import click

from citator.cli import output, surroundings
from citator.cli.tree import example
from citator.model.errors import UsageError
from citator.model.inert import inert_line

PORT = 8472


@click.command(
    "serve",
    short_help="Serve MCP clients over stdio or HTTP.",
    epilog=example("citator serve --root /path/to/repository"),
)
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A directory of the repository, if not here.",
)
@click.option(
    "--profile",
    default="all",
    show_default=True,
    metavar="NAME",
    help="Which tools to serve.",
)
@click.option(
    "--http", is_flag=True, help="Serve all registered repositories, to this machine alone."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help=f"With --http: where to listen; 0 for any free port.  [default: {PORT}]",
)
@click.option("--end-with-input", is_flag=True, help="With --http: end when standard input does.")
@click.option("--rotate-token", is_flag=True, help="Make a new token for --http, and end.")
@click.pass_obj
def command(
    serve: object,
    root: Path | None,
    profile: str,
    http: bool,
    port: int | None,
    end_with_input: bool,
    rotate_token: bool,
) -> int:
    """Serve one repository to an MCP client over stdio, or several over HTTP.

    Put this command into the client's configuration; only with --http it is for typing.
    """
    assert callable(serve)
    places = surroundings.places()
    if rotate_token:
        from citator.service.http_token import rotate

        output.write_lines([f"new token in {inert_line(str(rotate(places)))}"])
        return 0
    if http:
        from citator.service.registered import require_readable

        require_readable(places)
        listen = PORT if port is None else port
        serve(root, places, profile, port=listen, end_with_input=end_with_input)
    elif port is not None or end_with_input:
        raise UsageError("usage", "--port and --end-with-input go with --http", "Add --http.")
    else:
        serve(root or Path(), places, profile)
    return 0
