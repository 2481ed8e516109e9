"""``citator ask``: a question in, cited evidence out.

- It works at once: an index that is missing or behind HEAD is brought up to date first, in the
  data directory; nothing is written into the repository.
- The moving on of the repository is never an error: where another process holds the index, the
  answer comes from what is there, and its horizon says so.
- References and plain facts go to everybody; subjects and author names only to a person at a
  terminal, or to whoever asks with ``--words``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.opening import opened_here, tell_what_is_remade
from citator.cli.paste import command_line, root_words
from citator.cli.progress import watched
from citator.cli.tree import example, house_options, words_option
from citator.model.errors import ExitCode, LockedError

if TYPE_CHECKING:
    from citator.cli.surroundings import Screen
    from citator.model.domain import Applied
    from citator.model.evidence import Answer
    from citator.service.describe import Description
    from citator.service.investigate import Investigation
    from citator.service.workspace import Workspace


@click.command(
    "ask",
    short_help="Ask why; get references that say so.",
    epilog=example('citator ask "why was the cache removed" --read 1'),
)
@click.argument("question", nargs=-1, required=True)
@click.option(
    "--read",
    "read",
    type=click.IntRange(0, 3),
    default=0,
    metavar="N",
    help="Also print the text of the first N results.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 50),
    default=8,
    show_default=True,
    metavar="N",
    help="How many results.",
)
@click.option("--cursor", metavar="C", help="Continue an earlier answer.")
@words_option
@house_options
def command(
    question: tuple[str, ...],
    read: int,
    limit: int | None,
    cursor: str | None,
    words: bool | None,
    root: Path,
    as_json: bool,
) -> int:
    """Ask why; get references to the commits and documents that say so.

    Indexes the history first where needed. Exit code 3: nothing to stand on was found.
    """
    from citator.service.conflicts import in_the_way
    from citator.service.describe import describe
    from citator.service.investigate import Question, investigate

    asked = " ".join(question)
    screen = surroundings.screen()
    workspace = opened_here(root)
    bring_up_to_date(workspace)
    found = investigate(
        workspace, Question(asked, limit=limit, read=read, cursor=cursor, now=surroundings.now())
    )
    files = [one.path for one in found.predicted.files]
    near = in_the_way(workspace, files, surroundings.now()) if cursor is None else ()
    shown: list[Description] = []
    if wants_words(words, screen, as_json) and found.answer.evidence:
        shown = describe(workspace, found.answer.evidence)
    if as_json:
        form = as_object(found, shown, workspace.secret)
        output.write_json({**form, "claims": [output.plain(one.notice) for one in near]})
    else:
        from citator.cli.claims import conflict_lines

        quotes = wants_words(words, screen, as_json)
        output.write_lines(
            [
                *conflict_lines(near, quotes, screen),
                *as_lines(found, shown, workspace, root, screen),
            ]
        )
        _offer_more(found.answer, asked, root)
    return ExitCode.NOT_FOUND if found.answer.abstained else ExitCode.OK


def bring_up_to_date(workspace: Workspace) -> None:
    """Index what HEAD has and the index has not, unless another process is doing it."""
    from citator.service.index_history import update

    try:
        tell_what_is_remade(workspace)
        with watched("Reading the history") as report:
            update(workspace, progress=report)
    except LockedError:
        if workspace.index.generations():
            return
        raise


def wants_words(asked: bool | None, screen: Screen, as_json: bool) -> bool:
    """Words of the repository are for a person at a terminal, and for whoever asks."""
    return (screen.person and not as_json) if asked is None else asked


def as_object(found: Investigation, shown: list[Description], secret: bytes) -> dict[str, Any]:
    """The answer as documented in ``docs/reference/json.md``."""
    from citator.cli.forms import evidence_object, horizon_object, read_object, record_object

    answer = found.answer
    descriptions: Sequence[Description | None] = shown or [None] * len(answer.evidence)
    return {
        "status": answer.status.value,
        "abstained": None if answer.abstained is None else answer.abstained.value,
        "unknown_words": list(answer.unknown_words),
        **record_object(found.record),
        "evidence": [
            evidence_object(item, description)
            for item, description in zip(answer.evidence, descriptions, strict=True)
        ],
        "files": [output.plain(one) for one in found.predicted.files],
        "texts": [read_object(item, secret) for item in found.texts],
        "left_out": answer.left_out,
        "cursor": answer.cursor,
        "horizon": horizon_object(answer.horizon),
        "policy": None if found.policy is None else policy_object(found.policy),
    }


def policy_object(policy: Applied) -> dict[str, Any]:
    """What a task is about by which rule, the sources that apply to it, and what is missing."""
    task = policy.task
    return {
        "domain": task.domain.value,
        "intent": task.intent.value,
        "rule": task.rule,
        "matched": list(task.matched),
        "sources": list(policy.sources),
        "gaps": [output.plain(one) for one in policy.gaps],
    }


def policy_lines(policy: Applied | None, *, abstained: bool) -> list[str]:
    """What is missing of the policy, and where nothing was found, that it was unclear, or which
    sources elsewhere apply: those of this repository were searched."""
    from citator.service.policy_wording import gap_sentence

    if policy is None:
        return []
    lines = [f"Policy: {gap_sentence(one)}." for one in policy.gaps]
    if abstained and policy.task.unclear:
        lines.append("Policy: no word of it says what it is about; it was answered as general.")
    if abstained and policy.elsewhere:
        lines.append(f"Sources for {policy.task.domain}: {', '.join(policy.elsewhere)}.")
    return lines


def as_lines(
    found: Investigation,
    shown: list[Description],
    workspace: Workspace,
    root: Path,
    screen: Screen,
) -> list[str]:
    """The answer for people."""
    from citator.cli import render
    from citator.cli.words import ABSTENTIONS, counted

    answer = found.answer
    lines = render.record_lines(found.record, root, screen)
    if answer.abstained is not None:
        lines.append(f"No evidence: {ABSTENTIONS[answer.abstained]}.")
        if answer.unknown_words:
            lines.append(f"Never mentioned here: {', '.join(answer.unknown_words)}.")
    lines += policy_lines(found.policy, abstained=answer.abstained is not None)
    if shown and answer.abstained is None:
        lines += [render.QUOTED, ""]
    for number, evidence in enumerate(answer.evidence, 1):
        words = [] if not shown else [shown[number - 1].subject, shown[number - 1].author]
        lines += [*render.evidence_lines(evidence, number, root, screen, words), ""]
    for item in found.texts:
        lines += render.read_lines(item, workspace.secret)
    lines += render.file_lines(found.predicted.files)
    if answer.left_out:
        lines.append(f"{counted(answer.left_out, 'more result')} left out.")
    return lines + render.horizon_lines(answer.horizon)


def _offer_more(answer: Answer, asked: str, root: Path) -> None:
    """The line that continues the answer, where it can be written safely."""
    if answer.cursor is None:
        return
    line = command_line("citator", "ask", asked, "--cursor", answer.cursor, *root_words(root))
    offer = line or f"the same question with --cursor {answer.cursor}"
    output.write_lines([f"Continue: {offer}"])
