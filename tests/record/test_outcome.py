"""What a set of accepted migrations amounts to, value by value."""

from __future__ import annotations

from citator.model.record import (
    Anchor,
    Item,
    ItemKind,
    RecordEvidence,
    RecordStatus,
    Refuse,
    Relation,
    RelationType,
    Revision,
    Sensitivity,
    Specification,
    Trust,
)
from citator.record.folding import rejection_key
from citator.record.replay import replay
from citator.record.state import Approver
from tests.record.samples import COMMIT, DIGEST, SAMPLES, sample
from tests.support.record import Ledger, creation, text


def test_an_item_holds_everything_that_was_said_of_it() -> None:
    ledger = Ledger()
    old = ledger.decide("Old")
    item, specification = ledger.id(), ledger.id()
    made = ledger.add(
        {**sample("create_item"), "item": item},
        {**sample("upsert_revision"), "item": item},
        {"op": "add_relation", "source": item, "type": "supersedes", "target": old, "note": "n"},
        {"op": "add_relation", "source": item, "type": "implements", "target": old},
        {"op": "add_alias", "alias": "b", "item": item},
        {"op": "add_alias", "alias": "a", "item": item},
        {**sample("add_evidence"), "item": item},
        {"op": "add_evidence", "item": item, "source": "a", "description": "d"},
        {**sample("register_specification"), "item": item, "specification": specification},
        body="Why.\n",
    )
    state = replay(ledger.migrations, {made.id: COMMIT})
    values = SAMPLES["upsert_revision"]
    assert state.refused == ()
    assert state.items[item] == Item(
        id=item,
        kind=ItemKind.ARCHITECTURE,
        owner='Team "Sessions" & Søn',
        sensitivity=Sensitivity.CONFIDENTIAL,
        status=RecordStatus.APPROVED,
        created_at=made.created_at,
        created_by=made.id,
        revisions=(
            Revision(
                id=made.id,
                digest=made.digest,
                title=values["title"],
                ruling=values["ruling"],
                body="Why.\n",
                author="Ada",
                created_at=made.created_at,
                valid_from="2026-03-01T09:00:00Z",
                valid_to="2027-03-01T09:00:00Z",
                trust=Trust.REVIEWED,
                labels=("a.b", "sessions"),
                paths=("docs/session.md", "src/session/**"),
                anchors=(
                    Anchor(commit=COMMIT, path="src/a.py", lines=(1, 20)),
                    Anchor(blob=COMMIT, uri="https://example.org/x?y=z#1"),
                ),
                refuse=Refuse(packages=("redis",), patterns=("os.environ[*SECRET",)),
                source_commit=COMMIT,
            ),
        ),
        relations=(
            Relation(item, RelationType.IMPLEMENTS, old),
            Relation(item, RelationType.SUPERSEDES, old, "n"),
        ),
        aliases=("a", "b"),
        evidence=(
            RecordEvidence("a", "d", 100),
            RecordEvidence("commit:v1:abc", "it was measured", 80),
        ),
        specifications=(Specification(specification, item, "docs/session.md", "text/markdown"),),
        tenant="acme",
        groups=("ops", "security"),
    )
    assert state.items[old].superseded_by == (item,)
    assert state.aliases == {"a": item, "b": item}
    assert state.specifications == {specification: state.items[item].specifications[0]}


def test_what_was_not_said_has_its_default() -> None:
    ledger = Ledger()
    item = ledger.id()
    made = ledger.add({"op": "create_item", "item": item, "kind": "api", "owner": "team"})
    assert ledger.state.items[item] == Item(
        item,
        ItemKind.API,
        "team",
        Sensitivity.INTERNAL,
        RecordStatus.DRAFT,
        made.created_at,
        made.id,
    )
    landed = ledger.add(text(item, "Title"))
    revision = ledger.state.items[item].current
    assert revision == Revision(
        landed.id, landed.digest, "Title", "Title", "", "Ada", landed.created_at, landed.created_at
    )


def test_what_is_removed_is_gone_and_may_come_again() -> None:
    ledger = Ledger()
    one, two = ledger.decide("One"), ledger.decide("Two")
    link = {"source": two, "type": "depends_on", "target": one}
    for _ in range(2):
        ledger.add({"op": "add_relation", **link})
        ledger.add({"op": "add_alias", "alias": "two", "item": two})
        ledger.add({**sample("add_evidence"), "item": two})
        found = ledger.state.items[two]
        assert (len(found.relations), found.aliases, len(found.evidence)) == (1, ("two",), 1)
        ledger.add({"op": "remove_relation", **link})
        ledger.add({"op": "remove_alias", "alias": "two", "item": two})
        ledger.add({**sample("remove_evidence"), "item": two})
        found = ledger.state.items[two]
        assert (found.relations, found.aliases, found.evidence) == ((), (), ())
    assert ledger.state.aliases == {}
    assert ledger.state.refused == ()


def test_an_alias_that_moved_names_its_new_item_alone() -> None:
    ledger = Ledger()
    one, two = ledger.decide("One"), ledger.decide("Two")
    ledger.add({"op": "add_alias", "alias": "it", "item": one})
    ledger.add({"op": "remove_alias", "alias": "it", "item": one})
    ledger.add({"op": "add_alias", "alias": "it", "item": two})
    state = ledger.state
    assert (state.items[one].aliases, state.items[two].aliases) == ((), ("it",))
    assert state.aliases == {"it": two}


def test_names_that_look_like_slots_are_names() -> None:
    ledger = Ledger()
    one = ledger.decide("One")
    for alias in ("created", "text", "standing", "sensitivity", "owner"):
        ledger.add({"op": "add_alias", "alias": alias, "item": one})
    ledger.add({"op": "add_evidence", "item": one, "source": "item/x/created", "description": "d"})
    assert list(ledger.state.items) == [one]
    assert len(ledger.state.items[one].aliases) == 5


def test_a_reason_is_that_of_the_retirement_or_the_restoration() -> None:
    ledger = Ledger()
    item = ledger.decide("One")
    ledger.add({"op": "deprecate_item", "item": item, "reason": "moved"})
    assert ledger.state.items[item].reason == "moved"
    ledger.add(
        {"op": "restore_item", "item": item, "reason": "back"}, loosens=[f"restore_item:{item}"]
    )
    assert ledger.state.items[item].reason == "back"
    ledger.add({"op": "deprecate_item", "item": item})
    assert ledger.state.items[item].reason == ""


def test_a_superseding_item_that_is_retired_still_supersedes() -> None:
    ledger = Ledger()
    one, two = ledger.decide("One"), ledger.decide("Two")
    ledger.add({"op": "add_relation", "source": two, "type": "supersedes", "target": one})
    ledger.add({"op": "deprecate_item", "item": two})
    assert ledger.state.items[one].status is RecordStatus.SUPERSEDED
    assert ledger.state.items[two].status is RecordStatus.DEPRECATED


def test_every_relation_is_kept_and_only_supersedes_retires() -> None:
    ledger = Ledger()
    one, two = ledger.decide("One"), ledger.decide("Two")
    for kind in RelationType:
        if kind is not RelationType.SUPERSEDES:
            ledger.add({"op": "add_relation", "source": two, "type": kind.value, "target": one})
            ledger.add({"op": "add_relation", "source": one, "type": kind.value, "target": two})
    assert ledger.state.refused == ()
    assert ledger.state.items[one].status is RecordStatus.APPROVED
    assert len(ledger.state.items[two].relations) == len(RelationType) - 1


def test_a_disputed_text_leaves_the_agreed_one_and_both_are_kept() -> None:
    ledger = Ledger()
    item = ledger.decide("Tabs")
    before = ledger.state
    for title in ("Two", "Four"):
        ledger.add(text(item, title), on=before)
    torn = ledger.state.items[item]
    assert [one.title for one in torn.revisions] == ["Tabs"]
    assert torn.contested == (f"item/{item}/text",)
    ledger.add(text(item, "Four, everywhere"))
    titles = [one.title for one in ledger.state.items[item].revisions]
    assert titles == ["Tabs", "Two", "Four", "Four, everywhere"]


def test_a_first_text_that_two_branches_wrote_is_none_until_it_is_settled() -> None:
    ledger = Ledger()
    item = ledger.id()
    ledger.add({"op": "create_item", "item": item, "kind": "api", "owner": "team"})
    before = ledger.state
    for title in ("Two", "Four"):
        ledger.add(text(item, title), on=before)
    assert ledger.state.items[item].status is RecordStatus.DRAFT
    assert ledger.state.items[item].current is None


def test_a_rejection_is_self_contained() -> None:
    ledger = Ledger()
    made = ledger.add({**sample("reject_value"), "value": "Use  RedIs!"})
    (one,) = ledger.state.rejections.values()
    assert (one.id, one.source, one.at) == (made.links[0], made.id, made.created_at)
    assert (one.value, one.folded) == ("Use  RedIs!", "use redis")
    assert one.key == rejection_key("use redis", "operations", ["src/session/**"])
    assert (one.reason, one.change) == ("one more server", "a second host")
    assert (one.kind, one.scope) == (ItemKind.OPERATIONS, ("src/session/**",))
    assert (one.sensitivity, one.tenant, one.groups) == (Sensitivity.INTERNAL, "acme", ("ops",))


def test_a_lift_lifts_one_rejection_whoever_lifted_it_and_however_often() -> None:
    ledger = Ledger()
    ledger.add({"op": "reject_value", "value": "Use Redis", "reason": "one"})
    ledger.add({"op": "reject_value", "value": "use-redis", "reason": "two"})
    first, second = sorted(ledger.state.rejections)
    before = ledger.state
    for reason in ("we run one", "it is hosted"):
        ledger.add(
            {"op": "lift_rejection", "rejection": first, "reason": reason},
            on=before,
            loosens=[f"lift_rejection:{first}"],
        )
    state = ledger.state
    assert (state.refused, state.contested) == ((), ())
    assert (list(state.rejections), state.lifted) == ([second], (first,))


def test_a_lift_names_what_may_be_elsewhere() -> None:
    """A rejection that a key signed by itself is in no migration."""
    ledger = Ledger()
    ledger.add(sample("lift_rejection"), loosens=[f"lift_rejection:{DIGEST}"])
    assert ledger.state.lifted == (DIGEST,)


def test_approvers_and_policy_are_the_last_that_were_set() -> None:
    ledger = Ledger()
    assert (ledger.state.approvers, ledger.state.policy) == (None, None)
    one = ledger.add(sample("set_policy"), sample("set_approvers"))
    raw = sample("set_approvers")["approvers"]
    two = ledger.add({"op": "set_approvers", "approvers": raw[1:]}, loosens=["change_approvers"])
    state = ledger.state
    assert state.approvers == (Approver("bob", raw[1]["key"]),)
    assert state.policy == SAMPLES["set_policy"]["policy"]
    assert state.governance == (one.id, two.id)


def test_the_items_of_one_migration_are_all_there() -> None:
    ledger = Ledger()
    one, two = ledger.id(), ledger.id()
    bare = {"op": "create_item", "item": two, "kind": "api", "owner": "x"}
    ledger.add(*creation(one, "One", {}), bare)
    assert list(ledger.state.items) == sorted([one, two])
