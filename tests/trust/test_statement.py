"""The bytes that a person signs: one spelling, closed, about one migration of one record."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from citator.model.record import ItemKind
from citator.trust.errors import SignatureRefusedError, StatementRefusedError
from citator.trust.signatures import verify
from citator.trust.statement import (
    MAX_BYTES,
    NAMESPACE,
    RejectedValue,
    Statement,
    Verdict,
    parse_statement,
)
from tests.support import keys

APPROVAL = Statement(
    record="ab" * 32,
    migration="01JD0000000000000000000000",
    digest="cd" * 32,
    verdict=Verdict.APPROVE,
    reason="",
    policy="ef" * 32,
    time="2026-01-31T12:00:00Z",
)
VALUE = RejectedValue("retry forever", ("src/net/**", "src/queue/**"), ItemKind.REJECTED_APPROACH)
REJECTION = replace(APPROVAL, verdict=Verdict.REJECT, reason="It hid outages. Näh.", rejected=VALUE)
LIFTING = replace(REJECTION, verdict=Verdict.LIFT, reason="")
EVERY = [APPROVAL, REJECTION, LIFTING, replace(REJECTION, rejected=replace(VALUE, kind=None))]


def changed(statement: Statement, **parts: Any) -> bytes:
    """The statement's JSON with other parts, canonically spelled."""
    value = json.loads(statement.to_bytes()) | parts
    value = {name: part for name, part in value.items() if part is not ...}
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def is_refused(data: bytes) -> bool:
    with pytest.raises(StatementRefusedError) as caught:
        parse_statement(data)
    return caught.value.code == "statement_malformed"


def test_the_spelling_of_an_approval_is_fixed() -> None:
    assert NAMESPACE == "citator-approval@v1"
    assert APPROVAL.to_bytes() == (
        b'{"digest":"'
        + b"cd" * 32
        + b'","migration":"01JD0000000000000000000000","policy":"'
        + b"ef" * 32
        + b'","reason":"","record":"'
        + b"ab" * 32
        + b'","time":"2026-01-31T12:00:00Z","verdict":"approve","version":1}'
    )


def test_a_rejection_carries_what_it_rejects() -> None:
    assert json.loads(REJECTION.to_bytes())["rejected"] == {
        "value": "retry forever",
        "scope": ["src/net/**", "src/queue/**"],
        "kind": "rejected-approach",
    }


@pytest.mark.parametrize("statement", EVERY)
def test_what_is_written_is_what_is_read(statement: Statement) -> None:
    assert parse_statement(statement.to_bytes()) == statement


@pytest.mark.parametrize(
    "other",
    [
        replace(APPROVAL, record="ac" * 32),
        replace(APPROVAL, migration="01JD0000000000000000000001"),
        replace(APPROVAL, digest="ce" * 32),
        replace(APPROVAL, policy="ee" * 32),
        replace(APPROVAL, reason="fine"),
        replace(APPROVAL, time="2026-01-31T12:00:01Z"),
        LIFTING,
    ],
)
def test_a_signature_does_not_carry_over_to_another_statement(other: Statement) -> None:
    key = keys.ed25519_key()
    armored = key.sign(APPROVAL.to_bytes())
    assert verify(armored, APPROVAL.to_bytes(), NAMESPACE).key == key.public
    with pytest.raises(SignatureRefusedError) as caught:
        verify(armored, other.to_bytes(), NAMESPACE)
    assert caught.value.code == "signature_wrong"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"[" * 60_000,
        b"\xff",
        b"{}",
        APPROVAL.to_bytes() + b"\n",
        b" " + APPROVAL.to_bytes(),
        APPROVAL.to_bytes().replace(b'":"', b'": "', 1),
        APPROVAL.to_bytes().replace(b"approve", b"\\u0061pprove"),
        APPROVAL.to_bytes().replace(b'"version":1', b'"version":1,"version":1'),
        APPROVAL.to_bytes().replace(b'"version":1', b'"version":1.0'),
        APPROVAL.to_bytes().replace(b'"version":1', b'"version":NaN'),
        changed(APPROVAL, version=2),
        changed(APPROVAL, version=True),
        changed(APPROVAL, version="1"),
        changed(APPROVAL, extra=""),
        changed(APPROVAL, reason=...),
        changed(APPROVAL, reason=None),
        changed(APPROVAL, reason="a\x1b[2J"),
        changed(APPROVAL, reason="x" * 4_001),
        changed(APPROVAL, verdict="Approve"),
        changed(APPROVAL, verdict="withdraw"),
        changed(APPROVAL, verdict=["approve"]),
        changed(APPROVAL, digest="CD" * 32),
        changed(APPROVAL, digest="cd" * 31),
        changed(APPROVAL, record="ab" * 32 + "\n"),
        changed(APPROVAL, policy=""),
        changed(APPROVAL, migration="01jd0000000000000000000000"),
        changed(APPROVAL, migration="81JD0000000000000000000000"),
        changed(APPROVAL, migration="01JD000000000000000000000U"),
        changed(APPROVAL, time="2026-02-31T12:00:00Z"),
        changed(APPROVAL, time="2026-01-31T12:00:00+00:00"),
        changed(APPROVAL, time="2026-01-31T12:00:00.5Z"),
        changed(APPROVAL, time="٢٠٢٦-01-31T12:00:00Z"),
        changed(APPROVAL, time="2026-01-31T24:00:00Z"),
        changed(APPROVAL, time=1769860800),
        changed(APPROVAL, rejected=None),
        changed(APPROVAL, rejected={"value": "x", "scope": [], "kind": None}),
        changed(REJECTION, rejected=...),
        changed(LIFTING, rejected=...),
        changed(REJECTION, reason=" \n"),
        changed(REJECTION, rejected={"value": "x", "scope": []}),
        changed(REJECTION, rejected={"value": " ", "scope": [], "kind": None}),
        changed(REJECTION, rejected={"value": 1, "scope": [], "kind": None}),
        changed(REJECTION, rejected={"value": "x", "scope": "src/**", "kind": None}),
        changed(REJECTION, rejected={"value": "x", "scope": ["b", "a"], "kind": None}),
        changed(REJECTION, rejected={"value": "x", "scope": ["a", "a"], "kind": None}),
        changed(REJECTION, rejected={"value": "x", "scope": [""], "kind": None}),
        changed(REJECTION, rejected={"value": "x", "scope": [], "kind": "opinion"}),
        changed(REJECTION, rejected={"value": "x", "scope": [], "kind": []}),
        changed(REJECTION, rejected={"value": "x", "scope": [], "kind": None, "by": "me"}),
        b'{"a":"' + b"x" * MAX_BYTES + b'"}',
    ],
)
def test_anything_else_is_no_statement(data: bytes) -> None:
    assert is_refused(data)


def test_a_lone_surrogate_is_no_text() -> None:
    with pytest.raises(StatementRefusedError):
        replace(APPROVAL, reason="\ud800")
    assert is_refused(APPROVAL.to_bytes().replace(b'"reason":""', b'"reason":"\\ud800"'))


def test_a_statement_that_may_not_exist_cannot_be_made() -> None:
    for parts in ({"reason": "\x00"}, {"digest": "x"}, {"time": "now"}, {"rejected": VALUE}):
        with pytest.raises(StatementRefusedError):
            replace(APPROVAL, **parts)


def test_what_would_change_a_mind_is_signed_where_it_was_said() -> None:
    said = replace(REJECTION, rejected=replace(VALUE, change="a queue that is watched"))
    assert parse_statement(said.to_bytes()) == said
    assert b"change" not in REJECTION.to_bytes()
    assert is_refused(said.to_bytes().replace(b'"a queue that is watched"', b'""'))
    assert is_refused(said.to_bytes().replace(b'"a queue that is watched"', b"7"))
