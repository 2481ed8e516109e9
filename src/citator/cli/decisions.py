"""``citator decisions``: what is decided here, and proposals that change it.

- At a terminal the person who owns this machine sees proposals and every sensitivity, with words;
  a pipe gets what this machine grants an audience, without words. ``--all`` and ``--words`` ask.
- ``show`` and ``diff`` print text, which stands between two boundary lines as data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from citator.cli import output, surroundings
from citator.cli.opening import opened_here
from citator.cli.tree import NearestGroup, example, house_options, words_option
from citator.model.errors import ExitCode
from citator.model.inert import inert, inert_line
from citator.model.record import ItemKind, RecordStatus, RelationType, Sensitivity

if TYPE_CHECKING:
    from citator.model.visibility import Audience
    from citator.service.changing import Because
    from citator.service.decisions import Decision, Listing
    from citator.service.workspace import Workspace

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

KINDS = click.Choice([kind.value for kind in ItemKind])
STATUSES = click.Choice([status.value for status in RecordStatus])
QUOTE = "    > "


@click.group("decisions", cls=NearestGroup, epilog=example("citator decisions list"))
def command() -> None:
    """List and read decisions, and propose changes to them."""


def time_options(function: Decorated) -> Decorated:
    """``--at``, ``--as-of`` and ``--all``."""
    function = click.option(
        "--all/--granted", "everything", default=None, help="All of it (default: on a terminal)."
    )(function)
    function = click.option("--as-of", metavar="DATE", help="What held on that day.")(function)
    return click.option("--at", metavar="REV", help="As the record was at that commit.")(function)


def change_options(function: Decorated) -> Decorated:
    """What every proposed change takes."""
    function = house_options(function)
    function = click.option(
        "--author", metavar="NAME", help="Who proposes (default: as git is configured)."
    )(function)
    return click.option("--because", default="", metavar="TEXT", help="Why.")(function)


@command.command(
    "list", epilog=example("citator decisions list --path src/db/pool.py", "citator decisions list")
)
@click.option("--kind", type=KINDS, metavar="KIND", help="Only of this kind.")
@click.option(
    "--status", type=STATUSES, multiple=True, metavar="STATUS", help="Only these (repeatable)."
)
@click.option("--path", metavar="PATH", help="Only what governs this path.")
@click.option("--label", metavar="NAME", help="Only with this label.")
@click.option("--rejections", is_flag=True, help="The values that were told no, too.")
@time_options
@words_option
@house_options
def list_(
    kind: str | None,
    status: tuple[str, ...],
    path: str | None,
    label: str | None,
    rejections: bool,
    at: str | None,
    as_of: str | None,
    everything: bool | None,
    words: bool | None,
    root: Path,
    as_json: bool,
) -> int:
    """List decisions, with the facts of their approval."""
    from citator.cli.decide import now
    from citator.cli.reviewing import fitting
    from citator.service.decisions import Wanted, listing

    workspace = opened_here(root)
    wanted = Wanted(
        ItemKind(kind) if kind else None,
        tuple(RecordStatus(one) for one in status),
        path,
        label,
        at,
        _moment(as_of),
    )
    found = listing(workspace, _audience(workspace, everything, as_json), wanted, now().text)
    shows = _shows_words(words, as_json)
    if as_json:
        output.write_json(_listing_object(found, shows, rejections))
    else:
        lines = _listing_lines(found, shows, rejections)
        output.write_lines(fitting(lines, surroundings.screen()))
    return ExitCode.OK


def _moment(as_of: str | None) -> str | None:
    from citator.service.decide import whole_time

    return whole_time(as_of, "--as-of") if as_of else None


def _audience(workspace: Workspace, everything: bool | None, as_json: bool) -> Audience:
    from citator.service.decisions import granted, operator

    at_terminal = surroundings.is_terminal(sys.stdout) and not as_json
    wide = at_terminal if everything is None else everything
    return operator(workspace) if wide else granted(workspace)


def _shows_words(words: bool | None, as_json: bool) -> bool:
    return (surroundings.is_terminal(sys.stdout) and not as_json) if words is None else words


def decision_object(one: Decision, words: bool) -> dict[str, Any]:
    """A decision as JSON. Its title is there where words were asked for; a ruling that a pinned
    person signed always is.
    """
    revision = one.revision
    form: dict[str, Any] = {
        "id": one.id,
        "kind": one.kind.value,
        "status": one.status.value,
        "sensitivity": one.sensitivity.value,
        "migration": one.migration,
        "assurance": {
            "signature": one.assurance.signature.value,
            "landed": one.assurance.landed.value,
        },
        "ruling": revision.ruling if revision and (one.signed or words) else None,
        "aliases": list(_aliases(one, words)),
        "valid_from": revision.valid_from if revision else None,
        "valid_to": revision.valid_to if revision else None,
        "revisions": len(one.revisions),
        "superseded_by": list(one.superseded_by),
        "proposals": list(one.proposals),
        "contested": one.contested,
        "expired": one.expired,
        "committed": one.committed,
        "second": one.second,
    }
    if words:
        form["title"] = revision.title if revision else None
        form["owner"] = one.owner
        form["labels"] = list(revision.labels) if revision else []
        form["scope"] = list(revision.paths) if revision else []
    inert_form: dict[str, Any] = output.inert_words(form)
    return inert_form


def _aliases(one: Decision, words: bool) -> tuple[str, ...]:
    """The other names of a decision: its author chose them, so they are words like others."""
    return one.aliases if one.signed or words else ()


def _listing_object(found: Listing, words: bool, rejections: bool) -> dict[str, Any]:
    form: dict[str, Any] = {
        "decisions": [decision_object(one, words) for one in found.decisions],
        "pinned": found.pinned,
        "commit": found.commit,
        "problems": [code for code, _ in found.problems],
    }
    if rejections:
        form["rejections"] = [
            {
                "id": one.id,
                "at": one.at,
                "kind": one.kind.value if one.kind else None,
                "source": one.source,
                **(output.inert_words({"value": one.value, "reason": one.reason}) if words else {}),
            }
            for one in found.rejections
        ]
    return form


def _listing_lines(found: Listing, words: bool, rejections: bool) -> list[str]:
    lines = []
    for one in found.decisions:
        lines += _decision_lines(one, words)
    if not lines:
        lines.append("No decision is to be seen here. To propose one: citator decide")
    if rejections:
        for stone in found.rejections:
            lines.append(f"told no on {stone.at[:10]}  rejection {stone.id[:12]}")
            if words:
                lines += [f"{QUOTE}{inert_line(stone.value)}", f"{QUOTE}{inert_line(stone.reason)}"]
    lines += [f"!!  {sentence}" for _, sentence in found.problems]
    if not found.pinned and found.decisions:
        lines.append(
            "Nobody pinned the root of this record here, so nothing of it counts as signed."
        )
    return lines


def _decision_lines(one: Decision, words: bool) -> list[str]:
    facts = [one.status.value, one.kind.value]
    if one.revision is not None:
        signature, landed = one.assurance.signature.value, one.assurance.landed.value
        facts.append("not signed" if signature == "none" else f"signed: {signature}")
        where = f"landed: {landed.replace('_', ' ')}"
        facts.append(where if one.committed else "not committed")
    if one.superseded_by:
        facts.append(f"by {', '.join(one.superseded_by)}")
    facts += [
        name for name, holds in (("contested", one.contested), ("expired", one.expired)) if holds
    ]
    facts += ["second ledger"] if one.second else []
    name = f"{one.id}  {', '.join(_aliases(one, words))}".rstrip()
    lines = [f"{name}  {', '.join(facts)}"]
    if one.revision is not None and words:
        lines.append(f"{QUOTE}{inert_line(one.revision.title)}")
    if one.revision is not None and (words or one.signed):
        lines.append(f"{QUOTE}{inert_line(one.revision.ruling)}")
    return lines


@command.command("show", epilog=example("citator decisions show 01JD4Q"))
@click.argument("item")
@time_options
@house_options
def show(
    item: str, at: str | None, as_of: str | None, everything: bool | None, root: Path, as_json: bool
) -> int:
    """Print a decision: its text, its facts, what it is linked with.

    A retired one says what took its place, and not its text.
    """
    from citator.cli.decide import now
    from citator.cli.reviewing import fitting
    from citator.model.fence import fenced
    from citator.service.decisions import Wanted, decision

    workspace = opened_here(root)
    audience = _audience(workspace, everything, as_json)
    found = decision(workspace, audience, item, Wanted(at=at, as_of=_moment(as_of)), now().text)
    whole = inert(_whole(found)) if found.revision is not None else None
    text = None if whole is None else fenced(whole, workspace.secret)
    if as_json:
        output.write_json({**_shown_object(found), "text": text})
        return ExitCode.OK
    lines = fitting(_decision_lines(found, False) + _shown_lines(found), surroundings.screen())
    output.write_lines([*lines, *(text.split("\n") if text is not None else [])])
    return ExitCode.OK


def _whole(one: Decision) -> str:
    """The words of a decision, as one text."""
    revision = one.revision
    assert revision is not None
    head = [f"# {revision.title}", "", revision.ruling, ""]
    head += [f"owner: {one.owner}", f"author: {revision.author}"]
    head += [f"scope: {', '.join(revision.paths)}"] if revision.paths else []
    head += [f"labels: {', '.join(revision.labels)}"] if revision.labels else []
    refused = asdict(revision.refuse) if revision.refuse else {}
    head += [f"refuses {kind}: {', '.join(some)}" for kind, some in refused.items() if some]
    head += [f"evidence: {source}: {said}" for source, said in one.evidence]
    head += [f"specification: {uri}" for uri in one.specifications]
    head += [f"{link.type.value} {link.target}: {link.note}" for link in one.relations if link.note]
    return "\n".join([*head, "", revision.body])


def _shown_lines(one: Decision) -> list[str]:
    lines = [f"    sensitivity: {one.sensitivity.value}"]
    if one.revision is not None:
        ends = f" to {one.revision.valid_to}" if one.revision.valid_to else ""
        lines.append(f"    valid: from {one.revision.valid_from}{ends}")
    lines += [f"    text {each.id} of {each.created_at}" for each in one.revisions]
    lines += [f"    {link.type.value} {link.target}" for link in one.relations]
    lines += [f"    {link.source} {link.type.value} this" for link in one.inverse]
    lines += [f"    proposal {each}" for each in one.proposals]
    return lines


def _shown_object(one: Decision) -> dict[str, Any]:
    return {
        **decision_object(one, True),
        "texts": [
            {"id": each.id, "digest": each.digest, "created_at": each.created_at}
            for each in one.revisions
        ],
        "relations": [{"type": link.type.value, "target": link.target} for link in one.relations],
        "inverse": [{"type": link.type.value, "source": link.source} for link in one.inverse],
    }


@command.command("diff", epilog=example("citator decisions diff 01JD4Q"))
@click.argument("item")
@click.option("--from", "old", metavar="TEXT", help="A text's id (default: the one before).")
@click.option("--to", "new", metavar="TEXT", help="A text's id (default: the present one).")
@time_options
@house_options
def diff(
    item: str,
    old: str | None,
    new: str | None,
    at: str | None,
    as_of: str | None,
    everything: bool | None,
    root: Path,
    as_json: bool,
) -> int:
    """Print what changed between two texts of a decision."""
    from citator.cli.decide import now
    from citator.model.fence import fenced
    from citator.service.decisions import Wanted, between, decision

    workspace = opened_here(root)
    audience = _audience(workspace, everything, as_json)
    found = decision(workspace, audience, item, Wanted(at=at, as_of=_moment(as_of)), now().text)
    first, second, lines = between(found, old, new)
    text = fenced(inert("\n".join(lines)), workspace.secret)
    if as_json:
        output.write_json({"id": found.id, "from": first, "to": second, "text": text})
    else:
        output.write_lines([f"From {first} to {second}:", *text.split("\n")])
    return ExitCode.OK


@command.command("deprecate", epilog=example("citator decisions deprecate 01JD4Q --because done"))
@click.argument("item")
@change_options
def deprecate(item: str, because: str, author: str | None, root: Path, as_json: bool) -> int:
    """Propose to retire a decision."""
    from citator.service import changing

    return _change(changing.deprecate, root, as_json, because, author, item)


@command.command("restore", epilog=example("citator decisions restore 01JD4Q --because again"))
@click.argument("item")
@change_options
def restore(item: str, because: str, author: str | None, root: Path, as_json: bool) -> int:
    """Propose that a deprecated decision holds again."""
    from citator.service import changing

    return _change(changing.restore, root, as_json, because, author, item)


@command.command("relate", epilog=example("citator decisions relate 01JD4Q depends_on 01JD5R"))
@click.argument("item")
@click.argument("type", type=click.Choice([one.value for one in RelationType]), metavar="TYPE")
@click.argument("target")
@click.option("--remove", is_flag=True, help="End the relation instead.")
@change_options
def relate(
    item: str,
    type: str,
    target: str,
    remove: bool,
    because: str,
    author: str | None,
    root: Path,
    as_json: bool,
) -> int:
    """Propose a relation between two decisions."""
    from citator.cli.decide import now, said
    from citator.service import changing

    workspace = opened_here(root)
    why = _because(workspace, because, author)
    kind = RelationType(type)
    done = changing.relate(workspace, item, kind, target, why, now(), remove=remove)
    return said(done, as_json)


@command.command(
    "classify", epilog=example("citator decisions classify 01JD4Q --owner data --because moved")
)
@click.argument("item")
@click.option(
    "--sensitivity",
    type=click.Choice([one.value for one in Sensitivity]),
    metavar="LEVEL",
    help="Who may see it.",
)
@click.option("--owner", metavar="NAME", help="Who answers for it.")
@click.option("--alias", multiple=True, metavar="NAME", help="Give it a second name.")
@click.option("--remove-alias", multiple=True, metavar="NAME", help="Take one away.")
@change_options
def classify(
    item: str,
    sensitivity: str | None,
    owner: str | None,
    alias: tuple[str, ...],
    remove_alias: tuple[str, ...],
    because: str,
    author: str | None,
    root: Path,
    as_json: bool,
) -> int:
    """Propose another sensitivity, owner or alias."""
    from citator.cli.decide import now, said
    from citator.service import changing

    workspace = opened_here(root)
    why = _because(workspace, because, author)
    level = Sensitivity(sensitivity) if sensitivity else None
    facts = changing.Facts(level, owner, alias, remove_alias)
    return said(changing.classify(workspace, item, facts, why, now()), as_json)


@command.command("lift", epilog=example("citator decisions lift 5f3a91c20b7d --because bigger"))
@click.argument("rejection")
@change_options
def lift(rejection: str, because: str, author: str | None, root: Path, as_json: bool) -> int:
    """Propose that a rejection which a decision states holds no more."""
    from citator.service import changing

    return _change(changing.lift, root, as_json, because, author, rejection)


def _change(
    change: Callable[..., Any],
    root: Path,
    as_json: bool,
    because: str,
    author: str | None,
    name: str,
) -> int:
    from citator.cli.decide import now, said

    workspace = opened_here(root)
    return said(change(workspace, name, _because(workspace, because, author), now()), as_json)


def _because(workspace: Workspace, reason: str, author: str | None) -> Because:
    from citator.service.changing import Because
    from citator.service.proposing import author_of

    return Because(author_of(workspace, author), reason.strip())
