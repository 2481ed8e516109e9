"""The environment decides where data lives and who is watching; nothing below reads it."""

from __future__ import annotations

import io
from pathlib import Path

import platformdirs
import pytest

from citator.cli import surroundings


class Terminal(io.StringIO):
    """A stream that says a person watches it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_the_variables_override_the_platform(tmp_path: Path) -> None:
    environ = {"CITATOR_DATA_DIR": str(tmp_path / "d"), "CITATOR_CONFIG_DIR": str(tmp_path / "c")}
    found = surroundings.places(environ)
    assert (found.data, found.config) == (tmp_path / "d", tmp_path / "c")


def test_a_relative_directory_is_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = surroundings.places({"CITATOR_DATA_DIR": "here", "CITATOR_CONFIG_DIR": "there"})
    assert found.data == tmp_path / "here"


def test_without_variables_or_with_empty_ones_the_platform_decides() -> None:
    found = surroundings.places({"CITATOR_DATA_DIR": ""})
    assert found.data == Path(platformdirs.user_data_dir("citator", appauthor=False))
    assert found.config == Path(platformdirs.user_config_dir("citator", appauthor=False))


def test_a_terminal_is_a_person_and_a_pipe_is_not() -> None:
    assert surroundings.screen(Terminal(), {"TERM": "xterm"}).person
    assert not surroundings.screen(io.StringIO(), {"TERM": "xterm"}).person


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}])
def test_colour_can_be_refused_by_a_person(environ: dict[str, str]) -> None:
    assert surroundings.screen(Terminal(), {"TERM": "xterm"}).colour
    refused = surroundings.screen(Terminal(), environ)
    assert refused.person
    assert not refused.colour


def test_a_pipe_never_gets_colour() -> None:
    assert not surroundings.screen(io.StringIO(), {"TERM": "xterm"}).colour


def test_a_closed_stream_has_no_watcher() -> None:
    stream = Terminal()
    stream.close()
    assert not surroundings.is_terminal(io.StringIO())
    assert not surroundings.is_terminal(None)
    closed = io.StringIO()
    closed.close()
    assert not surroundings.is_terminal(closed)


def test_reports_are_wanted_only_when_asked_for() -> None:
    assert surroundings.wants_reports({"CITATOR_DEBUG": "1"})
    assert not surroundings.wants_reports({"CITATOR_DEBUG": "0"})
    assert not surroundings.wants_reports({})
