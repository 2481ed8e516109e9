"""Proposals that one client makes at the same time do not get in each other's way.

Codex lets calls of one server overlap where its configuration says that they may, and ours does.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.mcp.serving import ERAS, Era, Home, Server
from tests.support.builder import Builder

HOW_MANY = 6


@pytest.mark.parametrize("era", ERAS)
def test_proposals_made_at_once_are_all_kept(era: Era, tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "repository")
    builder.write("cache.py", "1").commit("Key the cache by blob id\n\nA switch parsed all again.")
    with Server(builder.path, Home.under(tmp_path)) as server:
        speaker = server.open(era)
        asked = {}
        for number in range(HOW_MANY):
            title = f"Decision number {number}"
            wish = {"title": title, "ruling": f"Rule {number} holds.", "body": "It was measured.\n"}
            call = {"name": "propose_decision", "arguments": wish}
            asked[speaker.request("tools/call", call)] = title
        answers = {
            message["id"]: message["result"] for message in (server.receive() for _ in asked)
        }
        assert set(answers) == set(asked)
        found = [answers[number]["structuredContent"] for number in asked]
        assert [one["status"] for one in found] == ["proposed"] * HOW_MANY
        assert len({one["id"] for one in found}) == HOW_MANY
        for one in found:
            assert speaker.answer("propose_decision", id=one["id"])["digest"] == one["digest"]
        assert server.leave() == 0
        assert server.complaints == ""
    written = [path.read_text("utf-8") for path in proposals(builder.path)]
    assert len(written) == HOW_MANY
    for title in asked.values():
        assert sum(json.dumps(title)[1:-1] in text for text in written) == 1


def proposals(root: Path) -> list[Path]:
    """The files of all proposals below ``root``."""
    return sorted(path for path in (root / ".citator" / "proposals").rglob("*") if path.is_file())


def test_two_servers_propose_into_one_ledger(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "repository")
    builder.write("cache.py", "1").commit("Key the cache by blob id\n\nA switch parsed all again.")
    home = Home.under(tmp_path)
    with Server(builder.path, home) as one, Server(builder.path, home) as other:
        speakers = [server.open("modern") for server in (one, other)]
        for number in range(HOW_MANY):
            for speaker in speakers:
                title = f"Decision {number} of {speakers.index(speaker)}"
                wish = {"title": title, "ruling": "It holds.", "body": "Measured.\n"}
                speaker.request("tools/call", {"name": "propose_decision", "arguments": wish})
        answers = [server.receive() for server in (one, other) for _ in range(HOW_MANY)]
        told = [answer["result"]["structuredContent"]["status"] for answer in answers]
        assert told == ["proposed"] * (2 * HOW_MANY)
    assert len(proposals(builder.path)) == 2 * HOW_MANY
