"""How approvals are weighed: two ordered facts, a number of different people, and the author."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from citator.trust.assurance import (
    Assent,
    Assurance,
    Judgement,
    Landed,
    Signature,
    Threshold,
    accepted_by,
    judge,
)
from citator.trust.errors import PolicyRefusedError

NONE, TERMINAL, KEY, PRESENCE = Signature
NO, LOCAL, CI = Landed
ANN_KEY = Assent("ann", KEY)
ANN_TOUCH = Assent("ann", PRESENCE)
BOB_KEY = Assent("bob", KEY)
BOB_TOUCH = Assent("bob", PRESENCE)
TYPED = Assent(None, TERMINAL)


def weigh(
    *assents: Assent, needed: Threshold, landed: Landed = NO, author: bool = False
) -> Judgement:
    results = {
        judge(order, landed, needed, author_may_approve=author) for order in permutations(assents)
    }
    assert len(results) == 1
    return results.pop()


def test_both_facts_have_an_order() -> None:
    assert sorted([PRESENCE, NONE, KEY, TERMINAL]) == [NONE, TERMINAL, KEY, PRESENCE]
    assert sorted([CI, NO, LOCAL]) == [NO, LOCAL, CI]
    assert max(KEY, PRESENCE) is PRESENCE
    assert TERMINAL < KEY <= KEY
    assert CI > LOCAL >= LOCAL


def test_both_facts_have_to_be_reached() -> None:
    for signature, landed, asked, where in product(Signature, Landed, list(Signature)[1:], Landed):
        got = accepted_by(Assurance(signature, landed), Threshold(asked, 1, where))
        order, places = list(Signature).index, list(Landed).index
        assert got is (order(signature) >= order(asked) and places(landed) >= places(where))


def test_one_key_is_enough_where_one_key_is_asked_for() -> None:
    got = weigh(ANN_KEY, needed=Threshold(KEY))
    assert got == Judgement(Assurance(KEY, NO), accepted=True, counted=1)


def test_nothing_is_not_enough_for_anything() -> None:
    got = weigh(needed=Threshold(TERMINAL), author=True)
    assert got == Judgement(Assurance(NONE, NO), accepted=False, counted=0)


def test_a_typed_approval_satisfies_no_policy_that_asks_for_a_key() -> None:
    assert weigh(TYPED, needed=Threshold(TERMINAL), author=True).accepted
    for asked in (KEY, PRESENCE):
        assert not weigh(TYPED, TYPED, needed=Threshold(asked), author=True).accepted


def test_a_typed_approval_cannot_claim_to_be_more() -> None:
    claimed = Assent(None, PRESENCE)
    got = weigh(claimed, needed=Threshold(TERMINAL), author=True)
    assert got.assurance.signature is TERMINAL


def test_typed_approvals_are_one_approver_however_many() -> None:
    assert not weigh(TYPED, TYPED, TYPED, needed=Threshold(TERMINAL, 2), author=True).accepted
    assert weigh(TYPED, ANN_KEY, needed=Threshold(TERMINAL, 2), author=True).accepted


def test_a_typed_approval_is_nobodys_where_the_author_may_not_approve() -> None:
    assert not weigh(TYPED, needed=Threshold(TERMINAL)).accepted


def test_two_signatures_of_one_person_are_one_approver() -> None:
    needed = Threshold(KEY, 2)
    assert not weigh(ANN_KEY, ANN_TOUCH, needed=needed).accepted
    assert weigh(ANN_KEY, ANN_TOUCH, BOB_KEY, needed=needed).accepted


def test_the_level_reached_is_the_one_that_enough_people_reached() -> None:
    got = weigh(ANN_TOUCH, BOB_KEY, needed=Threshold(KEY, 2))
    assert got == Judgement(Assurance(KEY, NO), accepted=True, counted=2)
    got = weigh(ANN_TOUCH, BOB_KEY, needed=Threshold(PRESENCE, 2))
    assert got == Judgement(Assurance(KEY, NO), accepted=False, counted=1)
    assert weigh(ANN_TOUCH, BOB_TOUCH, needed=Threshold(PRESENCE, 2)).accepted


def test_the_author_counts_only_where_the_policy_says_so() -> None:
    own = Assent("ann", KEY, by_author=True)
    assert not weigh(own, needed=Threshold(KEY)).accepted
    assert weigh(own, needed=Threshold(KEY), author=True).accepted
    assert not weigh(own, BOB_KEY, needed=Threshold(KEY, 2)).accepted


def test_presence_is_asked_for_and_not_assumed() -> None:
    assert not weigh(ANN_KEY, needed=Threshold(PRESENCE)).accepted
    assert weigh(ANN_TOUCH, needed=Threshold(PRESENCE)).accepted


def test_where_it_landed_is_asked_for_too() -> None:
    needed = Threshold(KEY, 1, CI)
    assert not weigh(ANN_KEY, needed=needed, landed=LOCAL).accepted
    assert weigh(ANN_KEY, needed=needed, landed=CI).accepted


@pytest.mark.parametrize(("signature", "approvers"), [(NONE, 1), (KEY, 0), (KEY, -1), (KEY, 101)])
def test_no_threshold_asks_for_nothing(signature: Signature, approvers: int) -> None:
    with pytest.raises(PolicyRefusedError) as caught:
        Threshold(signature, approvers)
    assert caught.value.code == "policy_asks_for_nothing"
