"""References: names of exact text (``kind:v1:<sha256>``).

A reference is a digest over the kind, the commit or blob it stands in, the line range, the
text as served (redacted), and the versions of the splitter and the redactor. Text that
changes gets another reference, so a reference never silently means something else.
"""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from typing import NewType

Ref = NewType("Ref", str)

MIN_PREFIX = 6
_FORM = re.compile(r"(commit|markdown|decision|review|skill):v1:([0-9a-f]{64})")
_PREFIX = re.compile(
    rf"(?:(commit|markdown|decision|review|skill):)?(?:v1:)?([0-9a-f]{{{MIN_PREFIX},64}})"
)


class DocumentKind(StrEnum):
    """What a document is."""

    COMMIT = "commit"
    MARKDOWN = "markdown"
    DECISION = "decision"
    REVIEW = "review"
    SKILL = "skill"


def make_ref(
    kind: DocumentKind, object_id: str, lines: tuple[int, int], text: str, versions: str
) -> Ref:
    """The reference of ``text``, which is lines ``lines`` (1-based, inclusive) of an object.

    ``versions`` names the splitter and the redactor that produced the text.
    """
    digest = hashlib.sha256()
    for part in (kind.value, object_id, f"{lines[0]}-{lines[1]}", versions, text):
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return Ref(f"{kind.value}:v1:{digest.hexdigest()}")


def split_ref(text: str) -> tuple[DocumentKind | None, str] | None:
    """The kind (if named) and hexadecimal prefix that ``text`` names, or None if malformed.

    Accepted: a whole reference, ``kind:v1:PREFIX``, ``kind:PREFIX`` or a bare prefix of at
    least six digits.
    """
    match = _PREFIX.fullmatch(text)
    if match is None:
        return None
    return (DocumentKind(match[1]) if match[1] else None), match[2]


def is_ref(text: str) -> bool:
    """Whether ``text`` is a whole reference."""
    return _FORM.fullmatch(text) is not None
