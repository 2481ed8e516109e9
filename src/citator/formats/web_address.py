"""Addresses of the web that a person may have fetched, and the list that allows them.

- One grammar: ``https``, an exact lower-case host name, a port, a path, a query. No user, no
  fragment, no number for a host, no dot segment, nothing encoded that would be one or a slash.
- The list names hosts and path prefixes one by one; there is no pattern in it. A prefix ends where
  a segment does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MAX_ADDRESS: Final = 2_000
MAX_ALLOWED: Final = 200
HTTPS: Final = 443

_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST: Final = re.compile(rf"(?:{_LABEL}\.){{1,8}}[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])")
_SEGMENT: Final = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*"
_PATH: Final = re.compile(rf"(?:/{_SEGMENT})+")
_ADDRESS: Final = re.compile(
    rf"https://(?P<host>[a-z0-9.-]{{1,253}})(?::(?P<port>[1-9][0-9]{{0,4}}))?"
    rf"(?P<path>(?:/{_SEGMENT})*)(?P<query>\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{{2}})*)?"
)
_DISGUISED: Final = re.compile(r"%(?:2[eEfF]|5[cC]|00|0[aAdD]|25)")


@dataclass(frozen=True, slots=True)
class Address:
    """``target`` is the path and the query, as they are asked for."""

    host: str
    port: int
    path: str
    query: str = ""

    @property
    def target(self) -> str:
        """What stands in the request."""
        return f"{self.path}{self.query}"

    @property
    def text(self) -> str:
        """The whole address."""
        port = "" if self.port == HTTPS else f":{self.port}"
        return f"https://{self.host}{port}{self.target}"


@dataclass(frozen=True, slots=True)
class Allowed:
    """One entry of the list: all addresses of a host and port at and below a path."""

    host: str
    path: str
    port: int = HTTPS

    def covers(self, address: Address) -> bool:
        """Whether ``address`` is one of them."""
        below = self.path if self.path.endswith("/") else f"{self.path}/"
        return (
            address.host == self.host
            and address.port == self.port
            and (address.path == self.path or address.path.startswith(below))
        )


def address_of(text: str) -> Address | None:
    """The address that ``text`` is, None where it is none of this grammar."""
    found = _ADDRESS.fullmatch(text) if len(text) <= MAX_ADDRESS else None
    if found is None or _HOST.fullmatch(found["host"]) is None:
        return None
    port, path = int(found["port"] or HTTPS), found["path"] or "/"
    if port > 65_535 or not _is_straight(path):
        return None
    return Address(found["host"], port, path, found["query"] or "")


def _is_straight(path: str) -> bool:
    return not _DISGUISED.search(path) and not {".", ".."} & set(path.split("/"))


def allowlist(text: str) -> tuple[Allowed, ...] | None:
    """The entries of a list in YAML (``allow:``, of ``host``, ``path`` and maybe ``port``).

    None where anything in it is not understood: a list that cannot be read whole allows nothing.
    """
    from citator.formats.yaml_safe import load

    loaded = load(text)
    value = loaded.value
    if loaded.problems or not isinstance(value, dict) or value.keys() != {"allow"}:
        return None
    entries = value["allow"]
    if not isinstance(entries, list) or len(entries) > MAX_ALLOWED:
        return None
    found = [_entry(one) for one in entries]
    return None if None in found else tuple(one for one in found if one is not None)


def _entry(value: object) -> Allowed | None:
    if not isinstance(value, dict) or value.keys() - {"port"} != {"host", "path"}:
        return None
    host, path, port = value["host"], value["path"], value.get("port", HTTPS)
    if not isinstance(host, str) or not isinstance(path, str) or type(port) is not int:
        return None
    if not _HOST.fullmatch(host) or not _PATH.fullmatch(path) or not _is_straight(path):
        return None
    return Allowed(host, path, port) if 1 <= port <= 65_535 else None


def is_allowed(address: Address, entries: Iterable[Allowed]) -> bool:
    """Whether one of ``entries`` covers it."""
    return any(one.covers(address) for one in entries)
