"""Where front matter begins and ends, and what is taken from it."""

from __future__ import annotations

import pytest

from citator.formats.front_matter import NONE, FrontMatter, read_front_matter


def read(text: str) -> FrontMatter:
    return read_front_matter(text.split("\n"))


def test_a_mapping_between_two_fences_is_front_matter() -> None:
    assert read("---\ntitle: A\ntags: [x, 1]\n---\n# A") == FrontMatter(
        4, {"title": "A", "tags": ["x", 1]}
    )


@pytest.mark.parametrize("end", ["---", "...", "---  "])
def test_it_may_close_at_the_end_of_the_file(end: str) -> None:
    assert read(f"---\nstatus: accepted\n{end}").values == {"status": "accepted"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# No front matter\n---\n",
        "---\n\nA rule above a paragraph.\n\n---\n",
        "---\nnever: closed\n# Heading",
        " ---\na: 1\n---",
        "----\na: 1\n---",
        "---\n" + "a: 1\n" * 20_000 + "---",
    ],
)
def test_anything_else_is_text(text: str) -> None:
    assert read(text) == NONE


@pytest.mark.parametrize(
    "content",
    ["ACME Ltd, 5 High Street", "a: b: c", "- a\n- b", "a: *x", "title: {{ x }}", "\ta: 1"],
)
def test_what_is_not_a_mapping_is_told_and_gives_no_fact(content: str) -> None:
    found = read(f"---\n{content}\n---\nText")
    assert found.unreadable
    assert found.values == {}
    assert found.lines == content.count("\n") + 3


def test_a_repeated_key_is_told_and_the_rest_is_used() -> None:
    assert read("---\nstatus: accepted\nstatus: rejected\ntitle: A\n---") == FrontMatter(
        5, {"title": "A"}, unreadable=True
    )


def test_empty_front_matter_is_no_trouble() -> None:
    assert read("---\n---\nText") == FrontMatter(2)
    assert read("---\n# nothing\n---\nText") == FrontMatter(3)


def test_values_are_found_under_any_of_their_names() -> None:
    found = FrontMatter(
        3, {"Title": " A ", "n": 7, "flag": True, "by": ["x", 2, None], "none": None}
    )
    assert found.text("name", "title") == "A"
    assert found.text("n") == "7"
    assert found.text("flag") is None
    assert found.texts("by", "n", "none") == ("x", "2", "7")
