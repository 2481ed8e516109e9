"""What the README promises exists: its commands, its targets and what it links to."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.process import Home

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_of_the_readme_exists(tmp_path: Path) -> None:
    named = set(re.findall(r"^(?:\$ )?citator (\w+)|`citator (\w+)", README, re.MULTILINE))
    commands = {first or second for first, second in named}
    assert {"ask", "init", "read", "doctor", "clients"} <= commands
    user = Home(tmp_path)
    for command in sorted(commands):
        assert user.run(command, "--help").code == 0, command
    assert user.run("no-such-command", "--help").code == 2


def test_every_make_target_of_the_readme_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^make (\w+)", README, re.MULTILINE))
    assert targets == {"demo", "test"}
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_everything_the_readme_links_to_is_there() -> None:
    links = [link for link in re.findall(r"\]\(([^)#:]+)\)", README) if "//" not in link]
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_its_example_is_what_the_demonstration_prints(indexed: Home, ferry: Path) -> None:
    example = README.split("```\n$ ", 2)[1].split("\n...", 1)[0].splitlines()
    done = indexed.run("ask", "why is the retry limit five again", "--words", "--root", ferry)
    printed = [re.sub(r" --root .*", "", line) for line in done.out.splitlines()]
    assert printed[: len(example) - 1] == example[1:]
