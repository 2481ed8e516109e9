"""What a partition keeps of its texts, as canonical bytes, and the digest of all of it.

The digest is a partition's id: two audiences, or two worlds, that may see exactly the same have
the same id, and nothing that is not shown has a part in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from citator.index import analysis
from citator.sources.versions import VERSIONS

if TYPE_CHECKING:
    from citator.sources.decisions import Decision

FORMAT = f"p1.{analysis.VERSION}.{VERSIONS}"


def identity(decisions: Iterable[Decision]) -> str:
    """The digest of exactly what ``decisions`` show: 64 hexadecimal digits."""
    return identity_of([stored(one) for one in ordered(decisions)])


def identity_of(texts: Iterable[bytes]) -> str:
    """The same, of texts as they are kept, in order."""
    digest = hashlib.sha256(FORMAT.encode())
    for one in texts:
        digest.update(len(one).to_bytes(8, "big"))
        digest.update(one)
    return digest.hexdigest()


def ordered(decisions: Iterable[Decision]) -> list[Decision]:
    """In the order in which a partition numbers them."""
    return sorted(decisions, key=lambda one: (one.document.object_id, one.item))


def stored(one: Decision) -> bytes:
    """What is kept of one text, and may be told of it."""
    document = one.document
    places, at = [], 0
    for passage in document.passages:
        at = document.text.index(passage.text, at)
        digest = passage.ref.rpartition(":")[2]
        places.append([passage.start, passage.end, at, len(passage.text), digest])
        at += len(passage.text)
    kept: dict[str, Any] = {
        "aliases": one.aliases,
        "authored": document.authored_at,
        "created": one.created_at,
        "current": one.current,
        "from": one.held_from,
        "item": one.item,
        "kind": one.kind,
        "labels": one.labels,
        "object": document.object_id,
        "owner": one.owner,
        "passages": places,
        "paths": one.paths,
        "redactions": document.redactions,
        "revision": one.revision,
        "ruling": one.ruling,
        "sensitivity": one.sensitivity,
        "status": one.status,
        "text": document.text,
        "title": document.subject,
        "until": one.held_until,
    }
    return canonical(kept)


def names(decisions: Sequence[Decision]) -> bytes:
    """What each text is called (item, revision, aliases) → its numbers."""
    called: dict[str, list[int]] = {}
    for number, one in enumerate(decisions):
        for name in dict.fromkeys((one.item, one.revision, *one.aliases)):
            called.setdefault(name, []).append(number)
    return canonical(called)


def scopes(decisions: Sequence[Decision]) -> bytes:
    """Each pattern of what is governed, with the number of the text that names it."""
    return canonical(
        [[pattern, number] for number, one in enumerate(decisions) for pattern in one.paths]
    )


def canonical(value: object) -> bytes:
    """JSON with sorted keys and no spaces."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")
