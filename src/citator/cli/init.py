"""``citator init``: register a repository, index it, and show what its history holds.

It ends with up to three findings of *this* history, each cited. It writes into the data
directory alone.
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
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.cli.surroundings import Screen
    from citator.service.describe import Description
    from citator.service.initialise import InitReport


@click.command("init", epilog=example("citator init"))
@words_option
@house_options
def command(words: bool | None, root: Path, as_json: bool) -> int:
    """Index this repository and show three findings of its history.

    Writes nothing into the repository.
    """
    from citator.cli.ask import wants_words
    from citator.cli.hooks import prepare_where_installed
    from citator.service.describe import describe
    from citator.service.initialise import initialise

    screen = surroundings.screen()
    workspace = opened_here(root)
    tell_what_is_remade(workspace)
    with watched("Reading the history") as progress:
        report = initialise(workspace, progress)
    prepare_where_installed(workspace)
    shown: list[Description] = []
    if wants_words(words, screen, as_json) and report.findings:
        shown = describe(workspace, [finding.evidence for finding in report.findings])
    if as_json:
        output.write_json(as_object(report, shown))
    else:
        output.write_lines(as_lines(report, shown, root, screen))
    return ExitCode.OK


def as_object(report: InitReport, shown: list[Description]) -> dict[str, Any]:
    """The report as documented in ``docs/reference/json.md``."""
    from citator.cli.forms import evidence_object, horizon_object

    descriptions: Sequence[Description | None] = shown or [None] * len(report.findings)
    return {
        "repository_id": report.repository_id,
        "head": report.head.commit,
        "commits": report.commits,
        "explained": report.explained,
        "documents": report.documents,
        "passages": report.passages,
        "few_reasons": report.few_reasons,
        "findings": [
            {
                "kind": finding.kind.value,
                "count": finding.count,
                "evidence": evidence_object(finding.evidence, description),
            }
            for finding, description in zip(report.findings, descriptions, strict=True)
        ],
        "horizon": horizon_object(report.horizon),
    }


def as_lines(report: InitReport, shown: list[Description], root: Path, screen: Screen) -> list[str]:
    """The report for people."""
    from citator.cli import render
    from citator.cli.words import FINDINGS, counted, coverage

    held = f"{counted(report.documents, 'document')}, {counted(report.passages, 'passage')}"
    lines = [f"Indexed: {held}.", *coverage(report.commits, report.explained)]
    if report.few_reasons:
        lines.append("This history says what changed, but seldom why. Answers will be few.")
    if report.findings:
        lines += ["", "Found in this history:", *([render.QUOTED] if shown else []), ""]
    for number, finding in enumerate(report.findings, 1):
        cited = f" ({counted(finding.count, 'later commit')})" if finding.count else ""
        words = [] if not shown else [shown[number - 1].subject, shown[number - 1].author]
        lines.append(f"{FINDINGS[finding.kind.value]}{cited}:")
        lines += [*render.evidence_lines(finding.evidence, number, root, screen, words), ""]
    lines += render.horizon_lines(report.horizon)
    asking = command_line("citator", "ask", *root_words(root)) or "citator ask"
    return [*lines, f'Now ask: {asking} "why ..."']
