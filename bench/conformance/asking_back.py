"""The suite's fixtures that ask their client something before they answer (2026-07-28).

Nothing is remembered between rounds: what was answered already comes back with the call, and what
the server wants to know again comes back in its sealed state.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from mcp import types

Context = ServerRequestContext[Any, Any]

WITH_DEFAULTS: Final[dict[str, Any]] = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_PLAIN: Final = ["option1", "option2", "option3"]
_TITLED: Final = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
CHOICES: Final[dict[str, Any]] = {
    "untitledSingle": {"type": "string", "enum": _PLAIN},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["One", "Two", "Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _PLAIN}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}


def sampling(text: str, most: int) -> dict[str, Any]:
    """Ask a model to go on from ``text``."""
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {
        "method": "sampling/createMessage",
        "params": {"messages": [message], "maxTokens": most},
    }


def elicitation(message: str, properties: dict[str, Any]) -> dict[str, Any]:
    """Ask a person for ``properties``."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


_NAME: Final = elicitation("What is your name?", {"name": {"type": "string"}})
_OK: Final = elicitation("Is it right?", {"ok": {"type": "boolean"}})
_ROOTS: Final[dict[str, Any]] = {"method": "roots/list", "params": {}}
_PREFIX: Final = "test_input_required_result_"

# What each wants to know, and the state it hands out with the question.
QUESTIONS: Final[dict[str, tuple[dict[str, dict[str, Any]], str | None]]] = {
    f"{_PREFIX}elicitation": ({"user_name": _NAME}, None),
    f"{_PREFIX}sampling": ({"capital_question": sampling("What is the capital?", 100)}, None),
    f"{_PREFIX}list_roots": ({"client_roots": _ROOTS}, None),
    f"{_PREFIX}request_state": ({"confirm": _OK}, "asked"),
    f"{_PREFIX}tampered_state": ({"confirm": _OK}, "asked"),
    f"{_PREFIX}multiple_inputs": (
        {"user_name": _NAME, "greeting": sampling("Greet", 50), "client_roots": _ROOTS},
        "asked",
    ),
    f"{_PREFIX}capabilities": ({"greeting": sampling("Greet", 50), "user_name": _NAME}, None),
    f"{_PREFIX}prompt": (
        {"user_context": elicitation("About what?", {"context": {"type": "string"}})},
        None,
    ),
    "test_streaming_elicitation": ({"user_name": _NAME}, None),
}
_NEEDS: Final = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}


def asked(questions: dict[str, dict[str, Any]], state: str | None) -> types.InputRequiredResult:
    """A result that asks ``questions``."""
    found: dict[str, Any] = {"resultType": "input_required", "inputRequests": questions}
    if state is not None:
        found["requestState"] = state
    return types.InputRequiredResult.model_validate(found)


def still_wanted(name: str, context: Context, params: Any) -> types.InputRequiredResult | None:
    """What ``name`` has to ask before it can answer; None where everything was answered."""
    questions, state = QUESTIONS[name]
    answered = params.input_responses or {}
    wanted = {key: question for key, question in questions.items() if key not in answered}
    if name.endswith("capabilities"):
        able = context.session.client_capabilities
        wanted = {
            key: question
            for key, question in wanted.items()
            if getattr(able, _NEEDS[question["method"]], None) is not None
        }
    if wanted:
        return asked(wanted, state)
    if state is not None and params.request_state != state:
        raise MCPError(code=types.INVALID_PARAMS, message="not the state that was handed out")
    return None


def _done(text: str = "state-ok") -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


async def _answer(context: Context, params: Any) -> Any:
    return still_wanted(params.name, context, params) or _done()


async def _rounds(_: Context, params: Any) -> Any:
    """Two questions, one after the other."""
    answered = params.input_responses or {}
    if params.request_state == "second" and "step2" in answered:
        return _done()
    if params.request_state == "first" and "step1" in answered:
        color = elicitation("Which color?", {"color": {"type": "string"}})
        return asked({"step2": color}, "second")
    return asked({"step1": _NAME}, "first")


async def _demand(context: Context, _: Any) -> Any:
    """Refuse a client that cannot sample."""
    able = context.session.client_capabilities
    if able is None or able.sampling is None:
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="needs sampling",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return _done()


TOOLS: Final[dict[str, Callable[[Context, Any], Awaitable[Any]]]] = {
    **dict.fromkeys((name for name in QUESTIONS if not name.endswith("prompt")), _answer),
    f"{_PREFIX}multi_round": _rounds,
    "test_missing_capability": _demand,
}
