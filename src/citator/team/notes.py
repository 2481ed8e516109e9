"""Notes: what somebody wants remembered on this machine. Never a decision, whatever a note claims.

- A note is what its ledger says of it, in order: added, edited, said again, verified, undone,
  promoted, removed. Nothing is overwritten but by a removal, which takes the words away.
- Its channel was observed and not told: typed at a terminal, remembered by an agent, captured
  from history or an import. Trust has one value.
- The same words of the same kind about the same paths are one note, said again; what is merely
  alike is another note (``similar.py``).
- An undo takes back the last change that stands. Undoing the first takes the note back; undoing
  that brings it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from citator.model.errors import IntegrityError, NotFoundError
from citator.store.journal import Entry
from citator.team import standing
from citator.team.local_ledger import LocalLedger, Writer
from citator.team.scoring import Facts
from citator.team.similar import words
from citator.team.standing import Kept, Standing, Weight

FOLDER: Final = "notes"
FORMAT: Final = 1
TRUST: Final = "unreviewed"
ID_DIGITS: Final = 12
LEAST_DIGITS: Final = 4

Identity = tuple[str, str, tuple[str, ...]]


class NoteKind(StrEnum):
    """What a note is."""

    DECISION_HINT = "decision-hint"
    PATTERN = "pattern"
    AVOID = "avoid"
    FACT = "fact"


class Channel(StrEnum):
    """How its words came here, as observed. Words of what was captured are an author's."""

    TYPED = "typed"
    REMEMBERED = "remembered"
    CAPTURED = "captured"


class Event(StrEnum):
    """What happened to a note. The subjects are its id, the channel of the change, and the commit
    it was captured from or the proposal it became."""

    ADDED = "note_added"
    EDITED = "note_edited"
    REPEATED = "note_repeated"
    VERIFIED = "note_verified"
    UNDONE = "note_undone"
    PROMOTED = "note_promoted"
    REMOVED = "note_removed"


@dataclass(frozen=True, slots=True)
class Content:
    """The words of a note at one time. ``commit`` is what it was captured from; ``files`` how many
    paths that touched, of which ``paths`` may hold fewer."""

    kind: NoteKind
    text: str
    paths: tuple[str, ...] = ()
    author: str = "unknown"
    channel: Channel = Channel.CAPTURED
    commit: str | None = None
    files: int = 0

    def rendered(self, id: str) -> bytes:
        """The file that keeps it: one spelling for one content of one note."""
        said = {
            "v": FORMAT, "note": id, "kind": self.kind.value, "text": self.text,
            "paths": list(self.paths), "author": self.author, "channel": self.channel.value,
            "commit": self.commit, "files": self.files,
        }  # fmt: skip
        text = json.dumps(said, ensure_ascii=False, indent=1, sort_keys=True)
        return f"{text}\n".encode("utf-8", "surrogatepass")

    @property
    def weighs(self) -> int:
        """How many files it is about."""
        return max(self.files, len(self.paths))

    @property
    def identity(self) -> Identity:
        """What two contents share that are the same note."""
        return self.kind.value, " ".join(words(self.text)) or self.text, self.paths


@dataclass(frozen=True, slots=True)
class Change:
    """One line about a note: ``n`` of its journal, when (UTC), by which channel."""

    n: int
    event: Event
    time: str
    channel: Channel
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A note as it stands. ``content`` is None where its file is damaged; ``changes`` stand."""

    id: str
    content: Content | None
    changes: tuple[Change, ...]
    taken_back: bool = False

    @property
    def confirmed(self) -> int:
        """When it was last said, edited or verified: Unix seconds."""
        return int(datetime.fromisoformat(self.changes[-1].time).timestamp())

    @property
    def times(self) -> int:
        """How often it was said or verified."""
        return sum(one.event is not Event.EDITED for one in self.changes)

    def facts(self, now: int) -> Facts:
        """What its score is made of at ``now`` (Unix seconds)."""
        known = self.content
        files = 0 if known is None else known.weighs
        typed = known is not None and known.channel is Channel.TYPED
        return Facts(now - self.confirmed, self.times, files, typed)


@dataclass(slots=True)
class _Story:
    """What the lines say of one note so far."""

    changes: list[Change] = field(default_factory=list)
    taken_back: bool = False

    @property
    def digest(self) -> str:
        """The file with its words."""
        return next(one.digest for one in reversed(self.changes) if one.digest is not None)

    def undo(self) -> None:
        if self.taken_back or len(self.changes) == 1:
            self.taken_back = not self.taken_back
        else:
            self.changes.pop()


@dataclass(frozen=True)
class Notes:
    """The notes of one clone, in ``local``: all its worktrees share them, no other clone does."""

    local: Path
    derived: Path | None = None

    @property
    def ledger(self) -> LocalLedger:
        """Where they are kept."""
        return LocalLedger(self.local / FOLDER, frozenset({Event.REMOVED.value}))

    def standing(self) -> list[Standing]:
        """How every note stands, in the order in which they were first said, without its words.

        Raises IntegrityError ``local_ledger_broken``, StorageError.
        """
        kept = self._kept()
        return self._stood({}) if kept is None else kept.renew(self._stood)

    def note(self, one: Standing) -> Note:
        """A note with its words, read now."""
        said = zip(*[iter(one.changes.split(" "))] * 5, strict=True)
        changes = tuple(
            Change(int(n), Event(event), time, Channel(channel), None if digest == "-" else digest)
            for n, event, time, channel, digest in said
        )
        return Note(one.id, _content(self.ledger, one.digest), changes, one.taken_back)

    def all(self) -> dict[str, Note]:
        """Every note by its id, in the order in which they were first said. As :meth:`standing`."""
        kept, ledger = self._kept(), self.ledger
        known = None if kept is None else kept.read()
        if known is not None:
            return {one.id: self.note(one) for one in known}
        stories = _stories(ledger.entries())
        return {id: _note(ledger, id, story) for id, story in stories.items()}

    def get(self, id: str) -> Note:
        """The note whose id begins with ``id``, at least four digits of it. Raises NotFoundError
        ``unknown_note``; IntegrityError as :meth:`all`."""
        there = {one.id: one for one in self.standing()}
        return self.note(there[_named(there, id)])

    def history(self, id: str) -> Iterator[tuple[Change, Content | None]]:
        """Every change of a note, those that were undone too, with the words that it brought."""
        for entry in self.ledger.entries():
            if entry.subjects[:1] == (id,):
                change = _change(entry)
                yield change, _content(self.ledger, change.digest)

    def add(
        self, content: Content, time: str, entropy: Callable[[int], bytes]
    ) -> tuple[Note, bool, Mapping[str, Note]]:
        """The note that says ``content``, whether it is new, and all that were there before, by id.

        One that is there is said again: its words are then those of the first who said them;
        captured words that somebody types or remembers are from then on theirs.
        """
        with self.ledger.writing() as writer:
            there = self.all()
            live = _identities(one for one in there.values() if not one.taken_back)
            return *self._added(writer, live, content, time, entropy), there

    def add_all(
        self, contents: list[Content], time: str, entropy: Callable[[int], bytes]
    ) -> tuple[list[Note], int]:
        """Add what is not there under one lock. Returns what is new, and how many were there.

        What is there already is left as it is, taken back or not, and so is what was once captured
        from the same commit: a second import or capture changes nothing.
        """
        made: list[Note] = []
        with self.ledger.writing() as writer:
            known = _identities(self.all().values())
            sources = {one for each in self.ledger.entries() for one in each.subjects[2:]}
            for content in contents:
                if content.identity not in known and content.commit not in sources:
                    made.append(self._added(writer, known, content, time, entropy)[0])
                    sources.add(content.commit or "")
        return made, len(contents) - len(made)

    def edit(self, note: Note, content: Content, time: str) -> Note:
        """Give a note other words; the earlier ones stay in its history."""
        with self.ledger.writing() as writer:
            self._still(note)
            raw = content.rendered(note.id)
            writer.commit(Event.EDITED.value, time, (note.id, content.channel.value), raw)
        return self.get(note.id)

    def mark(self, note: Note, event: Event, channel: Channel, time: str, *ids: str) -> Note:
        """Verify, undo or promote a note (to the proposal ``ids``)."""
        with self.ledger.writing() as writer:
            self._still(note)
            writer.commit(event.value, time, (note.id, channel.value, *ids))
        return self.get(note.id)

    def remove(self, note: Note, channel: Channel, time: str) -> int:
        """Take all words of a note away, of its history too. Returns how many files went."""
        with self.ledger.writing() as writer:
            self._still(note)
            digests = {
                entry.digests[0]: None
                for entry in self.ledger.entries()
                if entry.subjects[:1] == (note.id,) and entry.digests
            }
            subjects = (note.id, channel.value)
            writer.remove(Event.REMOVED.value, time, subjects, list(digests))
            writer.sweep()
        if (kept := self._kept()) is not None:
            kept.destroy()
        return len(digests)

    def _still(self, note: Note) -> None:
        """Raise NotFoundError where the note went while it was looked at."""
        if note.id not in _stories(self.ledger.entries()):
            raise unknown_note()

    def _kept(self) -> Kept | None:
        if self.derived is None:
            return None
        return Kept(self.derived / standing.FILE, self.ledger.journal.folder)

    def _stood(self, known: Mapping[str, Weight]) -> list[Standing]:
        """How the journal says that every note stands; ``known`` are weights by digest."""
        ledger = self.ledger
        return [_standing(ledger, *one, known) for one in _stories(ledger.entries()).items()]

    def _added(
        self,
        writer: Writer,
        known: dict[Identity, Note],
        content: Content,
        time: str,
        entropy: Callable[[int], bytes],
    ) -> tuple[Note, bool]:
        there = known.get(content.identity)
        if there is None or there.content is None:
            id = _minted(entropy, f"{time} {len(known)} {content.text}")
            source = () if content.commit is None else (content.commit,)
            subjects = (id, content.channel.value, *source)
            entry = writer.commit(Event.ADDED.value, time, subjects, content.rendered(id))
            made = Note(id, content, (_change(entry),))
            known[content.identity] = made
            return made, True
        subjects = (there.id, content.channel.value)
        was_captured = there.content.channel is Channel.CAPTURED
        if was_captured and content.channel is not Channel.CAPTURED:
            ours = replace(content, commit=there.content.commit, files=there.content.files)
            raw = ours.rendered(there.id)
            writer.commit(Event.REPEATED.value, time, subjects, raw)
        else:
            writer.commit(Event.REPEATED.value, time, subjects)
        return self.get(there.id), False


def _identities(notes: Iterable[Note]) -> dict[Identity, Note]:
    return {one.content.identity: one for one in notes if one.content is not None}


def _minted(entropy: Callable[[int], bytes], said: str) -> str:
    seed = entropy(16) + said.encode("utf-8", "surrogatepass")
    return hashlib.sha256(seed).hexdigest()[:ID_DIGITS]


def _stories(entries: list[Entry]) -> dict[str, _Story]:
    found: dict[str, _Story] = {}
    for entry in entries:
        if entry.event not in _EVENTS or len(entry.subjects) < 2:
            continue
        change = _change(entry)
        id = entry.subjects[0]
        story = found.get(id)
        if change.event is Event.ADDED:
            found.setdefault(id, _Story()).changes.append(change)
        elif story is None:
            continue
        elif change.event is Event.REMOVED:
            del found[id]
        elif change.event is Event.UNDONE:
            story.undo()
        elif change.event is not Event.PROMOTED:
            story.changes.append(change)
    return found


_EVENTS: Final = frozenset(one.value for one in Event)


def _change(entry: Entry) -> Change:
    channel = Channel(entry.subjects[1])
    digest = entry.digests[0] if entry.digests else None
    return Change(entry.n, Event(entry.event), entry.time, channel, digest)


def _note(ledger: LocalLedger, id: str, story: _Story) -> Note:
    content = _content(ledger, story.digest)
    return Note(id, content, tuple(story.changes), story.taken_back)


def _standing(ledger: LocalLedger, id: str, story: _Story, known: Mapping[str, Weight]) -> Standing:
    digest = story.digest
    note = Note(id, None, tuple(story.changes), story.taken_back)
    weight = known.get(digest)
    if weight is None and (content := _content(ledger, digest)) is not None:
        weight = content.channel is Channel.TYPED, content.weighs
    changes = " ".join(
        f"{one.n} {one.event.value} {one.time} {one.channel.value} {one.digest or '-'}"
        for one in story.changes
    )
    typed, files = weight or (None, 0)
    return Standing(id, story.taken_back, digest, note.confirmed, note.times, typed, files, changes)


def _content(ledger: LocalLedger, digest: str | None) -> Content | None:
    """The words of a file of ours; None where there are none, or they are damaged."""
    if digest is None:
        return None
    try:
        return content_of(json.loads(ledger.content(digest)))
    except (IntegrityError, ValueError, KeyError, TypeError):
        return None


def content_of(said: Mapping[str, Any]) -> Content:
    """A content as it was rendered. Raises KeyError, TypeError, ValueError."""
    return Content(
        NoteKind(said["kind"]),
        str(said["text"]),
        tuple(map(str, said["paths"])),
        str(said["author"]),
        Channel(said["channel"]),
        None if said["commit"] is None else str(said["commit"]),
        int(said["files"]),
    )


def _named(stories: Mapping[str, object], id: str) -> str:
    if id in stories:
        return id
    found = [one for one in stories if len(id) >= LEAST_DIGITS and one.startswith(id)]
    if len(found) != 1:
        raise unknown_note()
    return found[0]


def unknown_note() -> NotFoundError:
    """Nothing of that id, or nothing that the asker may see."""
    return NotFoundError(
        "unknown_note",
        "no note here has that id, or more than one begins so",
        "give the id as `citator note list --all` prints it",
    )
