from __future__ import annotations

from citator.model.horizon import Horizon, HorizonFact, Limit, merge_facts


def test_counts_of_one_limit_are_added_and_sorted() -> None:
    assert merge_facts(
        [
            HorizonFact(Limit.TOO_LARGE, 2),
            HorizonFact(Limit.LEG_OFF, None, "vectors"),
            HorizonFact(Limit.TOO_LARGE, 3),
        ]
    ) == (HorizonFact(Limit.LEG_OFF, None, "vectors"), HorizonFact(Limit.TOO_LARGE, 5))


def test_an_unknown_count_stays_unknown() -> None:
    known = HorizonFact(Limit.UNREADABLE_BLOBS, 1)
    unknown = HorizonFact(Limit.UNREADABLE_BLOBS)
    assert merge_facts([known, unknown, known]) == (unknown,)


def test_a_horizon_is_complete_only_without_limits() -> None:
    clear = Horizon(head="a", indexed="a")
    assert clear.complete
    assert not clear.having([HorizonFact(Limit.SHALLOW)]).complete
