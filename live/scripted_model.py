"""A stand-in for a language model, so that a real agent calls a real tool without one.

It speaks the four wire formats of the agents (Anthropic messages, OpenAI responses and chat
completions, Gemini) just far enough: offered the tool of its script (``investigate_work`` with
the question, unless told otherwise), it calls it once; shown what the tool answered, it replies
with the first reference in it. Where the agent still waits for its servers, it calls the tool that
makes the agent wait for them, too. Nothing else is understood, and nothing is judged.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NamedTuple

REFERENCE: Final = re.compile(r"commit:v1:[0-9a-f]{64}")
PATIENCE: Final = 12
WITHOUT: Final = "NO TOOL WAS OFFERED"
UNANSWERED: Final = "NO CALL WAS ANSWERED WITH A REFERENCE"


class Script(NamedTuple):
    """The call that a model makes, and what of the answer it repeats."""

    tool: str
    arguments: dict[str, Any]
    repeats: re.Pattern[str] = REFERENCE

    def waiting(self) -> dict[str, dict[str, Any]]:
        """The tools with which an agent waits for its servers, and what each is given."""
        return {
            "ToolSearch": {"query": f"select:mcp__citator__{self.tool}"},
            "list_mcp_resources": {"server": "citator"},
        }


class Turn(NamedTuple):
    """What the model does: call ``tool`` if there is one, else say ``text``."""

    tool: str | None
    text: str
    arguments: dict[str, Any]
    number: int
    namespace: str | None = None


def turn_for(request: dict[str, Any], question: str, script: Script) -> Turn:
    """The turn that follows ``request``, whichever format it has."""
    conversation = json.dumps(
        [request.get(key) for key in ("messages", "input", "contents") if key in request]
    )
    number = len(conversation)  # agents take two turns of one id for one
    found = script.repeats.search(conversation)
    if found:
        return Turn(None, f"It says why: {found[0]}", {}, number)
    if conversation.count(question) > PATIENCE:
        return Turn(None, UNANSWERED, {}, number)
    offered = dict(names(request.get("tools", []), None))
    for name, namespace in offered.items():
        if name.endswith(script.tool):
            if conversation.count(f'"{name}"') > PATIENCE:
                return Turn(None, UNANSWERED, {}, number)
            return Turn(name, "", script.arguments, number, namespace)
    for name, arguments in script.waiting().items():
        if name in offered and conversation.count(name) < PATIENCE:
            return Turn(name, "", arguments, number)
    return Turn(None, WITHOUT, {}, number)


def names(value: object, namespace: str | None) -> Iterator[tuple[str, str | None]]:
    """Every name in a list of tools, however deep, with the namespace it stands in."""
    if isinstance(value, list):
        for item in value:
            yield from names(item, namespace)
    elif isinstance(value, dict):
        if isinstance(value.get("name"), str):
            yield value["name"], namespace
        inside = value.get("name") if value.get("type") == "namespace" else namespace
        for key in ("function", "functionDeclarations", "tools"):
            yield from names(value.get(key), inside)


def anthropic(turn: Turn) -> list[dict[str, Any]]:
    """A streamed message."""
    if turn.tool:
        block: dict[str, Any] = {
            "type": "tool_use",
            "id": f"t{turn.number}",
            "name": turn.tool,
            "input": {},
        }
        delta = {"type": "input_json_delta", "partial_json": json.dumps(turn.arguments)}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": turn.text}
    usage = {"input_tokens": 1, "output_tokens": 1}
    reason = "tool_use" if turn.tool else "end_turn"
    ending = {"stop_reason": reason, "stop_sequence": None}
    message: dict[str, Any] = {"type": "message", "role": "assistant", "model": "scripted"}
    start: dict[str, Any] = {
        "id": f"m{turn.number}",
        "content": [],
        "stop_reason": None,
        "usage": usage,
    }
    return [
        {"type": "message_start", "message": {**message, **start}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def responses(turn: Turn) -> list[dict[str, Any]]:
    """A streamed response."""
    if turn.tool:
        item: dict[str, Any] = {
            "type": "function_call",
            "id": f"f{turn.number}",
            "call_id": f"c{turn.number}",
            "name": turn.tool,
            "arguments": json.dumps(turn.arguments),
        }
        if turn.namespace:
            item["namespace"] = turn.namespace
    else:
        text = {"type": "output_text", "text": turn.text, "annotations": []}
        item = {"type": "message", "id": f"m{turn.number}", "role": "assistant", "content": [text]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    begun = {"id": f"r{turn.number}"}
    ended = {**begun, "output": [], "usage": usage}
    return [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": ended},
    ]


def chat(turn: Turn) -> list[dict[str, Any]]:
    """A streamed chat completion."""
    if turn.tool:
        function = {"name": turn.tool, "arguments": json.dumps(turn.arguments)}
        call = {"index": 0, "id": f"c{turn.number}", "type": "function", "function": function}
        delta: dict[str, Any] = {"role": "assistant", "tool_calls": [call]}
    else:
        delta = {"role": "assistant", "content": turn.text}
    head = {
        "id": f"x{turn.number}",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
    }
    reason = "tool_calls" if turn.tool else "stop"
    return [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
    ]


def gemini(turn: Turn) -> list[dict[str, Any]]:
    """A streamed generation."""
    part: dict[str, Any] = {"text": turn.text}
    if turn.tool:
        part = {"functionCall": {"name": turn.tool, "args": turn.arguments}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [
        {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": usage,
        }
    ]


@contextmanager
def scripted_model(
    question: str, heard: list[dict[str, Any]] | None = None, script: Script | None = None
) -> Iterator[str]:
    """The base address of a model on the loopback, which is asked ``question``, in the block.

    What it is sent is added to ``heard``; without a ``script`` it asks the question in turn.
    """
    follows = script or Script("investigate_work", {"task": question})

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self.answer(b'{"data":[],"models":[]}', "application/json")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                request = json.loads(body)
            except ValueError:
                request = {}
            if heard is not None:
                heard.append(request)
            turn = turn_for(request, question, follows)
            path = self.path.split("?")[0]
            if "streamGenerateContent" in path:
                self.stream(gemini(turn))
            elif "generateContent" in path:
                self.answer(json.dumps(gemini(turn)[0]).encode(), "application/json")
            elif path.endswith("/messages"):
                self.stream(anthropic(turn))
            elif path.endswith("/responses"):
                self.stream(responses(turn))
            elif path.endswith("/chat/completions"):
                self.stream(chat(turn), "data: [DONE]\n\n")
            else:
                self.answer(b'{"input_tokens":1,"totalTokens":1}', "application/json")

        def stream(self, events: list[dict[str, Any]], ending: str = "") -> None:
            lines = []
            for event in events:
                kind = f"event: {event['type']}\n" if "type" in event else ""
                lines.append(f"{kind}data: {json.dumps(event)}\n\n")
            self.answer(("".join(lines) + ending).encode(), "text/event-stream")

        def answer(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
