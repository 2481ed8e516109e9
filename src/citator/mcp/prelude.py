"""The first line of a connection, answered before anything heavy is imported.

Clients probe with ``server/discover`` and give up after 0.6 to 2 seconds; the SDK alone takes
about half a second of processor time to import. A late answer is worse than none: the client
has fallen back to ``initialize`` by then and meets a connection that serves the other era. So:

- the protocol's two descriptors are taken out of everybody's reach first: whatever prints while
  it is imported lands on stderr, and children inherit neither;
- a well-formed probe gets the answer that the SDK would give (a test holds them equal), and the
  SDK never sees it, so that a late ``initialize`` still finds an undecided connection;
- a well-formed ``initialize``, as the first line or waiting right behind the probe, is answered too
  and handed on all the same (:mod:`citator.mcp.handshake`);
- every other first line is handed on untouched, with whatever was read behind it.

Standard library only.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from citator import __version__
from citator.mcp.definitions import INSTRUCTIONS, PROTOCOL, SERVER_NAME, compact
from citator.mcp.handshake import CAPABILITIES, handshake_answer

MAX_LINE: Final = 4 * 1024 * 1024
CHUNK: Final = 64 * 1024
CACHE_MILLISECONDS: Final = 3_600_000

_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
_CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
_SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"


@dataclass(frozen=True, slots=True)
class Wire:
    """The descriptors that carry the protocol, and bytes that were read and not yet served.

    ``ended`` says that the end of input was seen: at a terminal it is seen once. ``said`` is an
    answer to the first line of ``pending`` that the client has already.
    """

    reading: int
    writing: int
    pending: bytes = b""
    ended: bool = False
    said: bytes = b""


def take_wire() -> Wire:
    """Move the protocol off descriptors 0 and 1, which become empty input and stderr.

    Raises OSError where the process was started without an input or an output.
    """
    wire = Wire(os.dup(0), os.dup(1))
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    try:
        os.dup2(2, 1)
    except OSError:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.close(silent)
    return wire


def open_connection(wire: Wire) -> Wire:
    """Read the first line and answer a probe or a handshake. Returns the wire with what is left."""
    received, searched, ended = bytearray(), 0, False
    while (end := received.find(b"\n", searched)) < 0 and len(received) <= MAX_LINE:
        searched = len(received)
        chunk = os.read(wire.reading, CHUNK)
        if not chunk:
            ended = True
            break
        received += chunk
    if end >= 0 and (answer := discovery_answer(bytes(received[:end]))) is not None:
        _say(wire, answer)
        del received[: end + 1]
        end = received.find(b"\n")
    said = handshake_answer(bytes(received[:end])) if end >= 0 else None
    if said is not None:
        _say(wire, said)
    return Wire(wire.reading, wire.writing, bytes(received), ended, said or b"")


def discovery_answer(line: bytes) -> bytes | None:
    """The answer to a well-formed ``server/discover`` of the modern era, else None."""
    try:
        request = json.loads(line)
        if not _is_probe(request):
            return None
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": discovery()}
        return compact(answer).encode() + b"\n"
    except (ValueError, RecursionError):  # not JSON, not UTF-8, or made to be deep
        return None


def discovery() -> dict[str, Any]:
    """The static ``DiscoverResult`` of this server."""
    return {
        "cacheScope": "public",
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "resultType": "complete",
        "supportedVersions": [PROTOCOL],
        "ttlMs": CACHE_MILLISECONDS,
        "_meta": {_SERVER_KEY: {"name": SERVER_NAME, "version": __version__}},
    }


def _is_probe(request: object) -> bool:
    if not isinstance(request, dict) or request.get("jsonrpc") != "2.0":
        return False
    if request.get("method") != "server/discover" or type(request.get("id")) not in (str, int):
        return False
    params = request.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return (
        isinstance(meta, dict)
        and meta.get(_VERSION_KEY) == PROTOCOL
        and isinstance(meta.get(_CAPABILITIES_KEY), dict)
        and isinstance(meta.get(_CLIENT_KEY, {}), dict)
    )


def _say(wire: Wire, answer: bytes) -> None:
    with suppress(OSError):  # nobody reads any more: the input will end as well
        write_all(wire.writing, answer)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of ``data``. Raises OSError where nobody reads any more."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
