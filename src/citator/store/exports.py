"""A directory that an export writes: whole or as it was, and never over somebody else's files.

- The target is new, empty, or holds exactly what an export of ours left there: its manifest lists
  every file by digest, and a file that was changed or added makes the directory somebody else's.
- The new tree is written beside the target and takes its place in one move.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from citator.model.errors import RefusedError
from citator.store import files

MANIFEST: Final = "citator-export.json"
VERSION: Final = 1
MAX_BYTES: Final = 16 * 1024 * 1024


def manifest_of(kind: str, tree: Mapping[str, bytes]) -> bytes:
    """The manifest of an export: each file's SHA-256, and one digest over all of them."""
    listed = {path: hashlib.sha256(tree[path]).hexdigest() for path in sorted(tree)}
    whole = hashlib.sha256(
        "".join(f"{path}\0{digest}\n" for path, digest in listed.items()).encode()
    ).hexdigest()
    values = {"citator_export": VERSION, "format": kind, "digest": whole, "files": listed}
    return (json.dumps(values, ensure_ascii=False, indent=1) + "\n").encode()


def write_directory(target: Path, kind: str, tree: Mapping[str, bytes]) -> bytes:
    """Make ``target`` hold ``tree`` and its manifest, and nothing else. Returns the manifest.

    Raises RefusedError where it holds anything that an export did not put there, StorageError.
    """
    _require_ours(target)
    manifest = manifest_of(kind, tree)
    new = target.with_name(f".{target.name}.{os.getpid()}{files.UNFINISHED}")
    old = target.with_name(f".{target.name}.{os.getpid()}.old")
    with files.guarded():
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            for path, content in {**tree, MANIFEST: manifest}.items():
                place = new / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            if target.exists():
                target.rename(old)
            new.rename(target)
        except BaseException:
            if old.exists() and not target.exists():
                old.rename(target)
            shutil.rmtree(new, ignore_errors=True)
            raise
        shutil.rmtree(old, ignore_errors=True)
    return manifest


def write_page(target: Path, content: bytes, mark: bytes) -> None:
    """Make the file ``target`` hold ``content``; an older one is replaced only if it bears ``mark``
    in its first kilobyte. Raises RefusedError, StorageError."""
    if target.is_symlink() or target.is_dir():
        raise _not_ours()
    if target.exists():
        with files.guarded(), target.open("rb") as file:
            if mark not in file.read(1024):
                raise _not_ours()
    with files.guarded():
        target.parent.mkdir(parents=True, exist_ok=True)
    files.write_atomically(target, content, mode=0o644)


def _require_ours(target: Path) -> None:
    """Raises RefusedError unless ``target`` is new, empty, or an export that nobody touched."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise _not_ours()
    if not target.exists():
        return
    found = {
        path.relative_to(target).as_posix(): path
        for path in target.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }
    if not found:
        return
    listed = _listed(found.pop(MANIFEST, None))
    if listed is None or set(found) != set(listed):
        raise _not_ours()
    for name, path in found.items():
        if path.is_symlink() or hashlib.sha256(path.read_bytes()).hexdigest() != listed[name]:
            raise _not_ours()


def _listed(manifest: Path | None) -> dict[str, str] | None:
    if manifest is None or manifest.is_symlink() or manifest.stat().st_size > MAX_BYTES:
        return None
    try:
        values = json.loads(manifest.read_bytes())
        listed = values["files"]
        ours = values["citator_export"] == VERSION
        return {str(key): str(value) for key, value in listed.items()} if ours else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _not_ours() -> RefusedError:
    return RefusedError(
        "not_ours",
        "the target holds something that an export of this kind did not put there",
        "name a new or empty place; nothing was changed",
    )
