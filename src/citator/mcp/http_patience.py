"""How long a connection may take: whoever speaks slowly, or not at all, holds nothing for long.

A request, its head and its body, arrives whole within a time counted from its first byte, or
from the opening of the connection; else the connection is cut. An answer may take as long as it
takes: a stream of events is none of this.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ARRIVAL_SECONDS: Final = 15.0
_AWAITED: Final = (h11.IDLE, h11.SEND_BODY)


class PatientProtocol(H11Protocol):
    """Uvicorn's protocol, which by itself waits for a request for ever."""

    seconds = ARRIVAL_SECONDS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Go on waiting, or stop: the request is whole."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._rest()

    def _watch(self) -> None:
        if self.conn.their_state not in _AWAITED or self.transport.is_closing():
            self._rest()
        elif self._due is None:
            self._due = self.loop.call_later(self.seconds, self.transport.abort)

    def _rest(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
