"""Whether nothing speaks of something, for people: all is read, counted, and proved readable.

- Not the index is asked: every commit message, document and decision that may be seen at the commit
  is read and looked into for all the words, folded.
- A positive control goes the same way: words of a commit that is there must be found there.
- Absence is said of what was read and of nothing else: the horizon stands beside it. An agent is
  not told: what was counted could tell it of what it may not see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from citator.git import history, revisions, trees
from citator.git.records import Head
from citator.index.nothing import NothingSeen
from citator.model.errors import UsageError
from citator.model.horizon import Horizon, HorizonFact, Limit
from citator.model.plain import shown_path
from citator.model.visibility import Audience
from citator.record.folding import folded
from citator.search.stop_words import ACTS, ENGLISH
from citator.service.horizon import Seen, horizon_of
from citator.service.readership import Mask, mask_of
from citator.service.record_view import view_of
from citator.service.workspace import Workspace, require_commits
from citator.sources.markdown import MarkdownSource

MAX_WORDS: Final = 16
MAX_FOUND: Final = 10
MAX_MESSAGE: Final = 262_144
_WORD: Final = re.compile(r"[^\W_][\w.+#/-]*")
_GAPS: Final = re.compile(r"[\s_\-*~`]+")  # as folding has them
_NEVER: Final = frozenset({"never", "decided", "decide", "decision", "ever", "nobody", "somebody"})


class Verdict(StrEnum):
    """What was proved."""

    ABSENT = "absent"
    FOUND = "found"
    UNPROVED = "unproved"


@dataclass(frozen=True, slots=True)
class Covered:
    """How many of each kind of document were read."""

    commits: int = 0
    documents: int = 0
    decisions: int = 0


@dataclass(frozen=True, slots=True)
class Proof:
    """``words`` were looked for, in all of ``covered`` at ``commit``. ``found`` are where all of
    them stand: commits, paths or items. ``control`` is the commit whose ``control_words`` were
    found, None where none was: then nothing is proved."""

    verdict: Verdict
    words: tuple[str, ...]
    commit: str
    covered: Covered
    found: tuple[str, ...]
    more: int
    control: str | None
    control_words: tuple[str, ...]
    horizon: Horizon


def prove_absent(workspace: Workspace, text: str, at: str | None, audience: Audience) -> Proof:
    """Read everything. Raises UsageError for no words, NotFoundError, GitRefusedError."""
    words = _words(text)
    if not words:
        raise UsageError("no_words", "there is no word to look for", "say it in other words")
    tip = require_commits(workspace)
    commit = tip if at is None else revisions.commit_named(workspace.repository, at)
    there = replace(workspace, head=Head(commit, workspace.head.branch))
    mask = mask_of(workspace, audience)
    scan = _Scan(words)
    if not mask.everything:
        _commits(there, commit, mask, scan)
        _documents(there, commit, mask, scan)
    _decisions(workspace, audience, commit if commit != tip else None, scan)
    horizon = horizon_of(there, None, (), Seen(NothingSeen(), mask)).having(scan.facts)
    verdict = Verdict.FOUND if scan.found else Verdict.ABSENT
    if verdict is Verdict.ABSENT and not scan.control_found:
        verdict = Verdict.UNPROVED
    return Proof(
        verdict,
        words,
        commit,
        Covered(**scan.read),
        tuple(scan.found[:MAX_FOUND]),
        max(0, len(scan.found) - MAX_FOUND),
        scan.control if scan.control_found else None,
        scan.control_words,
        horizon,
    )


def _words(text: str) -> tuple[str, ...]:
    """The words that carry something, folded, each once."""
    every = [folded(one) for one in _WORD.findall(text)]
    kept = [one for one in every if one not in ENGLISH | ACTS | _NEVER]
    return tuple(dict.fromkeys(one for one in kept or every if one))[:MAX_WORDS]


class _Scan:
    """Looks into documents one by one; the first that can be is the control of those after it."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words
        self.found: list[str] = []
        self.read = {"commits": 0, "documents": 0, "decisions": 0}
        self.facts: list[HorizonFact] = []
        self.control: str | None = None
        self.control_words: tuple[str, ...] = ()
        self.control_found = False

    def look(self, kind: str, name: str, texts: Iterable[str]) -> None:
        """Read one document, in pieces."""
        self.read[kind] += 1
        whole = "\n".join(texts)[:MAX_MESSAGE]
        said = _GAPS.sub(" ", whole.casefold()) if whole.isascii() else folded(whole)
        if self.control is None and kind == "commits":
            longest = sorted({*re.findall(r"[a-z]{6,}", said)}, key=lambda one: (-len(one), one))
            if len(longest) >= 2:
                self.control, self.control_words = name, tuple(longest[:2])
        if name == self.control and all(one in said for one in self.control_words):
            self.control_found = True
        if all(one in said for one in self._words):
            self.found.append(name)


def _commits(workspace: Workspace, commit: str, mask: Mask, scan: _Scan) -> None:
    with history.commits(workspace.repository, commit) as walk:
        for raw in walk:
            if not (mask.hides and mask.covers_any(raw.paths)):
                scan.look("commits", raw.object_id, [raw.message])
        unread = [one for one in walk.facts if one.limit is Limit.UNREADABLE_COMMITS]
        if unread and not mask.hides:
            scan.facts.append(HorizonFact(Limit.UNREADABLE_COMMITS, len(unread)))


def _documents(workspace: Workspace, commit: str, mask: Mask, scan: _Scan) -> None:
    source = MarkdownSource(workspace.repository, workspace.config)
    entries = (
        one for one in trees.entries(workspace.repository, commit) if not mask.covers(one.path)
    )
    for document in source.documents(entries):
        name = document.object_id if document.path is None else shown_path(document.path)
        scan.look("documents", name, [document.text])
    if not mask.hides:
        scan.facts += [replace(one, detail=None) for one in source.facts]


def _decisions(workspace: Workspace, audience: Audience, at: str | None, scan: _Scan) -> None:
    view = view_of(workspace, audience, at)
    if view is None:
        return
    with closing(view.partition):
        for text in view.partition.all():
            scan.look("decisions", text.item, (text.title, text.ruling, text.text))
