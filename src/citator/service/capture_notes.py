"""Notes from history: the last commits, each held against ``team/capture.py``.

- What is kept is a reference with its subject: the note names its commit, and its words go to no
  agent unasked.
- A commit is captured once, whatever becomes of the note, and so are the same words.
- A commit that this machine's audience may not see is not looked at.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from citator.git import history
from citator.git.records import RawCommit
from citator.model.errors import CitatorError
from citator.service import notes
from citator.service.notes import MAX_PATHS, MAX_TEXT, Draft
from citator.service.proposing import Moment
from citator.service.readership import mask_of
from citator.service.workspace import Workspace, require_commits
from citator.sources.redaction import redact
from citator.team.capture import captured
from citator.team.notes import Content

MOST: Final = 20_000


@dataclass(frozen=True, slots=True)
class Backfill:
    """What was captured: commits looked at, new notes, those there already, by which rules."""

    examined: int
    new: int
    there: int
    rules: Mapping[str, int]


def capture(workspace: Workspace, last: int, moment: Moment, *, dry_run: bool = False) -> Backfill:
    """Capture from the last commits of HEAD. Raises RefusedError ``no_commits``, StorageError."""
    tip = require_commits(workspace)
    mask, spoken = mask_of(workspace), notes.rejections(workspace)
    examined, rules, found = 0, Counter[str](), []
    for raw in _last(workspace, tip, min(last, MOST)):
        if mask.covers_any(raw.paths):
            continue
        examined += 1
        made = _content(raw)
        if made is not None and spoken(made[0]) is None:
            rules[made[1]] += 1
            found.append(made[0])
    if dry_run:
        return Backfill(examined, 0, 0, dict(sorted(rules.items())))
    new, there = notes.of(workspace).add_all(found, moment.text, moment.entropy)
    return Backfill(examined, len(new), there, dict(sorted(rules.items())))


def _last(workspace: Workspace, tip: str, count: int) -> list[RawCommit]:
    """The last commits, oldest first; of one that was merged, what the merge brought."""
    repo = workspace.repository
    reached = list(islice(history.reachable(repo, tip), count + 1))
    excluding = reached[count:]
    with history.commits(repo, tip, excluding) as walk:
        return list(deque(walk, maxlen=count))


def _content(raw: RawCommit) -> tuple[Content, str] | None:
    """The note of a commit and the rule; None for none, and for what no note may be."""
    subject, *body = raw.message.strip("\n").split("\n")
    paths = raw.paths or ()
    made = captured(subject[:1000], body[:500], paths, len(raw.parents))
    if made is None:
        return None
    text = redact("".join("\ufffd" if "\ud800" <= one <= "\udfff" else one for one in made.text))[0]
    try:
        content = notes.checked(Draft(text[:MAX_TEXT], made.kind.value))
    except CitatorError:
        return None
    about = tuple(sorted(paths))[:MAX_PATHS]
    author = redact(" ".join(str(raw.author.name).split()))[0][:200] or "unknown"
    content = replace(content, author=author, paths=about, commit=raw.object_id, files=len(paths))
    return content, made.rule.value
