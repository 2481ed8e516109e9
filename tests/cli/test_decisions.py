"""``citator decisions`` and ``citator log`` at a pipe and at a terminal: facts everywhere, words
where they were asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from citator.service.workspace import Places
from tests.cli.process import COMMAND, Finished, Home
from tests.cli.test_terminal import at_terminal
from tests.support.builder import Builder
from tests.support.office import Office
from tests.support.ways_out import in_this_process

BODY = "## Rejected alternatives\n\n- Redis\n  reason: one more service\n"


@pytest.fixture
def office(tmp_path: Path, home: Home) -> Office:
    builder = Builder.init(tmp_path / "repo")
    builder.write("a", "b").commit("Begin\n\nBecause.")
    builder.git("config", "user.name", "Ada")
    places = Places(home.path / "data", home.path / "config", lambda size: b"k" * size)
    made = Office(builder, places)
    made.pin()
    return made


def run(office: Office, home: Home, *words: str) -> Finished:
    return in_this_process([*words, "--root", str(office.builder.path)], home)


def listed(office: Office, home: Home, *words: str) -> list[dict[str, Any]]:
    found = run(office, home, "decisions", "list", *words, "--json").object["decisions"]
    assert isinstance(found, list)
    return found


def test_a_pipe_gets_facts_and_signed_rulings_and_no_other_word(office: Office, home: Home) -> None:
    office.landed("Keep sessions in SQLite", ruling="Sessions live in SQLite.", body=BODY)
    office.decide("Log in local time")
    told = run(office, home, "decisions", "list")
    assert "Sessions live in SQLite." in told.out
    for word in ("Keep sessions", "Log in local time", "Redis", "reasons"):
        assert word not in told.out
    (one,) = listed(office, home)
    assert one["ruling"] == "Sessions live in SQLite."
    assert "title" not in one
    stones = run(office, home, "decisions", "list", "--rejections", "--json").object["rejections"]
    assert set(stones[0]) == {"id", "at", "kind", "source"}


def test_what_nobody_signed_carries_no_ruling(office: Office, home: Home) -> None:
    office.decide("Log in UTC")
    (one,) = listed(office, home, "--all")
    assert (one["status"], one["ruling"]) == ("proposed", None)
    (one,) = listed(office, home, "--all", "--words")
    assert (one["title"], one["ruling"]) == ("Log in UTC", "Log in UTC.")


def test_filters_narrow_and_what_they_leave_out_is_not_counted(office: Office, home: Home) -> None:
    office.landed("Use tabs", paths=("src/**",), kind="convention", labels=("style",))
    office.landed("Use a queue")
    assert len(listed(office, home)) == 2
    for words in (
        ("--kind", "convention"),
        ("--path", "src/a.py"),
        ("--label", "style"),
    ):
        assert len(listed(office, home, *words)) == 1
    assert listed(office, home, "--status", "deprecated") == []
    assert run(office, home, "decisions", "list", "--path", "docs/a.md").out == (
        "No decision is to be seen here. To propose one: citator decide\n"
    )


def test_a_decision_is_shown_whole_between_its_fences(office: Office, home: Home) -> None:
    item, made = office.landed("Keep sessions in SQLite", body="One.\x1b[2J\nTwo.", paths=("a/**",))
    told = run(office, home, "decisions", "show", item)
    assert told.code == 0
    assert "\x1b" not in told.out
    assert "# Keep sessions in SQLite" in told.out
    assert f"text {made.id} of {made.created_at}" in told.out
    shown = run(office, home, "decisions", "show", item, "--json").object
    assert shown["texts"][0]["digest"] == made.digest
    assert shown["text"].startswith("[citator ")
    assert run(office, home, "decisions", "show", "nothing-here").code == 3


def test_a_retired_decision_shows_no_word(office: Office, home: Home) -> None:
    item, _ = office.landed("Keep sessions in SQLite", aliases=("sessions",))
    later, _ = office.landed("Keep them in PostgreSQL", supersedes=(item,))
    shown = run(office, home, "decisions", "show", item, "--json").object
    assert (shown["status"], shown["text"], shown["title"]) == ("superseded", None, None)
    assert shown["superseded_by"] == [later]
    assert "SQLite" not in run(office, home, "decisions", "show", item, "--all").out
    assert run(office, home, "decisions", "diff", item).code == 3


def test_two_texts_are_compared(office: Office, home: Home) -> None:
    item, _ = office.landed("Keep sessions in SQLite")
    office.accept(office.decide("Keep sessions in memory", revises=item))
    told = run(office, home, "decisions", "diff", item)
    assert "-# Keep sessions in SQLite" in told.out
    assert "+# Keep sessions in memory" in told.out
    assert set(run(office, home, "decisions", "diff", item, "--json").object) == {
        "id",
        "from",
        "to",
        "text",
    }


@pytest.mark.parametrize(
    "words",
    [
        ("deprecate", "{0}", "--because", "done"),
        ("relate", "{0}", "related_to", "{1}"),
        ("classify", "{0}", "--owner", "data"),
        ("classify", "{0}", "--sensitivity", "public", "--because", "it may be known"),
    ],
)
def test_each_change_is_a_proposal_of_its_own(
    office: Office, home: Home, words: tuple[str, ...]
) -> None:
    first, _ = office.landed("Use a queue")
    second, _ = office.landed("Log in UTC")
    line = [word.format(first, second) for word in words]
    done = run(office, home, "decisions", *line, "--json")
    assert done.code == 0, done.err
    assert first in done.object["items"]
    assert listed(office, home, "--all")[0]["proposals"] == [done.object["id"]]
    assert listed(office, home)[0]["status"] == "approved"


def test_a_rejection_is_lifted_by_a_proposal(office: Office, home: Home) -> None:
    office.landed("Keep sessions in SQLite", body=BODY)
    words = ("decisions", "list", "--rejections", "--words", "--json")
    (stone,) = run(office, home, *words).object["rejections"]
    assert (stone["value"], stone["reason"]) == ("Redis", "one more service")
    done = run(office, home, "decisions", "lift", stone["id"][:12], "--because", "two hosts")
    assert done.code == 0, done.err


@pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal is a thing of POSIX")
def test_a_person_at_a_terminal_sees_their_own_with_words(office: Office, home: Home) -> None:
    office.landed("Keep sessions in SQLite")
    office.decide("Log in UTC")
    command = [*COMMAND, "decisions", "list", "--root", str(office.builder.path)]
    told = at_terminal(command, home.environment(TERM="xterm", NO_COLOR="1"))
    assert "    > Keep sessions in SQLite\n" in told.out
    assert "    > Log in UTC\n" in told.out
    assert "signed: key, landed: local branch" in told.out
    narrowed = at_terminal([*command, "--granted", "--no-words"], home.environment(TERM="xterm"))
    assert "Log in UTC" not in narrowed.out


def test_a_record_that_was_tampered_with_ends_with_four(office: Office, home: Home) -> None:
    office.landed("Keep sessions in SQLite")
    (file,) = (office.root / "record").iterdir()
    file.write_text(file.read_text().replace("in full", "in part"))
    office.commit()
    told = run(office, home, "decisions", "list", "--json")
    assert (told.code, told.object["error"]["code"]) == (4, "record_tampered")


def test_the_log_is_read_in_pages_and_pruned_with_a_word_about_it(
    office: Office, home: Home
) -> None:
    for number in range(4):
        office.decide(f"Decision {number}")
    newest = run(office, home, "log", "--limit", "2", "--json").object
    assert [one["n"] for one in newest["entries"]] == [6, 5]
    older = run(office, home, "log", "--limit", "2", "--before", "5", "--json").object
    assert [one["n"] for one in older["entries"]] == [4, 3]
    told = run(office, home, "log").out.splitlines()
    assert told[0].split()[2:3] == ["proposed"]
    assert "Decision" not in "\n".join(told)
    assert run(office, home, "log", "--prune", "3", "--json").object["whole"] is True
