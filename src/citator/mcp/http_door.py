"""The door of the HTTP server: every request is judged here before anything reads its body.

In this order, so that a stranger learns nothing:

- the head is of a size that an honest client sends, or 431;
- the Host is this server's own, or 421: a page of the web whose name was rebound to the loopback
  address has another;
- the Origin, where a browser sends one, is this server's own, or 403;
- the bearer token is the one in the owner's file, or 401;
- the path is one repository's, or 404;
- there is room for one more, or 503 with when to try again.

What goes wrong beyond is named by its class on standard error and never told to the client.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from citator.service.http_token import Doorkeeper

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_INSIDE: Final = 128
MAX_HEAD_BYTES: Final = 32 * 1024
RETRY_SECONDS: Final = 1

_PATH: Final = re.compile(r"/([0-9a-f]{16}-[0-9a-f]{12})/mcp")
_BEARER: Final = re.compile(r"bearer +(\S+)", re.IGNORECASE)


def security(port: int) -> TransportSecuritySettings:
    """The names by which this machine calls the server at ``port``, and no others."""
    hosts = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    return TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )


@dataclass(frozen=True)
class House:
    """What stands behind the door: who may enter, where to, and who hears of failures."""

    keeper: Doorkeeper
    find: Callable[[str], Awaitable[ASGIApp | None]]
    report: Callable[[Exception], None]
    most: int = MAX_INSIDE


class Door:
    """An ASGI application that lets requests in; :meth:`close` ends those that are inside."""

    def __init__(self, port: int, house: House) -> None:
        self._security = TransportSecurityMiddleware(security(port))
        self._house = house
        self._inside: set[anyio.CancelScope] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        watched = _Watched(send)
        try:
            await self._answer(scope, receive, watched)
        except ClientDisconnect:
            return
        except Exception as error:
            self._house.report(error)
            if not watched.started:
                await _refused(500)(scope, receive, send)

    def close(self) -> None:
        """End every request that is inside."""
        for scope in self._inside:
            scope.cancel()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        found = await self._stranger(request) or await self._room(scope["path"])
        if not isinstance(found, Response) and len(self._inside) >= self._house.most:
            found = _refused(503, {"Retry-After": str(RETRY_SECONDS)})
        if isinstance(found, Response):
            await found(scope, receive, send)
            return
        with anyio.CancelScope() as inside:
            self._inside.add(inside)
            try:
                await found(scope, receive, send)
            finally:
                self._inside.discard(inside)

    async def _stranger(self, request: Request) -> Response | None:
        """What to tell whoever has no business here; None for who has."""
        if _head_bytes(request.scope) > MAX_HEAD_BYTES:
            return _refused(431)
        foreign = await self._security.validate_request(request)
        if foreign is not None:
            return foreign
        if len(request.headers.getlist("origin")) > 1:
            return _refused(403)
        shown = request.headers.getlist("authorization")
        token = _BEARER.fullmatch(shown[0]) if len(shown) == 1 else None
        if token is None or not self._house.keeper.accepts(token[1].encode("latin-1")):
            return _refused(401, {"WWW-Authenticate": "Bearer"})
        return None

    async def _room(self, path: str) -> ASGIApp | Response:
        named = _PATH.fullmatch(path)
        found = await self._house.find(named[1]) if named else None
        return found or _refused(404)


def _head_bytes(scope: Scope) -> int:
    named = sum(len(name) + len(value) for name, value in scope["headers"])
    return named + len(scope.get("raw_path", b"")) + len(scope.get("query_string", b""))


class _Watched:
    """Sends, and remembers whether a response was begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def __call__(self, message: Message) -> None:
        self.started = True
        await self._send(message)


def _refused(status: int, headers: dict[str, str] | None = None) -> Response:
    return Response(status_code=status, headers=headers)
