"""``citator index``: build, inspect and switch the generations of a repository's index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from citator.cli import output
from citator.cli.opening import opened_here, tell_what_is_remade
from citator.cli.progress import watched
from citator.cli.tree import NearestGroup, example, house_options
from citator.cli.watching import generation
from citator.cli.words import counted, coverage
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.index.protocol import GenerationInfo
    from citator.service.index_history import IndexStatus
    from citator.service.workspace import Workspace


@click.group("index", cls=NearestGroup, epilog=example("citator index build"))
def command() -> None:
    """Build, inspect or roll back the index of this repository."""


@command.command("build", epilog=example("citator index build --fresh"))
@click.option("--fresh", is_flag=True, help="Start over instead of adding what is new.")
@house_options
def build(fresh: bool, root: Path, as_json: bool) -> int:
    """Bring the index up to HEAD."""
    from citator.cli.decide import now
    from citator.service.hooks_table import freshen
    from citator.service.index_history import update
    from citator.service.legs import wants_vectors
    from citator.service.prepare import prepare_vectors

    workspace = _workspace(root)
    tell_what_is_remade(workspace)
    with watched("Reading the history") as report:
        done = update(workspace, fresh=fresh, progress=report)
    freshen(workspace, now())
    if done.generation is not None and wants_vectors(workspace):
        with watched("Encoding the passages") as report:
            prepare_vectors(workspace, report)
    if as_json:
        output.write_json(output.plain(done))
        return ExitCode.OK
    if done.generation is None:
        output.write_lines(["There is no commit to index yet."])
        return ExitCode.OK
    state = "Built" if done.built else "Already up to date"
    output.write_lines(
        [f"{state}: {generation(done.generation)}.", *coverage(done.examined, done.explained)]
    )
    return ExitCode.OK


@command.command("status", epilog=example("citator index status"))
@house_options
def status(root: Path, as_json: bool) -> int:
    """Say what is indexed and how far it is behind HEAD. Builds nothing."""
    from citator.service import index_history

    found = index_history.status(_workspace(root))
    if as_json:
        output.write_json(output.plain(found))
    else:
        output.write_lines(_status_lines(found))
    return ExitCode.OK


@command.command("promote", epilog=example("citator index promote 3"))
@click.argument("number", type=click.IntRange(0))
@house_options
def promote(number: int, root: Path, as_json: bool) -> int:
    """Let generation NUMBER answer (see: citator index status)."""
    from citator.service import index_history

    return _switched(index_history.promote(_workspace(root), number), as_json)


@command.command("rollback", epilog=example("citator index rollback"))
@house_options
def rollback(root: Path, as_json: bool) -> int:
    """Let the generation before the current one answer again.

    The next question adds what HEAD has and that generation has not.
    """
    from citator.service import index_history

    return _switched(index_history.rollback(_workspace(root)), as_json)


@command.command("watch", epilog=example("citator index watch"))
@house_options
def watch(root: Path, as_json: bool) -> int:
    """Keep the index at HEAD until Ctrl-C or a TERM signal.

    Prints a line an update (with --json an object a line).
    """
    from citator.cli.watching import watch_here

    watch_here(root, as_json)
    return ExitCode.OK


def _workspace(root: Path) -> Workspace:
    return opened_here(root)


def _switched(info: GenerationInfo, as_json: bool) -> int:
    if as_json:
        output.write_json(output.plain(info))
    else:
        output.write_lines([f"Answers now come from {generation(info)}."])
    return ExitCode.OK


def _status_lines(found: IndexStatus) -> list[str]:
    if found.current is None:
        return ["Nothing is indexed yet. To index: citator index build"]
    lines = [
        f"Answering: {generation(found.current)}.",
        *coverage(found.examined, found.explained),
    ]
    if found.behind:
        lines.append(f"Behind HEAD by {counted(found.behind, 'commit')}: citator index build")
    elif found.behind is None:
        lines.append("The indexed commit is no longer in this repository: citator index build")
    lines += [
        f"Kept to roll back to: {generation(info)}."
        for info in found.generations
        if not info.current
    ]
    return lines
