"""``citator import``: what other tools recorded, as proposals.

Nothing that comes in is approved, whatever it says of itself. What would be written is told first
with ``--dry-run``; a second run makes nothing twice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from citator.cli import output, surroundings
from citator.cli.decide import now
from citator.cli.opening import opened_here
from citator.cli.render import cut
from citator.cli.tree import NearestGroup, example, house_options
from citator.cli.words import counted
from citator.model.errors import ExitCode
from citator.model.inert import inert_line
from citator.model.plain import percent_encoded
from citator.model.record import ItemKind, Sensitivity

if TYPE_CHECKING:
    from citator.service.import_reviews import ReviewReport
    from citator.service.importing import ImportReport, Line, Request
    from citator.service.workspace import Workspace

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

DIRECTORY = click.Path(path_type=Path, exists=False)
KINDS = click.Choice([kind.value for kind in ItemKind])
SENSITIVITIES = click.Choice([one.value for one in Sensitivity])

WORDS = {
    "proposed": "proposed",
    "revised": "new text proposed",
    "related": "relation(s) proposed",
    "retirement_proposed": "retirement proposed",
    "rejection_pending": "rejection to sign",
    "already_there": "there already",
    "refused": "refused",
    "target_missing": "link to nothing here",
    "more_sensitive_text_left_out": "older, more sensitive text left out",
    "item_is_retired": "retired here: left as it is",
    "rejected_before": "rejected before",
    "secret_found": "holds a secret: not written",
    "needs_second_ledger": "not for this repository's readers: citator trust ledger PATH",
    "between_ledgers": "relation between two ledgers: left out",
}
NAME_COLUMNS = 20
AFTER = 40  # columns that what is said of a name may take beside it
_QUIET = frozenset({"already_there", "related"})


@click.group("import", cls=NearestGroup, epilog=example("citator import adr docs/adr --dry-run"))
def command() -> None:
    """Bring in decisions and reviews from elsewhere, as proposals."""


def import_options(function: Decorated) -> Decorated:
    """What every import of decisions takes."""
    function = click.option("--dry-run", is_flag=True, help="Say what would be written.")(function)
    return click.option(
        "--author", metavar="NAME", help="Who proposes (default: as git is configured)."
    )(function)


def owned(function: Decorated) -> Decorated:
    """``--owner`` and ``--sensitivity``, where the source may not say it."""
    function = click.option(
        "--owner", default="unassigned", metavar="NAME", help="Who owns what is proposed."
    )(function)
    return click.option(
        "--sensitivity", type=SENSITIVITIES, default="internal", help="How sensitive it is."
    )(function)


@command.command(
    "adr", epilog=example("citator import adr docs/adr --dry-run", "citator import adr docs/adr")
)
@click.argument("directory", type=DIRECTORY)
@click.option(
    "--kind",
    type=KINDS,
    default="architecture",
    show_default=True,
    metavar="KIND",
    help="What they are about.",
)
@click.option("--scope", multiple=True, metavar="GLOB", help="A path they govern (repeatable).")
@owned
@import_options
@house_options
def adr(
    directory: Path,
    kind: str,
    scope: tuple[str, ...],
    owner: str,
    sensitivity: str,
    dry_run: bool,
    author: str | None,
    root: Path,
    as_json: bool,
) -> int:
    """Propose each architecture decision record in DIRECTORY.

    A rejected record becomes a rejection to sign; links become relations to approve.
    """
    from citator.record.importing.draft import Origin
    from citator.service import import_adr
    from citator.service.importing import carry_out

    workspace = opened_here(root)
    options = import_adr.Options(owner, ItemKind(kind), Sensitivity(sensitivity), scope)
    reading = import_adr.read(directory, below(workspace, directory), options)
    made = request(workspace, author, dry_run)
    return told(carry_out(workspace, Origin.ADR, reading, made), as_json)


@command.command("theurian", epilog=example("citator import theurian . --dry-run"))
@click.argument("directory", type=DIRECTORY)
@import_options
@house_options
def theurian(
    directory: Path,
    dry_run: bool,
    author: str | None,
    root: Path,
    as_json: bool,
) -> int:
    """Propose what the Theurian record in DIRECTORY holds, whatever its status there.

    Ids become aliases; sensitivity, tenant and group are kept.
    """
    from citator.record.importing.draft import Origin
    from citator.service import import_theurian
    from citator.service.importing import carry_out

    workspace = opened_here(root)
    reading = import_theurian.read(directory)
    made = request(workspace, author, dry_run)
    return told(carry_out(workspace, Origin.THEURIAN, reading, made), as_json)


@command.command("okf", epilog=example("citator import okf bundle --owner data --dry-run"))
@click.argument("directory", type=DIRECTORY)
@click.option(
    "--kind",
    type=KINDS,
    default="decision",
    show_default=True,
    metavar="KIND",
    help="What they are about, where they do not say.",
)
@owned
@import_options
@house_options
def okf(
    directory: Path,
    kind: str,
    owner: str,
    sensitivity: str,
    dry_run: bool,
    author: str | None,
    root: Path,
    as_json: bool,
) -> int:
    """Propose each concept of the bundle (Open Knowledge Format) in DIRECTORY.

    Front matter describes and never governs: its status, owner and verifications decide nothing.
    """
    from citator.record.importing.draft import Origin
    from citator.service import import_okf
    from citator.service.importing import carry_out

    workspace = opened_here(root)
    options = import_okf.Options(owner, ItemKind(kind), Sensitivity(sensitivity))
    reading = import_okf.read(directory, options, import_okf.known_digests(workspace))
    made = request(workspace, author, dry_run)
    return told(carry_out(workspace, Origin.OKF, reading, made), as_json)


@command.command(
    "reviews",
    epilog=example("citator import reviews exports", "citator import reviews exports --propose"),
)
@click.argument("directory", type=DIRECTORY)
@click.option("--redact-names", is_flag=True, help="Number the people instead of naming them.")
@click.option("--local", is_flag=True, help="Keep them on this machine, not in the repository.")
@click.option(
    "--propose", is_flag=True, help="Propose what resolved threads of merged changes asked for."
)
@click.option("--owner", default="unassigned", metavar="NAME", help="Who owns what is proposed.")
@import_options
@house_options
def reviews(
    directory: Path,
    redact_names: bool,
    local: bool,
    propose: bool,
    owner: str,
    dry_run: bool,
    author: str | None,
    root: Path,
    as_json: bool,
) -> int:
    """Keep the review threads in DIRECTORY: saved API exports of GitHub or GitLab, as JSON.

    They are joined to commits and become evidence, under .citator/reviews.
    """
    from citator.record.importing.draft import Origin
    from citator.service import import_reviews
    from citator.service.importing import carry_out

    workspace = opened_here(root)
    made = request(workspace, author, dry_run) if propose else None
    moment = now() if made is None else made.moment
    options = import_reviews.Options(redact_names, local, dry_run)
    gathered = import_reviews.gather(workspace, directory, options)
    report = import_reviews.keep(workspace, gathered, options, moment.text)
    proposed = None
    if made is not None:
        reading = import_reviews.drafts(workspace, gathered, owner)
        proposed = carry_out(workspace, Origin.REVIEW, reading, made)
    return told_of_reviews(report, proposed, local, as_json)


@command.command("mcp-brain", epilog=example("citator import mcp-brain .brain/local/memory.db"))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@house_options
def mcp_brain(file: Path, root: Path, as_json: bool) -> int:
    """Keep the memories of an mcp-brain store as notes of this machine, as captured.

    FILE is its memory.db, which is only read.
    """
    from citator.cli.note import told_of
    from citator.service import note_sharing

    return told_of(note_sharing.import_mcp_brain(opened_here(root), file, now()), as_json)


def told_of_reviews(
    report: ReviewReport, proposed: ImportReport | None, local: bool, as_json: bool
) -> int:
    """Say what was kept, and what was proposed from it."""
    if as_json:
        shown = None if proposed is None else as_object(proposed)
        output.write_json({**output.plain(report), "proposals": shown})
        return ExitCode.OK
    states = ", ".join(f"{count:,} {name}" for name, count in report.states.items())
    place = "the local data of this repository" if local else ".citator/reviews"
    lines = [
        f"{counted(report.threads, 'thread')}{f': {states}' if states else ''}.",
        f"{report.joined:,} of {report.changes:,} changes and issues have commits here.",
    ]
    if report.redactions:
        lines.append(f"{report.redactions:,} secrets were taken out.")
    if report.unknown:
        lines.append(f"{report.unknown:,} entries have no shape that is known here.")
    if report.flags:
        flags = ", ".join(f"{name} ({count:,})" for name, count in report.flags.items())
        lines.append(f"Look before you share them: {flags}.")
    kept = f"{report.new:,} new, {report.changed:,} changed, {report.same:,} as they were"
    done = f"Kept in {place}" if report.written else f"Would be kept in {place}"
    output.write_lines([*lines, f"{done}: {kept}."])
    if proposed is not None:
        return told(proposed, as_json=False)
    if not report.written:
        output.write_lines(["Nothing was written (--dry-run)."])
    return ExitCode.OK


def below(workspace: Workspace, directory: Path) -> str:
    """The way from the repository's root to ``directory``, ending in ``/``; empty if outside."""
    root = workspace.repository.worktree
    if root is None:
        return ""
    try:
        relative = directory.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return ""
    return "" if relative == "." else f"{relative}/"


def request(workspace: Workspace, author: str | None, dry_run: bool) -> Request:
    """The run: its moment, and its author. Raises UsageError where nobody is named."""
    from citator.service.importing import Request
    from citator.service.proposing import author_of

    return Request(author_of(workspace, author), now(), dry_run)


def told(report: ImportReport, as_json: bool) -> int:
    """Say what was done. The exit code is 1 where something was held for a person to look at."""
    if as_json:
        output.write_json(as_object(report))
    else:
        output.write_lines(as_lines(report))
    held = ("secret_found", "needs_second_ledger", "refused")
    return ExitCode.REFUSED if any(report.counts.get(one) for one in held) else ExitCode.OK


def as_object(report: ImportReport) -> dict[str, Any]:
    """The report as documented in ``docs/reference/json.md``."""
    return {
        "written": report.written,
        "read": report.read,
        "counts": report.counts,
        "lines": [
            {**output.plain(line), "source": percent_encoded(line.source)} for line in report.lines
        ],
        "skipped": [
            {"source": percent_encoded(path), "reason": why} for path, why in report.skipped
        ],
        "collisions": [
            {"number": number, "sources": [percent_encoded(path) for path in paths]}
            for number, paths in report.collisions
        ],
    }


def as_lines(report: ImportReport) -> list[str]:
    """The report for people: what needs a look first, then counts."""
    lines = [_row(line) for line in report.lines if line.outcome not in _QUIET or line.flags]
    lines += [f"{why.replace('_', ' '):>14}  {_named(path)}" for path, why in report.skipped]
    for number, paths in report.collisions:
        lines.append(f"{number} is carried by {len(paths)} records; it names none of them:")
        lines += [f"    > {_named(path)}" for path in paths]
    counts = [f"{count:,} {WORDS[name]}" for name, count in report.counts.items()]
    lines.append(f"{report.read:,} read: {', '.join(counts) if counts else 'nothing to propose'}.")
    if any(line.flags for line in report.lines):
        lines.append("Flagged text may be written to steer a machine. No flag is no promise.")
    if any(line.derived for line in report.lines):
        lines.append("Rulings marked * were cut from the text: read them before you approve.")
    if not report.written:
        lines.append("Nothing was written (--dry-run).")
    elif any(line.id for line in report.lines):
        lines.append("Written to .citator/proposals. Nothing is approved: that takes your key.")
    return lines


def _named(source: str) -> str:
    """What was read, by its name: as it is for a person, and without a word to whoever is none."""
    if not surroundings.is_terminal(sys.stdout):
        return percent_encoded(source)
    screen = surroundings.screen()
    return cut(inert_line(source), replace(screen, width=max(NAME_COLUMNS, screen.width - AFTER)))


def _row(line: Line) -> str:
    star = "*" if line.derived else " "
    flags = f"  [look: {', '.join(flag.value for flag in line.flags)}]" if line.flags else ""
    detail = f" ({line.detail})" if line.detail and line.id is None else ""
    return f"{star} {_named(line.source)}: {WORDS[line.outcome]}{detail}{flags}"
