"""Our hooks are started by a real agent, and what they say reaches its model.

The agent, its hooks and its tool loop are real; only the model is scripted.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest
from tests.service.test_record import ADA, approved
from tests.support.approving import pin
from tests.support.builder import Builder
from tests.support.record import Ledger

from citator.store.layout import Layout
from citator.trust.pins import Pins
from live.agents import AGENTS
from live.conftest import CHECKOUT, User
from live.scripted_model import Script, scripted_model

REQUEST: Final = "Write the new store."
RULING: Final = "The parse cache is keyed by blob id"
DONE: Final = re.compile(r"File created successfully")


def decided(user: User) -> None:
    """A decision about everything, signed by a key that this user pinned."""
    data = user.home / ".local" / "share" / "citator"
    data.mkdir(parents=True, exist_ok=True)
    Pins(Layout(data)).write(pin(ADA))
    made = Ledger()
    made.decide("Key the parse cache", ruling=RULING, paths=["**"])
    approved(Builder(user.root), made)


def played(user: User) -> list[dict[str, Any]]:
    """What the model is sent while Claude Code writes a new file."""
    heard: list[dict[str, Any]] = []
    wish = {"file_path": str(user.root / "store.py"), "content": "x = 1\n"}
    with scripted_model(REQUEST, heard, Script("Write", wish, DONE)) as model:
        command, environment = AGENTS["claude-code"](REQUEST, model)
        user.extra.update(environment)
        user.run(*command[:-1], "Write", "--tools", "Write")
    assert (user.root / "store.py").read_text() == "x = 1\n"
    return heard


def fired(user: User) -> set[str]:
    hooks = json.loads(user.citator("hooks", "status", "--json"))["hooks"]
    return {one["event"] for each in hooks for one in each["fired"] if one["at"]}


def test_claude_code_starts_installed_hooks_and_its_model_is_told(user: User) -> None:
    decided(user)
    user.citator("hooks", "install", "--client", "claude-code")
    heard = played(user)
    assert "citator brief of" in json.dumps(heard) and RULING in json.dumps(heard)
    assert {"session-start", "before-edit", "session-end"} <= fired(user)


def test_claude_code_starts_the_hooks_of_the_plugin(user: User) -> None:
    decided(user)
    user.run("claude", "plugin", "marketplace", "add", str(CHECKOUT / "plugins"))
    user.run("claude", "plugin", "install", "citator@citator")
    user.citator("hooks", "work")
    heard = played(user)
    assert "citator brief of" in json.dumps(heard) and RULING in json.dumps(heard)


def test_codex_starts_installed_hooks_and_its_model_is_told(user: User) -> None:
    user.citator("hooks", "install", "--client", "codex")
    heard: list[dict[str, Any]] = []
    with scripted_model(REQUEST, heard) as model:
        command, environment = AGENTS["codex"](REQUEST, model)
        user.extra.update(environment)
        user.run(*command[:2], "--dangerously-bypass-hook-trust", *command[2:])
    assert "citator brief of" in json.dumps(heard)
    assert fired(user) == {"session-start", "session-end"}


@pytest.mark.parametrize("folder", ["claude-code", "."])
def test_the_validator_of_claude_code_finds_nothing_wrong(user: User, folder: str) -> None:
    said = user.run("claude", "plugin", "validate", "--strict", str(CHECKOUT / "plugins" / folder))
    assert "Validation passed" in said


def test_the_validator_of_gemini_cli_finds_nothing_wrong(user: User) -> None:
    said = user.run("gemini", "extensions", "validate", str(CHECKOUT / "plugins" / "gemini"))
    assert "successfully validated" in said
