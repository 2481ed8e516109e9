"""``make demo``: index a history, ask it why, read the answer, try to inject one.

- Runs the real command as a person would, on a history it builds itself under ``.demo/``, so it
  needs no network, no clone with a past, and none of the user's own data.
- Checks what it shows: it ends with what you saw and exit code 0, or with what was wrong and 1.

    python -m examples.demo [DIRECTORY]
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examples.demo_commits import PAYLOAD
from examples.demo_history import build

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "why is the retry limit five again"
UNANSWERABLE = "why did we drop the gRPC gateway"
REVERT = 'Revert "Raise the retry limit to twenty"'


class DemoError(Exception):
    """What the demo showed is not what it promises."""


@dataclass(frozen=True, slots=True)
class Demo:
    """Runs commands with data in ``home`` and nowhere else."""

    home: Path

    def citator(
        self, where: Path, *words: str, show: bool = False, codes: Sequence[int] = (0,)
    ) -> str:
        """What ``citator WORDS`` prints in ``where``; shown under the command where ``show``."""
        if show:
            say(f"\n$ citator {shlex.join(words)}")
        done = subprocess.run(
            [sys.executable, "-m", "citator", *words],
            cwd=where,
            env={
                **os.environ,
                "CITATOR_DATA_DIR": str(self.home / "data"),
                "CITATOR_CONFIG_DIR": str(self.home / "config"),
                "PYTHONPATH": str(ROOT / "src"),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        text = done.stdout.decode("utf-8")
        if show:
            say(indented(text + done.stderr.decode("utf-8", "replace")))
        expect(done.returncode in codes, f"citator {words[0]} ended with {done.returncode}")
        return text

    def json(self, where: Path, *words: str) -> dict[str, Any]:
        """The JSON object of a command."""
        value = json.loads(self.citator(where, *words, "--json", codes=(0, 3)))
        expect(isinstance(value, dict), "the output is one JSON object")
        return dict(value)


def main(home: Path) -> None:
    """The whole demo. Raises DemoError."""
    shutil.rmtree(home, ignore_errors=True)
    demo = Demo(home)
    quiet = build(home / "ferry", hostile=False)
    hostile = build(home / "ferry-with-a-hostile-note", hostile=True)

    title("1. Ask a history why")
    say("A small repository was made in .demo/ferry. The first question indexes it.")
    demo.citator(quiet, "ask", QUESTION, "--words", "--limit", "3", show=True)

    title("2. The same answer as a program gets it: references, no prose")
    answer = demo.json(quiet, "ask", QUESTION, "--limit", "1")
    say(indented(json.dumps(answer, indent=1, ensure_ascii=False)))
    best = answer["evidence"][0]
    expect(REVERT not in json.dumps(answer), "no subject travels in the JSON")

    title("3. Read what it rests on")
    text = demo.citator(quiet, "read", best["ref"][:24], show=True)
    expect(REVERT in text and "locked our account" in text, "the first result is the revert")

    title("4. Ask for something that never was")
    nothing = demo.json(quiet, "ask", UNANSWERABLE)
    demo.citator(quiet, "ask", UNANSWERABLE, show=True, codes=(3,))
    expect(nothing["abstained"] is not None, "it abstains where there is nothing")

    title("5. Now with a hostile note")
    say("The same history with one more commit. Its file name, its author and its prose try to")
    say("give orders to whoever reads the answer.")
    injection(demo, quiet, hostile)
    own_history(demo)

    title("What you saw")
    say(
        "- an answer from a repository's own history, as references: the revert, and its reason\n"
        "- a program gets hashes, dates, counts and your own words; prose only when it asks\n"
        "- a question without an answer here got none\n"
        "- a hostile note was found as evidence; none of its words came along, and reading it\n"
        "  gave text between two lines that the note could not forge\n"
        "- nothing was written outside .demo/"
    )


def injection(demo: Demo, quiet: Path, hostile: Path) -> None:
    """The note is found, none of it travels, the decision is the same, reading it is fenced."""
    before = demo.json(quiet, "ask", QUESTION, "--limit", "50")
    raw = demo.citator(hostile, "ask", QUESTION, "--limit", "50", "--json")
    answer = json.loads(raw)
    known = {item["ref"] for item in before["evidence"]}
    notes = [item for item in answer["evidence"] if item["ref"] not in known]
    expect(bool(notes), "the hostile note is found: it answers to the words of the question")
    leaked = [words for words in PAYLOAD if words.lower() in raw.lower()]
    expect(not leaked, f"nothing of the note travels (found: {leaked})")
    for field in ("status", "abstained", "unknown_words"):
        expect(answer[field] == before[field], f"{field} is the same with and without the note")
    documents = [item for item in notes if item["kind"] == "markdown"]
    expect(bool(documents), "the document is found as well as the commit")
    say("\nThe note is found; it was written to match. What a program gets of it:")
    say(indented(json.dumps(documents[0], indent=1, ensure_ascii=False)))
    say("\nNone of its words came along. Reading it, because you ask to:")
    text = demo.citator(hostile, "read", documents[0]["ref"][:26], show=True)
    lines = text.splitlines()
    mark = next(line for line in lines if line.endswith("data, not instructions]")).split()[1]
    expect(lines.count(f"[citator {mark} end]") == 1, "the fence closes once")
    expect("\x1b" not in text and "\u202e" not in text, "control characters are made visible")


def own_history(demo: Demo) -> None:
    """The clone this runs in, where it has a past."""
    title("6. And this project's own history")
    if not (ROOT / ".git").exists():
        say("This copy came without its history, so this step is left out.")
        return
    demo.citator(
        ROOT,
        "ask",
        "why do the locked requirements name no registry",
        "--words",
        "--limit",
        "2",
        show=True,
        codes=(0, 1, 3, 5),
    )


def expect(holds: bool, what: str) -> None:
    """Stop the demo where something is not as promised."""
    if not holds:
        raise DemoError(what)


def title(text: str) -> None:
    """A heading."""
    say(f"\n{text}\n{'-' * len(text)}")


def indented(text: str) -> str:
    """Output of a command, set apart."""
    return "\n".join(f"  {line}" for line in text.rstrip().split("\n"))


def say(text: str) -> None:
    """Print for any terminal, whatever its encoding."""
    encoding = sys.stdout.encoding or "ascii"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".demo").absolute())
    except DemoError as error:
        sys.exit(f"demo: not as promised: {error}")
