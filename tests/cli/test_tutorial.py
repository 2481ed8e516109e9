"""The tutorials show what the command prints, word for word."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from examples.demo_history import build

from tests.cli.process import COMMAND, Finished, Home
from tests.cli.test_terminal import at_terminal
from tests.support.builder import environment, run_git
from tests.trust.openssh import MISSING, OpenSsh

PAGES = Path(__file__).parents[2] / "docs" / "tutorial"
PAGE = PAGES / "first-answer.md"
DECISION = PAGES / "first-decision.md"
SESSION = re.compile(r"```\n\$ citator (.+)\n((?:.*\n)+?)```")
FENCE = re.compile(r"\[citator [0-9a-f]{24} ")
FILE = re.compile(r"```markdown\n((?:.*\n)+?)```")
HOUSE = "/home/mara/ferry"
QUESTION = re.compile(r"^(Type `\w+` .+?:|To \w+ it as .+? digest:) ", re.MULTILINE)
# What is another in every run: ids, digests, key fingerprints, dates.
CHANGING = re.compile(
    r"\b[0-9A-HJKMNP-TV-Z]{26}\b|SHA256:[\w+/]{43}|\b[0-9a-f]{8,64}\b"
    r"|\b20\d\d-\d\d-\d\d(?:T[\d:]{8}Z)?"
)


def sessions(page: Path = PAGE) -> list[tuple[str, str]]:
    """Each command on the page with the output shown under it."""
    return SESSION.findall(page.read_text(encoding="utf-8"))


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


@dataclass
class Reader:
    """Follows the page about decisions at a terminal: their ids are not the page's."""

    home: Home
    ferry: Path
    person: Path
    meant: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        ours = self.home.environment()
        kept = {name: ours[name] for name in ours if name.startswith("CITATOR")}
        terminal = {"TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1"}
        return environment(HOME=str(self.person)) | kept | terminal

    def run(self, words: str) -> Finished:
        """What the page's command prints, with what the reader types at its question."""
        command = [self.meant.get(word, word) for word in shlex.split(words)]
        typed = self.answer(command)
        told = at_terminal([*COMMAND, *command], self.environment(), f"{typed}\n".encode())
        printed = told.out.removeprefix(f"{typed}\n").replace(str(self.ferry), HOUSE)
        return Finished(told.code, QUESTION.sub(rf"\1 {typed}\n", printed), "")

    def answer(self, command: list[str]) -> str:
        """What a person types: nothing where nothing is asked."""
        if command[:2] == ["trust", "pin"]:
            return "pin"
        if command[0] not in ("approve", "reject"):
            return ""
        done = subprocess.run(
            [*COMMAND, "approve", command[1], "--show", "--json"],
            env=self.environment(),
            capture_output=True,
            check=True,
        )
        return str(Finished(0, done.stdout.decode(), "").object["digest"])[:8]

    def compare(self, shown: str, printed: str) -> None:
        """Every part of the page is printed, in that order, with the same names for the same."""
        at = 0
        for part in shown.split("...\n"):
            found = re.compile(self.pattern(part)).search(printed, at)
            assert found is not None, f"the page:\n{part}\nprinted:\n{printed}"
            tokens = CHANGING.findall(part)
            self.meant.update(zip(tokens, CHANGING.findall(found[0]), strict=True))
            at = found.end()

    def pattern(self, part: str) -> str:
        """The page's text, any name in it standing for what it was first seen to mean."""
        pieces: list[str] = []
        at = 0
        for token in CHANGING.finditer(part):
            meant = self.meant.get(token[0])
            kind = CHANGING.pattern if meant is None else re.escape(meant)
            pieces += [re.escape(part[at : token.start()]), f"(?:{kind})"]
            at = token.end()
        return "".join([*pieces, re.escape(part[at:])])


@pytest.mark.skipif(bool(MISSING), reason=f"NOT PROVED WITH OPENSSH: no {', '.join(MISSING)}")
@pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal is a thing of POSIX")
def test_the_way_of_a_decision_prints_what_its_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = tmp_path / "person"
    (person / ".ssh").mkdir(parents=True)
    ssh = OpenSsh.at(person)
    ssh.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", ".ssh/id_ed25519")
    ferry = build(tmp_path / "ferry", hostile=False)
    for name, value in (("name", "Mara Lindqvist"), ("email", "mara@ferry.example")):
        run_git(ferry, "config", f"user.{name}", value)
    text = DECISION.read_text(encoding="utf-8")
    (reasons,) = FILE.findall(text)
    (tmp_path / "reasons.md").write_text(reasons, encoding="utf-8")
    monkeypatch.chdir(ferry)
    reader = Reader(Home(tmp_path / "user"), ferry, person)
    assert reader.home.run("index", "build").code == 0
    codes = []
    for kind, words, shown in re.findall(r"```\n\$ (citator|git|sed) (.+)\n((?:.*\n)*?)```", text):
        if kind == "citator":
            told = reader.run(words)
            codes.append((words.split()[0], told.code))
            reader.compare(shown, told.out)
        else:
            done = subprocess.run(
                f"{kind} {words}", shell=True, env=reader.environment(), capture_output=True
            )
            assert done.returncode == 0, done.stderr
    assert [code for _, code in codes if code] == [1, 4]
    assert {"trust", "decide", "approve", "apply", "ask", "reject", "verify"} <= {
        name for name, _ in codes
    }
