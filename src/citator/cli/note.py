"""``citator note``: what this machine remembers, unreviewed.

- A terminal is observed, not believed: what is added there was typed; from a pipe it was
  remembered, and changes only what was remembered.
- In a pipe captured words stay behind: they are an author's. ``show`` and ``--words`` ask for them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.decide import now
from citator.cli.opening import opened_here
from citator.cli.tree import NearestGroup, example, house_options, words_option
from citator.cli.words import counted
from citator.model.errors import CitatorError, ExitCode
from citator.model.inert import inert_line

if TYPE_CHECKING:
    from citator.service.capture_notes import Backfill
    from citator.service.note_sharing import Taken
    from citator.service.notes import Listing, Told
    from citator.service.workspace import Workspace
    from citator.team.notes import Channel

KIND = click.option(
    "--kind",
    type=click.Choice(["decision-hint", "pattern", "avoid", "fact"]),
    metavar="KIND",
    help="decision-hint, pattern, avoid or fact.",
)
PATHS = click.option(
    "--path", "paths", multiple=True, metavar="PATH", help="A path it is about (repeatable)."
)
FILE = click.Path(path_type=Path, dir_okay=False)


@click.group(
    "note", cls=NearestGroup, epilog=example('citator note add "Retry twice" --kind avoid')
)
def command() -> None:
    """Keep notes about this repository on this machine: unreviewed, never decisions."""


@command.command("add", epilog=example('citator note add "The parser is pinned" --path src/p.py'))
@click.argument("text")
@KIND
@PATHS
@house_options
def add(text: str, kind: str | None, paths: tuple[str, ...], root: Path, as_json: bool) -> int:
    """Leave a note."""
    from citator.service import notes

    draft = notes.Draft(text, kind or "fact", paths)
    workspace = opened_here(root)
    made = notes.add(workspace, draft, observed(), now())
    if as_json:
        similar = [output.plain(one) for one in made.similar]
        form = note_object(made.note, workspace.secret)
        output.write_json({"note": form, "new": made.new, "similar": similar})
        return ExitCode.OK
    done = "Noted" if made.new else "Said again"
    lines = [f"{done}: {made.note.id} ({made.note.level.value}, unreviewed)."]
    lines += [f"  {one.likeness.value}? {one.id} ({one.share:.0%} alike)" for one in made.similar]
    output.write_lines(lines)
    return ExitCode.OK


@command.command("list", epilog=example("citator note list --all"))
@KIND
@click.option("--all", "everything", is_flag=True, help="Cold, stale and taken back ones too.")
@words_option
@house_options
def list_(kind: str | None, everything: bool, words: bool | None, root: Path, as_json: bool) -> int:
    """List notes, the most valued first."""
    from citator.service import notes
    from citator.team.notes import NoteKind

    wanted = NoteKind(kind) if kind else None
    workspace = opened_here(root)
    found = notes.listing(workspace, now(), everything=everything, kind=wanted)
    return _told(workspace, found, words, as_json)


@command.command("search", epilog=example("citator note search parser"))
@click.argument("query")
@words_option
@house_options
def search(query: str, words: bool | None, root: Path, as_json: bool) -> int:
    """Find notes that hold every word of QUERY, cold and stale ones too."""
    from citator.service import notes

    workspace = opened_here(root)
    found = notes.listing(workspace, now(), words_of=query)
    code = _told(workspace, found, words, as_json)
    return code if found.notes or code else ExitCode.NOT_FOUND


@command.command("show", epilog=example("citator note show 1f8a"))
@click.argument("id")
@house_options
def show(id: str, root: Path, as_json: bool) -> int:
    """Show one note with its words, its score and its history."""
    from citator.model.fence import fenced
    from citator.service import notes

    workspace = opened_here(root)
    secret = workspace.secret
    note, changes = notes.show(workspace, id, now())
    if as_json:
        form = note_object(note, workspace.secret, words=True)
        history = [
            {
                "time": change.time,
                "event": change.event.value,
                "channel": change.channel.value,
                "text": None if content is None else fenced(inert_line(content.text), secret),
            }
            for change, content in changes
        ]
        output.write_json({"note": {**form, "history": history}})
        return ExitCode.OK
    part = note.score
    output.write_lines(
        [
            _headline(note),
            *fenced(inert_line(note.text), secret).split("\n"),
            f"by {inert_line(note.author)}, {note.channel.value}, unreviewed",
            f"{note.points} points: recency {part.recency / 100:.2f}, frequency "
            f"{part.frequency / 100:.2f} (said {note.times}x), impact {part.impact / 100:.2f}, "
            f"explicit {part.explicit / 100:.2f}{_feedback(note)}",
            *(
                f"{change.time}  {change.event.value}  {change.channel.value}"
                for change, _ in changes
            ),
        ]
    )
    return ExitCode.OK


@command.command("edit", epilog=example('citator note edit 1f8a "Retry three times"'))
@click.argument("id")
@click.argument("text", required=False, default="")
@KIND
@PATHS
@house_options
def edit(
    id: str, text: str, kind: str | None, paths: tuple[str, ...], root: Path, as_json: bool
) -> int:
    """Give a note other words (in your editor, if none are given), kind or paths."""
    from citator.service import notes

    workspace = opened_here(root)
    if not (text or kind or paths) and observed().value == "typed":
        told = _in_an_editor(workspace, id)
    else:
        draft = notes.Draft(text, kind or "", paths)
        told = notes.edit(workspace, id, draft, observed(), now())
    return _done(workspace, told, "Edited", as_json)


def _in_an_editor(workspace: Workspace, id: str) -> Told:
    """A note with the words that a person gives it. What is refused is kept, but for a secret."""
    from citator.cli.editing import edited
    from citator.service import notes

    moment = now()
    before = notes.show(workspace, id, moment)[0]
    path = workspace.place.local / "drafts" / f"{moment.entropy(8).hex()}.txt"
    written = edited(f"{before.text}\n", path, otherwise="say it: citator note edit ID TEXT")
    try:
        if " ".join(written.split()) in ("", before.text):
            return before
        return notes.edit(workspace, id, notes.Draft(written, ""), observed(), now())
    except CitatorError as error:
        if error.code != "secret_found":
            error.todo = f"{error.todo}\nWhat you wrote is in {inert_line(str(path))}"
            path = path.with_suffix(".none")
        raise
    finally:
        path.unlink(missing_ok=True)


@command.command("verify", epilog=example("citator note verify 1f8a"))
@click.argument("id")
@house_options
def verify(id: str, root: Path, as_json: bool) -> int:
    """Say that a note still holds: it is fresh again."""
    from citator.service import notes

    workspace = opened_here(root)
    return _done(workspace, notes.verify(workspace, id, observed(), now()), "Verified", as_json)


@command.command("undo", epilog=example("citator note undo 1f8a"))
@click.argument("id")
@house_options
def undo(id: str, root: Path, as_json: bool) -> int:
    """Take back the last change of a note; of a new one, the note."""
    from citator.service import notes

    workspace = opened_here(root)
    told = notes.undo(workspace, id, observed(), now())
    return _done(workspace, told, "Taken back" if told.taken_back else "Undone", as_json)


@command.command("rm", epilog=example("citator note rm 1f8a"))
@click.argument("id")
@house_options
def rm(id: str, root: Path, as_json: bool) -> int:
    """Delete a note and the words of its history for good; the journal keeps digests."""
    from citator.service import notes

    gone = notes.remove(opened_here(root), id, observed(), now())
    if as_json:
        output.write_json({"removed": gone})
    else:
        output.write_lines([f"Removed: {gone}."])
    return ExitCode.OK


@command.command("export", epilog=example("citator note export docs/notes.jsonl"))
@click.argument("file", type=FILE)
@house_options
def export(file: Path, root: Path, as_json: bool) -> int:
    """Write what was typed or remembered here to FILE, for a person to commit."""
    from citator.service import note_sharing

    count = note_sharing.export(opened_here(root), file, now())
    if as_json:
        output.write_json({"notes": count})
    else:
        output.write_lines([f"{counted(count, 'note')} written. Read them before you commit them."])
    return ExitCode.OK


@command.command("import", epilog=example("citator note import docs/notes.jsonl"))
@click.argument("file", type=FILE)
@house_options
def import_(file: Path, root: Path, as_json: bool) -> int:
    """Take in what `note export` wrote elsewhere, as captured."""
    from citator.service import note_sharing

    return told_of(note_sharing.import_file(opened_here(root), file, now()), as_json)


@command.command("promote", epilog=example("citator note promote 1f8a"))
@click.argument("id")
@click.option("--title", default="", metavar="TEXT", help="Of the proposal (default: the note).")
@click.option("--because", metavar="TEXT", help="What changed since it was rejected.")
@house_options
def promote(id: str, title: str, because: str | None, root: Path, as_json: bool) -> int:
    """Propose what a note says as a decision, for a person to sign."""
    from citator.service import notes

    made = notes.promote(opened_here(root), id, now(), title, because)
    if as_json:
        output.write_json(output.plain(made))
    elif made.id is None:
        output.write_lines(["A person rejected this before; nothing was proposed."])
    else:
        output.write_lines([f"Proposed: {made.id}. Next: citator approve {made.id}"])
    return ExitCode.OK if made.id else ExitCode.REFUSED


@command.command("capture", epilog=example("citator note capture --last 500"))
@click.option(
    "--last",
    type=click.IntRange(1, 20_000),
    default=200,
    show_default=True,
    metavar="N",
    help="How many commits of HEAD.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be captured.")
@house_options
def capture(last: int, dry_run: bool, root: Path, as_json: bool) -> int:
    """Note decisions, reverts and wide changes that the last commits explain."""
    from citator.service import capture_notes

    made = capture_notes.capture(opened_here(root), last, now(), dry_run=dry_run)
    if as_json:
        output.write_json(output.plain(made))
    else:
        output.write_lines(_of_capture(made, dry_run=dry_run))
    return ExitCode.OK


def _of_capture(made: Backfill, *, dry_run: bool) -> list[str]:
    rules = [f"  {count} {rule.replace('_', ' ')}" for rule, count in made.rules.items()]
    end = "Nothing was written (--dry-run)." if dry_run else f"{made.new} new, {made.there} there."
    return [f"{counted(made.examined, 'commit')} looked at.", *rules, end]


def told_of(taken: Taken, as_json: bool) -> int:
    """Say what an import of notes did."""
    if as_json:
        output.write_json(output.plain(taken))
        return ExitCode.OK
    left = [f"  {count} left out: {code}" for code, count in taken.left_out.items()]
    output.write_lines([f"{taken.new} new, {taken.there} there already, as captured.", *left])
    return ExitCode.OK


def observed() -> Channel:
    """Whether somebody types here."""
    from citator.cli.signing import at_a_terminal
    from citator.team.notes import Channel

    return Channel.TYPED if at_a_terminal() else Channel.REMEMBERED


def note_object(note: Told, secret: bytes, *, words: bool = False) -> dict[str, Any]:
    """A note (``docs/reference/json.md``): its words fenced, captured ones only where they were
    asked for; its author only then."""
    from citator.model.fence import fenced
    from citator.model.plain import percent_encoded

    shown = words or note.channel.value != "captured"
    form = dict(output.plain(note))
    form["text"] = fenced(inert_line(note.text), secret) if shown else None
    form["author"] = inert_line(note.author) if words else None
    form["paths"] = list(map(percent_encoded, note.paths))
    return form


def _done(workspace: Workspace, note: Told, done: str, as_json: bool) -> int:
    if as_json:
        output.write_json({"note": note_object(note, workspace.secret)})
    else:
        output.write_lines([f"{done}: {note.id} ({note.level.value}, {note.age.value})."])
    return ExitCode.OK


def _told(workspace: Workspace, found: Listing, words: bool | None, as_json: bool) -> int:
    screen = surroundings.screen()
    quotes = screen.person if words is None else words
    if as_json:
        shown = [note_object(one, workspace.secret, words=words is True) for one in found.notes]
        output.write_json(
            {"notes": shown, "left_out": found.left_out, "damaged": list(found.damaged)}
        )
    else:
        from citator.cli.render import quoted

        lines: list[str] = []
        for one in found.notes:
            lines.append(_headline(one))
            if quotes or one.channel.value != "captured":
                lines.append(quoted(one.text, screen))
        if found.left_out:
            lines.append(f"{found.left_out} more with --all.")
        lines += [f"Damaged, its words cannot be read: {one}" for one in found.damaged]
        output.write_lines(lines or ["No notes here."])
    return ExitCode.INTEGRITY if found.damaged else ExitCode.OK


def _feedback(note: Told) -> str:
    """What tickets taught of a note, where they did, and how to let that begin anew."""
    known = note.feedback
    if not known.shown:
        return ""
    said = (
        f", feedback {note.score.feedback / 100:+.2f} (shown in {counted(known.shown, 'ticket')}: "
        f"helped {known.helped}, reverted {known.reverted})"
    )
    return said + ("; demoted, until: citator note verify ID" if note.score.demoted else "")


def _headline(one: Told) -> str:
    from citator.model.plain import percent_encoded

    facts = [one.level.value, one.age.value, one.channel.value, one.confirmed]
    facts += [f"from {one.commit[:12]}"] if one.commit else []
    facts += [f"rejected ({one.rejected[:12]})"] if one.rejected else []
    facts += ["demoted"] if one.score.demoted else []
    facts += ["taken back"] if one.taken_back else []
    paths = "".join(f"  {percent_encoded(path)}" for path in one.paths[:3])
    return f"{one.id}  {one.kind.value}  [{', '.join(facts)}]{paths}"
