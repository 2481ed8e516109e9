"""Standing: one pure function of treatment, status and validity; parity over the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

from citator.model.document import AdrStatus
from citator.model.record import RecordStatus
from citator.model.treatment import (
    Attested,
    Edge,
    Facts,
    Rule,
    Standing,
    StandingReason,
    Treatment,
    Verdict,
    counting,
    standing_of,
)


def _edge(
    treatment: Treatment,
    by: str,
    of: str = "x",
    *,
    strength: Attested = Attested.FULL_SHA,
    part: bool = False,
    rule: Rule = Rule.REVERT_SENTENCE,
) -> Edge:
    return Edge(treatment, by, of, of, rule, strength, "2024-01-02", part)


def _history(edges: Sequence[Edge]) -> Callable[[str], list[Edge]]:
    """``edges`` are oldest first; what is asked for is newest first."""
    return lambda of: [one for one in reversed(edges) if one.of == of]


def _standing(edges: Sequence[Edge], facts: Facts | None = None) -> Verdict:
    return standing_of(facts or Facts(), counting("x", _history(edges)))


def test_what_nothing_treats_is_in_force() -> None:
    assert _standing([]) == Verdict(Standing.IN_FORCE, StandingReason.UNTREATED)


def test_a_revert_of_a_revert_lets_the_first_stand_again() -> None:
    edges = [_edge(Treatment.REVERTS, "r1")]
    assert _standing(edges) == Verdict(Standing.NOT_IN_FORCE, StandingReason.REVERTED, "r1")
    edges.append(_edge(Treatment.REVERTS, "r2", "r1"))
    assert _standing(edges).standing is Standing.IN_FORCE
    edges.append(_edge(Treatment.REVERTS, "r3", "r2"))
    assert _standing(edges) == Verdict(Standing.NOT_IN_FORCE, StandingReason.REVERTED, "r1")


def test_the_latest_that_counts_decides() -> None:
    edges = [_edge(Treatment.REVERTS, "r1"), _edge(Treatment.REINSTATES, "a1")]
    assert _standing(edges) == Verdict(Standing.IN_FORCE, StandingReason.REINSTATED, "a1")
    edges.append(_edge(Treatment.REVERTS, "r2", "a1"))
    assert _standing(edges) == Verdict(Standing.NOT_IN_FORCE, StandingReason.REVERTED, "r1")
    edges.append(_edge(Treatment.REVERTS, "r3"))
    assert _standing(edges) == Verdict(Standing.NOT_IN_FORCE, StandingReason.REVERTED, "r3")


def test_a_mention_in_a_body_decides_nothing() -> None:
    edges = [_edge(Treatment.REVERTS, "squash", strength=Attested.BODY_MENTION)]
    assert _standing(edges) == Verdict(Standing.IN_FORCE, StandingReason.UNTREATED)
    edges.append(_edge(Treatment.REVERTS, "r1"))
    edges.append(_edge(Treatment.REVERTS, "s2", "r1", strength=Attested.BODY_MENTION))
    assert _standing(edges).by == "r1"


def test_a_revert_of_a_part_limits() -> None:
    edges = [_edge(Treatment.LIMITS, "r1", part=True)]
    assert _standing(edges) == Verdict(Standing.CAUTION, StandingReason.LIMITED, "r1")
    edges.append(_edge(Treatment.REVERTS, "r2", "r1"))
    assert _standing(edges).standing is Standing.IN_FORCE


def test_a_part_of_a_revert_taken_back_leaves_the_revert() -> None:
    edges = [_edge(Treatment.REVERTS, "r1"), _edge(Treatment.LIMITS, "a1", "r1", part=True)]
    assert _standing(edges).standing is Standing.NOT_IN_FORCE


def test_doubt_from_before_a_reinstatement_is_past() -> None:
    edges = [
        _edge(Treatment.LIMITS, "l1", part=True),
        _edge(Treatment.REVERTS, "r1"),
        _edge(Treatment.REINSTATES, "a1"),
    ]
    assert _standing(edges).standing is Standing.IN_FORCE
    edges.append(_edge(Treatment.QUESTIONS, "q1"))
    assert _standing(edges) == Verdict(Standing.CAUTION, StandingReason.QUESTIONED, "q1")


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (
            Facts(status=RecordStatus.APPROVED),
            Verdict(Standing.IN_FORCE, StandingReason.APPROVED),
        ),
        (
            Facts(status=RecordStatus.PROPOSED),
            Verdict(Standing.UNASSESSED, StandingReason.PROPOSED),
        ),
        (
            Facts(status=RecordStatus.SUPERSEDED, superseded_by="new"),
            Verdict(Standing.NOT_IN_FORCE, StandingReason.SUPERSEDED, "new"),
        ),
        (
            Facts(status=RecordStatus.DEPRECATED),
            Verdict(Standing.NOT_IN_FORCE, StandingReason.DEPRECATED),
        ),
        (
            Facts(adr_status=AdrStatus.ACCEPTED),
            Verdict(Standing.IN_FORCE, StandingReason.STATED_ACCEPTED),
        ),
        (
            Facts(adr_status=AdrStatus.REJECTED),
            Verdict(Standing.NOT_IN_FORCE, StandingReason.REJECTED),
        ),
        (Facts(is_ruling=False), Verdict(Standing.UNASSESSED, StandingReason.NO_RULING)),
        (
            Facts(status=RecordStatus.APPROVED, contested=True),
            Verdict(Standing.CAUTION, StandingReason.CONTESTED),
        ),
        (
            Facts(status=RecordStatus.APPROVED, gone=True),
            Verdict(Standing.CAUTION, StandingReason.ORPHANED),
        ),
        (
            Facts(elsewhere=(_edge(Treatment.REVERTS, "there"),)),
            Verdict(Standing.CAUTION, StandingReason.TREATED_ON_PROTECTED_BRANCH, "there"),
        ),
    ],
)
def test_what_is_known_of_it_gives_the_reason(facts: Facts, expected: Verdict) -> None:
    assert standing_of(facts, ()) == expected


def test_validity_is_held_against_the_time_that_is_given_alone() -> None:
    facts = Facts(
        status=RecordStatus.APPROVED,
        valid_from="2024-02-01T00:00:00Z",
        valid_to="2024-06-01T00:00:00Z",
    )
    assert standing_of(facts, ()).standing is Standing.IN_FORCE
    for now, expected in (
        ("2024-01-01T00:00:00Z", StandingReason.NOT_YET_VALID),
        ("2024-03-01T00:00:00Z", StandingReason.APPROVED),
        ("2024-06-01T00:00:00Z", StandingReason.EXPIRED),
    ):
        assert standing_of(facts, (), now).reason is expected


def test_a_broken_premise_is_told_before_other_doubts() -> None:
    edges = [_edge(Treatment.LIMITS, "l1")]
    assert _standing(edges, Facts(broken=True, broken_by="p1")) == Verdict(
        Standing.CAUTION, StandingReason.PREMISE_BROKEN, "p1"
    )


def test_what_supersedes_goes_on_counting_when_it_is_superseded() -> None:
    edges = [
        _edge(Treatment.SUPERSEDES, "second", "x"),
        _edge(Treatment.SUPERSEDES, "third", "second"),
    ]
    assert _standing(edges).by == "second"
    edges.append(_edge(Treatment.REVERTS, "r1", "second"))
    assert _standing(edges).standing is Standing.IN_FORCE


def test_a_proposal_that_would_supersede_changes_nothing() -> None:
    edges = [_edge(Treatment.SUPERSEDES, "proposal", rule=Rule.RELATION)]
    found = counting("x", _history(edges), rejected=("proposal",))
    assert standing_of(Facts(status=RecordStatus.APPROVED), found) == Verdict(
        Standing.IN_FORCE, StandingReason.APPROVED
    )


def test_a_chain_that_comes_back_to_itself_ends() -> None:
    edges = [_edge(Treatment.REVERTS, "y", "x"), _edge(Treatment.REVERTS, "x", "y")]
    assert counting("x", _history(edges)) in ((), (edges[0],))


def test_a_long_chain_of_reverts_is_walked_without_recursion() -> None:
    names = ["x", *(f"r{number}" for number in range(5_001))]
    edges = [_edge(Treatment.REVERTS, by, of) for of, by in pairwise(names)]
    by_target = {edge.of: [edge] for edge in edges}
    assert counting("x", lambda of: by_target.get(of, [])) == (edges[0],)


def test_strengths_are_ordered() -> None:
    ranks = [one.rank for one in Attested]
    assert ranks == sorted(ranks, reverse=True)
    assert [one for one in Attested if not one.decides] == [Attested.BODY_MENTION]
