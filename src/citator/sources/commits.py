"""Commits that explain themselves, as documents.

- The served text is the message: the title, a blank line, the body. Carriage returns and blanks
  at line ends are dropped, secrets are redacted, everything else stays (trailers too).
- The subject is the first paragraph on one line; of a merged pull request, its own title. A first
  paragraph that is as long as a body is one: its first line is then the subject.
- A message is served up to ``MAX_CHARACTERS``; a longer one is cut at a line and counted.
- The list of touched files is metadata of the document and never text of a passage.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from citator.formats.trailers import find_trailers
from citator.git.records import RawCommit
from citator.model.document import Document
from citator.model.horizon import HorizonFact, Limit, merge_facts
from citator.model.reference import DocumentKind
from citator.sources.explanations import Explanation, explanation
from citator.sources.issue_keys import issue_keys
from citator.sources.redaction import redact
from citator.sources.splitter import passages, split_message
from citator.sources.stated import stated_of

MAX_CHARACTERS = 262_144
MAX_SUBJECT = 200

_LEDGER = (".citator/record/", ".citator/proposals/", ".citator/approvals/")
_TRAILING = re.compile(r"(?<![ \t])[ \t]++(?=\n|\Z)")  # a run is tried once
_SURROGATE = re.compile("[\ud800-\udfff]")
_PULL_MERGE = re.compile(
    r"Merged? pull request #[0-9]+(?: from \S|$)|Merged in \S+ \(pull request #[0-9]+\)"
)
_BRANCH_MERGE = re.compile(r"Merge branch '[^']*' into ")


class _Message(NamedTuple):
    """A cleaned message: its lines, its subject, and where its body begins."""

    lines: list[str]
    text: str
    subject: str
    body: int


def document_of(raw: RawCommit) -> Document | None:
    """The document of a commit; None where it does not explain itself."""
    return _read(raw)[0]


def limits_of(raw: RawCommit) -> tuple[Limit, ...]:
    """What of a commit could not be read as it is meant, explained or not."""
    if raw.paths is not None and not raw.guessed and len(raw.message) <= MAX_CHARACTERS:
        return ()
    met = (
        (Limit.GUESSED_ENCODING, raw.guessed),
        (Limit.MISSING_OBJECTS, raw.paths is None),
        (Limit.CUT_LONG, len(raw.message) > MAX_CHARACTERS),
    )
    return tuple(limit for limit, applies in met if applies)


@dataclass(slots=True)
class CommitTally:
    """Reads commits and counts them.

    ``explained`` includes ``pointed``: those that only point at an issue or a commit.
    """

    examined: int = 0
    explained: int = 0
    pointed: int = 0
    merges: int = 0
    redactions: int = 0
    limits: Counter[Limit] = field(default_factory=Counter)

    def read(self, raw: RawCommit) -> Document | None:
        """:func:`document_of`, counted."""
        document, found = _read(raw)
        self.examined += 1
        self.merges += len(raw.parents) > 1
        self.limits.update(limits_of(raw))
        self.pointed += found is Explanation.POINTER
        if document is not None:
            self.explained += 1
            self.redactions += document.redactions
        return document

    @property
    def share(self) -> float | None:
        """Explained commits among those examined, 0 to 1; None where none was."""
        return self.explained / self.examined if self.examined else None

    @property
    def facts(self) -> tuple[HorizonFact, ...]:
        """What could not be read as it is meant."""
        return merge_facts(HorizonFact(limit, count) for limit, count in self.limits.items())

    def details(self) -> dict[str, int]:
        """The counts by name, to be kept beside an index."""
        return {
            "commits_examined": self.examined,
            "commits_explained": self.explained,
            "commits_pointed": self.pointed,
            "commits_merges": self.merges,
        }


def _read(raw: RawCommit) -> tuple[Document | None, Explanation]:
    message = _message(raw.message)
    if message is None:
        return None, Explanation.NONE
    trailers = find_trailers(message.lines)
    found = explanation(message.lines, message.body, message.subject, trailers, raw.author)
    if found is Explanation.NONE:
        return None, found
    text, redactions = redact(message.text)
    if redactions:
        lines = text.split("\n")
        message = _Message(lines, text, *_subject(lines))
        trailers = find_trailers(lines)
    pieces = split_message(message.lines, text)
    return Document(
        kind=DocumentKind.COMMIT,
        object_id=raw.object_id,
        subject=message.subject,
        text=text,
        passages=passages(DocumentKind.COMMIT, raw.object_id, pieces),
        paths=tuple(path for path in raw.paths or () if not _is_of_ledger(path)),
        author=raw.author,
        authored_at=raw.authored_at,
        committed_at=raw.committed_at,
        parents=raw.parents,
        issue_keys=issue_keys(text),
        trailers=trailers.trailers,
        redactions=redactions,
        stated=stated_of(trailers.trailers, text),
    ), found


def _is_of_ledger(path: str) -> bool:
    """Whether a path is a file of the record: its name holds words of a decision, which only the
    gate may let through."""
    return path.lower().startswith(_LEDGER)


def _message(message: str) -> _Message | None:
    """The cleaned message, None where it has one paragraph of a usual length."""
    text = _clean(message)
    lines = text.split("\n")
    subject, body = _subject(lines)
    if body >= len(lines):
        return None
    return _Message(lines, text, subject, body)


def _clean(message: str) -> str:
    if "\r" in message:
        message = message.replace("\r\n", "\n").replace("\r", "\n")
    if len(message) > MAX_CHARACTERS:
        end = message.rfind("\n", 0, MAX_CHARACTERS)
        message = message[: end if end > 0 else MAX_CHARACTERS]
    if not message.isascii():
        message = _SURROGATE.sub("\ufffd", message)
    message = message.strip("\n")
    if " \n" in message or "\t\n" in message or message[-1:] in (" ", "\t"):
        message = _TRAILING.sub("", message).strip("\n")
    return message


def _subject(lines: Sequence[str]) -> tuple[str, int]:
    """The subject, and the index of the line where the body begins."""
    end = lines.index("") if "" in lines else len(lines)
    subject = lines[0].strip() if end == 1 else " ".join(line.strip() for line in lines[:end])
    body = end
    if len(subject) > MAX_SUBJECT and end > 1:
        subject, body = lines[0].strip(), 1
    while body < len(lines) and not lines[body]:
        body += 1
    title = _pull_title(lines, body) if subject.startswith("Merge") else None
    if title is not None:
        subject, body = title, _after(lines, body)
    return subject[: 2 * MAX_SUBJECT], body


def _pull_title(lines: Sequence[str], body: int) -> str | None:
    """The title of a merged pull request: the first paragraph, where it is one line."""
    if body >= len(lines) or _after(lines, body) - body > 2:
        return None
    if _PULL_MERGE.match(lines[0]):
        return lines[body].strip()
    gitlab = any(line.startswith("See merge request ") for line in lines[body:])
    return lines[body].strip() if gitlab and _BRANCH_MERGE.match(lines[0]) else None


def _after(lines: Sequence[str], start: int) -> int:
    """The index after the paragraph at ``start`` and the blank lines that follow it."""
    while start < len(lines) and lines[start]:
        start += 1
    while start < len(lines) and not lines[start]:
        start += 1
    return start
