"""SSH signatures (OpenSSH's PROTOCOL.sshsig), read strictly and verified in this process.

- Only for the namespace asked for, only hashed with SHA-256 or SHA-512, only with the accepted
  kinds of key; RSA never with SHA-1. The reserved field is empty, and no byte is left over.
- A security key's flags and counter are under its signature; they are facts, judged elsewhere.
- Whatever the input, the outcome is the facts or a SignatureRefusedError.
- The facts say which key signed; whether that key may approve, pins and policy say.
- An ECDSA signature has a twin that verifies too: signatures are told apart by what was signed
  and by whom, never by their bytes.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from citator.trust.assurance import Signature
from citator.trust.errors import KeyRefusedError, SignatureRefusedError
from citator.trust.keys import KeyType, PublicKey, key_from_blob
from citator.trust.ssh_wire import Reader, WireError, string

MAX_ARMORED = 16_384
MAGIC = b"SSHSIG"
VERSION = 1
LINE = 70

_BEGIN = "-----BEGIN SSH SIGNATURE-----"
_END = "-----END SSH SIGNATURE-----"
_ARMOR = re.compile(rf"{_BEGIN}\n((?:[A-Za-z0-9+/=]{{1,76}}\n)+){_END}\n?")
_HASHES = {"sha256": hashlib.sha256, "sha512": hashlib.sha512}
_RSA_ALGORITHMS = frozenset({"rsa-sha2-256", "rsa-sha2-512"})
_PRESENT = 0x01
_VERIFIED = 0x04


@dataclass(frozen=True, slots=True)
class SecurityKeyFacts:
    """What a security key signed about itself: one byte of flags, and its signature counter."""

    flags: int
    counter: int

    @property
    def user_present(self) -> bool:
        """Whether it was touched."""
        return bool(self.flags & _PRESENT)

    @property
    def user_verified(self) -> bool:
        """Whether it checked a PIN or a finger."""
        return bool(self.flags & _VERIFIED)


@dataclass(frozen=True, slots=True)
class SshSignature:
    """A signature that was read whole and is not yet verified.

    ``raw`` is what the algorithm made: 64 bytes (Ed25519), two mpints (ECDSA), a number (RSA).
    """

    key: PublicKey
    namespace: str
    hash_name: str
    algorithm: str
    raw: bytes
    security_key: SecurityKeyFacts | None


@dataclass(frozen=True, slots=True)
class SignatureFacts:
    """What a verified signature establishes."""

    key: PublicKey
    algorithm: str
    hash_name: str
    security_key: SecurityKeyFacts | None

    @property
    def fingerprint(self) -> str:
        """The name of the key that signed."""
        return self.key.fingerprint

    @property
    def strength(self) -> Signature:
        """By a key, or by a key that says a person was present."""
        if self.security_key is not None and self.security_key.user_present:
            return Signature.KEY_WITH_PRESENCE
        return Signature.KEY


def verify(armored: str, message: bytes, namespace: str) -> SignatureFacts:
    """The facts of the signature ``armored`` over ``message`` for ``namespace``.

    Raises SignatureRefusedError.
    """
    signature = parse(armored)
    if not namespace or signature.namespace != namespace:
        raise _refused("signature_for_another_purpose", "the signature was made for something else")
    signed = signed_bytes(message, namespace, signature.hash_name)
    from citator.trust.verification import is_valid  # loads the cryptographic library

    if not is_valid(signature, signed):
        raise _refused("signature_wrong", "the signature is not over these bytes by that key")
    return SignatureFacts(
        signature.key, signature.algorithm, signature.hash_name, signature.security_key
    )


def signed_bytes(message: bytes, namespace: str, hash_name: str) -> bytes:
    """What an SSH signature of ``message`` is really over."""
    digest = _HASHES[hash_name](message).digest()
    fields = (namespace.encode("ascii"), b"", hash_name.encode("ascii"), digest)
    return MAGIC + b"".join(string(field) for field in fields)


def armor(blob: bytes) -> str:
    """The text form of a signature's bytes, as ssh-keygen writes it."""
    text = base64.b64encode(blob).decode("ascii")
    lines = [text[at : at + LINE] for at in range(0, len(text), LINE)]
    return "\n".join([_BEGIN, *lines, _END, ""])


def parse(armored: str) -> SshSignature:
    """The signature that ``armored`` spells. Raises SignatureRefusedError."""
    try:
        return _read(_unarmored(armored))
    except WireError:
        raise _refused("signature_malformed", "that is not a whole SSH signature") from None
    except KeyRefusedError as error:
        raise _refused(
            "signature_key_refused", f"the key of the signature is not accepted: {error.what}"
        ) from None


def _unarmored(armored: str) -> bytes:
    if len(armored) > MAX_ARMORED:
        raise _refused("signature_too_large", "that is too long to be a signature")
    found = _ARMOR.fullmatch(armored.replace("\r\n", "\n"))
    if found is None:
        raise WireError
    text = found[1].replace("\n", "")
    try:
        blob = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise WireError from None
    if base64.b64encode(blob).decode("ascii") != text:
        raise WireError
    return blob


def _read(blob: bytes) -> SshSignature:
    reader = Reader(blob)
    if reader.raw(len(MAGIC)) != MAGIC:
        raise WireError
    if reader.uint32() != VERSION:
        raise _refused("signature_version", "the signature is of a version that is not known")
    key_blob, namespace = reader.string(), reader.text()
    if reader.string():
        raise _refused("signature_malformed", "the signature holds what is not defined yet")
    hash_name = reader.text()
    if hash_name not in _HASHES:
        raise _refused("signature_hash_refused", "signatures are hashed with sha256 or sha512")
    inner = Reader(reader.string())
    reader.end()
    key = key_from_blob(key_blob)
    algorithm = inner.text()
    _require_algorithm(key, algorithm)
    raw = inner.string()
    security_key = SecurityKeyFacts(inner.byte(), inner.uint32()) if key.is_security_key else None
    inner.end()
    return SshSignature(key, namespace, hash_name, algorithm, raw, security_key)


def _require_algorithm(key: PublicKey, algorithm: str) -> None:
    accepted = _RSA_ALGORITHMS if key.type is KeyType.RSA else frozenset({key.type.value})
    if algorithm not in accepted:
        raise _refused("signature_algorithm_refused", "the signature's algorithm is not accepted")


def _refused(code: str, what: str) -> SignatureRefusedError:
    return SignatureRefusedError(
        code, what, "ask for a new signature, made with ssh-keygen 8.2 or newer"
    )
