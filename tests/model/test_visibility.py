"""The gate: what an audience may see, asked of every status, sensitivity, tenant and group."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from citator.model.record import RecordStatus, Sensitivity
from citator.model.visibility import Audience, may_disclose, may_surface

PUBLIC, INTERNAL = Sensitivity.PUBLIC, Sensitivity.INTERNAL
CONFIDENTIAL, RESTRICTED = Sensitivity.CONFIDENTIAL, Sensitivity.RESTRICTED


def test_the_least_that_an_audience_is() -> None:
    assert Audience() == Audience(INTERNAL, unapproved=False, tenant=None, groups=())


@pytest.mark.parametrize("status", list(RecordStatus))
@pytest.mark.parametrize("unapproved", [False, True])
def test_approved_text_is_shown_and_unapproved_to_who_asked_for_it(
    status: RecordStatus, unapproved: bool
) -> None:
    shown = {RecordStatus.APPROVED} | (
        {RecordStatus.DRAFT, RecordStatus.PROPOSED} if unapproved else set()
    )
    for ceiling in Sensitivity:
        audience = Audience(ceiling, unapproved, "acme", ("ops",))
        assert may_surface(status, audience) is (status in shown)


def test_retired_and_rejected_text_is_shown_to_nobody() -> None:
    everything = Audience(RESTRICTED, unapproved=True, tenant="acme", groups=("ops",))
    for status in (RecordStatus.DEPRECATED, RecordStatus.SUPERSEDED, RecordStatus.REJECTED):
        assert not may_surface(status, everything)


@pytest.mark.parametrize(("sensitivity", "ceiling"), list(product(Sensitivity, Sensitivity)))
def test_nothing_above_the_ceiling_is_disclosed(
    sensitivity: Sensitivity, ceiling: Sensitivity
) -> None:
    order = [PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED]
    audience = Audience(ceiling)
    expected = order.index(sensitivity) <= order.index(ceiling)
    assert may_disclose(sensitivity, None, (), audience) is expected


@pytest.mark.parametrize(
    ("tenant", "asks", "shown"),
    [
        (None, None, True),
        (None, "acme", True),
        ("acme", "acme", True),
        ("acme", None, False),
        ("acme", "other", False),
        ("acme", "ACME", False),
        ("acme", "acme ", False),
        ("acme", "", False),
    ],
)
def test_what_names_a_tenant_is_for_that_tenant_alone(
    tenant: str | None, asks: str | None, shown: bool
) -> None:
    assert may_disclose(PUBLIC, tenant, (), Audience(RESTRICTED, tenant=asks)) is shown


@pytest.mark.parametrize(
    ("groups", "asks", "shown"),
    [
        ((), (), True),
        ((), ("ops",), True),
        (("ops",), ("ops",), True),
        (("ops", "sec"), ("sec", "other"), True),
        (("ops",), (), False),
        (("ops",), ("op",), False),
        (("ops",), ("Ops",), False),
        (("ops", "sec"), ("opssec",), False),
    ],
)
def test_what_names_groups_is_for_members_of_any(
    groups: tuple[str, ...], asks: tuple[str, ...], shown: bool
) -> None:
    for given in (groups, list(groups), set(groups)):
        assert may_disclose(PUBLIC, None, given, Audience(RESTRICTED, groups=asks)) is shown


def test_every_condition_has_to_hold() -> None:
    audience = Audience(CONFIDENTIAL, tenant="acme", groups=("ops",))
    for sensitivity, tenant, groups in product(
        (INTERNAL, RESTRICTED), ("acme", "other"), (("ops",), ("sec",))
    ):
        expected = (sensitivity, tenant, groups) == (INTERNAL, "acme", ("ops",))
        assert may_disclose(sensitivity, tenant, groups, audience) is expected


@pytest.mark.parametrize(("ceiling", "wish"), list(product(Sensitivity, [None, *Sensitivity])))
def test_a_wish_lowers_a_ceiling_and_never_raises_it(
    ceiling: Sensitivity, wish: Sensitivity | None
) -> None:
    audience = Audience(ceiling, tenant="acme", groups=("ops",))
    narrowed = audience.narrowed(ceiling=wish)
    ranks = [ceiling.rank] + ([] if wish is None else [wish.rank])
    assert narrowed.ceiling.rank == min(ranks)
    assert (narrowed.tenant, narrowed.groups) == ("acme", ("ops",))


@pytest.mark.parametrize(
    ("granted", "wish", "has"),
    [
        (True, None, True),
        (True, True, True),
        (True, False, False),
        (False, None, False),
        (False, True, False),
        (False, False, False),
    ],
)
def test_a_wish_leaves_unapproved_out_and_never_lets_it_in(
    granted: bool, wish: bool | None, has: bool
) -> None:
    assert Audience(unapproved=granted).narrowed(unapproved=wish).unapproved is has


def test_who_is_narrowed_sees_nothing_that_was_not_seen_before() -> None:
    wishes = list(product([None, *Sensitivity], [None, True, False]))
    for ceiling, unapproved in product(Sensitivity, (True, False)):
        audience = Audience(ceiling, unapproved)
        for wish in wishes:
            narrowed = audience.narrowed(*wish)
            for status, sensitivity in product(RecordStatus, Sensitivity):
                if may_surface(status, narrowed) and may_disclose(sensitivity, None, (), narrowed):
                    assert may_surface(status, audience)
                    assert may_disclose(sensitivity, None, (), audience)


def test_an_id_is_of_the_grant_and_of_nothing_else() -> None:
    grants = [
        Audience(ceiling, unapproved, tenant, groups)
        for ceiling, unapproved, tenant, groups in product(
            Sensitivity,
            (True, False),
            (None, "acme", "ops"),
            ((), ("ops",), ("acme",), ("acme", "ops"), ("acmeops",)),
        )
    ]
    assert len({one.id for one in grants}) == len(grants)
    assert all(len(one.id) == 16 and int(one.id, 16) >= 0 for one in grants)
    for groups in permutations(("a", "b", "c")):
        assert Audience(groups=groups).id == Audience(groups=("a", "b", "c")).id


def test_the_id_of_a_grant_is_what_it_was() -> None:
    assert Audience().id == "f16fc920d29b919e"
