"""Claims: who says that they work on what, until when. Advice that ends by itself, never a lock.

- A claim is one small file. Its id is a digest of who made it, for which ticket and when: under
  one id these never differ, and it never reaches further than :data:`LONGEST` from its beginning.
- Of two spellings of one claim a release wins, then the higher revision, then the greater bytes:
  which was met first makes no difference, so that copies merge without conflict.
- What somebody else wrote is parsed against a closed schema; what does not fit is not a claim.
- No clock is read. A claim that begins more than :data:`SKEW` after *now* is not counted, and one
  that was seen to have ended stays ended where it was seen, whatever a clock says later.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from citator.model.document import Person, author_number
from citator.model.plain import MAX_TOTAL, shown_path

FORMAT: Final = 1
DAY: Final = 86_400
LEASE: Final = DAY
LONGEST: Final = 14 * DAY
SHORTEST: Final = 60
SKEW: Final = DAY
ID_DIGITS: Final = 32
MOST_BYTES: Final = 16_384
MOST_FILES: Final = 50
MOST_SYMBOLS: Final = 50
MOST_REVISIONS: Final = 1_000_000
MAX_PATH: Final = 400
MAX_INTENT: Final = 200
MAX_AUTHOR: Final = 410

_ID: Final = re.compile(r"[0-9a-f]{32}")
_PLACE: Final = re.compile(r"[0-9a-f]{12}")
_TICKET: Final = re.compile(r"(?:[A-Z][A-Z0-9]{0,9}-)?[0-9]{1,9}")
_PATH: Final = re.compile(r"(?:[A-Za-z0-9_./@+-]|%[0-9A-F]{2})+")
_SYMBOL: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{0,63}(?:[.:]{1,2}[A-Za-z_$][A-Za-z0-9_$]*)*")


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody who claims: ``author`` is ``Name <address>`` as git is configured, ``place`` a
    digest of the work tree (12 digits): one person's agents in two work trees are two."""

    author: str
    place: str

    @property
    def number(self) -> int:
        """The author as a number, the same as of their commits."""
        return number_of(self.author)


@dataclass(frozen=True, slots=True)
class Claim:
    """Who works on what. ``files`` are paths as they travel (:func:`shown_path`), ``symbols`` are
    ``NAME`` or ``PATH:NAME``, ``started`` and ``expires`` Unix seconds; ``intent`` is words of its
    author. ``lapsed``: its end was seen on this machine; it is not part of what is shared."""

    ticket: str
    author: str
    place: str
    nonce: str
    started: int
    expires: int
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    intent: str = ""
    revision: int = 1
    released: bool = False
    lapsed: bool = False

    @property
    def id(self) -> str:
        """What names it everywhere: 32 hexadecimal digits."""
        said = [self.ticket, self.author, self.place, self.started, self.nonce]
        raw = json.dumps(said, ensure_ascii=True).encode()
        return hashlib.sha256(raw).hexdigest()[:ID_DIGITS]

    @property
    def who(self) -> Who:
        """Who made it."""
        return Who(self.author, self.place)

    def is_live(self, now: int) -> bool:
        """Whether it counts at ``now``."""
        return not (self.released or self.lapsed) and self.started - SKEW <= now < self.expires

    def is_over(self, now: int) -> bool:
        """Whether it had ended by ``now``: released, lapsed, or past its time."""
        return self.released or self.lapsed or now >= self.expires

    def is_forgotten(self, now: int) -> bool:
        """Whether no spelling of it can count any more: then even its end need not be kept."""
        return now >= self.started + LONGEST

    def places(self) -> frozenset[tuple[str, str]]:
        """The symbols as (path, name): a bare name is one in each of its files."""
        found = set()
        for one in self.symbols:
            path, name = split_symbol(one)
            found.update({(path, name)} if path else {(file, name) for file in self.files or ("",)})
        return frozenset(found)

    def holds(self, path: str) -> bool:
        """Whether it is about ``path`` (as it travels), or a folder that holds it."""
        return any(path == one or path.startswith(f"{one}/") for one in self.files)

    def raw_files(self) -> tuple[str, ...]:
        """Its paths as git has them."""
        return tuple(map(raw_path, self.files))

    def rendered(self, *, shared: bool = True) -> bytes:
        """The file that keeps it; ``shared``: as it leaves this machine."""
        said: dict[str, Any] = {"v": FORMAT, "id": self.id, **asdict(self)}
        if shared or not self.lapsed:
            del said["lapsed"]
        return json.dumps(said, ensure_ascii=True, indent=1, sort_keys=True).encode() + b"\n"


def merged(one: Claim, other: Claim) -> Claim:
    """The one of two spellings of a claim that counts; the order does not matter."""
    return max(one, other, key=lambda each: (each.released, each.revision, each.rendered()))


def taken_in(known: Claim | None, met: Claim) -> Claim:
    """What is kept where ``known`` is kept and ``met`` comes from elsewhere. What was seen to have
    ended stays so, unless its author had made it longer."""
    if known is None:
        return replace(met, lapsed=False)
    won = merged(replace(known, lapsed=False), replace(met, lapsed=False))
    longer = won.revision > known.revision and won.expires > known.expires
    return replace(won, lapsed=known.lapsed and not longer)


def parse(raw: bytes) -> Claim | None:
    """The claim in a file, None where there is none: another schema, or not what its id says."""
    if len(raw) > MOST_BYTES:
        return None
    try:
        said = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not said.keys() <= _KEYS | {"lapsed"}:
        return None
    if not said.keys() >= _KEYS or said["v"] != FORMAT or type(said["v"]) is not int:
        return None
    if not _fits(said):
        return None
    kept: dict[str, Any] = {key: said[key] for key in said.keys() - {"v", "id"}}
    kept |= {key: tuple(kept[key]) for key in ("files", "symbols")}
    made = Claim(**kept)
    return made if made.id == said["id"] else None


def is_newer(raw: bytes) -> bool:
    """Whether a file says that a newer version wrote it: not ours to judge or to drop."""
    try:
        said = json.loads(raw)
    except (ValueError, RecursionError):
        return False
    written = said.get("v") if isinstance(said, dict) else None
    return type(written) is int and FORMAT < written < 1_000


_KEYS: Final = frozenset({"v", "id", *(one.name for one in fields(Claim))} - {"lapsed"})


def _fits(said: Mapping[str, Any]) -> bool:
    numbers = [said[key] for key in ("started", "expires", "revision")]
    if any(type(one) is not int for one in numbers):
        return False
    started, expires, revision = numbers
    flags = [said["released"], said.get("lapsed", False)]
    return (
        all(type(one) is bool for one in flags)
        and 0 <= started < expires <= started + LONGEST
        and 1 <= revision <= MOST_REVISIONS
        and _is(said["id"], _ID)
        and _is(said["nonce"], _ID)
        and _is(said["place"], _PLACE)
        and is_ticket(said["ticket"])
        and _is_words(said["author"], MAX_AUTHOR)
        and (said["intent"] == "" or _is_words(said["intent"], MAX_INTENT))
        and _all(said["files"], MOST_FILES, is_shown_path)
        and _all(said["symbols"], MOST_SYMBOLS, is_symbol)
    )


def _is(value: object, pattern: re.Pattern[str]) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_words(value: object, most: int) -> bool:
    """One line of text with something in it."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= most
        and not any(one in value for one in "\n\r\0")
        and not any("\ud800" <= one <= "\udfff" for one in value)
    )


def _all(value: object, most: int, fits: Any) -> bool:
    return isinstance(value, list) and len(value) <= most and all(map(fits, value))


def is_ticket(value: object) -> bool:
    """Whether it names a ticket: ``123`` or ``ABC-123``. Nothing else can be said in one."""
    return _is(value, _TICKET)


def ticket_of(text: str) -> str | None:
    """The ticket that somebody names: ``#123``, ``123``, ``abc-123``; None where it is none."""
    named = text.strip().removeprefix("#").upper()
    return named if is_ticket(named) else None


def is_shown_path(value: object) -> bool:
    """Whether it is a path as it travels, of a file or folder inside a repository."""
    if not _is(value, _PATH) or len(str(value)) > 3 * MAX_PATH:
        return False
    raw = raw_path(str(value))
    parts = raw.split("/")
    inside = not any(one in ("", ".", "..") or one.lower() == ".git" for one in parts)
    return inside and len(raw) <= MAX_PATH and shown_path(raw) == value and "\0" not in raw


def raw_path(path: str) -> str:
    """A path that travels, as git has it (surrogate-escaped)."""
    return unquote_to_bytes(path).decode("utf-8", "surrogateescape")


def is_symbol(value: object) -> bool:
    """Whether it names a symbol: ``Cache.get``, or ``src/cache.py:Cache.get``."""
    if not isinstance(value, str) or len(value) > 3 * MAX_PATH + MAX_TOTAL:
        return False
    path, name = split_symbol(value)
    fits = len(name) <= MAX_TOTAL and _SYMBOL.fullmatch(name) is not None
    return fits and (not path or is_shown_path(path))


def split_symbol(symbol: str) -> tuple[str, str]:
    """The path (as it travels, ``""``: none) and the name of a symbol."""
    path, separator, name = symbol.partition(":")
    if separator and ("/" in path or "." in path) and not name.startswith(":"):
        return path, name
    return "", symbol


def number_of(author: str) -> int:
    """An author as a number: the same as of their commits."""
    name, _, rest = author.rpartition(" <")
    if rest.endswith(">"):
        return author_number(Person(name, rest[:-1]))
    return author_number(Person(author, ""))


def live(claims: Iterable[Claim], now: int) -> tuple[Claim, ...]:
    """Those that count at ``now``, the oldest first."""
    return tuple(sorted((one for one in claims if one.is_live(now)), key=_order))


def _order(one: Claim) -> tuple[int, str]:
    return one.started, one.id
