"""A decision proposed inside each agent is a file for a person to review, and nothing more.

The agent, its permissions, its tool loop and the server are real; only the model is scripted.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest
from tests.mcp.conftest import CACHE_QUESTION

from live.agents import AGENTS, trust
from live.conftest import CHECKOUT, User
from live.scripted_model import UNANSWERED, Script, scripted_model

REQUEST: Final = "Write down that the parse cache stays keyed by blob id."
WISH: Final = {
    "title": "Key the parse cache by blob id",
    "ruling": "The parse cache is keyed by blob id, never by path.",
    "body": "A branch switch parsed the whole tree again while it was keyed by path.\n",
    "paths": ["cache.py"],
    "rejected": [{"value": "path and time", "reason": "each checkout looked new"}],
}
ITEM: Final = re.compile(r"(?<=id)\W+([0-9A-HJKMNP-TV-Z]{26})\b")
PROPOSING: Final = Script("propose_decision", WISH, ITEM)


def proposed_with(user: User, agent: str, allowed: str) -> tuple[str, list[dict[str, Any]]]:
    """What ``agent`` says to the request, and the answers to its calls of our tools."""
    user.citator("clients", "write", agent)
    if agent == "gemini-cli":
        trust(user.home, user.root)
    with scripted_model(REQUEST, script=PROPOSING) as model:
        command, environment = AGENTS[agent](REQUEST, model, allowed)
        user.extra.update(environment)
        said = user.run(*command)
    calls = [message for message in user.heard("to") if message.get("method") == "tools/call"]
    assert all(call["params"]["name"] == "propose_decision" for call in calls)
    assert all(call["params"]["arguments"] == WISH for call in calls)
    called = {call["id"] for call in calls}
    answers = [one for one in user.heard("from") if "result" in one and one["id"] in called]
    return said, [one["result"] for one in answers]


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_proposes(user: User, agent: str) -> None:
    said, answers = proposed_with(user, agent, "propose_decision")
    (answer,) = answers
    found = answer["structuredContent"]
    assert found["status"] == "proposed"
    assert found["id"] in said
    (proposal,) = (user.root / ".citator" / "proposals").iterdir()
    assert found["id"] in proposal.name
    assert json.loads(user.citator("decisions", "list", "--json"))["decisions"] == []
    (all_there_is,) = json.loads(user.citator("decisions", "list", "--all", "--json"))["decisions"]
    assert all_there_is["status"] == "proposed"
    assert all_there_is["assurance"]["signature"] == "none"


def on_the_page(client: str, about: str) -> str:
    """The object that the page of ``client`` tells to write, ``about`` being in it."""
    page = (CHECKOUT / "docs" / "how-to" / "clients" / f"{client}.md").read_text("utf-8")
    (found,) = [one for one in re.findall(r"```json\n(.*?)```", page, re.S) if about in one]
    assert isinstance(found, str)
    return found


def test_claude_code_asks_before_it_proposes_as_its_page_says(user: User) -> None:
    settings = user.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(on_the_page("claude-code", "permissions"))
    said, answers = proposed_with(user, "claude-code", "nothing")
    assert answers == []
    assert UNANSWERED in said
    with scripted_model(CACHE_QUESTION) as model:
        command, environment = AGENTS["claude-code"](CACHE_QUESTION, model, "nothing")
        user.extra.update(environment)
        assert "It says why: commit:v1:" in user.run(*command)


def test_opencode_asks_before_it_proposes_as_its_page_says(user: User) -> None:
    folder = user.home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text(on_the_page("opencode", "permission"))
    _, answers = proposed_with(user, "opencode", "nothing")
    assert answers == []
    assert not (user.root / ".citator").exists()


def test_an_agent_that_may_only_ask_cannot_propose(user: User) -> None:
    said, answers = proposed_with(user, "claude-code", "investigate_work")
    assert answers == []
    assert UNANSWERED in said
    assert not (user.root / ".citator").exists()
