"""ULIDs: one spelling, in the order of time, and never before what was seen."""

from __future__ import annotations

import pytest

from citator.record.ulid import is_ulid, mint, mint_after

LAST = (1 << 48) - 1


def zeros(size: int) -> bytes:
    return b"\0" * size


def test_a_ulid_is_its_time_and_then_chance() -> None:
    assert mint(0, zeros) == "0" * 26
    assert mint(1_469_918_176_385, zeros) == "01ARYZ6S41" + "0" * 16
    assert mint(LAST, lambda size: b"\xff" * size) == "7ZZZZZZZZZ" + "Z" * 16
    assert mint(0, lambda size: b"\0" * (size - 1) + b"\x21") == "0" * 24 + "11"


def test_ulids_sort_as_they_were_minted() -> None:
    made = [mint(moment, zeros) for moment in (0, 1, 31, 32, 1 << 20, 1_772_000_000_000, LAST)]
    assert made == sorted(made)
    assert all(map(is_ulid, made))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "01J9ZK4E3M8QW7X2V5T6R1N0P",
        "01J9ZK4E3M8QW7X2V5T6R1N0PAA",
        "01j9zk4e3m8qw7x2v5t6r1n0pa",
        "81J9ZK4E3M8QW7X2V5T6R1N0PA",
        "01J9ZK4E3M8QW7X2V5T6R1N0PI",
        "01J9ZK4E3M8QW7X2V5T6R1N0PL",
        "01J9ZK4E3M8QW7X2V5T6R1N0PO",
        "01J9ZK4E3M8QW7X2V5T6R1N0PU",
        "01J9ZK4E3M8QW7X2V5T6R1N0PA\n",
        " 01J9ZK4E3M8QW7X2V5T6R1N0PA",
        "01J9ZK4E3M8QW7X2V5T6R1N0PА",  # the last letter is Cyrillic
        "٠1J9ZK4E3M8QW7X2V5T6R1N0PA",  # the first digit is Arabic
    ],
)
def test_another_spelling_is_no_ulid(text: str) -> None:
    assert not is_ulid(text)


def test_an_id_sorts_after_all_that_was_seen_whatever_clocks_said() -> None:
    ahead, behind = mint(5_000, lambda size: b"\xff" * size), mint(10, zeros)
    assert mint_after(7_000, zeros, [ahead, behind]) == mint(7_000, zeros)
    assert ahead < mint_after(1_000, zeros, [ahead, behind]) == mint(5_001, zeros)
    assert mint_after(1_000, zeros, []) == mint(1_000, zeros)


def test_an_id_from_the_end_of_time_is_not_stepped_over() -> None:
    assert is_ulid(mint_after(1_000, zeros, ["7ZZZZZZZZZZZZZZZZZZZZZZZZZ"]))
