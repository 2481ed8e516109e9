"""The brief: where work stands, and what to know of it, in about a hundred tokens.

- Flow-style YAML, one line a matter; what is empty is left out. The lines stand in the order in
  which they change least, so that what a client keeps of an earlier brief begins alike.
- Names travel where they are plain; else they are counted, or a hash stands for them. Of words:
  rulings that verify at HEAD, and notes and sessions that were typed or remembered here, at most
  :data:`WORD_CHARACTERS` each, unreviewed, fenced. What was captured is a reference.
- What stands without rulings takes at most :data:`FACT_TOKENS`, by bytes and by an estimate of what
  a tokenizer makes of names and punctuation. Each line in turn, by rank, gets one item more, until
  the next does not fit: that line is closed. So it is cut from the bottom of each line, and none
  gives way to another that has more.
- Rulings have a cap of their own, rejections first. One that does not fit is told without its
  words, then counted.
- The same state gives the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeVar

from citator.git.recent import Distance
from citator.index.nothing import NothingSeen
from citator.model.errors import IntegrityError
from citator.model.fence import boundary
from citator.model.horizon import Horizon, Limit
from citator.model.inert import inert_line
from citator.model.plain import is_plain, shown_path
from citator.model.ruling import DecisionEvidence, Governing, RejectionNotice
from citator.model.tokens import BYTES_A_TOKEN, tokens_at_most, tokens_of
from citator.model.treatment import Standing as Stands
from citator.model.visibility import Audience
from citator.service import brief_settings, claims, notes, sessions
from citator.service.brief_facts import Standing, day_of, standing_of
from citator.service.horizon import Seen, horizon_of
from citator.service.proposing import Moment
from citator.service.readership import Mask, mask_of
from citator.service.record_view import audience_of
from citator.service.workspace import Workspace
from citator.team.notes import Channel, Content, NoteKind
from citator.team.scoring import DAY

if TYPE_CHECKING:
    from citator.service.notes import Told

_T = TypeVar("_T")

FACT_TOKENS: Final = 100
WORD_CHARACTERS: Final = 80
COMMIT_DIGITS: Final = 7
REJECTION_DIGITS: Final = 8
FENCE_DIGITS: Final = 6
NOTE_DIGITS: Final = 6
MOST_NOTES: Final = 5
STACK_AT_ONCE: Final = 3
MOST_RULINGS: Final = 8
FILES_OF_CLAIM: Final = 1
_LEFT: Final = 32  # room for saying how many rulings did not fit
_SAFE: Final = re.compile(r"[.]?[A-Za-z_][A-Za-z0-9_.+/-]*")
_VALUES: Final = frozenset(
    {".inf", ".nan", "null", "true", "false", "yes", "no", "on", "off", "y", "n"}
)
_TOLD_OTHERWISE: Final = frozenset({Limit.DETACHED_HEAD, Limit.UNBORN_HEAD})
# In the order in which a line of them gets its next item: twice, what stands nowhere else.
_RANKS: Final = (
    *("limits", "branch", "wip", "claims", "unreviewed", "unreviewed", "stack", "wip_files"),
    *("recent", "recent_files", "notes"),
)


@dataclass(frozen=True, slots=True)
class Brief:
    """A brief as it is served, and what it told of: ids of notes, items, rejections; paths.

    ``tokens`` are bytes / 4, rounded up, of which ``ruling_tokens`` are rulings; ``left_out`` is
    how much did not fit.
    """

    text: str
    horizon: Horizon
    tokens: int = 0
    ruling_tokens: int = 0
    left_out: int = 0
    notes: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    rejections: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(slots=True)
class _Line:
    """A line of items as they are rendered, the most worth first; ``tell`` renders the first ones.

    ``ids`` are what the items are about, where that is to be known.
    """

    key: str
    items: Sequence[str]
    tell: Callable[[Sequence[str]], str]
    ids: Sequence[str] = ()
    taken: int = 0

    def text(self, count: int) -> str:
        return f"{self.key}: {self.tell(self.items[:count])}\n" if count else ""


@dataclass(slots=True)
class _Rulings:
    rejected: list[str] = field(default_factory=list)
    decided: list[str] = field(default_factory=list)
    shown: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    left: int = 0

    def text(self) -> str:
        parts = [("rejected", self.rejected), ("decided", self.decided)]
        told = [f"{key}:\n" + "".join(f"- {one}\n" for one in each) for key, each in parts if each]
        return "".join(told) + (f"rulings_left_out: {self.left}\n" if self.left else "")


def brief(workspace: Workspace, moment: Moment, audience: Audience | None = None) -> Brief:
    """What whoever begins to work here is to know, for ``audience`` (None: whom the operator
    granted). What a damaged journal keeps back is a leg that is off. Raises GitRefusedError,
    StorageError, IntegrityError."""
    asker = audience or audience_of(workspace)
    mask = mask_of(workspace, asker)
    settings = brief_settings.read(workspace)
    standing = standing_of(workspace, mask, settings.stack)
    record = _record(workspace, asker, standing, moment)
    rulings = _ruled(record, workspace.config.brief.rulings * BYTES_A_TOKEN)
    off: list[str] = []
    told = _or_off("notes", off, lambda: notes.earned(workspace, moment, MOST_NOTES))
    said = _or_off("sessions", off, lambda: _session(workspace, moment))
    words = _words(said, told) if settings.words else []
    claimed = _claims(workspace, mask, standing, moment)
    horizon = horizon_of(workspace, None, off, Seen(NothingSeen(), mask))
    lines = _lines(workspace, standing, horizon, told, words, claimed)
    left = _fitted(lines)
    facts = {one.key: one for one in lines}
    early = [one.text(one.taken) for one in lines if one.key == "stack"]
    later = [one.text(one.taken) for one in lines if one.key != "stack"]
    ruled = rulings.text()
    text = "".join([*early, ruled, *later])
    return Brief(
        text,
        horizon,
        tokens=tokens_of(text),
        ruling_tokens=tokens_of(ruled),
        left_out=left + rulings.left,
        notes=tuple(
            id for key in ("unreviewed", "notes") for id in facts[key].ids[: facts[key].taken] if id
        ),
        rejections=tuple(rulings.shown[0]),
        decisions=tuple(rulings.shown[1]),
        paths=standing.paths,
    )


# -- rulings


def _record(workspace: Workspace, asker: Audience, standing: Standing, moment: Moment) -> Governing:
    if workspace.head.commit is None:
        return Governing()
    from citator.service.governing import governing_paths

    return governing_paths(workspace, asker, standing.paths, MOST_RULINGS, moment.text)


def _ruled(record: Governing, most: int) -> _Rulings:
    """What of the rulings fits into ``most`` bytes."""
    found = _Rulings(left=record.left_out)
    forms: list[tuple[list[str], list[str], str, list[str]]] = [
        (found.rejected, found.shown[0], one.rejection, _rejection(one))
        for one in record.rejections
    ]
    forms += [(found.decided, found.shown[1], one.item, _decision(one)) for one in record.decisions]
    for at, (rows, shown, id, candidates) in enumerate(forms):
        for row in candidates:
            rows.append(row)
            if len(found.text().encode()) <= most - _LEFT:
                shown.append(id)
                break
            rows.pop()
        else:
            found.left += len(forms) - at
            break
    return found


def _rejection(one: RejectionNotice) -> list[str]:
    """With its signed reason, and without."""
    short = [f"id: {_scalar(one.rejection[:REJECTION_DIGITS])}", f"on: {one.date}"]
    short += [f"kind: {one.kind.value}"] if one.kind is not None else []
    return _with(short, "reason", one.reason)


def _decision(one: DecisionEvidence) -> list[str]:
    """With its signed ruling, and without."""
    short = [f"item: {_scalar(one.item)}"]
    if one.standing in (Stands.CAUTION, Stands.NOT_IN_FORCE):
        short.append(f"standing: {one.standing.value}")
    if one.ruling is None:
        short += [f"status: {one.status.value}", f"signature: {one.signature}"]
    return _with(short, "ruling", one.ruling)


def _with(short: list[str], key: str, words: str | None) -> list[str]:
    bare = f"{{{', '.join(short)}}}"
    return [bare] if not words else [f"{{{', '.join([*short, f'{key}: {_quoted(words)}'])}}}", bare]


# -- words that nobody reviewed


def _or_off(leg: str, off: list[str], look: Callable[[], Sequence[_T]]) -> Sequence[_T]:
    """What ``look`` says; nothing where a journal of it is damaged, which the horizon tells:
    what git says is told all the same."""
    try:
        return look()
    except IntegrityError:
        off.append(leg)
        return ()


def _words(session: Sequence[str], told: Sequence[Told]) -> list[tuple[str, str]]:
    """The words that may travel, each with the note it is of, or none: what comes next, the note
    that earned it most, what is in work, the other notes."""
    own = [("", one) for one in session]
    noted = [
        (one.id, f"{one.kind.value} {one.id[:NOTE_DIGITS]}: {_cut(one.text)}")
        for one in told
        if one.channel is not Channel.CAPTURED
    ]
    return [*own[:1], *noted[:1], *own[1:], *noted[1:]]


def _session(workspace: Workspace, moment: Moment) -> Sequence[str]:
    """What the newest session of this branch says, unless it is stale or was rejected."""
    session = sessions.latest(workspace)
    if session is None or session.content is None:
        return []
    seconds = moment.milliseconds // 1000 - datetime.fromisoformat(session.time).timestamp()
    if seconds >= workspace.config.notes.stale_days * DAY:
        return []
    against, days = notes.rejections(workspace), int(seconds // DAY)
    parts = {"next": session.content.next, "in_work": session.content.wip}
    ago = f" {days}d ago" if days > 0 else ""
    return [
        f"{key}{ago}: {_cut(text)}"
        for key, text in parts.items()
        if text and against(Content(NoteKind.FACT, text)) is None
    ]


def _fenced(secret: bytes) -> Callable[[Sequence[str]], str]:
    def tell(items: Sequence[str]) -> str:
        mark = f"f{boundary(chr(10).join(items), secret)[:FENCE_DIGITS]}"
        return f"{{data: {mark}, {', '.join(items)}, end: {mark}}}"

    return tell


def _cut(text: str) -> str:
    line = inert_line(text)
    return _quoted(line if len(line) <= WORD_CHARACTERS else f"{line[: WORD_CHARACTERS - 1]}…")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# -- facts


def _lines(
    workspace: Workspace,
    standing: Standing,
    horizon: Horizon,
    told: Sequence[Told],
    words: Sequence[tuple[str, str]],
    claimed: Sequence[str],
) -> list[_Line]:
    captured = [one for one in told if one.channel is Channel.CAPTURED]
    return [
        _listed("stack", _by(STACK_AT_ONCE, [*map(_scalar, standing.stack)])),
        _Line(
            "notes",
            [_scalar(f"{one.kind.value}/{one.id[:NOTE_DIGITS]}") for one in captured],
            _flow_list,
            [one.id for one in captured],
        ),
        _Line(
            "unreviewed",
            [text for _, text in words],
            _fenced(workspace.secret) if words else _flow_list,
            [id for id, _ in words],
        ),
        _Line("branch", _branch(standing), _flow_map),
        _listed(
            "limits",
            dict.fromkeys(
                fact.limit.value for fact in horizon.facts if fact.limit not in _TOLD_OTHERWISE
            ),
        ),
        _Line(
            "recent",
            [f"{day_of(one)} {one.object_id[:COMMIT_DIGITS]}" for one in standing.commits],
            _by_day,
        ),
        _listed("recent_files", _plain(standing.touched)),
        _Line("wip", _counts(standing), _flow_map),
        _listed("wip_files", _plain(standing.work.paths)),
        _Line("claims", claimed, _flow_map),
    ]


def _listed(key: str, items: Iterable[str]) -> _Line:
    return _Line(key, list(items), _flow_list)


def _by(count: int, items: Sequence[str]) -> list[str]:
    """Short items in groups, each told whole or not."""
    return [", ".join(items[at : at + count]) for at in range(0, len(items), count)]


def _by_day(items: Sequence[str]) -> str:
    """Commits behind their day, which is told once: one day's stand together."""
    days: dict[str, list[str]] = {}
    for one in items:
        day, _, commit = one.partition(" ")
        days.setdefault(day, []).append(commit)
    return _flow_list([_scalar_of(" ".join([day, *some]).strip()) for day, some in days.items()])


def _scalar_of(text: str) -> str:
    """A day and hashes: where the day is unknown and one hash is all, it may read as a number."""
    return text if " " in text else _scalar(text)


def _flow_list(items: Sequence[str]) -> str:
    return f"[{', '.join(items)}]"


def _flow_map(items: Sequence[str]) -> str:
    return f"{{{', '.join(items)}}}"


def _branch(standing: Standing) -> list[str]:
    """Its name, or the commit at HEAD; how far its upstream is. One item: it is told whole."""
    if standing.branch is not None and is_plain(standing.branch):
        parts = [f"name: {_scalar(standing.branch)}"]
    elif standing.commit is not None:
        parts = [f"at: {_scalar(standing.commit[:COMMIT_DIGITS])}"]
    else:
        return []
    parts += ["detached: true"] if standing.branch is None else []
    parts += ["unborn: true"] if standing.commit is None else []
    return [", ".join([*parts, *_upstream(standing.upstream)])]


def _upstream(found: Distance | None) -> list[str]:
    if found is None:
        return []
    if found.gone:
        return ["upstream: gone"]
    counts = {"ahead": found.ahead, "behind": found.behind}
    return [f"{key}: {count}" for key, count in counts.items() if count] or ["upstream: same"]


def _counts(standing: Standing) -> list[str]:
    work = standing.work
    counts = {"changed": work.changed, "new": work.new, "gone": work.gone}
    return [text] if (text := ", ".join(f"{k}: {n}" for k, n in counts.items() if n)) else []


def _claims(workspace: Workspace, mask: Mask, standing: Standing, moment: Moment) -> list[str]:
    """The live claims of others that are about these files: each ticket, and which of them."""
    about = frozenset(map(shown_path, standing.paths))
    near = [
        (one, [path for path in one.files if path in about])
        for one in claims.live(workspace, moment, mask)
    ]
    near = [(one, paths) for one, paths in near if paths]
    me = claims.who_of(workspace) if near else None
    found: dict[str, dict[str, None]] = {}
    for one, paths in near:
        if one.who != me:
            found.setdefault(one.ticket, {}).update(dict.fromkeys(paths))
    return [
        f"{_scalar(ticket)}: {_flow_list(_first(_plain(paths)))}" for ticket, paths in found.items()
    ]


def _first(items: Sequence[str]) -> list[str]:
    """The first of them, and how many more there are."""
    more = len(items) - FILES_OF_CLAIM
    return [*items[:FILES_OF_CLAIM], *([f"{more} more"] if more > 0 else [])]


def _plain(paths: Iterable[str]) -> list[str]:
    return [_scalar(path) for path in paths if is_plain(path)]


def _scalar(token: str) -> str:
    """A plain name as YAML reads it again: the same text."""
    safe = _SAFE.fullmatch(token) and token.lower() not in _VALUES
    return token if safe else _quoted(token)


def _fitted(lines: Sequence[_Line]) -> int:
    """Give each line in turn one item more, as long as it fits. Returns how many items did not."""
    named = {one.key: one for one in lines}
    ranked = [named[key] for key in _RANKS if named[key].items]
    room, bytes_left = FACT_TOKENS, FACT_TOKENS * BYTES_A_TOKEN
    closed: set[str] = set()
    while len(closed) < len({one.key for one in ranked}):
        for line in ranked:
            if line.key in closed:
                continue
            before, after = line.text(line.taken), line.text(line.taken + 1)
            cost = tokens_at_most(after) - tokens_at_most(before)
            size = len(after.encode()) - len(before.encode())
            fits = cost <= room and size <= bytes_left
            if fits:
                line.taken, room, bytes_left = line.taken + 1, room - cost, bytes_left - size
            if not fits or line.taken == len(line.items):
                closed.add(line.key)
    return sum(len(one.items) - one.taken for one in lines)
