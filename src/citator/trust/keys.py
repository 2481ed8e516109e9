"""OpenSSH public keys that may approve, and what they are called.

- Accepted: Ed25519, ECDSA on the three NIST curves, RSA from 2048 bits, and the two kinds of
  security key. Refused: DSA, short RSA, certificates, authority marks and options before a key,
  private keys, anything after the key's own bytes but a comment.
- A key is its bytes: the comment is dropped, and the name is the fingerprint.
- A security key counts only for SSH (``ssh:``): a browser's signature for a site is no approval.
- Nothing here imports a cryptographic library: reading pins is part of every start.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from enum import StrEnum

from citator.trust.errors import KeyRefusedError
from citator.trust.ssh_wire import Reader, WireError

MAX_TEXT = 16_384
MIN_RSA_BITS = 2048
MAX_RSA_BITS = 16_384

_TODO = "give the one line of a public key file, such as id_ed25519.pub"
_APPLICATION = "ssh:"
_CERTIFICATE = "-cert-v01@openssh.com"
_UNCOMPRESSED = 4


class KeyType(StrEnum):
    """The accepted kinds, as OpenSSH names them."""

    ED25519 = "ssh-ed25519"
    P256 = "ecdsa-sha2-nistp256"
    P384 = "ecdsa-sha2-nistp384"
    P521 = "ecdsa-sha2-nistp521"
    RSA = "ssh-rsa"
    SK_ED25519 = "sk-ssh-ed25519@openssh.com"
    SK_P256 = "sk-ecdsa-sha2-nistp256@openssh.com"


# The curve's name on the wire, and the bytes of a coordinate.
_CURVES = {
    KeyType.P256: ("nistp256", 32),
    KeyType.P384: ("nistp384", 48),
    KeyType.P521: ("nistp521", 66),
    KeyType.SK_P256: ("nistp256", 32),
}


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key that was read whole.

    ``point`` is the Ed25519 key (32 bytes) or the uncompressed curve point, empty for RSA;
    ``modulus`` and ``exponent`` are RSA's, 0 otherwise; ``application`` a security key's.
    """

    type: KeyType
    blob: bytes
    point: bytes = b""
    modulus: int = 0
    exponent: int = 0
    application: str = ""

    @property
    def fingerprint(self) -> str:
        """``SHA256:`` and 43 characters, as ssh-keygen prints it."""
        digest = hashlib.sha256(self.blob).digest()
        return "SHA256:" + base64.b64encode(digest).decode("ascii").rstrip("=")

    @property
    def text(self) -> str:
        """The canonical line: kind and bytes, no comment, no line end."""
        return f"{self.type} {base64.b64encode(self.blob).decode('ascii')}"

    @property
    def is_security_key(self) -> bool:
        """Whether the private half lives in a security key."""
        return self.type in (KeyType.SK_ED25519, KeyType.SK_P256)


def parse_public_key(text: str) -> PublicKey:
    """The key on the one line ``text``. Raises KeyRefusedError."""
    if len(text) > MAX_TEXT:
        raise _refused("key_malformed", "that is too long to be a public key")
    line = text.strip(" \t\r\n")
    if line.startswith("-----BEGIN"):
        raise _refused(
            "key_is_private", "that is not a public key but a private one, or a PEM file"
        )
    if "\n" in line or "\r" in line:
        raise _refused("key_malformed", "that is more than one line")
    words = line.split(None, 2)
    if len(words) < 2:
        raise _refused("key_malformed", "that is not a public key")
    _require_accepted(words[0])
    try:
        blob = base64.b64decode(words[1].encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise _refused("key_malformed", "the key's bytes are not base64") from None
    key = key_from_blob(blob)
    if key.type != words[0] or key.text != f"{words[0]} {words[1]}":
        raise _refused("key_malformed", "the key is not the one its first word says")
    return key


def key_from_blob(blob: bytes) -> PublicKey:
    """The key that ``blob`` is, to its last byte. Raises KeyRefusedError."""
    try:
        reader = Reader(blob)
        kind = _require_accepted(reader.text())
        key = _read(kind, blob, reader)
        reader.end()
    except WireError:
        raise _refused(
            "key_malformed", "the key's bytes are not a key of the stated kind"
        ) from None
    return key


def _read(kind: KeyType, blob: bytes, reader: Reader) -> PublicKey:
    if kind is KeyType.RSA:
        return _rsa(blob, reader)
    point = _curve_point(kind, reader) if kind in _CURVES else _exactly(reader.string(), 32)
    if kind not in (KeyType.SK_ED25519, KeyType.SK_P256):
        return PublicKey(kind, blob, point)
    application = reader.text()
    if not application.startswith(_APPLICATION):
        raise _refused("key_not_for_ssh", "that security key was not made for SSH")
    return PublicKey(kind, blob, point, application=application)


def _curve_point(kind: KeyType, reader: Reader) -> bytes:
    name, size = _CURVES[kind]
    if reader.text() != name:
        raise WireError
    point = _exactly(reader.string(), 2 * size + 1)
    if point[0] != _UNCOMPRESSED:
        raise WireError
    return point


def _exactly(data: bytes, size: int) -> bytes:
    if len(data) != size:
        raise WireError
    return data


def _rsa(blob: bytes, reader: Reader) -> PublicKey:
    exponent, modulus = reader.positive(), reader.positive()
    bits = modulus.bit_length()
    if bits < MIN_RSA_BITS:
        raise _refused("key_too_short", f"RSA keys below {MIN_RSA_BITS} bits are not accepted")
    if bits > MAX_RSA_BITS:
        raise _refused("key_too_long", f"RSA keys above {MAX_RSA_BITS} bits are not accepted")
    if exponent < 3 or exponent.bit_length() > 64 or not exponent & modulus & 1:
        raise _refused("key_malformed", "the numbers are not those of an RSA key")
    return PublicKey(KeyType.RSA, blob, modulus=modulus, exponent=exponent)


def _require_accepted(name: str) -> KeyType:
    if name.endswith(_CERTIFICATE):
        raise _refused("key_is_certificate", "certificates are not accepted, only plain keys")
    if name.lower().startswith(("cert-authority", "@cert-authority")):
        raise _refused("key_is_authority", "a certificate authority cannot approve, only a key can")
    if name == "ssh-dss":
        raise _refused("key_too_weak", "DSA keys are not accepted")
    try:
        return KeyType(name)
    except ValueError:
        raise _refused("key_kind_unknown", "that is no accepted kind of key") from None


def _refused(code: str, what: str) -> KeyRefusedError:
    return KeyRefusedError(code, what, _TODO)
