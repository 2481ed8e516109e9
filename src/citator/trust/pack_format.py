"""Policy packs, their manifests and the roots that sign them: what is written, and what it may say.

- Closed schemas: a field that is not known here is refused, not passed over.
- A source names places one by one: a host and a path below it, or a path of the repository. There
  is no pattern in the grammar, no suffix and no empty path, so that "everything" cannot be written.
- Nothing a source names lies outside its pack's own envelope.
- A pack is its bytes, named by the digest in its manifest; what is signed is the manifest's bytes.
- No prose: a pack says nothing that could be shown to an agent but ids and closed words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeVar

from citator.model.domain import Authority, Domain, GapKind, Intent, SourceKind
from citator.trust import canonical
from citator.trust.canonical import CanonicalError
from citator.trust.errors import PackRefusedError
from citator.trust.keys import PublicKey, parse_public_key
from citator.trust.times import is_time

VERSION: Final = 1
MAX_BYTES: Final = 1 << 16
MAX_SOURCES: Final = 64
MAX_LOCATORS: Final = 32
MAX_KEYS: Final = 16
MAX_ID: Final = 48  # so that a gap, `kind:id`, is a plain name
MAX_DAYS: Final = 36_600
MAX_VALID_DAYS: Final = 3_700
NAMESPACE: Final = "citator-policy@v1"
ROOT_NAMESPACE: Final = "citator-root@v1"

_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?)?")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?:{_LABEL}\.){{1,8}}[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])")
_SEGMENT = re.compile(r"\.?[A-Za-z0-9_+@-][A-Za-z0-9_.+@-]{0,62}")
_MAX_PATH = 200

_PACK_KEYS = frozenset({"version", "pack", "root", "domains", "sources", "envelope"})
_SOURCE_KEYS = frozenset(
    {"id", "kind", "authority", "fresh_days", "expires_days", "domains", "intents", "locators"}
)
_ENVELOPE_KEYS = frozenset({"hosts", "paths"})
_MANIFEST_KEYS = frozenset(
    {"version", "pack", "root", "counter", "digest", "issued_at", "expires_at"}
)
_ROOT_KEYS = frozenset({"version", "root", "counter", "keys"})

Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Source:
    """What may be relied on for some domains and intents, and for how long what it says is fresh.

    ``locators`` are ``host/path`` (kind web), or a path of the repository, a folder's with a slash
    at its end (kind documents); there are none of the other kinds. Days are None where age says
    nothing.
    """

    id: str
    kind: SourceKind
    authority: Authority
    fresh_days: int | None
    expires_days: int | None
    domains: frozenset[Domain]
    intents: frozenset[Intent]
    locators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack as it was signed. The envelope is all that its sources may ever reach."""

    id: str
    root: str
    domains: frozenset[Domain]
    sources: tuple[Source, ...]
    hosts: tuple[str, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is signed of a pack: which one it is, the how manieth, of which bytes, and until when.

    Times are UTC to the second (``2026-01-31T12:00:00Z``).
    """

    pack: str
    root: str
    counter: int
    digest: str
    issued_at: str
    expires_at: str

    def __post_init__(self) -> None:
        if not (is_id(self.pack) and is_id(self.root) and canonical.is_digest(self.digest)):
            raise _malformed("a manifest names a pack, its root and the digest of the pack")
        if not (is_time(self.issued_at) and is_time(self.expires_at)):
            raise _malformed("the times of a manifest are UTC to the second")
        valid = datetime.fromisoformat(self.expires_at) - datetime.fromisoformat(self.issued_at)
        if not 0 < valid.days <= MAX_VALID_DAYS:
            raise _malformed(f"a manifest holds for 1 to {MAX_VALID_DAYS} days")

    def to_bytes(self) -> bytes:
        """The bytes that are signed."""
        return canonical.encode(
            {
                "version": VERSION,
                "pack": self.pack,
                "root": self.root,
                "counter": self.counter,
                "digest": self.digest,
                "issued_at": self.issued_at,
                "expires_at": self.expires_at,
            }
        )


@dataclass(frozen=True, slots=True)
class Root:
    """Whose signatures count for packs that name it. A higher counter follows, signed by a key of
    the one before."""

    name: str
    counter: int
    keys: tuple[PublicKey, ...]

    def holds(self, key: PublicKey) -> bool:
        """Whether ``key`` is one of its keys."""
        return any(one.blob == key.blob for one in self.keys)


def is_id(text: object) -> bool:
    """Whether ``text`` may name a pack, a source or a root."""
    return isinstance(text, str) and len(text) <= MAX_ID and _ID.fullmatch(text) is not None


def is_host_locator(text: object) -> bool:
    """Whether ``text`` is one host, by its full name, and a path there (``docs.example/3/``)."""
    if not isinstance(text, str) or len(text) > _MAX_PATH:
        return False
    host, slash, path = text.partition("/")
    return bool(slash) and _HOST.fullmatch(host) is not None and (not path or is_path(path))


def is_path(text: object) -> bool:
    """Whether ``text`` is one file, or (with a slash at its end) one folder, below a top."""
    if not isinstance(text, str) or len(text) > _MAX_PATH:
        return False
    segments = text.removesuffix("/").split("/")
    return all(_SEGMENT.fullmatch(one) is not None for one in segments)


def covers(locator: str, path: str) -> bool:
    """Whether ``path`` is what ``locator`` names, or lies in the folder that it names."""
    return path.startswith(locator) if locator.endswith("/") else path == locator


def parse_pack(data: bytes) -> Pack:
    """The pack that ``data`` says. Raises PackRefusedError."""
    parts = _closed(_read(data), _PACK_KEYS)
    domains = _words(parts["domains"], Domain)
    envelope = _closed(parts["envelope"], _ENVELOPE_KEYS)
    hosts = _names(envelope["hosts"], is_host_locator, "a host of the envelope is no full name")
    paths = _names(envelope["paths"], is_path, "a path of the envelope is none")
    sources = parts["sources"]
    if not isinstance(sources, list) or len(sources) > MAX_SOURCES:
        raise _malformed(f"a pack lists at most {MAX_SOURCES} sources")
    read = tuple(_source(one, domains, hosts, paths) for one in sources)
    if len({one.id for one in read}) != len(read):
        raise _malformed("two sources of a pack have one id")
    return Pack(_id(parts["pack"]), _id(parts["root"]), frozenset(domains), read, hosts, paths)


def _source(
    value: object, domains: tuple[Domain, ...], hosts: tuple[str, ...], paths: tuple[str, ...]
) -> Source:
    parts = _closed(value, _SOURCE_KEYS)
    kind = _word(parts["kind"], SourceKind)
    fresh, expires = _days(parts["fresh_days"]), _days(parts["expires_days"])
    if expires is not None and (fresh is None or expires < fresh):
        raise _malformed("what expires is fresh for some days first")
    own = _words(parts["domains"], Domain)
    if not set(own) <= set(domains):
        raise _malformed("a source is for a domain that its pack is not for")
    locators = _locators(kind, parts["locators"], hosts, paths)
    authority = _word(parts["authority"], Authority)
    weighs = authority is not Authority.NOT_ASSESSED or fresh is not None
    if weighs and kind is SourceKind.DOCUMENTS and not locators:
        raise _malformed("documents are weighed path by path: name them")
    return Source(
        _id(parts["id"]),
        kind,
        authority,
        fresh,
        expires,
        frozenset(own),
        frozenset(_words(parts["intents"], Intent)),
        locators,
    )


def _locators(
    kind: SourceKind, value: object, hosts: tuple[str, ...], paths: tuple[str, ...]
) -> tuple[str, ...]:
    if kind is SourceKind.WEB:
        named = _names(value, is_host_locator, "a source names hosts by their full names")
        allowed = hosts
    elif kind is SourceKind.DOCUMENTS:
        named = _names(value, is_path, "a source names paths of the repository one by one")
        allowed = paths
    else:
        named, allowed = _names(value, lambda _: False, "such a source names no places"), ()
    if kind is SourceKind.WEB and not named:
        raise _malformed("a source of the web names a host")
    if not all(any(covers(one, place) for one in allowed) for place in named):
        raise _malformed("a source reaches beyond the envelope of its pack")
    return named


def parse_manifest(data: bytes) -> Manifest:
    """The manifest that ``data`` spells, to the byte. Raises PackRefusedError."""
    parts = _closed(_read(data), _MANIFEST_KEYS)
    made = Manifest(
        _id(parts["pack"]),
        _id(parts["root"]),
        _counter(parts["counter"]),
        _text(parts["digest"]),
        _text(parts["issued_at"]),
        _text(parts["expires_at"]),
    )
    if made.to_bytes() != data:
        raise _malformed("the manifest is not spelled as `citator policy sign` spells it")
    return made


def parse_root(data: bytes) -> Root:
    """The root that ``data`` says. Raises PackRefusedError, KeyRefusedError."""
    parts = _closed(_read(data), _ROOT_KEYS)
    lines = parts["keys"]
    if not isinstance(lines, list) or not 1 <= len(lines) <= MAX_KEYS:
        raise _malformed(f"a root lists 1 to {MAX_KEYS} keys")
    keys = tuple(parse_public_key(_text(one)) for one in lines)
    if len({one.blob for one in keys}) != len(keys):
        raise _malformed("a root lists a key twice")
    return Root(_id(parts["root"]), _counter(parts["counter"]), keys)


def _read(data: bytes) -> dict[str, Any]:
    try:
        value = canonical.read(data, MAX_BYTES)
    except CanonicalError:
        raise _malformed("that is no JSON object of at most 64 KiB without doubled keys") from None
    version = value.get("version")
    if type(version) is int and version > VERSION:
        raise PackRefusedError(GapKind.TOO_NEW, "a newer version of citator is needed to read it")
    if version != VERSION or type(version) is not int:
        raise _malformed("it does not say its version")
    return value


def _closed(value: object, keys: frozenset[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _malformed("an object is expected where something else stands")
    if value.keys() - keys:
        raise PackRefusedError(GapKind.UNKNOWN_FIELDS, "it has a field that is not known here")
    if keys - value.keys():
        raise _malformed("a field is missing")
    return value


def _names(value: object, is_one: Any, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MAX_LOCATORS:
        raise _malformed(f"a list of at most {MAX_LOCATORS} is expected")
    if not all(is_one(one) for one in value) or len(set(value)) != len(value):
        raise _malformed(what)
    return tuple(value)


def _words(value: object, vocabulary: type[Word]) -> tuple[Word, ...]:
    if not isinstance(value, list) or not value:
        raise _malformed("domains and intents are named one by one, at least one")
    found = tuple(_word(one, vocabulary) for one in value)
    if len(set(found)) != len(found):
        raise _malformed("a word is named twice")
    return found


def _word(value: object, vocabulary: type[Word]) -> Word:
    try:
        return vocabulary(_text(value))
    except ValueError:
        raise _malformed("a word of it is in no closed vocabulary") from None


def _days(value: object) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 1 <= value <= MAX_DAYS:
        raise _malformed("days are a whole number from 1 on, or null")
    return value


def _counter(value: object) -> int:
    if type(value) is not int or not 1 <= value < 1 << 31:
        raise _malformed("a counter is a whole number from 1 on")
    return value


def _id(value: object) -> str:
    if not is_id(value):
        raise _malformed("an id is lower-case letters, digits, hyphens and at most one dot")
    return str(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _malformed("a text is expected")
    return value


def _malformed(what: str) -> PackRefusedError:
    return PackRefusedError(GapKind.MALFORMED, what)
