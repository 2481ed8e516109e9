"""An approval file: what a person said about a migration, and the signature under it.

    citator: 1
    statement: |
      {"digest":"…","migration":"…","policy":"…", …}
    signature: |
      -----BEGIN SSH SIGNATURE-----
      …

- The file's name is for people and for merges without conflict; only its content counts.
- A typed approval has ``typed_by`` instead of a signature: a weaker fact, and shown as one.
- Reading a file verifies nothing: :func:`checked` does, and says what the signature establishes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from citator.model.errors import CitatorError, IntegrityError
from citator.trust.assurance import Signature
from citator.trust.keys import PublicKey
from citator.trust.pins import is_label
from citator.trust.statement import NAMESPACE, Statement, parse_statement

MAX_BYTES: Final = 131_072
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Approval:
    """A statement with an armored signature, or with the label of who typed it."""

    statement: Statement
    signature: str | None = None
    typed_by: str | None = None

    @property
    def id(self) -> str:
        """The digest of the statement: the same for everyone who signed the same words."""
        return hashlib.sha256(self.statement.to_bytes()).hexdigest()

    def file_name(self, fingerprint: str) -> str:
        """``<ULID>.<verdict>.<key>.<time>.yaml``; ``fingerprint`` as ``ssh-keygen -l`` shows it."""
        key = hashlib.sha256(fingerprint.encode()).hexdigest()[:12]
        moment = self.statement.time.replace("-", "").replace(":", "")
        statement = self.statement
        return f"{statement.migration}.{statement.verdict.value}.{key}.{moment}.yaml"

    def render(self) -> bytes:
        """The file. Parsing it gives this approval again."""
        lines = [f"citator: {VERSION}", "statement: |", f"  {self.statement.to_bytes().decode()}"]
        if self.signature is not None:
            lines += ["signature: |", *(f"  {line}" for line in self.signature.splitlines())]
        else:
            lines.append(f'typed_by: "{self.typed_by}"')
        return ("\n".join(lines) + "\n").encode()


@dataclass(frozen=True, slots=True)
class Checked:
    """An approval whose signature is right (or that was typed): by which key, how strong."""

    approval: Approval
    strength: Signature
    key: PublicKey | None

    @property
    def statement(self) -> Statement:
        """What was said."""
        return self.approval.statement


def parse(data: bytes) -> Approval:
    """The approval that a file holds. Raises IntegrityError."""
    # Here, because PyYAML is slow to import.
    from citator.formats.yaml_safe import load

    if len(data) > MAX_BYTES:
        raise _refused("the file is larger than an approval may be")
    try:
        loaded = load(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise _refused("the file is not UTF-8") from None
    values = loaded.value
    if loaded.problems or not isinstance(values, dict) or values.get("citator") != VERSION:
        raise _refused("the file is not an approval of this format")
    statement, signature, typed = (values.get(k) for k in ("statement", "signature", "typed_by"))
    if set(values) - {"citator", "statement", "signature", "typed_by"} or not isinstance(
        statement, str
    ):
        raise _refused("the file is not an approval of this format")
    if isinstance(signature, str) == isinstance(typed, str):
        raise _refused("an approval is either signed or typed")
    if isinstance(typed, str) and not is_label(typed):
        raise _refused("the label of who typed it is not a plain name")
    return Approval(
        parse_statement(statement.strip().encode()),
        signature if isinstance(signature, str) else None,
        typed if isinstance(typed, str) else None,
    )


def checked(approval: Approval) -> Checked:
    """The approval, its signature verified. Raises IntegrityError where it is not right."""
    if approval.signature is None:
        return Checked(approval, Signature.TERMINAL, None)
    from citator.trust.signatures import verify

    facts = verify(approval.signature, approval.statement.to_bytes(), NAMESPACE)
    return Checked(approval, facts.strength, facts.key)


def _refused(what: str) -> CitatorError:
    return IntegrityError(
        "approval_malformed", what, "ask for a new approval of the migration as it stands"
    )
