"""The tutorial shows what the command prints, word for word."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.process import Home

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "first-answer.md"
SESSION = re.compile(r"```\n\$ citator (.+)\n((?:.*\n)+?)```")
FENCE = re.compile(r"\[citator [0-9a-f]{24} ")


def sessions() -> list[tuple[str, str]]:
    """Each command on the page with the output shown under it."""
    return SESSION.findall(PAGE.read_text(encoding="utf-8"))


def test_the_page_shows_four_commands() -> None:
    assert [shlex.split(words)[0] for words, _ in sessions()] == ["ask", "read", "ask", "init"]


@pytest.mark.parametrize(("words", "shown"), sessions())
def test_what_is_shown_is_what_is_printed(
    words: str, shown: str, indexed: Home, ferry: Path
) -> None:
    told = indexed.run(*shlex.split(words), *_as_a_person(words), cwd=ferry)
    printed = FENCE.sub("[citator MARK ", told.out)
    for part in FENCE.sub("[citator MARK ", shown).split("...\n"):
        assert part in printed


def _as_a_person(words: str) -> list[str]:
    return [] if words.startswith("read") else ["--words"]
