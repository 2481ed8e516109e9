"""Notes from files, from another store and from history: captured, bounded, once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from citator.model.errors import RefusedError, UsageError
from citator.model.record import Sensitivity
from citator.service import capture_notes, note_sharing, notes
from citator.service.notes import Draft
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.team.notes import Channel, NoteKind
from citator.trust.readership import PathRule, Readership, Readerships
from tests.service.test_decide import REDIS
from tests.service.test_notes import left, on, texts
from tests.support.builder import Builder
from tests.support.office import Office

Open = Callable[[Builder], Workspace]
WHY = "\n\nThe pool was exhausted on every deployment, because sessions leak."


@pytest.fixture
def workspace(history: Builder, open_workspace: Open) -> Workspace:
    return open_workspace(history)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Workspace:
    builder = Builder.init(tmp_path / "elsewhere")
    builder.commit("Begin")
    return Workspace.open(builder.path, Places(tmp_path / "other", tmp_path / "config"))


def test_an_export_comes_in_elsewhere_as_captured_and_only_once(
    workspace: Workspace, elsewhere: Workspace, tmp_path: Path
) -> None:
    target = tmp_path / "notes.jsonl"
    left(workspace, "Größe zählt", kind="pattern", paths=("src/ä.py",))
    left(workspace, "An agent left this", Channel.REMEMBERED)
    gone = left(workspace, "Taken back")
    notes.undo(workspace, gone.id, Channel.TYPED, on(0))
    assert note_sharing.export(workspace, target, on(0)) == 2
    first = target.read_bytes()
    assert note_sharing.export(workspace, target, on(0)) == 2
    assert target.read_bytes() == first
    assert note_sharing.import_file(elsewhere, target, on(1)).new == 2
    again = note_sharing.import_file(elsewhere, target, on(1))
    assert (again.new, again.there, again.left_out) == (0, 2, {})
    found = notes.listing(elsewhere, on(1)).notes
    assert {(one.text, one.kind, one.paths, one.channel) for one in found} == {
        ("Größe zählt", NoteKind.PATTERN, ("src/ä.py",), Channel.CAPTURED),
        ("An agent left this", NoteKind.FACT, (), Channel.CAPTURED),
    }
    assert note_sharing.export(elsewhere, tmp_path / "back.jsonl", on(1)) == 0


def test_a_file_of_somebody_else_is_neither_replaced_nor_taken_in(
    workspace: Workspace, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("mine")
    with pytest.raises(RefusedError):
        note_sharing.export(workspace, other, on(0))
    assert other.read_text() == "mine"
    with pytest.raises(UsageError) as caught:
        note_sharing.import_file(workspace, other, on(0))
    assert caught.value.code == "not_notes"
    with pytest.raises(UsageError):
        note_sharing.import_file(workspace, tmp_path / "none", on(0))


def test_lines_that_are_no_notes_are_counted_and_left_out(office: Office, tmp_path: Path) -> None:
    office.accept(office.decide(body=REDIS))
    lines = [
        '{"citator_notes": 1}',
        '{"kind": "fact", "text": "Good", "channel": "typed", "trust": "approved"}',
        '{"kind": "law", "text": "no such kind"}',
        '{"kind": "fact", "text": 7}',
        '{"kind": "fact", "text": "x", "paths": ["../../etc/passwd"]}',
        '{"kind": "fact", "text": "Keep sessions in Redis"}',
        json.dumps({"kind": "fact", "text": "AKIA" + "IOSFODNN7EXAMPLE"}),
        json.dumps({"kind": "fact", "text": "y" * 501}),
        "[" * 100_000,
        "\x1b[31mnot json",
    ]
    source = tmp_path / "notes.jsonl"
    source.write_text("\n".join(lines))
    taken = note_sharing.import_file(office.workspace, source, on(0))
    assert taken.new == 1
    assert taken.left_out == {
        "bad_note": 1, "bad_path": 1, "no_note": 4, "secret_found": 1, "told_no": 1
    }  # fmt: skip
    (note,) = notes.listing(office.workspace, on(0)).notes
    assert (note.text, note.channel, note.trust) == ("Good", Channel.CAPTURED, "unreviewed")


def brain(path: Path, schema: str = "", rows: tuple[tuple[object, ...], ...] = ()) -> Path:
    with closing(sqlite3.connect(path)) as store:
        store.executescript(
            schema
            or "CREATE TABLE memories (id INTEGER PRIMARY KEY, project TEXT, category TEXT, "
            "content TEXT, status TEXT, scope_type TEXT, scope_value TEXT)"
        )
        if rows:
            store.executemany("INSERT INTO memories VALUES (NULL, 'p', ?, ?, ?, ?, ?)", rows)
        store.commit()
    return path


def test_the_ancestors_memories_come_in_as_captured_and_its_store_is_only_read(
    workspace: Workspace, tmp_path: Path
) -> None:
    source = brain(
        tmp_path / "memory.db",
        rows=(
            ("decision", "Use SQLite", "active", "repo", None),
            ("failed", "Threads in the importer", "suspect", "module", "src/importer"),
            ("decision", "Use files", "superseded", "repo", None),
            ("todo", "Unknown categories are facts", "active", "repo", None),
            ("avoid", b"\xff\xfe", "active", "repo", None),
        ),
    )
    before = source.read_bytes()
    taken = note_sharing.import_mcp_brain(workspace, source, on(0))
    assert (taken.new, taken.left_out) == (3, {"no_note": 1})
    found = notes.listing(workspace, on(0)).notes
    assert {(one.kind, one.text, one.paths, one.channel) for one in found} == {
        ("decision-hint", "Use SQLite", (), Channel.CAPTURED),
        ("avoid", "Threads in the importer", ("src/importer",), Channel.CAPTURED),
        ("fact", "Unknown categories are facts", (), Channel.CAPTURED),
    }
    assert source.read_bytes() == before
    assert {path.name for path in tmp_path.glob("memory*")} == {"memory.db"}


ENDLESS = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    "SELECT 'avoid' AS category, x AS content FROM n"
)


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE other (x)",
        "CREATE TABLE memories (x)",
        f"CREATE VIEW memories AS {ENDLESS}",
    ],
)
def test_a_hostile_store_is_refused_and_nothing_is_run(
    workspace: Workspace, tmp_path: Path, schema: str
) -> None:
    source = brain(tmp_path / "memory.db", schema)
    with pytest.raises(UsageError) as caught:
        note_sharing.import_mcp_brain(workspace, source, on(0))
    assert caught.value.code == "not_a_store"
    assert texts(workspace, everything=True) == []


def test_a_column_that_is_computed_is_not_asked_for(workspace: Workspace, tmp_path: Path) -> None:
    source = brain(
        tmp_path / "memory.db",
        "CREATE TABLE memories (category TEXT, content TEXT, "
        "status TEXT AS (hex(zeroblob(9000000)))); INSERT INTO memories VALUES ('avoid', 'x');",
    )
    assert note_sharing.import_mcp_brain(workspace, source, on(0)).new == 1


def test_what_is_no_database_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    for content in (b"", b"not a database", b"SQLite format 3\0" + b"\xff" * 5000):
        (tmp_path / "memory.db").write_bytes(content)
        with pytest.raises(UsageError):
            note_sharing.import_mcp_brain(workspace, tmp_path / "memory.db", on(0))


def with_decisions(history: Builder) -> Builder:
    history.write("src/db.py", "x")
    history.commit(f"refactor(db): replace the ORM with plain SQL{WHY}")
    history.write("README.md", "x")
    history.commit(f"docs: replace the picture{WHY}")
    return history


def test_the_last_commits_are_captured_once_each_naming_its_commit(
    history: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(with_decisions(history))
    commit = history.git("rev-parse", "HEAD~1").decode().strip()
    assert capture_notes.capture(workspace, 100, on(0), dry_run=True).rules == {
        "choice_with_reason": 1
    }
    assert texts(workspace, everything=True) == []
    made = capture_notes.capture(workspace, 100, on(0))
    assert (made.examined, made.new, made.there) == (6, 1, 0)
    (note,) = notes.listing(workspace, on(0)).notes
    assert (note.text, note.commit, note.channel, note.paths) == (
        "replace the ORM with plain SQL", commit, Channel.CAPTURED, ("src/db.py",)
    )  # fmt: skip
    assert capture_notes.capture(workspace, 100, on(0)).there == 1
    notes.remove(workspace, note.id, Channel.TYPED, on(1))
    assert capture_notes.capture(workspace, 100, on(2)).new == 0
    assert capture_notes.capture(workspace, 1, on(2)).examined == 1


def test_a_commit_that_is_hidden_is_not_captured_nor_told_of(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    workspace = open_workspace(with_decisions(history))
    assert capture_notes.capture(workspace, 100, on(0)).new == 1
    rules = (PathRule("src/db.py", Sensitivity.RESTRICTED),)
    Readerships(Layout(places.data)).set(workspace.repository_id, Readership(rules=rules))
    assert notes.listing(workspace, on(0), everything=True).notes == ()
    made = capture_notes.capture(workspace, 100, on(0))
    assert (made.examined, made.new, made.there, made.rules) == (5, 0, 0, {})


def test_captured_words_become_a_persons_when_a_person_types_them(
    history: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(with_decisions(history))
    capture_notes.capture(workspace, 100, on(0))
    (note,) = notes.listing(workspace, on(0)).notes
    kind = notes.edit(workspace, note.id, Draft("", "avoid"), Channel.TYPED, on(1))
    assert (kind.channel, kind.kind) == (Channel.CAPTURED, "avoid")
    words = notes.edit(workspace, note.id, Draft("Plain SQL only", ""), Channel.TYPED, on(2))
    assert (words.channel, words.commit) == (Channel.TYPED, note.commit)
