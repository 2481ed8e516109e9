"""Review threads that ``import reviews --local`` kept in this clone's data directory, as documents.

- They are of this machine: another clone, another data directory and the repository know nothing of
  them. Their locator begins with ``local/reviews/``: the place below the clone's directory.
- What they are is told by names, sizes and times of change, so that asking costs a look at one
  folder. Where that differs from what an index was built with, it is built anew: threads come in
  by the hundred and seldom.
- Links are not followed. What cannot be read is a limit of the index, never silence.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from citator.model.document import Document
from citator.model.horizon import HorizonFact, Limit
from citator.sources import reviews
from citator.sources.markdown import decode

FOLDER: Final = "local/reviews/"
DETAIL: Final = "local_threads"
MAX_BYTES: Final = 2 * 1024 * 1024
MAX_FILES: Final = 20_000
MAX_DEPTH: Final = 3


class _File(NamedTuple):
    path: Path
    name: str
    size: int
    changed: int
    regular: bool


def fingerprint(local: Path) -> int:
    """What is kept below ``local`` (the clone's own directory), as a number; 0: nothing is."""
    found = _files(local / "reviews")
    if not found:
        return 0
    listed = "".join(f"{one.name}\0{one.size}\0{one.changed}\n" for one in found)
    digest = hashlib.sha256(listed.encode("utf-8", "surrogateescape")).digest()
    return int.from_bytes(digest[:6], "big") + 1


def documents(local: Path, facts: list[HorizonFact]) -> Iterator[Document]:
    """The threads below ``local`` by name; what could not be read is added to ``facts``."""
    found = _files(local / "reviews")
    if len(found) > MAX_FILES:
        facts.append(HorizonFact(Limit.TOO_LARGE, len(found) - MAX_FILES, DETAIL))
    for one in found[:MAX_FILES]:
        data = _read(one)
        if isinstance(data, Limit):
            facts.append(HorizonFact(data, 1, _item(one.name)))
            continue
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        document = reviews.document_of(FOLDER + one.name, blob, decode(data).text)
        if document is not None:
            yield document


def _files(folder: Path) -> list[_File]:
    """Every file below ``folder`` that a thread may be kept in, by name."""
    found: list[_File] = []
    if not folder.is_symlink():
        _walk(folder, "", found, 0)
    return sorted(found, key=lambda one: one.name)


def _walk(folder: Path, prefix: str, found: list[_File], depth: int) -> None:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        name = f"{prefix}{entry.name}"
        try:
            if entry.is_dir(follow_symlinks=False):
                if depth < MAX_DEPTH:
                    _walk(Path(entry.path), f"{name}/", found, depth + 1)
            elif name.lower().endswith(".md"):
                facts = entry.stat(follow_symlinks=False)
                regular = stat.S_ISREG(facts.st_mode)
                place = Path(entry.path)
                found.append(_File(place, name, facts.st_size, facts.st_mtime_ns, regular))
        except OSError:
            continue


def _read(one: _File) -> bytes | Limit:
    if one.size > MAX_BYTES:
        return Limit.TOO_LARGE
    if not one.regular:
        return Limit.SYMLINKS_NOT_FOLLOWED
    try:
        return one.path.read_bytes()
    except OSError:
        return Limit.UNREADABLE_BLOBS


def _item(name: str) -> str:
    """A name for one file that says nothing of it."""
    return hashlib.sha256(f"{FOLDER}{name}".encode("utf-8", "surrogateescape")).hexdigest()[:32]
