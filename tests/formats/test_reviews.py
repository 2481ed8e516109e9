"""What saved exports say becomes threads with a state, and a file that reads back as written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.formats import reviews_github, reviews_gitlab
from citator.formats.front_matter import read_front_matter
from citator.formats.json_values import NotJsonError, mappings, read_values
from citator.formats.review_gathering import CONVERSATION, Gathering, without_names
from citator.formats.reviews import (
    About,
    Change,
    ChangeState,
    Comment,
    Kept,
    Thread,
    ThreadState,
    moment,
    parse,
    render,
)
from tests.support.review_exports import (
    API,
    graph,
    graph_pull,
    graph_thread,
    issue_comment,
    merge_request,
    note,
    pull,
    review_comment,
)


def github(*values: Mapping[str, Any]) -> list[Change]:
    gathering = Gathering("github")
    assert all(reviews_github.take(gathering, value) for value in values)
    return gathering.changes()


def gitlab(*values: Mapping[str, Any]) -> list[Change]:
    gathering = Gathering("gitlab")
    assert all(reviews_gitlab.take(gathering, value) for value in values)
    return gathering.changes()


def test_lists_of_pulls_comments_and_reviews_are_put_together() -> None:
    (change,) = github(
        review_comment(11, 7, "Fixed.", in_reply_to_id=10, created_at="2024-01-01T00:03:00Z"),
        review_comment(10, 7, "This drops the last message."),
        review_comment(12, 7, "Old.", position=None, line=None, original_line=3),
        issue_comment(20, 7, "Thanks all."),
        {
            "id": 30,
            "pull_request_url": f"{API}/pulls/7",
            "state": "DISMISSED",
            "submitted_at": "2024-01-01T00:05:00Z",
            "body": "I object to the queue.",
            "user": {"login": "grace"},
        },
        pull(7, merge_commit_sha="a" * 40),
    )
    assert (change.number, change.about, change.state) == (7, About.CHANGE, ChangeState.MERGED)
    assert change.commits == ("a" * 40, "e" * 40)
    assert change.branch == "branch-7"
    found = {one.id: one for one in change.threads}
    assert {key: one.state for key, one in found.items()} == {
        "10": ThreadState.OPEN,
        "12": ThreadState.OUTDATED,
        "review-30": ThreadState.DISMISSED,
        CONVERSATION: ThreadState.RESOLVED,
    }
    assert [one.text for one in found["10"].comments] == [
        "This drops the last message.",
        "Fixed.",
    ]
    assert (found["10"].path, found["10"].line) == ("src/app.py", 7)
    assert (found["12"].line, found["12"].commit) == (3, "d" * 40)
    assert [one.author for one in found[CONVERSATION].comments] == ["ada", "cal"]


def test_threads_know_what_is_resolved_whichever_export_comes_first() -> None:
    threads = graph(graph_pull(7, graph_thread("Why?", "Because.", id=10)))
    for values in (
        [threads, review_comment(10, 7, "Why?")],
        [review_comment(10, 7, "Why?"), threads],
    ):
        (change,) = github(*values)
        (thread,) = (one for one in change.threads if one.id == "10")
        assert thread.state is ThreadState.RESOLVED
        assert [one.text for one in thread.comments] == ["Why?", "Because."]


def test_issues_are_told_from_changes() -> None:
    issue = {
        "number": 9,
        "title": "It is slow",
        "body": "Very.",
        "state": "closed",
        "comments_url": f"{API}/issues/9/comments",
        "user": {"login": "cal"},
        "created_at": "2024-01-01T00:00:00Z",
    }
    found = github(issue, {**issue, "number": 10, "pull_request": {"merged_at": None}})
    assert [(one.number, one.about, one.state) for one in found] == [
        (10, About.CHANGE, ChangeState.CLOSED),
        (9, About.ISSUE, ChangeState.CLOSED),
    ]
    assert [one.threads[0].state for one in found] == [ThreadState.DISMISSED, ThreadState.RESOLVED]


def test_merge_requests_discussions_and_notes_are_put_together() -> None:
    position = {"new_path": "src/app.py", "new_line": 7, "head_sha": "c" * 40}
    placed = {"resolvable": True, "position": position}
    (change,) = gitlab(
        merge_request(4),
        {
            "id": "disc-1",
            "individual_note": False,
            "notes": [
                note(1, 4, "This drops messages.", resolved=True, **placed),
                note(2, 4, "changed this line", system=True),
                note(3, 4, "Done.", resolved=True, **placed),
            ],
        },
        {
            "id": "disc-2",
            "individual_note": False,
            "notes": [note(4, 4, "?", resolved=False, **placed)],
        },
        {"id": "disc-3", "individual_note": True, "notes": [note(5, 4, "Nice.")]},
    )
    assert (change.state, change.merged_at) == (ChangeState.MERGED, "2024-01-02T00:00:00Z")
    found = {one.id: one for one in change.threads}
    assert found["disc-1"].state is ThreadState.RESOLVED
    assert [one.text for one in found["disc-1"].comments] == ["This drops messages.", "Done."]
    assert (found["disc-1"].path, found["disc-1"].commit) == ("src/app.py", "c" * 40)
    assert found["disc-2"].state is ThreadState.OPEN
    assert [one.text for one in found[CONVERSATION].comments] == ["Why it is made.", "Nice."]


def test_names_become_numbers_and_so_do_mentions() -> None:
    text = "Ask @cal or @ada.\nReviewed-by: Grace Hopper <grace@example.org>\nmail ada@example.org"
    (change,) = github(pull(7, title="By @cal"), review_comment(10, 7, text))
    unnamed = without_names(change)
    said = "\n".join(
        f"{one.author} {one.text}" for thread in unnamed.threads for one in thread.comments
    )
    assert "grace" not in said.lower()
    assert "cal" not in said
    assert "@person-1" in said
    assert "Reviewed-by: person-" in said
    assert unnamed.title.startswith("By @person-")
    assert unnamed.branch is None


def kept(*comments: Comment, **changes: Any) -> Kept:
    thread = Thread("10", ThreadState.RESOLVED, comments, "src/a b.py", 3)
    return Kept(
        "github", 7, About.CHANGE, ChangeState.MERGED, "A title", thread, ("a" * 40,), **changes
    )


def read_back(text: str) -> Kept | None:
    lines = text.split("\n")
    front = read_front_matter(lines)
    assert not front.unreadable
    return parse(front.values, "\n".join(lines[front.lines :]))


def test_a_file_reads_back_as_it_was_written() -> None:
    one = kept(
        Comment("ada", "2024-01-01T00:00:00Z", "First.\n\n> quoted\n---\n# heading"),
        Comment("grace", None, "**ada**, 2024-01-01T00:00:00Z:\n\n> forged"),
    )
    assert read_back(render(one)) == one


def test_a_path_of_any_characters_reads_back_as_it_was_written() -> None:
    path = "src/\x1b[2J\r\u202e\U000e0041\ufeff\U0001f680.py"
    one = kept(Comment("ada", None, "First."))
    one = replace(one, thread=replace(one.thread, path=path))
    assert read_back(render(one)) == one


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(
        st.text(alphabet=st.sampled_from("a>*-: \n\t`#@\u202e"), max_size=60),
        min_size=1,
        max_size=4,
    )
)
def test_no_comment_can_look_like_another_comment_or_like_front_matter(texts: list[str]) -> None:
    found = read_back(render(kept(*(Comment("ada", None, text) for text in texts))))
    assert found is not None
    assert len(found.thread.comments) == len(texts)
    assert {one.author for one in found.thread.comments} == {"ada"}


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"citator_review": True},
        {"citator_review": 1, "change": "7"},
        {"citator_review": 1, "change": 7, "state": "won", "outcome": "merged"},
    ],
)
def test_what_keeps_no_thread_is_none(values: dict[str, Any]) -> None:
    assert parse(values, "") is None


def test_pages_lines_and_rows_of_values_are_one_list() -> None:
    assert list(mappings(read_values('[{"a":1}][{"b":2}]\n'))) == [{"a": 1}, {"b": 2}]
    assert list(mappings(read_values('{"a":1}\n{"b":2}\n'))) == [{"a": 1}, {"b": 2}]
    assert list(mappings(read_values('[[{"a":1}],[{"b":2}]]'))) == [{"a": 1}, {"b": 2}]
    assert read_values("") == []
    assert read_values('["\\ud800x"]') == [["\ufffdx"]]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[1", "not_json"),
        ("nothing", "not_json"),
        ("[NaN]", "not_json"),
        ("[" * 100_000, "too_deep"),
        ("[" * 70 + "]" * 70, "too_deep"),
        ("[" + "9" * 5_000 + "]", "not_json"),
    ],
)
def test_what_is_no_json_is_refused_by_a_code(text: str, code: str) -> None:
    with pytest.raises(NotJsonError, match=code):
        read_values(text)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        ("2024-01-01T02:00:00.123+02:00", "2024-01-01T00:00:00Z"),
        ("yesterday", None),
        (7, None),
        (None, None),
    ],
)
def test_times_are_utc_to_the_second(written: object, read: str | None) -> None:
    assert moment(written) == read


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        *("number", "head", "data", "repository", "pullRequests", "nodes", "notes"),
                        *("iid", "pull_request_url", "submitted_at", "path", "issue_url", "body"),
                        *("comments", "reviewThreads", "noteable_type", "position", "user", "id"),
                    ]
                ),
                inner,
                max_size=6,
            )
        ),
        max_leaves=20,
    )
)
def test_no_shape_of_values_breaks_a_reader(value: object) -> None:
    for provider, module in (("github", reviews_github), ("gitlab", reviews_gitlab)):
        gathering = Gathering(provider)
        for one in mappings(value):
            module.take(gathering, one)
        for change in gathering.changes():
            without_names(change)
