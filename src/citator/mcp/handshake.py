"""``initialize`` of the older eras, answered before the SDK is imported.

The SDK takes more than a second to import where other work is running, and seconds where a machine
is starved; a client waits for this one answer before it does anything else. So:

- the answer is the one that the SDK gives, byte for byte (a test holds them equal);
- the request stays in line: the SDK gets it too, decides the era by it and answers it, and the
  transport keeps that answer to itself, because it was said already. Should the two differ, it
  says the SDK's as well;
- only a request that is beyond doubt well-formed is answered. The shape is closed, and narrower
  than the SDK's: what is not in it waits for the SDK.

Standard library only.
"""

from __future__ import annotations

import json
from typing import Any, Final

from citator import __version__
from citator.mcp.definitions import INSTRUCTIONS, SERVER_NAME, compact

HANDSHAKES: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MAX_REQUEST: Final = 16 * 1024
CAPABILITIES: Final[dict[str, Any]] = {
    "completions": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}

_LEVELS: Final = 8
_LARGEST: Final = 2**53
_NAMES: Final = frozenset({"name", "title", "version", "description", "websiteUrl"})
_OPEN: Final = frozenset({"experimental", "extensions"})
_NESTED: Final = frozenset({"elicitation", "sampling", "tasks"})


def handshake_answer(line: bytes) -> bytes | None:
    """The answer to a well-formed ``initialize``, else None."""
    if len(line) > MAX_REQUEST:
        return None
    try:
        request = json.loads(line.decode(), object_pairs_hook=_once)
        if not _is_handshake(request):
            return None
        compact(request).encode()  # a half of a surrogate pair is no text to the SDK
        result = handshake(request["params"]["protocolVersion"])
        return compact({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n"
    except (ValueError, RecursionError):  # not JSON, not UTF-8, twice the same key, or deep
        return None


def handshake(wanted: str) -> dict[str, Any]:
    """The ``InitializeResult`` for a client that wants the revision ``wanted``."""
    return {
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "protocolVersion": wanted if wanted in HANDSHAKES else HANDSHAKES[-1],
        "serverInfo": {"name": SERVER_NAME, "version": __version__},
    }


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _is_handshake(request: object) -> bool:
    if not isinstance(request, dict) or set(request) != {"jsonrpc", "id", "method", "params"}:
        return False
    params = request["params"]
    return (
        request["jsonrpc"] == "2.0"
        and request["method"] == "initialize"
        and _is_id(request["id"])
        and isinstance(params, dict)
        and set(params) == {"protocolVersion", "capabilities", "clientInfo"}
        and isinstance(params["protocolVersion"], str)
        and _is_plain(params, _LEVELS)
        and _are_capabilities(params["capabilities"])
        and _is_client(params["clientInfo"])
    )


def _is_id(found: object) -> bool:
    return isinstance(found, str) or (type(found) is int and abs(found) <= _LARGEST)


def _is_client(found: object) -> bool:
    return (
        isinstance(found, dict)
        and {"name", "version"} <= set(found) <= _NAMES
        and all(isinstance(value, str) for value in found.values())
    )


def _are_capabilities(found: object) -> bool:
    return isinstance(found, dict) and all(_is_one(name, value) for name, value in found.items())


def _is_one(name: str, value: object) -> bool:
    if not isinstance(value, dict):
        return False
    if name == "roots":
        return set(value) <= {"listChanged"} and all(type(one) is bool for one in value.values())
    if name in _OPEN:
        return all(isinstance(one, dict) for one in value.values())
    return name in _NESTED and _is_nested(value)


def _is_nested(value: object) -> bool:
    return isinstance(value, dict) and all(_is_nested(one) for one in value.values())


def _is_plain(value: object, levels: int) -> bool:
    """Whether ``value`` holds no number, and nothing deeper than ``levels``."""
    if isinstance(value, dict | list):
        inside = value.values() if isinstance(value, dict) else value
        return levels > 0 and all(_is_plain(one, levels - 1) for one in inside)
    return value is None or isinstance(value, str | bool)
