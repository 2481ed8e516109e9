"""``citator reject``: say no to a proposal so that it lasts, or take such a no back.

A rejection is signed by itself and outlives the branch on which the value was proposed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from citator.cli import output, surroundings
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode, UsageError
from citator.model.inert import inert_line
from citator.model.record import ItemKind

if TYPE_CHECKING:
    from citator.service.workspace import Workspace

QUOTE = "    > "


@click.command(
    "reject",
    short_help="Say no to a proposal so that it lasts, or lift a no.",
    epilog=example(
        'citator reject 01JD4Q --reason "hid outages"', "citator reject 5f3a91c20b7d --lift"
    ),
)
@click.argument("proposal", metavar="ID")
@click.option("--reason", default="", metavar="TEXT", help="Why (needed to reject).")
@click.option("--value", default="", metavar="TEXT", help="What is rejected (default: its title).")
@click.option("--scope", multiple=True, metavar="GLOB", help="Where (default: its scope).")
@click.option(
    "--kind",
    type=click.Choice([kind.value for kind in ItemKind]),
    metavar="KIND",
    help="For this kind.",
)
@click.option("--change", default="", metavar="TEXT", help="What would change your mind.")
@click.option("--lift", is_flag=True, help="Take the rejection ID back.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Sign with this key.")
@click.option("--typed", metavar="LABEL", help="Without a key: typed at a terminal, and weaker.")
@click.option("--digest", metavar="HEX", help="Sign without asking, if it is this very text.")
@house_options
def command(
    proposal: str,
    reason: str,
    value: str,
    scope: tuple[str, ...],
    kind: str | None,
    change: str,
    lift: bool,
    key: Path | None,
    typed: str | None,
    digest: str | None,
    root: Path,
    as_json: bool,
) -> int:
    """Reject a proposal so that it does not come back unnoticed; or lift a rejection."""
    from citator.cli.approve import reported, require_seen, signed
    from citator.cli.decide import now
    from citator.cli.reviewing import fitting, preview_lines
    from citator.service.approve import Rejecting, rejection, shown

    workspace = opened_here(root)
    if lift:
        return _lifted(workspace, proposal, reason, key, digest, as_json)
    if not reason.strip():
        raise UsageError("usage", "--reason is wanted", "See: citator reject --help")
    seen = shown(workspace, proposal)
    moment = now()
    asked = Rejecting(reason, value, scope, ItemKind(kind) if kind else None, change)
    statement = rejection(seen, asked, moment)
    rejected = statement.rejected
    assert rejected is not None
    if not as_json:
        lines = preview_lines(seen)
        lines += ["", "It would be REJECTED, and this value with it, however it is spelled:"]
        lines += [f"{QUOTE}{inert_line(rejected.value)}", f"{QUOTE}{inert_line(reason)}"]
        lines += [f"  for {rejected.kind.value}"] if rejected.kind else []
        lines += [f"{QUOTE}in {inert_line(glob)}" for glob in rejected.scope]
        output.write_lines(fitting(lines, surroundings.screen()))
    if digest is None or typed is not None:
        require_seen(as_json)
    if typed is not None:
        from citator.cli.approve import typed_statement

        said = typed_statement(seen, statement, typed, moment, "reject")
    else:
        said = signed(seen, statement, key, digest, moment, "reject")
    return reported(said, seen, as_json)


def _lifted(
    workspace: Workspace,
    name: str,
    reason: str,
    key: Path | None,
    digest: str | None,
    as_json: bool,
) -> int:
    from citator.cli import signing
    from citator.cli.approve import said_object
    from citator.cli.decide import now
    from citator.cli.reviewing import fitting
    from citator.service.approve import key_for, lift, sign
    from citator.trust.statement import NAMESPACE

    moment = now()
    desk, statement = lift(workspace, name, reason, moment)
    rejected = statement.rejected
    assert rejected is not None
    if not as_json:
        lines = [
            "This rejection would be LIFTED; the value may be proposed and approved again:",
            f"{QUOTE}{inert_line(rejected.value)}",
            f"Digest: {statement.digest}",
        ]
        output.write_lines(fitting(lines, surroundings.screen()))
    chosen, label = key_for(desk, None, signing.held_keys(desk, key))
    output.flush()
    question = f"To lift it as {label}, type the first 8 digits of the digest:"
    if digest != statement.digest and not signing.typed(
        question, statement.digest[:8], as_json=as_json
    ):
        raise signing.not_agreed("nothing was signed", "do this at a terminal")
    with signing.signer(signing.trees_at(desk), NAMESPACE) as signer:
        said = sign(desk, statement, None, [chosen], signer, moment)
    if as_json:
        output.write_json({"id": statement.migration, "approved": said_object(said)})
    else:
        output.write_lines(
            [f"Written: lift by {said.by}, {said.strength.value}", "Next: commit `.citator`"]
        )
    return ExitCode.OK
