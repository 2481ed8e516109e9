"""A real server process on real pipes, spoken to line by line in either era."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from types import TracebackType
from typing import IO, Any, Literal

from tests.support.builder import environment

Era = Literal["legacy", "modern"]
ERAS: tuple[Era, ...] = ("legacy", "modern")
PATIENCE = 120.0
TOOL_NAMES = [
    *("investigate_work", "read_evidence", "why", "locate_files"),
    *("check_change", "propose_decision", "remember", "get_brief"),
    *("start_work", "finish_work"),
]

ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
HANDSHAKE: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@dataclass(frozen=True, slots=True)
class Home:
    """One user's directories: data and configuration, away from the machine's own."""

    data: Path
    config: Path

    @classmethod
    def under(cls, folder: Path) -> Home:
        return cls(folder / "data", folder / "config")

    def environment(self, **extra: str) -> dict[str, str]:
        """An environment in which Citator uses these directories."""
        inherited = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
        own = {"CITATOR_DATA_DIR": str(self.data), "CITATOR_CONFIG_DIR": str(self.config)}
        return environment(**{**inherited, **own, "HOME": str(self.config), **extra})


def command(root: Path) -> list[str]:
    """How a client starts the server of the repository at ``root``."""
    return [sys.executable, "-P", "-m", "citator", "serve", "--root", str(root)]


@dataclass
class Server:
    """A running server. ``heard`` is every byte of its output so far."""

    root: Path
    home: Home
    extra: dict[str, str] = field(default_factory=dict)
    folder: Path | None = None
    options: tuple[str, ...] = ()
    heard: bytes = b""
    complaints: str = ""
    _last_id: int = 0

    def __enter__(self) -> Server:
        self.process = subprocess.Popen(
            [*command(self.root), *self.options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.home.environment(**self.extra),
            cwd=self.folder,
        )
        self._lines: Queue[bytes] = Queue()
        self._threads = [
            threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self._overhear, args=(self.process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        return self

    def _listen(self, stream: IO[bytes]) -> None:
        for line in stream:
            self.heard += line
            self._lines.put(line)
        self._lines.put(b"")

    def _overhear(self, stream: IO[bytes]) -> None:
        for line in stream:
            self.complaints += line.decode("utf-8", "replace")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()

    def leave(self) -> int:
        """Close the server's input and wait for it to end; its exit code."""
        stdin = self.process.stdin
        assert stdin is not None
        if not stdin.closed:
            stdin.close()
        code = self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def line(self) -> bytes:
        """The next line of the server's output."""
        line = self._lines.get(timeout=PATIENCE)
        assert line, f"the server ended: {self.complaints}"
        return line

    def receive(self) -> dict[str, Any]:
        """The next message."""
        found = json.loads(self.line())
        assert isinstance(found, dict)
        return found

    def open(self, era: Era) -> Speaker:
        """Begin to speak in ``era``."""
        speaker = Speaker(self, era)
        if era == "legacy":
            answer = speaker.ask("initialize", HANDSHAKE)
            assert answer["result"]["protocolVersion"] == "2025-11-25"
            self.send({"method": "notifications/initialized"})
        else:
            answer = speaker.ask("server/discover")
            assert answer["result"]["supportedVersions"] == ["2026-07-28"]
        return speaker

    def next_id(self) -> int:
        self._last_id += 1
        return self._last_id


@dataclass(frozen=True)
class Speaker:
    """Speaks to a server in one era."""

    server: Server
    era: Era

    def request(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request and do not wait; its id."""
        params = dict(params or {})
        if self.era == "modern":
            params["_meta"] = ENVELOPE
        number = self.server.next_id()
        self.server.send({"id": number, "method": method, "params": params})
        return number

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and wait for its answer, which must be the next message."""
        number = self.request(method, params)
        answer = self.server.receive()
        assert answer["id"] == number
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool call."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer["result"]
        assert isinstance(result, dict)
        return result

    def answer(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The object a successful call answers with, which must stand in both of its copies."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        (block,) = result["content"]
        found = result["structuredContent"]
        assert json.loads(block["text"]) == found
        assert isinstance(found, dict)
        return found

    def failure(self, tool: str, **arguments: Any) -> dict[str, str]:
        """The typed error of a call that must fail."""
        result = self.call(tool, **arguments)
        assert result["isError"] is True
        assert "structuredContent" not in result
        (block,) = result["content"]
        found = json.loads(block["text"])
        assert set(found) == {"error"}
        assert set(found["error"]) == {"code", "what", "todo"}
        assert isinstance(found["error"], dict)
        return found["error"]
