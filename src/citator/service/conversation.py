"""What a check asks of a server, over whatever transport it is spoken to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Protocol

from citator.model.plain import is_plain

TASK: Final = "why is it like this"


class Conversation(Protocol):
    """One client's side, over whatever transport."""

    def open(self, era: str) -> float: ...

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]: ...


def tools_of(exchange: Conversation) -> tuple[str, ...]:
    """The plain names of the tools that are listed."""
    listed = exchange.ask("tools/list").get("tools")
    names = [tool.get("name") for tool in listed or [] if isinstance(tool, dict)]
    return tuple(name for name in names if isinstance(name, str) and is_plain(name))


def answer_of(exchange: Conversation) -> str | None:
    """The status of a real call, or the code of its error."""
    arguments = {"task": TASK, "limit": 1}
    result = exchange.ask("tools/call", {"name": "investigate_work", "arguments": arguments})
    found = _content(result)
    error = found.get("error")
    word = error.get("code") if isinstance(error, dict) else found.get("status")
    return word if isinstance(word, str) and is_plain(word) else None


def _content(result: Mapping[str, Any]) -> dict[str, Any]:
    try:
        found = json.loads(result["content"][0]["text"])
    except (KeyError, IndexError, TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
