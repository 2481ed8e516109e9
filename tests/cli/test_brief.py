"""``citator brief`` and ``citator session``: what a person and what a pipe see."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.cli.process import COMMAND, Home
from tests.cli.test_terminal import at_terminal
from tests.support.builder import Builder

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    builder = Builder.init(tmp_path / "repo")
    builder.write("go.mod", "module x\n").write("src/a b.go", "x").commit("Begin here")
    return builder.path


def documented(section: str) -> set[str]:
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    return set(re.findall(r"`([^`]+)`", text))


def test_a_pipe_gets_the_brief_as_a_client_does(home: Home, repository: Path) -> None:
    plain = home.run("brief", "--root", repository)
    found = home.run("brief", "--root", repository, "--json").object
    assert (plain.code, plain.out) == (0, found["brief"])
    assert yaml.safe_load(plain.out)["stack"] == ["go"]
    assert set(found) | set(found["horizon"]) <= documented("brief") | {
        *("head", "indexed", "facts", "complete")
    }
    assert found["paths"] == ["go.mod"]
    detail = home.run("brief", "--detail", "--root", repository, "--json").object
    assert set(detail) - set(found) == {"health"}
    assert set(detail["health"]) <= documented("brief")
    said = home.run("brief", "--detail", "--root", repository).out
    assert said.startswith(plain.out)
    assert "\nwords: on\n" in said


def test_a_correction_stays_and_what_is_none_is_refused(home: Home, repository: Path) -> None:
    home.run("brief", "--set", "stack=go,bazel", "--set", "words=off", "--root", repository)
    assert home.run("brief", "--root", repository).out.startswith("stack: [go, bazel]\n")
    failed = home.run("brief", "--set", "words=loud", "--root", repository)
    assert (failed.code, failed.out) == (2, "")
    empty = Builder.init(repository.parent / "empty", bare=True)
    empty.commit("Nothing")
    assert "branch" in home.run("brief", "--root", empty.path).out


def test_a_session_goes_its_whole_way_at_a_pipe(home: Home, repository: Path) -> None:
    def run(*words: str, code: int = 0) -> dict[str, object]:
        done = home.run("session", *words, "--root", repository, "--json")
        assert done.code == code, done.err
        return done.object if done.out else {}

    assert run("show", code=3) == {"sessions": []}
    made = run("save", "Test the rest", "--wip", "Half of it")["session"]
    assert isinstance(made, dict)
    assert set(made) <= documented("session")
    assert (made["channel"], made["branch"], made["next"]) == (
        "remembered",
        "main",
        "Test the rest",
    )
    assert run("list") == run("show") == run("show", str(made["id"])[:6]) == {"sessions": [made]}
    assert 'next: "Test the rest"' in home.run("brief", "--root", repository).out
    assert home.run("session", "save", "--root", repository).code == 2
    assert run("rm", str(made["id"])) == {"removed": made["id"]}
    assert home.run("session", "rm", str(made["id"]), "--root", repository).code == 3
    assert run("list") == {"sessions": []}


def test_at_a_terminal_a_session_is_typed_and_quoted(home: Home, repository: Path) -> None:
    def shown(*words: str) -> str:
        return at_terminal([*COMMAND, *words, "--root", str(repository)], home.environment()).out

    shown("session", "save", "Go \x1b[31mon")
    text = shown("session", "list")
    assert "[typed, unreviewed]" in text
    assert "next: Go \\u{1b}[31mon" in text
    assert "of them rulings" in shown("brief")
