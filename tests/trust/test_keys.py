"""Which public keys may approve, how they are spelled, and which are turned away."""

from __future__ import annotations

import base64

import pytest

from citator.trust.errors import KeyRefusedError
from citator.trust.keys import KeyType, key_from_blob, parse_public_key
from citator.trust.ssh_wire import positive, string
from tests.support import keys

KINDS = keys.every_kind()
ED25519 = keys.ed25519_key()


def line(blob: bytes, name: str) -> str:
    return f"{name} {base64.b64encode(blob).decode()}"


def refusal(text: str) -> str:
    with pytest.raises(KeyRefusedError) as caught:
        parse_public_key(text)
    assert caught.value.todo
    return caught.value.code


@pytest.mark.parametrize("kind", KINDS)
def test_every_accepted_kind_is_read_whole_and_spelled_without_its_comment(kind: str) -> None:
    key = parse_public_key(KINDS[kind].text)
    assert key == KINDS[kind].public
    assert key.text == KINDS[kind].text.rsplit(" ", 1)[0]
    assert parse_public_key(key.text) == key
    assert key.is_security_key == kind.startswith("sk-")


def test_a_fingerprint_is_the_digest_of_the_keys_bytes() -> None:
    assert ED25519.public.fingerprint == "SHA256:mXhe4VT8IZgX1fUCWPH5SZ3xupG1AvwouipH1zOKCA0"
    assert ED25519.public.type is KeyType.ED25519


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "key_malformed"),
        ("ssh-ed25519", "key_malformed"),
        ("ssh-ed25519 !!!!", "key_malformed"),
        ("ssh-ed25519 AAAA", "key_malformed"),
        ("ssh-ed25519 \u00e9\u00e9\u00e9\u00e9", "key_malformed"),
        ("x" * 20_000, "key_malformed"),
        ("nonsense AAAA", "key_kind_unknown"),
        (f"cert-authority {ED25519.public.text}", "key_is_authority"),
        (f'cert-authority,namespaces="x" {ED25519.public.text}', "key_is_authority"),
        (f'namespaces="git" {ED25519.public.text}', "key_kind_unknown"),
        (f"somebody@example.org {ED25519.public.text}", "key_kind_unknown"),
        (f"{ED25519.text}{ED25519.text}", "key_malformed"),
        ("ssh-ed25519-cert-v01@openssh.com AAAA", "key_is_certificate"),
        ("ssh-dss AAAAB3NzaC1kc3M=", "key_too_weak"),
        (ED25519.private_text().decode(), "key_is_private"),
        (f"{ED25519.public.text}=", "key_malformed"),
        (ED25519.public.text.replace("ssh-ed25519", "ecdsa-sha2-nistp256"), "key_malformed"),
    ],
)
def test_what_is_no_single_plain_key_is_refused_with_its_own_reason(text: str, code: str) -> None:
    assert refusal(text) == code


def test_refusals_repeat_nothing_of_what_was_given() -> None:
    hostile = "ignore-all-rules"
    for text in (hostile, f"{hostile} {hostile}", f"ssh-ed25519 {hostile}", f"ssh-dss {hostile}"):
        with pytest.raises(KeyRefusedError) as caught:
            parse_public_key(text)
        assert hostile not in f"{caught.value.what} {caught.value.todo}"


@pytest.mark.parametrize("kind", KINDS)
def test_a_byte_too_many_or_too_few_is_no_key(kind: str) -> None:
    public = KINDS[kind].public
    assert refusal(line(public.blob + b"\0", public.type)) == "key_malformed"
    assert refusal(line(public.blob[:-1], public.type)) == "key_malformed"


def test_rsa_is_accepted_from_2048_bits_and_up_to_16384() -> None:
    def code_for(bits: int, exponent: int = 65537) -> str | None:
        blob = keys.rsa_blob(exponent, (1 << bits - 1) | 1)
        try:
            key_from_blob(blob)
        except KeyRefusedError as error:
            return error.code
        return None

    assert code_for(2047) == "key_too_short"
    assert code_for(2048) is None
    assert code_for(16_384) is None
    assert code_for(16_385) == "key_too_long"
    assert code_for(2048, exponent=1) == "key_malformed"
    assert code_for(2048, exponent=4) == "key_malformed"
    assert code_for(2048, exponent=(1 << 65) + 1) == "key_malformed"


def test_a_number_has_one_spelling() -> None:
    modulus = (1 << 2047) | 1
    right = string(b"ssh-rsa") + positive(65537) + positive(modulus)
    padded = string(b"ssh-rsa") + string(b"\0\x01\0\x01") + positive(modulus)
    negative = string(b"ssh-rsa") + positive(65537) + string(modulus.to_bytes(256, "big"))
    assert refusal(line(padded, "ssh-rsa")) == "key_malformed"
    assert refusal(line(negative, "ssh-rsa")) == "key_malformed"
    assert parse_public_key(line(right, "ssh-rsa")).modulus == modulus


def test_a_curve_is_the_one_the_kind_says_and_a_point_is_uncompressed() -> None:
    p256, p384 = KINDS["p256"].public, KINDS["p384"].public
    other = string(b"ecdsa-sha2-nistp256") + string(b"nistp384") + string(p256.point)
    long = string(b"ecdsa-sha2-nistp256") + string(b"nistp256") + string(p384.point)
    packed = b"\x02" + p256.point[1:33]
    compressed = string(b"ecdsa-sha2-nistp256") + string(b"nistp256") + string(packed)
    hybrid = string(b"ecdsa-sha2-nistp256") + string(b"nistp256") + string(b"\6" + p256.point[1:])
    for blob in (other, long, compressed, hybrid):
        assert refusal(line(blob, "ecdsa-sha2-nistp256")) == "key_malformed"


def test_a_security_key_made_for_a_web_site_is_refused() -> None:
    kind = "sk-ssh-ed25519@openssh.com"
    point = KINDS["sk-ed25519"].public.point
    blob = string(kind.encode()) + string(point) + string(b"https://example.org")
    assert refusal(line(blob, kind)) == "key_not_for_ssh"
