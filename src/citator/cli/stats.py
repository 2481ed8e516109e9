"""``citator stats``: how the product does in this repository, on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from citator.cli import output
from citator.cli.decide import now
from citator.cli.opening import opened_here
from citator.cli.tree import example, house_options
from citator.model.errors import ExitCode

if TYPE_CHECKING:
    from citator.service.stats import Predictions, Stats


_HEADS: Final = ("p50 ms", "p95 ms", "p99 ms", "tokens")


@click.command(
    "stats",
    short_help="Say how the product does here: calls, predictions, noise.",
    epilog=example("citator stats", "citator stats --since 7 --json"),
)
@click.option(
    "--since", "days", type=int, default=30, show_default=True, metavar="DAYS", help="How far back."
)
@house_options
def command(days: int, root: Path, as_json: bool) -> int:
    """Say how the product does here; nothing of it leaves this machine."""
    from citator.service.stats import stats

    found = stats(opened_here(root), now(), days)
    if as_json:
        output.write_json(output.plain(found))
    else:
        output.write_lines(list(_lines(found)))
    return ExitCode.OK


def _lines(found: Stats) -> Iterator[str]:
    yield f"The last {found.days} days, on this machine."
    yield ""
    if found.tools:
        yield f"{'tool':<18}{'calls':>7}{'errors':>8}" + "".join(f"{one:>9}" for one in _HEADS)
        for one in found.tools:
            yield (
                f"{one.tool:<18}{one.calls:>7}{one.errors:>8}"
                f"{one.p50:>9.0f}{one.p95:>9.0f}{one.p99:>9.0f}{one.tokens:>9}"
            )
        yield "Tokens are bytes / 4, of all answers. A time is of the call alone."
    else:
        yield "No tool was called."
    yield ""
    yield from _predicted(found.predictions)
    yield from _index(found)
    if found.noisy:
        yield ""
        yield "Notes that are noise (`citator note show ID` says why):"
        for note in found.noisy:
            yield (
                f"  {note.id}  shown {note.shown}, helped {note.helped}, reverted {note.reverted}"
            )


def _predicted(found: Predictions) -> Iterator[str]:
    yield (
        f"Tickets: {found.completed} completed, {found.reverted} reverted,"
        f" {found.abandoned} abandoned."
    )
    if found.judged:
        yield (
            f"Predictions of {found.judged}: recall {_share(found.recall)}, precision"
            f" {_share(found.precision)}, F1 {_share(found.f1)}, first file right"
            f" {_share(found.first)}."
        )


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"


def _index(found: Stats) -> Iterator[str]:
    how = found.health
    if how.indexed is None:
        yield "Index: none that can be told of (`citator index` builds one)."
    elif how.behind == 0:
        yield "Index: up to date."
    else:
        behind = "an unknown number of" if how.behind is None else how.behind
        yield f"Index: {behind} commits behind HEAD."
    damaged = f", {how.damaged_notes} damaged" if how.damaged_notes else ""
    yield f"Notes: {how.notes}{damaged}. Sessions: {how.sessions}. Live claims: {how.claims}."
