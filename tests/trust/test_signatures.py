"""What counts as a signature over these bytes for this purpose, and nothing else does."""

from __future__ import annotations

import base64
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from citator.trust.assurance import Signature
from citator.trust.errors import SignatureRefusedError
from citator.trust.signatures import MAX_ARMORED, armor, verify
from citator.trust.ssh_wire import positive, string
from citator.trust.statement import NAMESPACE
from tests.support import keys
from tests.support.keys import PRESENT, VERIFIED, Parts, SigningKey

MESSAGE = b'{"digest":"aa","verdict":"approve"}'
KINDS = keys.every_kind()


def refusal(armored: str, message: bytes = MESSAGE, namespace: str = NAMESPACE) -> str:
    with pytest.raises(SignatureRefusedError) as caught:
        verify(armored, message, namespace)
    assert caught.value.what
    assert caught.value.todo
    return caught.value.code


@pytest.fixture(params=KINDS)
def key(request: pytest.FixtureRequest) -> SigningKey:
    return KINDS[request.param]


@pytest.mark.parametrize("hash_name", ["sha256", "sha512"])
def test_a_right_signature_of_every_kind_says_which_key_made_it(
    key: SigningKey, hash_name: str
) -> None:
    facts = verify(key.parts(MESSAGE, hash_name=hash_name).armored, MESSAGE, NAMESPACE)
    assert facts.key == key.public
    assert facts.fingerprint == key.public.fingerprint
    assert facts.hash_name == hash_name
    assert (facts.security_key is not None) == key.public.is_security_key


def test_rsa_signs_with_sha2_alone() -> None:
    rsa = KINDS["rsa"]
    for algorithm in ("rsa-sha2-256", "rsa-sha2-512"):
        facts = verify(rsa.parts(MESSAGE, algorithm=algorithm).armored, MESSAGE, NAMESPACE)
        assert facts.algorithm == algorithm
    weak = rsa.parts(MESSAGE, algorithm="ssh-rsa").armored
    assert refusal(weak) == "signature_algorithm_refused"


@pytest.mark.parametrize("hash_name", ["sha1", "md5", "sha384"])
def test_a_signature_over_another_hash_is_refused_though_it_is_right(
    key: SigningKey, hash_name: str
) -> None:
    assert refusal(key.parts(MESSAGE, hash_name=hash_name).armored) == "signature_hash_refused"


def test_a_signature_for_another_purpose_is_refused(key: SigningKey) -> None:
    for namespace in ("git", "file", "citator-approval@v2", "citator-approval@v10"):
        assert refusal(key.sign(MESSAGE, namespace)) == "signature_for_another_purpose"
    renamed = replace(key.parts(MESSAGE, "git"), namespace=NAMESPACE.encode())
    assert refusal(renamed.armored) == "signature_wrong"
    assert refusal(key.sign(MESSAGE, ""), namespace="") == "signature_for_another_purpose"


def test_a_signature_over_other_bytes_is_refused(key: SigningKey) -> None:
    armored = key.sign(MESSAGE)
    verify(armored, MESSAGE, NAMESPACE)
    for other in (MESSAGE + b"\n", MESSAGE.replace(b"aa", b"ab"), b""):
        assert refusal(armored, other) == "signature_wrong"


def test_another_keys_name_on_a_signature_is_refused(key: SigningKey) -> None:
    others = {**KINDS, "ed25519": keys.ed25519_key(2), "p256": keys.ecdsa_key(256, 2)}
    for other in others.values():
        if other.public != key.public:
            forged = replace(key.parts(MESSAGE), key=other.public.blob)
            assert refusal(forged.armored) in ("signature_wrong", "signature_algorithm_refused")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda it: replace(it, magic=b"SSHSIF"), "signature_malformed"),
        (lambda it: replace(it, magic=b""), "signature_malformed"),
        (lambda it: replace(it, version=0), "signature_version"),
        (lambda it: replace(it, version=2), "signature_version"),
        (lambda it: replace(it, key=b""), "signature_malformed"),
        (lambda it: replace(it, key=it.key + b"\0"), "signature_key_refused"),
        (lambda it: replace(it, namespace=b""), "signature_for_another_purpose"),
        (lambda it: replace(it, namespace=NAMESPACE.encode() + b"\0"), "signature_malformed"),
        (lambda it: replace(it, namespace="citatör".encode()), "signature_malformed"),
        (lambda it: replace(it, reserved=b"\0"), "signature_malformed"),
        (lambda it: replace(it, hash_name=b"sha1"), "signature_hash_refused"),
        (lambda it: replace(it, hash_name=b"md5"), "signature_hash_refused"),
        (lambda it: replace(it, hash_name=b"SHA512"), "signature_hash_refused"),
        (lambda it: replace(it, hash_name=b"sha256"), "signature_wrong"),
        (lambda it: replace(it, tail=b"\0"), "signature_malformed"),
        (lambda it: replace(it, signature=b""), "signature_malformed"),
        (lambda it: replace(it, signature=it.signature + b"\0"), "signature_malformed"),
        (lambda it: replace(it, signature=it.signature[:-1]), "signature_malformed"),
        (
            lambda it: replace(it, signature=string(b"none") + string(b"")),
            "signature_algorithm_refused",
        ),
    ],
)
def test_every_field_is_checked(
    key: SigningKey, change: Callable[[Parts], Parts], code: str
) -> None:
    parts = key.parts(MESSAGE)
    verify(parts.armored, MESSAGE, NAMESPACE)
    got = refusal(change(parts).armored)
    assert got == ("signature_key_refused" if change(parts).key == b"" else code)


def test_every_byte_is_covered() -> None:
    """No single flipped bit of an Ed25519 signature's bytes leaves it right."""
    for key in (keys.ed25519_key(), keys.sk_ed25519_key()):
        blob = unarmored(key.sign(MESSAGE))
        for at in range(len(blob)):
            flipped = blob[:at] + bytes([blob[at] ^ 1]) + blob[at + 1 :]
            refusal(armor(flipped))


@pytest.mark.parametrize("make", [keys.sk_ed25519_key, keys.sk_ecdsa_key])
@pytest.mark.parametrize(
    ("flags", "present", "verified", "strength"),
    [
        (0, False, False, Signature.KEY),
        (PRESENT, True, False, Signature.KEY_WITH_PRESENCE),
        (VERIFIED, False, True, Signature.KEY),
        (PRESENT | VERIFIED, True, True, Signature.KEY_WITH_PRESENCE),
        (0xFE, False, True, Signature.KEY),
    ],
)
def test_a_security_key_says_whether_somebody_touched_it(
    make: Callable[[], SigningKey], flags: int, present: bool, verified: bool, strength: Signature
) -> None:
    key = make().with_flags(flags, counter=4_000_000_000)
    facts = verify(key.sign(MESSAGE), MESSAGE, NAMESPACE)
    assert facts.security_key is not None
    assert facts.security_key.user_present is present
    assert facts.security_key.user_verified is verified
    assert facts.security_key.counter == 4_000_000_000
    assert facts.strength is strength


@pytest.mark.parametrize("make", [keys.sk_ed25519_key, keys.sk_ecdsa_key])
def test_a_touch_cannot_be_added_afterwards(make: Callable[[], SigningKey]) -> None:
    untouched = make().with_flags(0).parts(MESSAGE)
    raw = untouched.signature
    touched = raw[:-5] + bytes([PRESENT]) + raw[-4:]
    assert refusal(replace(untouched, signature=touched).armored) == "signature_wrong"
    counted = raw[:-1] + bytes([raw[-1] ^ 1])
    assert refusal(replace(untouched, signature=counted).armored) == "signature_wrong"


def test_an_ordinary_key_is_never_present() -> None:
    for name in ("ed25519", "p256", "p384", "p521", "rsa"):
        facts = verify(KINDS[name].sign(MESSAGE), MESSAGE, NAMESPACE)
        assert facts.strength is Signature.KEY
        flagged = KINDS[name].parts(MESSAGE)
        flagged = replace(flagged, signature=flagged.signature + b"\x01\0\0\0\7")
        assert refusal(flagged.armored) == "signature_malformed"


def test_numbers_of_an_ecdsa_signature_are_positive_and_whole() -> None:
    p256 = KINDS["p256"]
    name = string(b"ecdsa-sha2-nistp256")
    for numbers in (
        positive(1) + positive(1),
        string(b"") + positive(1),
        string(b"\xff") + positive(1),
        positive(1) + positive(1) + b"\0",
        positive(1 << 300) + positive(1),
        b"",
    ):
        forged = replace(p256.parts(MESSAGE), signature=name + string(numbers))
        assert refusal(forged.armored) == "signature_wrong"


def test_a_point_that_is_on_no_curve_verifies_nothing() -> None:
    p256 = KINDS["p256"]
    key = string(b"ecdsa-sha2-nistp256") + string(b"nistp256") + string(b"\4" + b"\1" * 64)
    assert refusal(replace(p256.parts(MESSAGE), key=key).armored) == "signature_wrong"


def test_leading_zeros_that_an_rsa_agent_left_out_are_put_back() -> None:
    rsa = KINDS["rsa"]
    for number in range(5000):
        message = b"%d" % number
        parts = rsa.parts(message)
        head, raw = parts.signature[:20], parts.signature[20:]
        if raw[0] == 0:
            short = replace(parts, signature=head[:-4] + string(raw[1:]))
            assert verify(short.armored, message, NAMESPACE).key == rsa.public
            longer = replace(parts, signature=head[:-4] + string(b"\0" + raw))
            assert refusal(longer.armored, message) == "signature_wrong"
            return
    pytest.fail("no signature began with a zero")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: text.strip()[:-1],
        lambda text: " " + text,
        lambda text: text + "\n",
        lambda text: text + text,
        lambda text: "words before\n" + text,
        lambda text: text.replace("SSH SIGNATURE", "SSH SIGNATURES"),
        lambda text: text.replace("\n", ""),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("U1NIU0lH", "U1NI U0lH"),
        lambda text: text.replace("U1NIU0lH", "U1NI=U0lH"),
        lambda text: text.replace("U1NIU0lH", "U1NIÜ0lH"),
        lambda text: text.replace("-----END", "\n-----END"),
    ],
)
def test_the_text_form_is_strict(change: Callable[[str], str]) -> None:
    text = keys.ed25519_key().sign(MESSAGE)
    assert verify(text.replace("\n", "\r\n"), MESSAGE, NAMESPACE)
    assert verify(text.removesuffix("\n"), MESSAGE, NAMESPACE)
    assert refusal(change(text)) == "signature_malformed"


def test_base64_has_one_spelling() -> None:
    namespace = NAMESPACE + "0"
    armored = keys.ed25519_key().sign(MESSAGE, namespace)
    verify(armored, MESSAGE, namespace)
    assert "==\n" in armored
    last = armored[armored.index("==") - 1]
    other = armored.replace(f"{last}==", f"{chr(ord(last) + 1)}==")
    assert unarmored(other) == unarmored(armored)
    assert refusal(other, namespace=namespace) == "signature_malformed"


def test_more_than_any_signature_needs_is_not_even_read() -> None:
    assert refusal("-" * (MAX_ARMORED + 1)) == "signature_too_large"
    parts = keys.ed25519_key().parts(MESSAGE)
    assert refusal(replace(parts, tail=b"\0" * 20_000).armored) == "signature_too_large"


def test_a_key_that_may_not_approve_signs_nothing() -> None:
    short = keys.rsa_blob(65537, (1 << 1023) | 1)
    forged = replace(KINDS["rsa"].parts(MESSAGE), key=short)
    assert refusal(forged.armored) == "signature_key_refused"


def unarmored(text: str) -> bytes:
    return base64.b64decode("".join(text.splitlines()[1:-1]))


def test_reading_pins_and_statements_loads_no_cryptographic_library() -> None:
    script = (
        "import sys, citator.trust.pins, citator.trust.signing, citator.trust.statement\n"
        "citator.trust.keys.parse_public_key(sys.argv[1])\n"
        "sys.exit('cryptography' in sys.modules)"
    )
    text = KINDS["sk-p256"].public.text
    assert subprocess.run([sys.executable, "-c", script, text], check=False).returncode == 0
