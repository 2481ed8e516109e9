"""The product's server with what the conformance suite wants to find in one, for tests alone.

    python -m bench.conformance.fixtures serve --http ...

starts ``citator serve --http`` and hands each of its servers to :func:`furnished` first. The suite
asks for tools, resources and prompts of its own; they stand here and never in the product. What
is not theirs goes to the product's handlers, so that transport, sessions, protocol eras, lists,
errors and what the product itself offers are the product's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final
from unittest.mock import patch

import anyio
from bench.conformance import asking_back
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from citator.mcp import http_rooms
from citator.mcp.server import Service, make_server
from mcp import types

Context = ServerRequestContext[Any, Any]
Handler = Callable[[Context, Any], Awaitable[Any]]

PIXEL: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAA"
    "DUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
SILENCE: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
PAUSE: Final = 0.05
EMPTY: Final[dict[str, Any]] = {"type": "object", "additionalProperties": False}
SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
WORD: Final = {"type": "string"}
MIRRORED: Final = {"type": "object", "properties": {"word": {**WORD, "x-mcp-header": "Word"}}}

TEXT: Final = {"type": "text", "text": "A word of the fixture."}
IMAGE: Final = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO: Final = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}
STATIC: Final[dict[str, dict[str, Any]]] = {
    "test://static-text": {"mimeType": "text/plain", "text": "A text of the fixture."},
    "test://static-binary": {"mimeType": "image/png", "blob": PIXEL},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Nothing happens here."},
}
EMBEDDED: Final = {
    "type": "resource",
    "resource": {"uri": "test://embedded-resource", **STATIC["test://static-text"]},
}
CONTENTS: Final[dict[str, list[dict[str, Any]]]] = {
    "test_simple_text": [TEXT],
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [EMBEDDED],
    "test_multiple_content_types": [TEXT, IMAGE, EMBEDDED],
    "test_custom_headers": [TEXT],
    "json_schema_2020_12_tool": [TEXT],
}
PROMPTS: Final[dict[str, tuple[list[str], list[dict[str, Any]]]]] = {
    "test_simple_prompt": ([], [TEXT]),
    "test_prompt_with_arguments": (["arg1", "arg2"], []),
    "test_prompt_with_embedded_resource": (["resourceUri"], [EMBEDDED, TEXT]),
    "test_prompt_with_image": ([], [IMAGE, TEXT]),
    "test_input_required_result_prompt": ([], [TEXT]),
}


def said(*content: dict[str, Any], is_error: bool = False) -> types.CallToolResult:
    """A result of these blocks."""
    return types.CallToolResult.model_validate({"content": list(content), "isError": is_error})


async def fail(_: Context, __: Any) -> types.CallToolResult:
    """A tool that always fails."""
    return said(TEXT, is_error=True)


async def log(context: Context, _: Any) -> types.CallToolResult:
    """Three lines to the client's log."""
    for line in ("begun", "going on", "done"):
        await context.session.send_log_message("info", line, related_request_id=context.request_id)
        await anyio.sleep(PAUSE)
    return said(TEXT)


async def progress(context: Context, _: Any) -> types.CallToolResult:
    """Three reports to who listens."""
    for at in (0, 50, 100):
        await context.session.report_progress(at, 100)
        await anyio.sleep(PAUSE)
    return said(TEXT)


async def sample(context: Context, given: dict[str, Any]) -> types.CallToolResult:
    """Ask the client's model, in the handshake eras."""
    asked = asking_back.sampling(given["prompt"], 100)
    found = await _ask(context, asked, types.CreateMessageResult)
    return said({"type": "text", "text": found.model_dump_json(by_alias=True)})


def eliciting(properties: dict[str, Any] | None = None) -> Handler:
    """A tool that asks the client's user, in the handshake eras, for ``properties``."""

    async def elicit(context: Context, given: dict[str, Any]) -> types.CallToolResult:
        wanted = properties or {"username": WORD, "email": WORD}
        asked = asking_back.elicitation(given.get("message", "?"), wanted)
        found = await _ask(context, asked, types.ElicitResult)
        return said({"type": "text", "text": found.model_dump_json(by_alias=True)})

    return elicit


async def _ask(context: Context, asked: dict[str, Any], answer: type[Any]) -> Any:
    kind = types.CreateMessageRequest if "sampling" in asked["method"] else types.ElicitRequest
    about = ServerMessageMetadata(related_request_id=context.request_id)
    return await context.session.send_request(kind.model_validate(asked), answer, metadata=about)


TOOLS: Final[dict[str, Handler]] = {
    "test_error_handling": fail,
    "test_tool_with_logging": log,
    "test_logging_tool": log,
    "test_tool_with_progress": progress,
    "test_sampling": sample,
    "test_elicitation": eliciting(),
    "test_elicitation_sep1034_defaults": eliciting(asking_back.WITH_DEFAULTS),
    "test_elicitation_sep1330_enums": eliciting(asking_back.CHOICES),
    **asking_back.TOOLS,
}


def _schema_of(name: str) -> dict[str, Any]:
    if name in TOOLS:
        return {"type": "object"}
    return {"json_schema_2020_12_tool": SCHEMA, "test_custom_headers": MIRRORED}.get(name, EMPTY)


def furnished(server: Server[Any]) -> Server[Any]:
    """``server`` with the suite's own things in it."""
    furniture = (
        ("tools/list", types.PaginatedRequestParams, _list_tools),
        ("tools/call", types.CallToolRequestParams, _call_tool),
        ("resources/list", types.PaginatedRequestParams, _list_resources),
        ("resources/read", types.ReadResourceRequestParams, _read_resource),
        ("prompts/list", types.PaginatedRequestParams, _list_prompts),
        ("prompts/get", types.GetPromptRequestParams, _get_prompt),
        ("completion/complete", types.CompleteRequestParams, _complete),
    )
    for method, params, made in furniture:
        entry = server.get_request_handler(method)
        assert entry is not None
        server.add_request_handler(method, params, made(entry.handler))
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _accept)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, _accept)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, _accept)
    boundary = RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=server.name)
    server.middleware.append(boundary)
    return server


async def _accept(_: Context, __: Any) -> types.EmptyResult:
    return types.EmptyResult()


def _list_tools(own: Handler) -> Handler:
    more = [
        types.Tool(name=name, description="Of the fixture", input_schema=_schema_of(name))
        for name in (*CONTENTS, *TOOLS)
    ]

    async def handle(context: Context, params: Any) -> Any:
        listed = await own(context, params)
        return listed.model_copy(update={"tools": [*listed.tools, *more]})

    return handle


def _call_tool(own: Handler) -> Handler:
    async def handle(context: Context, params: Any) -> Any:
        if params.name in CONTENTS:
            return said(*CONTENTS[params.name])
        if params.name not in TOOLS:
            return await own(context, params)
        if params.name in asking_back.TOOLS:
            return await TOOLS[params.name](context, params)
        return await TOOLS[params.name](context, params.arguments or {})

    return handle


def _list_resources(own: Handler) -> Handler:
    more = [types.Resource(uri=uri, name=uri.rpartition("/")[2]) for uri in STATIC]

    async def handle(context: Context, params: Any) -> Any:
        listed = await own(context, params)
        return listed.model_copy(update={"resources": [*listed.resources, *more]})

    return handle


def _read_resource(own: Handler) -> Handler:
    async def handle(context: Context, params: Any) -> Any:
        content = STATIC.get(params.uri)
        number = params.uri.removeprefix("test://template/").removesuffix("/data")
        if number.isdecimal():
            content = {"mimeType": "application/json", "text": f'{{"id":"{number}"}}'}
        if content is None:
            return await own(context, params)
        return types.ReadResourceResult.model_validate(
            {"contents": [{"uri": params.uri, **content}]}
        )

    return handle


def _list_prompts(own: Handler) -> Handler:
    more = [
        types.Prompt(
            name=name,
            description="Of the fixture",
            arguments=[types.PromptArgument(name=one, required=True) for one in wanted],
        )
        for name, (wanted, _) in PROMPTS.items()
    ]

    async def handle(context: Context, params: Any) -> Any:
        listed = await own(context, params)
        return listed.model_copy(update={"prompts": [*listed.prompts, *more]})

    return handle


def _get_prompt(own: Handler) -> Handler:
    async def handle(context: Context, params: Any) -> Any:
        if params.name not in PROMPTS:
            return await own(context, params)
        if params.name in asking_back.QUESTIONS:
            asked = asking_back.still_wanted(params.name, context, params)
            if asked is not None:
                return asked
        wanted, content = PROMPTS[params.name]
        given = params.arguments or {}
        if missing := [name for name in wanted if name not in given]:
            raise MCPError(code=types.INVALID_PARAMS, message=f"missing: {missing}")
        blocks = content or [{"type": "text", "text": " ".join(given[name] for name in wanted)}]
        return types.GetPromptResult.model_validate(
            {"messages": [{"role": "user", "content": block} for block in blocks]}
        )

    return handle


def _complete(own: Handler) -> Handler:
    async def handle(context: Context, params: Any) -> Any:
        if getattr(params.ref, "name", None) not in PROMPTS:
            return await own(context, params)
        values = [f"{params.argument.value}-{number}" for number in (1, 2)]
        return types.CompleteResult(completion=types.Completion(values=values))

    return handle


def main() -> None:
    """Run the product's command line with furnished servers."""
    from citator.__main__ import main as command

    def made(service: Service) -> Server[Any]:
        return furnished(make_server(service))

    with patch.object(http_rooms, "make_server", made):
        command()


if __name__ == "__main__":
    main()
