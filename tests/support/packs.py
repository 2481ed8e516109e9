"""Policy packs and roots for tests: right in every field, each of which can be made wrong alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citator.store.layout import Layout
from citator.trust.canonical import digest
from citator.trust.pack_format import NAMESPACE, ROOT_NAMESPACE, Manifest
from citator.trust.packs import MANIFEST, PACK, SIGNATURE, Files, Kept
from citator.trust.remembered import Counters, Seen
from tests.support.keys import SigningKey, ed25519_key

MOMENT = "2027-03-01T12:00:00Z"
ALL_INTENTS = ["explain", "find", "change", "choose", "operate", "learn", "unclear"]
LAW: dict[str, Any] = {
    "version": 1,
    "pack": "acme.law",
    "root": "acme",
    "domains": ["law"],
    "sources": [
        {
            "id": "statutes",
            "kind": "web",
            "authority": "primary",
            "fresh_days": 30,
            "expires_days": None,
            "domains": ["law"],
            "intents": ALL_INTENTS,
            "locators": ["law.example.org/statutes/"],
        }
    ],
    "envelope": {"hosts": ["law.example.org/statutes/"], "paths": []},
}


@dataclass
class Offer:
    """A pack and its signature. ``pack`` is the document; ``raw`` stands for its bytes if given."""

    pack: dict[str, Any]
    key: SigningKey = field(default_factory=ed25519_key)
    counter: int = 1
    issued_at: str = "2027-01-01T00:00:00Z"
    expires_at: str = "2028-01-01T00:00:00Z"
    namespace: str = NAMESPACE
    raw: bytes = b""

    @property
    def data(self) -> bytes:
        """The bytes of the pack."""
        return self.raw or json.dumps(self.pack, indent=1).encode()

    @property
    def manifest(self) -> Manifest:
        """What is signed."""
        names = (self.pack["pack"], self.pack["root"])
        return Manifest(*names, self.counter, digest(self.data), self.issued_at, self.expires_at)

    @property
    def files(self) -> Files:
        """All three."""
        signed = self.manifest.to_bytes()
        return Files(self.data, signed, self.key.sign(signed, self.namespace).encode())

    def written(self, folder: Path) -> Path:
        """The folder, with the three in it."""
        folder.mkdir(parents=True, exist_ok=True)
        found = self.files
        for name, data in zip(
            (PACK, MANIFEST, SIGNATURE), (found.pack, found.manifest, found.signature), strict=True
        ):
            (folder / name).write_bytes(data)
        return folder

    def kept(self, layout: Layout) -> None:
        """As if a person had added it here."""
        seen = Seen(self.counter, frozenset(self.pack["domains"]))
        Counters(layout).note(f"pack/{self.pack['pack']}", seen)
        Kept(layout).put(self.pack["pack"], self.files)


def root_bytes(*keys: SigningKey, name: str = "acme", counter: int = 1) -> bytes:
    """A root that holds ``keys``."""
    lines = [one.public.text for one in keys]
    return json.dumps({"version": 1, "root": name, "counter": counter, "keys": lines}).encode()


def root_in(folder: Path, data: bytes, by: SigningKey | None = None) -> Path:
    """The folder of a root, signed if somebody signs it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "root.json").write_bytes(data)
    if by is not None:
        (folder / "root.sig").write_text(by.sign(data, ROOT_NAMESPACE), "ascii")
    return folder


def with_root(data: Path, *keys: SigningKey) -> Layout:
    """A data directory where the root acme is pinned."""
    data.mkdir(mode=0o700, exist_ok=True)
    layout = Layout(data)
    Kept(layout).pin("acme", root_bytes(*(keys or (ed25519_key(),))))
    Counters(layout).note("root/acme", Seen(1))
    return layout
