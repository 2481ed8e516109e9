"""``citator approve``: see all that a proposal would change, then sign it with your own key.

What is signed is what was shown. Without a terminal nothing is signed, unless the very digest of
what was read before is named.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode, RefusedError

if TYPE_CHECKING:
    from citator.service.approve import Said
    from citator.service.preview import Preview
    from citator.service.proposing import Moment


@click.command(
    "approve",
    short_help="See all that a proposal would change, and sign it.",
    epilog=example("citator approve 01JD4Q", "citator approve 01JD4Q --key ~/.ssh/id_ed25519"),
)
@click.argument("proposal", metavar="ID")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Sign with this key.")
@click.option("--typed", metavar="LABEL", help="Without a key: typed at a terminal, and weaker.")
@click.option("--show", is_flag=True, help="Only show what it would change.")
@click.option("--digest", metavar="HEX", help="Sign without asking, if it is this very text.")
@house_options
def command(
    proposal: str,
    key: Path | None,
    typed: str | None,
    show: bool,
    digest: str | None,
    root: Path,
    as_json: bool,
) -> int:
    """Show what a proposal would change, and approve it with your key.

    ID is a proposal, a unique prefix of its id, or the decision it is about.
    """
    from citator.cli.decide import now
    from citator.cli.reviewing import fitting, preview_lines, preview_object
    from citator.service.approve import approval, shown

    seen = shown(opened_here(root), proposal)
    if not as_json:
        output.write_lines(fitting(preview_lines(seen), surroundings.screen()))
    if show:
        if as_json:
            output.write_json({**preview_object(seen), "approved": None})
        return ExitCode.OK
    moment = now()
    statement = approval(seen, moment)
    if typed is not None:
        require_seen(as_json)
        said = typed_statement(seen, statement, typed, moment, "approve")
    else:
        if digest is None:
            require_seen(as_json)
        said = signed(seen, statement, key, digest, moment, "approve")
    return reported(said, seen, as_json)


def signed(
    seen: Preview, statement: Any, key: Path | None, digest: str | None, moment: Moment, verb: str
) -> Said:
    """Sign a statement about what was shown, after a yes. Raises RefusedError."""
    from citator.cli import signing
    from citator.service.approve import key_for, sign
    from citator.trust.statement import NAMESPACE

    held = signing.held_keys(seen.desk, key)
    chosen, label = key_for(seen.desk, seen.migration, held)
    _require_yes(seen, digest, f"{verb} it as {label} with {chosen.key.fingerprint}", verb)
    with signing.signer(signing.trees_at(seen.desk), NAMESPACE) as signer:
        return sign(seen.desk, statement, seen.migration, [chosen], signer, moment)


def require_seen(as_json: bool) -> None:
    """Raise RefusedError where nothing was shown to whoever would be asked."""
    if as_json:
        from citator.cli import signing

        raise signing.not_agreed(
            "nothing was signed", "with --json name the digest that was read: --digest HEX"
        )


def _require_yes(seen: Preview, digest: str | None, doing: str, verb: str) -> None:
    from citator.cli import signing

    output.flush()
    again = f"citator {verb} {seen.migration.id}"
    signing.require_digest(
        seen.migration.digest,
        digest,
        doing,
        again=f"read it again: {again}",
        todo=f"at a terminal: {again}",
    )


def typed_statement(seen: Preview, statement: Any, label: str, moment: Moment, verb: str) -> Said:
    """Write what a person typed at a terminal, after a yes. Raises RefusedError."""
    from citator.cli import signing
    from citator.service.approve import typed

    if not signing.at_a_terminal():
        raise RefusedError(
            "no_terminal",
            "an approval without a key is typed by a person at a terminal",
            "sign with a key instead: --key FILE",
        )
    _require_yes(seen, None, f"say so as {label}, without a key", verb)
    return typed(seen.desk, statement, label, moment)


def reported(said: Said, seen: Preview, as_json: bool) -> int:
    """Say what was written, and what comes next."""
    from citator.cli.reviewing import preview_object

    if as_json:
        output.write_json({**preview_object(seen), "approved": said_object(said)})
        return ExitCode.OK
    lines = [f"Written: {said.statement.verdict.value} by {said.by}, {said.strength.value}"]
    if not said.counts:
        lines.append("  It is weaker than the policy asks for, and does not count for it.")
    if said.statement.verdict.value == "approve":
        more = "More is asked for before it can be applied: citator approve --show says what."
        lines.append("Next: citator apply --commit" if said.enough else more)
    else:
        lines.append("Next: commit the folder `.citator`")
    output.write_lines(lines)
    return ExitCode.OK


def said_object(said: Said) -> dict[str, Any]:
    """A statement that was written, as JSON."""
    return {
        "verdict": said.statement.verdict.value,
        "by": said.by,
        "signature": said.strength.value,
        "counts": said.counts,
        "enough": said.enough,
        "path": str(said.path),
    }
