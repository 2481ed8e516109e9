"""``citator brief``: where work stands, as a client is told it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.decide import now
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.service.brief import Brief
    from citator.service.brief_health import Health


@click.command(
    "brief",
    short_help="Say where work stands, in about a hundred tokens.",
    epilog=example("citator brief", "citator brief --set stack=python,ruff"),
)
@click.option("--detail", is_flag=True, help="Say too how index, notes and claims are.")
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="KEY=VALUE",
    help="Correct it here: stack=WORD,WORD (stack= looks again), words=on or off.",
)
@house_options
def command(detail: bool, given: tuple[str, ...], root: Path, as_json: bool) -> int:
    """Say where work stands: stack, branch, changes, claims, decisions, notes."""
    from citator.service import brief_settings
    from citator.service.brief import brief

    workspace, moment = opened_here(root), now()
    for one in given:
        brief_settings.say(workspace, one)
    found = brief(workspace, moment)
    how = None
    if detail:
        from citator.service.brief_health import health

        how = health(workspace, moment)
    if as_json:
        output.write_json(_object(found, how))
        return ExitCode.OK
    lines = found.text.splitlines() or ["Nothing to tell of here."]
    if surroundings.screen().person or detail:
        lines += ["", f"{found.tokens} tokens (bytes / 4), {found.ruling_tokens} of them rulings."]
        lines += [f"{found.left_out} left out, for want of room."] if found.left_out else []
    if how is not None:
        from citator.cli.render import horizon_lines

        lines += [
            f"{key.replace('_', ' ')}: {_said(value)}" for key, value in output.plain(how).items()
        ]
        lines += horizon_lines(found.horizon)
    output.write_lines(lines)
    return ExitCode.OK


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "unknown" if value is None else str(value)


def _object(found: Brief, how: Health | None) -> dict[str, Any]:
    """A brief (``docs/reference/json.md``)."""
    from citator.cli.forms import horizon_object
    from citator.model.plain import is_plain

    form = dict(output.plain(found))
    form["brief"] = form.pop("text")
    form["paths"] = [path for path in found.paths if is_plain(path)]
    form["horizon"] = horizon_object(found.horizon)
    return form if how is None else {**form, "health": output.plain(how)}
