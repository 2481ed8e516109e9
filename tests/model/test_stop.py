"""Work that was asked to end ends, once, from any thread."""

from __future__ import annotations

import threading

import pytest

from citator.model.stop import Stop, Stopped, checkpoint, current, stoppable


def test_work_under_no_stop_is_never_stopped() -> None:
    checkpoint()
    assert current() is None


def test_work_goes_on_until_it_is_asked_to_end() -> None:
    stop = Stop()
    with stoppable(stop):
        checkpoint()
        stop.request()
        with pytest.raises(Stopped) as caught:
            checkpoint()
    checkpoint()
    assert caught.value.code == "stopped"


def test_what_is_registered_is_ended_exactly_once() -> None:
    stop = Stop()
    ended: list[str] = []
    with stop.ending(lambda: ended.append("inner")):
        thread = threading.Thread(target=stop.request)
        thread.start()
        thread.join()
        stop.request()
        assert ended == ["inner"]


def test_what_registers_too_late_is_ended_at_once() -> None:
    stop = Stop()
    ended: list[str] = []
    stop.request()
    with stop.ending(lambda: ended.append("late")):
        assert ended == ["late"]


def test_what_has_finished_is_left_alone() -> None:
    stop = Stop()
    ended: list[str] = []
    with stop.ending(lambda: ended.append("over")):
        pass
    stop.request()
    assert ended == []


def test_another_thread_does_not_run_under_the_stop_of_this_one() -> None:
    seen: list[Stop | None] = []
    with stoppable(Stop()):
        thread = threading.Thread(target=lambda: seen.append(current()))
        thread.start()
        thread.join()
    assert seen == [None]
