"""Keys that sign in this process: for tests and the demonstration, never for the product.

- Ed25519 and ECDSA keys follow from a number, so that a fingerprint is the same in every run.
- A security key here is synthetic: its flags and counter are what the test says. No hardware
  takes part, and nothing is shown about hardware.
- Every field of a signature can be replaced, so that each can be wrong alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from citator.trust.keys import PublicKey, key_from_blob
from citator.trust.signatures import MAGIC, VERSION, armor
from citator.trust.ssh_wire import positive, string
from citator.trust.statement import NAMESPACE

PRESENT = 0x01
VERIFIED = 0x04

Private = ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


@dataclass(frozen=True)
class Parts:
    """The fields of an SSH signature, each to be replaced at will."""

    key: bytes
    namespace: bytes
    hash_name: bytes
    signature: bytes
    magic: bytes = MAGIC
    version: int = VERSION
    reserved: bytes = b""
    tail: bytes = b""

    @property
    def armored(self) -> str:
        """The text form, whatever the fields hold."""
        fields = (self.key, self.namespace, self.reserved, self.hash_name, self.signature)
        head = self.magic + self.version.to_bytes(4, "big")
        return armor(head + b"".join(map(string, fields)) + self.tail)


@dataclass(frozen=True)
class SigningKey:
    """A private key, its public half, and what a security key says about its use."""

    private: Private
    public: PublicKey
    flags: int = PRESENT
    counter: int = 7

    @property
    def text(self) -> str:
        """The public key's line, with a comment."""
        return f"{self.public.text} somebody@example.org\n"

    def private_text(self, passphrase: str = "") -> bytes:
        """The private key's file as ssh-keygen writes it (no security keys)."""
        encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
        if passphrase:
            encryption = serialization.BestAvailableEncryption(passphrase.encode())
        return self.private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, encryption
        )

    def with_flags(self, flags: int, counter: int = 7) -> SigningKey:
        """The same security key, saying something else about its use."""
        return replace(self, flags=flags, counter=counter)

    def sign(self, message: bytes, namespace: str = NAMESPACE) -> str:
        """The armored signature over ``message``."""
        return self.parts(message, namespace).armored

    def parts(
        self,
        message: bytes,
        namespace: str = NAMESPACE,
        hash_name: str = "sha512",
        algorithm: str = "",
    ) -> Parts:
        """A right signature in its fields; ``algorithm`` is for RSA (rsa-sha2-512 if empty)."""
        digest = hashlib.new(hash_name, message).digest()
        names = (namespace.encode(), b"", hash_name.encode(), digest)
        signed = MAGIC + b"".join(map(string, names))
        return Parts(self.public.blob, names[0], names[2], self.raw_signature(signed, algorithm))

    def raw_signature(self, signed: bytes, algorithm: str = "") -> bytes:
        """The innermost field: the algorithm's name, what it made, and a security key's facts."""
        kind = self.public.type.value
        tail = b""
        if self.public.is_security_key:
            application = hashlib.sha256(self.public.application.encode()).digest()
            tail = bytes([self.flags]) + self.counter.to_bytes(4, "big")
            signed = application + tail + hashlib.sha256(signed).digest()
        if isinstance(self.private, ed25519.Ed25519PrivateKey):
            return string(kind.encode()) + string(self.private.sign(signed)) + tail
        if isinstance(self.private, rsa.RSAPrivateKey):
            algorithm = algorithm or "rsa-sha2-512"
            raw = self.private.sign(signed, padding.PKCS1v15(), _RSA_HASHES[algorithm]())
            return string(algorithm.encode()) + string(raw)
        r, s = decode_dss_signature(self.private.sign(signed, ec.ECDSA(_hash_of(self.private))))
        return string(kind.encode()) + string(positive(r) + positive(s)) + tail


_RSA_HASHES: dict[str, Callable[[], hashes.HashAlgorithm]] = {
    "rsa-sha2-256": hashes.SHA256,
    "rsa-sha2-512": hashes.SHA512,
    "ssh-rsa": hashes.SHA1,
}


def ed25519_key(number: int = 1) -> SigningKey:
    """An Ed25519 key."""
    private = ed25519.Ed25519PrivateKey.from_private_bytes(number.to_bytes(32, "big"))
    return SigningKey(private, key_from_blob(_blob(b"ssh-ed25519", _point(private))))


def fresh_ed25519() -> SigningKey:
    """An Ed25519 key that nobody else has, and that is nowhere but here."""
    private = ed25519.Ed25519PrivateKey.generate()
    return SigningKey(private, key_from_blob(_blob(b"ssh-ed25519", _point(private))))


def ecdsa_key(bits: int = 256, number: int = 1) -> SigningKey:
    """An ECDSA key on the NIST curve of ``bits``."""
    curve = {256: ec.SECP256R1(), 384: ec.SECP384R1(), 521: ec.SECP521R1()}[bits]
    private = ec.derive_private_key(_scalar(number), curve)
    name = f"nistp{bits}".encode()
    return SigningKey(private, key_from_blob(_blob(b"ecdsa-sha2-" + name, name, _point(private))))


@cache
def rsa_key(bits: int = 2048) -> SigningKey:
    """An RSA key, another in every run."""
    private = rsa.generate_private_key(65537, bits)
    numbers = private.public_key().public_numbers()
    return SigningKey(private, key_from_blob(rsa_blob(numbers.e, numbers.n)))


def sk_ed25519_key(number: int = 1, flags: int = PRESENT) -> SigningKey:
    """A synthetic security key with an Ed25519 key."""
    private = ed25519.Ed25519PrivateKey.from_private_bytes(number.to_bytes(32, "big"))
    blob = _blob(b"sk-ssh-ed25519@openssh.com", _point(private), b"ssh:")
    return SigningKey(private, key_from_blob(blob), flags)


def sk_ecdsa_key(number: int = 1, flags: int = PRESENT) -> SigningKey:
    """A synthetic security key with an ECDSA key."""
    private = ec.derive_private_key(_scalar(number), ec.SECP256R1())
    kind = b"sk-ecdsa-sha2-nistp256@openssh.com"
    return SigningKey(
        private, key_from_blob(_blob(kind, b"nistp256", _point(private), b"ssh:")), flags
    )


def rsa_blob(exponent: int, modulus: int) -> bytes:
    """An RSA public key's bytes, of any numbers."""
    return string(b"ssh-rsa") + positive(exponent) + positive(modulus)


def every_kind() -> dict[str, SigningKey]:
    """One key of every accepted kind, by its name in tests."""
    return {
        "ed25519": ed25519_key(),
        "p256": ecdsa_key(256),
        "p384": ecdsa_key(384),
        "p521": ecdsa_key(521),
        "rsa": rsa_key(),
        "sk-ed25519": sk_ed25519_key(),
        "sk-p256": sk_ecdsa_key(),
    }


def _blob(*fields: bytes) -> bytes:
    return b"".join(map(string, fields))


def _point(private: ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey) -> bytes:
    if isinstance(private, ed25519.Ed25519PrivateKey):
        return private.public_key().public_bytes_raw()
    return private.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


def _scalar(number: int) -> int:
    """A number of full size for a curve, the same for the same ``number``."""
    return int.from_bytes(hashlib.sha256(number.to_bytes(8, "big")).digest(), "big") >> 1


def _hash_of(private: ec.EllipticCurvePrivateKey) -> hashes.HashAlgorithm:
    return {256: hashes.SHA256(), 384: hashes.SHA384(), 521: hashes.SHA512()}[private.key_size]
