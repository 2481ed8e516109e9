"""A question asked inside each agent ends in an answer that cites the commit that says why.

The agent, its permissions, its tool loop and the server are real; only the model is scripted.
"""

from __future__ import annotations

import pytest
from tests.mcp.conftest import CACHE_QUESTION

from live.agents import AGENTS, trust
from live.conftest import User
from live.scripted_model import scripted_model


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
