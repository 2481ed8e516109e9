"""Work ends when its caller gives up or its time is over, and takes its processes with it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import anyio
import pytest

from citator.mcp.calls import answered
from citator.model.errors import RefusedError
from citator.model.stop import Stopped, checkpoint, current

FOREVER = 600.0


class Work:
    """A piece of work that waits for a child process that would never end by itself."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.ended = threading.Event()
        self.process: subprocess.Popen[bytes] | None = None
        self.outcome: BaseException | None = None

    def __call__(self) -> str:
        try:
            return self._wait()
        except BaseException as error:
            self.outcome = error
            raise
        finally:
            self.ended.set()

    def _wait(self) -> str:
        self.process = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
        )
        stop = current()
        assert stop is not None
        with self.process, stop.ending(self.process.kill):
            self.started.set()
            self.process.wait()
        checkpoint()
        return "never"


def test_work_that_ends_in_time_gives_its_answer() -> None:
    async def main() -> str:
        return await answered(lambda: "an answer", FOREVER, anyio.CapacityLimiter(1))

    assert anyio.run(main) == "an answer"


def test_what_work_raises_reaches_the_caller() -> None:
    def work() -> str:
        raise RefusedError("full", "the disk is full")

    async def main() -> str:
        return await answered(work, FOREVER, anyio.CapacityLimiter(1))

    with pytest.raises(RefusedError, match="the disk is full"):
        anyio.run(main)


@pytest.fixture
def work() -> Iterator[Work]:
    """Work whose process is ended in any case: a proof that fails must not hang."""
    made = Work()
    yield made
    if made.process is not None:
        made.process.kill()


def test_a_cancelled_caller_ends_the_work_and_its_process(work: Work) -> None:

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answered, work, FOREVER, anyio.CapacityLimiter(1))
            await anyio.to_thread.run_sync(work.started.wait)
            tasks.cancel_scope.cancel()

    anyio.run(main)
    assert work.ended.wait(30)
    assert isinstance(work.outcome, Stopped)
    assert work.process is not None
    assert work.process.returncode not in (None, 0)


def test_work_beyond_its_time_is_ended_and_said(work: Work) -> None:

    async def main() -> None:
        await answered(work, 0.05, anyio.CapacityLimiter(1))

    with pytest.raises(RefusedError) as caught:
        anyio.run(main)
    assert caught.value.code == "time_limit"
    assert work.ended.wait(30)
    assert isinstance(work.outcome, Stopped)
