"""Every way in which something leaves over HTTP: answers, refusals of the door, heads, the log.

A text is a whole answer: its status, its headers and its body. No call asks for words of the
repository, and every request is honest but for what it is refused for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.mcp.http_speaker import HttpSpeaker
from tests.mcp.over_http import HttpServer, name_of
from tests.mcp.serving import ERAS, Era, Home
from tests.support.ways_out import UNKNOWN, Calls, tool_calls

REFUSED: Final = (400, 401, 403, 404, 405, 406, 413, 415, 421, 431)


def over_http(
    root: Path, home: Home, calls: Calls = tool_calls, eras: Sequence[Era] = ERAS
) -> dict[str, str]:
    """What each request is answered with, in each era, and what the server says by itself.

    Asked once as it is, and once with everything logged.
    """
    found: dict[str, str] = {}
    with HttpServer(home, ("--root", str(root))) as server:
        name = name_of(root, home)
        for era in eras:
            heard: list[str] = []
            speaker = HttpSpeaker(server, name, era, heard)
            names = [way for way, _ in _asked(speaker, calls)]
            later = heard[len(heard) - len(names) :]
            found |= {f"{era}, {way}": text for way, text in zip(names, later, strict=True)}
            found |= {f"{era}, opening": "\n".join(heard[: len(heard) - len(names)])}
            speaker.leave()
        found |= dict(_refused(server, name))
    found["standard error"] = server.said
    with HttpServer(home, ("--root", str(root)), {"CITATOR_DEBUG": "1"}) as server:
        for era in eras:
            speaker = HttpSpeaker(server, name, era)
            assert list(_asked(speaker, calls))
            speaker.leave()
        assert list(_refused(server, name))
    found["standard error, everything logged"] = server.said
    return found


def _asked(speaker: HttpSpeaker, calls: Calls) -> Iterator[tuple[str, object]]:
    """Every tool call and failing call, and what is offered beside the tools."""
    yield from calls(speaker)
    missing = {"uri": f"citator://evidence/{UNKNOWN}"}
    template = {"type": "ref/resource", "uri": "citator://evidence/{ref}"}
    begun = {"ref": template, "argument": {"name": "ref", "value": "commit:v1:"}}
    why = {"name": "why", "arguments": {}}
    yield "resources/templates/list", speaker.ask("resources/templates/list")
    yield "resources/read, unknown", speaker.ask("resources/read", missing)
    yield "completion/complete", speaker.ask("completion/complete", begun)
    yield "prompts/list", speaker.ask("prompts/list")
    yield "prompts/get", speaker.ask("prompts/get", why)


def _refused(server: HttpServer, name: str) -> Iterator[tuple[str, str]]:
    """What is answered to whoever may not enter, or says what is no message."""
    path = f"/{name}/mcp"
    modern = {"MCP-Protocol-Version": "2026-07-28"}
    requests: list[tuple[str, str, str, bytes, dict[str, str]]] = [
        ("no token", "POST", path, b"{}", {"Authorization": ""}),
        ("a wrong token", "POST", path, b"{}", {"Authorization": "Bearer x"}),
        ("another name", "POST", path, b"{}", {"Host": "evil.example"}),
        ("another origin", "POST", path, b"{}", {"Origin": "https://evil.example"}),
        ("no such path", "GET", "/", b"", {}),
        ("no such repository", "POST", f"/{'a' * 16}-{'b' * 12}/mcp", b"{}", {}),
        ("no message", "POST", path, b"{}", {}),
        ("no message, modern", "POST", path, b"{}", modern),
        ("no JSON", "POST", path, b"[", {}),
        ("no JSON, modern", "POST", path, b"[", modern),
        ("no such method", "PUT", path, b"{}", {}),
        ("no such session", "POST", path, b"{}", {"Mcp-Session-Id": "0" * 32}),
        ("no such type", "POST", path, b"{}", {"Content-Type": "text/plain"}),
        ("nothing accepted", "POST", path, b"{}", {"Accept": "text/plain"}),
        ("too long a body", "POST", path, b" " * ((1 << 20) + 1), {}),
        ("too long a head", "POST", path, b"{}", {"X": "x" * (1 << 15)}),
    ]
    for way, method, place, body, headers in requests:
        connection = server.connect()
        connection.request(method, place, body or None, server.headers(**headers))
        with connection.getresponse() as response:
            said = response.read().decode("utf-8")
            assert response.status in REFUSED, (way, response.status)
            yield f"refused, {way}", f"{response.status} {response.headers}{said}"
        connection.close()
