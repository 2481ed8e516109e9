"""What a reader of a skill should look at before approving it. Never a verdict: a skill without
advice is not safe for that, and none of it stops an approval.

An advice is a closed word and the plain path of the file it is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from citator.formats.steering import Sign, signs
from citator.trust.skill_folder import ENTRY, Skill, SkillFile

_KNOWN: Final = frozenset(
    {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
)
_ADDRESS: Final = re.compile(r"\b(?:https?|ftp|ssh|wss?)://|\b(?:curl|wget|nc|telnet|scp)\s")
_SECRET: Final = re.compile(
    r"(?i)\b(?:api[_-]?keys?|secrets?|passwords?|passphrases?|credentials?|private keys?|"
    r"access tokens?)\b|\.ssh/|\.aws/|\.env\b|\$\{?[A-Z_]{0,30}(?:TOKEN|SECRET|KEY|PASSWORD)\b"
)
_LINE: Final = 4_000


class Advice(StrEnum):
    """What was seen."""

    ASKS_FOR_TOOLS = "asks_for_tools"
    NETWORK = "names_the_network"
    NETWORK_UNDECLARED = "network_not_declared"
    SECRETS = "names_secrets"
    SECRETS_UNDECLARED = "secrets_not_declared"
    HIDDEN = "hidden_characters"
    STEERS = "words_to_a_machine"
    EXECUTABLE = "executable_file"
    NOT_TEXT = "not_text"
    UNKNOWN_FIELD = "unknown_field"


@dataclass(frozen=True, slots=True, order=True)
class Advised:
    """One advice and the file it is about."""

    path: str
    advice: Advice


def advise(skill: Skill) -> tuple[Advised, ...]:
    """All advice about ``skill``, in the order of its files."""
    found: set[Advised] = set()
    for one in skill.files:
        found |= {Advised(one.path, advice) for advice in _of_file(one, skill.permissions)}
    fields = {name.lower() for name in skill.fields.values}
    if "allowed-tools" in fields:
        found.add(Advised(ENTRY, Advice.ASKS_FOR_TOOLS))
    if fields - _KNOWN:
        found.add(Advised(ENTRY, Advice.UNKNOWN_FIELD))
    return tuple(sorted(found))


def _of_file(one: SkillFile, permissions: tuple[str, ...]) -> set[Advice]:
    found = {Advice.EXECUTABLE} if one.executable or one.content[:2] == b"#!" else set()
    text = one.text
    if text is None:
        return found | {Advice.NOT_TEXT}
    lines = [line[:_LINE] for line in text.split("\n")]
    if any(map(_ADDRESS.search, lines)):
        found.add(Advice.NETWORK if "network" in permissions else Advice.NETWORK_UNDECLARED)
    if any(map(_SECRET.search, lines)):
        found.add(Advice.SECRETS if "secrets" in permissions else Advice.SECRETS_UNDECLARED)
    seen = set(signs("\n".join(lines)))
    if seen & {Sign.INVISIBLE, Sign.DIRECTION, Sign.COMMENT, Sign.HIDDEN}:
        found.add(Advice.HIDDEN)
    if seen & {Sign.ROLE, Sign.IMPERATIVE}:
        found.add(Advice.STEERS)
    return found
