"""Fetches one page that a person asked for: bounded, over TLS, from where the list allows.

- A name is resolved once; every address that it has must be a public one, and the connection goes
  to the very address that was looked at. A name that changes its mind in between changes nothing.
- Each redirect is an address like the first: on the list, resolved and looked at anew.
- Bytes, headers, redirects and the whole time are bounded; content is taken only as it is (no
  compression), of a few textual types.
- No proxy, no cookie, no referrer, no credentials. Only GET.

Importing this module loads sockets and TLS: ``service/research.py`` does so after the list allowed
an address, and nothing else does (``tests/proofs/test_research.py``).
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

from citator import __version__
from citator.formats.web_address import Address, Allowed, address_of, is_allowed
from citator.model.errors import RefusedError

MAX_BYTES: Final = 1 << 20
MAX_REDIRECTS: Final = 3
SECONDS: Final = 20.0
PIECE: Final = 65_536
TYPES: Final = frozenset(
    {
        "application/json",
        "application/xhtml+xml",
        "text/html",
        "text/markdown",
        "text/plain",
        "text/x-rst",
    }
)
_CHARSETS: Final = frozenset({"utf-8", "utf8", "us-ascii", "iso-8859-1", "windows-1252"})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_TRANSLATED: Final = ipaddress.ip_network("64:ff9b::/96")

Resolve = Callable[[str, int], Sequence[str]]
Connect = Callable[[tuple[str, int], float], socket.socket]


@dataclass(frozen=True, slots=True)
class Page:
    """What came: from where in the end, of which type, and its text (not yet inert)."""

    final: str
    type: str
    content: bytes
    charset: str


def resolved(host: str, port: int) -> list[str]:
    """The addresses that the system knows for a name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


def connected(address: tuple[str, int], seconds: float) -> socket.socket:
    """A connection to a numeric address."""
    return socket.create_connection(address, seconds)


@dataclass(frozen=True)
class Fetcher:
    """``allowed`` is the list; ``ca_file`` names the authorities instead of the system's;
    ``clock`` gives seconds that only grow."""

    allowed: Sequence[Allowed]
    clock: Callable[[], float]
    ca_file: Path | None = None
    resolve: Resolve = resolved
    connect: Connect = connected
    seconds: float = SECONDS
    _tls: list[ssl.SSLContext] = field(default_factory=list, repr=False)

    def get(self, address: Address) -> Page:
        """The page at ``address``. Raises RefusedError."""
        end = self.clock() + self.seconds
        for _ in range(MAX_REDIRECTS + 1):
            if not is_allowed(address, self.allowed):
                raise _refused("redirect_off_list", "it redirects to where the list allows nothing")
            try:
                found = self._asked(address, end)
            except (OSError, HTTPException, ValueError):
                late = self.clock() >= end
                what = "it took too long" if late else "it could not be fetched"
                raise _refused("too_slow" if late else "fetch_failed", what) from None
            if isinstance(found, Page):
                return found
            address = found
        raise _refused("too_many_redirects", f"it redirects more than {MAX_REDIRECTS} times")

    def _asked(self, address: Address, end: float) -> Page | Address:
        """One request: the page, or where it says to go. Raises as sockets do, RefusedError."""
        number = _public(self._resolved(address, end))
        raw = self.connect((number, address.port), self._left(end))
        twin = raw.dup()  # TLS takes the first over; both are one connection
        guard = threading.Timer(self._left(end), _shut, [twin])
        guard.daemon = True
        guard.start()
        try:
            with self._context().wrap_socket(
                raw, server_hostname=address.host, suppress_ragged_eofs=False
            ) as safe:
                connection = HTTPSConnection(address.host, address.port)
                connection.sock = safe
                connection.request("GET", address.target, headers=_headers())
                with connection.getresponse() as response:
                    return self._answer(response, address, end)
        finally:
            guard.cancel()
            twin.close()
            raw.close()

    def _answer(self, response: HTTPResponse, address: Address, end: float) -> Page | Address:
        if response.status in _REDIRECTS:
            target = address_of(urljoin(address.text, response.headers.get("Location", "")))
            if target is None:
                raise _refused("redirect_off_list", "it redirects to no address that is allowed")
            return target
        if response.status != 200:
            raise _refused("not_there", f"the host answered {response.status}")
        kind = response.headers.get_content_type().lower()
        charset = (response.headers.get_content_charset() or "utf-8").lower()
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if kind not in TYPES or charset not in _CHARSETS or encoding != "identity":
            raise _refused("type_refused", "it is of a type, or an encoding, that is not taken")
        content = bytearray()
        while piece := response.read1(PIECE):
            content += piece
            if len(content) > MAX_BYTES:
                raise _refused("page_too_large", f"it is larger than {MAX_BYTES >> 10} KiB")
            self._left(end)
        if response.length or self._left(end) <= 0:
            raise HTTPException
        return Page(address.text, kind, bytes(content), charset)

    def _resolved(self, address: Address, end: float) -> list[str]:
        """The addresses of the name, in a thread: the system's resolver knows no time limit."""
        found: list[str] = []

        def work() -> None:
            with suppress(OSError, UnicodeError):
                found.extend(self.resolve(address.host, address.port))

        thread = threading.Thread(target=work, name="citator-resolver", daemon=True)
        thread.start()
        thread.join(self._left(end))
        return list(found)

    def _left(self, end: float) -> float:
        """The seconds that are left. Raises TimeoutError where none are."""
        left = end - self.clock()
        if left <= 0:
            raise TimeoutError
        return left

    def _context(self) -> ssl.SSLContext:
        if not self._tls:
            context = ssl.create_default_context(cafile=self.ca_file)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            self._tls.append(context)
        return self._tls[0]


def _public(numbers: Sequence[str]) -> str:
    """The first of the addresses, all of which are public. Raises RefusedError."""
    if not numbers:
        raise _refused("host_unknown", "the name of the host is not known")
    if not all(map(is_public, numbers)):
        raise _refused(
            "address_not_public",
            "the name leads to an address of this machine or a private network",
        )
    return numbers[0]


def is_public(number: str) -> bool:
    """Whether a numeric address is one of the public network, whatever it is wrapped in."""
    try:
        found = ipaddress.ip_address(number.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        plain = found.ipv4_mapped
        if plain is None and found in _TRANSLATED:
            plain = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if plain is not None:
            return is_public(str(plain))
        inner = found.sixtofour or (found.teredo and found.teredo[1])
        if inner and not is_public(str(inner)):
            return False
    return found.is_global and not found.is_multicast and not found.is_reserved


def _headers() -> dict[str, str]:
    return {
        "User-Agent": f"citator-research/{__version__}",
        "Accept": ", ".join(sorted(TYPES)),
        "Accept-Encoding": "identity",
        "Connection": "close",
    }


def _shut(raw: socket.socket) -> None:
    with suppress(OSError):
        raw.shutdown(socket.SHUT_RDWR)


def _refused(code: str, what: str) -> RefusedError:
    return RefusedError(code, f"nothing was fetched: {what}", "see docs/how-to/research.md")
