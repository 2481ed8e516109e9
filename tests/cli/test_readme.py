"""What the README promises exists: its commands, its targets and what it links to."""

from __future__ import annotations

import re
from pathlib import Path

from examples.demo_history import build
from examples.demo_record import ASKED, begun, decided
from examples.demo_stage import Demo

from tests.cli.process import Home

ROOT = Path(__file__).resolve().parents[2]
# What is another in every run: an id, the first digits of one, a date.
MADE = re.compile(r"\b(?:[0-9A-Z]{26}|[0-9a-f]{12}|20\d\d-\d\d-\d\d)\b")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_of_the_readme_exists(tmp_path: Path) -> None:
    named = set(re.findall(r"^(?:\$ )?citator (\w+)|`citator (\w+)", README, re.MULTILINE))
    commands = {first or second for first, second in named}
    assert {"ask", "init", "read", "doctor", "clients"} <= commands
    assert {"trust", "decide", "approve", "apply", "verify", "import"} <= commands
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


def example(number: int) -> list[str]:
    """The lines of one of the two examples, its command first."""
    return README.split("```\n$ ")[number].split("\n...", 1)[0].splitlines()


def test_its_example_is_what_the_demonstration_prints(indexed: Home, ferry: Path) -> None:
    done = indexed.run("ask", "why is the retry limit five again", "--words", "--root", ferry)
    printed = [re.sub(r" --root .*", "", line) for line in done.out.splitlines()]
    assert printed[: len(example(1)) - 1] == example(1)[1:]


def test_its_decision_is_the_one_that_the_demonstration_signs(tmp_path: Path) -> None:
    demo = Demo(tmp_path)
    ferry = build(tmp_path / "ferry", hostile=False)
    hand = begun(demo, ferry)
    id = decided(demo, ferry)
    hand.pin()
    hand.approve(id)
    demo.citator(ferry, "apply", "--commit")
    command, *shown = example(2)
    assert command == f'citator ask "{ASKED}"'
    printed = demo.citator(ferry, "ask", ASKED, "--words").splitlines()
    assert [MADE.sub("*", line) for line in printed[: len(shown)]] == [
        MADE.sub("*", line) for line in shown
    ]
