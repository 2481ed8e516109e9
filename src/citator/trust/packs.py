"""Which policy packs count here now: those shipped with the package, and those a person added.

- Fail closed, pack by pack: unsigned, signed by another key or for another purpose, changed since,
  older than one that was seen, expired, not valid yet, or with a field that is not known: it is not
  loaded, and what is missing is said. Nothing of it is used, and no other pack suffers.
- Roots are pinned by a person, but for the one inside the package. A root is followed by the one
  that a key of it signed, never by an older one.
- Which counter was added is remembered outside the pack, and outlives its removal. One that lies
  there with another counter, older or newer, no person added: it does not count.
- The moment is an argument. Nothing here writes, and nothing raises for what a pack holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from citator.model.domain import Domain, GapKind
from citator.model.errors import CitatorError
from citator.store import files
from citator.store.layout import Layout
from citator.trust import canonical
from citator.trust.errors import PackRefusedError, PinRefusedError, SignatureRefusedError
from citator.trust.keys import parse_public_key
from citator.trust.owned import read_owned
from citator.trust.pack_format import (
    MAX_BYTES,
    NAMESPACE,
    Manifest,
    Pack,
    Root,
    is_id,
    parse_manifest,
    parse_pack,
    parse_root,
)
from citator.trust.remembered import Counters, Seen
from citator.trust.signatures import MAX_ARMORED, verify

FOLDER: Final = "policy"
SHIPPED_ROOT: Final = "citator"
WARN_DAYS: Final = 90
PACK: Final = "pack.json"
MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "manifest.sig"
SHIPPED_KEY: Final = "key.pub"
MAX_PACKS: Final = 64


@dataclass(frozen=True, slots=True)
class Files:
    """The three files of a pack, as bytes. An empty one is one that is not there."""

    pack: bytes
    manifest: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Loaded:
    """A pack that counts, and for how many days more. ``counter`` is the manifest's."""

    pack: Pack
    manifest: Manifest
    shipped: bool
    days_left: int

    @property
    def expires_soon(self) -> bool:
        """Whether it is time to ask for the next one."""
        return self.days_left < WARN_DAYS


@dataclass(frozen=True, slots=True)
class Refused:
    """A pack that is there and does not count, why, and the domains it would have shaped (None
    where nobody knows, so that it is said everywhere)."""

    pack: str
    kind: GapKind
    shipped: bool
    domains: frozenset[Domain] | None = None


@dataclass(frozen=True, slots=True)
class Shelf:
    """All packs here, those that count and those that do not, each in the order of their ids."""

    loaded: tuple[Loaded, ...] = ()
    refused: tuple[Refused, ...] = ()


def shelf_at(layout: Layout, moment: str) -> Shelf:
    """What counts at ``moment`` (UTC, to the second)."""
    found = [*shipped(moment), *_added(layout, moment)]
    return Shelf(
        tuple(one for one in found if isinstance(one, Loaded)),
        tuple(one for one in found if isinstance(one, Refused)),
    )


def weigh(given: Files, root: Root, moment: str, seen: int = 0) -> Loaded:
    """The pack, where it counts under ``root``. ``seen`` is the highest counter that was.

    Raises PackRefusedError.
    """
    if not given.signature:
        raise _refused(GapKind.UNSIGNED, "nobody signed it")
    manifest = parse_manifest(given.manifest)
    if manifest.root != root.name:
        raise _refused(GapKind.UNTRUSTED_KEY, "it names another root")
    _require_signed(given, root)
    if canonical.digest(given.pack) != manifest.digest:
        raise _refused(GapKind.TAMPERED, "the pack is not the one that was signed")
    pack = parse_pack(given.pack)
    if (pack.id, pack.root) != (manifest.pack, manifest.root):
        raise _refused(GapKind.TAMPERED, "the pack is another than its manifest says")
    if manifest.counter < seen:
        raise _refused(GapKind.ROLLED_BACK, "a later version of it was here before")
    now = datetime.fromisoformat(moment)
    if now < datetime.fromisoformat(manifest.issued_at):
        raise _refused(GapKind.NOT_YET_VALID, "it is from the future; is the clock right?")
    left = datetime.fromisoformat(manifest.expires_at) - now
    if left <= timedelta():
        raise _refused(GapKind.EXPIRED, f"it expired on {manifest.expires_at[:10]}")
    return Loaded(pack, manifest, root.name == SHIPPED_ROOT, left.days)


def _require_signed(given: Files, root: Root) -> None:
    try:
        facts = verify(given.signature.decode("ascii", "replace"), given.manifest, NAMESPACE)
    except SignatureRefusedError as error:
        if error.code == "signature_for_another_purpose":
            raise _refused(GapKind.WRONG_NAMESPACE, "it was signed for something else") from None
        raise _refused(GapKind.TAMPERED, "the signature is not over its manifest") from None
    if not root.holds(facts.key):
        raise _refused(GapKind.UNTRUSTED_KEY, "its root does not hold the key that signed it")


def shipped_root() -> Root:
    """The root inside the package: the public half of the key that signed what ships, and is gone.

    Raises KeyRefusedError, StorageError.
    """
    with files.guarded():
        text = (shipped_folder() / SHIPPED_KEY).read_bytes().decode("utf-8", "replace")
    return Root(SHIPPED_ROOT, 1, (parse_public_key(text),))


def shipped_folder() -> Path:
    """Where what ships signed lies in the package."""
    return Path(__file__).parent.parent / "shipped"


def shipped(moment: str) -> Iterator[Loaded | Refused]:
    """The packs of the package, in the order of their names, each counting or not."""
    try:
        root = shipped_root()
        names = sorted(one.name for one in (shipped_folder() / "packs").iterdir())
    except (CitatorError, OSError):
        yield Refused(SHIPPED_ROOT, GapKind.UNREADABLE, True)
        return
    for name in names[:MAX_PACKS]:
        folder = shipped_folder() / "packs" / name
        try:
            yield weigh(read_folder(folder), root, moment)
        except CitatorError as error:
            yield Refused(name, _kind(error), True, _claimed_domains(folder))


def _claimed_domains(folder: Path) -> frozenset[Domain] | None:
    """The domains that a pack of the package says it is for; None where it does not say."""
    try:
        return parse_pack(read_folder(folder).pack).domains
    except CitatorError:
        return None


def read_folder(folder: Path) -> Files:
    """The files of a pack in any folder; one that is missing is empty. Raises StorageError."""
    with files.guarded():
        return Files(
            bounded(folder / PACK, MAX_BYTES),
            bounded(folder / MANIFEST, MAX_BYTES),
            bounded(folder / SIGNATURE, MAX_ARMORED),
        )


def bounded(path: Path, limit: int) -> bytes:
    """A file up to one byte beyond ``limit``, empty where there is none. Raises OSError."""
    try:
        if path.is_symlink() or not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        return b""


def _added(layout: Layout, moment: str) -> Iterator[Loaded | Refused]:
    kept = Kept(layout)
    try:
        ids = kept.ids()
        seen = Counters(layout).read() if ids else {}
    except CitatorError:
        yield Refused("added", GapKind.UNREADABLE, False)
        return
    for name in ids[:MAX_PACKS]:
        known = seen.get(f"pack/{name}", Seen(0))
        try:
            yield kept.weighed(name, moment, seen)
        except CitatorError as error:
            yield Refused(name, _kind(error), False, known.domains or None)


class Kept:
    """The packs that a person added and the roots that a person pinned, in one data directory."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.home = layout.trust / FOLDER
        self.packs = self.home / "packs"
        self.roots = self.home / "roots"

    def ids(self) -> list[str]:
        """The packs that are there, readable or not. Raises StorageError."""
        with files.guarded():
            try:
                names = sorted(one.name for one in self.packs.iterdir())
            except (FileNotFoundError, NotADirectoryError):
                return []
        return [name for name in names if is_id(name)]

    def weighed(self, name: str, moment: str, seen: Mapping[str, Seen]) -> Loaded:
        """The pack of that name, where it counts. ``seen`` is all that was added. Raises
        PackRefusedError, PinRefusedError."""
        found = self.files(name)
        manifest = parse_manifest(found.manifest) if found.manifest else None
        root = self.root(manifest.root, seen) if manifest else None
        if manifest is None or not found.signature:
            raise _refused(GapKind.UNSIGNED, "nobody signed it")
        if root is None:
            raise _refused(GapKind.UNTRUSTED_KEY, "its root is not pinned here")
        if manifest.pack != name:
            raise _refused(GapKind.TAMPERED, "it stands in the place of another")
        known = seen.get(f"pack/{name}", Seen(0)).counter
        loaded = weigh(found, root, moment, known)
        if loaded.manifest.counter != known:
            raise _refused(GapKind.NOT_ADDED, "it lies here, and nobody added it")
        return loaded

    def files(self, name: str) -> Files:
        """What is kept of a pack. Raises PinRefusedError, StorageError."""
        folder = self.packs / name
        above = (*self._above, self.packs, folder)
        limits = ((PACK, MAX_BYTES), (MANIFEST, MAX_BYTES), (SIGNATURE, MAX_ARMORED))
        return Files(*(read_owned(folder / one, above, limit) or b"" for one, limit in limits))

    def root(self, name: str, seen: Mapping[str, Seen]) -> Root | None:
        """The pinned root of that name. Raises PinRefusedError, and PackRefusedError where what
        lies there is not what was pinned."""
        data = read_owned(self.roots / f"{name}.json", (*self._above, self.roots), MAX_BYTES)
        if data is None:
            return None
        found = parse_root(data)
        if found.name != name:
            raise _refused(GapKind.TAMPERED, "a root stands in the place of another")
        if found.counter != seen.get(f"root/{name}", Seen(0)).counter:
            raise PackRefusedError(
                GapKind.UNTRUSTED_KEY,
                "the root that lies here is not the one that was pinned",
                "take it away, and pin it anew: citator policy remove NAME --pinned-root",
            )
        return found

    @property
    def _above(self) -> tuple[Path, ...]:
        return (self._layout.data, self._layout.trust, self.home)

    def put(self, name: str, given: Files) -> None:
        """Keep a pack, in place of an earlier one. For a person's command alone."""
        folder = self.packs / name
        for one in (self.packs, folder):
            files.make_directory(one)
        files.write_atomically(folder / SIGNATURE, given.signature)
        files.write_atomically(folder / MANIFEST, given.manifest)
        files.write_atomically(folder / PACK, given.pack)

    def take(self, name: str) -> bool:
        """Take a pack away, whatever stands there. Whether there was one."""
        folder = self.packs / name
        if not is_id(name) or not folder.exists():
            return False
        self._layout.remove(folder)
        return True

    def unpin(self, name: str) -> bool:
        """Take a root away: its packs count no more. Whether there was one."""
        if not is_id(name):
            return False
        with files.guarded():
            try:
                (self.roots / f"{name}.json").unlink()
            except (FileNotFoundError, NotADirectoryError):
                return False
        return True

    def pin(self, name: str, data: bytes) -> None:
        """Keep a root, in place of the one before. For a person's command alone."""
        files.make_directory(self.roots)
        files.write_atomically(self.roots / f"{name}.json", data)


def _kind(error: CitatorError) -> GapKind:
    if isinstance(error, PackRefusedError):
        return error.kind
    return GapKind.UNREADABLE if isinstance(error, PinRefusedError) else GapKind.MALFORMED


def _refused(kind: GapKind, what: str) -> PackRefusedError:
    return PackRefusedError(kind, what)
