"""``citator claims``: who works on what. ``sync`` alone reaches a network, and by git.

- What others wrote in a claim (its intent, their name) and how they called a branch is for a person
  at a terminal, quoted, or for whoever asks with ``--words``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.claims_finish import finish, outcomes, undo
from citator.cli.decide import now
from citator.cli.opening import opened_here
from citator.cli.tree import NearestGroup, example, house_options, words_option
from citator.cli.words import counted
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.service.conflicts import Conflict, Notice
    from citator.service.workspace import Workspace
    from citator.team.claims import Claim

HOURS = click.option(
    "--hours",
    type=click.IntRange(1, 336),
    default=24,
    show_default=True,
    metavar="N",
    help="When it ends by itself.",
)


@click.group("claims", cls=NearestGroup, epilog=example("citator claims start 42 src/cache.py"))
def command() -> None:
    """Say what you work on, and see who else is there: advice, never a lock."""


@command.command("list", epilog=example("citator claims list"))
@click.option("--all", "everything", is_flag=True, help="Those that are over too.")
@words_option
@house_options
def list_(everything: bool, words: bool | None, root: Path, as_json: bool) -> int:
    """List claims, the oldest first."""
    from citator.service import claims

    workspace, moment = opened_here(root), now()
    found = claims.listing(workspace, moment, everything=everything)
    quotes = _wants(words, as_json=as_json)
    if as_json:
        output.write_json(
            {
                "claims": [claim_object(workspace, one, quotes) for one in found.claims],
                "unreadable": found.unreadable,
                "synced": None if found.synced is None else output.plain(found.synced),
            }
        )
        return ExitCode.OK
    lines: list[str] = []
    for one in found.claims:
        lines += _claim_lines(workspace, one, quotes)
    lines = lines or ["No claims here."]
    if found.unreadable:
        lines.append(f"{counted(found.unreadable, 'file')} could not be read as a claim.")
    synced = "never synced" if found.synced is None else f"last synced {found.synced.time}"
    output.write_lines([*lines, f"Seen: this clone, {synced}."])
    return ExitCode.OK


@command.command("start", epilog=example('citator claims start 42 src/a.py --intent "Retry"'))
@click.argument("ticket")
@click.argument("files", nargs=-1, required=True)
@click.option("--intent", default="", metavar="TEXT", help="What you mean to do.")
@HOURS
@words_option
@house_options
def start(
    ticket: str,
    files: tuple[str, ...],
    intent: str,
    hours: int,
    words: bool | None,
    root: Path,
    as_json: bool,
) -> int:
    """Claim FILES (or PATH:NAME, a symbol) for TICKET, and see who is in the way."""
    from citator.service.claims import wished
    from citator.service.start_work import start_work

    workspace = opened_here(root)
    wish = wished(ticket, files, intent, hours * 3600)
    begun = start_work(workspace, wish, "", now())
    assert begun.claim is not None
    quotes = _wants(words, as_json=as_json)
    if as_json:
        from citator.cli.forms import horizon_object, record_object

        output.write_json(
            {
                "claim": claim_object(workspace, begun.claim, quotes),
                **record_object(begun.record),
                "conflicts": [conflict_object(one, quotes) for one in begun.conflicts],
                "horizon": horizon_object(begun.horizon),
            }
        )
        return ExitCode.OK
    from citator.cli import render

    screen = surroundings.screen()
    lines = ["Claimed:", *_claim_lines(workspace, begun.claim, quotes)]
    lines += conflict_lines(begun.conflicts, quotes, screen)
    lines += render.record_lines(begun.record, root, screen)
    output.write_lines(lines + render.horizon_lines(begun.horizon))
    return ExitCode.OK


@command.command("release", epilog=example("citator claims release 42"))
@click.argument("ticket")
@house_options
def release(ticket: str, root: Path, as_json: bool) -> int:
    """End your claims for TICKET."""
    from citator.service import claims

    workspace = opened_here(root)
    return _changed(workspace, claims.release(workspace, ticket, now()), "Released", as_json)


@command.command("extend", epilog=example("citator claims extend 42 --hours 48"))
@click.argument("ticket")
@HOURS
@house_options
def extend(ticket: str, hours: int, root: Path, as_json: bool) -> int:
    """Let your claims for TICKET end later: N hours from now."""
    from citator.service import claims

    workspace = opened_here(root)
    longer = claims.extend(workspace, ticket, now(), hours * 3600)
    return _changed(workspace, longer, "Extended", as_json)


@command.command("sync", epilog=example("citator claims sync"))
@click.option("--remote", metavar="NAME", help="A remote of this repository.")
@house_options
def sync(remote: str | None, root: Path, as_json: bool) -> int:
    """Exchange claims with this repository's own remote (uses a network)."""
    from citator.service import claims_sync

    made = claims_sync.sync(opened_here(root), now(), remote)
    if as_json:
        output.write_json(output.plain(made))
        return ExitCode.OK
    there = made.remote or "the remote"
    lines = [f"{made.received} received from {there}, {made.sent} sent, {made.dropped} dropped."]
    if made.unreadable:
        lines.append(f"{counted(made.unreadable, 'file')} there could not be read as a claim.")
    output.write_lines(lines)
    return ExitCode.OK


command.add_command(finish)
command.add_command(outcomes)
command.add_command(undo)


def _wants(words: bool | None, *, as_json: bool) -> bool:
    return (surroundings.screen().person and not as_json) if words is None else words


def _changed(workspace: Workspace, claims: Sequence[Claim], done: str, as_json: bool) -> int:
    if as_json:
        told = [claim_object(workspace, one, words=False) for one in claims]
        output.write_json({"claims": told})
    else:
        lines = [f"{done}: {one.ticket} ({one.id[:12]})." for one in claims]
        output.write_lines(lines or ["You hold no claim for that ticket."])
    return ExitCode.OK if claims else ExitCode.NOT_FOUND


def claim_object(workspace: Workspace, one: Claim, words: bool) -> dict[str, Any]:
    """A claim (``docs/reference/json.md``): its words fenced, and only where they are asked for."""
    from citator.model.fence import fenced
    from citator.model.inert import inert_line
    from citator.model.utc import utc_text
    from citator.service.claims import who_of

    form: dict[str, Any] = {
        "id": one.id,
        "ticket": one.ticket,
        "author": one.who.number,
        "own": one.author == who_of(workspace).author,
        "started": utc_text(one.started),
        "expires": utc_text(one.expires),
        "released": one.released,
        "files": list(one.files),
        "symbols": list(one.symbols),
    }
    if words:
        form["words"] = {
            "author": inert_line(one.author),
            "intent": fenced(inert_line(one.intent), workspace.secret) if one.intent else None,
        }
    return form


def conflict_object(one: Conflict, words: bool) -> dict[str, Any]:
    """What is in the way: every field of :class:`Notice` by its name."""
    from citator.model.inert import inert_line

    form: dict[str, Any] = output.plain(one.notice)
    if words:
        form["words"] = [inert_line(said) for said in _words(one)]
    return form


def conflict_lines(
    found: Iterable[Conflict], quotes: bool, screen: surroundings.Screen
) -> list[str]:
    """What is in the way, for people."""
    from citator.cli import render

    lines: list[str] = []
    for one in found:
        lines.append(f"In the way: {notice_phrase(one.notice)}")
        if quotes:
            lines += [render.quoted(said, screen) for said in _words(one)]
    return lines


def notice_phrase(one: Notice) -> str:
    """A notice in one sentence of ours."""
    who = "you, elsewhere," if one.own else f"author {one.author}"
    about = ", ".join(one.symbols or one.paths)
    if one.commit is not None:
        many = counted(one.commits or 0, "commit")
        return f"an open branch of {who} touches {about} ({many}, {one.commit[:12]} of {one.date})"
    until = f"ticket {one.ticket}, until {(one.until or '')[:16]}Z"
    if one.decisions:
        return f"{who} works under the same decision {one.decisions[0]} as {about} ({until})"
    return f"{who} claims {about} ({until})"


def _words(one: Conflict) -> list[str]:
    if one.branch is not None:
        return [f"{one.branch.author.name} on {one.branch.name}"]
    if one.claim is None:
        return []
    return [one.claim.author, *([one.claim.intent] if one.claim.intent else [])]


def _claim_lines(workspace: Workspace, one: Claim, quotes: bool) -> list[str]:
    from citator.cli import render
    from citator.model.utc import utc_text
    from citator.service.claims import who_of

    mine = one.author == who_of(workspace).author
    state = "released" if one.released else f"until {utc_text(one.expires)[:16]}Z"
    who = "you" if mine else f"author {one.who.number}"
    about = [*one.files, *one.symbols]
    more = f" and {len(about) - 5} more" if len(about) > 5 else ""
    lines = [f"{one.ticket}  {who}, {state}: {', '.join(about[:5])}{more}"]
    if quotes:
        said = [one.author, *([one.intent] if one.intent else [])]
        lines += [render.quoted(each, surroundings.screen()) for each in said]
    return lines
