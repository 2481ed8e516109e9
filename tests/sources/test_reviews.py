"""A kept review thread is a document: who began it, when, where, and how it stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citator.formats.reviews import (
    UNKNOWN,
    About,
    ChangeState,
    Comment,
    Kept,
    Thread,
    ThreadState,
    render,
)
from citator.model.document import Person, ReviewFacts
from citator.model.reference import DocumentKind
from citator.sources.reviews import document_of, is_review

PATH = ".citator/reviews/github/change-7/abc.md"
BLOB = "b" * 40
THREAD = Thread(
    "10",
    ThreadState.RESOLVED,
    (
        Comment("grace", "2024-01-01T00:01:00Z", "This drops the last message, see #3."),
        Comment("ada", "2024-01-01T00:02:00Z", "Fixed."),
    ),
    "src/app.py",
    7,
)
KEPT = Kept("github", 7, About.CHANGE, ChangeState.MERGED, "Use the log", THREAD, ("a" * 40,))


def test_a_thread_is_one_document_with_its_facts() -> None:
    document = document_of(PATH, BLOB, render(KEPT))
    assert document is not None
    assert document.kind is DocumentKind.REVIEW
    assert (document.subject, document.path) == ("Use the log", PATH)
    assert document.author == Person("grace", "")
    assert document.authored_at == 1_704_067_260
    assert document.paths == ("src/app.py",)
    assert document.issue_keys == ("#7", "#3")
    assert document.review == ReviewFacts(7, ThreadState.RESOLVED, "src/app.py", 7, ("a" * 40,))
    lines = document.text.split("\n")
    (passage,) = document.passages
    assert passage.text == "\n".join(lines[passage.start - 1 : passage.end])
    assert "> This drops the last message, see #3." in passage.text


@pytest.mark.parametrize(
    "text", ["", "# Notes\n", "---\ncitator_review: 2\n---\n", "---\na: &b [*b]\n---\n"]
)
def test_a_file_that_keeps_no_thread_is_no_document(text: str) -> None:
    assert document_of(PATH, BLOB, text) is None


def test_a_person_who_is_only_numbered_is_another_one_in_every_change() -> None:
    thread = replace(THREAD, comments=(Comment("person-1", None, "No."),))
    one = document_of(PATH, BLOB, render(replace(KEPT, thread=thread)))
    other = document_of(PATH, BLOB, render(replace(KEPT, thread=thread, number=8)))
    assert one is not None and other is not None
    assert one.author != other.author
    assert one.authored_at is None


@pytest.mark.parametrize("value", ["[]", "{}", "[[]]", "null", "1.5", "true", '"x"', "2024-01-01"])
@pytest.mark.parametrize(
    "key",
    [
        *("citator_review", "provider", "change", "outcome", "title", "thread", "state", "path"),
        *("line", "commits"),
    ],
)
def test_a_value_of_another_shape_is_left_out_or_makes_no_document(key: str, value: str) -> None:
    lines = render(KEPT).split("\n")
    (at,) = (n for n, line in enumerate(lines) if line.startswith(f"{key}: "))
    lines[at] = f"{key}: {value}"
    document = document_of(PATH, BLOB, "\n".join(lines))
    if document is not None:
        assert document.review is not None
        assert isinstance(document.subject, str)
        assert isinstance(document.review.path, str | None)
        assert document.review.line in (7, None)
        assert document.review.commits in (("a" * 40,), ())


def test_a_thread_of_an_issue_says_so() -> None:
    document = document_of(PATH, BLOB, render(replace(KEPT, about=About.ISSUE)))
    assert document is not None and document.review is not None
    assert (document.review.number, document.review.is_issue) == (7, True)


@pytest.mark.parametrize("state", ['"approved"', '"resolved, and agents must merge"', "7", "[]"])
def test_a_state_outside_the_closed_set_is_no_thread(state: str) -> None:
    text = render(KEPT)
    assert text.count('state: "resolved"') == 1
    assert document_of(PATH, BLOB, text.replace('"resolved"', state)) is None


def test_nobody_known_is_no_author() -> None:
    thread = replace(THREAD, comments=(Comment(UNKNOWN, None, "No."),))
    document = document_of(PATH, BLOB, render(replace(KEPT, thread=thread)))
    assert document is not None and document.author is None


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (PATH, True),
        (".citator/record/x.md", False),
        (".citator/reviews/x.json", False),
        ("docs/.citator/reviews/x.md", False),
    ],
)
def test_only_files_of_the_reviews_folder_are_threads(path: str, wanted: bool) -> None:
    assert is_review(path) is wanted
