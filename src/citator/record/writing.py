"""Writes a ledger's files into a working tree: whole, durable, and nowhere but below ``.citator``.

- Nothing is overwritten with other words: a file that exists with the same bytes is left, with
  others refused.
- A link in the way is refused, so that a repository cannot lead a write out of itself.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from citator.model.errors import RefusedError
from citator.record.approvals import Approval
from citator.record.attestations import FOLDER as ATTESTATIONS
from citator.record.ledger import (
    APPROVALS,
    FOLDER,
    IDENTITY,
    PROPOSALS,
    RECORD,
    identity_file,
    identity_of,
)
from citator.record.migration import Migration, parse
from citator.store import files

ATTRIBUTES: Final = ".gitattributes"
_NO_CONVERSION: Final = b"* -text -filter -ident -working-tree-encoding\n"


def has_begun(root: Path) -> bool:
    """Whether the tree at ``root`` holds a ledger that names its record."""
    identity = root / FOLDER / IDENTITY
    with files.guarded():
        return os.path.lexists(identity) and identity_of(_plain(identity)) is not None


def begin(root: Path, record: str) -> Path:
    """Make the ledger of record ``record`` in the tree at ``root``, where there is none yet.

    Raises RefusedError where something stands there that names no record, or another.
    """
    folder = _folder(root)
    identity = folder / IDENTITY
    with files.guarded():
        if os.path.lexists(identity) and identity_of(_plain(identity)) != record:
            raise RefusedError(
                "identity_malformed",
                "the file `.citator/ledger.yaml` does not name a record; nothing was written",
                "bring its first text back: git log -- .citator/ledger.yaml",
            )
    for name, content in ((IDENTITY, identity_file(record)), (ATTRIBUTES, _NO_CONVERSION)):
        if not (folder / name).exists():
            _write(folder / name, content)
    return folder


def write_proposal(root: Path, migration: Migration) -> Path:
    """Put a proposal into the tree at ``root``. Returns its path."""
    path = _folder(root, PROPOSALS) / migration.file_name()
    _write(path, migration.render())
    return path


def replace_proposal(root: Path, path: str, old: Migration, new: Migration) -> Path:
    """Put ``new`` where the proposal ``old`` stands (``path``, below the ledger's folder).

    Raises RefusedError where something else stands there by now.
    """
    place = _folder(root, PROPOSALS) / Path(path).name
    with files.guarded():
        if place.is_symlink():
            raise _link_in_the_way()
        same = place.is_file() and parse(place.read_bytes()).digest == old.digest
    if not same:
        raise RefusedError(
            "proposal_changed",
            "the proposal was changed in the meantime; nothing was written",
            "look at it, and run the same command again",
        )
    files.write_atomically(place, new.render(), mode=0o644)
    return place


def write_approval(root: Path, approval: Approval, fingerprint: str) -> Path:
    """Put an approval (or a rejection) into the tree at ``root``. Returns its path."""
    path = _folder(root, APPROVALS) / approval.file_name(fingerprint)
    _write(path, approval.render())
    return path


def write_attestation(root: Path, name: str, content: bytes) -> Path:
    """Put a verifier's attestation into the tree at ``root``. Returns its path."""
    path = _folder(root, ATTESTATIONS) / name
    _write(path, content)
    return path


def land(root: Path, path: str, migration: Migration) -> Path:
    """Move the proposal at ``path`` (below the ledger's folder) among the landed ones.

    The landed file is there before the proposal goes: a killed move leaves both, and the landed
    one counts.
    """
    landed = land_beside(root, migration)
    withdraw(root, path)
    return landed


def land_beside(root: Path, migration: Migration) -> Path:
    """Put a migration among the landed ones; its proposal stays."""
    landed = _folder(root, RECORD) / migration.file_name()
    _write(landed, migration.render())
    return landed


def withdraw(root: Path, path: str) -> None:
    """Take the proposal at ``path`` (below the ledger's folder) away, if it is there."""
    with files.guarded():
        (_folder(root, PROPOSALS) / Path(path).name).unlink(missing_ok=True)


def _plain(path: Path) -> bytes:
    return b"" if path.is_symlink() or not path.is_file() else path.read_bytes()


def _folder(root: Path, name: str = "") -> Path:
    """The ledger's folder, or one in it, made where missing; never through a link."""
    folder = root
    for part in (FOLDER, name) if name else (FOLDER,):
        folder = folder / part
        with files.guarded():
            folder.mkdir(exist_ok=True)
            if not stat.S_ISDIR(os.lstat(folder).st_mode):
                raise _link_in_the_way()
    return folder


def _write(path: Path, content: bytes) -> None:
    with files.guarded():
        if path.is_symlink():
            raise _link_in_the_way()
        if path.exists():
            if path.read_bytes() == content:
                return
            raise RefusedError(
                "file_exists",
                "a file of that name is there and says something else",
                "look at it with `git status`, and move it aside",
            )
    files.write_atomically(path, content, mode=0o644)


def _link_in_the_way() -> RefusedError:
    return RefusedError(
        "link_in_the_way",
        "a link stands where `.citator` keeps its files",
        "replace the link by a directory, if you know how it came there",
    )
