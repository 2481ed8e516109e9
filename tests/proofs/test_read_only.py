"""Nothing is written into the repository: its tree and its ``.git`` are the same bytes after
every command. Not among them: ``clients write`` and ``clients remove`` for a project, which write
the client's file there because a person asked for just that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.process import Home
from tests.support.builder import Builder, contents_of

COMMANDS = (
    ("init",),
    ("ask", "why was the pump replaced"),
    ("ask", "why was the pump replaced", "--read", "3", "--json"),
    ("ask", "por que se cambio la bomba"),
    ("ask", "zeppelin marmalade"),
    ("read", "{ref}"),
    ("read", "commit:v1:000000"),
    ("why", "pump.md:1-3"),
    ("why", "--removed", "--more", "siphon"),
    ("why", "pump.md", "--json"),
    ("index", "status"),
    ("index", "build"),
    ("index", "build", "--fresh"),
    ("index", "rollback"),
    ("claims", "start", "7", "pump.md"),
    ("claims", "list"),
    ("claims", "release", "7"),
    ("doctor",),
    ("clients", "list"),
    ("clients", "write", "zed", "--print"),
    ("forget",),
    ("forget", "--yes"),
)


@pytest.fixture
def builder(tmp_path: Path) -> Builder:
    made = Builder.init(tmp_path / "repo")
    made.write("pump.md", "# Pump\n\nThe pump was replaced by a siphon.\n")
    made.commit("Replace the pump\n\nThe pump leaked, because its seal was never specified.")
    made.write("untracked-later.txt", "x\n")
    made.commit("Note the seal\n\nThe seal is specified now, because the pump leaked.")
    (made.path / "loose.txt").write_text("not in git\n")
    (made.path / "pump.md").write_text("# Pump\n\nChanged in the work tree only.\n")
    return made


def test_no_command_writes_into_the_repository(builder: Builder, tmp_path: Path) -> None:
    user = Home(tmp_path / "user")
    before = contents_of(builder.path)
    ref = ""
    for command in COMMANDS:
        words = [word.replace("{ref}", ref or "commit:v1:000000") for word in command]
        done = user.run(*words, "--root", builder.path)
        assert done.code in (0, 1, 3), (words, done.err)
        if "--json" in words and "ask" in words:
            ref = done.object["evidence"][0]["ref"]
        assert contents_of(builder.path) == before, words
    assert ref


def test_a_write_would_be_seen(builder: Builder) -> None:
    before = contents_of(builder.path)
    (builder.path / ".git" / "citator").write_text("here\n")
    assert contents_of(builder.path) != before
