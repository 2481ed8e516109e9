"""``citator doctor``: what could be wrong here, and what to do about it. It changes nothing.

``--report`` writes one file, for whoever looks into a fault: where it was told to, or into the
data directory; never over a file that is there unless told to.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from citator.cli import output, surroundings
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode, UsageError
from citator.model.inert import inert_line

NOWHERE = ""
SHOWN = "-"


@click.command("doctor", epilog=example("citator doctor", "citator doctor --report"))
@click.option(
    "--report",
    is_flag=False,
    flag_value=NOWHERE,
    metavar="[FILE]",
    help="Write a report without secrets, paths or repository text (-: show it).",
)
@click.option("--overwrite", is_flag=True, help="With --report FILE: also where there is one.")
@house_options
def command(report: str | None, overwrite: bool, root: Path, as_json: bool) -> int:
    """Check git, the repository, the index and the data directory.

    Changes nothing. Exit code 1: something needs attention.
    """
    if report is not None:
        return _report(report, overwrite, root, as_json)
    if overwrite:
        raise UsageError("usage", "--overwrite goes with --report", "Add --report FILE.")
    from citator.service.doctor import examine

    places, now = surroundings.places(), surroundings.now()
    checks = examine(root, places, surroundings.client_folders(), now)
    healthy = all(check.ok for check in checks)
    if as_json:
        output.write_json({"healthy": healthy, "checks": output.plain(checks)})
    else:
        for check in checks:
            output.write_lines([f"{'ok' if check.ok else '!!'}  {check.name}: {check.detail}"])
            if check.todo and not check.ok:
                output.write_lines([f"    {line}" for line in check.todo.splitlines()])
    return ExitCode.OK if healthy else ExitCode.REFUSED


def _report(target: str, overwrite: bool, root: Path, as_json: bool) -> int:
    from citator.service.report import Asking, gather, kept, written

    places, now = surroundings.places(), time.time()
    variables = surroundings.named_variables()
    found = gather(Asking(root, places, now, time.perf_counter, variables))
    if target == SHOWN:
        if as_json:
            output.write_json(found)
        else:
            output.write_lines([json.dumps(found, indent=1)])
        return ExitCode.OK
    data = json.dumps(found, indent=1).encode("ascii") + b"\n"
    if target == NOWHERE:
        path = kept(places.data, now, data)
    else:
        path = written(Path(target), data, overwrite=overwrite)
    if as_json:
        output.write_json({"report": str(path)})
    else:
        output.write_lines([f"Report written to {inert_line(str(path))}."])
    return ExitCode.OK
