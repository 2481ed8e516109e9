"""``citator index watch``: one line an update, until somebody ends it.

The work is done beside the main thread, which waits for signals: an interrupt ends what git does
for an update and leaves the index as it was. A second one does not wait for that.
"""

from __future__ import annotations

import contextvars
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citator.cli import output, surroundings
from citator.cli.words import counted, size
from citator.model.stop import Stop, Stopped, stoppable

if TYPE_CHECKING:
    from citator.index.protocol import GenerationInfo
    from citator.service.watch import Round

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
GRAIN = 0.1


def watch_here(root: Path, as_json: bool) -> None:
    """Watch the repository at ``root`` until a signal. Raises as :func:`service.watch.watch`."""
    from citator.service.watch import Watching, watch

    if hasattr(os, "nice"):
        os.nice(10)
    ending, stop = threading.Event(), Stop()
    told = _as_json if as_json else _Lines()
    watching = Watching(root, surroundings.places(), ending.wait, time.monotonic, told)

    def work() -> None:
        with stoppable(stop):
            watch(watching)

    _beside(work, ending, stop)


def _beside(work: Callable[[], None], ending: threading.Event, stop: Stop) -> None:
    """Do ``work`` in a thread until it ends or a signal asks it to. Raises what it raises."""
    failed: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except Stopped:
            return
        except BaseException as error:
            failed.append(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(guarded,), name="watch", daemon=True)
    with _signals(ending):
        thread.start()
        while thread.is_alive():
            thread.join(GRAIN)
            if ending.is_set():
                stop.request()
    if failed:
        raise failed[0]


@contextmanager
def _signals(ending: threading.Event) -> Iterator[None]:
    def leave(number: int, frame: object) -> None:
        if ending.is_set():
            raise KeyboardInterrupt
        ending.set()

    wanted = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    former = {one: signal.signal(one, leave) for one in wanted}
    try:
        yield
    finally:
        for one, handler in former.items():
            signal.signal(one, handler)


def _as_json(done: Round) -> None:
    found: dict[str, Any] = {} if done.report is None else dict(output.plain(done.report))
    if done.problem is not None:
        problem = done.problem
        found = {
            "retrying": {"code": problem.code, "what": problem.what, "todo": problem.todo},
            "again": round(done.again, 1),
        }
    output.write_json({**found, "seconds": round(done.seconds, 2)})
    output.flush()


class _Lines:
    """Tells a person: a line a round, and after the first how to end it."""

    def __init__(self) -> None:
        self._first = True

    def __call__(self, done: Round) -> None:
        """Tell of one round."""
        output.write_lines([f"{time.strftime('%H:%M:%S')}  {_said(done)}"])
        if self._first and surroundings.shows_progress():
            sys.stderr.write("citator: watching; Ctrl-C ends it\n")
        self._first = False
        output.flush()


def _said(done: Round) -> str:
    if done.problem is not None:
        return f"{done.problem.what}; trying again in {done.again:.0f} s"
    report = done.report
    if report is None or report.generation is None:
        return "There is no commit to index yet."
    if not report.built:
        return f"Up to date: {generation(report.generation)}."
    return f"Built in {done.seconds:.1f} s: {generation(report.generation)}."


def generation(info: GenerationInfo) -> str:
    """A generation in a few words."""
    tip = info.tip[:12] if info.tip else "no commit"
    held = f"{counted(info.documents, 'document')}, {counted(info.passages, 'passage')}"
    return f"generation {info.number} at {tip} ({held}, {size(info.bytes)})"
