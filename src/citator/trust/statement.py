"""The approval statement: the exact bytes that a person's key signs.

- It names the record, the migration, the canonical digest, the verdict, the reason, the policy it
  was given under, and when its signer says it was given. Nothing in it can be about another.
- A rejection, and the lifting of one, carry the folded value, its scope and its kind: they stand
  without the branch on which the value was proposed.
- One value, one spelling: canonical JSON, a closed schema, read back byte for byte.
- The time is the signer's claim. Who signed is not in it: the signature says that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from citator.model.record import ItemKind
from citator.trust import canonical
from citator.trust.canonical import CanonicalError
from citator.trust.errors import StatementRefusedError
from citator.trust.times import is_time

NAMESPACE = "citator-approval@v1"
VERSION = 1
MAX_BYTES = 65_536
MAX_REASON = 4_000
MAX_VALUE = 2_000
MAX_SCOPE = 100
MAX_PATTERN = 512

_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_KEYS = frozenset(
    {"version", "record", "migration", "digest", "verdict", "reason", "policy", "time"}
)
_REJECTED_KEYS = frozenset({"value", "scope", "kind"})


class Verdict(StrEnum):
    """What a person says about a migration."""

    APPROVE = "approve"
    REJECT = "reject"
    LIFT = "lift"


@dataclass(frozen=True, slots=True)
class RejectedValue:
    """A value that was told no, in its folded form.

    ``scope`` are path globs, sorted, empty for everywhere; ``kind`` None for every kind;
    ``change`` is what would change the reviewer's mind, and stands in the bytes only where said.
    """

    value: str
    scope: tuple[str, ...]
    kind: ItemKind | None
    change: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """What is signed. Making one that may not exist raises StatementRefusedError.

    ``record``, ``digest`` and ``policy`` are SHA-256 in hexadecimal digits, ``migration`` a
    ULID, ``time`` UTC to the second (``2026-01-31T12:00:00Z``). ``rejected`` is there exactly
    where the verdict is reject or lift; a rejection has a reason.
    """

    record: str
    migration: str
    digest: str
    verdict: Verdict
    reason: str
    policy: str
    time: str
    rejected: RejectedValue | None = None

    def __post_init__(self) -> None:
        if not (_names_are_right(self) and _words_are_right(self) and is_time(self.time)):
            raise _refused("a part of the statement is missing or not of its form")

    def to_bytes(self) -> bytes:
        """The canonical bytes."""
        value: dict[str, object] = {
            "version": VERSION,
            "record": self.record,
            "migration": self.migration,
            "digest": self.digest,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "policy": self.policy,
            "time": self.time,
        }
        if self.rejected is not None:
            rejected: dict[str, object] = {
                "value": self.rejected.value,
                "scope": list(self.rejected.scope),
                "kind": None if self.rejected.kind is None else self.rejected.kind.value,
            }
            if self.rejected.change:
                rejected["change"] = self.rejected.change
            value["rejected"] = rejected
        return canonical.encode(value)


def parse_statement(data: bytes) -> Statement:
    """The statement that ``data`` spells, to the byte. Raises StatementRefusedError."""
    try:
        statement = _read(canonical.decode(data, MAX_BYTES))
        if statement.to_bytes() != data:
            raise CanonicalError
    except CanonicalError:
        raise _refused("that is not the canonical form of a statement") from None
    return statement


def _read(value: dict[str, Any]) -> Statement:
    rejected = None
    if "rejected" in value:
        rejected = _rejected(value.pop("rejected"))
    value = canonical.require_keys(value, _KEYS)
    if value.pop("version") != VERSION:
        raise CanonicalError
    if not all(isinstance(one, str) for one in value.values()):
        raise CanonicalError
    try:
        verdict = Verdict(value.pop("verdict"))
    except ValueError:
        raise CanonicalError from None
    return Statement(**value, verdict=verdict, rejected=rejected)


def _rejected(value: object) -> RejectedValue:
    said = isinstance(value, dict) and "change" in value
    parts = canonical.require_keys(value, _REJECTED_KEYS | ({"change"} if said else frozenset()))
    scope, change = parts["scope"], parts.get("change", "")
    if not isinstance(scope, list) or not all(
        isinstance(one, str) for one in (*scope, parts["value"], change)
    ):
        raise CanonicalError
    try:
        kind = None if parts["kind"] is None else ItemKind(parts["kind"])
    except ValueError:
        raise CanonicalError from None
    return RejectedValue(parts["value"], tuple(scope), kind, change)


def _names_are_right(statement: Statement) -> bool:
    digests = (statement.record, statement.digest, statement.policy)
    return all(map(canonical.is_digest, digests)) and bool(_ULID.fullmatch(statement.migration))


def _words_are_right(statement: Statement) -> bool:
    rejected = statement.rejected
    if not _is_text(statement.reason, MAX_REASON):
        return False
    if statement.verdict is Verdict.APPROVE:
        return rejected is None
    if rejected is None or (statement.verdict is Verdict.REJECT and not statement.reason.strip()):
        return False
    return (
        bool(rejected.value.strip())
        and _is_text(rejected.value, MAX_VALUE)
        and _is_text(rejected.change, MAX_REASON)
        and len(rejected.scope) <= MAX_SCOPE
        and all(one and _is_text(one, MAX_PATTERN) for one in rejected.scope)
        and list(rejected.scope) == sorted(set(rejected.scope))
    )


def _is_text(text: str, limit: int) -> bool:
    """Whether ``text`` is short enough, is Unicode, and controls no terminal."""
    return len(text) <= limit and not any(
        (ord(one) < 0x20 and one not in "\n\t")
        or 0x7F <= ord(one) < 0xA0
        or 0xD800 <= ord(one) < 0xE000
        for one in text
    )


def _refused(what: str) -> StatementRefusedError:
    return StatementRefusedError(
        "statement_malformed", what, "ask for a new approval of the migration as it stands"
    )
