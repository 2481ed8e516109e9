"""Whatever anybody writes, reading it ends in a value or in this package's own refusal."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.model.errors import CitatorError
from citator.trust.errors import (
    KeyRefusedError,
    PinRefusedError,
    PolicyRefusedError,
    SignatureRefusedError,
    StatementRefusedError,
)
from citator.trust.keys import key_from_blob, parse_public_key
from citator.trust.pins import Pin, parse_pin
from citator.trust.policy import Policy, parse_policy
from citator.trust.signatures import armor, verify
from citator.trust.ssh_wire import string
from citator.trust.statement import NAMESPACE, Statement, parse_statement
from tests.support import keys
from tests.support.keys import Parts
from tests.trust.test_pins import PIN
from tests.trust.test_policy import TEAM
from tests.trust.test_statement import EVERY

MESSAGE = b"{}"
KINDS = list(keys.every_kind().values())
NAMES = [key.public.type.value.encode() for key in KINDS]
EXAMPLES = settings(max_examples=300)

edits = st.lists(
    st.tuples(st.integers(0, 1 << 16), st.integers(0, 3), st.binary(max_size=6)),
    min_size=1,
    max_size=4,
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


def edited(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """``data`` with bytes replaced, taken out and put in."""
    for at, gone, put in changes:
        at %= len(data) + 1
        data = data[:at] + put + data[at + gone :]
    return data


def outcome(read: Callable[[], object], refusal: type[CitatorError]) -> object | None:
    """What was read, None where it was refused as it should be."""
    try:
        return read()
    except refusal as error:
        assert error.code
        assert error.what.isascii()
        return None


@EXAMPLES
@given(
    st.text()
    | st.sampled_from([name.decode() for name in NAMES]).flatmap(
        lambda name: st.binary().map(lambda blob: f"{name} {base64.b64encode(blob).decode()}")
    )
)
def test_any_text_is_a_key_or_refused(text: str) -> None:
    outcome(partial(parse_public_key, text), KeyRefusedError)


@EXAMPLES
@given(st.sampled_from(KINDS), edits)
def test_a_keys_bytes_are_a_key_or_refused_and_no_two_spellings_are_one(
    key: keys.SigningKey, changes: list[tuple[int, int, bytes]]
) -> None:
    blob = edited(key.public.blob, changes)
    read = outcome(partial(key_from_blob, blob), KeyRefusedError)
    assert (read == key.public) == (blob == key.public.blob)


@EXAMPLES
@given(st.sampled_from(NAMES), st.lists(st.binary(max_size=70), max_size=4))
def test_fields_of_any_content_are_a_key_or_refused(name: bytes, rest: list[bytes]) -> None:
    outcome(partial(key_from_blob, b"".join(map(string, [name, *rest]))), KeyRefusedError)


@EXAMPLES
@given(st.text() | st.binary(max_size=300).map(armor))
def test_any_text_is_no_signature(text: str) -> None:
    assert outcome(partial(verify, text, MESSAGE, NAMESPACE), SignatureRefusedError) is None


@EXAMPLES
@given(st.sampled_from(KINDS), edits)
def test_a_changed_signature_is_no_signature(
    key: keys.SigningKey, changes: list[tuple[int, int, bytes]]
) -> None:
    right = key.sign(MESSAGE)
    blob = base64.b64decode("".join(right.splitlines()[1:-1]))
    changed = edited(blob, changes)
    read = outcome(partial(verify, armor(changed), MESSAGE, NAMESPACE), SignatureRefusedError)
    assert (read is not None) == (changed == blob)


@EXAMPLES
@given(
    st.sampled_from(KINDS),
    st.sampled_from([field.name for field in fields(Parts) if field.name != "version"]),
    st.binary(max_size=120) | st.sampled_from(KINDS).map(lambda key: key.public.blob),
)
def test_a_field_of_any_content_is_no_signature(
    key: keys.SigningKey, name: str, content: bytes
) -> None:
    parts = key.parts(MESSAGE)
    changed = replace(parts, **{name: content})  # type: ignore[arg-type]
    read = outcome(partial(verify, changed.armored, MESSAGE, NAMESPACE), SignatureRefusedError)
    assert (read is not None) == (changed == parts)


@EXAMPLES
@given(st.sampled_from(NAMES), st.binary(max_size=160))
def test_an_innermost_field_of_any_content_is_no_signature(name: bytes, rest: bytes) -> None:
    for key in KINDS:
        armored = replace(key.parts(MESSAGE), signature=string(name) + rest).armored
        read = outcome(partial(verify, armored, MESSAGE, NAMESPACE), SignatureRefusedError)
        assert read is None


@EXAMPLES
@given(st.sampled_from(EVERY), edits)
def test_a_changed_statement_is_itself_or_refused(
    statement: Statement, changes: list[tuple[int, int, bytes]]
) -> None:
    data = edited(statement.to_bytes(), changes)
    read = outcome(partial(parse_statement, data), StatementRefusedError)
    assert read is None or (isinstance(read, Statement) and read.to_bytes() == data)


@EXAMPLES
@given(edits)
def test_a_changed_pin_is_itself_or_refused(changes: list[tuple[int, int, bytes]]) -> None:
    data = edited(PIN.to_bytes(), changes)
    read = outcome(partial(parse_pin, data), PinRefusedError)
    assert read is None or (isinstance(read, Pin) and read.to_bytes() == data)


@EXAMPLES
@given(json_values)
def test_any_json_is_no_statement_and_no_pin(value: object) -> None:
    data = json.dumps(value).encode()
    assert outcome(partial(parse_statement, data), StatementRefusedError) is None
    assert outcome(partial(parse_pin, data), PinRefusedError) is None


@EXAMPLES
@given(st.sampled_from(sorted(TEAM.to_dict())), json_values)
def test_a_policy_with_any_part_is_a_policy_or_refused(name: str, part: object) -> None:
    value = TEAM.to_dict() | {name: part}
    read = outcome(partial(parse_policy, value), PolicyRefusedError)
    assert read is None or (isinstance(read, Policy) and read.to_dict() == value)


@pytest.mark.parametrize("value", [None, [], "policy", 1, {1: 2}])
def test_what_is_no_mapping_is_no_policy(value: object) -> None:
    with pytest.raises(PolicyRefusedError):
        parse_policy(value)  # type: ignore[arg-type]
