"""Live research: one page, fetched because a person asked, from where their own list allows.

- Off until a person writes ``research.yaml`` into the configuration directory: none ships. Without
  it, or for an address that it does not allow, nothing that could open a socket is even loaded.
- What comes is untrusted evidence: kept by digest, never indexed, and handed on inert and fenced by
  the command alone. No tool of the server reaches this.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from citator.formats.web_address import Address, Allowed, address_of, allowlist, is_allowed
from citator.model.errors import CitatorError, IntegrityError, RefusedError, UsageError
from citator.model.inert import inert_line
from citator.model.utc import utc_text
from citator.store import files, stamp
from citator.trust import canonical
from citator.trust.canonical import CanonicalError
from citator.trust.owned import read_owned

if TYPE_CHECKING:
    from citator.service.web_fetch import Fetcher
    from citator.service.workspace import Places

LIST: Final = "research.yaml"
FOLDER: Final = "research"
FORMAT: Final = 1
MAX_LIST: Final = 65_536
MAX_FACTS: Final = 16_384
KEPT: Final = 100
KEPT_SECONDS: Final = 86_400
_KEYS: Final = frozenset(
    {"version", "url", "final", "type", "charset", "fetched_at", "digest", "bytes"}
)


@dataclass(frozen=True, slots=True)
class Researched:
    """What is known of a page. ``digest`` is the SHA-256 of its bytes as they came; ``text`` its
    words, not inert. ``cached``: it was not fetched now."""

    url: str
    final: str
    type: str
    charset: str
    fetched_at: str
    digest: str
    bytes: int
    cached: bool
    text: str


def research(
    places: Places,
    url: str,
    now: int,
    *,
    fresh: bool = False,
    ca_file: Path | None = None,
    fetcher: Fetcher | None = None,
) -> Researched:
    """The page at ``url`` at ``now`` (Unix seconds). One that was fetched within a day is taken
    from what was kept, unless ``fresh``. Raises UsageError, RefusedError.
    """
    entries = allowed(places)
    address = address_of(url)
    if address is None:
        raise UsageError(
            "not_an_address",
            "that is no address that can be fetched",
            "give https://HOST/PATH with a host name in lower case, without a user or a fragment",
        )
    if not is_allowed(address, entries):
        raise RefusedError(
            "not_allowed",
            f"the list in {LIST} does not allow that address; nothing was fetched",
            "a person adds its host and path there: docs/how-to/research.md",
        )
    known = None if fresh else _kept(places, address, now)
    return known or _fetched(places, address, now, fetcher or _fetcher(entries, ca_file))


def allowed(places: Places) -> tuple[Allowed, ...]:
    """What the operator's list allows. Raises RefusedError where there is none to rely on."""
    place = inert_line(str(places.config / LIST))
    todo = "write `allow:` there, a list of `host` and `path` (docs/how-to/research.md)"
    try:
        data = read_owned(places.config / LIST, (places.config,), MAX_LIST)
    except CitatorError:
        raise RefusedError(
            "allowlist_not_yours",
            f"{place} is not a plain file that only you can write",
            "make it one of yours, in a folder of yours: chmod 600, and no link",
        ) from None
    if data is None:
        raise RefusedError(
            "research_off",
            f"research is off: there is no file {place}",
            todo,
        )
    found = allowlist(data.decode("utf-8", "replace"))
    if found is None:
        raise RefusedError(
            "allowlist_unreadable", f"{place} is not a list that is understood whole", todo
        )
    return found


def _fetcher(entries: tuple[Allowed, ...], ca_file: Path | None) -> Fetcher:
    from citator.service.web_fetch import Fetcher  # loads sockets and TLS

    return Fetcher(entries, time.monotonic, ca_file)


def _fetched(places: Places, address: Address, now: int, fetcher: Fetcher) -> Researched:
    page = fetcher.get(address)
    facts = {
        "version": FORMAT,
        "url": address.text,
        "final": page.final,
        "type": page.type,
        "charset": page.charset,
        "fetched_at": utc_text(now),
        "digest": canonical.digest(page.content),
        "bytes": len(page.content),
    }
    folder = places.data / FOLDER
    stamp.bring_up(places.data)
    files.make_directory(folder)
    data = canonical.encode(facts) + b"\n" + page.content
    files.write_atomically(folder / _name(address), data)
    files.keep_newest(folder, "*.page", KEPT)
    return _made(facts, page.content, cached=False)


def _kept(places: Places, address: Address, now: int) -> Researched | None:
    """What was kept of an address, where that is of this day. Raises IntegrityError."""
    stamp.require_readable(places.data)
    try:
        with (places.data / FOLDER / _name(address)).open("rb") as file:
            line, content = file.readline(MAX_FACTS), file.read()
    except OSError:
        return None
    try:
        facts = canonical.require_keys(canonical.decode(line.rstrip(b"\n"), MAX_FACTS), _KEYS)
        age = now - datetime.fromisoformat(facts["fetched_at"]).timestamp()
    except (CanonicalError, ValueError, TypeError):
        raise _damaged() from None
    if facts["url"] != address.text or facts["digest"] != canonical.digest(content):
        raise _damaged()
    return _made(facts, content, cached=True) if 0 <= age < KEPT_SECONDS else None


def _made(facts: dict[str, Any], content: bytes, *, cached: bool) -> Researched:
    text = content.decode(facts["charset"], "replace").replace("\r\n", "\n")
    if "html" in facts["type"]:
        from citator.formats.html_words import words_of

        text = words_of(text)
    told = {key: value for key, value in facts.items() if key != "version"}
    return Researched(**told, cached=cached, text=text)


def _name(address: Address) -> str:
    return f"{sha256(address.text.encode()).hexdigest()}.page"


def _damaged() -> IntegrityError:
    return IntegrityError(
        "page_damaged", "what was kept of that page is not what was fetched", "fetch it: --fresh"
    )
