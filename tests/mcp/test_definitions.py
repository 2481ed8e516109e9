"""What a client is told is small, closed, honest about itself, and does not change by accident."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from citator.mcp.definitions import INSTRUCTIONS, PROFILES, compact, fingerprint, fingerprints
from citator.mcp.prompts import OFFERED
from citator.mcp.resources import TEMPLATES
from citator.mcp.tools import TOOLS as ALL
from tests.mcp.serving import TOOL_NAMES

TOOLS = PROFILES["all"]
READING = PROFILES["evidence"]


def test_the_evidence_profile_is_the_two_tools_that_write_nothing() -> None:
    assert [tool["name"] for tool in READING] == ["investigate_work", "read_evidence"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in READING)


def test_definitions_stay_within_their_tokens() -> None:
    assert len(compact(list(READING)).encode()) / 4 <= 700
    assert len(compact(list(TOOLS)).encode()) / 4 <= 2472
    sizes = {tool["name"]: len(compact(tool).encode()) / 4 for tool in TOOLS}
    assert sizes["propose_decision"] <= 440
    assert sizes["start_work"] <= 150
    assert sizes["finish_work"] <= 150


def test_instructions_stay_under_500_characters_and_name_every_tool() -> None:
    assert len(INSTRUCTIONS) < 500
    assert INSTRUCTIONS.isascii()
    assert all(tool["name"] in INSTRUCTIONS for tool in TOOLS)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool["name"]))
def test_every_annotation_is_set_because_the_defaults_claim_the_worst(tool: dict[str, Any]) -> None:
    writes = ("propose_decision", "check_change", "remember", "start_work", "finish_work")
    reads = tool["name"] not in writes
    assert tool["annotations"] == {
        "readOnlyHint": reads,
        "destructiveHint": False,
        "idempotentHint": reads,
        "openWorldHint": False,
    }


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool["name"]))
def test_inputs_are_closed_and_nothing_carries_an_automatic_title(tool: dict[str, Any]) -> None:
    assert tool["inputSchema"]["additionalProperties"] is False
    assert not any(isinstance(part.get("title"), str) for part in parts(tool))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool["name"]))
def test_outputs_are_flat(tool: dict[str, Any]) -> None:
    nested = [
        part
        for rule in tool["outputSchema"]["properties"].values()
        for part in parts(rule)
        if "properties" in part
    ]
    assert nested == []


def test_definitions_are_the_ones_that_were_locked() -> None:
    locked = json.loads((files("citator.mcp") / "tools.lock").read_text("utf-8"))
    assert locked == what_is_locked()


def test_a_definition_hides_nothing() -> None:
    """Printable ASCII, no markup, no address: a client shows all of what a model reads."""
    for tool in PROFILES["all"]:
        said = json.dumps(tool, ensure_ascii=False)
        assert said.isascii(), tool["name"]
        assert said.isprintable(), tool["name"]
        assert "](" not in said
        assert "<!--" not in said
        assert "://" not in said


def test_every_tool_is_listed_under_its_own_name_and_can_work() -> None:
    assert [tool.DEFINITION["name"] for tool in ALL.values()] == list(ALL) == TOOL_NAMES
    assert all(callable(tool.work) for tool in ALL.values())


def what_is_locked() -> dict[str, dict[str, str]]:
    """The fingerprints that ``tools.lock`` holds (``scripts/lock_tools.py`` writes them)."""
    prompts = {name: fingerprint([*prompt]) for name, prompt in OFFERED.items()}
    templates = {template["name"]: fingerprint(template) for template in TEMPLATES}
    tools = {profile: fingerprints(profile) for profile in PROFILES}
    return {**tools, "prompts": prompts, "resource templates": templates}


def parts(value: object) -> Iterator[dict[str, Any]]:
    """Every object within a definition."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from parts(inner)
