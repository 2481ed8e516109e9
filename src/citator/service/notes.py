"""Notes of this machine about this repository: left, listed, verified, taken back, removed.

- No note is a decision or becomes one: ``promote`` writes a proposal like any other.
- What a person rejected is not remembered again (equality of folded forms, ``record/rejections``);
  a note of the kind *avoid* may name it. Where the rejection came later, the note says so.
- A secret is refused. Text is one line; paths lie in the repository.
- What became of the tickets in whose work it was shown is part of what a note is worth
  (``lessons.py``); a person who verifies or edits the note lets that begin anew.
- What lies at a path that this machine's audience is not for is in no list, count or error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from citator.git.identity import person
from citator.model.errors import IntegrityError, RefusedError, UsageError
from citator.model.record import RULING_CHARACTERS, Rejected
from citator.model.visibility import Audience
from citator.record.rejections import told_no
from citator.service.decide import Links, ToldNoError
from citator.service.decision_template import Wish
from citator.service.desk import desks
from citator.service.lessons import lessons
from citator.service.propose_decision import Reply, propose_decision
from citator.service.proposing import Moment
from citator.service.readership import Mask, mask_of
from citator.service.record import records_of
from citator.service.record_view import audience_of
from citator.service.workspace import Workspace
from citator.sources.redaction import require_no_secret
from citator.store import hook_files
from citator.team.notes import (
    TRUST,
    Change,
    Channel,
    Content,
    Event,
    Note,
    NoteKind,
    Notes,
    unknown_note,
)
from citator.team.scoring import HOT, Age, Facts, Feedback, Level, Periods, Score, age, bare, score
from citator.team.similar import Similar, similar, words
from citator.team.standing import Standing

MAX_TEXT: Final = 500
MAX_PATH: Final = 400
MAX_PATHS: Final = 20
TITLE: Final = 120
_PROMOTED: Final = {
    NoteKind.DECISION_HINT: "decision",
    NoteKind.PATTERN: "convention",
    NoteKind.AVOID: "rejected-approach",
    NoteKind.FACT: "domain",
}


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wants remembered, as it was said; of an edit, what is to be other."""

    text: str
    kind: str = NoteKind.FACT.value
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """A note as it is told now. ``text`` is whole: the face decides who sees words of what channel.

    ``confirmed`` is a date; ``rejected`` is the rejection that speaks against it; ``commit`` is
    what it was captured from. Damaged: its words cannot be read.
    """

    id: str
    kind: NoteKind
    channel: Channel
    level: Level
    age: Age
    points: int
    score: Score
    times: int
    confirmed: str
    text: str
    paths: tuple[str, ...]
    author: str
    commit: str | None = None
    rejected: str | None = None
    taken_back: bool = False
    trust: str = TRUST
    feedback: Feedback = field(default_factory=Feedback)


@dataclass(frozen=True, slots=True)
class Listing:
    """Notes, the most valued first; how many are only listed with all; ids of damaged ones."""

    notes: tuple[Told, ...]
    left_out: int
    damaged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """What was left: ``new`` or said again; ``similar`` are others that may say the same."""

    note: Told
    new: bool
    similar: tuple[Similar, ...]


def of(workspace: Workspace) -> Notes:
    """The notes of this clone."""
    return Notes(workspace.place.local, workspace.place.derived)


def add(workspace: Workspace, draft: Draft, channel: Channel, moment: Moment) -> Added:
    """Leave a note. Raises UsageError, RefusedError (``told_no``, ``secret_found``), StorageError,
    IntegrityError."""
    content = replace(checked(draft), author=_author(workspace), channel=channel)
    look = _Look(workspace, moment)
    look.require_not_rejected(content)
    note, new, there = of(workspace).add(content, moment.text, moment.entropy)
    if _is_hidden(note, look.mask):  # whether it was there is not to be told
        note, new = replace(note, content=content, changes=note.changes[-1:]), True
    near: tuple[Similar, ...] = ()
    if new:
        others = (one for one in there.values() if one.id != note.id and not one.taken_back)
        visible = (one for one in others if not _is_hidden(one, look.mask))
        texts = ((one.id, one.content.text) for one in visible if one.content is not None)
        near = similar(content.text, texts)
    return Added(look.told(note), new, near)


def listing(
    workspace: Workspace,
    moment: Moment,
    *,
    everything: bool = False,
    words_of: str = "",
    kind: NoteKind | None = None,
) -> Listing:
    """The notes that hold the words of ``words_of``: without ``everything`` those that are neither
    cold, stale nor taken back. A search looks at all that were not taken back."""
    look = _Look(workspace, moment)
    asked = frozenset(words(words_of))
    found = [one for one in look.all(of(workspace)) if kind is None or one.kind is kind]
    if words_of:
        found = [one for one in found if asked and asked <= _words(one)]
    shown = [one for one in found if everything or _is_told(one, searched=bool(words_of))]
    shown.sort(key=lambda one: (-one.points, one.id))
    return Listing(tuple(shown), len(found) - len(shown), tuple(look.damaged))


def _words(one: Told) -> frozenset[str]:
    return frozenset(words(f"{one.text} {' '.join(one.paths)} {one.kind} {one.author}"))


def _is_told(one: Told, *, searched: bool) -> bool:
    if one.taken_back:
        return False
    return searched or (one.level is not Level.COLD and one.age is not Age.STALE)


def earned(workspace: Workspace, moment: Moment, most: int | None = None) -> tuple[Told, ...]:
    """The notes that a brief may tell of, ``most`` of them: hot, not stale, not rejected since; the
    most valued first. Only the words of those are read."""
    look = _Look(workspace, moment)
    return tuple(islice(look.earned(of(workspace)), most))


def judged(workspace: Workspace, moment: Moment) -> tuple[Told, ...]:
    """The notes that were shown in the work on tickets that ended. Only the words of those are
    read."""
    look = _Look(workspace, moment)
    return tuple(look.judged(of(workspace)))


def show(
    workspace: Workspace, id: str, moment: Moment
) -> tuple[Told, tuple[tuple[Change, Content | None], ...]]:
    """One note, and every change of it with the words that it brought. Raises NotFoundError."""
    note = seen(workspace, id)
    return _Look(workspace, moment).told(note), tuple(of(workspace).history(note.id))


def readable(workspace: Workspace) -> tuple[int, int]:
    """How many notes can be read, and how many cannot; of those that the audience may see."""
    mask = mask_of(workspace)
    seen = [one for one in of(workspace).all().values() if not _is_hidden(one, mask)]
    bad = sum(one.content is None for one in seen)
    return len(seen) - bad, bad


def edit(workspace: Workspace, id: str, draft: Draft, channel: Channel, moment: Moment) -> Told:
    """Give a note other words; where ``draft`` has none, they stay. Raises as :func:`add`."""
    note = seen(workspace, id, channel)
    before = note.content
    if before is None:
        raise damaged()
    kind = draft.kind or before.kind.value
    content = checked(Draft(draft.text or before.text, kind, draft.paths or before.paths))
    content = replace(content, commit=before.commit, files=before.files)
    if draft.text:  # else the words are whose they were
        content = replace(content, author=_author(workspace), channel=channel)
    else:
        content = replace(content, author=before.author, channel=before.channel)
    look = _Look(workspace, moment)
    look.require_not_rejected(content)
    return look.told(of(workspace).edit(note, content, moment.text))


def verify(workspace: Workspace, id: str, channel: Channel, moment: Moment) -> Told:
    """Say that a note still holds: it is fresh again. Raises NotFoundError, RefusedError."""
    note = seen(workspace, id, channel)
    if note.taken_back:
        raise RefusedError(
            "taken_back", "that note was taken back", "bring it again: citator note undo ID"
        )
    marked = of(workspace).mark(note, Event.VERIFIED, channel, moment.text)
    return _Look(workspace, moment).told(marked)


def undo(workspace: Workspace, id: str, channel: Channel, moment: Moment) -> Told:
    """Take back the last change of a note that stands. Raises NotFoundError."""
    note = seen(workspace, id, channel)
    if channel is Channel.REMEMBERED and note.changes[-1].channel is not channel:
        raise unknown_note()
    marked = of(workspace).mark(note, Event.UNDONE, channel, moment.text)
    return _Look(workspace, moment).told(marked)


def remove(workspace: Workspace, id: str, channel: Channel, moment: Moment) -> str:
    """Take the words of a note away for good. Returns its id. Raises NotFoundError."""
    note = seen(workspace, id)
    of(workspace).remove(note, channel, moment.text)
    hook_files.destroy(workspace.place.directory)
    return note.id


def promote(
    workspace: Workspace, id: str, moment: Moment, title: str = "", because: str | None = None
) -> Reply:
    """Propose what a note says, for a person to sign or not. Raises as proposing does."""
    note = seen(workspace, id)
    content = note.content
    if content is None:
        raise damaged()
    source = f"commit {content.commit}" if content.commit else f"a note, {content.channel.value}"
    wish = Wish(
        title=title or content.text[:TITLE],
        ruling=content.text[:RULING_CHARACTERS],
        kind=_PROMOTED[content.kind],
        paths=content.paths,
        body=f"From {source} and not reviewed.\n\n{content.text}\n",
    )
    made = propose_decision(workspace, wish, Links(), because, moment)
    if made.id is not None:
        of(workspace).mark(note, Event.PROMOTED, Channel.TYPED, moment.text, made.id)
    return made


def seen(workspace: Workspace, id: str, channel: Channel = Channel.TYPED) -> Note:
    """The note of that id which the audience may see; an agent's own where it is the agent that
    changes it. Raises NotFoundError ``unknown_note``."""
    note = of(workspace).get(id)
    if _is_hidden(note, mask_of(workspace)):
        raise unknown_note()
    own = note.content is not None and note.content.channel is Channel.REMEMBERED
    if channel is Channel.REMEMBERED and not own:
        raise unknown_note()
    return note


def _author(workspace: Workspace) -> str:
    return person(workspace.repository) or "unknown"


def checked(draft: Draft) -> Content:
    """What may be kept of a draft. Raises UsageError, RefusedError ``secret_found``."""
    text = " ".join(draft.text.split())
    if not text or len(text) > MAX_TEXT or any("\ud800" <= one <= "\udfff" for one in text):
        raise UsageError(
            "bad_note", f"a note is one to {MAX_TEXT} characters of text", "say it in a sentence"
        )
    paths = tuple(dict.fromkeys(map(_path, draft.paths)))
    if len(paths) > MAX_PATHS:
        raise UsageError("bad_note", f"a note is about at most {MAX_PATHS} paths", "name fewer")
    require_no_secret(text)
    return Content(NoteKind(draft.kind), text, tuple(sorted(paths)))


def _path(given: str) -> str:
    path = given.removeprefix("./").rstrip("/")
    parts = path.split("/")
    if (
        not path
        or len(path) > MAX_PATH
        or "\0" in path
        or "\n" in path
        or {"", "..", "."} & {*parts}
    ):
        raise UsageError(
            "bad_path", "a path of a note lies in the repository", "name it from the root of it"
        )
    return path


def rejections(workspace: Workspace) -> Callable[[Content], Rejected | None]:
    """Which rejection speaks against a content, for this machine's audience."""
    if workspace.head.commit is None:
        return lambda _: None
    audience = audience_of(workspace)
    stones = _tombstones(workspace, audience)

    def against(content: Content) -> Rejected | None:
        if not stones or content.kind is NoteKind.AVOID:
            return None
        found = told_no(stones, audience, values=(content.text,), kind=None, paths=content.paths)
        return found[0] if found else None

    return against


def _tombstones(workspace: Workspace, audience: Audience) -> Sequence[Rejected]:
    if workspace.repository.worktree is None:
        return [one for each in records_of(workspace, audience) for one in each.tombstones]
    return [one for desk in desks(workspace, audience) for one in desk.record.tombstones]


def damaged() -> IntegrityError:
    """The words of a note cannot be read."""
    return IntegrityError(
        "local_file_damaged",
        "the file with the words of that note is missing or not what was written",
        "bring it back from a copy, or remove the note: citator note rm ID",
    )


def periods_of(workspace: Workspace) -> Periods:
    """How long notes live here."""
    said = workspace.config.notes
    return Periods(said.suspect_days, said.stale_days)


def _is_hidden(note: Note, mask: Mask) -> bool:
    """Whether a note is about what the audience is not for. Of a commit that touched more than is
    kept, what it touched cannot be told: hidden."""
    if not mask.hides:
        return False
    content = note.content
    if mask.everything or content is None:
        return True
    return content.files > len(content.paths) or any(map(mask.covers, content.paths))


class _Look:
    """One look at the notes: what is told of each at a moment. The record is read once for it."""

    def __init__(self, workspace: Workspace, moment: Moment) -> None:
        self._now = moment.milliseconds // 1000
        self._periods = periods_of(workspace)
        self.mask = mask_of(workspace)
        self._against = rejections(workspace)
        self._lessons = lessons(workspace, moment)
        self.damaged: list[str] = []

    def require_not_rejected(self, content: Content) -> None:
        """Raise ToldNoError where a person said no to what ``content`` says."""
        spoken = self._against(content)
        if spoken is not None:
            raise ToldNoError(spoken)

    def all(self, notes: Notes) -> list[Told]:
        """Every note that the audience may see, in the order in which they were said."""
        visible = [one for one in notes.all().values() if not _is_hidden(one, self.mask)]
        self.damaged = [one.id for one in visible if one.content is None]
        return [made for one in visible if (made := self._one(one)) is not None]

    def earned(self, notes: Notes) -> Iterator[Told]:
        """Those that are hot, not stale and not rejected since, the most valued first."""
        there = (one for one in notes.standing() if not one.taken_back)
        ranked = [(-self._points(notes, one), one.id, one) for one in there]
        for least, _, one in sorted(ranked):
            if -least < HOT:
                return
            note = notes.note(one)
            told = None if _is_hidden(note, self.mask) else self._one(note)
            if told is None or told.level is not Level.HOT or told.age is Age.STALE:
                continue
            if told.rejected is None:
                yield told

    def judged(self, notes: Notes) -> Iterator[Told]:
        """Those of which something was learned."""
        for one in notes.standing():
            if one.id in self._lessons.by_note:
                note = notes.note(one)
                told = None if _is_hidden(note, self.mask) else self._one(note)
                if told is not None:
                    yield told

    def _points(self, notes: Notes, one: Standing) -> int:
        """The points of a note, from how it stands."""
        facts = self._now - one.confirmed, one.times, one.files, bool(one.typed)
        if one.id not in self._lessons.by_note:
            return bare(*facts, self._periods)
        learned = self._lessons.of(notes.note(one))
        return score(Facts(*facts), self._periods, learned).points

    def told(self, note: Note) -> Told:
        """What is told of a note. Raises IntegrityError where its words are damaged."""
        found = self._one(note)
        if found is None:
            raise damaged()
        return found

    def _one(self, note: Note) -> Told | None:
        """What is told of a note; None where its words are damaged."""
        content = note.content
        if content is None:
            return None
        facts = note.facts(self._now)
        learned = self._lessons.of(note)
        worth = score(facts, self._periods, learned)
        spoken = self._against(content)
        return Told(
            id=note.id,
            kind=content.kind,
            channel=content.channel,
            level=worth.level,
            age=age(facts.seconds, self._periods),
            points=worth.points,
            score=worth,
            times=note.times,
            confirmed=note.changes[-1].time[:10],
            text=content.text,
            paths=content.paths,
            author=content.author,
            commit=content.commit,
            rejected=None if spoken is None else spoken.id,
            taken_back=note.taken_back,
            feedback=learned,
        )
