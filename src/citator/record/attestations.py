"""An attestation: a verifier's key says what it verified, and on which commit.

    citator: 1
    attestation: |
      {"commit":"…","policy":"…","record":"…","state":"…","time":"…","version":1}
    signature: |
      -----BEGIN SSH SIGNATURE-----
      …

- It approves nothing: its namespace is another than that of approvals, and so are its keys.
- It speaks of all that the commit holds, and of nothing that came later.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Final

from citator.model.errors import CitatorError, IntegrityError
from citator.trust import canonical
from citator.trust.canonical import CanonicalError
from citator.trust.keys import PublicKey
from citator.trust.times import is_time

NAMESPACE: Final = "citator-attestation@v1"
FOLDER: Final = "attestations"
MAX_BYTES: Final = 65_536
VERSION: Final = 1
_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_KEYS: Final = frozenset({"version", "record", "commit", "state", "policy", "time"})


@dataclass(frozen=True, slots=True)
class Attestation:
    """What a verifier found at ``commit``: the digests of the state and of the policy in force.

    ``time`` is its clock's word.
    """

    record: str
    commit: str
    state: str
    policy: str
    time: str

    def to_bytes(self) -> bytes:
        """The bytes that are signed."""
        return canonical.encode(
            {
                "version": VERSION,
                "record": self.record,
                "commit": self.commit,
                "state": self.state,
                "policy": self.policy,
                "time": self.time,
            }
        )

    def file_name(self, fingerprint: str) -> str:
        """``<commit>.<key>.<time>.yaml``; ``fingerprint`` as ``ssh-keygen -l`` shows it."""
        key = hashlib.sha256(fingerprint.encode()).hexdigest()[:12]
        moment = self.time.replace("-", "").replace(":", "")
        return f"{self.commit[:12]}.{key}.{moment}.yaml"

    def render(self, signature: str) -> bytes:
        """The file, with the armored signature."""
        lines = [f"citator: {VERSION}", "attestation: |", f"  {self.to_bytes().decode()}"]
        lines += ["signature: |", *(f"  {line}" for line in signature.splitlines())]
        return ("\n".join(lines) + "\n").encode()


def checked(data: bytes) -> tuple[Attestation, PublicKey]:
    """The attestation that a file holds and the key that signed it. Raises IntegrityError."""
    # Here, because PyYAML and the cryptographic library are slow to load.
    from citator.formats.yaml_safe import load
    from citator.trust.signatures import verify

    if len(data) > MAX_BYTES:
        raise _refused()
    try:
        loaded = load(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise _refused() from None
    values = loaded.value
    if loaded.problems or not isinstance(values, dict):
        raise _refused()
    if set(values) != {"citator", "attestation", "signature"} or values["citator"] != VERSION:
        raise _refused()
    said, signature = values["attestation"], values["signature"]
    if not isinstance(said, str) or not isinstance(signature, str):
        raise _refused()
    message = said.strip().encode()
    facts = verify(signature, message, NAMESPACE)
    return _read(message), facts.key


def _read(message: bytes) -> Attestation:
    try:
        parts: dict[str, Any] = canonical.require_keys(canonical.decode(message, MAX_BYTES), _KEYS)
    except CanonicalError:
        raise _refused() from None
    version, commit, time = parts.pop("version"), parts["commit"], parts["time"]
    digests = (parts["record"], parts["state"], parts["policy"])
    if type(version) is not int or version != VERSION or not all(map(canonical.is_digest, digests)):
        raise _refused()
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        raise _refused()
    if not isinstance(time, str) or not is_time(time):
        raise _refused()
    return Attestation(**parts)


def _refused() -> CitatorError:
    return IntegrityError(
        "attestation_malformed", "the file is not an attestation", "let the verifier write another"
    )
