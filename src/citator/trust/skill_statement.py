"""What a person signs of a skill: the digest of all of it, where it applies, what it may ask for.

- Canonical JSON, a closed schema, read back byte for byte; a namespace of its own, so that no
  approval of a decision is one of a skill, nor the other way round.
- Where it applies is what was signed here, never what its text says.
- The time is the signer's claim. There is no expiry: nothing stops by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from citator.model.domain import Domain, Intent
from citator.trust import canonical
from citator.trust.canonical import CanonicalError
from citator.trust.errors import SignatureRefusedError, StatementRefusedError
from citator.trust.keys import PublicKey
from citator.trust.signatures import verify
from citator.trust.skill_folder import NAME, PERMISSIONS, Skill, are_words
from citator.trust.times import is_time

NAMESPACE: Final = "citator-skill@v1"
VERSION: Final = 1
MAX_BYTES: Final = 32_768

_KEYS: Final = frozenset(
    {"version", "skill", "digest", "domains", "intents", "permissions", "time"}
)
_WORDS: Final = ("domains", "intents", "permissions")


@dataclass(frozen=True, slots=True)
class SkillStatement:
    """What is signed. Making one that may not exist raises StatementRefusedError.

    ``digest`` is that of :class:`Skill`; ``domains`` and ``intents`` name at least one.
    """

    skill: str
    digest: str
    domains: tuple[str, ...]
    intents: tuple[str, ...]
    permissions: tuple[str, ...]
    time: str

    def __post_init__(self) -> None:
        words = (self.domains, self.intents, self.permissions)
        if not (
            NAME.fullmatch(self.skill)
            and len(self.skill) <= 64
            and canonical.is_digest(self.digest)
            and self.domains
            and self.intents
            and all(map(are_words, words))
            and set(self.permissions) <= set(PERMISSIONS)
            and is_time(self.time)
        ):
            raise _refused()

    def to_dict(self) -> dict[str, object]:
        """Its parts as canonical JSON has them."""
        return {
            "version": VERSION,
            "skill": self.skill,
            "digest": self.digest,
            "domains": list(self.domains),
            "intents": list(self.intents),
            "permissions": list(self.permissions),
            "time": self.time,
        }

    def to_bytes(self) -> bytes:
        """The bytes that are signed."""
        return canonical.encode(self.to_dict())


@dataclass(frozen=True, slots=True)
class SkillApproval:
    """A statement and the SSH signature over it (text form). Not yet checked."""

    statement: SkillStatement
    signature: str

    def to_dict(self) -> dict[str, object]:
        """Its parts as canonical JSON has them."""
        return {"statement": self.statement.to_dict(), "signature": self.signature}

    def to_bytes(self) -> bytes:
        """The file that is kept or handed over."""
        return canonical.encode(self.to_dict())


def statement_of(skill: Skill, time: str) -> SkillStatement:
    """What is signed of ``skill``, as its front matter declares it: all of today's intents where it
    names none, each by its name, so that an intent that comes later is not signed with them.
    """
    domains = skill.domains or (Domain.PROGRAMMING.value,)
    intents = skill.intents or tuple(sorted(one.value for one in Intent))
    return SkillStatement(skill.name, skill.digest, domains, intents, skill.permissions, time)


def approval_from(value: object) -> SkillApproval:
    """The approval that parsed canonical JSON holds. Raises StatementRefusedError."""
    try:
        parts = canonical.require_keys(value, frozenset({"statement", "signature"}))
        said = canonical.require_keys(parts["statement"], _KEYS)
        if said.pop("version") != VERSION or not isinstance(parts["signature"], str):
            raise CanonicalError
        return SkillApproval(SkillStatement(**_typed(said)), parts["signature"])
    except CanonicalError:
        raise _refused() from None


def parse_approval(data: bytes) -> SkillApproval:
    """The approval that ``data`` spells, to the byte. Raises StatementRefusedError."""
    try:
        return approval_from(canonical.decode(data.strip(), MAX_BYTES))
    except CanonicalError:
        raise _refused() from None


def _typed(said: dict[str, Any]) -> dict[str, Any]:
    for key, value in said.items():
        if key in _WORDS:
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise CanonicalError
            said[key] = tuple(value)
        elif not isinstance(value, str):
            raise CanonicalError
    return said


def signer_of(approval: SkillApproval, skill: Skill, keys: Iterable[tuple[str, PublicKey]]) -> str:
    """The label of the key of ``keys`` that signed exactly this skill.

    Raises StatementRefusedError, SignatureRefusedError.
    """
    said = approval.statement
    if said.digest != skill.digest or said.skill != skill.name:
        raise StatementRefusedError(
            "skill_changed",
            "what was approved is not this skill as it stands",
            "read it again, and approve it anew: citator skills approve",
        )
    facts = verify(approval.signature, said.to_bytes(), NAMESPACE)
    for label, key in keys:
        if key.blob == facts.key.blob:
            return label
    raise SignatureRefusedError(
        "skill_key_unknown",
        "the key that signed the skill is not trusted for skills on this machine",
        "if you know whose it is: citator skills trust LABEL=FILE",
    )


def _refused() -> StatementRefusedError:
    return StatementRefusedError(
        "skill_statement_malformed",
        "that is not the canonical form of a skill's approval",
        "make another: citator skills approve",
    )
