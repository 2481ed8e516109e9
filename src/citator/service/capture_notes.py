"""Notes from history: the last commits, each held against ``team/capture.py``.

- What is kept is a reference with its subject: the note names its commit, and its words go to no
  agent unasked.
- A commit is captured once, whatever becomes of the note, and so are the same words.
- A commit that this machine's audience may not see is not looked at.
- A commit that was amended or rebased is not captured beside what it became: its note names the new
  one, or is taken back where that is worth none.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from citator.git import history
from citator.git.commit_objects import commit_of
from citator.git.folders import is_ancestor
from citator.git.objects import ObjectReader, Unread
from citator.git.records import RawCommit
from citator.git.repository import commits_here
from citator.model.errors import CitatorError
from citator.service import notes
from citator.service.notes import MAX_PATHS, MAX_TEXT, Draft
from citator.service.proposing import Moment
from citator.service.readership import mask_of
from citator.service.workspace import Workspace, require_commits
from citator.sources.redaction import redact
from citator.team.capture import captured
from citator.team.notes import Channel, Content, Event

MOST: Final = 20_000
MOST_AMENDED: Final = 10
COMMIT_BYTES: Final = 1 << 20


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
    return _captured(workspace, _last(workspace, tip, min(last, MOST)), moment, dry_run=dry_run)


def capture_commits(workspace: Workspace, ids: Sequence[str], moment: Moment) -> Backfill:
    """Capture from those of ``ids`` that HEAD has, in that order. Raises as :func:`capture`."""
    tip = require_commits(workspace)
    here = commits_here(workspace.repository, list(dict.fromkeys(ids))[:MOST])
    known = [one for one in here if is_ancestor(workspace.repository, one, tip)]
    fresh = [raw for one in known for raw in _last(workspace, one, 1)]
    mask = mask_of(workspace)
    seen = [raw for raw in fresh if not mask.covers_any(raw.paths)]
    left = [raw for raw in seen if not _took_over(workspace, raw, tip, moment)]
    return _captured(workspace, left, moment)


def _took_over(workspace: Workspace, raw: RawCommit, tip: str, moment: Moment) -> bool:
    """Whether ``raw`` amends a commit that was captured; its note is then of ``raw``, or gone."""
    kept = notes.of(workspace)
    made = noted(raw)
    untouched = [
        (note, note.content)
        for note in reversed(kept.all().values())
        if note.content is not None
        and not note.taken_back
        and note.content.commit not in (None, raw.object_id)
        and all(one.channel is Channel.CAPTURED for one in note.changes)
    ]
    alike = [one for one in untouched if made is not None and one[1].text == made[0].text]
    for note, content in [*alike, *untouched][:MOST_AMENDED]:
        if not _amends(workspace, raw, str(content.commit), tip):
            continue
        if made is None or notes.rejections(workspace)(made[0]) is not None:
            while not note.taken_back:
                note = kept.mark(note, Event.UNDONE, Channel.CAPTURED, moment.text)
        else:
            kept.edit(note, made[0], moment.text)
        return True
    return False


def _amends(workspace: Workspace, raw: RawCommit, commit: str, tip: str) -> bool:
    """Whether ``commit`` was written anew as ``raw``: the same author and time, the same parents
    (amended) or the same message (rebased), and HEAD has it no more."""
    repo = workspace.repository
    with ObjectReader(repo) as reader:
        found = reader.read(commit, COMMIT_BYTES)
    if isinstance(found, Unread) or found.kind != "commit":
        return False
    old = commit_of(commit, found.content, None)
    same = (old.author, old.authored_at) == (raw.author, raw.authored_at)
    same = same and (old.parents == raw.parents or old.message == raw.message)
    return same and not is_ancestor(repo, commit, tip)


def _captured(
    workspace: Workspace, commits: Sequence[RawCommit], moment: Moment, *, dry_run: bool = False
) -> Backfill:
    mask, spoken = mask_of(workspace), notes.rejections(workspace)
    examined, rules, found = 0, Counter[str](), []
    for raw in commits:
        if mask.covers_any(raw.paths):
            continue
        examined += 1
        made = noted(raw)
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


def noted(raw: RawCommit) -> tuple[Content, str] | None:
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
