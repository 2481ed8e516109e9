"""``citator locate``: an issue in, the files to touch out.

- The text is given, in a file, or on standard input (``-``).
- What is new in the work tree is read first; nothing is written into the repository.
- Ten files with their reasons, and what the record says of them, are at most 400 tokens;
  ``--detail`` shows everything. What a pinned key signed is quoted as in ``ask``.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from citator.cli.surroundings import Screen
    from citator.service.locate import Located, LocatedFile, Wanted
    from citator.service.reason_wording import Fullness

_MAX_TEXT = 1 << 20
_LOOKS_LIKE_FILE = 200
_SHOWN_FUNCTIONS = 3


@click.command(
    "locate",
    short_help="Name the files an issue is about.",
    epilog=example('citator locate "crash when a header is empty"', "citator locate issue.md"),
)
@click.argument("issue", nargs=-1, required=True)
@click.option(
    "--limit",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    metavar="N",
    help="How many files.",
)
@click.option("--tests", is_flag=True, help="Tests may be answers too.")
@click.option(
    "--under", multiple=True, metavar="PATH", help="Only this folder or file; may be repeated."
)
@click.option("--detail", is_flag=True, help="Every reason and function.")
@house_options
def command(
    issue: tuple[str, ...],
    limit: int,
    tests: bool,
    under: tuple[str, ...],
    detail: bool,
    root: Path,
    as_json: bool,
) -> int:
    """Name the files an issue is about: ranked, with reasons, functions and a confidence.

    ISSUE is the text, a file that holds it, or - for standard input.
    """
    from citator.service.locate import Wanted

    wanted = Wanted(text_of(issue), limit, _SHOWN_FUNCTIONS, tests, under)
    found = _located(root, wanted)
    if as_json:
        output.write_json(as_object(found))
    else:
        output.write_lines(as_lines(found, detail, surroundings.screen()))
    return ExitCode.OK if found.files else ExitCode.NOT_FOUND


def text_of(issue: tuple[str, ...]) -> str:
    """The text of an issue as it was given. Raises UsageError."""
    if issue == ("-",):
        return sys.stdin.buffer.read(_MAX_TEXT).decode("utf-8", "replace")
    if len(issue) == 1 and len(issue[0]) <= _LOOKS_LIKE_FILE and "\n" not in issue[0]:
        path = Path(issue[0])
        try:
            if path.is_file():
                with path.open("rb") as file:
                    return file.read(_MAX_TEXT).decode("utf-8", "replace")
        except (OSError, ValueError) as error:
            raise UsageError(
                "unreadable_file", "the file with the issue cannot be read", "give its text"
            ) from error
    return " ".join(issue)


def _located(root: Path, wanted: Wanted) -> Located:
    from citator.cli.progress import watched
    from citator.service.locate import locate, locate_in_folder

    try:
        workspace = opened_here(root)
    except UsageError as error:
        if error.code != "not_a_repository":
            raise
        return locate_in_folder(root, wanted)
    with watched("Reading the code") as report:
        return locate(workspace, wanted, report)


def as_object(found: Located) -> dict[str, Any]:
    """The answer as documented in ``docs/reference/json.md``."""
    from citator.cli.forms import horizon_object, plan_object, record_object
    from citator.service.reason_wording import sentence

    return {
        "files": [
            {
                "path": one.path,
                "confidence": one.confidence,
                "why": [sentence(reason) for reason in one.why],
                "functions": [asdict(function) for function in one.functions],
                "state": one.state,
                "decisions": list(one.decisions),
                "rejections": list(one.rejections),
            }
            for one in found.files
        ],
        "considered": found.considered,
        "uncommitted": found.uncommitted,
        "signals_off": list(found.signals_off),
        "calibration": found.calibration.value,
        "reading_plan": None if found.plan is None else plan_object(found.plan),
        **record_object(found.record),
        "horizon": horizon_object(found.horizon),
    }


def as_lines(found: Located, detail: bool, screen: Screen) -> list[str]:
    """The answer for people and for clients that read text."""
    from citator.service.reason_wording import EVERYTHING, FULLNESS, NOTHING_SAID, room_for

    if not found.files:
        return [NOTHING_SAID if found.considered else "No file here could be read."]
    if detail:
        return _told(found, EVERYTHING, screen)
    lines: list[str] = []
    for fullness in FULLNESS:
        lines = _told(found, fullness, screen)
        if len("\n".join(lines).encode()) < room_for(len(found.files)):
            break
    return lines


def _told(found: Located, fullness: Fullness, screen: Screen) -> list[str]:
    lines: list[str] = []
    for number, one in enumerate(found.files, 1):
        lines.append(_head(number, one, fullness.reasons_of(number)))
        lines += [f"   {_place(each)}" for each in one.functions[: fullness.functions_of(number)]]
    lines += _record_lines(found, fullness, screen)
    lines += _plan_lines(found)
    if found.signals_off:
        lines.append(f"Off: {', '.join(found.signals_off)}.")
    if found.uncommitted:
        lines.append(f"Uncommitted files seen: {found.uncommitted}.")
    return lines


def _plan_lines(found: Located) -> list[str]:
    from citator.service.reading_plan import Calibrated, sentence

    if found.plan is not None:
        return [sentence(found.plan)]
    stale = found.calibration is Calibrated.STALE
    return ["Calibrated here by another version: citator eval locate."] if stale else []


def _head(number: int, one: LocatedFile, reasons: int) -> str:
    from citator.service.reason_wording import sentence

    told = "; ".join(sentence(reason) for reason in one.why[:reasons])
    state = "" if one.state == "read" else f" ({one.state})"
    line = f"{number}. {one.path} {round(100 * one.confidence)}%{state}"
    return f"{line}: {told}" if told else line


def _place(function: Any) -> str:
    name = function.name or "(a name that is not plain)"
    return f"{name} {function.first}-{function.last}"


def _record_lines(found: Located, fullness: Fullness, screen: Screen) -> list[str]:
    """What was rejected about these files, and what governs them."""
    from citator.cli.render import SHORT_COMMIT, quoted_whole

    lines: list[str] = []
    for no in found.record.rejections:
        about = _numbers(no.rejection in one.rejections for one in found.files)
        lines.append(f"Told no on {no.date} about {about} ({no.rejection[:SHORT_COMMIT]}).")
        if no.reason is not None and fullness.words:
            lines += quoted_whole(no.reason, screen)
    for each in found.record.decisions:
        about = _numbers(each.item in one.decisions for one in found.files)
        signed = f"signature: {each.signature}"
        lines.append(f"Decision {each.item} ({each.status.value}, {signed}) governs {about}.")
        if each.ruling is not None and fullness.words:
            lines += quoted_whole(each.ruling, screen)
    return lines


def _numbers(held: Iterable[bool]) -> str:
    return ", ".join(str(number) for number, one in enumerate(held, 1) if one)
