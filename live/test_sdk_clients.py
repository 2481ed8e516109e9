"""Two SDKs that share no code with each other ask, read and prompt in both eras."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from tests.mcp.conftest import CACHE_QUESTION
from tests.mcp.serving import TOOL_NAMES

from live.conftest import PATIENCE, User, node
from mcp import Client, StdioServerParameters, types

PROMPTS = ["why", "before-you-change"]


def is_cited(user: User, found: dict[str, Any]) -> None:
    """Check that the answer leads with the commit that says why, and quotes it."""
    answer = found["answer"]
    assert answer["status"] == "complete"
    assert answer["evidence"][0]["locator"] == user.cache
    assert "took forty seconds" in answer["texts"][0]["text"]


def is_offered(found: dict[str, Any]) -> None:
    """Check that the first evidence is completed and read by its address, and the prompts there."""
    first = found["answer"]["evidence"][0]["ref"]
    assert found["resources"] == []
    assert found["completed"] == [first]
    assert found["read"]["mimeType"] == "application/json"
    assert json.loads(found["read"]["text"]) == found["answer"]["texts"][0]
    assert found["prompts"] == PROMPTS
    assert found["prompt"].endswith(f"Question: {CACHE_QUESTION}")


@pytest.mark.parametrize(
    ("mode", "era"),
    [("v1", "legacy"), ("legacy", "legacy"), ("auto", "modern"), ("modern", "modern")],
)
def test_the_javascript_sdk_asks(user: User, mode: str, era: str) -> None:
    said = user.run(*node("sdk_client.mjs", mode, CACHE_QUESTION, str(user.tap), "serve"))
    found = json.loads(said.splitlines()[-1])
    assert (found["era"], found["tools"]) == (era, TOOL_NAMES)
    answer = found["answer"]
    assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]
    found["answer"] = answer["structuredContent"]
    is_cited(user, found)
    is_offered(found)
    assert ("initialize" in user.asked()) is (era == "legacy")


@pytest.mark.parametrize(("mode", "era"), [("legacy", "legacy"), ("auto", "modern")])
def test_the_python_sdk_asks(user: User, mode: str, era: str) -> None:
    server = StdioServerParameters(
        command=str(user.tap), args=["serve"], env=user.environment(), cwd=user.root
    )

    async def main() -> dict[str, Any]:
        async with Client(server, mode=mode, read_timeout_seconds=PATIENCE) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOL_NAMES
            arguments = {"task": CACHE_QUESTION, "read": 1}
            called = await client.call_tool("investigate_work", arguments)
            answer = called.structured_content
            assert isinstance(answer, dict)
            return {"answer": answer, **await offered(client, answer["evidence"][0]["ref"])}

    found = anyio.run(main)
    is_cited(user, found)
    is_offered(found)
    assert ("initialize" in user.asked()) is (era == "legacy")


async def offered(client: Client, ref: str) -> dict[str, Any]:
    """What is offered beside the tools, as the client got it."""
    (template,) = (await client.list_resource_templates()).resource_templates
    about = types.ResourceTemplateReference(uri=template.uri_template)
    completed = await client.complete(about, {"name": "ref", "value": ref[:20]})
    address = template.uri_template.replace("{ref}", ref.replace(":", "%3A"))
    (content,) = (await client.read_resource(address)).contents
    prompt = await client.get_prompt("why", {"question": CACHE_QUESTION})
    said = prompt.messages[0].content
    assert isinstance(said, types.TextContent)
    return {
        "resources": (await client.list_resources()).resources,
        "completed": completed.completion.values,
        "read": content.model_dump(by_alias=True),
        "prompts": [one.name for one in (await client.list_prompts()).prompts],
        "prompt": said.text,
    }
