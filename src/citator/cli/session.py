"""``citator session``: what is in work here, and what comes next.

As of a note, a terminal is observed and not believed: what is saved from a pipe was remembered.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.decide import now
from citator.cli.note import observed
from citator.cli.opening import opened_here
from citator.cli.tree import NearestGroup, example, house_options
from citator.model.errors import ExitCode
from citator.model.inert import inert_line

if TYPE_CHECKING:
    from citator.team.sessions import Session


@click.group(
    "session", cls=NearestGroup, epilog=example('citator session save "Test the retry path"')
)
def command() -> None:
    """Save what is in work on this branch, and see it when work goes on."""


@command.command("save", epilog=example('citator session save "Test it" --wip "Retries twice"'))
@click.argument("next_step", metavar="NEXT", required=False, default="")
@click.option("--wip", default="", metavar="TEXT", help="What is in work.")
@house_options
def save(next_step: str, wip: str, root: Path, as_json: bool) -> int:
    """Save what comes NEXT here; branch and commit are read from git."""
    from citator.service import sessions

    draft = sessions.Draft(next_step, wip)
    saved = sessions.save(opened_here(root), draft, observed(), now())
    if as_json:
        output.write_json({"session": _object(saved)})
    else:
        output.write_lines([f"Saved: {saved.id}."])
    return ExitCode.OK


@command.command("list", epilog=example("citator session list"))
@house_options
def list_(root: Path, as_json: bool) -> int:
    """List what was saved here, the newest first."""
    from citator.service import sessions

    return _told(list(sessions.listing(opened_here(root))), as_json, "No sessions here.")


@command.command("show", epilog=example("citator session show"))
@click.argument("id", required=False, default="")
@house_options
def show(id: str, root: Path, as_json: bool) -> int:
    """Show one session: by its ID, else the newest of this branch."""
    from citator.service import sessions

    workspace = opened_here(root)
    latest = None if id else sessions.latest(workspace)
    found = [sessions.seen(workspace, id)] if id else [latest] if latest is not None else []
    code = _told(found, as_json, "Nothing was saved on this branch.")
    return code if found else ExitCode.NOT_FOUND


@command.command("rm", epilog=example("citator session rm 1f8a"))
@click.argument("id")
@house_options
def rm(id: str, root: Path, as_json: bool) -> int:
    """Delete the words of a session for good; the journal keeps digests."""
    from citator.service import sessions

    gone = sessions.remove(opened_here(root), id, observed(), now())
    if as_json:
        output.write_json({"removed": gone})
    else:
        output.write_lines([f"Removed: {gone}."])
    return ExitCode.OK


def _object(session: Session) -> dict[str, Any]:
    """A session (``docs/reference/json.md``); words are those that were typed or remembered."""
    from citator.model.plain import is_plain

    content = session.content
    branch = None if content is None else content.branch
    return {
        "id": session.id,
        "time": session.time,
        "channel": session.channel.value,
        "branch": branch if branch is not None and is_plain(branch) else None,
        "commit": None if content is None else content.commit,
        "wip": None if content is None else inert_line(content.wip),
        "next": None if content is None else inert_line(content.next),
        "trust": "unreviewed",
    }


def _told(found: list[Session], as_json: bool, nothing: str) -> int:
    if as_json:
        output.write_json({"sessions": [_object(one) for one in found]})
    else:
        from citator.cli.render import quoted

        screen = surroundings.screen()
        lines = []
        for one in found:
            form = _object(one)
            place = form["branch"] or (form["commit"] or "unborn")[:12]
            lines.append(f"{one.id}  {one.time}  {place}  [{one.channel.value}, unreviewed]")
            if one.content is None:
                lines.append("  Damaged, its words cannot be read.")
            else:
                said = (("in work", one.content.wip), ("next", one.content.next))
                lines += [quoted(f"{key}: {text}", screen) for key, text in said if text]
        output.write_lines(lines or [nothing])
    damaged = any(one.content is None for one in found)
    return ExitCode.INTEGRITY if damaged else ExitCode.OK
