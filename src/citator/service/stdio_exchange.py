"""Starts a server as a client would and speaks the protocol with it, line by line.

Every wait has an end. What the server prints besides is not read: it could be anything.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import IO, Any, Final

MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
MAX_LINE: Final = 8 * 1024 * 1024
GRACE: Final = 5.0

_CLIENT: Final = {"name": "citator-check", "version": "1"}
ENVELOPE: Final[Mapping[str, Any]] = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": _CLIENT,
}
HANDSHAKE: Final[Mapping[str, Any]] = {
    "protocolVersion": LEGACY,
    "capabilities": {},
    "clientInfo": _CLIENT,
}


class ExchangeError(Exception):
    """The server did not start, did not answer in time, or answered with an error.

    ``reason`` is a sentence of ours.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Exchange:
    """A server process and one client's side of a conversation, in one era.

    ``clock`` gives seconds that only grow; ``patience`` is for the whole conversation.
    """

    def __init__(
        self,
        words: tuple[str, ...],
        cwd: Path,
        environ: Mapping[str, str],
        clock: Callable[[], float],
        patience: float,
    ) -> None:
        self._clock = clock
        self.started = clock()
        self._deadline = self.started + patience
        self._lines: Queue[bytes] = Queue()
        self._last_id = 0
        self._modern = True
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=cwd,
                env=dict(environ),
            )
        except (OSError, ValueError):
            raise ExchangeError("the command could not be started") from None
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=self._listen, args=(self._process.stdout,), name="citator-check", daemon=True
        )
        self._reader.start()

    def __enter__(self) -> Exchange:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        if not _ended(process):
            process.terminate()
            if not _ended(process):
                process.kill()
                process.wait()
        self._reader.join(GRACE)
        if not self._reader.is_alive():
            process.stdout.close()

    def open(self, era: str) -> float:
        """Shake hands in ``era``; the seconds from the start to the answer."""
        self._modern = era == MODERN
        if self._modern:
            self.ask("server/discover")
        else:
            self.ask("initialize", HANDSHAKE)
        answered = self._clock() - self.started
        if not self._modern:
            self._send({"method": "notifications/initialized"})
        return answered

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result of one request. Raises ExchangeError."""
        self._last_id += 1
        content = dict(params or {})
        if self._modern:
            content["_meta"] = ENVELOPE
        self._send({"id": self._last_id, "method": method, "params": content})
        while True:
            message = self._receive(method)
            if message.get("id") == self._last_id and "method" not in message:
                break
        result = message.get("result")
        if not isinstance(result, dict):
            raise ExchangeError(f"the server answered {method} with an error")
        return result

    def _send(self, message: Mapping[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        assert self._process.stdin is not None
        with suppress(OSError):  # it ended: what it last said, and how, is read next
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def _receive(self, method: str) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=max(0.0, self._deadline - self._clock()))
        except Empty:
            raise ExchangeError(f"the server did not answer {method} in time") from None
        if not line:
            raise self._farewell()
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise ExchangeError("what was started does not speak the protocol")
        return message

    def _farewell(self) -> ExchangeError:
        with suppress(subprocess.TimeoutExpired):
            return ExchangeError(f"the server ended with code {self._process.wait(GRACE)}")
        return ExchangeError("the server closed its output")

    def _listen(self, stream: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while line := stream.readline(MAX_LINE):
                self._lines.put(line)
        self._lines.put(b"")


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the process ends within the grace it has."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
        return True
    return False
