"""``citator export``: the decisions in force, for readers outside.

Only what is approved at HEAD, and only what this machine's audience may see; a file that was given
away cannot be taken back. A target that holds anything else is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import NearestGroup, example, house_options
from citator.cli.words import counted
from citator.model.errors import ExitCode
from citator.model.inert import inert_line
from citator.model.record import Sensitivity

if TYPE_CHECKING:
    from citator.model.visibility import Audience
    from citator.record.evaluation import Record

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

TARGET = click.Path(path_type=Path)


@click.group("export", cls=NearestGroup, epilog=example("citator export html decisions.html"))
def command() -> None:
    """Write the decisions in force in a format for others."""


def ceiling_option(function: Decorated) -> Decorated:
    """``--ceiling``: at most what the operator granted, or less."""
    return click.option(
        "--ceiling",
        type=click.Choice([one.value for one in Sensitivity]),
        help="Nothing more sensitive than this.",
    )(function)


@command.command("okf", epilog=example("citator export okf build/decisions --ceiling public"))
@click.argument("directory", type=TARGET)
@ceiling_option
@house_options
def okf(directory: Path, ceiling: str | None, root: Path, as_json: bool) -> int:
    """Write a bundle in Open Knowledge Format into DIRECTORY (new, empty or ours)."""
    from citator.service import export_okf

    records, audience = asked(root, ceiling)
    count, manifest = export_okf.export(records, audience, directory)
    return told(directory, count, records, as_json, manifest)


@command.command("madr", epilog=example("citator export madr docs/decisions"))
@click.argument("directory", type=TARGET)
@ceiling_option
@house_options
def madr(directory: Path, ceiling: str | None, root: Path, as_json: bool) -> int:
    """Write one Markdown file a decision (MADR 4) into DIRECTORY (new, empty or ours)."""
    from citator.service import export_madr

    records, audience = asked(root, ceiling)
    count, manifest = export_madr.export(records, audience, directory)
    return told(directory, count, records, as_json, manifest)


@command.command("html", epilog=example("citator export html decisions.html"))
@click.argument("file", type=TARGET)
@click.option("--title", default="Decisions", metavar="TEXT", help="What the page is called.")
@click.option("--approved-only", is_flag=True, help="No proposals, also where they may be seen.")
@ceiling_option
@house_options
def html(
    file: Path, title: str, approved_only: bool, ceiling: str | None, root: Path, as_json: bool
) -> int:
    """Write one page that needs no server and no network into FILE (new or ours)."""
    from citator.service import export_html

    records, audience = asked(root, ceiling)
    if approved_only:
        audience = audience.narrowed(unapproved=False)
    count = export_html.export(records, audience, file, title)
    return told(file, count, records, as_json)


def asked(root: Path, ceiling: str | None) -> tuple[Sequence[Record], Audience]:
    """The records at HEAD, and whom they are exported for."""
    from citator.service.record import records_of
    from citator.service.record_view import audience_of

    workspace = opened_here(root)
    audience = audience_of(workspace)
    audience = audience.narrowed(Sensitivity(ceiling) if ceiling else None)
    return records_of(workspace, audience), audience


def told(
    target: Path,
    count: int,
    records: Sequence[Record],
    as_json: bool,
    manifest: bytes | None = None,
) -> int:
    """Say what was written, its digest where there is one, and why there is no more."""
    digest = None if manifest is None else digest_in(manifest)
    pinned = any(record.pinned for record in records)
    problems = sum(len(record.problems) for record in records)
    if as_json:
        written = {"path": str(target), "decisions": count, "digest": digest}
        output.write_json({**written, "pinned": pinned, "problems": problems})
        return ExitCode.OK
    lines = [f"{counted(count, 'decision')} written: {inert_line(str(target))}"]
    if digest is not None:
        lines.append(f"digest {digest}")
    if not pinned:
        lines.append("Nobody pinned the root of this record here, so nothing in it is approved.")
    if problems:
        lines.append(f"{counted(problems, 'file')} could not be used: citator verify says why.")
    output.write_lines(lines)
    return ExitCode.OK


def digest_in(manifest: bytes) -> str:
    """The digest over all files of an export."""
    import json

    return str(json.loads(manifest)["digest"])
