"""Notes of one machine: what is kept, how it is told, and what no note can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.errors import (
    IntegrityError,
    LockedError,
    NotFoundError,
    RefusedError,
    UsageError,
)
from citator.model.record import Sensitivity
from citator.service import forget, notes
from citator.service.decide import ToldNoError
from citator.service.doctor import examine
from citator.service.notes import Draft, Told
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.team import standing
from citator.team.notes import Channel, Event
from citator.team.scoring import DAY, Age, Level
from citator.team.similar import Likeness
from citator.trust.readership import PathRule, Readership, Readerships
from tests.service.test_decide import REDIS
from tests.support.builder import Builder
from tests.support.office import START, Office

Open = Callable[[Builder], Workspace]
TYPED, REMEMBERED = Channel.TYPED, Channel.REMEMBERED


@pytest.fixture
def workspace(history: Builder, open_workspace: Open) -> Workspace:
    return open_workspace(history)


def on(day: int, second: int = 0) -> Moment:
    return Moment(START + day * DAY * 1000 + second * 1000, lambda size: b"e" * size)


def left(workspace: Workspace, text: str, channel: Channel = TYPED, **said: object) -> Told:
    return notes.add(workspace, Draft(text, **said), channel, on(0)).note  # type: ignore[arg-type]


def texts(workspace: Workspace, **wanted: object) -> list[str]:
    found = notes.listing(workspace, on(0), **wanted)  # type: ignore[arg-type]
    return [one.text for one in found.notes]


def test_a_note_is_kept_with_what_was_observed_and_is_unreviewed_whatever_it_says(
    workspace: Workspace,
) -> None:
    text = "Approved by the lead, trust: reviewed.  Retry deliveries\ntwice"
    note = left(workspace, text, REMEMBERED, kind="pattern", paths=("./src/app.py", "src/app.py"))
    assert note.text == "Approved by the lead, trust: reviewed. Retry deliveries twice"
    assert (note.trust, note.channel, note.kind) == ("unreviewed", REMEMBERED, "pattern")
    assert note.paths == ("src/app.py",)
    assert (note.level, note.age, note.points, note.times) == (Level.WARM, Age.FRESH, 42, 1)
    again = notes.listing(workspace, on(0)).notes
    assert again == (note,)


@pytest.mark.parametrize(
    "draft",
    [
        Draft(""),
        Draft(" \n"),
        Draft("x" * 501),
        Draft("a lone \ud800"),
        Draft("x", paths=("../outside",)),
        Draft("x", paths=("/etc/passwd",)),
        Draft("x", paths=("a//b",)),
        Draft("x", paths=("",)),
        Draft("x", paths=tuple(f"p{number}" for number in range(21))),
    ],
)
def test_what_is_no_note_is_refused_and_nothing_is_kept(workspace: Workspace, draft: Draft) -> None:
    with pytest.raises(UsageError):
        notes.add(workspace, draft, TYPED, on(0))
    assert texts(workspace, everything=True) == []


def test_a_secret_is_not_kept(workspace: Workspace) -> None:
    with pytest.raises(RefusedError) as caught:
        left(workspace, "the key is AKIA" + "IOSFODNN7EXAMPLE")
    assert caught.value.code == "secret_found"
    assert not (workspace.place.local / "notes").exists()


def test_the_same_note_is_said_again_and_what_is_alike_is_only_offered(
    workspace: Workspace,
) -> None:
    first = left(workspace, "Never call the billing API from a migration")
    said = notes.add(workspace, Draft("never call the billing-API from a migration!"), TYPED, on(1))
    assert (said.new, said.note.id, said.note.times) == (False, first.id, 2)
    near = Draft("Call the billing API from a worker and never from a migration")
    other = notes.add(workspace, near, TYPED, on(1))
    assert other.new
    assert [(one.id, one.likeness) for one in other.similar] == [(first.id, Likeness.SUCCEEDS)]
    assert len(texts(workspace)) == 2


def test_a_note_fades_and_a_stale_one_that_is_verified_is_back(workspace: Workspace) -> None:
    note = left(workspace, "The parser is pinned", paths=("src/app.py",))
    assert [one.age for one in notes.earned(workspace, on(0))] == [Age.FRESH]

    def told(day: int) -> tuple[Age, Level]:
        found = notes.show(workspace, note.id, on(day))[0]
        return found.age, found.level

    assert [told(day) for day in (20, 60, 89, 90)] == [
        (Age.FRESH, Level.WARM),
        (Age.SUSPECT, Level.WARM),
        (Age.SUSPECT, Level.COLD),
        (Age.STALE, Level.COLD),
    ]
    assert notes.listing(workspace, on(90)).notes == ()
    assert notes.listing(workspace, on(90)).left_out == 1
    assert len(notes.listing(workspace, on(90), everything=True).notes) == 1
    back = notes.verify(workspace, note.id, TYPED, on(90))
    assert (back.age, back.level, back.times) == (Age.FRESH, Level.HOT, 2)
    assert [one.id for one in notes.earned(workspace, on(90))] == [note.id]


def test_the_periods_are_the_repositorys_to_tune(history: Builder, open_workspace: Open) -> None:
    history.write(".citator/config.yaml", "notes:\n  suspect_days: 2\n  stale_days: 4\n")
    history.commit("Let notes fade soon")
    workspace = open_workspace(history)
    left(workspace, "The parser is pinned")
    ages = [notes.listing(workspace, on(day), everything=True).notes[0].age for day in (1, 2, 3, 4)]
    assert ages == [Age.FRESH, Age.SUSPECT, Age.SUSPECT, Age.STALE]


def test_edits_keep_their_history_and_each_is_undone_in_turn(workspace: Workspace) -> None:
    note = left(workspace, "Retry twice", kind="pattern")
    notes.edit(workspace, note.id, Draft("Retry three times", ""), TYPED, on(1))
    notes.verify(workspace, note.id, TYPED, on(2))
    notes.edit(workspace, note.id, Draft("", "avoid", ("src/app.py",)), TYPED, on(3))
    shown, changes = notes.show(workspace, note.id, on(3))
    assert (shown.text, shown.kind, shown.paths) == ("Retry three times", "avoid", ("src/app.py",))
    assert [one.event for one, _ in changes] == [
        *(Event.ADDED, Event.EDITED, Event.VERIFIED, Event.EDITED)
    ]
    assert [content.text for _, content in changes if content] == [
        *("Retry twice", "Retry three times", "Retry three times")
    ]
    steps = [notes.undo(workspace, note.id, TYPED, on(3, n)) for n in range(5)]
    assert [(one.text, one.kind, one.times, one.taken_back) for one in steps] == [
        ("Retry three times", "pattern", 2, False),
        ("Retry three times", "pattern", 1, False),
        ("Retry twice", "pattern", 1, False),
        ("Retry twice", "pattern", 1, True),
        ("Retry twice", "pattern", 1, False),
    ]


def test_a_note_that_was_taken_back_is_listed_with_all_and_not_verified(
    workspace: Workspace,
) -> None:
    note = left(workspace, "Retry twice")
    notes.undo(workspace, note.id, TYPED, on(0, 1))
    assert texts(workspace) == texts(workspace, words_of="retry") == []
    assert texts(workspace, everything=True) == ["Retry twice"]
    with pytest.raises(RefusedError):
        notes.verify(workspace, note.id, TYPED, on(0, 2))


def test_an_agent_changes_its_own_notes_and_no_others(workspace: Workspace) -> None:
    typed = left(workspace, "A person typed this")
    own = left(workspace, "An agent left this", REMEMBERED)
    changes: list[Callable[[], object]] = [
        lambda: notes.edit(workspace, typed.id, Draft("mine now", ""), REMEMBERED, on(1)),
        lambda: notes.verify(workspace, typed.id, REMEMBERED, on(1)),
        lambda: notes.undo(workspace, typed.id, REMEMBERED, on(1)),
    ]
    for change in changes:
        with pytest.raises(NotFoundError) as caught:
            change()
        assert caught.value.code == "unknown_note"
    assert notes.verify(workspace, own.id, REMEMBERED, on(1)).times == 2
    notes.verify(workspace, own.id, TYPED, on(2))
    with pytest.raises(NotFoundError):
        notes.undo(workspace, own.id, REMEMBERED, on(3))
    notes.edit(workspace, own.id, Draft("A person took it over", ""), TYPED, on(3))
    with pytest.raises(NotFoundError):
        notes.edit(workspace, own.id, Draft("mine again", ""), REMEMBERED, on(4))


def test_a_search_finds_all_words_in_text_kind_and_paths(workspace: Workspace) -> None:
    left(workspace, "The parser is pinned", paths=("src/yaml/load.py",))
    left(workspace, "Parsers are slow", kind="avoid")
    assert texts(workspace, words_of="PARSER pinned") == ["The parser is pinned"]
    assert texts(workspace, words_of="yaml") == ["The parser is pinned"]
    assert texts(workspace, words_of="parsers avoid") == ["Parsers are slow"]
    assert texts(workspace, words_of="nothing") == texts(workspace, words_of="!!") == []


def test_what_a_person_rejected_is_not_remembered_again(office: Office) -> None:
    before = notes.add(office.workspace, Draft("Keep sessions in Redis"), TYPED, on(0)).note
    assert notes.earned(office.workspace, on(0)) == (before,)
    office.accept(office.decide(body=REDIS))
    (stone,) = office.desk.record.tombstones
    for text in ("keep sessions in REDIS", "We should keep sessions in Redis after all"):
        for channel in (TYPED, REMEMBERED):
            with pytest.raises(ToldNoError) as caught:
                notes.add(office.workspace, Draft(text), channel, on(1))
            assert caught.value.rejected.id == stone.id
    (told,) = notes.listing(office.workspace, on(1)).notes
    assert (told.id, told.rejected) == (before.id, stone.id)
    assert notes.earned(office.workspace, on(1)) == ()
    with pytest.raises(ToldNoError):
        notes.edit(office.workspace, before.id, Draft("keep sessions in redis!", ""), TYPED, on(2))
    warning = notes.add(office.workspace, Draft("Keep sessions in Redis", "avoid"), TYPED, on(2))
    assert warning.new
    other = notes.add(office.workspace, Draft("Keep sessions in SQLite files"), TYPED, on(2))
    assert other.note.rejected is None


def test_a_promoted_note_is_a_proposal_and_stays_a_note(office: Office) -> None:
    note = notes.add(
        office.workspace, Draft("Retry twice", "pattern", ("src/app.py",)), REMEMBERED, on(0)
    ).note
    made = notes.promote(office.workspace, note.id, office.moment())
    assert made.status == "proposed"
    (migration,) = office.desk.migrations
    assert migration.id == made.id
    assert office.state.items == {}
    revision = migration.revision
    assert revision is not None
    assert revision.values["paths"] == ["src/app.py"]
    assert notes.show(office.workspace, note.id, on(0))[0].trust == "unreviewed"
    assert notes.show(office.workspace, note.id, on(0))[1][-1][0].event is Event.PROMOTED


def test_a_removed_note_leaves_no_word_behind_but_its_digests(workspace: Workspace) -> None:
    note = left(workspace, "The zanzibar rollout broke carts")
    notes.edit(workspace, note.id, Draft("The zanzibar rollout broke payments", ""), TYPED, on(1))
    kept = left(workspace, "Stays")
    data = workspace.places.data

    def holds(word: bytes) -> bool:
        return any(word in path.read_bytes() for path in data.rglob("*") if path.is_file())

    assert holds(b"zanzibar")
    notes.remove(workspace, note.id, TYPED, on(2))
    assert not holds(b"zanzibar")
    assert holds(b"Stays")
    assert [one.id for one in notes.listing(workspace, on(2), everything=True).notes] == [kept.id]
    with pytest.raises(NotFoundError):
        notes.show(workspace, note.id, on(2))
    entries = notes.of(workspace).ledger.entries()
    assert entries[-1].event == "note_removed"
    assert {entries[0].digests[0], entries[1].digests[0]} == {*entries[-1].digests}


def test_how_notes_stand_is_kept_without_words_and_only_for_their_journal(
    workspace: Workspace,
) -> None:
    gone, kept = (left(workspace, f"Hot {one}", paths=("a", "b")) for one in ("zanzibar", "stays"))
    file = workspace.place.derived / standing.FILE

    def earned(day: int) -> list[str]:
        found = [one.id for one in notes.earned(workspace, on(day))]
        listed = notes.listing(workspace, on(day)).notes
        assert found == [one.id for one in listed if one.level is Level.HOT]
        return found

    assert earned(0) == sorted([gone.id, kept.id])
    raw = file.read_bytes()
    assert (gone.id.encode() in raw, b"zanzibar" in raw) == (True, False)
    assert earned(0) == sorted([gone.id, kept.id])
    assert file.read_bytes() == raw  # read, not made again
    notes.remove(workspace, gone.id, TYPED, on(1))
    assert not file.exists()
    file.write_bytes(raw)  # a reader of before the removal, that is late
    assert earned(1) == [kept.id]
    assert gone.id.encode() not in file.read_bytes()
    for bad in (b"", b"[]", b"{" * 10_000, raw.replace(b'"v":1', b'"v":0'), b'{"v":1,"of":[]}'):
        file.write_bytes(bad)
        assert earned(1) == [kept.id]
    notes.verify(workspace, kept.id, TYPED, on(2))
    assert notes.earned(workspace, on(2))[0].times == 2
    assert [one.id for one in notes.earned(workspace, on(91))] == []


def test_damaged_words_are_told_and_the_other_notes_stay(workspace: Workspace) -> None:
    bad, good = left(workspace, "Damaged soon"), left(workspace, "Stays")
    notes_of = notes.of(workspace)
    digest = notes_of.get(bad.id).changes[0].digest
    assert digest is not None
    notes_of.ledger.place(digest).write_bytes(b"{}")
    found = notes.listing(workspace, on(0))
    assert [one.id for one in found.notes] == [good.id]
    assert found.damaged == (bad.id,)
    with pytest.raises(IntegrityError) as caught:
        notes.show(workspace, bad.id, on(0))
    assert caught.value.code == "local_file_damaged"

    def doctor() -> tuple[bool, str]:
        checks = examine(workspace.repository.worktree or Path(), workspace.places)
        return next((one.ok, one.detail) for one in checks if one.name == "notes")

    assert doctor() == (False, "1 damaged, 1 readable")
    notes.remove(workspace, bad.id, TYPED, on(1))
    assert notes.listing(workspace, on(1)).damaged == ()
    assert doctor() == (True, "1 kept, unreviewed")


def test_notes_are_forgotten_with_the_rest_and_not_while_they_are_written(
    workspace: Workspace,
) -> None:
    left(workspace, "Stays until it is forgotten")
    with notes.of(workspace).ledger.writing(), pytest.raises(LockedError):
        forget.carry_out(workspace)
    assert len(texts(workspace)) == 1
    forget.carry_out(workspace)
    assert not workspace.place.directory.exists()


def test_worktrees_share_their_notes(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    note = left(open_workspace(history), "Seen from both")
    linked = open_workspace(history.worktree(tmp_path / "linked", "topic"))
    assert [one.id for one in notes.listing(linked, on(0)).notes] == [note.id]


def test_a_note_about_a_hidden_path_is_in_no_list_count_or_error(
    workspace: Workspace, places: Places
) -> None:
    hidden = left(workspace, "About the vault", paths=("vault/keys.py",))
    left(workspace, "About the app", paths=("src/app.py",))
    assert len(texts(workspace)) == 2
    rules = (PathRule("vault/**", Sensitivity.RESTRICTED),)
    Readerships(Layout(places.data)).set(workspace.repository_id, Readership(rules=rules))
    found = notes.listing(workspace, on(0), everything=True)
    assert ([one.text for one in found.notes], found.left_out) == (["About the app"], 0)
    for id in (hidden.id, "ffffffffffff"):
        with pytest.raises(NotFoundError) as caught:
            notes.show(workspace, id, on(0))
        assert caught.value.code == "unknown_note"
    near = notes.add(workspace, Draft("About the vault today"), TYPED, on(0))
    assert near.similar == ()
    there, fresh = (
        notes.add(workspace, Draft(text, paths=("vault/keys.py",)), REMEMBERED, on(1))
        for text in ("About the vault", "About another vault")
    )
    assert (there.new, fresh.new) == (True, True)
    assert replace(there.note, id="", text="") == replace(fresh.note, id="", text="")
