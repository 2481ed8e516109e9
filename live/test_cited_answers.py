"""A question asked inside each agent ends in an answer that cites the commit that says why.

The agent, its permissions, its tool loop and the server are real; only the model is scripted.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.mcp.conftest import CACHE_QUESTION
from tests.mcp.serving import TOOL_NAMES

from live.agents import AGENTS, trust
from live.conftest import User
from live.scripted_model import names, scripted_model


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_answers_with_a_reference(user: User, agent: str) -> None:
    user.citator("clients", "write", agent)
    if agent == "gemini-cli":
        trust(user.home, user.root)
    with scripted_model(CACHE_QUESTION) as model:
        command, environment = AGENTS[agent](CACHE_QUESTION, model)
        user.extra.update(environment)
        said = user.run(*command)
    assert "tools/list" in user.asked()
    (called,) = [message for message in user.heard("to") if message.get("method") == "tools/call"]
    assert called["params"]["name"] == "investigate_work"
    (answer,) = [message for message in user.heard("from") if message.get("id") == called["id"]]
    first = answer["result"]["structuredContent"]["evidence"][0]
    assert first["locator"] == user.cache
    assert f"It says why: {first['ref']}" in said


def test_a_prompt_reaches_the_model_with_all_that_was_typed(user: User) -> None:
    user.citator("clients", "write", "claude-code")
    heard: list[dict[str, Any]] = []
    with scripted_model(CACHE_QUESTION, heard) as model:
        command, environment = AGENTS["claude-code"](f"/mcp__citator__why {CACHE_QUESTION}", model)
        user.extra.update(environment)
        user.extra["MCP_CONNECTION_NONBLOCKING"] = "0"  # a busy machine lists prompts too late
        said = user.run(*command)
    assert "prompts/get" in user.asked()
    assert "It says why: commit:v1:" in said
    sent = json.dumps([request.get("messages") for request in heard])
    assert "Answer the question below from this repository's recorded history" in sent
    assert f"<command-args>{CACHE_QUESTION}</command-args>" in sent


def test_prompts_and_resources_cost_a_model_nothing(user: User) -> None:
    user.citator("clients", "write", "claude-code")
    heard: list[dict[str, Any]] = []
    with scripted_model(CACHE_QUESTION, heard) as model:
        command, environment = AGENTS["claude-code"](CACHE_QUESTION, model)
        user.extra.update(environment)
        user.run(*command)
    offered = {name for request in heard for name, _ in names(request.get("tools", []), None)}
    assert {name for name in offered if "citator" in name or "Mcp" in name} == {
        f"mcp__citator__{name}" for name in TOOL_NAMES
    }
