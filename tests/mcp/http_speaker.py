"""Speaks to a room of an HTTP server over one kept connection, as real clients do."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.mcp.over_http import ACCEPT, MODERN, HttpServer
from tests.mcp.serving import ENVELOPE, HANDSHAKE, Era


@dataclass
class HttpSpeaker:
    """One client in one era. ``heard``, where it is a list, gets every answer, head and body."""

    server: HttpServer
    name: str
    era: Era
    heard: list[str] | None = None
    session: dict[str, str] = field(default_factory=dict)
    _last_id: int = 0

    def __post_init__(self) -> None:
        self._connection = self.server.connect()
        self._token = self.server.token
        if self.era == "legacy":
            version = self.ask("initialize", HANDSHAKE)["result"]["protocolVersion"]
            self.session["MCP-Protocol-Version"] = version
            status, _ = self._posted({"method": "notifications/initialized", "params": {}})
            assert status == 202

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The whole message that answers one request."""
        self._last_id += 1
        given = dict(params or {})
        if self.era == "modern":
            given["_meta"] = ENVELOPE
        status, body = self._posted({"id": self._last_id, "method": method, "params": given})
        assert status in (200, 400, 404), status  # an unknown tool, an unknown method
        answer = json.loads(body)
        assert answer["id"] == self._last_id
        assert isinstance(answer, dict)
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool call."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert isinstance(result, dict)
        return result

    def leave(self) -> None:
        """End the session, where the era has one, and the connection."""
        if "Mcp-Session-Id" in self.session:
            headers = self.server.headers(**self.session)
            self._connection.request("DELETE", f"/{self.name}/mcp", headers=headers)
            with self._connection.getresponse() as response:
                response.read()
        self.drop()

    def drop(self) -> None:
        """Close the connection and leave the session behind."""
        self._connection.close()

    def _posted(self, message: dict[str, Any]) -> tuple[int, bytes]:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "Accept": ACCEPT,
            **self.session,
        }
        if self.era == "modern":
            headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
            params = message["params"]
            if "name" in params or "uri" in params:
                headers["Mcp-Name"] = params.get("name", params.get("uri"))
        body = json.dumps({"jsonrpc": "2.0", **message})
        self._connection.request("POST", f"/{self.name}/mcp", body, headers)
        with self._connection.getresponse() as response:
            answer = response.read()
            if self.heard is not None:
                self.heard.append(f"{response.status} {response.headers}{answer.decode('utf-8')}")
            opened = response.headers.get("Mcp-Session-Id")
            if opened is not None:
                self.session["Mcp-Session-Id"] = opened
            if response.headers.get("Content-Type", "").startswith("text/event-stream"):
                lines = [one for one in answer.splitlines() if one.startswith(b"data: {")]
                answer = lines[-1].removeprefix(b"data: ")
            return response.status, answer
