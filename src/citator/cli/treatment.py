"""``citator treatment``: how later history treated a commit or a decision, the latest first.

Ids, dates and closed words go to everybody; subjects of commits only to a person at a terminal, or
to whoever asks with ``--words``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, render, surroundings
from citator.cli.ask import wants_words
from citator.cli.opening import opened_here
from citator.cli.render import short
from citator.cli.tree import example, house_options, words_option
from citator.model.errors import ExitCode, UsageError
from citator.model.treatment import (
    TOO_MANY_FILES,
    Attested,
    Drift,
    DriftState,
    Edge,
    Rule,
    StandingReason,
    SymbolDrift,
    Treatment,
)

if TYPE_CHECKING:
    from citator.cli.surroundings import Screen
    from citator.service.treatment_history import History, Treated

VERBS: dict[Treatment, str] = {
    Treatment.CITES: "cites",
    Treatment.FOLLOWS: "follows",
    Treatment.LIMITS: "takes back a part of",
    Treatment.QUESTIONS: "questions",
    Treatment.SUPERSEDES: "supersedes",
    Treatment.REVERTS: "reverts",
    Treatment.REINSTATES: "reinstates",
    Treatment.REJECTS: "rejects",
    Treatment.IMPLEMENTS: "implements",
    Treatment.FIXES: "fixes",
    Treatment.ORPHANED: "leaves without an object",
}
RULES: dict[Rule, str] = {
    Rule.REVERT_SENTENCE: "says that it reverts it",
    Rule.REVERT_TITLE: "quotes its title",
    Rule.REVERT_CHANGE: "names its change",
    Rule.REVERT_TYPE: "is of type revert",
    Rule.REVERT_MERGE: "reverts the merge that brought it",
    Rule.REVERT_OF_REVERT: "reverts its revert",
    Rule.REAPPLY: "applies it again",
    Rule.TRAILER: "a trailer says so",
    Rule.MENTION: "speaks of it",
    Rule.PICKED: "was picked from it",
    Rule.RELATION: "a relation of the record",
    Rule.ADR_LINK: "it says so",
    Rule.PREMISE: "changed what it rests on",
    Rule.SCOPE_GONE: "took away what it governs",
}
STRENGTHS: dict[Attested, str] = {
    Attested.FULL_SHA: "by its whole id",
    Attested.SHORT_SHA: "by the start of its id",
    Attested.PULL_REQUEST: "by number",
    Attested.QUOTED_TITLE: "by title",
    Attested.STRUCTURE: "by structure",
    Attested.BODY_MENTION: "a mention: decides nothing",
}


@click.command(
    "treatment",
    short_help="Show how later history treated a commit or a decision.",
    epilog=example("citator treatment 1a2b3c4", "citator treatment '#512' --svg treatment.svg"),
)
@click.argument("name", metavar="REF")
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a picture of it.",
)
@words_option
@house_options
def command(name: str, svg: Path | None, words: bool | None, root: Path, as_json: bool) -> int:
    """Show what followed, limited, reverted or reinstated it, the latest first, and how it stands.

    REF is a reference, a commit, the number of a change (#12), the id of a decision or the path of
    a page.
    """
    from citator.service.treatment_history import history_of

    screen = surroundings.screen()
    workspace = opened_here(root)
    found = history_of(workspace, name, surroundings.now())
    if svg is not None:
        _write(svg, _picture(found))
    subjects: dict[str, str] = {}
    if wants_words(words, screen, as_json):
        from citator.service.describe import subjects_of

        named = [found.subject, *(one.edge.by for one in found.treated)]
        subjects = subjects_of(workspace, named)
    if as_json:
        output.write_json(as_object(found, subjects))
    else:
        output.write_lines(as_lines(found, subjects, screen))
    return ExitCode.OK


def _write(target: Path, text: str) -> None:
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            "cannot_write",
            "the picture cannot be written there",
            "name a file in a folder that you may write to",
        ) from error


def _picture(found: History) -> str:
    from citator.formats.treatment_svg import Mark, picture

    marks = [
        Mark(
            one.edge.treatment.value,
            one.edge.by,
            one.edge.date,
            one.edge.rule.value,
            one.counts,
            one.depth,
        )
        for one in found.treated
        if one.edge.treatment is not Treatment.CITES
    ]
    verdict = found.verdict
    return picture(found.subject, verdict.standing.value, verdict.reason.value, marks)


def as_object(found: History, subjects: dict[str, str]) -> dict[str, Any]:
    """The history as documented in ``docs/reference/json.md``."""
    from citator.cli.forms import horizon_object

    form: dict[str, Any] = {
        "kind": found.kind.value,
        "subject": found.subject,
        "standing": found.verdict.standing.value,
        "standing_reason": found.verdict.reason.value,
        "standing_by": found.verdict.by,
        "treated": [
            {**output.plain(one.edge), "counts": one.counts, "depth": one.depth}
            for one in found.treated
        ],
        "treats": [output.plain(one) for one in found.treats],
        "claim_state": found.claim_state.value,
        "drift": [output.plain(one) for one in found.drift],
        "symbols": [output.plain(one) for one in found.symbols],
        "left_out": found.left_out,
        "horizon": horizon_object(found.horizon),
    }
    if subjects:
        form["words"] = subjects
    return form


def as_lines(found: History, subjects: dict[str, str], screen: Screen) -> list[str]:
    """The history for people."""
    from citator.cli.words import counted

    lines = [render.QUOTED, ""] if subjects else []
    verdict = found.verdict
    head = f"{found.kind.value} {short(found.subject)}"
    lines.append(f"{render.bold(head, screen)}  {standing_phrase(verdict.standing.value)}")
    reason = verdict.reason.value.replace("_", " ")
    by = f" by {short(verdict.by)}" if verdict.by else ""
    lines[-1] += f" ({reason}{by})" if verdict.reason is not StandingReason.UNTREATED else ""
    lines += _quoted(found.subject, subjects, screen, 0)
    for one in found.treated:
        lines += ["", _line(one), *_quoted(one.edge.by, subjects, screen, one.depth)]
    if not found.treated:
        lines.append("Nothing that HEAD has treats it.")
    if found.left_out:
        lines.append(f"{counted(found.left_out, 'more treatment')} left out.")
    if found.treats:
        lines += ["", "It says of others:"]
        lines += [f"  {_treats(one)}" for one in found.treats]
    if found.drift:
        lines += ["", "What it touched, since:"]
        lines += _files(found.drift)
    if found.symbols:
        lines += ["", "What it names, since:"]
        lines += [f"  {_since(one)}" for one in found.symbols]
    return [*lines, "", *render.horizon_lines(found.horizon)]


def _files(drift: Sequence[Drift]) -> list[str]:
    """A line a file; one for all of those at which nobody looked."""
    from citator.cli.words import counted

    seen = [one for one in drift if one.why != TOO_MANY_FILES]
    lines = [f"  {_drifted(one)}" for one in seen]
    if len(seen) < len(drift):
        files = counted(len(drift) - len(seen), "more file")
        lines.append(f"  {files}: {DriftState.NOT_OBSERVED.value.replace('_', ' ')} (too many)")
    return lines


def _since(one: SymbolDrift) -> str:
    what = "dependency " if one.is_dependency else ""
    where = "" if one.path is None else f" ({one.path})"
    return f"{what}{one.name}{where}: {_state(one)}"


def _drifted(one: Drift) -> str:
    return f"{one.path}: {_state(one)}"


def _state(one: Drift | SymbolDrift) -> str:
    by = "" if one.by is None else f" by {short(one.by)}"
    now = "" if one.now is None else f", now {one.now}"
    why = "" if one.why is None else f" ({one.why.replace('_', ' ')})"
    return f"{one.state.value.replace('_', ' ')}{by}{now}{why}"


def standing_phrase(standing: str) -> str:
    """A standing in words."""
    return standing.replace("_", " ")


def _line(one: Treated) -> str:
    edge = one.edge
    what = VERBS[edge.treatment]
    told = [RULES[edge.rule], STRENGTHS[edge.strength]]
    if edge.confirmed is not None:
        told.append("its lines agree" if edge.confirmed else "its lines do not show it")
    if not one.counts:
        told.append("no longer counts")
    indent = "  " * (one.depth + 1)
    date = edge.date or "no date"
    object_ = "it" if one.depth == 0 else short(edge.of or edge.claimed)
    return f"{indent}{date}  {short(edge.by)} {what} {object_}: {', '.join(told)}"


def _treats(edge: Edge) -> str:
    if edge.of is None:
        found = " (not found)" if edge.claimed else ""
        return f"{VERBS[edge.treatment]} {edge.claimed or 'what it weighed'}{found}"
    return f"{VERBS[edge.treatment]} {short(edge.of)}: {STRENGTHS[edge.strength]}"


def _quoted(name: str, subjects: dict[str, str], screen: Screen, depth: int) -> list[str]:
    subject = subjects.get(name)
    return ["  " * depth + render.quoted(subject, screen)] if subject else []
