"""``make demo``: index a history, ask it why, read the answer, try to inject one; then decide.

- Runs the real command as a person would, on a history it builds itself under ``.demo/``, so it
  needs no network, no clone with a past, and none of the user's own data.
- Checks what it shows: it ends with what you saw and exit code 0, or with what was wrong and 1.

    python -m examples.demo [DIRECTORY]
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from examples.demo_commits import PAYLOAD
from examples.demo_history import build
from examples.demo_record import record
from examples.demo_stage import ROOT, Demo, DemoError, expect, indented, say, title

QUESTION = "why is the retry limit five again"
UNANSWERABLE = "why did we drop the gRPC gateway"
REVERT = 'Revert "Raise the retry limit to twenty"'


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

    record(demo, quiet)
    own_history(demo)

    title("What you saw")
    say(
        "- an answer from a repository's own history, as references: the revert, and its reason\n"
        "- a program gets hashes, dates, counts and your own words; prose only when it asks\n"
        "- a question without an answer here got none\n"
        "- a hostile note was found as evidence; none of its words came along, and reading it\n"
        "  gave text between two lines that the note could not forge\n"
        "- a decision that a key signed, served with its assurance; a no that is told to whoever\n"
        "  proposes the same again; a proposal by a program, which decided nothing\n"
        "- a commit that edits what was signed is refused, and the verifier says so\n"
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
    title("10. And this project's own history")
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


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".demo").absolute())
    except DemoError as error:
        sys.exit(f"demo: not as promised: {error}")
