"""The one place that asks the cryptographic library whether a signature is right.

- A key or signature that the library will not take is a wrong signature, not an error.
- Importing this module loads the library: it is imported where a signature is verified.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from citator.trust.errors import KeyRefusedError
from citator.trust.keys import KeyType, PublicKey
from citator.trust.ssh_wire import Reader

if TYPE_CHECKING:
    from citator.trust.signatures import SshSignature

_CURVES: dict[KeyType, tuple[ec.EllipticCurve, hashes.HashAlgorithm]] = {
    KeyType.P256: (ec.SECP256R1(), hashes.SHA256()),
    KeyType.P384: (ec.SECP384R1(), hashes.SHA384()),
    KeyType.P521: (ec.SECP521R1(), hashes.SHA512()),
    KeyType.SK_P256: (ec.SECP256R1(), hashes.SHA256()),
}
_RSA_HASHES: dict[str, hashes.HashAlgorithm] = {
    "rsa-sha2-256": hashes.SHA256(),
    "rsa-sha2-512": hashes.SHA512(),
}


def is_valid(signature: SshSignature, signed: bytes) -> bool:
    """Whether ``signature.key`` made ``signature.raw`` over ``signed``."""
    if signature.security_key is not None:
        facts = signature.security_key
        application = hashlib.sha256(signature.key.application.encode("ascii")).digest()
        itself = bytes([facts.flags]) + facts.counter.to_bytes(4, "big")
        signed = application + itself + hashlib.sha256(signed).digest()
    try:
        _verify(signature, signed)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        return False
    return True


def require_usable(key: PublicKey) -> None:
    """Raise KeyRefusedError where no signature of ``key`` can ever verify."""
    try:
        _loaded(key)
    except (UnsupportedAlgorithm, ValueError):
        raise KeyRefusedError(
            "key_malformed",
            "the numbers of the key are not those of a key",
            "make another key with `ssh-keygen -t ed25519`",
        ) from None


def _loaded(
    key: PublicKey,
) -> ed25519.Ed25519PublicKey | ec.EllipticCurvePublicKey | rsa.RSAPublicKey:
    if key.type is KeyType.RSA:
        return rsa.RSAPublicNumbers(key.exponent, key.modulus).public_key()
    if key.type in _CURVES:
        return ec.EllipticCurvePublicKey.from_encoded_point(_CURVES[key.type][0], key.point)
    return ed25519.Ed25519PublicKey.from_public_bytes(key.point)


def _verify(signature: SshSignature, signed: bytes) -> None:
    """Raise InvalidSignature, UnsupportedAlgorithm or ValueError unless the signature is right."""
    key = _loaded(signature.key)
    if isinstance(key, ed25519.Ed25519PublicKey):
        key.verify(signature.raw, signed)
    elif isinstance(key, rsa.RSAPublicKey):
        # Some agents leave out leading zeros; OpenSSH puts them back, and so does this.
        raw = signature.raw.rjust((key.key_size + 7) // 8, b"\0")
        key.verify(raw, signed, padding.PKCS1v15(), _RSA_HASHES[signature.algorithm])
    else:
        hashed = _CURVES[signature.key.type][1]
        key.verify(_der(signature.raw), signed, ec.ECDSA(hashed))


def _der(raw: bytes) -> bytes:
    """ECDSA's two numbers, from SSH's form in that of the library. Raises WireError."""
    reader = Reader(raw)
    r, s = reader.positive(), reader.positive()
    reader.end()
    return encode_dss_signature(r, s)
