"""Saved API answers about one history, in the shapes that GitHub and GitLab give them."""

from __future__ import annotations

from typing import Any

API = "https://api.example.org/repos/ferry/engine"


def pull(number: int, **changes: Any) -> dict[str, Any]:
    """A pull request as REST lists it."""
    return {
        "number": number,
        "title": f"Change number {number}",
        "body": "Why it is made.",
        "state": "closed",
        "user": {"login": "ada"},
        "created_at": "2024-01-01T00:00:00Z",
        "merged_at": "2024-01-02T00:00:00Z",
        "merge_commit_sha": None,
        "head": {"ref": f"branch-{number}", "sha": "e" * 40},
        "base": {"ref": "main"},
        **changes,
    }


def review_comment(id: int, number: int, body: str, **changes: Any) -> dict[str, Any]:
    """A comment on a line as REST lists it."""
    return {
        "id": id,
        "pull_request_url": f"{API}/pulls/{number}",
        "path": "src/app.py",
        "line": 7,
        "position": 3,
        "commit_id": "d" * 40,
        "original_commit_id": "d" * 40,
        "user": {"login": "grace"},
        "created_at": "2024-01-01T00:01:00Z",
        "body": body,
        **changes,
    }


def issue_comment(id: int, number: int, body: str, **changes: Any) -> dict[str, Any]:
    """A comment of the conversation as REST lists it."""
    return {
        "id": id,
        "issue_url": f"{API}/issues/{number}",
        "html_url": f"https://example.org/ferry/engine/pull/{number}#issuecomment-{id}",
        "user": {"login": "cal"},
        "created_at": "2024-01-01T00:02:00Z",
        "body": body,
        **changes,
    }


def graph(*pulls: dict[str, Any]) -> dict[str, Any]:
    """A GraphQL answer of these pull requests."""
    return {"data": {"repository": {"pullRequests": {"nodes": list(pulls)}}}}


def graph_pull(number: int, *threads: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A pull request as GraphQL gives it."""
    return {
        "number": number,
        "title": f"Change number {number}",
        "body": "Why it is made.",
        "state": "MERGED",
        "createdAt": "2024-01-01T00:00:00Z",
        "mergedAt": "2024-01-02T00:00:00Z",
        "author": {"login": "ada"},
        "headRefName": f"branch-{number}",
        "reviewThreads": {"nodes": list(threads)},
        **changes,
    }


def graph_thread(*bodies: str, resolved: bool = True, id: int = 500, **changes: Any) -> Any:
    """A review thread as GraphQL gives it."""
    nodes = [
        {
            "databaseId": id + number,
            "body": body,
            "createdAt": f"2024-01-01T00:0{number}:30Z",
            "author": {"login": "grace" if number % 2 == 0 else "ada"},
        }
        for number, body in enumerate(bodies)
    ]
    return {
        "isResolved": resolved,
        "isOutdated": False,
        "path": "src/app.py",
        "line": 7,
        "comments": {"nodes": nodes},
        **changes,
    }


def merge_request(number: int, **changes: Any) -> dict[str, Any]:
    """A merge request as GitLab lists it."""
    return {
        "iid": number,
        "title": f"Merge request {number}",
        "description": "Why it is made.",
        "state": "merged",
        "author": {"username": "ada"},
        "created_at": "2024-01-01T00:00:00.123Z",
        "merged_at": "2024-01-02T00:00:00.123Z",
        "source_branch": f"topic-{number}",
        "merge_commit_sha": None,
        **changes,
    }


def note(id: int, number: int, body: str, **changes: Any) -> dict[str, Any]:
    """A note as GitLab lists it."""
    return {
        "id": id,
        "body": body,
        "author": {"username": "grace"},
        "created_at": "2024-01-01T00:01:00.000Z",
        "system": False,
        "noteable_type": "MergeRequest",
        "noteable_iid": number,
        **changes,
    }
