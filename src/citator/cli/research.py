"""``citator research``: one page of the web, for a person, from where their own list allows.

What comes is shown inert and between two boundary lines: data, never instructions.
"""

from __future__ import annotations

import time
from pathlib import Path

import click

from citator.cli import output, surroundings
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode


@click.command(
    "research",
    short_help="Fetch one page from where your list allows.",
    epilog=example("citator research https://docs.python.org/3/library/ssl.html"),
)
@click.argument("url")
@click.option("--fresh", is_flag=True, help="Also where it was fetched today.")
@click.option(
    "--ca-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Believe these authorities (PEM) instead of the system's.",
)
@click.option(
    "--lines",
    type=click.IntRange(1, 5000),
    default=200,
    show_default=True,
    metavar="N",
    help="At most N lines of it.",
)
@house_options
def command(
    url: str, fresh: bool, ca_file: Path | None, lines: int, root: Path, as_json: bool
) -> int:
    """Fetch one page that you allowed, and show its words as untrusted data.

    Off until you write a list: docs/how-to/research.md.
    """
    from citator.model.fence import fenced
    from citator.model.inert import inert, inert_line
    from citator.service.research import research
    from citator.store.layout import Layout

    places = surroundings.places()
    found = research(places, url, int(time.time()), fresh=fresh, ca_file=ca_file)
    every = inert(found.text).split("\n")
    secret = Layout(places.data).secret(places.entropy)
    text = fenced("\n".join(every[:lines]), secret, fetched=True)
    cut = len(every) > lines
    if as_json:
        form = {**output.plain(found), "text": text, "truncated": cut, "trust": "untrusted"}
        output.write_json({**form, "authority": "not_assessed_by_retrieval"})
        return ExitCode.OK
    when = "kept from" if found.cached else "fetched"
    head = f"{inert_line(found.final)}  {found.type}  {when} {found.fetched_at}"
    more = [f"{len(every) - lines} more lines with --lines."] if cut else []
    output.write_lines([head, f"sha256 {found.digest}", *text.split("\n"), *more])
    return ExitCode.OK
