"""The part of the demo about the record: propose, sign, serve, and try to get round it.

python -m examples.demo     (this is its second half)
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examples.demo_client import Client
from examples.demo_signing import WHO, Hand
from examples.demo_stage import Demo, expect, say, title

ASKED = "may we raise the retry limit to twenty"
TITLE = "Keep the retry limit at five"
RULING = "A failed job is tried five times; then its lane is paused."
REASONS = """## Context

With twenty attempts a job that could not succeed blocked its lane for an hour, and the
partner locked our account.

## Rejected alternatives

- Raise the retry limit to twenty
  reason: a job that cannot succeed blocks its lane, and the partner locks us out
  unless: the partner lifts its limit on repeats
"""
KEPT: dict[str, Any] = {
    "title": "Keep finished jobs for thirty days",
    "ruling": "Finished jobs are deleted after thirty days, at night.",
    "body": "Support answers questions about orders for a month. Addresses are not kept longer.",
    "paths": ["ferry/retention.py"],
}
REFUSED: dict[str, Any] = {
    "title": "Move the queue to Kafka",
    "ruling": "Jobs live in a Kafka topic.",
    "body": "It is faster.",
    "paths": ["ferry/queue.py"],
}
REASON = "a second copy of the truth about what is done"
CHANGE = "more jobs than one database can take"
AGAIN = {**REFUSED, "title": "move  the QUEUE to \uff2bafka", "body": "It really is faster."}


@dataclass(frozen=True, slots=True)
class Proposed:
    """The ids of the three proposals."""

    five: str
    kept: str
    refused: str


def record(demo: Demo, root: Path) -> None:
    """Show it. Raises DemoError."""
    hand = begun(demo, root)
    title("6. Write a decision down, and sign it")
    say("Anybody can propose. The text names what was rejected, and why (.demo/reasons.md).")
    five = decided(demo, root, show=True)
    say("\nOnly a key that you pinned approves. This one was made for the demo (.demo/keys); the")
    say("pin is kept in .demo/data, outside the repository.")
    hand.pin(show=True)
    hand.approve(five, show=True, whole=True)
    with Client(demo, root) as client:
        title("7. An agent proposes; a person decides")
        say("A program speaks MCP with `citator serve`. It can propose, and nothing else.")
        proposed = Proposed(five, offered(client, KEPT), offered(client, REFUSED))
        say("\nYou sign the first, and say no to the second:")
        hand.approve(proposed.kept, show=True)
        hand.reject(proposed.refused, REASON, CHANGE, show=True)
        demo.citator(root, "apply", "--commit", show=True)
        demo.git(root, "add", ".citator", show=True)
        demo.git(root, "commit", "--message", "Say no to one proposal", show=True)

        title("8. What everybody is told from now on")
        served(demo, root, client, proposed)
    title("9. Change a decision behind your back")
    tampered(demo, root)


def begun(demo: Demo, root: Path) -> Hand:
    """A person at the repository, with a name, a key and something to decide."""
    demo.git(root, "config", "user.name", "Mara Lindqvist")
    demo.git(root, "config", "user.email", WHO)
    (demo.home / "reasons.md").write_text(REASONS, encoding="utf-8", newline="\n")
    return Hand.made(demo, root)


def decided(demo: Demo, root: Path, *, named: str = TITLE, show: bool = False) -> str:
    """Propose the decision about retries; its id."""
    text = ("--title", named, "--ruling", RULING)
    more = ("--scope", "ferry/retry.py", "--body-file", "../reasons.md")
    told = demo.citator(root, "decide", *text, *more, show=show)
    found = re.search(r"^Written: proposal (\w{26})$", told, re.MULTILINE)
    expect(found is not None, "a proposal is written")
    assert found is not None
    return found[1]


def offered(client: Client, wish: dict[str, Any]) -> str:
    """What an agent proposes; the id of the proposal."""
    reply = client.call("propose_decision", wish)
    expect(reply["status"] == "proposed", "an agent's proposal is a proposal")
    return str(reply["id"])


def served(demo: Demo, root: Path, client: Client, proposed: Proposed) -> None:
    """The signed rulings come first, and so does what was told no."""
    told = demo.citator(root, "ask", ASKED, "--words", "--limit", "1", show=True)
    expect(RULING in told and told.startswith("Told no on "), "a person is told the decision")
    say("\nAnd an agent, before it touches the queue:")
    task = {
        "task": "move the queue to Kafka",
        "paths": ["ferry/queue.py", "ferry/retry.py"],
        "limit": 1,
    }
    answer = client.call("investigate_work", task, "rejections", "decisions")
    expect(answer["rejections"][0]["reason"] == REASON, "the no and its reason travel")
    expect(RULING in [one.get("ruling") for one in answer["decisions"]], "the ruling travels")
    say("\nIt proposes it again all the same, in other letters:")
    reply = client.call("propose_decision", AGAIN)
    expect(reply["status"] == "told_no", "it was told no")
    expect(REFUSED["title"] not in json.dumps(reply), "no word of the proposal comes back")
    stands = client.call("propose_decision", {"id": proposed.kept}, "status")
    expect(stands["status"] == "approved", "the other one is approved")


def tampered(demo: Demo, root: Path) -> None:
    """An edited file is refused, on its branch alone."""
    say("A commit edits the signed file: five becomes fifty.")
    demo.git(root, "switch", "-c", "tidy-up", show=True)
    (file,) = (root / ".citator" / "record").glob("*-keep-the-retry-limit-at-five.md")
    changed = file.read_bytes().replace(b"is tried five times", b"is tried fifty times")
    file.write_bytes(changed)
    demo.git(root, "commit", "--all", "--message", "Tidy up", show=True)
    told = demo.citator(root, "verify", show=True, codes=(4,))
    expect("it no longer says what was first added" in told, "the verifier says what is wrong")
    asked = demo.citator(root, "ask", ASKED, "--words", "--limit", "1")
    expect("fifty" not in asked and "Decision" not in asked, "nothing of it is served")
    say("\nExit code 4, in your CI too; and no decision is served from that branch. On main:")
    demo.git(root, "switch", "main", show=True)
    told = demo.citator(root, "verify", show=True)
    expect(told.startswith("Verified at "), "main is verified")
