"""``citator verify``: is everything that landed in the record what somebody trusted signed?

For CI: offline, in a fresh clone, under a root of its own (``--pin``). Exit code 4 where anything
is wrong.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.cli.words import counted, limit_sentence
from citator.model.errors import ExitCode, UsageError
from citator.model.inert import inert_line

if TYPE_CHECKING:
    from citator.service.verify_record import Verification
    from citator.service.workspace import Workspace
    from citator.trust.pins import Pin

MAX_PIN = 1 << 20


@click.command("verify", epilog=example("citator verify", "citator verify --pin root.json --json"))
@click.option("--pin", metavar="FILE", help="The root to verify under (default: as pinned here).")
@click.option("--at", metavar="REV", help="The commit to verify (default: HEAD).")
@click.option(
    "--attest",
    type=click.Path(path_type=Path),
    metavar="KEY",
    help="Sign what was verified with a CI's key.",
)
@house_options
def command(pin: str | None, at: str | None, attest: Path | None, root: Path, as_json: bool) -> int:
    """Check every approval of what landed, and replay the record. Changes nothing.

    Exit code 4: something landed that is unsigned, was changed or deleted, is against the policy,
    has no effect or disagrees with something else.
    """
    from citator.service.verify_record import verify

    workspace = opened_here(root)
    handed = _handed(pin) if pin is not None else None
    done = verify(workspace, handed, at)
    path = _attested(workspace, done, handed, attest) if attest is not None and done.ok else None
    if as_json:
        output.write_json(_object(done, path))
    else:
        output.write_lines(_lines(done, path))
    return ExitCode.OK if done.ok else ExitCode.INTEGRITY


def _handed(name: str) -> Pin:
    from citator.trust.pins import parse_pin

    try:
        with Path(name).expanduser().open("rb") as file:
            data = file.read(MAX_PIN)
    except OSError:
        raise UsageError("no_such_path", "that file cannot be read", "check its name") from None
    return parse_pin(data.strip())


def _attested(workspace: Workspace, done: Verification, root: Pin | None, key: Path) -> Path:
    from citator.cli import signing
    from citator.cli.decide import now
    from citator.service.verify_record import NAMESPACE, attest

    with signing.signer(signing.trees_of(workspace), NAMESPACE) as signer:
        return attest(workspace, done, root, signing.held_in(key), signer, now())


def _object(done: Verification, path: Path | None) -> dict[str, Any]:
    return {
        "verified": done.ok,
        "record": done.record,
        "commit": done.commit,
        "landed": done.landed,
        "approved": done.approved,
        "state": done.state,
        "policy": done.policy,
        "findings": output.plain(done.findings),
        "horizon": output.plain(done.horizon),
        "attestation": None if path is None else str(path),
    }


def _lines(done: Verification, path: Path | None) -> list[str]:
    lines = [f"!!  {one.subject or 'the record'}: {one.sentence}" for one in done.findings]
    if done.ok:
        lines.append(
            f"Verified at {done.commit[:12]}: {counted(done.landed, 'migration')}, all approved."
        )
        lines.append(f"State: {done.state}")
    lines += [f"Not seen: {limit_sentence(fact)}" for fact in done.horizon]
    if path is not None:
        lines.append(f"Attested: {inert_line(str(path))}")
    return lines
