"""A terminal cannot be steered, and a reader of JSON or of a log cannot be fooled.

Whatever quotes the repository, or a name that its author gave to a file or a submodule, reaches a
terminal inert: no escape, no carriage return, no change of direction, nothing invisible, and no
line that looks like ours.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from citator.cli.render import columns
from tests.cli.process import COMMAND, Finished
from tests.cli.process import Home as User
from tests.cli.test_terminal import at_terminal
from tests.support import hostile_record, hostile_reviews
from tests.support.builder import Builder
from tests.support.record_ways import QUOTE, Known, known_of, outside, pinned, spoken
from tests.support.surfaces import (
    FORGED,
    QUESTION,
    STEERING,
    VARIANTS,
    attacked_commits,
    leaked,
    steering_in,
)
from tests.support.ways_out import in_this_process

WIDTH = 100
ASKED = "type the first 8 digits of the digest:"
NAME = f"{STEERING}\n{FORGED}"
COLOUR = re.compile(r"\x1b\[[012]m")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal is a thing of POSIX")


@dataclass(frozen=True)
class Person:
    """Somebody at a terminal, in an attacked repository that is indexed."""

    user: User
    root: Path

    def runs(self, *words: str, root: Path | None = None, **extra: str) -> Finished:
        """What the terminal shows."""
        environment = self.user.environment(TERM="xterm", COLUMNS="100", LINES="50", **extra)
        line = [*COMMAND, *words, "--root", str(root or self.root)]
        return at_terminal(line, environment)


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Person:
    folder = tmp_path_factory.mktemp("terminal")
    builder = Builder.init(folder / "repository")
    for variant in VARIANTS:
        assert dict(attacked_commits(builder, variant))
    root = builder.path
    found = Person(User(folder / "user"), root)
    assert in_this_process(["index", "build", "--root", str(root)], found.user).code == 0
    return found


@pytest.fixture(scope="module")
def steering_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in a folder whose name, which a submodule's author chose, steers."""
    builder = Builder.init(tmp_path_factory.mktemp("folder") / NAME)
    builder.write("a.txt", "1\n").commit("Keep the letters\n\nBecause people asked for them again.")
    return builder.path


def test_quoted_subjects_and_authors_are_inert_and_marked(person: Person) -> None:
    told = person.runs("ask", QUESTION, "--limit", "50", NO_COLOR="1")
    assert told.code == 0
    # Positive control: the payloads of both surfaces are shown, because a person asked.
    assert {("subject", variant) for variant in VARIANTS} <= set(leaked(told.out))
    assert {("author name", variant) for variant in VARIANTS} <= set(leaked(told.out))
    assert steering_in(told.out) == []
    speaking = [line for line in told.out.splitlines() if leaked(line)]
    assert len(speaking) >= 4
    assert all(line.startswith("    > ") for line in speaking)
    assert all(len(line) < 100 for line in speaking)


def test_colour_is_the_only_escape_that_a_terminal_gets(person: Person) -> None:
    told = person.runs("ask", QUESTION, "--limit", "50", NO_COLOR="")
    assert COLOUR.search(told.out)
    assert steering_in(COLOUR.sub("", told.out)) == []


@pytest.mark.parametrize("words", [("init",), ("ask", QUESTION, "--read", "3"), ("doctor",)])
def test_other_commands_that_show_the_repository_are_inert(
    person: Person, words: tuple[str, ...]
) -> None:
    told = person.runs(*words, NO_COLOR="1")
    assert told.code == 0
    assert steering_in(told.out) == []


@pytest.mark.parametrize(
    "words",
    [("doctor",), ("init",), ("ask", "letters"), ("clients", "list"), ("index", "status")],
)
def test_the_name_of_a_folder_steers_nobody_and_forges_no_line(
    person: Person, steering_folder: Path, words: tuple[str, ...]
) -> None:
    told = person.runs(*words, root=steering_folder, NO_COLOR="1")
    assert steering_in(told.out) == []
    assert not [line for line in told.out.splitlines() if line.startswith("citator:")]


def test_json_gives_back_the_name_of_a_folder_and_steers_nobody(
    person: Person, steering_folder: Path
) -> None:
    told = person.runs("clients", "list", "--json", root=steering_folder)
    assert steering_in(told.out) == []
    paths = [one["path"] for one in told.object["clients"] if one["scope"] == "project"]
    assert paths
    assert all(path.startswith(f"{steering_folder}{os.sep}") for path in paths)


@pytest.mark.parametrize(
    "words",
    [
        ("ask", "why", f"--{NAME}"),
        ("ask", "why", "--limit", NAME),
        ("read", NAME),
        ("index", NAME),
        (NAME,),
        ("doctor", NAME),
    ],
    ids=[
        "an option",
        "a value",
        "a reference",
        "a command of a group",
        "a command",
        "one too many",
    ],
)
def test_a_name_that_a_shell_completed_comes_back_inert_in_an_error(
    person: Person, words: tuple[str, ...]
) -> None:
    told = person.runs(*words, NO_COLOR="1")
    assert told.code == 2
    assert steering_in(told.out) == []
    assert told.out.splitlines()[0].startswith("citator: ")
    assert not [line for line in told.out.splitlines() if line.startswith(FORGED)]


@pytest.mark.parametrize(
    "extra", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_json_is_utf8_in_every_locale(person: Person, extra: dict[str, str]) -> None:
    words = ("ask", QUESTION, "--limit", "50", "--words", "--json")
    told = person.user.run(*words, "--root", person.root, cwd=None, **extra)
    assert told.code == 0
    assert steering_in(told.out) == []
    subjects = [item["words"]["subject"] for item in told.object["evidence"]]
    assert any("\\u{202e}" in subject for subject in subjects)
    assert leaked(json.dumps(subjects))


@dataclass(frozen=True)
class Reviewer:
    """Somebody at a terminal, in a hostile repository whose root they pinned, with its key."""

    user: User
    root: Path
    known: Known
    key: Path

    def runs(self, words: Sequence[str], typed: str = "") -> Finished:
        """What the terminal shows while ``typed`` is typed."""
        line = [*COMMAND, *words, "--root", str(self.root)]
        environment = self.user.environment(
            TERM="xterm", COLUMNS=str(WIDTH), LINES="50", NO_COLOR="1", HOME=str(self.user.path)
        )
        return at_terminal(line, environment, f"{typed}\n".encode() if typed else b"")


@pytest.fixture(scope="module")
def reviewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reviewer]:
    folder = tmp_path_factory.mktemp("reviewer")
    builder = Builder.init(folder / "repository")
    builder.write("src/mail.py", "1\n").commit("Keep the letters\n\nBecause people asked for them.")
    made = hostile_record.hostile(builder)
    hostile_reviews.kept(builder)
    user = User(folder / "user")
    done = in_this_process(["index", "build", "--root", str(builder.path)], user)
    assert done.code == 0
    key = folder / "key.pub"
    key.write_text(f"{hostile_record.HOSTILE.key.public.text}\n", "ascii")
    known = known_of(made, builder.head(), folder)
    with pinned(builder.path, user):
        yield Reviewer(user, builder.path, known, key)


# Each with what is typed, how it ends, and a surface that it shows because a person asked.
REVIEWED = {
    "approve": (("approve", "{open}", "--key", "{key}"), "y", 1, "open body"),
    "told no": (("approve", "{waiting}", "--key", "{key}"), "", 1, "proposed body"),
    "reject": (("reject", "{waiting}", "--reason", "no", "--key", "{key}"), "y", 1, None),
    "lift": (("reject", "{waiting}", "--lift", "--key", "{key}"), "y", 1, "signed rejected value"),
    "draft": (("approve", "{draft}", "--show"), "", 0, "draft body"),
    "list": (("decisions", "list", "--rejections"), "", 0, "title"),
    "show": (("decisions", "show", "{item}"), "", 0, "body"),
    "diff": (("decisions", "diff", "{item}"), "", 0, "earlier body"),
    "pin": (("trust", "pin", "--from-record"), "y", 1, "approver address"),
    "trust": (("trust", "show"), "", 0, "approver label"),
    "verify": (("verify",), "", 4, "refused file name"),
    "apply": (("apply", "{waiting}"), "", 1, None),
    "log": (("log",), "", 0, None),
    "ask": (("ask", QUESTION, "--read", "3"), "", 0, "ruling"),
    "adr": (("import", "adr", "{adr}", "--dry-run", "--author", "A"), "", 0, "record file name"),
    "okf": (("import", "okf", "{okf}", "--dry-run", "--author", "A"), "", 0, "bundle file name"),
    "theirs": (("import", "theurian", "{theurian}", "--dry-run", "--author", "A"), "", 0, None),
    "reviews": (("import", "reviews", "{reviews}", "--dry-run"), "", 0, None),
}


@pytest.mark.parametrize("name", REVIEWED)
def test_a_record_steers_no_terminal_forges_no_line_and_answers_no_question(
    reviewer: Reviewer, name: str
) -> None:
    words, typed, code, shown = REVIEWED[name]
    known = reviewer.known
    ids = {"item": known.item, "waiting": known.waiting.id, "draft": known.draft}
    ids["open"] = known.open.id
    places = {"key": reviewer.key, **known.abroad}
    before = sorted((reviewer.root / ".citator").rglob("*"))

    told = reviewer.runs([word.format(**ids, **places) for word in words], typed)

    assert told.code == code, told.out
    assert steering_in(told.out) == []
    assert spoken(told.out) == []
    seen = {*hostile_record.leaked(told.out), *hostile_reviews.leaked(told.out)}
    assert shown is None or shown in seen
    # Nothing of theirs is so long that it goes on at the beginning of a line, but plain names.
    lines = [line for line in outside(told.out) if " " in line.strip() and name != "verify"]
    lines = [line for line in lines if ASKED not in line]
    lines += [line for line in told.out.splitlines() if line.startswith(QUOTE)]
    assert [line for line in lines if columns(line) >= WIDTH and hostile_record.leaked(line)] == []
    # The one question is ours, and an answer that is no person's reading does nothing.
    questions = [line for line in outside(told.out) if ASKED in line]
    assert len(questions) == bool(typed and name != "pin")
    assert sorted((reviewer.root / ".citator").rglob("*")) == before


def test_a_value_that_fills_the_line_goes_on_as_a_quotation(reviewer: Reviewer) -> None:
    told = reviewer.runs(("decisions", "list", "--rejections"))
    quoted = [line for line in told.out.splitlines() if line.startswith(QUOTE)]
    assert any(hostile_record.leaked(line) and columns(line) < WIDTH for line in quoted)
    assert any(not hostile_record.leaked(line) for line in quoted)  # what was folded
