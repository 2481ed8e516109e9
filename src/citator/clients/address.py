"""Where an entry points to, where it starts nothing: an address, and what is shown there.

Clients write the same three things in different ways: the key of the address, the headers, and
how a secret is taken from the environment instead of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

REMOTE: Final = ("url", "httpUrl", "serverUrl", "uri")
_DOLLAR: Final = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_BARE: Final = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)()\}?")
_BRACES: Final = re.compile(r"\{env:([A-Za-z_][A-Za-z0-9_]*)()\}")

ValueOf = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Address:
    """What a client calls. ``authorization`` is None where the entry shows nothing."""

    url: str
    authorization: str | None = field(repr=False)


def address_of(
    entry: Mapping[str, object], client: str, expands: bool, value_of: ValueOf
) -> Address | None:
    """The address in the entry of ``client``, as it calls it; None where there is none.

    ``value_of`` gives the environment in which the client runs. A variable that is not set there
    stays as it is written.
    """
    url = next((entry[key] for key in REMOTE if isinstance(entry.get(key), str)), None)
    if not isinstance(url, str):
        return None
    pattern = {"gemini-cli": _BARE, "opencode": _BRACES}.get(client, _DOLLAR if expands else None)

    def of(text: str) -> str:
        return text if pattern is None else pattern.sub(replaced, text)

    def replaced(match: re.Match[str]) -> str:
        found = value_of(match[1])
        return (match[2] or match[0]) if found is None else found

    shown = _codex(entry, value_of) if client == "codex" else _header(entry.get("headers"))
    return Address(of(url), None if shown is None else of(shown))


def _codex(entry: Mapping[str, object], value_of: ValueOf) -> str | None:
    """Codex has keys of its own, and reads no ``headers``."""
    bearer = entry.get("bearer_token_env_var")
    if isinstance(bearer, str):
        token = value_of(bearer)
        return None if token is None else f"Bearer {token}"
    name = _header(entry.get("env_http_headers"))
    return _header(entry.get("http_headers")) if name is None else value_of(name)


def _header(headers: object) -> str | None:
    """The value of the one header that matters here."""
    if not isinstance(headers, Mapping):
        return None
    found = [value for name, value in headers.items() if str(name).lower() == "authorization"]
    return found[0] if len(found) == 1 and isinstance(found[0], str) else None
