"""Policy packs in a person's hands: listed, looked at, signed, added, taken away.

- What is added is what was shown: one reading of the folder, one digest.
- A pack is added only where it would count: signed by a key of a root that is pinned here, and not
  older than one that was. A root is pinned by a person who saw its keys; one that follows it is
  signed by a key of the one before.
- Signing changes nothing here: it writes two files beside the pack, for whoever adds it.
- What was added and taken away is journaled by digest; a counter that was seen is never forgotten.
- The counter is written last. Whoever is killed before has added nothing, and adds it again.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from citator.model.domain import GapKind
from citator.model.errors import (
    CitatorError,
    NotFoundError,
    RefusedError,
    StorageError,
    UsageError,
)
from citator.service.workspace import Places
from citator.store import files, stamp
from citator.store.journal import Journal
from citator.store.layout import Layout
from citator.trust import canonical
from citator.trust.errors import PackRefusedError, SignatureRefusedError
from citator.trust.pack_format import (
    MAX_BYTES,
    NAMESPACE,
    ROOT_NAMESPACE,
    Manifest,
    Pack,
    Root,
    parse_manifest,
    parse_pack,
    parse_root,
)
from citator.trust.packs import (
    FOLDER,
    MANIFEST,
    MAX_PACKS,
    PACK,
    SHIPPED_ROOT,
    SIGNATURE,
    Files,
    Kept,
    Loaded,
    Refused,
    Shelf,
    bounded,
    read_folder,
    shelf_at,
    weigh,
)
from citator.trust.remembered import Counters, Seen
from citator.trust.signatures import MAX_ARMORED, verify

ROOT: Final = "root.json"
ROOT_SIGNATURE: Final = "root.sig"
DAYS: Final = 365


@dataclass(frozen=True)
class Offered:
    """What lies in a folder: a pack or a root (``before``: the one of its name pinned here)."""

    folder: Path
    pack: Pack | None = None
    files: Files | None = None
    root: Root | None = None
    root_bytes: bytes = b""
    root_signature: bytes = b""
    before: Root | None = None

    @property
    def digest(self) -> str:
        """Of the bytes that were shown."""
        return canonical.digest(self.files.pack if self.files else self.root_bytes)


def shelf(places: Places, moment: str) -> Shelf:
    """What counts here now, and what does not. Raises IntegrityError for newer data."""
    return shelf_at(_layout(places), moment)


def named(places: Places, name: str, moment: str) -> Loaded | Refused:
    """One pack of the shelf. Raises NotFoundError."""
    found = shelf(places, moment)
    for one in found.loaded:
        if one.pack.id == name:
            return one
    for refused in found.refused:
        if refused.pack == name:
            return refused
    raise NotFoundError("unknown_pack", "no such policy pack is here", "see: citator policy list")


def roots(places: Places) -> list[Root]:
    """The roots that are pinned here, by name; one that cannot be relied on is left out."""
    layout = _layout(places)
    kept, found = Kept(layout), []
    try:
        seen = Counters(layout).read()
    except CitatorError:
        return []
    with files.guarded():
        there = sorted(kept.roots.glob("*.json")) if kept.roots.is_dir() else []
    for path in there:
        try:
            root = kept.root(path.stem, seen)
        except CitatorError:
            continue
        if root is not None:
            found.append(root)
    return found


def offered(places: Places, folder: Path) -> Offered:
    """What lies in ``folder``. Raises UsageError, PackRefusedError, KeyRefusedError."""
    data = _file(folder / ROOT, MAX_BYTES)
    if data:
        root = parse_root(data)
        layout = _layout(places)
        before = Kept(layout).root(root.name, Counters(layout).read())
        armored = _file(folder / ROOT_SIGNATURE, MAX_ARMORED)
        return Offered(folder, root=root, root_bytes=data, root_signature=armored, before=before)
    try:
        found = read_folder(folder)
    except StorageError:
        raise _unreadable() from None
    if not found.pack:
        raise UsageError(
            "no_pack_there",
            f"there is neither {PACK} nor {ROOT} in that folder",
            "name the folder of a policy pack, or of a root",
        )
    return Offered(folder, pack=parse_pack(found.pack), files=found)


def require_countable(places: Places, given: Offered, moment: str) -> Loaded | None:
    """The pack as it would count here; None for a root that may be pinned or may follow.

    Raises PackRefusedError, PinRefusedError.
    """
    layout = _layout(places)
    if given.root is not None:
        _require_following(layout, given)
        return None
    assert given.files is not None
    assert given.pack is not None
    if given.pack.root == SHIPPED_ROOT:
        raise _refused(GapKind.UNTRUSTED_KEY, "its root is that of the package alone")
    known = Counters(layout).read()
    root = Kept(layout).root(given.pack.root, known)
    if root is None:
        raise _refused(GapKind.UNTRUSTED_KEY, "the root it names is not pinned here")
    seen = known.get(f"pack/{given.pack.id}", Seen(0))
    loaded = weigh(given.files, root, moment, seen.counter)
    ids = Kept(layout).ids()
    if len(ids) >= MAX_PACKS and given.pack.id not in ids:
        raise RefusedError(
            "too_many_packs",
            f"{MAX_PACKS} packs were added already",
            "take one away: citator policy remove NAME",
        )
    if loaded.manifest.counter == seen.counter and given.pack.id in ids:
        kept = Kept(layout).files(given.pack.id)
        if kept.pack != given.files.pack:
            raise _refused(GapKind.ROLLED_BACK, "another pack of the same counter is here")
    return loaded


def _require_following(layout: Layout, given: Offered) -> None:
    root, before = given.root, given.before
    assert root is not None
    if root.name == SHIPPED_ROOT:
        raise _refused(GapKind.UNTRUSTED_KEY, "that name is of the root in the package")
    seen = Counters(layout).read().get(f"root/{root.name}", Seen(0))
    if before is None:
        if root.counter < seen.counter:
            raise _refused(GapKind.ROLLED_BACK, "a later root of that name was pinned here")
        return
    if root.counter <= max(before.counter, seen.counter):
        raise _refused(GapKind.ROLLED_BACK, "it does not come after the root that is pinned")
    if not given.root_signature:
        raise _refused(GapKind.UNSIGNED, "no key of the root before signed it")
    armored = given.root_signature.decode("ascii", "replace")
    try:
        facts = verify(armored, given.root_bytes, ROOT_NAMESPACE)
    except SignatureRefusedError:
        raise _refused(GapKind.TAMPERED, "the signature is not over this root") from None
    if not before.holds(facts.key):
        raise _refused(GapKind.UNTRUSTED_KEY, "no key of the root before signed it")


def add(places: Places, given: Offered, moment: str) -> str:
    """Add what was shown: the id of the pack, or the name of the root. For a person's command.

    Raises PackRefusedError, PinRefusedError, StorageError.
    """
    layout = _layout(places)
    with _changing(layout):
        loaded = require_countable(places, given, moment)
        if loaded is None:
            assert given.root is not None
            name, what = given.root.name, "root"
            Kept(layout).pin(name, given.root_bytes)
            Counters(layout).note(f"root/{name}", Seen(given.root.counter))
        else:
            assert given.files is not None
            name, what = loaded.pack.id, "pack"
            Kept(layout).put(name, given.files)
            seen = Seen(loaded.manifest.counter, loaded.pack.domains)
            Counters(layout).note(f"pack/{name}", seen)
        _note(layout, f"{what}_added", moment, given.digest)
    return name


def remove(places: Places, name: str, moment: str, *, root: bool) -> None:
    """Take a pack (or a pinned root) away. Its counter is remembered. Raises NotFoundError."""
    layout = _layout(places)
    with _changing(layout):
        gone = Kept(layout).unpin(name) if root else Kept(layout).take(name)
        if not gone:
            raise NotFoundError(
                "unknown_root" if root else "unknown_pack",
                "nothing of that name was added here",
                "see: citator policy list",
            )
        _note(layout, "root_removed" if root else "pack_removed", moment)


def to_sign(given: Offered, moment: str, days: int, counter: int | None) -> tuple[bytes, str]:
    """What a signature of ``given`` is over, and its namespace. Raises PackRefusedError."""
    if given.root is not None:
        return given.root_bytes, ROOT_NAMESPACE
    assert given.pack is not None
    if counter is None:
        counter = _counter_before(given) + 1
    end = datetime.fromisoformat(moment) + timedelta(days=days)
    made = Manifest(
        given.pack.id,
        given.pack.root,
        counter,
        given.digest,
        moment,
        end.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    return made.to_bytes(), NAMESPACE


def _counter_before(given: Offered) -> int:
    if given.files is None or not given.files.manifest:
        return 0
    return parse_manifest(given.files.manifest).counter


def write_signed(given: Offered, signed: bytes, armored: str) -> tuple[Path, ...]:
    """Write the manifest and the signature beside the pack (of a root, the signature alone).

    Raises RefusedError.
    """
    made = {given.folder / (SIGNATURE if given.root is None else ROOT_SIGNATURE): armored.encode()}
    if given.root is None:
        made[given.folder / MANIFEST] = signed
    try:
        for path, data in made.items():
            files.write_atomically(path, data, 0o644)
    except StorageError:
        raise RefusedError(
            "folder_not_writable",
            "the signature cannot be written into that folder",
            "sign a copy of it in a folder of yours",
        ) from None
    return tuple(sorted(made))


def _file(path: Path, limit: int) -> bytes:
    try:
        return bounded(path, limit)
    except OSError:
        raise _unreadable() from None


def _unreadable() -> RefusedError:
    return RefusedError("unreadable_file", "that cannot be read", "check the name")


def _layout(places: Places) -> Layout:
    stamp.require_readable(places.data)
    return Layout(places.data)


def _changing(layout: Layout) -> AbstractContextManager[None]:
    """One writer at a time. Raises LockedError."""
    return layout.changing(layout.trust / FOLDER)


def _note(layout: Layout, event: str, time: str, *digests: str) -> None:
    Journal(layout.trust / FOLDER / "journal").append(event, time, digests=digests)


def _refused(kind: GapKind, what: str) -> PackRefusedError:
    return PackRefusedError(kind, what)
