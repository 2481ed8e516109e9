"""``citator check``: hold a change against what is known before it is made.

- It reminds, and exits with 0; only what an approved decision refuses, where the policy turned that
  on, exits with 1.
- Where nothing is found nothing is printed: a hook may run it always.
- Words of the repository are for a person at a terminal, quoted, and for whoever asks with --read.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options, words_option
from citator.model.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from citator.service.answer_finding import Answered
    from citator.service.check_findings import Checked, Finding
    from citator.service.intent import Intent
    from citator.service.workspace import Workspace

MAX_PATCH = 16 << 20
FORMATS = ("text", "json", "sarif", "github")
_QUOTED_LINES = 6
_FOLLOW = {
    "refused": "Follow: leave it out. Only a person's key can change the decision.",
    "rejected": "Follow: do it otherwise.",
    "resurrection": "Follow: leave it out, or read why it went.",
    "governed": "Follow: keep to it.",
    "claimed": "Follow: talk to them, or wait; nothing is locked.",
    "callers": "Follow: change the callers too.",
    "partner": "Follow: look whether it must change too.",
}


@click.command(
    "check",
    short_help="Check a change before it is made.",
    epilog=example("citator check --staged"),
)
@click.argument("paths", nargs=-1)
@click.option("--staged", is_flag=True, help="What is staged, not the working tree.")
@click.option("--base", metavar="REV", help="All of HEAD since it left REV.")
@click.option("--approach", metavar="TEXT", help="What you intend, in words.")
@click.option(
    "--read",
    type=click.IntRange(0, 8),
    default=0,
    metavar="N",
    help="Print the reasons of N removals.",
)
@click.option("--all", "every", is_flag=True, help="Weak and withdrawn findings too.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    metavar="FORM",
    help="text, json, sarif or github.",
)
@click.option("--answer", metavar="ID=REPLY", help="applies, not-applicable or challenge.")
@click.option("--why", default="", metavar="TEXT", help="The reason.")
@words_option
@house_options
def command(root: Path, as_json: bool, **given: Any) -> int:
    """Hold a change against decisions, rejections and past removals.

    PATHS are files you mean to touch, - a patch on standard input.
    """
    workspace = opened_here(root)
    form = "json" if as_json else given["form"]
    if given["answer"] is not None:
        return _answered(workspace, given["answer"], given["why"], as_json=form == "json")
    found = _checked(workspace, given)
    if found.unread and given["paths"] == ("-",):
        sys.stderr.write(f"citator: parts of the patch could not be read: {found.unread}\n")
    if form == "json":
        output.write_json(as_object(found, workspace.secret))
    elif form == "sarif":
        from citator.cli.check_formats import sarif

        output.write_json(sarif(found))
    elif form == "github":
        from citator.cli.check_formats import github_lines

        output.write_lines(github_lines(found))
    else:
        output.write_lines(_lines(found, workspace, given["words"]))
    return ExitCode.REFUSED if found.blocked else ExitCode.OK


def _checked(workspace: Workspace, given: dict[str, Any]) -> Checked:
    from citator.cli.progress import watched
    from citator.service.check import check
    from citator.service.check_findings import Wanted

    wanted = Wanted(read=given["read"], every=given["every"])
    with watched("Reading what left") as report:
        told = None if report is None else lambda done: report(done, None)
        return check(workspace, _intent(given), surroundings.now(), wanted, report=told)


def _intent(given: dict[str, Any]) -> Intent:
    """What is to be checked. Raises UsageError for two things at once."""
    from citator.service.intent import Intent, Source

    paths: tuple[str, ...] = given["paths"]
    patch = paths == ("-",)
    asked = [bool(given["staged"]), given["base"] is not None, bool(paths)]
    if sum(asked) > 1:
        raise UsageError(
            "usage", "--staged, --base and PATHS exclude each other", "See: citator check --help"
        )
    approach = given["approach"] or ""
    if given["staged"]:
        return Intent(Source.STAGED, approach=approach)
    if given["base"] is not None:
        return Intent(Source.BASE, base=given["base"], approach=approach)
    if patch:
        data = sys.stdin.buffer.read(MAX_PATCH + 1)
        if not data.strip():
            sys.stderr.write("citator: the patch is empty, so nothing was checked\n")
        return Intent(Source.PATCH, patch=data, approach=approach)
    if paths or approach:
        return Intent(Source.PATHS, paths=paths, approach=approach)
    return Intent(Source.WORKTREE)


def _answered(workspace: Workspace, said: str, why: str, *, as_json: bool) -> int:
    from citator.cli.decide import now
    from citator.service.answer_finding import answer
    from citator.service.guard_log import Reply

    id, _, reply = said.partition("=")
    if reply not in {one.value for one in Reply}:
        raise UsageError(
            "usage",
            "--answer wants ID=applies, ID=not-applicable or ID=challenge",
            "See: citator check --help",
        )
    done = answer(workspace, id, Reply(reply), why, now())
    if as_json:
        output.write_json(answer_object(done))
    else:
        output.write_lines(_answer_lines(done))
    return ExitCode.OK


def answer_object(done: Answered) -> dict[str, Any]:
    """An answer that was noted, as JSON."""
    made = done.proposal
    return {
        "id": done.id,
        "reply": done.reply.value,
        "shown": done.shown,
        "honoured": done.honoured,
        "withdrawn": done.withdrawn,
        "proposal": None if made is None else {"status": made.status, "id": made.id},
    }


def _answer_lines(done: Answered) -> list[str]:
    lines = [f"Noted: {done.id} {done.reply.value} ({done.honoured} of {done.shown} honoured)."]
    if done.withdrawn:
        lines.append("It has withdrawn itself; citator survey tells of it.")
    if done.proposal is not None:
        lines.append(f"Written: proposal {done.proposal.id}. Next: citator approve, by a person.")
    return lines


def as_object(found: Checked, secret: bytes) -> dict[str, Any]:
    """The answer as documented in ``docs/reference/json.md``."""
    from citator.cli.forms import horizon_object, read_object

    return {
        "findings": [finding_object(one) for one in found.findings],
        "blocked": found.blocked,
        "files": found.files,
        "unread": found.unread,
        "left_out": found.left_out,
        "base": found.base,
        "texts": [read_object(one, secret) for one in found.texts],
        "horizon": horizon_object(found.horizon),
    }


def finding_object(one: Finding) -> dict[str, Any]:
    """One finding: every field by its name, what it has not left out."""
    form = {key: value for key, value in output.plain(one).items() if value not in (None, [])}
    return {**form, "mined": one.mined}


def _lines(found: Checked, workspace: Workspace, words: bool | None) -> list[str]:
    """The answer for people and for clients that read text: nothing where nothing was found."""
    from citator.cli import render
    from citator.cli.check_formats import headline, words_of

    screen = surroundings.screen()
    quotes = screen.person if words is None else words
    lines: list[str] = []
    for number, one in enumerate(found.findings, 1):
        place = "" if one.path is None else f"{one.path}{f':{one.line}' if one.line else ''}: "
        lines.append(f"{number}. {place}{headline(one)}")
        signed = words_of(one)
        if signed is not None:
            lines += render.quoted_whole(signed, screen)
        if quotes and one.removal is not None and signed is None:
            lines += _quoted(workspace, one.removal.commit, screen)
        facts = f"[{one.id}, {one.strength.value}{', blocks' if one.blocks else ''}]"
        lines.append(f"{render.INDENT}{facts} {_FOLLOW[one.kind.value]}")
    for item in found.texts:
        lines += ["", *render.read_lines(item, workspace.secret)]
    if not lines:
        return []
    if found.left_out:
        lines.append(f"{found.left_out} more left out.")
    lines.append(
        "Answer: citator check --answer ID=applies | not-applicable | challenge --why TEXT"
    )
    return lines + ([] if found.horizon.complete else render.horizon_lines(found.horizon))


def _quoted(workspace: Workspace, commit: str, screen: surroundings.Screen) -> Sequence[str]:
    """The first lines of a commit's message, for a person."""
    from citator.cli.render import quoted
    from citator.service.check import said_by_commit

    text = said_by_commit(workspace, commit).text
    shown = [line for line in text.split("\n") if line.strip()][:_QUOTED_LINES]
    return [quoted(line, screen) for line in shown]
