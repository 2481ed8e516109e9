"""The operations: a closed set, each with closed fields, each on one slot."""

from __future__ import annotations

from typing import Any

import pytest

from citator.record.errors import MigrationError, Refusal
from citator.record.operations import GOVERNANCE, SCHEMAS, canonical_json, checked
from tests.record.samples import DIGEST, ITEM, OTHER, SAMPLES, THIRD, sample

NAMES = sorted(SCHEMAS)
NEEDED = [(name, key) for name in NAMES for key, (_, needed) in SCHEMAS[name].items() if needed]
FREE = [(name, key) for name in NAMES for key, (_, needed) in SCHEMAS[name].items() if not needed]
EVERY = [(name, key) for name in NAMES for key in SCHEMAS[name]]


def refusal(raw: Any) -> MigrationError:
    with pytest.raises(MigrationError) as caught:
        checked(raw, 3)
    return caught.value


def test_the_set_of_operations_is_the_designs() -> None:
    assert " ".join(NAMES) == (
        "add_alias add_evidence add_relation change_owner change_sensitivity create_item"
        " deprecate_item lift_rejection register_specification reject_value remove_alias"
        " remove_evidence remove_relation restore_item set_approvers set_policy"
        " supersede_specification upsert_revision"
    )
    assert {"set_approvers", "set_policy"} == GOVERNANCE


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_with_every_field_is_held_as_it_is(name: str) -> None:
    operation = checked(sample(name, base=[DIGEST]), 1)
    assert operation.name == name
    assert dict(operation.values) == SAMPLES[name]
    assert operation.base == (DIGEST,)
    assert operation.canonical() == {"op": name, "base": [DIGEST], **SAMPLES[name]}


@pytest.mark.parametrize(("name", "key"), NEEDED)
def test_what_is_needed_is_asked_for_by_name(name: str, key: str) -> None:
    for raw in (sample(name, **{key: None}), {**sample(name), key: None}):
        error = refusal(raw)
        assert error.refusal is Refusal.FIELD
        assert error.detail == f"operation 3: `{key}` is wanted"


@pytest.mark.parametrize(("name", "key"), FREE)
def test_what_is_not_needed_may_be_left_out_or_null(name: str, key: str) -> None:
    without = checked(sample(name, **{key: None}), 1)
    assert key not in without.values
    assert checked({**sample(name), key: None}, 1) == without
    if isinstance(SAMPLES[name][key], list):
        assert checked(sample(name, **{key: []}), 1) == without


@pytest.mark.parametrize(("name", "key"), EVERY)
@pytest.mark.parametrize(
    "value", [3.5, True, {"a": {"b": {}}}, [[["x"]]], "\0", "a\nb", [None], 10**40, b"x", "\ud800"]
)
def test_a_field_of_the_wrong_type_is_refused(name: str, key: str, value: Any) -> None:
    assert refusal({**sample(name), key: value}).refusal is Refusal.FIELD


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("key", ["status", "approved", "id", "Item", "item ", "", "__class__"])
def test_a_field_of_no_operation_is_refused(name: str, key: str) -> None:
    assert refusal({**sample(name), key: "x"}).refusal is Refusal.UNKNOWN_FIELD


@pytest.mark.parametrize("name", NAMES)
def test_one_field_too_many_is_refused_even_where_another_operation_has_it(name: str) -> None:
    for key in {one for schema in SCHEMAS.values() for one in schema} - SCHEMAS[name].keys():
        assert refusal({**sample(name), key: "x"}).refusal is Refusal.UNKNOWN_FIELD


@pytest.mark.parametrize("name", ["approve", "Create_Item", "", "create_item ", "set_status"])
def test_an_operation_of_no_such_name_is_refused(name: str) -> None:
    error = refusal({"op": name, "item": ITEM})
    assert (error.refusal, error.detail) == (Refusal.UNKNOWN_OPERATION, "operation 3")


@pytest.mark.parametrize("raw", [None, "create_item", [], {}, {"op": None}, {"op": ["x"]}, 5])
def test_what_is_no_operation_is_refused(raw: Any) -> None:
    assert refusal(raw).refusal is Refusal.FIELD


@pytest.mark.parametrize("base", [None, 5, {}, "x", ["x"], [DIGEST] * 2, [DIGEST.upper()], [None]])
def test_a_base_is_a_list_of_digests(base: Any) -> None:
    assert refusal({**sample("deprecate_item"), "base": base}).refusal is Refusal.FIELD


def test_a_base_is_sorted_and_one_may_stand_alone() -> None:
    other = "f" * 64
    raw = sample("deprecate_item")
    assert checked({**raw, "base": [other, DIGEST]}, 1).base == (DIGEST, other)
    assert checked({**raw, "base": DIGEST}, 1) == checked({**raw, "base": [DIGEST]}, 1)
    assert checked({**raw, "base": []}, 1) == checked(raw, 1)


def test_no_refusal_repeats_a_word_of_the_file() -> None:
    secret = "hunter2" * 100
    for name, key in EVERY:
        for raw in ({**sample(name), key: secret + "\n"}, {**sample(name), secret: secret}):
            error = refusal(raw)
            assert "hunter2" not in f"{error} {error.what} {error.todo} {error.detail}"


def test_what_acts_on_one_thing_has_one_slot() -> None:
    slots = {name: checked(sample(name), 1).slot for name in NAMES}
    for group in (
        {"deprecate_item", "restore_item"},
        {"add_relation", "remove_relation"},
        {"add_alias", "remove_alias"},
        {"add_evidence", "remove_evidence"},
        {"register_specification", "supersede_specification"},
    ):
        assert len({slots[name] for name in group}) == 1
    assert len(set(slots.values())) == len(NAMES) - 5


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("deprecate_item", {"item": OTHER}),
        ("add_relation", {"type": "implements"}),
        ("add_relation", {"target": THIRD}),
        ("add_relation", {"source": OTHER, "target": ITEM}),
        ("add_alias", {"alias": "adr-0008"}),
        ("add_evidence", {"source": "commit:v1:abd"}),
        ("add_evidence", {"item": OTHER}),
        ("register_specification", {"specification": THIRD}),
        ("reject_value", {"value": "Use Kafka"}),
        ("reject_value", {"kind": None}),
        ("reject_value", {"scope": None}),
        ("lift_rejection", {"rejection": "f" * 64}),
    ],
)
def test_what_acts_on_another_thing_has_another_slot(name: str, changes: dict[str, Any]) -> None:
    assert checked(sample(name), 1).slot != checked(sample(name, **changes), 1).slot


def test_a_rejection_of_the_same_value_in_another_spelling_has_the_same_slot() -> None:
    other = sample("reject_value", value="  USE-REDIS! ", reason="x", change=None)
    assert checked(sample("reject_value"), 1).slot == checked(other, 1).slot


def test_which_items_must_be_there_before() -> None:
    items = {name: checked(sample(name), 1).items for name in NAMES}
    assert items["create_item"] == ()
    assert items["add_relation"] == items["remove_relation"] == (ITEM, OTHER)
    assert items["add_evidence"] == items["upsert_revision"] == items["add_alias"] == (ITEM,)
    for name in ("reject_value", "lift_rejection", "supersede_specification", *GOVERNANCE):
        assert items[name] == ()


@pytest.mark.parametrize(
    "approver",
    [
        {"label": "ada", "key": 5},
        {"label": "ada", "key": ""},
        {"label": "ada", "key": "ssh-ed25519 AAAA"},
        {"label": "ada lovelace", "key": SAMPLES["set_approvers"]["approvers"][0]["key"]},
        {"label": "ada", "key": SAMPLES["set_approvers"]["approvers"][0]["key"], "role": "root"},
        {"key": SAMPLES["set_approvers"]["approvers"][0]["key"]},
        {"label": "ada"},
        "ada",
    ],
)
def test_an_approver_without_a_readable_key_and_a_plain_label_is_refused(approver: Any) -> None:
    assert refusal({"op": "set_approvers", "approvers": [approver]}).refusal is Refusal.FIELD


def test_approvers_are_some_and_each_key_is_there_once() -> None:
    one = SAMPLES["set_approvers"]["approvers"][0]
    for approvers in ([], [one, {**one, "label": "eve"}]):
        error = refusal({"op": "set_approvers", "approvers": approvers})
        assert error.refusal is Refusal.FIELD


@pytest.mark.parametrize(
    "change",
    [{"version": 2}, {"floor": None}, {"rules": {}}, {"author_may_approve": 1}, {"extra": 1}],
)
def test_a_policy_that_trust_would_not_read_is_refused(change: dict[str, Any]) -> None:
    policy = {**SAMPLES["set_policy"]["policy"], **change}
    assert refusal({"op": "set_policy", "policy": policy}).refusal is Refusal.FIELD


def test_canonical_json_is_one_text() -> None:
    assert canonical_json({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'
