"""A policy: a floor that rules can only raise, one spelling, one digest, a closed form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from citator.model.record import ItemKind, Sensitivity
from citator.trust.assurance import Landed, Signature, Threshold
from citator.trust.errors import PolicyRefusedError
from citator.trust.policy import MAX_RULES, Policy, Rule, parse_policy

KEY = Threshold(Signature.KEY)
TOUCH = Threshold(Signature.KEY_WITH_PRESENCE)
TWO = Threshold(Signature.KEY, 2, Landed.LOCAL_BRANCH)
TYPED = Threshold(Signature.TERMINAL)
RULES = (
    Rule(TOUCH, ItemKind.SECURITY),
    Rule(TWO, sensitivity=Sensitivity.CONFIDENTIAL),
    Rule(TYPED, ItemKind.CONVENTION),
)
TEAM = Policy("main", author_may_approve=False, floor=KEY, rules=RULES)


def test_the_floor_holds_where_no_rule_says_more() -> None:
    assert TEAM.needed(ItemKind.API, Sensitivity.PUBLIC) == KEY


def test_the_strictest_of_all_that_match_is_asked_for() -> None:
    assert TEAM.needed(ItemKind.SECURITY, Sensitivity.INTERNAL) == TOUCH
    assert TEAM.needed(ItemKind.SECURITY, Sensitivity.CONFIDENTIAL) == Threshold(
        Signature.KEY_WITH_PRESENCE, 2, Landed.LOCAL_BRANCH
    )


def test_a_rule_never_loosens_the_floor() -> None:
    assert TEAM.needed(ItemKind.CONVENTION, Sensitivity.PUBLIC) == KEY


def test_a_rule_for_a_sensitivity_holds_for_all_above_it() -> None:
    asked = [TEAM.needed(ItemKind.API, one).approvers for one in Sensitivity]
    assert asked == [1, 1, 2, 2]


def test_the_order_of_rules_is_of_no_account() -> None:
    for kind in ItemKind:
        for sensitivity in Sensitivity:
            asked = {
                Policy("main", False, KEY, order).needed(kind, sensitivity)
                for order in permutations(RULES)
            }
            assert len(asked) == 1


def test_a_change_of_the_policy_takes_the_most_that_it_asks_anywhere() -> None:
    assert TEAM.strictest == Threshold(Signature.KEY_WITH_PRESENCE, 2, Landed.LOCAL_BRANCH)
    assert Policy("main", False, KEY).strictest == KEY


def test_it_is_read_as_it_was_written() -> None:
    assert parse_policy(TEAM.to_dict()) == TEAM
    solo = Policy("main", author_may_approve=True)
    assert parse_policy(solo.to_dict()) == solo
    assert solo.floor == KEY


def test_the_digest_is_of_everything_it_says() -> None:
    others = [
        Policy("trunk", False, KEY, RULES),
        Policy("main", True, KEY, RULES),
        Policy("main", False, TOUCH, RULES),
        Policy("main", False, KEY, RULES[:2]),
    ]
    assert len({TEAM.digest, *(one.digest for one in others)}) == 5
    assert Policy("main", author_may_approve=True).digest == (
        "76ce734dfeae43362907a3e98d0299690e40f0db2dcd272bc55f9e4b75b54be9"
    )


def changes() -> list[Callable[[dict[str, Any]], object]]:
    return [
        lambda it: it.pop("floor"),
        lambda it: it.update(extra=1),
        lambda it: it.update(version=2),
        lambda it: it.update(version=True),
        lambda it: it.update(author_may_approve="no"),
        lambda it: it.update(author_may_approve=0),
        lambda it: it.update(protected_branch=""),
        lambda it: it.update(protected_branch="main; rm"),
        lambda it: it.update(protected_branch="--force"),
        lambda it: it.update(protected_branch=None),
        lambda it: it.update(rules=None),
        lambda it: it.update(rules=it["rules"] * MAX_RULES),
        lambda it: it["floor"].update(signature="none"),
        lambda it: it["floor"].update(signature="KEY"),
        lambda it: it["floor"].update(signature=["key"]),
        lambda it: it["floor"].update(approvers=0),
        lambda it: it["floor"].update(approvers=True),
        lambda it: it["floor"].update(approvers="1"),
        lambda it: it["floor"].update(landed="yes"),
        lambda it: it["floor"].pop("landed"),
        lambda it: it["rules"][0].update(kind="secruity"),
        lambda it: it["rules"][0].update(kind={}),
        lambda it: it["rules"][0].update(sensitivity="secret"),
        lambda it: it["rules"][0].update(sensitivity=None),
        lambda it: it["rules"][0].pop("kind"),
        lambda it: it["rules"].append("key"),
    ]


@pytest.mark.parametrize("change", changes())
def test_what_is_not_understood_whole_is_no_policy(change: Callable[[Any], object]) -> None:
    value: Any = TEAM.to_dict()
    assert parse_policy(value) == TEAM
    change(value)
    with pytest.raises(PolicyRefusedError):
        parse_policy(value)


def test_the_page_shows_a_policy_that_is_one() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "policy.md").read_text("utf-8")
    shown = parse_policy(yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0]))
    assert shown.needed(ItemKind.SECURITY, Sensitivity.INTERNAL) == TOUCH
    assert shown.needed(ItemKind.API, Sensitivity.RESTRICTED).landed is Landed.VERIFIED_BY_CI
    for closed in (ItemKind, Sensitivity, Landed, list(Signature)[1:]):
        assert all(f"`{member.value}`" in page for member in closed)


def test_refusing_is_off_unless_said_and_older_policies_keep_their_digest() -> None:
    plain = Policy("main", author_may_approve=True)
    assert "refuse" not in plain.to_dict()
    assert plain.digest == parse_policy(plain.to_dict()).digest
    told = replace(plain, refuse=True)
    assert parse_policy(told.to_dict()) == told
    assert told.digest != plain.digest
    for value in (False, 1, "true", None):
        with pytest.raises(PolicyRefusedError):
            parse_policy({**plain.to_dict(), "refuse": value})
