"""A progress bar for somebody who watches; silence for everybody else.

The bar appears only when the work outlasts a moment, so a one-commit update stays silent and
costs no import. It is drawn on standard error and leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from citator.cli import surroundings

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 0.5

Report = Callable[[int, int | None], None]


class Bar:
    """Called with (done, total or None); draws itself once ``PATIENCE`` seconds have passed."""

    def __init__(self, label: str, clock: Callable[[], float] = monotonic) -> None:
        self._label = label
        self._clock = clock
        self._started = clock()
        self._drawn: tuple[Progress, TaskID] | None = None

    def __call__(self, done: int, total: int | None) -> None:
        """Show that ``done`` of ``total`` items are read."""
        if self._drawn is None:
            if self._clock() - self._started < PATIENCE:
                return
            self._drawn = _draw(self._label)
        progress, task = self._drawn
        progress.update(task, completed=done, total=total)

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._drawn is not None:
            self._drawn[0].stop()
            self._drawn = None


@contextmanager
def watched(label: str) -> Iterator[Report | None]:
    """A reporter while somebody watches, None while nobody does."""
    if not surroundings.shows_progress():
        yield None
        return
    bar = Bar(label)
    try:
        yield bar
    finally:
        bar.close()


def _draw(label: str) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    progress.start()
    return progress, progress.add_task(label, total=None)
