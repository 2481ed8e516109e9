"""An append-only file of JSON lines that several processes add to at once: whole lines only, under
a lock for the moment it takes. Never rewritten; a full file is put aside once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from citator.store import files, locks

FULL_BYTES: Final = 4 << 20
LOCK: Final = ".lock"
OLDER: Final = ".1"


def append(path: Path, values: Iterable[Mapping[str, Any]]) -> None:
    """Add lines to ``path``, owner-only. Raises StorageError."""
    raw = b"".join(json.dumps(one, separators=(",", ":")).encode("ascii") + b"\n" for one in values)
    if not raw:
        return
    files.make_directory(path.parent)
    with locks.exclusive(path.with_name(path.name + LOCK), wait=True), files.guarded():
        if path.exists() and path.stat().st_size + len(raw) > FULL_BYTES:
            path.replace(path.with_name(path.name + OLDER))
        files.append(path, raw)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The lines, oldest first, also of the file put aside. What is no object is left out."""
    for one in (path.with_name(path.name + OLDER), path):
        try:
            raw = one.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise files.storage_error(error) from error
        for line in raw.splitlines():
            with suppress(ValueError):
                value = json.loads(line)
                if isinstance(value, dict):
                    yield value
