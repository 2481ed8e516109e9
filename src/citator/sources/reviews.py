"""Review threads that an import kept under ``.citator/reviews/``, as documents.

- The served text is the file, redacted: lines keep their numbers. Its author is whoever began the
  thread, as the file calls them; the time is that of the first comment.
- A thread is evidence of who objected and how it ended. It decides nothing, and a file here can be
  written by anybody who can commit: it is as good as any other document of the repository.
- A file that keeps no thread is no document.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from citator.formats.front_matter import read_front_matter
from citator.formats.markdown import LineKind, Outline, outline
from citator.formats.reviews import UNKNOWN, About, Kept, parse
from citator.model.document import Document, Person, ReviewFacts
from citator.model.reference import DocumentKind
from citator.sources.issue_keys import issue_keys
from citator.sources.redaction import redact
from citator.sources.splitter import passages, split_markdown

FOLDER: Final = ".citator/reviews/"
MAX_CHARACTERS: Final = 262_144

_NUMBERED: Final = re.compile(r"person-\d+")


def is_review(path: str) -> bool:
    """Whether a path names a kept review thread."""
    lowered = path.lower()
    return lowered.startswith(FOLDER) and lowered.endswith(".md")


def document_of(path: str, object_id: str, text: str) -> Document | None:
    """The document of a kept thread (its decoded file); None where it keeps none."""
    text, redactions = redact(text[:MAX_CHARACTERS].rstrip("\n"))
    lines = text.split("\n")
    front = read_front_matter(lines)
    below = lines[front.lines :]
    kept = parse(front.values, "\n".join(below)) if front.lines and not front.unreadable else None
    if kept is None or not kept.thread.comments:
        return None
    first = kept.thread.comments[0]
    kinds = bytes([LineKind.CODE]) * front.lines + outline(below).kinds
    pieces = split_markdown(lines, Outline(kinds, ()))
    number = f"#{kept.number}"
    return Document(
        kind=DocumentKind.REVIEW,
        object_id=object_id,
        subject=kept.title,
        text=text,
        passages=passages(DocumentKind.REVIEW, object_id, pieces),
        path=path,
        paths=() if kept.thread.path is None else (kept.thread.path,),
        author=_author(kept, first.author),
        authored_at=_seconds(first.at),
        issue_keys=tuple(dict.fromkeys([number, *issue_keys(text)])),
        redactions=redactions,
        review=ReviewFacts(
            kept.number,
            kept.thread.state,
            kept.thread.path,
            kept.thread.line,
            kept.commits,
            kept.about is About.ISSUE,
        ),
    )


def _author(kept: Kept, name: str) -> Person | None:
    """Whoever began the thread. A person who is only numbered is another one in every change."""
    if name == UNKNOWN:
        return None
    if _NUMBERED.fullmatch(name):
        return Person(f"{name} of {kept.provider} {kept.about.value} {kept.number}", "")
    return Person(name, "")


def _seconds(time: str | None) -> int | None:
    if time is None:
        return None
    try:
        return int(datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp())
    except (ValueError, OverflowError):
        return None
