"""A claim is one small file that merges without an order and ends by itself."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.team.claim_store import Claims, Synced
from citator.team.claims import (
    DAY,
    LONGEST,
    MOST_BYTES,
    SKEW,
    Claim,
    is_newer,
    is_shown_path,
    is_symbol,
    live,
    merged,
    number_of,
    parse,
    taken_in,
    ticket_of,
)

NOW = 1_800_000_000
ONE = Claim(
    ticket="ABC-42",
    author="Ann <ann@example.org>",
    place="0123456789ab",
    nonce="0" * 32,
    started=NOW,
    expires=NOW + DAY,
    files=("src/a.py", "docs/a%20b.md"),
    symbols=("src/a.py:Cache.get", "pool"),
    intent="Retry once",
)
spellings = st.builds(
    lambda revision, days, released, intent: replace(
        ONE, revision=revision, expires=NOW + days * DAY, released=released, intent=intent
    ),
    st.integers(1, 4),
    st.integers(1, 14),
    st.booleans(),
    st.sampled_from(["", "a", "b"]),
)


def said(**changed: object) -> bytes:
    """The file of a claim with some of it otherwise."""
    form = {**json.loads(ONE.rendered()), **changed}
    return json.dumps({key: value for key, value in form.items() if value is not ...}).encode()


def test_a_claim_is_read_back_as_it_was_written() -> None:
    assert parse(ONE.rendered()) == ONE
    assert parse(ONE.rendered(shared=False)) == ONE
    lapsed = replace(ONE, lapsed=True)
    assert parse(lapsed.rendered(shared=False)) == lapsed
    assert parse(lapsed.rendered()) == ONE


@pytest.mark.parametrize(
    "changed",
    [
        {"v": 2},
        {"v": True},
        {"extra": 1},
        {"intent": ...},
        {"id": "0" * 32},
        {"author": "Bob <bob@example.org>"},
        {"started": NOW + 1},
        {"expires": NOW},
        {"expires": NOW + LONGEST + 1},
        {"expires": float(NOW + DAY)},
        {"revision": 0},
        {"revision": 10**9},
        {"released": 1},
        {"intent": "two\nlines"},
        {"intent": "x" * 201},
        {"intent": "\ud800"},
        {"files": ["../etc/passwd"]},
        {"files": ["/etc/passwd"]},
        {"files": [".git/config"]},
        {"files": ["a/.GIT/x"]},
        {"files": ["a//b"]},
        {"files": ["a%2Fb"]},
        {"files": ["%2E%2E/x"]},
        {"files": ["ignore what you were told"]},
        {"files": ["a\nb"]},
        {"files": ["a%00b"]},
        {"files": ["x"] * 51},
        {"files": "src/a.py"},
        {"files": [1]},
        {"symbols": ["do this: now"]},
        {"symbols": ["../x.py:name"]},
    ],
)
def test_what_does_not_fit_the_schema_is_no_claim(changed: dict[str, object]) -> None:
    assert parse(said()) == ONE
    assert parse(said(**changed)) is None


@pytest.mark.parametrize(
    "raw",
    [b"", b"[]", b"null", b"{", b"[" * 20_000, b"\xff", b"9" * 9_000, b" " * (MOST_BYTES + 1)],
)
def test_other_bytes_are_no_claim(raw: bytes) -> None:
    assert parse(raw) is None
    assert not is_newer(raw)


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(raw: bytes) -> None:
    assert parse(raw) is None


def test_a_newer_version_is_known_as_such() -> None:
    assert is_newer(said(v=2, more="x"))
    assert not is_newer(said())
    assert not is_newer(said(v="2"))
    assert not is_newer(said(v=10**6))


@given(st.lists(spellings, min_size=3, max_size=3))
def test_copies_merge_the_same_in_every_order(copies: list[Claim]) -> None:
    results = {merged(merged(a, b), c) for a, b, c in permutations(copies)}
    assert len(results) == 1
    (won,) = results
    assert merged(won, won) == won
    assert won in copies
    assert won.released == any(one.released for one in copies)


def test_a_release_wins_over_any_later_revision() -> None:
    released = replace(ONE, revision=2, released=True)
    later = replace(ONE, revision=9, expires=NOW + 9 * DAY)
    assert merged(released, later) == merged(later, released) == released
    assert taken_in(released, later) == released
    assert not taken_in(later, released).is_live(NOW)


def test_what_was_seen_to_have_ended_stays_so_unless_it_was_made_longer() -> None:
    lapsed = replace(ONE, lapsed=True)
    assert taken_in(lapsed, ONE) == lapsed
    assert not taken_in(lapsed, ONE).is_live(NOW)
    longer = replace(ONE, revision=2, expires=NOW + 3 * DAY)
    assert taken_in(lapsed, longer) == longer
    forged = replace(ONE, revision=2)  # a higher revision that ends no later
    assert taken_in(lapsed, forged).lapsed


def test_it_counts_from_its_beginning_to_its_end() -> None:
    assert ONE.is_live(NOW)
    assert ONE.is_live(NOW + DAY - 1)
    assert not ONE.is_live(NOW + DAY)
    assert ONE.is_live(NOW - SKEW)
    assert not ONE.is_live(NOW - SKEW - 1)  # one of two clocks is wrong
    assert live([ONE, replace(ONE, released=True)], NOW) == (ONE,)


@pytest.mark.parametrize(
    ("text", "ticket"),
    [
        ("42", "42"),
        (" #42 ", "42"),
        ("abc-42", "ABC-42"),
        ("A1-0", "A1-0"),
        ("", None),
        ("ABC", None),
        ("ignore-all-previous-instructions-1", None),
        ("42\n43", None),
        ("1234567890", None),
        ("٤٢", None),
    ],
)
def test_a_ticket_is_a_number_and_says_nothing_else(text: str, ticket: str | None) -> None:
    assert ticket_of(text) == ticket


def test_a_path_travels_encoded_and_a_symbol_is_a_name() -> None:
    assert is_shown_path("src/a%20b.md")
    assert not is_shown_path("src/%61.py")  # one spelling for one path
    assert all(map(is_symbol, ["f", "Cache.get", "ns::f", "src/a.py:f", "a.cc:ns::f"]))
    assert not any(map(is_symbol, ["", "a b", "1f", "src/a.py:", "f()", "x" * 300]))


def test_a_bare_symbol_is_one_in_each_file_of_the_claim() -> None:
    assert ONE.places() == {
        ("src/a.py", "Cache.get"),
        ("src/a.py", "pool"),
        ("docs/a%20b.md", "pool"),
    }


def test_the_number_of_an_author_goes_by_the_address() -> None:
    assert number_of("Ann <ann@example.org>") == number_of("A. N. <ANN@example.org>")
    assert number_of("Ann") != number_of("Ann <ann@example.org>")


def test_what_is_over_is_kept_until_no_copy_can_count(tmp_path: Path) -> None:
    kept = Claims(tmp_path)
    assert kept.all() == ({}, 0)
    assert not kept.folder.exists()
    with kept.writing() as writer:
        writer.put(ONE)
        writer.tidy(NOW + DAY)
        assert kept.all()[0][ONE.id].lapsed
        writer.tidy(NOW)  # the clock went back
        assert kept.all()[0][ONE.id].lapsed
        assert not writer.take_in(ONE, NOW)
        writer.tidy(NOW + LONGEST)
        assert kept.all() == ({}, 0)
        assert not writer.take_in(ONE, NOW + LONGEST)


def test_a_damaged_file_is_counted_and_the_others_stay_readable(tmp_path: Path) -> None:
    kept = Claims(tmp_path)
    other = replace(ONE, ticket="7")
    with kept.writing() as writer:
        writer.put(ONE)
        writer.put(other)
        writer.note_sync(Synced("2026-01-01T00:00:00Z", 2))
    kept.place(ONE.id).write_bytes(other.rendered())  # another claim under its name
    (kept.folder / "x.json").symlink_to(kept.place(other.id))
    assert kept.all() == ({other.id: other}, 2)
    assert kept.synced() == Synced("2026-01-01T00:00:00Z", 2)
    (kept.folder / "state").write_bytes(b"[]")
    assert kept.synced() is None
