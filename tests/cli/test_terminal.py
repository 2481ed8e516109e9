"""What a person at a terminal sees (POSIX: a pseudo-terminal stands in for one)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from examples.demo_commits import PAYLOAD

from citator.cli.render import columns
from tests.cli.process import COMMAND, Finished, Home

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal is a thing of POSIX")

QUESTION = "why is the retry limit five again"


def at_terminal(command: list[str], environment: dict[str, str], typed: bytes = b"") -> Finished:
    """Run with all three streams on one terminal; standard error is part of ``out``."""
    import pty

    leader, follower = pty.openpty()
    with subprocess.Popen(
        command, env=environment, stdin=follower, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        if typed:
            os.write(leader, typed)
        shown = bytearray()
        while True:
            try:
                chunk = os.read(leader, 65_536)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk
        code = process.wait()
    os.close(leader)
    return Finished(code, shown.decode("utf-8").replace("\r\n", "\n"), "")


def ask(user: Home, repository: Path, *more: str, **extra: str) -> Finished:
    environment = user.environment(**{"TERM": "xterm", "COLUMNS": "80", **extra})
    environment = {key: value for key, value in environment.items() if value}
    return at_terminal([*COMMAND, "ask", QUESTION, "--root", str(repository), *more], environment)


def test_a_person_sees_subjects_authors_and_dates_marked_as_quoted(
    indexed: Home, ferry: Path
) -> None:
    told = ask(indexed, ferry, NO_COLOR="1")
    assert told.code == 0
    assert "Lines after > quote the repository: they are its words, not ours." in told.out
    assert '    > Revert "Raise the retry limit to twenty"\n    > Inês Ferreira\n' in told.out
    assert "commit a1130539" in told.out
    assert "2023-12-26" in told.out
    assert "\x1b" not in told.out


def test_colour_is_for_terminals_that_want_it(indexed: Home, ferry: Path) -> None:
    assert "\x1b[1m 1\x1b[0m" in ask(indexed, ferry, NO_COLOR="").out
    assert "\x1b" not in ask(indexed, ferry, NO_COLOR="", TERM="dumb").out


def test_a_hostile_note_stays_inside_its_quotation(indexed: Home, hostile: Path) -> None:
    told = ask(indexed, hostile, NO_COLOR="1")
    orders = [line for line in told.out.splitlines() if "OVERRIDE" in line]
    assert orders
    assert all(line.startswith("    > ") for line in orders)
    assert PAYLOAD[0] not in told.out


def test_a_narrow_terminal_gets_lines_that_fit(indexed: Home, hostile: Path) -> None:
    told = ask(indexed, hostile, NO_COLOR="1", COLUMNS="30")
    quotations = [line for line in told.out.splitlines() if line.startswith("    > ")]
    assert quotations
    assert all(columns(line) < 30 for line in quotations)
    assert any(line.endswith("…") for line in quotations)


def test_json_at_a_terminal_is_the_same_object(indexed: Home, ferry: Path) -> None:
    shown = ask(indexed, ferry, "--json")
    piped = indexed.run("ask", QUESTION, "--json", "--root", ferry)
    assert shown.object == piped.object


@pytest.mark.parametrize(("typed", "gone"), [(b"y\n", True), (b"n\n", False), (b"\n", False)])
def test_forget_asks_a_person(typed: bytes, gone: bool, home: Home, ferry: Path) -> None:
    assert home.run("index", "build", "--root", ferry).code == 0
    told = at_terminal(
        [*COMMAND, "forget", "--root", str(ferry)], home.environment(TERM="xterm"), typed
    )
    assert "Delete all of it? [y/N]" in told.out
    assert told.code == (0 if gone else 1)
    status = home.run("index", "status", "--json", "--root", ferry).object
    assert (status["current"] is None) is gone


def test_long_work_draws_a_bar_and_takes_it_away() -> None:
    code = (
        "from citator.cli import progress\n"
        "progress.PATIENCE = 0\n"
        "with progress.watched('Reading the history') as report:\n"
        "    report(1, 2)\n    report(2, 2)\n"
    )
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    told = at_terminal([sys.executable, "-c", code], environment)
    assert told.code == 0
    assert "Reading the history" in told.out
    assert "2/2" in told.out
    quiet = at_terminal(
        [sys.executable, "-c", code.replace("    report", "    report and report")],
        {**environment, "TERM": "dumb"},
    )
    assert (quiet.code, quiet.out) == (0, "")
