"""``citator trust words``: whose unsigned words travel with what they removed. A person's command:
it is agreed to at a terminal, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from citator.trust.keys import PublicKey


@click.command("words", epilog=example("citator trust words --signed-by ~/.ssh/id_ed25519.pub"))
@click.option(
    "--signed-by",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Commits that this public key signed (repeatable).",
)
@click.option("--everything", is_flag=True, help="All commits of this repository.")
@click.option("--clear", is_flag=True, help="Nobody's from now on.")
@house_options
def words(files: tuple[Path, ...], everything: bool, clear: bool, root: Path, as_json: bool) -> int:
    """Say whose reasons travel unasked with what they removed; or show it.

    Without it a reason is read only where it is asked for.
    """
    from citator.cli import signing
    from citator.cli.decide import now
    from citator.service.trusted_words import trust_words, trusted
    from citator.trust.words import WordTrust

    workspace = opened_here(root)
    said = trusted(workspace)
    if files or everything or clear:
        keys = tuple(_key(one) for one in files)
        wanted = WordTrust(everything, keys) if files or everything else None
        if wanted is not None and not signing.typed(
            "Type `words` to let agents read these unasked:", "words", as_json=as_json
        ):
            raise signing.not_agreed("nothing was changed", "say it at a terminal")
        trust_words(workspace, wanted, now())
        said = wanted
    shown = {
        "everything": said is not None and said.everything,
        "keys": [] if said is None else [one.fingerprint for one in said.keys],
    }
    if as_json:
        output.write_json(shown)
    elif said is None:
        output.write_lines(["Nobody's: a reason is read where it is asked for."])
    elif said.everything:
        output.write_lines(["Those of all commits of this repository."])
    else:
        output.write_lines([f"Those of commits signed by {one.fingerprint}" for one in said.keys])
    return ExitCode.OK


def _key(path: Path) -> PublicKey:
    from citator.trust.keys import MAX_TEXT, parse_public_key

    try:
        text = path.expanduser().read_bytes()[: MAX_TEXT + 1].decode("utf-8", "replace")
    except OSError as error:
        raise UsageError("unreadable_file", "that key cannot be read", "check its name") from error
    return parse_public_key(text)
