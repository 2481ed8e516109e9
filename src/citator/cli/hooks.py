"""``citator hooks``: what agents and git start by themselves, put in, taken out, and looked at.

Every file is named before it is written, and nothing is committed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.opening import opened_here
from citator.cli.tree import NearestGroup, example, house_options
from citator.clients.places import Scope
from citator.model.errors import ExitCode
from citator.model.inert import inert_line

if TYPE_CHECKING:
    from citator.service.hooks import Firing
    from citator.service.install_hooks import Hooking, HookPlan, Installed
    from citator.service.workspace import Workspace

NAMES = ("claude-code", "codex", "cursor", "git", "agents-md")

CLIENTS = click.option(
    "--client",
    "names",
    type=click.Choice(NAMES),
    multiple=True,
    required=True,
    help="Whose hooks; several may be given.",
)
SCOPE = click.option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    default=None,
    help="For you, or in this project (default: what suits the client).",
)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would be written; write nothing.")


@click.group(
    "hooks",
    cls=NearestGroup,
    epilog=example("citator hooks install --client claude-code --client git"),
)
def command() -> None:
    """Let agents and git ask at their own events."""


@command.command(
    "install",
    epilog=example(
        "citator hooks install --client claude-code --dry-run",
        "citator hooks install --client claude-code --client git",
    ),
)
@CLIENTS
@SCOPE
@DRY_RUN
@house_options
def install(
    names: tuple[str, ...], scope: str | None, dry_run: bool, root: Path, as_json: bool
) -> int:
    """Add our hooks to those of a client or of git, or renew them.

    What else is there stays as it is, and `uninstall` gives it back. `agents-md` writes a few
    lines for any agent into AGENTS.md.
    """
    from citator.service import install_hooks

    workspace = opened_here(root)
    hooking = _hooking(workspace)
    plans = [install_hooks.plan_install(hooking, name, _scope(scope)) for name in names]
    code = _carried_out(plans, dry_run, as_json)
    if not dry_run:
        _prepare(workspace, as_json)
    return code


@command.command("uninstall", epilog=example("citator hooks uninstall --client claude-code"))
@CLIENTS
@SCOPE
@DRY_RUN
@house_options
def uninstall(
    names: tuple[str, ...], scope: str | None, dry_run: bool, root: Path, as_json: bool
) -> int:
    """Take our hooks out again, wherever they are; all else stays as it is."""
    from citator.service import install_hooks

    hooking = _hooking(opened_here(root))
    plans = [
        plan
        for name in names
        for plan in install_hooks.plan_uninstall(hooking, name, _scope(scope))
    ]
    return _carried_out(plans, dry_run, as_json)


@command.command("status", epilog=example("citator hooks status"))
@house_options
def status(root: Path, as_json: bool) -> int:
    """Say which hooks are there, and when each was last here. Changes nothing."""
    from citator.service import hooks, install_hooks

    workspace = opened_here(root)
    found = [
        (one, hooks.firings(workspace, one.client, one.events))
        for one in install_hooks.installed(_hooking(workspace))
    ]
    if as_json:
        forms = [{**output.plain(one), "fired": output.plain(fired)} for one, fired in found]
        output.write_json({"hooks": forms})
    else:
        output.write_lines(line for one, fired in found for line in _status_lines(one, fired))
    return ExitCode.OK


@command.command("work", epilog=example("citator hooks work"))
@house_options
def work(root: Path, as_json: bool) -> int:
    """Take in what hooks left, and prepare what they may say. Hooks start this themselves."""
    from citator.cli.decide import now
    from citator.service import hooks

    done = hooks.work(opened_here(root), now())
    if as_json:
        output.write_json(output.plain(done))
    else:
        made = "made anew" if done.table else "of now already"
        output.write_lines(
            [
                f"{done.events} events taken in, {done.captured} notes captured, {done.saved} "
                f"sessions saved; what hooks may say is {made}."
            ]
        )
    return ExitCode.OK


def _prepare(workspace: Workspace, as_json: bool) -> None:
    """Let the first session be told something; where nothing was indexed, say that it is not."""
    from citator.cli.decide import now
    from citator.service import hooks

    if hooks.is_known(workspace):
        hooks.work(workspace, now())
    elif not as_json:
        output.write_lines(["Hooks are silent here until: citator init"])


def prepare_where_installed(workspace: Workspace) -> None:
    """Let the first session be told something where hooks are there already."""
    from citator.cli.decide import now
    from citator.service import hooks, hooks_table, install_hooks

    if any(one.events for one in install_hooks.installed(_hooking(workspace))):
        hooks.work(workspace, now())
    else:
        hooks_table.freshen(workspace, now())


def _hooking(workspace: Workspace) -> Hooking:
    from citator.service.install_hooks import Hooking

    program = surroundings.hook_program()
    folders = surroundings.client_folders()
    return Hooking(folders, program, workspace.repository, windows=os.name == "nt")


def _scope(value: str | None) -> Scope | None:
    return None if value is None else Scope(value)


def _carried_out(plans: list[HookPlan], dry_run: bool, as_json: bool) -> int:
    """Say what each plan does and, unless it is a rehearsal, do it."""
    from citator.service import install_hooks

    done: list[dict[str, Any]] = []
    for plan in plans:
        if not as_json:
            output.write_lines(_before(plan, dry_run=dry_run))
            output.flush()
        backup = None if dry_run else install_hooks.carry_out(plan)
        names = ("client", "scope", "path", "in_repository", "exists", "changed", "snippet")
        form = {name: output.plain(getattr(plan, name)) for name in names}
        done.append({**form, "written": plan.changed and not dry_run, "backup": str(backup or "")})
        if not as_json and backup is not None:
            output.write_lines([f"  kept as it was: {inert_line(str(backup))}"])
    if as_json:
        output.write_json({"files": done})
    elif not plans:
        output.write_lines(["There was nothing of ours."])
    return ExitCode.OK


def _before(plan: HookPlan, *, dry_run: bool) -> list[str]:
    where = f"{plan.title}: {inert_line(str(plan.path))}"
    if not plan.changed:
        return [f"{where} (as it is to be)"]
    state = "changed" if plan.exists else "new"
    where += f" ({state}{', in this repository, not committed' if plan.in_repository else ''})"
    if dry_run:
        shown = plan.snippet.splitlines() or ["(ours is taken out)"]
        return [where, *(f"  {line}" for line in shown), "Nothing was written (--dry-run)."]
    return [where]


def _status_lines(one: Installed, fired: tuple[Firing, ...]) -> list[str]:
    scope = "" if one.scope is None else f" ({one.scope.value})"
    state = "installed" if one.events else "not installed" if one.readable else "cannot be read"
    lines = [f"{one.client}{scope}: {state}  {inert_line(str(one.path))}"]
    return lines + [f"  {each.event}: {each.at or 'never here yet'}" for each in fired]
