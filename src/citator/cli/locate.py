"""``citator locate``: an issue in, the files to touch out.

- The text is given, in a file, or on standard input (``-``).
- What is new in the work tree is read first; nothing is written into the repository.
- Ten files with their reasons are at most 400 tokens; ``--detail`` shows everything.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from citator.locate.reasons import Reason
    from citator.service.locate import Located, LocatedFile, Wanted

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
@click.option("--under", default="", metavar="PATH", help="Only files in this folder.")
@click.option("--detail", is_flag=True, help="Every reason and function.")
@house_options
def command(
    issue: tuple[str, ...],
    limit: int,
    tests: bool,
    under: str,
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
        output.write_lines(as_lines(found, detail))
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
    from citator.cli.forms import horizon_object

    return {
        "files": [
            {
                "path": one.path,
                "confidence": one.confidence,
                "why": [sentence(reason) for reason in one.why],
                "functions": [asdict(function) for function in one.functions],
                "state": one.state,
            }
            for one in found.files
        ],
        "considered": found.considered,
        "uncommitted": found.uncommitted,
        "signals_off": list(found.signals_off),
        "horizon": horizon_object(found.horizon),
    }


def as_lines(found: Located, detail: bool) -> list[str]:
    """The answer for people and for clients that read text."""
    if not found.files:
        return ["No file here could be read."]
    lines: list[str] = []
    for number, one in enumerate(found.files, 1):
        near = number <= _SHOWN_FUNCTIONS
        lines.append(_head(number, one, detail))
        if detail or near:
            shown = one.functions if detail else one.functions[: 2 if number == 1 else 1]
            lines += [f"   {_place(function)}" for function in shown]
    if found.signals_off:
        lines.append(f"Off: {', '.join(found.signals_off)}.")
    if found.uncommitted:
        lines.append(f"Uncommitted files seen: {found.uncommitted}.")
    return lines


def _head(number: int, one: LocatedFile, detail: bool) -> str:
    reasons = one.why if detail or number == 1 else one.why[:1]
    told = "; ".join(sentence(reason) for reason in reasons)
    state = "" if one.state == "read" else f" ({one.state})"
    return f"{number}. {one.path} {round(100 * one.confidence)}%{state}: {told}"


def _place(function: Any) -> str:
    name = function.name or "(a name that is not plain)"
    return f"{name} {function.first}-{function.last}"


def sentence(reason: Reason) -> str:
    """A reason in our own words."""
    from citator.locate.reasons import Cause

    tokens = ", ".join(reason.tokens)
    if reason.cause is Cause.TRACEBACK:
        return f"in the traceback, frame {reason.numbers[0]} of {reason.numbers[1]}"
    if reason.cause is Cause.PATH:
        return "named in the issue"
    if reason.cause is Cause.DEFINES:
        return f"defines {tokens}"
    if reason.cause is Cause.EARLIER:
        count = reason.numbers[0]
        return f"{count} earlier commit{'s' * (count != 1)} alike: {tokens}"
    if reason.cause is Cause.WORDS:
        return f"says {tokens}"
    return "near the others by imports or past changes"
