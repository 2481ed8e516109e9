"""What must not go backwards: what a pinned root changed, and how far policy packs had come.

Of approvers and policy, what the root changed is remembered from when it was first seen:

- A repository can be moved back to before a key was taken out, and its history can be written
  anew. What the root signed is therefore kept here, outside every repository, with the approvals
  that had landed before each change: those go on counting, and no others.
- It is remembered by reading, not by a person: nothing is in it that the root did not sign, it
  is weighed anew at every reading, and it is never forgotten. A later change undoes an earlier one.
- One that cannot be relied on counts as no pin: nothing is signed until a person has looked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from citator.model.domain import Domain
from citator.store.layout import Layout
from citator.trust import canonical
from citator.trust.owned_json import OwnedJson, damaged

VERSION: Final = 1
_KEYS: Final = frozenset({"record", "files", "before"})


@dataclass(frozen=True)
class Remembered:
    """``files``: path below the ledger's folder → text. ``before``: a migration's id → the digests
    of the approval files that had landed before it had, sorted."""

    files: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def with_more(self, other: Remembered) -> Remembered:
        """Both; of what had landed before a change, what was seen first counts."""
        return Remembered({**other.files, **self.files}, {**other.before, **self.before})


class Memory:
    """What is remembered of one record in one data directory."""

    def __init__(self, layout: Layout, record: str) -> None:
        self._record = record
        self._file = OwnedJson(layout, f"remembered-{record}", _KEYS, VERSION)

    def read(self) -> Remembered:
        """What is remembered. Raises PinRefusedError, StorageError."""
        parts = self._file.read()
        if parts is None:
            return Remembered()
        files, before = parts["files"], parts["before"]
        if parts["record"] != self._record or not _are_texts(files) or not _are_lists(before):
            raise damaged()
        return Remembered(files, {key: tuple(value) for key, value in before.items()})

    def add(self, found: Remembered) -> None:
        """Remember ``found`` too. Raises PinRefusedError, StorageError."""
        known = self.read()
        more = known.with_more(found)
        if more != known:
            before = {key: list(value) for key, value in more.before.items()}
            parts = {"record": self._record, "files": dict(more.files), "before": before}
            self._file.write(parts)


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _are_lists(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(one, list) and all(map(canonical.is_digest, one)) for one in value.values()
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """The highest counter of a pack or a root that was taken here, and what it was for then."""

    counter: int
    domains: frozenset[Domain] = frozenset()


class Counters:
    """How far packs and roots had come when they were taken, by ``pack/<id>`` and ``root/<name>``.

    Removing a pack forgets nothing: an earlier one is refused afterwards too.
    """

    def __init__(self, layout: Layout) -> None:
        self._file = OwnedJson(layout, "counters", frozenset({"seen"}), VERSION)

    def read(self) -> dict[str, Seen]:
        """All of them. Raises PinRefusedError, StorageError."""
        parts = self._file.read()
        said = {} if parts is None else parts["seen"]
        if not isinstance(said, dict):
            raise damaged("counters")
        return {name: _seen(one) for name, one in said.items()}

    def note(self, name: str, seen: Seen) -> None:
        """Remember ``seen``; never less than before. Raises PinRefusedError, StorageError."""
        known = self.read()
        highest = max(seen.counter, known.get(name, seen).counter)
        known[name] = Seen(highest, seen.domains)
        listed = {
            key: {"counter": one.counter, "domains": sorted(one.domains)}
            for key, one in known.items()
        }
        self._file.write({"seen": listed})


def _seen(value: object) -> Seen:
    if not isinstance(value, dict) or value.keys() != {"counter", "domains"}:
        raise damaged("counters")
    counter, domains = value["counter"], value["domains"]
    if type(counter) is not int or not isinstance(domains, list):
        raise damaged("counters")
    try:
        return Seen(counter, frozenset(map(Domain, domains)))
    except ValueError:
        raise damaged("counters") from None
