"""Three findings that a first run shows, gathered while the history streams by.

- a revert that says why;
- a removal that says why;
- the decision that later commits refer to most.

Each is a document of this history, found by its structure (rule 3); nothing is summarised.

They are kept with the number of their format; the first release wrote the list alone. What
another format says is not read, and found again by the next fresh build.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from citator.model.document import Document
from citator.model.reference import DocumentKind
from citator.store.files import write_atomically

_REVERTS = re.compile(r"^This reverts commit ([0-9a-f]{7,64})", re.MULTILINE)
_REMOVES = re.compile(
    r"^(?:\w+(?:\([^)]{1,40}\))?!?: )?(?:remove|drop|delete|get rid of|retire)\b", re.IGNORECASE
)
_REASON = re.compile(
    r"\b(?:because|since|so that|in order to|instead of|no longer|caused|causes|broke|breaks"
    r"|the reason|turns out|due to)\b",
    re.IGNORECASE,
)
_CITED_COMMIT = re.compile(r"\b[0-9a-f]{7,64}\b")
_CITED_NUMBER = re.compile(r"(?<![\w&])#(\d{1,7})\b")
_OWN_NUMBER = re.compile(r"\(#(\d{1,7})\)\s*$")
_ENOUGH = 160
_KEPT = 40
FILE = "findings.json"
FORMAT = 2


class FindingKind(StrEnum):
    """What a finding is."""

    REVERT = "revert_with_reason"
    REMOVAL = "removal_with_reason"
    MOST_CITED = "most_cited_decision"


@dataclass(frozen=True, slots=True)
class Finding:
    """A commit worth reading first; ``count`` is how many later commits cite it."""

    kind: FindingKind
    object_id: str
    count: int = 0


@dataclass
class FindingsCollector:
    """Watches documents go by, parents before children; memory is bounded by the citations."""

    reverts: list[tuple[int, str]] = field(default_factory=list)
    removals: list[tuple[int, str]] = field(default_factory=list)
    cited: Counter[str] = field(default_factory=Counter)
    numbers: dict[str, str] = field(default_factory=dict)
    prefixes: dict[str, str] = field(default_factory=dict)

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The same documents, seen."""
        for document in documents:
            if document.kind is DocumentKind.COMMIT:
                self._see(document)
            yield document

    def _see(self, document: Document) -> None:
        body = document.text.partition("\n")[2]
        when = document.committed_at or 0
        reverted = _REVERTS.search(body)
        if reverted is not None:
            rest = body[: reverted.start()] + body[reverted.end() :]
            if len(rest) >= _ENOUGH and _REASON.search(rest):
                _keep(self.reverts, when, document.object_id)
        elif len(body) >= _ENOUGH and _REMOVES.match(document.subject) and _REASON.search(body):
            _keep(self.removals, when, document.object_id)
        self._count(document, body)
        own = _OWN_NUMBER.search(document.subject)
        if own is not None:
            self.numbers[own[1]] = document.object_id
        self.prefixes[document.object_id[:7]] = document.object_id

    def _count(self, document: Document, body: str) -> None:
        targets = {
            found
            for match in _CITED_COMMIT.finditer(body)
            if (found := self.prefixes.get(match[0][:7])) and found.startswith(match[0])
        }
        targets |= {
            found for match in _CITED_NUMBER.finditer(body) if (found := self.numbers.get(match[1]))
        }
        targets.discard(document.object_id)
        self.cited.update(targets)

    def findings(self) -> tuple[Finding, ...]:
        """At most one of each kind, the newest revert and removal first."""
        found = [
            Finding(kind, max(seen)[1])
            for kind, seen in (
                (FindingKind.REVERT, self.reverts),
                (FindingKind.REMOVAL, self.removals),
            )
            if seen
        ]
        taken = {finding.object_id for finding in found}
        best = sorted(
            ((-count, commit) for commit, count in self.cited.items() if commit not in taken)
        )[:1]
        found.extend(Finding(FindingKind.MOST_CITED, commit, -count) for count, commit in best)
        return tuple(found)


def _keep(seen: list[tuple[int, str]], when: int, object_id: str) -> None:
    seen.append((when, object_id))
    if len(seen) > _KEPT:
        seen.remove(min(seen))


def save(derived: Path, found: Iterable[Finding], *, fresh: bool) -> None:
    """Keep findings beside the index; an increment adds to those of the build before it."""
    known = {} if fresh else {finding.kind: finding for finding in saved(derived)}
    for finding in found:
        before = known.get(finding.kind)
        if before is None or finding.count >= before.count:
            known[finding.kind] = finding
    rows = [[finding.kind.value, finding.object_id, finding.count] for finding in known.values()]
    write_atomically(derived / FILE, json.dumps({"format": FORMAT, "findings": rows}).encode())


def saved(derived: Path) -> tuple[Finding, ...]:
    """The findings kept beside the index; none where there are none that can be read."""
    try:
        said = json.loads((derived / FILE).read_bytes())
        rows = said if isinstance(said, list) else _rows(said)
        return tuple(Finding(FindingKind(kind), str(oid), int(count)) for kind, oid, count in rows)
    except (OSError, ValueError, TypeError, KeyError):
        return ()


def _rows(said: dict[str, Any]) -> list[Any]:
    return list(said["findings"]) if said["format"] == FORMAT else []
