"""``citator doctor``: what could be wrong here, and what to do about it. It changes nothing."""

from __future__ import annotations

from pathlib import Path

import click

from citator.cli import output, surroundings
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode


@click.command("doctor", epilog=example("citator doctor"))
@house_options
def command(root: Path, as_json: bool) -> int:
    """Check git, the repository, the index and the data directory.

    Changes nothing. Exit code 1: something needs attention.
    """
    from citator.service.doctor import examine

    checks = examine(root, surroundings.places())
    healthy = all(check.ok for check in checks)
    if as_json:
        output.write_json({"healthy": healthy, "checks": output.plain(checks)})
    else:
        for check in checks:
            output.write_lines([f"{'ok' if check.ok else '!!'}  {check.name}: {check.detail}"])
            if check.todo and not check.ok:
                output.write_lines([f"    {line}" for line in check.todo.splitlines()])
    return ExitCode.OK if healthy else ExitCode.REFUSED
