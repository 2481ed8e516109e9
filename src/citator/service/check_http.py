"""Which entries that point to an address may be called: those of this machine's own server.

- An address is a word of a file, and a file of the repository is its authors'. Only the port at
  which the server of this data directory runs now is called, by a loopback name.
- The token is compared with the one in the owner's file before anything is sent, so that no
  variable that a file names, and no token, reaches anybody else. No other header is sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from citator.clients.address import Address
from citator.model.inert import inert_line
from citator.service.http_exchange import HttpExchange
from citator.service.http_running import running_port
from citator.service.http_token import Doorkeeper, token_path
from citator.service.workspace import Places

HOSTS: Final = ("127.0.0.1", "localhost", "::1")
_PATH: Final = re.compile(r"/[0-9a-f]{16}-[0-9a-f]{12}/mcp")
_BEARER: Final = re.compile(r"[Bb]earer +([A-Za-z0-9_-]+)")


@dataclass(frozen=True, slots=True)
class NotCalled:
    """Why an address was not called, and what to do."""

    detail: str
    todo: str


def calling(
    address: Address, places: Places, clock: Callable[[], float], patience: float
) -> Callable[[], HttpExchange] | NotCalled:
    """How to speak with the server at ``address``, if it is ours and the token is right."""
    parts, port = _parts(address.url)
    if parts is None or parts.hostname not in HOSTS or not _PATH.fullmatch(parts.path):
        return NotCalled(
            "the entry points to an address that is not a server of this machine; "
            "it was not called",
            "`citator serve --http` says the address of each repository",
        )
    running = running_port(places)
    if running is None:
        return NotCalled("no HTTP server runs", "start it: citator serve --http")
    if port != running:
        return NotCalled(
            f"the server runs at port {running}, and the entry names another",
            f"change the entry, or start the server with --port {port}",
        )
    token = _BEARER.fullmatch(address.authorization or "")
    where = inert_line(str(token_path(places)))
    if address.authorization is None:
        return NotCalled(
            "the entry shows no token", f"it belongs into a header, as a bearer token, from {where}"
        )
    if token is None or not Doorkeeper(token_path(places)).accepts(token[1].encode()):
        return NotCalled(
            "the entry does not show the server's token",
            f"it is in {where}; a variable that the entry names must be set where the client runs",
        )
    host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname
    target, shown = parts.path, token[1]
    return lambda: HttpExchange(host, running, target, shown, clock, patience)


def _parts(url: str) -> tuple[SplitResult | None, int | None]:
    """The parts of a plain HTTP address; None where it is something else."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None, None
    plain = parts.scheme == "http" and not parts.query and not parts.fragment
    return (parts, port) if plain and "@" not in parts.netloc else (None, None)
