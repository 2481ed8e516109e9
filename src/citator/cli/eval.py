"""``citator eval``: how good answers are in this repository, measured on its own past.

Numbers only: no word of a message and no path is shown. What was replayed is kept, so that a
replay that was ended goes on where it was.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import NearestGroup, example, house_options
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.service.eval_locate import Evaluation
    from citator.service.measures import Bin, Measure

_WARNING = (
    "Messages of fixes are written by who knows the answer; {named} of {cases} name a file they "
    "changed. Expect less of issues."
)
_USED = "citator locate says this from now on, and corrects how sure it is by it."
_SAID = (
    "citator locate says this from now on. How sure it is stays as it was: corrected by one half of"
    " this past, it was no better on the other."
)
_WIDENED = "Few say that they fix something, so small changes that explain themselves count too."


@click.group(
    "eval",
    cls=NearestGroup,
    short_help="Measure answers on this repository's past.",
    epilog=example("citator eval locate"),
)
def command() -> None:
    """Measure how good answers are in this repository, on its own past."""


@command.command("locate", epilog=example("citator eval locate", "citator eval locate --last 300"))
@click.option(
    "--last",
    type=click.IntRange(1, 2000),
    default=100,
    show_default=True,
    metavar="N",
    help="How many past fixes, the newest.",
)
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Only fixes committed on DATE (2026-01-31) or later.",
)
@click.option("--tests", is_flag=True, help="Tests may be answers too; nothing is calibrated.")
@click.option(
    "--resume/--fresh",
    default=True,
    show_default=True,
    help="Use what was replayed before, or replay all again.",
)
@house_options
def locate(
    last: int, since: datetime | None, tests: bool, resume: bool, root: Path, as_json: bool
) -> int:
    """Replay past fixes: does what a fix says lead to the files it changed?

    Each is asked against the files and the history its parent had. With 30 cases or more the
    reading plan and the confidences of citator locate are calibrated on this repository.
    """
    from citator.cli.progress import watched
    from citator.service.eval_locate import Replay, evaluate

    begin = 0 if since is None else max(0, int(since.replace(tzinfo=UTC).timestamp()))
    with watched("Replaying past fixes") as report:
        asked = Replay(last, begin, tests=tests, fresh=not resume)
        found = evaluate(opened_here(root), asked, report)
    if as_json:
        output.write_json(as_object(found))
    else:
        output.write_lines(as_lines(found, tests))
    return ExitCode.OK if found.cases else ExitCode.NOT_FOUND


def as_object(found: Evaluation) -> dict[str, Any]:
    """The evaluation as documented in ``docs/reference/json.md``."""
    from citator.cli.forms import horizon_object, plan_object

    form: dict[str, Any] = output.plain(found)
    form["measures"] = {
        one.name: {
            "value": round(one.value, 4),
            "low": round(one.low, 4),
            "high": round(one.high, 4),
        }
        for one in found.measures
    }
    form["bins"] = [{**output.plain(one), "mean": round(one.mean, 4)} for one in found.bins]
    form["error"] = round(found.error, 4)
    form["plan"] = None if found.plan is None else plan_object(found.plan)
    form["horizon"] = horizon_object(found.horizon)
    return form


def as_lines(found: Evaluation, tests: bool) -> list[str]:
    """The evaluation for people."""
    from citator.cli.render import horizon_lines
    from citator.cli.words import counted
    from citator.service.reading_plan import ENOUGH, sentence

    of = f"{found.fixes}, of {counted(found.examined, 'commit')} looked at"
    looked = f"Past {'changes' if found.widened else 'fixes'}: {of}"
    if not found.cases:
        none = "none changed a source file that was there before"
        return [f"{looked}; {none}.", *horizon_lines(found.horizon)]
    lines = [
        f"{looked}; with a source file to find: {found.cases}.",
        f"Replayed now: {found.replayed}.",
        *([_WIDENED] if found.widened else []),
        "",
        "            in %  95 % interval",
        *map(_measure, found.measures),
        "",
        "Confidence of the first file, and how often it was changed:",
        *map(_bin, found.bins),
        f"  mean distance {found.error:.3f}",
        "",
        _WARNING.format(named=found.named, cases=found.cases),
    ]
    if found.plan is not None:
        lines += [sentence(found.plan), _USED if found.plan.corrects else _SAID]
    elif not tests:
        lines.append(f"Nothing was calibrated: that takes {ENOUGH} cases.")
    return [*lines, *horizon_lines(found.horizon)]


def _measure(one: Measure) -> str:
    low, high = 100 * one.low, 100 * one.high
    return f"{one.name:10} {100 * one.value:5.1f}  {low:5.1f} to {high:5.1f}"


def _bin(one: Bin) -> str:
    span = f"{round(100 * one.low):3} to {round(100 * one.high):3} %"
    right = 100 * one.right / one.count
    return f"  {span}: n {one.count:4}, mean {100 * one.mean:5.1f} %, changed {right:5.1f} %"
