"""A decision's text takes the shape of MADR 4, and loses nothing on the way."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.formats.madr import Madr, Related, render
from citator.formats.markdown import outline
from citator.formats.sections import sections


def madr(body: str, ruling: str = "We use a queue.", **changes: object) -> str:
    values = {"title": "T", "status": "accepted", "date": "2026-03-01", "makers": ("team",)}
    return render(Madr(**{**values, "ruling": ruling, "body": body, **changes}))  # type: ignore[arg-type]


def headings(text: str) -> list[tuple[int, str]]:
    below = text.split("---\n", 2)[2].split("\n")
    return [(one.level, one.title) for one in outline(below).headings if one.level > 1]


def test_a_text_without_sections_is_the_context() -> None:
    text = madr("Calls were slow.\n\nThey still are.\n")
    assert "## Context and Problem Statement\n\nCalls were slow.\n\nThey still are.\n" in text
    assert "## Decision Outcome\n\nWe use a queue.\n" in text


def test_sections_are_renamed_ordered_and_kept_below_each_other() -> None:
    body = (
        "Title\n=====\n\nStatus: accepted\n\nBefore all.\n\nConsequences\n------------\n\nC.\n\n"
        "### Deep\n\nD.\n\nContext\n-------\n\nX.\n\nStatus\n------\n\nAccepted\n\n"
        "Roll-out\n--------\n\nR.\n\n### Step\n\nS.\n"
    )
    text = madr(body)
    assert headings(text) == [
        (2, "Context and Problem Statement"),
        (2, "Decision Outcome"),
        (3, "Consequences"),
        (4, "Deep"),
        (2, "More Information"),
        (3, "Roll-out"),
        (4, "Step"),
    ]
    assert "Before all.\n\nX.\n" in text
    assert "Accepted" not in text


def test_a_ruling_that_the_text_begins_with_is_not_said_twice() -> None:
    assert madr("## Decision\n\nWe use a queue. It survives.\n").count("We use a queue.") == 1


def test_marks_in_a_title_or_a_ruling_are_only_characters() -> None:
    text = madr("x", ruling="Use `<b>` [now](x)", title="# *T* <script>")
    assert "# \\# \\*T\\* \\<script\\>" in text
    assert "Use \\`\\<b\\>\\` \\[now\\](x)" in text


def test_relations_are_links_to_files() -> None:
    text = madr("x", related=(Related("depends on", "The [log]", "0002-log.md"),))
    assert text.endswith("## More Information\n\n* depends on [The \\[log\\]](0002-log.md)\n")


def test_code_that_looks_like_a_heading_stays_code() -> None:
    body = "## Context\n\n```\n# not a heading\n## Decision\n```\n"
    assert headings(madr(body)) == [(2, "Context and Problem Statement"), (2, "Decision Outcome")]
    assert "```\n# not a heading\n## Decision\n```" in madr(body)


LINES = [
    *("# Alpha", "## Beta", "### Gamma", "## Context", "## Decision", "#### Delta", "word one"),
    *("- item two", "", "", "```", "> quoted three", "Epsilon", "====", "----", "1. four"),
]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(LINES), max_size=25).map("\n".join))
def test_no_words_of_a_text_are_lost(body: str) -> None:
    found = sections(body)
    lines = [found.title, *found.preamble]
    lines += [line for part in found.parts for line in (part.title, *part.lines)]
    for word in ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "one", "two", "three", "four"):
        assert " ".join(lines).count(word) == body.count(word)
        if word != "Alpha" and word not in found.title:
            assert madr(body).count(word) >= body.count(word)


@pytest.mark.parametrize("body", ["", "\n\n", "---\na: 1\n---\n"])
def test_a_decision_without_a_text_still_says_what_was_decided(body: str) -> None:
    assert headings(madr(body)) == [(2, "Decision Outcome")]
