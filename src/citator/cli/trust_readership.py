"""``citator trust readership``: who the history of this repository is for. A person's command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode, UsageError
from citator.model.record import Sensitivity

if TYPE_CHECKING:
    from citator.trust.readership import PathRule, Readership

LEVELS = [one.value for one in Sensitivity]


@click.command(
    "readership", epilog=example("citator trust readership --path 'incidents/**=confidential'")
)
@click.option(
    "--sensitivity",
    type=click.Choice(LEVELS),
    metavar="LEVEL",
    help="Of the repository as a whole.",
)
@click.option(
    "--path", "paths", multiple=True, metavar="GLOB=LEVEL", help="Of these paths (repeatable)."
)
@click.option("--clear", is_flag=True, help="First forget all that was said of it.")
@click.option("--yes", is_flag=True, help="Without being asked.")
@house_options
def readership(
    sensitivity: str | None,
    paths: tuple[str, ...],
    clear: bool,
    yes: bool,
    root: Path,
    as_json: bool,
) -> int:
    """Say how sensitive this repository's history is, and which paths more; or show it.

    An audience below it (trust audience) gets nothing of what it is not for.
    """
    from citator.cli import signing
    from citator.cli.decide import now
    from citator.service import trust
    from citator.trust.readership import Readership

    workspace = opened_here(root)
    said = trust.readership(workspace)
    if sensitivity or paths or clear:
        rules = [_rule(one) for one in paths]
        wanted = None
        if sensitivity or paths:
            before = (None if clear else said) or Readership()
            level = Sensitivity(sensitivity) if sensitivity else before.sensitivity
            wanted = Readership(level, _together(before.rules, rules))
        if not yes and not signing.typed(
            "Type `readership` to say this from now on:", "readership", as_json=as_json
        ):
            raise signing.not_agreed("nothing was changed", "to do it without being asked: --yes")
        trust.set_readership(workspace, wanted, now())
        said = wanted
    _show(said, as_json)
    return ExitCode.OK


def _rule(text: str) -> PathRule:
    from citator.formats.globs import problem_with
    from citator.trust.readership import PathRule

    glob, _, level = text.rpartition("=")
    if level not in LEVELS or problem_with(glob) is not None:
        raise UsageError(
            "usage",
            "--path wants GLOB=LEVEL, a pattern of paths and one of " + ", ".join(LEVELS),
            "See: citator trust readership --help",
        )
    return PathRule(glob, Sensitivity(level))


def _together(before: tuple[PathRule, ...], rules: list[PathRule]) -> tuple[PathRule, ...]:
    """The rules by their patterns: what is said now stands for what was said."""
    from citator.trust.readership import MAX_RULES

    found = {one.glob: one for one in (*before, *rules)}
    if len(found) > MAX_RULES:
        raise UsageError(
            "too_many_rules",
            f"more than {MAX_RULES} patterns are too many",
            "say it with fewer: `**` covers every folder below",
        )
    return tuple(found[glob] for glob in sorted(found))


def _show(said: Readership | None, as_json: bool) -> None:
    shown = {
        "sensitivity": None if said is None else said.sensitivity.value,
        "paths": [
            {"glob": one.glob, "sensitivity": one.sensitivity.value}
            for one in (() if said is None else said.rules)
        ],
    }
    if as_json:
        output.write_json(shown)
    elif said is None:
        output.write_lines(["Nothing was said: its history is for whoever is served."])
    else:
        output.write_lines(
            [
                f"sensitivity: {said.sensitivity.value}",
                *(f"{json.dumps(one.glob)}: {one.sensitivity.value}" for one in said.rules),
            ]
        )
