"""Saved answers of GitLab's API → review threads.

Known: lists of merge requests and of issues, their discussions, and single notes. Notes that the
system wrote are left out: they say what happened, and the history says it better.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citator.formats.review_gathering import CONVERSATION, Gathering
from citator.formats.reviews import UNKNOWN, About, ChangeState, Comment, ThreadState, moment


def take(gathering: Gathering, value: Mapping[str, Any]) -> bool:
    """Take one entry in. False where it is none of GitLab's."""
    if isinstance(value.get("iid"), int) and not isinstance(value["iid"], bool):
        _described(gathering, value)
    elif isinstance(value.get("notes"), list):
        _discussion(gathering, value)
    elif "noteable_type" in value and "body" in value:
        _note(gathering, value, CONVERSATION)
    else:
        return False
    return True


def _described(gathering: Gathering, value: Mapping[str, Any]) -> None:
    change = "source_branch" in value
    merged = moment(value.get("merged_at"))
    word = _text(value, "state")
    state = ChangeState.OPEN if word in ("opened", "locked") else ChangeState.CLOSED
    gathering.describe(
        About.CHANGE if change else About.ISSUE,
        value["iid"],
        title=_text(value, "title"),
        state=ChangeState.MERGED if merged or word == "merged" else state,
        commits=(value.get("merge_commit_sha"), value.get("squash_commit_sha"), value.get("sha")),
        branch=_text(value, "source_branch") or None,
        merged_at=merged,
        opening=_comment(value, "description"),
    )


def _discussion(gathering: Gathering, value: Mapping[str, Any]) -> None:
    notes = [one for one in value["notes"] if isinstance(one, dict)]
    single = value.get("individual_note") is True
    id = value.get("id")
    name = CONVERSATION if single or not isinstance(id, str | int) else str(id)
    for note in notes:
        _note(gathering, note, name)
    placed = [one for one in notes if one.get("resolvable") is True]
    about, number = _where(placed[0]) if placed else (None, None)
    if about is not None and number is not None and name != CONVERSATION:
        done = all(one.get("resolved") is True for one in placed)
        state = ThreadState.RESOLVED if done else ThreadState.OPEN
        gathering.state(about, number, name, state)


def _note(gathering: Gathering, value: Mapping[str, Any], thread: str) -> None:
    about, number = _where(value)
    if about is None or number is None or value.get("system") is True:
        return
    position = value.get("position")
    place = _place(position) if isinstance(position, dict) else {}
    id = str(value.get("id", ""))
    gathering.comment(about, number, thread, id, _comment(value, "body"), place=place)


def _where(value: Mapping[str, Any]) -> tuple[About | None, int | None]:
    kinds = {"MergeRequest": About.CHANGE, "Issue": About.ISSUE}
    number = value.get("noteable_iid")
    known = isinstance(number, int) and not isinstance(number, bool)
    return kinds.get(_text(value, "noteable_type")), number if known else None


def _place(position: Mapping[str, Any]) -> dict[str, Any]:
    line = position.get("new_line") or position.get("old_line")
    return {
        "path": _text(position, "new_path") or _text(position, "old_path") or None,
        "line": line if isinstance(line, int) else None,
        "commit": position.get("head_sha"),
    }


def _comment(value: Mapping[str, Any], words: str) -> Comment:
    author = value.get("author")
    name = _text(author, "username") if isinstance(author, dict) else ""
    return Comment(name or UNKNOWN, moment(value.get("created_at")), _text(value, words))


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
