"""``citator clients``: put this program into a client's configuration, and see that it works.

The one command that writes into a repository, when it is asked for the project's file. It says
which file before it writes, and commits nothing.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.tree import NearestGroup, example, house_options
from citator.clients.places import Scope
from citator.clients.table import CLIENTS, Client, client_named
from citator.model.errors import ExitCode
from citator.model.inert import inert_line

if TYPE_CHECKING:
    from citator.service.check_clients import Trial
    from citator.service.wire_clients import Found, Plan, Wiring

NAMES = click.Choice([client.name for client in CLIENTS])
SCOPES = click.Choice([scope.value for scope in Scope])


@click.group("clients", cls=NearestGroup, epilog=example("citator clients write claude-code"))
def command() -> None:
    """Configure editors and agents to start this server."""


@command.command("list", epilog=example("citator clients list"))
@house_options
def list_(root: Path, as_json: bool) -> int:
    """Say where each client is configured. Changes nothing."""
    from citator.service.wire_clients import survey

    found = survey(_wiring(root))
    if as_json:
        output.write_json({"clients": output.plain(found)})
    else:
        output.write_lines(_row(item) for item in found)
    return ExitCode.OK


@command.command(
    "write",
    epilog=example(
        "citator clients write claude-code", "citator clients write vscode --scope project"
    ),
)
@click.argument("client", type=NAMES)
@click.option(
    "--scope",
    type=SCOPES,
    default=None,
    help="For you, or in this project (default: what suits the client).",
)
@click.option("--print", "only_print", is_flag=True, help="Show the entry; write nothing.")
@house_options
def write(client: str, scope: str | None, only_print: bool, root: Path, as_json: bool) -> int:
    """Add this server to a client's configuration, or renew it.

    What else the file holds stays as it is, and a copy is kept. With --root the repository
    is named in the user scope, too. The project scope writes into the repository.
    """
    from citator.service import wire_clients

    plan = wire_clients.plan_write(_wiring(root), _known(client), _scope(scope))
    if only_print or plan.path is None:
        return _shown(plan, as_json)
    if not as_json:
        output.write_lines(_before(plan))
        output.flush()
    backup = wire_clients.carry_out(plan)
    if as_json:
        output.write_json({**_plan_object(plan), "backup": output.plain(backup)})
    else:
        output.write_lines(_after(plan, backup))
    return ExitCode.OK


@command.command("remove", epilog=example("citator clients remove claude-code"))
@click.argument("client", type=NAMES)
@click.option(
    "--scope", type=SCOPES, default=None, help="In one scope only (default: wherever it is)."
)
@house_options
def remove(client: str, scope: str | None, root: Path, as_json: bool) -> int:
    """Take this server out of a client's configuration. A copy of the file is kept."""
    from citator.service import wire_clients

    plans = wire_clients.plan_removal(_wiring(root), _known(client), _scope(scope))
    if not as_json:
        output.write_lines(line for plan in plans for line in _before(plan))
        output.flush()
    done = [(plan, wire_clients.carry_out(plan)) for plan in plans]
    if as_json:
        removed = [
            {"scope": plan.scope.value, "path": str(plan.path), "backup": output.plain(backup)}
            for plan, backup in done
        ]
        output.write_json({"client": client, "removed": removed})
    elif not done:
        output.write_lines(["There was no entry."])
    else:
        output.write_lines(f"Removed. Kept as it was: {_said(backup)}" for _, backup in done)
    return ExitCode.OK


@command.command("check", epilog=example("citator clients check", "citator clients check codex"))
@click.argument("client", type=NAMES, required=False)
@house_options
def check(client: str | None, root: Path, as_json: bool) -> int:
    """Start the server as each configured client does, and call it.

    A client that is given an address calls the server that runs (serve --http).
    Exit code 1: one of them would not get an answer.
    """
    from citator.service import check_clients

    checking = check_clients.Checking(
        _wiring(root), surroundings.environment(), time.monotonic, surroundings.places()
    )
    trials = check_clients.check(checking, None if client is None else _known(client))
    healthy = all(trial.ok for trial in trials)
    if as_json:
        output.write_json({"healthy": healthy, "clients": output.plain(trials)})
    else:
        output.write_lines(line for trial in trials for line in _trial_lines(trial))
    return ExitCode.OK if healthy else ExitCode.REFUSED


def _wiring(root: Path) -> Wiring:
    from citator.service.wire_clients import Wiring

    program, aliases = surroundings.program()
    source = click.get_current_context().get_parameter_source("root")
    named = source is click.core.ParameterSource.COMMANDLINE
    return Wiring(surroundings.client_folders(), program, root, named, aliases)


def _known(name: str) -> Client:
    client = client_named(name)
    assert client is not None
    return client


def _scope(value: str | None) -> Scope | None:
    return None if value is None else Scope(value)


def _row(found: Found) -> str:
    mark = "*" if found.default else " "
    return (
        f"{found.client:12} {found.scope.value:8}{mark} {found.state.value:13} {_said(found.path)}"
    )


def _shown(plan: Plan, as_json: bool) -> int:
    if as_json:
        output.write_json({**_plan_object(plan), "changed": False, "backup": None})
        return ExitCode.OK
    click.echo(f"For {_said(plan.path) if plan.path else plan.title}:", err=True)
    output.write_lines(plan.snippet.splitlines())
    return ExitCode.OK


def _plan_object(plan: Plan) -> dict[str, Any]:
    names = ("client", "scope", "path", "in_repository", "exists", "changed", "kept", "snippet")
    return {name: output.plain(getattr(plan, name)) for name in names}


def _before(plan: Plan) -> list[str]:
    if not plan.in_repository or not plan.changed:
        return []
    state = "changed" if plan.exists else "new"
    return [f"In this repository: {_said(plan.path)} ({state}, not committed)"]


def _after(plan: Plan, backup: Path | None) -> list[str]:
    lines = [f"{'Written' if plan.changed else 'Already there'}: {_said(plan.path)}"]
    if backup is not None:
        lines.append(f"Kept as it was: {_said(backup)}")
    if plan.kept:
        lines.append(f"Left in the entry: {', '.join(plan.kept)}")
    if plan.lost:
        lines.append(
            f"{plan.title} does not start servers in the project: name it with --root PATH."
        )
    lines.append(f"To try it: citator clients check {plan.client}")
    return lines


def _said(path: Path | None) -> str:
    """A path for a terminal: a folder's name may hold anything."""
    return inert_line(str(path))


def _trial_lines(trial: Trial) -> list[str]:
    mark = "ok" if trial.ok else "!!"
    timed = "" if trial.seconds is None else f", {trial.seconds:.1f} s, {len(trial.tools)} tools"
    lines = [f"{mark}  {trial.title} ({trial.scope.value}): {trial.detail}{timed}"]
    lines.append(f"    {_said(trial.path)}")
    return lines + ([f"    {trial.todo}"] if trial.todo else [])
