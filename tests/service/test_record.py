"""The record of real repositories: whatever git did to the files, one state; what was changed after
it landed is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from citator.model.errors import IntegrityError
from citator.model.record import RecordStatus
from citator.record.approvals import Approval
from citator.record.evaluation import Record
from citator.record.migration import Migration
from citator.service.record import record_of, records_of, working
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.trust.ledgers import SecondLedgers
from citator.trust.pins import Pins
from tests.support.approving import Person, files, pin
from tests.support.builder import Builder
from tests.support.keys import ed25519_key
from tests.support.record import Ledger, text

ADA = Person()
BOB = Person("bob", ed25519_key(2))
PERSON = ("-c", "user.name=A", "-c", "user.email=a@example.org")
Open = Callable[[Builder], Workspace]


@pytest.fixture(autouse=True)
def pinned(places: Places) -> None:
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA, BOB))


def put(
    builder: Builder, landed: Iterable[Migration], approvals: Iterable[Approval] = ()
) -> Builder:
    """Put a ledger's files into the next commit."""
    for one in files(landed, approvals=approvals):
        assert one.content is not None
        builder.write(f".citator/{one.path}", one.content)
    return builder


def approved(builder: Builder, made: Ledger) -> str:
    """Commit every migration of ``made``, approved."""
    put(builder, made.migrations, [ADA.says(one) for one in made.migrations])
    return builder.commit("Land decisions")


def statuses(record: Record) -> dict[str, RecordStatus]:
    return {item.id: item.status for item in record.state.items.values()}


def test_a_repository_without_a_record_has_an_empty_one(
    history: Builder, open_workspace: Open
) -> None:
    record = record_of(open_workspace(history))

    assert record == Record(None, False)


def test_the_record_is_read_from_the_commit_and_not_from_the_working_tree(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    item = made.decide("Keep sessions in SQLite")
    commit = approved(history, made)
    shutil.rmtree(history.path / ".citator" / "record")

    workspace = open_workspace(history)
    found = record_of(workspace).state.items[item]

    assert found.current is not None and found.current.source_commit == commit
    (left,) = working(workspace).state.items.values()
    assert (left.id, left.status) == (item, RecordStatus.DEPRECATED)


def test_every_way_to_merge_gives_one_state(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    """A merge, a foxtrot merge, a squash and a rebase of two branches end in the same record."""
    made = Ledger()
    item = made.decide("One")
    approved(history, made)
    base = made.state
    start = history.head()
    left = made.add(text(item, "One, from the left"), on=base)
    other = made.decide("Two")
    right = made.migrations[-1]
    said = {one.id: ADA.says(one) for one in (left, right)}

    def branch(builder: Builder, name: str, migration: Migration) -> None:
        builder.git("switch", "-q", "-c", name, start)
        builder.write(f".citator/record/{migration.file_name()}", migration.render())
        builder.write(f".citator/approvals/{migration.id}.yaml", said[migration.id].render())
        builder.commit(f"Land {name}")

    branch(history, "left", left)
    branch(history, "right", right)
    states = set()
    for way in ("merge", "foxtrot", "squash", "rebase"):
        builder = history.clone(tmp_path / way)
        builder.git("fetch", "-q", "origin", "left:left", "right:right", "--force", "-u")
        builder.git("switch", "-q", "left" if way != "foxtrot" else "right")
        if way == "merge":
            builder.merge("right")
        elif way == "foxtrot":
            builder.merge("left")
        elif way == "squash":
            builder.git(*PERSON, "merge", "-q", "--squash", "right")
            builder.git(*PERSON, "commit", "-qm", "Squash")
        else:
            builder.git(*PERSON, "rebase", "-q", "right")
        record = record_of(open_workspace(builder))
        assert statuses(record) == {item: RecordStatus.APPROVED, other: RecordStatus.APPROVED}
        assert record.state.refused == () and record.problems == ()
        states.add(tuple(one.digest for one in record.state.items[item].revisions))

    assert len(states) == 1


def test_two_branches_on_one_base_are_a_conflict_until_a_third_settles_it(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    item = made.decide("Use tabs")
    base = made.state
    made.add(text(item, "Use two spaces"), on=base)
    made.add(text(item, "Use four spaces"), on=base)
    approved(history, made)

    torn = record_of(open_workspace(history)).state
    made.add(text(item, "Use four spaces everywhere"))
    approved(history, made)
    mended = record_of(open_workspace(history)).state

    assert torn.contested == (f"item/{item}/text",)
    assert [one.title for one in torn.items[item].revisions] == ["Use tabs"]
    assert mended.contested == ()


def test_a_landed_file_that_was_changed_stops_the_record_in_a_fresh_clone_too(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    made = Ledger()
    made.decide("Ask a person", body="Every time.\n")
    approved(history, made)
    (one,) = made.migrations
    forged = Migration(one.id, one.author, one.created_at, one.operations, "Never.\n")
    put(history, [forged], [ADA.says(forged)])
    history.commit("Tidy up")

    for builder in (history, history.clone(tmp_path / "clone")):
        with pytest.raises(IntegrityError, match="no longer say") as refused:
            record_of(open_workspace(builder))
        assert refused.value.code == "record_tampered"
        assert one.id in refused.value.what


def test_a_renamed_or_converted_file_is_the_same_migration(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    item = made.decide("One")
    commit = approved(history, made)
    (one,) = made.migrations
    history.remove(f".citator/record/{one.file_name()}")
    history.write(".citator/record/renamed.md", one.render().replace(b"\n", b"\r\n"))
    history.commit("Rename a file")

    found = record_of(open_workspace(history)).state.items[item].current

    assert found is not None and found.source_commit == commit


def test_a_text_whose_file_was_deleted_is_retired_and_told(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    item = made.decide("One")
    before = approved(history, made)
    history.remove(f".citator/record/{made.migrations[0].file_name()}")
    history.commit("Drop it")
    workspace = open_workspace(history)

    after = record_of(workspace)
    assert statuses(after) == {item: RecordStatus.DEPRECATED}
    assert [one.code for one in after.problems] == ["landed_file_gone"]
    assert statuses(record_of(workspace, before)) == {item: RecordStatus.APPROVED}


def test_a_shallow_clone_reads_the_record_it_has(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    made = Ledger()
    item = made.decide("One")
    approved(history, made)
    history.commit("Something else")

    record = record_of(open_workspace(history.clone(tmp_path / "shallow", depth=1)))

    assert statuses(record) == {item: RecordStatus.APPROVED}


def test_a_fresh_clone_and_a_deleted_cache_give_the_same_bytes(
    history: Builder, open_workspace: Open, tmp_path: Path, places: Places
) -> None:
    made = Ledger()
    for number in range(5):
        made.decide(f"Decision {number}")
        approved(history, made)
    workspace = open_workspace(history)
    first = record_of(workspace).state.canonical()
    again = record_of(open_workspace(history)).state.canonical()
    shutil.rmtree(workspace.place.derived)

    assert record_of(open_workspace(history)).state.canonical() == first == again
    assert record_of(open_workspace(history.clone(tmp_path / "new"))).state.canonical() == first


def test_a_key_that_was_taken_out_counts_for_what_had_landed_before(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    early = made.decide("Early")
    both = [{"label": one.label, "key": one.key.public.text} for one in (ADA, BOB)]
    made.add({"op": "set_approvers", "approvers": both})
    first, rule = made.migrations
    put(history, [first, rule], [BOB.says(first), ADA.says(rule)])
    history.commit("Land the first")
    removal = made.add({"op": "set_approvers", "approvers": both[:1]}, loosens=["change_approvers"])
    late = made.decide("Late")
    latest = made.migrations[-1]
    put(
        history,
        made.migrations,
        [BOB.says(first), ADA.says(rule), ADA.says(removal), BOB.says(latest)],
    )
    history.commit("Bob left, and says one more thing")

    found = record_of(open_workspace(history)).state.items

    assert early in found
    assert late not in found


def test_links_and_what_is_no_file_are_told_and_not_followed(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    made = Ledger()
    item = made.decide("One")
    put(history, made.migrations, [ADA.says(made.migrations[0])])
    (tmp_path / "outside.md").write_bytes(made.make(text(item, "Outside")).render())
    history.symlink(".citator/record/link.md", str(tmp_path / "outside.md"))
    history.write(".citator/record/noise.md", "no migration")
    history.commit("Land with noise")

    record = record_of(open_workspace(history))

    assert list(record.state.items) == [item]
    assert sorted((one.path, one.code) for one in record.problems) == [
        ("record/link.md", "not_a_file"),
        ("record/noise.md", "migration_unreadable"),
    ]


@pytest.mark.parametrize("is_repository", [True, False])
def test_a_second_ledger_holds_what_the_repository_does_not(
    history: Builder,
    open_workspace: Open,
    tmp_path: Path,
    places: Places,
    is_repository: bool,
) -> None:
    made = Ledger()
    item = made.decide("Rotate the master key yearly", sensitivity="restricted")
    apart = tmp_path / "apart"
    builder = Builder.init(apart)
    approved(builder, made)
    if not is_repository:
        shutil.rmtree(apart / ".git")
    workspace = open_workspace(history)
    SecondLedgers(workspace.layout).set(workspace.repository_id, apart)

    own, second = records_of(workspace)

    assert own.state.items == {}
    assert statuses(second) == {item: RecordStatus.APPROVED}
    shutil.rmtree(apart)
    _, missing = records_of(open_workspace(history))
    assert [one.code for one in missing.problems] == ["second_ledger_missing"]


def test_a_key_taken_out_of_a_plain_second_ledger_stays_out(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    """A directory has no history: what the root changed is remembered all the same."""
    made = Ledger()
    item = made.decide("Early")
    apart = tmp_path / "apart"
    only_ada = [{"label": ADA.label, "key": ADA.key.public.text}]
    removal = made.add({"op": "set_approvers", "approvers": only_ada})
    builder = Builder.init(apart)
    put(builder, made.migrations, [ADA.says(one) for one in made.migrations])
    builder.commit("Take Bob out")
    late = made.decide("Late")
    shutil.rmtree(apart / ".git")
    workspace = open_workspace(history)
    SecondLedgers(workspace.layout).set(workspace.repository_id, apart)
    first = records_of(workspace)[1]
    assert set(first.approvers.values()) == {"ada"}

    for path in (apart / ".citator").rglob("*"):
        if path.is_file() and removal.id.encode() in path.read_bytes():
            path.unlink()
    bobs = made.migrations[-1]
    (apart / f".citator/record/{bobs.file_name()}").write_bytes(bobs.render())
    (apart / ".citator/approvals/bob.yaml").write_bytes(BOB.says(bobs).render())

    second = records_of(open_workspace(history))[1]
    assert item in first.state.items
    assert late not in second.state.items
    assert set(second.approvers.values()) == {"ada"}
