"""Speaks with this machine's own HTTP server as a client of it would, request by request.

It calls the loopback address and follows nothing elsewhere. Every wait has an end, and what is
read is bounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from types import TracebackType
from typing import Any, Final

from citator.service.stdio_exchange import (
    ENVELOPE,
    HANDSHAKE,
    LEGACY,
    MAX_LINE,
    MODERN,
    ExchangeError,
)

_PIECE: Final = 65_536
_SAID: Final = {
    401: "the server refused the token",
    403: "the server refused the origin",
    404: "the address names no repository that the server knows",
    421: "the server does not answer to the name in the address",
    431: "the server found the headers too long",
    503: "the server is full",
}


class HttpExchange:
    """One client's side of a conversation in one era, over one connection.

    ``target`` is the path; ``token`` what is shown; ``patience`` is for the whole conversation.
    """

    def __init__(
        self,
        host: str,
        port: int,
        target: str,
        token: str,
        clock: Callable[[], float],
        patience: float,
    ) -> None:
        self._clock = clock
        self.started = clock()
        self._deadline = self.started + patience
        self._connection = HTTPConnection(host, port, timeout=patience)
        self._name = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._target = target
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        self._modern = True
        self._last_id = 0

    def __enter__(self) -> HttpExchange:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if "Mcp-Session-Id" in self._headers:
                self._request("DELETE", b"")
        except ExchangeError:
            pass  # the session ends by itself
        finally:
            self._connection.close()

    def open(self, era: str) -> float:
        """Shake hands in ``era``; the seconds from the start to the answer."""
        self._modern = era == MODERN
        if self._modern:
            self._headers["MCP-Protocol-Version"] = MODERN
            self.ask("server/discover")
        else:
            self.ask("initialize", HANDSHAKE)
            self._headers["MCP-Protocol-Version"] = LEGACY
        answered = self._clock() - self.started
        if not self._modern:
            self._post({"method": "notifications/initialized", "params": {}})
        return answered

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result of one request. Raises ExchangeError."""
        self._last_id += 1
        content = dict(params or {})
        if self._modern:
            content["_meta"] = ENVELOPE
        said = self._post({"id": self._last_id, "method": method, "params": content})
        message = _message(said)
        if message.get("id") != self._last_id:
            raise ExchangeError("what answers there does not speak the protocol")
        result = message.get("result")
        if not isinstance(result, dict):
            raise ExchangeError(f"the server answered {method} with an error")
        return result

    def _post(self, message: Mapping[str, Any]) -> bytes:
        if self._modern:
            self._headers["Mcp-Method"] = message["method"]
            self._headers.pop("Mcp-Name", None)
            if message["method"] == "tools/call":
                self._headers["Mcp-Name"] = message["params"]["name"]
        return self._request("POST", json.dumps({"jsonrpc": "2.0", **message}).encode())

    def _request(self, method: str, body: bytes) -> bytes:
        """The body of the answer. Raises ExchangeError."""
        try:
            self._patient()
            headers = {**self._headers, "Host": self._name}
            self._connection.request(method, self._target, body, headers)
            with self._connection.getresponse() as response:
                session = response.headers.get("Mcp-Session-Id")
                if session is not None:
                    self._headers["Mcp-Session-Id"] = session
                said = self._read(response)
        except TimeoutError:
            raise ExchangeError("the server did not answer in time") from None
        except (OSError, HTTPException, ValueError):
            raise ExchangeError("the server could not be reached") from None
        if response.status >= 300:
            told = _SAID.get(response.status, f"the server answered with status {response.status}")
            raise ExchangeError(told)
        return said

    def _read(self, response: HTTPResponse) -> bytes:
        said = b""
        while piece := response.read1(_PIECE):
            said += piece
            if len(said) > MAX_LINE:
                raise ExchangeError("the server says too much")
            self._patient()
        return said

    def _patient(self) -> None:
        """Wait for what is left of the time, and no longer."""
        left = self._deadline - self._clock()
        if left <= 0:
            raise TimeoutError
        self._connection.timeout = left
        if self._connection.sock is not None:
            self._connection.sock.settimeout(left)


def _message(said: bytes) -> dict[str, Any]:
    """The message in an answer, which may come as a stream of one event."""
    lines = [line for line in said.splitlines() if line.startswith(b"data:")]
    try:
        found = json.loads(lines[-1].removeprefix(b"data:") if lines else said)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ExchangeError("what answers there does not speak the protocol")
    return found
