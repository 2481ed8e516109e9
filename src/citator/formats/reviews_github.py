"""Saved answers of GitHub's API → review threads.

Known: lists of pull requests and issues, of their comments, of review comments and of reviews
(REST), and pull requests with ``reviewThreads`` (GraphQL), which alone says what is resolved. What
has no known shape is counted, not guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from citator.formats.review_gathering import CONVERSATION, Gathering
from citator.formats.reviews import UNKNOWN, About, ChangeState, Comment, ThreadState, moment

_NUMBER: Final = re.compile(r"/(?:pulls|issues)/(\d{1,9})(?:$|[/?#])")
_REVIEWED: Final = {
    "APPROVED": ThreadState.RESOLVED,
    "CHANGES_REQUESTED": ThreadState.OPEN,
    "COMMENTED": ThreadState.OPEN,
    "DISMISSED": ThreadState.DISMISSED,
}


def take(gathering: Gathering, value: Mapping[str, Any]) -> bool:
    """Take one entry in. False where it is none of GitHub's."""
    if isinstance(value.get("data"), dict):
        return _answer(gathering, value["data"])
    if isinstance(value.get("head"), dict) and isinstance(value.get("number"), int):
        _pull(gathering, value)
    elif "pull_request_url" in value and "submitted_at" in value:
        _review(gathering, value)
    elif "pull_request_url" in value and "path" in value:
        _review_comment(gathering, value)
    elif "issue_url" in value and "body" in value:
        _issue_comment(gathering, value)
    elif isinstance(value.get("number"), int) and "comments_url" in value:
        _issue(gathering, value)
    else:
        return False
    return True


def _pull(gathering: Gathering, value: Mapping[str, Any]) -> None:
    merged = moment(value.get("merged_at"))
    head = value["head"]
    gathering.describe(
        About.CHANGE,
        value["number"],
        title=_text(value, "title"),
        state=_state(value, merged),
        commits=(value.get("merge_commit_sha") if merged else None, head.get("sha")),
        branch=_text(head, "ref") or None,
        merged_at=merged,
        opening=_comment(value),
    )


def _issue(gathering: Gathering, value: Mapping[str, Any]) -> None:
    pull = value.get("pull_request")
    merged = moment(pull.get("merged_at")) if isinstance(pull, dict) else None
    gathering.describe(
        About.ISSUE if pull is None else About.CHANGE,
        value["number"],
        title=_text(value, "title"),
        state=_state(value, merged),
        merged_at=merged,
        opening=_comment(value),
    )


def _state(value: Mapping[str, Any], merged: str | None) -> ChangeState:
    if merged is not None:
        return ChangeState.MERGED
    return ChangeState.OPEN if _text(value, "state").lower() == "open" else ChangeState.CLOSED


def _issue_comment(gathering: Gathering, value: Mapping[str, Any]) -> None:
    number = _number(value.get("issue_url"))
    if number is not None:
        pull = "/pull/" in _text(value, "html_url")
        about = About.CHANGE if pull else About.ISSUE
        gathering.comment(about, number, CONVERSATION, _id(value), _comment(value))


def _review(gathering: Gathering, value: Mapping[str, Any]) -> None:
    number = _number(value.get("pull_request_url"))
    if number is not None and _text(value, "body").strip():
        state = _REVIEWED.get(_text(value, "state"), ThreadState.OPEN)
        said = _comment(value, "submitted_at")
        place = {"commit": value.get("commit_id")}
        thread = f"review-{_id(value)}"
        gathering.comment(About.CHANGE, number, thread, _id(value), said, place=place, guess=state)


def _review_comment(gathering: Gathering, value: Mapping[str, Any]) -> None:
    number = _number(value.get("pull_request_url"))
    if number is None:
        return
    root = value.get("in_reply_to_id")
    line = value.get("line") or value.get("original_line")
    place = {
        "path": _text(value, "path") or None,
        "line": line if isinstance(line, int) else None,
        "commit": value.get("original_commit_id") or value.get("commit_id"),
    }
    outdated = "position" in value and value["position"] is None and value.get("line") is None
    gathering.comment(
        About.CHANGE,
        number,
        str(root) if isinstance(root, int) else _id(value),
        _id(value),
        _comment(value),
        place=place,
        guess=ThreadState.OUTDATED if outdated else None,
    )


def _answer(gathering: Gathering, data: Mapping[str, Any]) -> bool:
    repository = data.get("repository")
    if not isinstance(repository, dict):
        return False
    taken = False
    for pull in [*_nodes(repository, "pullRequests"), repository.get("pullRequest")]:
        if isinstance(pull, dict) and isinstance(pull.get("number"), int):
            taken = True
            _graph_pull(gathering, pull)
    for issue in _nodes(repository, "issues"):
        if isinstance(issue.get("number"), int):
            taken = True
            _graph_issue(gathering, issue)
    return taken


def _graph_pull(gathering: Gathering, value: Mapping[str, Any]) -> None:
    number = value["number"]
    merged = moment(value.get("mergedAt"))
    commits = [
        one["commit"].get("oid")
        for one in _nodes(value, "commits")
        if isinstance(one.get("commit"), dict)
    ]
    gathering.describe(
        About.CHANGE,
        number,
        title=_text(value, "title"),
        state=_state(value, merged),
        commits=(_oid(value.get("mergeCommit")), value.get("headRefOid"), *commits),
        branch=_text(value, "headRefName") or None,
        merged_at=merged,
        opening=_comment(value),
    )
    for one in _nodes(value, "comments"):
        gathering.comment(About.CHANGE, number, CONVERSATION, _id(one), _comment(one))
    for one in _nodes(value, "reviews"):
        if _text(one, "body").strip():
            state = _REVIEWED.get(_text(one, "state"), ThreadState.OPEN)
            thread = f"review-{_id(one)}"
            said = _comment(one, "submittedAt")
            gathering.comment(About.CHANGE, number, thread, _id(one), said, guess=state)
    for one in _nodes(value, "reviewThreads"):
        _graph_thread(gathering, number, one)


def _graph_thread(gathering: Gathering, number: int, value: Mapping[str, Any]) -> None:
    comments = _nodes(value, "comments")
    if not comments:
        return
    thread = _id(comments[0])
    line = value.get("line") or value.get("originalLine")
    place = {
        "path": _text(value, "path") or None,
        "line": line if isinstance(line, int) else None,
        "commit": _oid(comments[0].get("originalCommit")) or _oid(comments[0].get("commit")),
    }
    for one in comments:
        gathering.comment(About.CHANGE, number, thread, _id(one), _comment(one), place=place)
    resolved, outdated = value.get("isResolved"), value.get("isOutdated")
    if resolved is True:
        gathering.state(About.CHANGE, number, thread, ThreadState.RESOLVED)
    elif isinstance(resolved, bool):
        state = ThreadState.OUTDATED if outdated is True else ThreadState.OPEN
        gathering.state(About.CHANGE, number, thread, state)


def _graph_issue(gathering: Gathering, value: Mapping[str, Any]) -> None:
    gathering.describe(
        About.ISSUE,
        value["number"],
        title=_text(value, "title"),
        state=_state(value, None),
        opening=_comment(value),
    )
    for one in _nodes(value, "comments"):
        gathering.comment(About.ISSUE, value["number"], CONVERSATION, _id(one), _comment(one))


def _nodes(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = value.get(key)
    nodes = found.get("nodes") if isinstance(found, dict) else None
    return [one for one in nodes if isinstance(one, dict)] if isinstance(nodes, list) else []


def _comment(value: Mapping[str, Any], time: str = "") -> Comment:
    user = value.get("user") or value.get("author")
    login = _text(user, "login") if isinstance(user, dict) else ""
    at = value.get(time) or value.get("created_at") or value.get("createdAt")
    return Comment(login or UNKNOWN, moment(at), _text(value, "body"))


def _id(value: Mapping[str, Any]) -> str:
    for key in ("databaseId", "id"):
        found = value.get(key)
        if isinstance(found, int | str) and not isinstance(found, bool) and str(found):
            return str(found)
    return moment(value.get("createdAt")) or "0"


def _oid(value: object) -> str | None:
    found = value.get("oid") if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def _number(value: object) -> int | None:
    match = _NUMBER.search(value) if isinstance(value, str) else None
    return int(match[1]) if match else None


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
