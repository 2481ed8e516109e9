"""The small index of what one audience may see of the record."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.index.analysis import Analyser
from citator.index.partition import Partition
from citator.index.partition_store import FILE, Partitions, partition_of, retire
from citator.index.partition_terms import neighbours
from citator.index.partition_texts import identity
from citator.model.record import ItemKind, Revision, Sensitivity
from citator.model.reference import DocumentKind, make_ref
from citator.model.visibility import Audience
from citator.sources.decisions import Decision, decisions_for, document_of
from citator.sources.versions import VERSIONS
from tests.support.record import Ledger, text

EVERYTHING = Audience(ceiling=Sensitivity.RESTRICTED)


def some(ledger: Ledger | None = None) -> list[Decision]:
    ledger = ledger or Ledger()
    ledger.decide("Keep one writer", body="Two lost updates to each other.\n")
    ledger.decide("Retry with jitter", kind="operations", paths=["src/net/**"], labels=["network"])
    return decisions_for(EVERYTHING, ledger.state)


def raw(directory: Path) -> dict[str, bytes]:
    return {str(one.relative_to(directory)): one.read_bytes() for one in directory.rglob("*.*")}


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    partition = Partitions(tmp_path / "partitions").of(some())
    titles = {one.title: one for one in partition.all()}
    assert sorted(titles) == ["Keep one writer", "Retry with jitter"]
    one = titles["Retry with jitter"]
    assert (one.kind, one.paths, one.labels) == (
        ItemKind.OPERATIONS,
        ("src/net/**",),
        ("network",),
    )


def test_a_passage_is_found_by_its_reference_and_verifies_against_it() -> None:
    partition = partition_of(some())
    for unit in range(partition.units):
        row = partition.row(unit)
        lines = (row.start, row.end)
        assert row.ref == make_ref(row.kind, row.object_id, lines, row.text, VERSIONS)
        digest = row.ref.rpartition(":")[2]
        for length in (64, 20, 19, 12):
            assert partition.find_ref(None, digest[:length]) == [row]
        assert partition.find_ref(DocumentKind.COMMIT, digest) == []
    assert partition.find_ref(DocumentKind.DECISION, "f" * 64) == []


@given(st.text(max_size=400), st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_any_body_is_kept_so_that_its_references_verify(body: str, times: int) -> None:
    clean = body.replace("\0", "").replace("\r", "").encode("utf-8", "ignore").decode()
    revision = Revision(
        id="01KJ9PWFYG0000000000000002",
        digest="ab" * 32,
        title="A title",
        ruling="A ruling",
        body=clean * times + "\n",
        author="Ada",
        created_at="2026-03-01T09:00:00Z",
        valid_from="2026-03-01T09:00:00Z",
    )
    decision = replace(some()[0], document=document_of(revision))
    partition = partition_of([decision])
    assert partition.read(0).text == decision.document.text
    rows = [partition.row(unit) for unit in range(partition.units)]
    assert [row.text for row in rows] == [one.text for one in decision.document.passages]
    for row in rows:
        lines = (row.start, row.end)
        assert row.ref == make_ref(row.kind, row.object_id, lines, row.text, VERSIONS)


def test_any_order_gives_the_same_id_and_the_same_bytes(tmp_path: Path) -> None:
    decisions = some()
    first, second = Partitions(tmp_path / "first"), Partitions(tmp_path / "second")
    first.of(decisions)
    shuffled = list(decisions)
    random.Random(3).shuffle(shuffled)
    second.of(list(reversed(shuffled)))
    assert raw(first.directory) == raw(second.directory)
    assert first.kept() == [identity(decisions)]


def test_a_world_without_the_withheld_record_has_the_same_bytes(tmp_path: Path) -> None:
    audience = Audience()
    open_world, secret_world = Ledger(), Ledger()
    for ledger in (open_world, secret_world):
        ledger.decide("Keep one writer", body="Two lost updates.\n")
    secret_world.decide("The vault is in cellar nine", sensitivity="confidential")
    open_side, secret_side = Partitions(tmp_path / "open"), Partitions(tmp_path / "secret")
    open_side.of(decisions_for(audience, open_world.state))
    secret_side.of(decisions_for(audience, secret_world.state))
    assert raw(open_side.directory) == raw(secret_side.directory)
    entitled = partition_of(decisions_for(EVERYTHING, secret_world.state))
    assert "cellar" in set(entitled.terms())
    assert entitled.id != open_side.kept()[0]


def test_anything_that_is_shown_changes_the_id() -> None:
    ledger = Ledger()
    item = ledger.decide("Keep one writer")
    before = identity(decisions_for(EVERYTHING, ledger.state))
    ledger.add({"op": "add_alias", "alias": "one-writer", "item": item})
    after = identity(decisions_for(EVERYTHING, ledger.state))
    assert before != after


def test_nothing_to_see_makes_no_directory_and_opens_nothing(tmp_path: Path) -> None:
    partitions = Partitions(tmp_path / "partitions")
    partition = partitions.of([])
    assert (partition.texts, list(partition.terms()), list(partition.all())) == (0, [], [])
    assert partition.find_ref(None, "abcdef") == []
    assert not partitions.directory.exists()


def test_withdrawal_leaves_no_term_and_no_text(tmp_path: Path) -> None:
    ledger = Ledger()
    ledger.decide("Keep one writer")
    gone = ledger.decide("Use the zeppelin protocol", body="It floats.\n")
    partitions = Partitions(tmp_path / "partitions")
    before = partitions.of(decisions_for(EVERYTHING, ledger.state))
    assert "zeppelin" in set(before.terms())
    held = before.id
    ledger.add({"op": "deprecate_item", "item": gone})
    after = partitions.of(decisions_for(EVERYTHING, ledger.state))
    assert retire(partitions, {after.id}) == []
    assert partitions.kept() == [after.id]
    assert partitions.open(held) is None
    left = [partitions.open(one) for one in partitions.kept()]
    words = {term for one in left if one is not None for term in one.terms()}
    words |= {term for one in left if one is not None for pair in one.pairs() for term in pair}
    assert "zeppelin" not in words
    assert "writer" in words
    assert [one.title for one in after.all()] == ["Keep one writer"]
    assert not any(b"zeppelin" in data.lower() for data in raw(partitions.directory).values())


def test_retiring_takes_what_an_interrupted_build_left(tmp_path: Path) -> None:
    partitions = Partitions(tmp_path / "partitions")
    kept = partitions.of(some())
    half = partitions.directory / f".{'0' * 64}.1.1.new"
    half.mkdir()
    (half / FILE).write_bytes(b"half")
    assert retire(partitions, {kept.id}) == []
    assert not half.exists()
    assert partitions.kept() == [kept.id]


def test_retiring_where_nothing_was_kept_is_nothing(tmp_path: Path) -> None:
    assert retire(Partitions(tmp_path / "none"), ()) == []


@pytest.mark.parametrize("at", [0, 40, 400, -1])
def test_a_damaged_partition_is_made_anew(tmp_path: Path, at: int) -> None:
    partitions = Partitions(tmp_path / "partitions")
    decisions = some()
    path = partitions.directory / partitions.of(decisions).id / FILE
    good = path.read_bytes()
    bad = bytearray(good)
    bad[at] ^= 0xFF
    path.write_bytes(bytes(bad))
    assert [one.title for one in partitions.of(decisions).all()] == [
        one.title for one in partition_of(decisions).all()
    ]
    path.write_bytes(good[: len(good) // 2])
    assert partitions.of(decisions).units == partition_of(decisions).units
    assert path.read_bytes() == good


def test_many_at_once_make_one_whole_partition(tmp_path: Path) -> None:
    decisions = some()
    partitions = Partitions(tmp_path / "partitions")
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: partitions.of(decisions), range(8)))
    assert {(one.id, one.units) for one in made} == {(identity(decisions), 2)}
    assert partitions.kept() == [identity(decisions)]
    assert sorted(one.name for one in partitions.directory.iterdir()) == [identity(decisions)]


def test_a_partition_that_cannot_be_kept_answers_from_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "partitions"
    blocked.write_text("a file where the directory would be")
    partition = Partitions(blocked).of(some())
    assert partition.texts == 2


def test_words_that_carry_nothing_are_left_out_as_the_analyser_stems_them() -> None:
    said = "Why does this only ever work with any of the very old files?"
    words = (terms for _, terms in Analyser().words(said))
    assert neighbours(words) == [("ever", "work"), ("work", "old"), ("old", "file")]


def test_every_pair_is_of_terms_that_stand_side_by_side() -> None:
    ledger = Ledger()
    many = [f"src/zone{number:03}/**" for number in range(60)]
    ledger.decide("Lock every zone", paths=many, body="Ask Zelda before any zone opens.\n")
    partition = partition_of(decisions_for(EVERYTHING, ledger.state))
    assert sorted(partition.pairs()) == [
        ("ask", "zelda"),
        ("befor", "zone"),
        ("everi", "zone"),
        ("lock", "everi"),
        ("zelda", "befor"),
        ("zone", "open"),
    ]
    scope = partition.scope()
    assert list(scope.held_pair("ask", "zelda").units) == [0]
    assert list(scope.held_pair("zelda", "ask").units) == []
    assert set(partition.terms()) >= {"zelda", "zone000", "src"}
    assert "zone059" not in set(partition.terms())


def test_a_scope_counts_what_is_current_or_what_held_then() -> None:
    ledger = Ledger()
    item = ledger.decide("Tabs", valid_from="2026-01-01T00:00:00Z")
    ledger.add(text(item, "Spaces", valid_from="2026-02-01T00:00:00Z"), body="More.\n")
    partition = partition_of(decisions_for(EVERYTHING, ledger.state))
    now = partition.scope()
    assert (now.document_frequency("tab"), now.document_frequency("space")) == (0, 1)
    then = partition.scope(1_767_300_000)  # 2026-01-01T20:40:00Z
    assert (then.document_frequency("tab"), then.document_frequency("space")) == (1, 0)
    before = partition.scope(0)
    assert before.statistics.passages == 0
    assert before.document_frequency("tab") == 0


@pytest.mark.parametrize(
    ("path", "governed"),
    [
        ("src/net/retry.py", True),
        ("src/net/deep/er/retry.py", True),
        ("src/network.py", False),
        ("src/net", False),
        ("", False),
        ("../src/net/retry.py", False),
    ],
)
def test_a_path_is_governed_by_the_patterns_that_hold_it(path: str, governed: bool) -> None:
    partition = partition_of(some())
    found = [partition.read(one).title for one in partition.governing(path)]
    assert found == (["Retry with jitter"] if governed else [])


def test_an_item_is_found_by_its_id_its_revision_and_its_alias() -> None:
    ledger = Ledger()
    item = ledger.decide("Keep one writer")
    ledger.add({"op": "add_alias", "alias": "one-writer", "item": item})
    partition: Partition = partition_of(decisions_for(EVERYTHING, ledger.state))
    revision = ledger.migrations[0].id
    for name in (item, revision, "one-writer"):
        assert partition.named(name) == [0]
    assert partition.named("two-writers") == []
