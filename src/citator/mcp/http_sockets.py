"""Where the HTTP server listens: on the loopback address of each family that the system has.

On one family alone, another program could wait at the other one for what a client sends to
``localhost``, and would be shown the token.
"""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from citator.model.errors import RefusedError

ADDRESS: Final = "127.0.0.1"
ADDRESS_6: Final = "::1"
CONNECTIONS: Final = 256
PORTS_TRIED: Final = 8


@contextmanager
def listening(port: int) -> Iterator[list[socket.socket]]:
    """Sockets on the loopback addresses, all at one port.

    Raises RefusedError ``port_in_use``, ``port_refused``.
    """
    with ExitStack() as held:
        try:
            listeners = _at_one_port(port)
            for listener in listeners:
                held.enter_context(listener)
                listener.listen(CONNECTIONS)
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            raise RefusedError(
                "port_in_use" if taken else "port_refused",
                f"another program listens on port {port}"
                if taken
                else f"this user may not listen on port {port}",
                "choose another with --port, or 0 for any that is free",
            ) from None
        yield listeners


def _at_one_port(port: int) -> list[socket.socket]:
    """Bound sockets; with port 0, at a port that is free at every address. Raises OSError."""
    for tries_left in reversed(range(PORTS_TRIED if port == 0 else 1)):
        first = _bound(socket.AF_INET, ADDRESS, port)
        try:
            return [first, _bound(socket.AF_INET6, ADDRESS_6, first.getsockname()[1])]
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return [first]  # no such family here
            first.close()
            if not tries_left:
                raise
    raise AssertionError


def _bound(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    """A socket of its own at ``address``. Raises OSError."""
    # Named as TCP, or asyncio leaves its connections to wait for an acknowledgement of a head
    # before they send a body: 40 ms a call.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":  # or two servers could share a port there
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((address, port))
    except OSError:
        listener.close()
        raise
    return listener
