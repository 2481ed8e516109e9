"""Which commit first added each landed migration and each approval, and what it then said.

- Found by looking at the ledger's folder in every commit, parents first: merges, squashes, renames
  and rewritten branches need no case of their own. The answer is a function of the tip alone.
- A landed migration that no longer says what it said when it was first added was tampered with.
- What landed stays landed: a file that is gone again is still there to be read where it first was.
- Where history is shallow, the edge counts as the beginning: the horizon says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from citator.git.folders import folder_trees
from citator.git.objects import ObjectReader, StoredObject
from citator.git.records import Repository
from citator.git.tree_objects import Trees, UnreadableTreeError
from citator.model import stop
from citator.model.errors import CitatorError
from citator.record.ledger import APPROVALS, FOLDER, RECORD
from citator.record.migration import MAX_BYTES, Migration, parse

VERSION: Final = 2


@dataclass(frozen=True)
class Provenance:
    """Facts about the history of ``tip``.

    ``landed``: migration id → (commit that first added it, its digest then). ``approvals``: the
    SHA-256 of an approval file's bytes → the commit that first added it. ``objects``: either key →
    the blob it was then. ``unread`` counts files that could not be read.
    """

    tip: str
    landed: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    approvals: Mapping[str, str] = field(default_factory=dict)
    unread: int = 0
    objects: Mapping[str, str] = field(default_factory=dict)

    def tampered(self, digests: Mapping[str, str]) -> list[str]:
        """The migrations whose digest is no longer what it was when they were first added."""
        return sorted(
            one
            for one, digest in digests.items()
            if one in self.landed and self.landed[one][1] != digest
        )


def trace(repo: Repository, tip: str, known: Provenance | None = None) -> Provenance:
    """The provenance at ``tip``. ``known`` is that of an ancestor of it, to continue from.

    Raises GitRefusedError.
    """
    landed = dict(known.landed) if known else {}
    approvals = dict(known.approvals) if known else {}
    blobs = dict(known.objects) if known else {}
    unread = known.unread if known else 0
    seen: set[tuple[bytes, str]] = set()
    seen_trees: set[str] = set()
    previous: str | None = None
    with ObjectReader(repo) as objects:
        trees = Trees(repo, objects)
        for commit, tree in folder_trees(repo, tip, FOLDER, [known.tip] if known else []):
            if tree is None or tree in seen_trees:
                continue
            stop.checkpoint()
            seen_trees.add(tree)
            try:
                new = _new_files(trees, previous, tree)
            except UnreadableTreeError:
                unread += 1
                continue
            previous = tree
            for path, object_id in new:
                if (path, object_id) in seen:
                    continue
                seen.add((path, object_id))
                content = _content(objects, object_id)
                if content is None:
                    unread += 1
                elif path.startswith(f"{APPROVALS}/".encode()):
                    key = hashlib.sha256(content).hexdigest()
                    approvals.setdefault(key, commit)
                    blobs.setdefault(key, object_id)
                elif (made := _migration(content)) is not None:
                    landed.setdefault(made.id, (commit, made.digest))
                    blobs.setdefault(made.id, object_id)
    return Provenance(tip, landed, approvals, unread, blobs)


def _new_files(trees: Trees, old: str | None, new: str) -> Iterable[tuple[bytes, str]]:
    """The files of the record and its approvals that ``new`` has and ``old`` has not."""
    wanted = (f"{RECORD}/".encode(), f"{APPROVALS}/".encode())
    for _, node in trees.differences(old, new):
        if node is not None and node.path.startswith(wanted) and node.kind == "blob":
            yield node.path, node.object_id


def _content(objects: ObjectReader, object_id: str) -> bytes | None:
    found = objects.read(object_id, MAX_BYTES)
    return found.content if isinstance(found, StoredObject) else None


def _migration(content: bytes) -> Migration | None:
    try:
        return parse(content)
    except CitatorError:
        return None
