"""A verifier's word: one spelling, one namespace, and nothing read that was not signed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citator.model.errors import IntegrityError
from citator.record.attestations import MAX_BYTES, NAMESPACE, Attestation, checked
from citator.trust.statement import NAMESPACE as APPROVALS
from tests.support.keys import ed25519_key

KEY = ed25519_key(4)
SAID = Attestation("a" * 64, "b" * 40, "c" * 64, "d" * 64, "2026-03-01T09:00:00Z")
FILE = SAID.render(KEY.sign(SAID.to_bytes(), NAMESPACE))


def test_what_was_signed_is_read_back_with_its_key() -> None:
    assert checked(FILE) == (SAID, KEY.public)
    assert checked(FILE.replace(b"\n", b"\r\n")) == (SAID, KEY.public)
    assert NAMESPACE != APPROVALS


def test_its_file_is_named_after_the_commit_the_key_and_the_time() -> None:
    name = SAID.file_name(KEY.public.fingerprint)
    assert name.startswith(f"{'b' * 12}.")
    assert name.endswith(".20260301T090000Z.yaml")
    assert name != SAID.file_name(ed25519_key(5).public.fingerprint)


@pytest.mark.parametrize(
    "changed",
    [
        FILE.replace(b"a" * 64, b"e" * 64),
        FILE.replace(b"2026-03-01", b"2026-03-02"),
        FILE.replace(b"signature: |", b"signed: |"),
        FILE + b"more: 1\n",
        FILE.replace(b"citator: 1", b"citator: 2"),
        FILE.replace(b"BEGIN SSH", b"BEGIN PGP"),
        b"citator: 1\n",
        b"- 1\n",
        b"\xff\xfe",
        b"",
        b"x" * (MAX_BYTES + 1),
        SAID.render(KEY.sign(SAID.to_bytes(), APPROVALS)),
    ],
)
def test_anything_else_is_refused(changed: bytes) -> None:
    with pytest.raises(IntegrityError):
        checked(changed)


@pytest.mark.parametrize(
    "said",
    [
        replace(SAID, record="a"),
        replace(SAID, commit="HEAD"),
        replace(SAID, state=""),
        replace(SAID, policy="g" * 64),
        replace(SAID, time="now"),
    ],
)
def test_a_signature_over_what_means_nothing_is_refused(said: Attestation) -> None:
    with pytest.raises(IntegrityError):
        checked(said.render(KEY.sign(said.to_bytes(), NAMESPACE)))


@pytest.mark.parametrize(
    "spelled",
    [
        SAID.to_bytes().replace(b'","', b'", "', 1),
        SAID.to_bytes().replace(b'"version":1', b'"version":true'),
        SAID.to_bytes().replace(b'"version":1', b'"extra":1,"version":1'),
        SAID.to_bytes().replace(b'"version":1', b'"version":2'),
    ],
)
def test_another_spelling_is_refused_though_it_is_signed(spelled: bytes) -> None:
    text = SAID.render(KEY.sign(spelled, NAMESPACE)).replace(SAID.to_bytes(), spelled)
    with pytest.raises(IntegrityError):
        checked(text)
