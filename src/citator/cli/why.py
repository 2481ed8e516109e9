"""``citator why``: some code in, its docket out.

- What is asked may be lines, a file, a symbol, a commit, a decision, a quoted text or a question;
  its shape says where to look first.
- Ids, dates, numbers and plain names go to everybody; subjects of commits only to a person at a
  terminal, or to whoever asks with ``--words``.
- Bounded in time: what was cut off is said, and ``--more`` goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citator.cli import output, surroundings
from citator.cli.ask import bring_up_to_date, wants_words
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options, words_option
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.cli.surroundings import Screen
    from citator.model.docket import Docket
    from citator.model.document import Person
    from citator.service.workspace import Workspace


@click.command(
    "why",
    short_help="Show all that bears on some lines.",
    epilog=example(
        "citator why src/cache.py:40-60",
        "citator why src/cache.py::evict",
        'citator why --removed "cache outlived its lease"',
    ),
)
@click.argument("target", nargs=-1, required=True)
@click.option("--removed", is_flag=True, help="What used to be there, and what took it away.")
@click.option("--more", is_flag=True, help="Take longer, from where an answer was cut off.")
@click.option(
    "--limit",
    type=click.IntRange(1, 50),
    default=12,
    show_default=True,
    metavar="N",
    help="How many commits.",
)
@words_option
@house_options
def command(
    target: tuple[str, ...],
    removed: bool,
    more: bool,
    limit: int,
    words: bool | None,
    root: Path,
    as_json: bool,
) -> int:
    """Show all that bears on some code: the commits that gave it its behaviour, and what is known
    of them.

    TARGET is PATH, PATH:LINE, PATH:LINE-LINE, PATH::symbol, a symbol, a commit, a decision, a
    "quoted text", or a question. Exit code 3: nothing to stand on was found.
    """
    from citator.service.cochange import IN_A_COMMAND
    from citator.service.why import Asked, why

    screen = surroundings.screen()
    workspace = opened_here(root)
    bring_up_to_date(workspace)
    asked = Asked(" ".join(target), removed, more, limit, IN_A_COMMAND)
    docket = why(workspace, asked, time.monotonic)
    subjects = _subjects(workspace, docket) if wants_words(words, screen, as_json) else {}
    if as_json:
        output.write_json(as_object(docket, subjects))
    else:
        names = screen.person if words is None else words
        people = _people(workspace, docket) if names else {}
        output.write_lines(as_lines(docket, subjects, root, screen, people))
    return ExitCode.NOT_FOUND if docket.empty else ExitCode.OK


def _subjects(workspace: Workspace, docket: Docket) -> dict[str, Sequence[str]]:
    """Subjects and authors by reference, for those documents that the docket cites."""
    from citator.service.describe import descriptions_of

    refs = [one.ref for one in docket.commits if one.ref]
    refs += [one.ref for one in (*docket.reviews, *docket.evidence)]
    found = descriptions_of(workspace, refs) if refs else {}
    return {ref: (one.subject, one.author) for ref, one in found.items()}


def _people(workspace: Workspace, docket: Docket) -> dict[int, Person]:
    """Who the authors are whose work a path is, by number."""
    if docket.ownership is None:
        return {}
    from citator.service.ownership import owners_of

    return owners_of(workspace, [docket.ownership.path], 0).people


def as_object(docket: Docket, subjects: dict[str, Sequence[str]]) -> dict[str, Any]:
    """The docket as documented in ``docs/reference/json.md``."""
    from citator.cli.forms import horizon_object, record_object

    form: dict[str, Any] = dict(output.plain(docket))
    del form["record"], form["horizon"]
    for one in (*form["commits"], *form["reviews"], *form["evidence"]):
        if one["ref"] in subjects:
            subject, author = subjects[one["ref"]]
            one["words"] = {"subject": subject, "author": author}
    return {
        "docket": {**form, **record_object(docket.record)},
        "horizon": horizon_object(docket.horizon),
    }


def as_lines(
    docket: Docket,
    subjects: dict[str, Sequence[str]],
    root: Path,
    screen: Screen,
    people: dict[int, Person] | None = None,
) -> list[str]:
    """The docket for people."""
    from citator.cli.docket_lines import lines_of

    return lines_of(docket, subjects, root, screen, people)
