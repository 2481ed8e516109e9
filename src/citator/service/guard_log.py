"""What the guard showed and what was answered, on this machine: appended, counted, never served.

- A showing is of one finding at one base: checking again before committing shows nothing new.
- A *mined* finding that was honoured in fewer than three of ten of at least three showings has
  withdrawn itself: it is said in a survey, and no more in a check. What a person signed never does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from citator.service.workspace import Workspace
from citator.store import lines

FOLDER: Final = "guard"
FILE: Final = "answers.jsonl"
FORMAT: Final = 1
LEAST_SHOWINGS: Final = 3
LEAST_HONOURED: Final = 0.3
MAX_WHY: Final = 500


class Reply(StrEnum):
    """What may be answered to a finding."""

    APPLIES = "applies"
    NOT_APPLICABLE = "not-applicable"
    CHALLENGE = "challenge"


@dataclass(slots=True)
class Tally:
    """One finding: where it was shown, and what was answered there. ``subject`` is a commit, an
    item or the id of a rejection; ``kind`` what was found of it."""

    kind: str = ""
    subject: str = ""
    mined: bool = False
    shown: set[str] = field(default_factory=set)
    replies: dict[str, Reply] = field(default_factory=dict)

    @property
    def honoured(self) -> int:
        """At how many bases it was said to apply."""
        return sum(one is Reply.APPLIES for one in self.replies.values())

    @property
    def withdrawn(self) -> bool:
        """Whether it is shown no more."""
        seen = len(self.shown | self.replies.keys())
        return self.mined and seen >= LEAST_SHOWINGS and self.honoured < LEAST_HONOURED * seen


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding that is about to be shown."""

    id: str
    kind: str
    subject: str
    mined: bool


def tallies(workspace: Workspace) -> Mapping[str, Tally]:
    """What was shown and answered, by the id of the finding. Raises StorageError."""
    found: dict[str, Tally] = {}
    for line in lines.read(_path(workspace)):
        _count(found, line)
    return found


def _count(found: dict[str, Tally], line: Mapping[str, Any]) -> None:
    id, base = line.get("id"), line.get("base")
    if line.get("v") != FORMAT or not isinstance(id, str) or not isinstance(base, str):
        return
    tally = found.setdefault(id, Tally())
    if line.get("event") == "shown":
        tally.kind, tally.subject = str(line.get("kind")), str(line.get("subject"))
        tally.mined = line.get("mined") is True
        tally.shown.add(base)
    elif line.get("reply") in {one.value for one in Reply}:
        tally.replies[base] = Reply(line["reply"])


def note_shown(
    workspace: Workspace, known: Mapping[str, Tally], shown: Iterable[Shown], base: str, time: str
) -> None:
    """Remember what was not shown at this base before. Raises StorageError."""
    fresh = [one for one in shown if one.id not in known or base not in known[one.id].shown]
    lines.append(
        _path(workspace),
        (
            {
                "v": FORMAT,
                "t": time,
                "event": "shown",
                "id": one.id,
                "base": base,
                "kind": one.kind,
                "subject": one.subject,
                "mined": one.mined,
            }
            for one in fresh
        ),
    )


def note_reply(workspace: Workspace, id: str, reply: Reply, why: str, base: str, time: str) -> None:
    """Remember an answer. Raises StorageError."""
    said = {"v": FORMAT, "t": time, "event": "answered", "id": id, "base": base}
    lines.append(_path(workspace), [{**said, "reply": reply.value, "why": why[:MAX_WHY]}])


def _path(workspace: Workspace) -> Path:
    return workspace.place.local / FOLDER / FILE
