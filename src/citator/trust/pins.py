"""Pinned roots: whom a person on this machine trusts to approve, record by record.

- A pin is written by a person's command, outside every repository, in the data directory's
  ``trust/pins/<record>.json``. No pin: nothing of that record counts as signed.
- Approvers are labels with keys: several keys of one label are one approver; one key has one label,
  and a label one spelling.
- A pin names the repositories it holds for, or the clones of which only the place is known (shallow
  ones): another repository that copies a record's id has no root here.
- Verifiers (a CI's keys) attest what landed; they approve nothing.
- A pin that is damaged, linked, or writable by others is refused, never repaired: a check that
  could not run counts as failed.
- Taking a pin away needs no reading of it: less trust is always possible.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citator.model.errors import CitatorError
from citator.store import files, stamp
from citator.store.layout import Layout
from citator.trust import canonical
from citator.trust.canonical import CanonicalError
from citator.trust.errors import PinRefusedError
from citator.trust.keys import PublicKey, parse_public_key
from citator.trust.owned import read_owned, require_owned_directories
from citator.trust.policy import Policy, parse_policy
from citator.trust.times import is_time

VERSION = 1
MAX_BYTES = 1 << 20
MAX_KEYS = 500
MAX_EMAILS = 16
MAX_BOUND = 200

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@+-]{0,63}")
_NO_ADDRESS = r"\s<>@\x00-\x1f\x7f-\x9f\ud800-\udfff"
_EMAIL = re.compile(f"[^{_NO_ADDRESS}]{{1,64}}@[^{_NO_ADDRESS}]{{1,128}}")
_KEYS = frozenset(
    {"version", "record", "approvers", "policy", "pinned_at", "verifiers", "repositories", "places"}
)
_APPROVER_KEYS = frozenset({"label", "key", "emails"})
_SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class Approver:
    """A key and whose it is: a plain label of at most 64 characters.

    ``emails`` are those under which its owner writes: they tell an approver from an author.
    """

    label: str
    key: PublicKey
    emails: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pin:
    """The root of one record. Making one that says nothing clear raises PinRefusedError.

    ``record`` is the record's id (64 hexadecimal digits), ``pinned_at`` UTC to the second
    (``2026-01-31T12:00:00Z``), ``policy`` the one that holds until a change was approved under it.
    ``repositories`` are the ids of those it holds for and ``places`` the digests of single clones,
    both sorted; None for both: for whatever carries the record (a root that is handed to a
    verifier).
    """

    record: str
    approvers: tuple[Approver, ...]
    policy: Policy
    pinned_at: str
    verifiers: tuple[Approver, ...] = ()
    repositories: tuple[str, ...] | None = None
    places: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not canonical.is_digest(self.record) or not is_time(self.pinned_at):
            raise _refused("a pin names a record, and the time at which it was pinned")
        if not 1 <= len(self.approvers) <= MAX_KEYS:
            raise _refused(f"a pin holds 1 to {MAX_KEYS} keys")
        named = (*self.approvers, *self.verifiers)
        if len(named) > MAX_KEYS or not all(is_label(one.label) for one in named):
            raise _refused("an approver's label is a plain name of at most 64 characters")
        labels = {one.label for one in named}
        if len({label.casefold() for label in labels}) != len(labels):
            raise _refused("one label is written in two ways: it would count as two approvers")
        if not all(_are_emails(one.emails) for one in named):
            raise _refused(f"an approver has at most {MAX_EMAILS} plain e-mail addresses")
        if len({one.key.blob for one in named}) != len(named):
            raise _refused("a key is pinned twice: it would count as two approvers")
        if (self.repositories is None) is not (self.places is None):
            raise _refused("a pin names repositories and places, or neither")
        if not all(map(_are_bound, (self.repositories or (), self.places or ()))):
            raise _refused(f"a pin names at most {MAX_BOUND} repositories by their ids, in order")

    def holds_for(self, repository: str | None, place: str) -> bool:
        """Whether it was pinned for the repository of this id (None: unknown) or for this clone."""
        if self.repositories is None or self.places is None:
            return True
        return repository in self.repositories or place in self.places

    def verifier_of(self, key: PublicKey) -> Approver | None:
        """Whose key that is, if it is pinned here to attest what landed."""
        return next((one for one in self.verifiers if one.key.blob == key.blob), None)

    def approver_of(self, key: PublicKey) -> Approver | None:
        """Whose key that is, if it is pinned here."""
        return next((one for one in self.approvers if one.key.blob == key.blob), None)

    def to_bytes(self) -> bytes:
        """The canonical form that is kept."""
        return canonical.encode(
            {
                "version": VERSION,
                "record": self.record,
                "approvers": _listed(self.approvers),
                "policy": self.policy.to_dict(),
                "pinned_at": self.pinned_at,
                "verifiers": _listed(self.verifiers),
                "repositories": None if self.repositories is None else list(self.repositories),
                "places": None if self.places is None else list(self.places),
            }
        )


def _listed(approvers: tuple[Approver, ...]) -> list[dict[str, object]]:
    return [
        {"label": one.label, "key": one.key.text, "emails": list(one.emails)} for one in approvers
    ]


def is_label(text: str) -> bool:
    """Whether ``text`` may name an approver: a plain name of at most 64 characters."""
    return _LABEL.fullmatch(text) is not None


def _are_emails(texts: tuple[str, ...]) -> bool:
    return len(texts) <= MAX_EMAILS and all(map(_EMAIL.fullmatch, texts))


def _are_bound(ids: tuple[str, ...]) -> bool:
    sorted_once = list(ids) == sorted(set(ids))
    return len(ids) <= MAX_BOUND and sorted_once and all(map(canonical.is_digest, ids))


def parse_pin(data: bytes) -> Pin:
    """The pin that ``data`` spells, to the byte. Raises PinRefusedError."""
    try:
        value = canonical.decode(data, MAX_BYTES)
    except CanonicalError:
        raise _damaged() from None
    if type(value.get("version")) is int and value["version"] > VERSION:
        raise _too_new()
    try:
        pin = _read(value)
        if pin.to_bytes() != data:
            raise CanonicalError
    except (CanonicalError, CitatorError):
        raise _damaged() from None
    return pin


def _read(value: dict[str, Any]) -> Pin:
    parts = canonical.require_keys(value, _KEYS)
    approvers, verifiers = parts["approvers"], parts["verifiers"]
    if not isinstance(approvers, list) or not isinstance(verifiers, list):
        raise CanonicalError
    if not isinstance(parts["pinned_at"], str):
        raise CanonicalError
    return Pin(
        parts["record"],
        tuple(map(_approver, approvers)),
        parse_policy(parts["policy"]),
        parts["pinned_at"],
        tuple(map(_approver, verifiers)),
        _bound(parts["repositories"]),
        _bound(parts["places"]),
    )


def _bound(value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise CanonicalError
    return tuple(value)


def _approver(value: object) -> Approver:
    parts = canonical.require_keys(value, _APPROVER_KEYS)
    if not isinstance(parts["label"], str) or not isinstance(parts["key"], str):
        raise CanonicalError
    emails = parts["emails"]
    if not isinstance(emails, list) or not all(isinstance(one, str) for one in emails):
        raise CanonicalError
    return Approver(parts["label"], parse_public_key(parts["key"]), tuple(emails))


class Pins:
    """The pins of one data directory."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.directory = layout.trust / "pins"

    def read(self, record: str) -> Pin | None:
        """The pin of ``record``; None where nobody pinned one.

        Raises PinRefusedError where one is there that cannot be relied on, StorageError, and
        IntegrityError where a newer version wrote the data directory.
        """
        stamp.require_readable(self._layout.data)
        data = read_owned(self._path(record), self._directories, MAX_BYTES)
        if data is None:
            return None
        pin = parse_pin(data)
        if pin.record != record:
            raise _damaged()
        return pin

    def write(self, pin: Pin) -> None:
        """Pin, durably, in place of an earlier pin. For a person's command alone.

        Raises KeyRefusedError for a key that can never sign, and as :meth:`read`.
        """
        from citator.trust.verification import require_usable  # loads the cryptographic library

        for approver in pin.approvers:
            require_usable(approver.key)
        stamp.bring_up(self._layout.data)
        files.make_directory(self.directory)
        with files.guarded():
            require_owned_directories(self._directories)
        files.write_atomically(self._path(pin.record), pin.to_bytes())

    def remove(self, record: str) -> bool:
        """Take the pin of ``record`` away, whatever stands there. Whether there was one."""
        path = self._path(record)
        with files.guarded():
            try:
                path.unlink()
            except (FileNotFoundError, NotADirectoryError):
                return False
            files.sync_directory(path.parent)
        return True

    def records(self) -> tuple[str, ...]:
        """The records for which something is pinned, readable or not, in order."""
        with files.guarded():
            try:
                names = [path.name for path in self.directory.iterdir()]
            except (FileNotFoundError, NotADirectoryError):
                return ()
        found = (name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX))
        return tuple(sorted(name for name in found if canonical.is_digest(name)))

    @property
    def _directories(self) -> tuple[Path, Path, Path]:
        return (self._layout.data, self.directory.parent, self.directory)

    def _path(self, record: str) -> Path:
        if not canonical.is_digest(record):
            raise _refused("that is not the id of a record")
        return self.directory / f"{record}{_SUFFIX}"


def _too_new() -> PinRefusedError:
    return PinRefusedError(
        "pin_too_new",
        "what is pinned for this record was written by a newer version of citator",
        "install that version or a later one; until then nothing counts as signed here",
    )


def _damaged() -> PinRefusedError:
    return PinRefusedError(
        "pin_damaged",
        "what is pinned for this record is not what `citator trust pin` wrote",
        "look at it with somebody you trust; `citator trust unpin` and `citator trust pin` "
        "make another",
    )


def _refused(what: str) -> PinRefusedError:
    return PinRefusedError("pin_malformed", what, "see `citator trust pin --help`")
