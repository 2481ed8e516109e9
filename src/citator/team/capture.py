"""What of a history is worth a note, by rules that can be told in a sentence.

- *decision*: a breaking change (``!`` or a ``BREAKING CHANGE`` footer), or a subject that begins
  with a verb of choice (adopt, replace, switch, migrate, drop …), where the body says why.
- *avoid*: a revert (its trailer, or ``revert:``) that says why, or a subject that begins with
  *revert* or *roll back* and a body.
- *pattern*: ``feat``, ``fix``, ``perf`` or ``refactor`` with a body that says why, over at least
  three files that are neither tests nor pages.
- Skipped whatever they say: docs, chores, style, tests, CI, builds, releases, dependency bumps,
  merges, and commits that touch only tests, pages or CI.
- A scope in brackets is understood: ``fix(parser)!:`` is a fix of the parser that breaks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from citator.team.notes import NoteKind

LEAST_FILES: Final = 3
LEAST_WORDS: Final = 6

_HEAD: Final = re.compile(
    r"(?P<type>[A-Za-z]{2,12})(?:\((?P<scope>[^()\n]{1,60})\))?(?P<breaks>!)?: +"
)
_BREAKS: Final = re.compile(r"^BREAKING[ -]CHANGE: ", re.MULTILINE)
_REVERTS: Final = re.compile(r"^This reverts commit [0-9a-f]{7,64}", re.MULTILINE)
_TAKEN_BACK: Final = re.compile(r"(?i)(?:reverts?|roll(?:s|ed)? ?back|back ?out)\b")
_CHOOSES: Final = re.compile(
    r"(?i)(?:adopt|replace|switch (?:to|from)|migrate|drop|deprecate|standardi[sz]e on|"
    r"move (?:to|away)|stop using|prefer|pin)\b"
)
_NOISE: Final = frozenset(
    {"docs", "doc", "chore", "style", "test", "tests", "ci", "build", "release", "deps", "wip"}
)
_BUMP: Final = re.compile(
    r"(?i)bump |(?:upgrade|update) \S+ (?:from|to) v?\d|release v?\d|v?\d+\.\d+"
)
_CHANGES: Final = frozenset({"feat", "fix", "perf", "refactor"})
_TRAILER: Final = re.compile(r"[A-Za-z][A-Za-z-]{1,40}: \S|\(cherry picked|This reverts commit")
_QUIET_PATH: Final = re.compile(
    r"(?i)(?:^|/)(?:tests?|testing|spec|specs|docs?|\.github|\.circleci|\.gitlab)/|"
    r"(?:^|/)(?:test_[^/]*|[^/]*_tests?\.\w+|[^/]*\.(?:spec|test)\.\w+)$|\.(?:md|rst|txt|adoc)$|"
    r"(?:^|/)\.[\w-]+\.ya?ml$"
)


class Rule(StrEnum):
    """Why a commit was captured."""

    BREAKING = "breaking_change"
    CHOICE = "choice_with_reason"
    REVERT = "revert_with_reason"
    WIDE = "wide_change_with_reason"


@dataclass(frozen=True, slots=True)
class Captured:
    """What a commit is remembered as: its kind, the rule, and the words of its subject that say
    it."""

    kind: NoteKind
    rule: Rule
    text: str


def captured(
    subject: str, body: Sequence[str], paths: Sequence[str], parents: int
) -> Captured | None:
    """The note of a commit; None for one that is not worth one. ``body`` are its lines."""
    telling = [one for one in paths if not _QUIET_PATH.search(one)]
    if parents > 1 or not telling:
        return None
    head = _HEAD.match(subject)
    kind = head["type"].lower() if head else ""
    text = (subject[head.end() :] if head else subject).strip()
    if kind in _NOISE or not text or (_BUMP.match(text) and not (head and head["breaks"])):
        return None
    whole = "\n".join(body)
    if (head and head["breaks"]) or _BREAKS.search(whole):
        return Captured(NoteKind.DECISION_HINT, Rule.BREAKING, text)
    if not _says_why(body):
        return None
    if kind == "revert" or _REVERTS.search(whole) or _TAKEN_BACK.match(text):
        return Captured(NoteKind.AVOID, Rule.REVERT, text)
    if _CHOOSES.match(text):
        return Captured(NoteKind.DECISION_HINT, Rule.CHOICE, text)
    if kind in _CHANGES and len(telling) >= LEAST_FILES:
        return Captured(NoteKind.PATTERN, Rule.WIDE, text)
    return None


def _says_why(body: Sequence[str]) -> bool:
    """Whether anything is left of the body beside trailers: a few words of prose."""
    prose = [line for line in body if not _TRAILER.match(line)]
    return sum(len(line.split()) for line in prose) >= LEAST_WORDS
