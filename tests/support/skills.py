"""Skills for tests: a folder, and a shelf on which one was signed by a key of the test."""

from __future__ import annotations

from pathlib import Path

from citator.service import skills
from citator.service.approve import Sign
from citator.service.workspace import Places
from citator.trust.agent import Held
from citator.trust.assurance import Signature
from citator.trust.keys import PublicKey
from citator.trust.skill_statement import NAMESPACE
from tests.support.keys import SigningKey, ed25519_key

TIME = "2026-11-30T12:00:00Z"
ADA = ed25519_key(1)


def folder(
    where: Path,
    name: str = "ask-why",
    body: str = "Ask.",
    *,
    said: str = "read",
    about: str = "Why",
) -> Path:
    """A skill's folder below ``where``: ``said`` are its permissions."""
    place = where / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "SKILL.md").write_text(
        f"---\nname: {name}\ndescription: {about}\nmetadata:\n"
        f"  citator-domains: programming project_memory\n"
        f"  citator-permissions: {said}\n---\n{body}\n"
    )
    return place


def signer(key: SigningKey) -> Sign:
    """What signs with ``key`` in this process."""

    def sign(held: Held, message: bytes) -> tuple[str, PublicKey, Signature]:
        return key.sign(message, NAMESPACE), key.public, Signature.KEY

    return sign


def approved(places: Places, place: Path, key: SigningKey = ADA) -> str:
    """Ingest and approve the skill in ``place``; its digest."""
    skills.trust(places, "ada", key.public, TIME)
    seen, _ = skills.ingest(places, place, TIME)
    skills.approve(places, seen, [Held(key.public, "test")], signer(key), TIME)
    return seen.skill.digest
