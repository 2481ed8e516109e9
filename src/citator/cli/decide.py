"""``citator decide``: propose a decision, in an editor or from options alone.

A proposal changes nothing: a person's key approves it (``citator approve``).
"""

from __future__ import annotations

import secrets
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import CitatorError, ExitCode, RefusedError, UsageError
from citator.model.inert import inert_line
from citator.model.record import ItemKind, Sensitivity

if TYPE_CHECKING:
    from citator.service.decide import Links, Manner
    from citator.service.decision_template import Wish
    from citator.service.proposing import Moment, Proposed
    from citator.service.workspace import Workspace

MAX_BODY = 262_144
KINDS = click.Choice([kind.value for kind in ItemKind])
REFUSALS = ("package", "import", "path", "pattern")
LEVELS = click.Choice([level.value for level in Sensitivity])


@click.command(
    "decide",
    epilog=example("citator decide", "citator decide --title T --ruling R --scope 'src/**'"),
)
@click.option("--title", default="", metavar="TEXT", help="What it is called.")
@click.option("--ruling", default="", metavar="TEXT", help="What is decided, in a sentence.")
@click.option("--kind", type=KINDS, metavar="KIND", help="What it is about.")
@click.option("--owner", default="", metavar="NAME", help="Who answers for it.")
@click.option("--sensitivity", type=LEVELS, metavar="LEVEL", help="Who may see it.")
@click.option("--scope", multiple=True, metavar="GLOB", help="A path it governs (repeatable).")
@click.option(
    "--refuse",
    multiple=True,
    metavar="KIND=VALUE",
    help="Block: package, import, path or pattern (repeatable).",
)
@click.option("--label", multiple=True, metavar="NAME", help="A label (repeatable).")
@click.option("--alias", multiple=True, metavar="NAME", help="A second name (repeatable).")
@click.option("--body-file", metavar="FILE", help="Its text (-: standard input).")
@click.option("--supersedes", multiple=True, metavar="ITEM", help="What it takes the place of.")
@click.option("--revises", metavar="ITEM", help="Give that decision a new text.")
@click.option("--valid-from", default="", metavar="DATE", help="When it begins to hold.")
@click.option("--valid-to", default="", metavar="DATE", help="When it ends.")
@click.option("--draft", is_flag=True, help="Not done yet: nobody can approve it.")
@click.option("--ready", metavar="ID", help="That draft is done.")
@click.option("--anyway", is_flag=True, help="Although it was rejected; needs --because.")
@click.option("--because", metavar="TEXT", help="What changed since.")
@click.option("--author", metavar="NAME", help="Who proposes (default: as git is configured).")
@click.option("--edit", is_flag=True, help="Open the editor also where all is given.")
@house_options
def command(root: Path, as_json: bool, **given: Any) -> int:
    """Propose a decision. Opens an editor unless --title and --ruling are given."""
    from citator.service import decide as deciding

    workspace = opened_here(root)
    moment = now()
    if given["ready"]:
        done = deciding.ready(workspace, given["ready"], moment)
        return said(done, as_json)
    wish, links, manner = _asked(workspace, given)
    if given["edit"] or not _is_whole(given):
        return said(_in_an_editor(workspace, wish, links, manner, moment), as_json)
    return said(deciding.decide(workspace, wish, links, manner, moment), as_json)


def _is_whole(given: dict[str, Any]) -> bool:
    """Whether the options say enough to propose without an editor."""
    if given["revises"]:
        return bool(given["title"] or given["ruling"] or given["body_file"])
    return bool(given["title"] and given["ruling"])


def now() -> Moment:
    """The time and the chance of this command."""
    from citator.service.proposing import Moment

    return Moment(time.time_ns() // 1_000_000, secrets.token_bytes)


def _asked(workspace: Workspace, given: dict[str, Any]) -> tuple[Wish, Links, Manner]:
    from citator.service.decide import Links, Manner, started
    from citator.service.decision_template import Wish, with_text
    from citator.service.proposing import author_of

    if given["anyway"] is not (given["because"] is not None):
        raise UsageError(
            "usage", "--anyway and --because go together", "See: citator decide --help"
        )
    if given["revises"] and (given["kind"] or given["sensitivity"] or given["alias"]):
        raise UsageError(
            "usage",
            "--revises changes the text alone",
            "citator decisions classify ITEM changes owner, sensitivity and aliases",
        )
    wish = Wish(
        given["title"],
        given["ruling"],
        given["kind"] or ItemKind.DECISION.value,
        given["owner"],
        given["sensitivity"] or Sensitivity.INTERNAL.value,
        tuple(given["scope"]),
        tuple(given["label"]),
        given["valid_from"],
        given["valid_to"],
        aliases=tuple(given["alias"]),
        refuse=tuple(map(_refusal, given["refuse"])),
    )
    if given["body_file"] is not None:
        wish = with_text(wish, _body(given["body_file"]))
    links = Links(tuple(given["supersedes"]), given["revises"])
    manner = Manner(author_of(workspace, given["author"]), given["draft"], given["because"])
    return started(workspace, links, wish), links, manner


def _refusal(text: str) -> tuple[str, str]:
    """What ``--refuse`` says: a kind of thing, and which. Raises UsageError."""
    kind, equals, value = text.partition("=")
    if kind not in REFUSALS or not equals or not value.strip():
        raise UsageError(
            "usage",
            f"--refuse wants KIND=VALUE, KIND one of {', '.join(REFUSALS)}",
            "See: citator decide --help",
        )
    return f"{kind}s", value


def _body(name: str) -> str:
    try:
        data = sys.stdin.buffer.read(MAX_BODY + 1) if name == "-" else _read(Path(name))
        if len(data) > MAX_BODY:
            raise UsageError("body_too_large", "the text is larger than a decision may be", "")
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise UsageError("body_not_text", "the text is not UTF-8", "save it as UTF-8") from None


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BODY + 1)
    except OSError:
        raise UsageError("no_such_path", "that file cannot be read", "check its name") from None


def _in_an_editor(
    workspace: Workspace, wish: Wish, links: Links, manner: Manner, moment: Moment
) -> Proposed:
    """Propose what a person writes. What cannot be proposed is kept, and its place told."""
    from citator.cli.editing import edited
    from citator.service.decide import decide
    from citator.service.decision_template import parsed, template

    text = template(wish)
    path = workspace.place.local / "drafts" / f"{moment.entropy(8).hex()}.md"
    written = edited(text, path)
    try:
        blank = replace(wish, body="", alternatives=())
        asked = None if written == text else parsed(written, blank)
        if asked is None:
            path.unlink(missing_ok=True)
            raise RefusedError("nothing_written", "nothing was proposed", "an empty title stops it")
        done = decide(workspace, asked, links, manner, moment)
    except CitatorError as error:
        if path.exists():
            error.todo = f"{error.todo}\nWhat you wrote is kept at {inert_line(str(path))}"
        raise
    path.unlink(missing_ok=True)
    return done


def said(done: Proposed, as_json: bool) -> int:
    """Say what was proposed, and what comes next."""
    made = done.migration
    if as_json:
        output.write_json(proposed_object(done))
        return ExitCode.OK
    state = "draft" if made.draft else "proposal"
    lines = [f"Written: {state} {made.id}", f"  {inert_line(str(done.path))}"]
    lines += [f"  flag for the reviewer: {flag.value}" for flag in done.flags]
    if done.begun:
        lines.append("  The record of this repository begins with it (.citator/ledger.yaml).")
    step = f"citator decide --ready {made.id}" if made.draft else f"citator approve {made.id}"
    output.write_lines([*lines, f"Next: {step}"])
    return ExitCode.OK


def proposed_object(done: Proposed) -> dict[str, Any]:
    """A proposal that was written, as JSON."""
    made = done.migration
    return {
        "id": made.id,
        "status": "draft" if made.draft else "proposed",
        "items": list(done.items),
        "digest": made.digest,
        "path": str(done.path),
        "flags": [flag.value for flag in done.flags],
        "begun": done.begun,
    }
