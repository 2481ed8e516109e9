"""``citator skills``: procedures that agents are handed, from quarantine to the active set.

- A person reads all of a skill before they sign it, inert and quoted; without a terminal nothing is
  signed unless the very digest of what was read is named.
- No tool reaches any of this: agents see what is active, by name, and read it on request.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.tree import NearestGroup, example, house_options
from citator.model.errors import ExitCode, UsageError
from citator.model.inert import inert_line

if TYPE_CHECKING:
    from citator.service.skills import Listed, Shown

MAX_FILE = 1 << 16
FILE = click.Path(path_type=Path, dir_okay=False)


@click.group(
    "skills", cls=NearestGroup, epilog=example("citator skills list", "citator skills show NAME")
)
def command() -> None:
    """Say which signed procedures agents are handed on this machine."""


@command.command("ingest", epilog=example("citator skills ingest ~/skills/ask-why"))
@click.argument("folder", metavar="PATH", type=click.Path(path_type=Path))
@house_options
def ingest(folder: Path, root: Path, as_json: bool) -> int:
    """Copy the skill in the folder PATH into quarantine. Nothing in it is run or served."""
    from citator.service import skills

    seen, new = skills.ingest(surroundings.places(), folder, surroundings.now())
    if as_json:
        output.write_json({**shown_object(seen), "new": new})
        return ExitCode.OK
    done = "In quarantine" if new else "Here already"
    name = seen.skill.name
    lines = [f"{done}: {name} ({seen.skill.digest[:12]}).", *_advice_lines(seen)]
    output.write_lines([*lines, f"Next: citator skills approve {name}"])
    return ExitCode.OK


@command.command("analyze", epilog=example("citator skills analyze ask-why"))
@click.argument("name")
@house_options
def analyze(name: str, root: Path, as_json: bool) -> int:
    """Say what a reader of a skill should look at. Never a verdict."""
    from citator.service import skills

    seen = skills.show(surroundings.places(), name)
    if as_json:
        output.write_json({"digest": seen.skill.digest, "advice": output.plain(seen.advice)})
    else:
        output.write_lines(_advice_lines(seen) or ["Nothing to point at. That proves nothing."])
    return ExitCode.OK


@command.command("show", epilog=example("citator skills show ask-why"))
@click.argument("name")
@house_options
def show(name: str, root: Path, as_json: bool) -> int:
    """Show all of a skill: every file, inert and quoted."""
    from citator.cli.reviewing import fitting
    from citator.service import skills

    seen = skills.show(surroundings.places(), name)
    if as_json:
        output.write_json(shown_object(seen))
    else:
        output.write_lines(fitting(shown_lines(seen), surroundings.screen()))
    return ExitCode.OK


@command.command("list", epilog=example("citator skills list --json"))
@house_options
def list_(root: Path, as_json: bool) -> int:
    """List skills: the active ones in their order, then the others."""
    from citator.service import skills

    rows, said = skills.listing(surroundings.places())
    if as_json:
        keys = [{"label": label, "fingerprint": key.fingerprint} for label, key in said.keys]
        found = [output.plain(one) for one in rows]
        sets = len(said.sets)
        output.write_json({"skills": found, "ceiling": said.ceiling, "sets": sets, "keys": keys})
        return ExitCode.OK
    lines = [f"At most {said.ceiling} of the active ones are named to a task, in this order:"]
    output.write_lines([*lines, *map(_row, rows)] if rows else ["No skills here."])
    return ExitCode.OK


@command.command("trust", epilog=example("citator skills trust me=~/.ssh/id_ed25519.pub"))
@click.argument("key", metavar="LABEL=FILE")
@click.option("--yes-i-read-it", metavar="FINGERPRINT", help="Without asking, if it is this key.")
@click.option("--remove", is_flag=True, help="Take the keys of LABEL away.")
@house_options
def trust(key: str, yes_i_read_it: str | None, remove: bool, root: Path, as_json: bool) -> int:
    """Let a key approve skills on this machine, after a typed yes."""
    from citator.cli import signing
    from citator.service import skills

    places, time = surroundings.places(), surroundings.now()
    label, _, name = key.partition("=")
    if remove:
        count = skills.distrust(places, label, time)
        return output.write_told({"label": label, "removed": count}, f"Removed: {count}.", as_json)
    if not name:
        raise UsageError("usage", "a key is named LABEL=FILE", "See: citator skills trust --help")
    held = signing.held_in(Path(name))
    fingerprint = held.key.fingerprint
    if yes_i_read_it != fingerprint:
        if not as_json:
            output.write_lines([f"{fingerprint}  {inert_line(label)}"])
            output.flush()
        question = "To let this key say which skills agents are handed, type yes:"
        if yes_i_read_it is not None or not signing.typed(question, "yes", as_json=as_json):
            raise signing.not_agreed(
                "no key was trusted", "at a terminal, or name it: --yes-i-read-it FINGERPRINT"
            )
    skills.trust(places, label, held.key, time)
    return output.write_told(
        {"label": label, "fingerprint": fingerprint}, f"Trusted: {fingerprint}.", as_json
    )


@command.command(
    "approve", epilog=example("citator skills approve ask-why", "citator skills approve 3f2a81")
)
@click.argument("name")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Sign with this key.")
@click.option("--digest", metavar="HEX", help="Sign without asking, if it is this very skill.")
@click.option("--approval", type=FILE, metavar="FILE", help="Take what somebody else signed.")
@click.option("--out", type=FILE, metavar="FILE", help="Also write the approval here.")
@house_options
def approve(
    name: str,
    key: Path | None,
    digest: str | None,
    approval: Path | None,
    out: Path | None,
    root: Path,
    as_json: bool,
) -> int:
    """Show all of a skill, and sign exactly that with your key."""
    from citator.cli.reviewing import fitting
    from citator.service import skills

    places, time = surroundings.places(), surroundings.now()
    seen = skills.show(places, name)
    if not as_json:
        output.write_lines(fitting(shown_lines(seen), surroundings.screen()))
    if approval is not None:
        made = skills.take_approval(places, seen, _read(approval), time)
    else:
        made = _signed(seen, key, digest, root, as_json)
    if out is not None:
        _write(out, made.to_bytes() + b"\n")
    again = skills.show(places, seen.skill.digest)
    told = f"Approved by {again.listed.by}. Next: citator skills activate {seen.skill.name}"
    return output.write_told(shown_object(again), told, as_json)


def _signed(seen: Shown, key: Path | None, digest: str | None, root: Path, as_json: bool) -> Any:
    """Sign what was shown, after a yes. Raises RefusedError."""
    from citator.cli import signing
    from citator.service import skills
    from citator.trust.skill_statement import NAMESPACE

    places = surroundings.places()
    trees = signing.trees_here(root)
    chosen = skills.key_for(places, signing.keys_at_hand(lambda: trees, key))
    output.flush()
    signing.require_digest(
        seen.skill.digest,
        digest,
        f"sign it with {chosen.key.fingerprint}",
        again="read it again: citator skills show NAME",
        todo="at a terminal, or name what was read: --digest HEX",
        as_json=as_json,
    )
    with signing.signer(trees, NAMESPACE) as signer:
        return skills.approve(places, seen, [chosen], signer, surroundings.now())


@command.command("activate", epilog=example("citator skills activate ask-why sweep-the-clock"))
@click.argument("names", metavar="NAME", nargs=-1)
@click.option("--shipped", is_flag=True, help="Those that come with citator, and no others.")
@click.option(
    "--ceiling", type=click.IntRange(0, 16), metavar="N", help="How many a task is told of."
)
@house_options
def activate(
    names: tuple[str, ...], shipped: bool, ceiling: int | None, root: Path, as_json: bool
) -> int:
    """Make the named skills the active set, in this order and at once."""
    from citator.service import skills

    if shipped is bool(names) and (names or ceiling is None):
        raise UsageError(
            "usage", "name the skills of the set, or say --shipped", "See: citator skills list"
        )
    chosen = None if shipped else names
    rows = skills.activate(surroundings.places(), chosen, surroundings.now(), ceiling)
    return _set(rows, as_json)


@command.command("rollback", epilog=example("citator skills rollback"))
@house_options
def rollback(root: Path, as_json: bool) -> int:
    """Make the set before the active one active again."""
    from citator.service import skills

    return _set(skills.rollback(surroundings.places(), surroundings.now()), as_json)


@command.command("remove", epilog=example("citator skills remove ask-why"))
@click.argument("name")
@house_options
def remove(name: str, root: Path, as_json: bool) -> int:
    """Take a skill away for good: out of quarantine and of every kept set."""
    from citator.service import skills

    gone = skills.remove(surroundings.places(), name, surroundings.now())
    return output.write_told({"removed": gone}, f"Removed: {gone[:12]}.", as_json)


def _set(rows: list[Listed], as_json: bool) -> int:
    if as_json:
        output.write_json({"skills": [output.plain(one) for one in rows]})
    else:
        output.write_lines([f"{len(rows)} active, in this order:", *map(_row, rows)])
    return ExitCode.OK


def _read(path: Path) -> bytes:
    try:
        with path.expanduser().open("rb") as file:
            return file.read(MAX_FILE)
    except OSError:
        raise UsageError("no_such_path", "that file cannot be read", "check its name") from None


def _write(path: Path, data: bytes) -> None:
    try:
        path.expanduser().write_bytes(data)
    except OSError:
        raise UsageError(
            "cannot_write",
            "the approval is kept here, and cannot be written there too",
            "name another file: citator skills approve NAME --out FILE",
        ) from None


def _row(one: Listed) -> str:
    state = one.problem or ("active" if one.active else "approved")
    needs = [f"needs {' '.join(one.permissions)}"] if one.permissions else []
    facts = [state, *([f"by {one.by}"] if one.by else []), *needs]
    return f"  {one.digest[:12]}  {one.name or '?'}  [{', '.join(facts)}]"


def _advice_lines(seen: Shown) -> list[str]:
    if not seen.advice:
        return []
    rows = [f"  {one.path}: {one.advice.value.replace('_', ' ')}" for one in seen.advice]
    return ["Look at these before you approve it (no verdict, and no proof of anything):", *rows]


def shown_lines(seen: Shown) -> list[str]:
    """A skill as its reviewer reads it: all of it, what it declares first."""
    from citator.cli.reviewing import QUOTE

    one = seen.listed
    lines = [
        f"Skill {one.name}",
        f"Digest: {one.digest}",
        f"  domains: {' '.join(one.domains)}",
        f"  intents: {' '.join(one.intents)}",
        f"  needs to: {' '.join(one.permissions) or 'nothing'}",
        f"  {one.problem or f'signed by {one.by}'}{', active' if one.active else ''}",
    ]
    for file in seen.skill.files:
        mode = ", executable" if file.executable else ""
        lines += ["", f"{file.path} ({len(file.content)} bytes{mode}):"]
        text = file.text
        if text is None:
            lines.append("  not text: nobody can read it here, and no agent is shown it")
        else:
            lines += [f"{QUOTE}{inert_line(line)}" for line in text.split("\n")]
    return [*lines, "", *_advice_lines(seen)]


def shown_object(seen: Shown) -> dict[str, Any]:
    """The same, as JSON: inert, too (``docs/reference/json.md``)."""
    from citator.model.inert import inert

    files = [
        {
            "path": one.path,
            "executable": one.executable,
            "bytes": len(one.content),
            "text": None if one.text is None else inert(one.text),
        }
        for one in seen.skill.files
    ]
    form: dict[str, Any] = dict(output.plain(seen.listed))
    return {**form, "files": files, "advice": output.plain(seen.advice)}
