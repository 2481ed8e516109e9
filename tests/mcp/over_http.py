"""A real HTTP server process, spoken to by bare requests."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from types import TracebackType
from typing import Any

from citator.service.workspace import Places, Workspace
from tests.mcp.serving import ENVELOPE, HANDSHAKE, PATIENCE, Era, Home

ACCEPT = "application/json, text/event-stream"
MODERN = "2026-07-28"


def name_of(root: Path, home: Home) -> str:
    """The name under which the repository at ``root`` is registered (now, if it was not)."""
    return Workspace.open(root, Places(home.data, home.config)).place.directory.name


@dataclass
class HttpServer:
    """A running server. ``said`` is all of its standard error so far."""

    home: Home
    options: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    said: str = ""
    port: int = 0

    def __enter__(self) -> HttpServer:
        serve = ["serve", "--http", "--port", "0", *self.options]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "citator", *serve],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.home.environment(**self.extra),
        )
        self._lines: Queue[str] = Queue()
        self._listener = threading.Thread(target=self._overhear, daemon=True)
        self._listener.start()
        first = self._lines.get(timeout=PATIENCE)
        found = re.match(r"citator: serving on http://127\.0\.0\.1:(\d+) ", first)
        assert found, f"the server ended: {first}"
        self.port = int(found[1])
        return self

    def _overhear(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line.decode("utf-8", "replace")
            self._lines.put(line.decode("utf-8", "replace"))
        self._lines.put("")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.wait()

    def wait(self) -> int:
        """Wait for the server to end; its exit code."""
        code = self.process.wait(PATIENCE)
        self._listener.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code

    @property
    def complaints(self) -> list[str]:
        """What it said besides where everything is."""
        told = re.compile(
            r"citator: (serving on http:|token in |http:\S+ serves |no repository is )"
        )
        return [line for line in self.said.splitlines() if not told.match(line)]

    @property
    def token(self) -> str:
        """What the owner reads in the file."""
        return (self.home.data / "http-token").read_text().strip()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}/mcp"

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def headers(self, **headers: str) -> dict[str, str]:
        """What an honest client sends, changed by ``headers``; "" leaves one out."""
        honest = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": ACCEPT,
        }
        return {name: value for name, value in {**honest, **headers}.items() if value}

    def status(self, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> int:
        """The status of one request; its answer is read to the end."""
        connection = self.connect()
        try:
            connection.request(method, path, body or None, self.headers(**headers))
            with connection.getresponse() as response:
                response.read()
                return response.status
        finally:
            connection.close()


@dataclass
class Caller:
    """Speaks to one room in one era, request by request."""

    server: HttpServer
    name: str
    era: Era
    session: dict[str, str] = field(default_factory=dict)
    _last_id: int = 0

    def open(self) -> Caller:
        """Shake hands, where the era does."""
        if self.era == "legacy":
            connection, _ = self.begin("initialize", HANDSHAKE)
            with connection.getresponse() as response:
                assert response.status == 200
                session = response.headers["Mcp-Session-Id"]
                assert "2025-11-25" in response.read().decode()
            connection.close()
            self.session = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
            self.notify("notifications/initialized", {})
        return self

    def begin(self, method: str, params: dict[str, Any]) -> tuple[http.client.HTTPConnection, int]:
        """Send a request and do not wait: its connection and its id."""
        self._last_id += 1
        if self.era == "modern":
            params = {**params, "_meta": ENVELOPE}
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        return self._post(message), self._last_id

    def notify(self, method: str, params: dict[str, Any]) -> None:
        connection = self._post({"jsonrpc": "2.0", "method": method, "params": params})
        with connection.getresponse() as response:
            assert response.status == 202
        connection.close()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The object or the typed error that a tool call answers with."""
        connection, number = self.begin("tools/call", {"name": tool, "arguments": arguments})
        with connection.getresponse() as response:
            assert response.status == 200
            body = response.read()
            if response.headers["Content-Type"].startswith("text/event-stream"):
                (line,) = [one for one in body.splitlines() if one.startswith(b"data: {")]
                body = line.removeprefix(b"data: ")
        connection.close()
        answer = json.loads(body)
        assert answer["id"] == number
        found = json.loads(answer["result"]["content"][0]["text"])
        assert isinstance(found, dict)
        return found

    def _post(self, message: dict[str, Any]) -> http.client.HTTPConnection:
        headers = self.server.headers(**self.session)
        if self.era == "modern":
            headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
            if message["method"] == "tools/call":
                headers["Mcp-Name"] = message["params"]["name"]
        connection = self.server.connect()
        connection.request("POST", f"/{self.name}/mcp", json.dumps(message), headers)
        return connection
