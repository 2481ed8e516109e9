"""The keeper builds when the index is behind, beside the server and never longer than it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import anyio

from citator.mcp.keeper import Keeper, Pace
from tests.mcp.processes import is_running

FAST = Pace(check=600.0, least=0.001, most=0.004)
PATIENCE = 60.0


class Builds:
    """A command that notes each of its runs in a file, and what it ends with."""

    def __init__(self, folder: Path, code: int = 0, then: str = "") -> None:
        self._notes = folder / "notes"
        program = f"open({str(self._notes)!r}, 'a').write('built\\n'); {then or 'pass'}"
        self.command = [sys.executable, "-c", f"{program}\nimport sys; sys.exit({code})"]

    @property
    def count(self) -> int:
        return self._notes.read_text().count("built") if self._notes.exists() else 0

    async def reach(self, count: int) -> None:
        """Wait until it ran ``count`` times."""
        with anyio.fail_after(PATIENCE):
            while self.count < count:
                await anyio.sleep(0.005)


class Reports(list[str]):
    """The classes of the errors that were reported."""

    def note(self, error: Exception) -> None:
        self.append(type(error).__name__)


def keeper_of(
    behind: Callable[[], bool], command: list[str], report: Callable[[Exception], None]
) -> Keeper:
    """A keeper that does not take its time."""
    return Keeper(behind, command, report, anyio.CapacityLimiter(1), FAST)


def keeping(keeper: Keeper, during: Callable[[], object]) -> None:
    """Run ``keeper`` while the coroutine function ``during`` runs."""

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keeper.run)
            await during()  # type: ignore[misc]
            tasks.cancel_scope.cancel()

    anyio.run(main)


def test_an_index_that_is_behind_is_built_once(tmp_path: Path) -> None:
    builds = Builds(tmp_path)
    checks: list[bool] = []

    def behind() -> bool:
        checks.append(builds.count == 0)
        return checks[-1]

    keeper = keeper_of(behind, builds.command, Reports().note)

    async def during() -> None:
        await builds.reach(1)
        while len(checks) < 2:
            keeper.nudge()
            await anyio.sleep(0.005)

    keeping(keeper, during)
    assert checks[:2] == [True, False]
    assert builds.count == 1
    assert not keeper.failing


def test_a_nudge_from_another_thread_is_heard(tmp_path: Path) -> None:
    builds = Builds(tmp_path)
    state = {"behind": False}
    keeper = keeper_of(lambda: state["behind"], builds.command, Reports().note)

    async def during() -> None:
        await anyio.sleep(0.05)
        assert builds.count == 0
        state["behind"] = True
        while builds.count == 0:
            await anyio.to_thread.run_sync(keeper.nudge)
            await anyio.sleep(0.005)

    keeping(keeper, during)
    assert builds.count >= 1


def test_a_nudge_before_it_runs_or_after_it_ended_is_harmless(tmp_path: Path) -> None:
    builds, reports = Builds(tmp_path), Reports()
    keeper = keeper_of(lambda: False, builds.command, reports.note)
    keeper.nudge()

    async def during() -> None:
        await anyio.sleep(0)

    keeping(keeper, during)
    keeper.nudge()
    assert builds.count == 0
    assert not keeper.failing


def test_a_build_that_fails_is_tried_again(tmp_path: Path) -> None:
    builds = Builds(tmp_path, code=1)
    keeper = keeper_of(lambda: True, builds.command, Reports().note)

    async def during() -> None:
        await builds.reach(3)
        assert keeper.failing

    keeping(keeper, during)


def test_what_goes_wrong_in_a_check_is_reported_and_does_not_end_the_server(
    tmp_path: Path,
) -> None:
    reports = Reports()

    def behind() -> bool:
        raise MemoryError if len(reports) > 1 else ZeroDivisionError

    keeper = keeper_of(behind, Builds(tmp_path).command, reports.note)

    async def during() -> None:
        with anyio.fail_after(PATIENCE):
            while len(reports) < 3:
                await anyio.sleep(0.005)

    keeping(keeper, during)
    assert reports[:3] == ["ZeroDivisionError", "ZeroDivisionError", "MemoryError"]


def test_a_command_that_cannot_start_is_reported(tmp_path: Path) -> None:
    reports = Reports()
    keeper = keeper_of(lambda: True, [str(tmp_path / "nowhere")], reports.note)

    async def during() -> None:
        with anyio.fail_after(PATIENCE):
            while not reports:
                await anyio.sleep(0.005)

    keeping(keeper, during)
    assert reports[0] == "FileNotFoundError"


def test_a_build_ends_with_its_keeper(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    then = (
        f"import os; open({str(pid)!r}, 'w').write(str(os.getpid())); import sys; sys.stdin.read()"
    )
    builds = Builds(tmp_path, then=then)
    keeper = keeper_of(lambda: True, builds.command, Reports().note)

    async def during() -> None:
        with anyio.fail_after(PATIENCE):
            while not pid.exists() or not pid.read_text():
                await anyio.sleep(0.005)

    keeping(keeper, during)
    assert not is_running(int(pid.read_text()))


def test_a_build_waits_for_its_turn(tmp_path: Path) -> None:
    builds = Builds(tmp_path)

    async def main() -> int:
        turn = anyio.Lock()
        limiter = anyio.CapacityLimiter(1)
        keeper = Keeper(
            lambda: builds.count == 0, builds.command, Reports().note, limiter, FAST, turn
        )
        async with anyio.create_task_group() as tasks:
            async with turn:
                tasks.start_soon(keeper.run)
                with anyio.fail_after(PATIENCE):
                    while not turn.statistics().tasks_waiting:
                        await anyio.sleep(0.005)
                before = builds.count
            await builds.reach(1)
            tasks.cancel_scope.cancel()
        return before

    assert anyio.run(main) == 0
