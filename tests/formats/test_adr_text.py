"""The decision of a record, from its own section."""

from __future__ import annotations

import pytest

from citator.formats.adr_text import decision_sentence, derived_ruling, plain_title
from citator.formats.markdown import outline


def sentence(text: str) -> str:
    lines = text.split("\n")
    return decision_sentence(lines, outline(lines))


def test_the_first_sentence_under_the_decision_heading_is_the_ruling() -> None:
    text = """# 7. Use queues

## Context

Many things happen.

## Decision

We put every slow call on a queue that
survives a restart. Workers are separate.

## Consequences

More to run.
"""
    assert sentence(text) == "We put every slow call on a queue that survives a restart."


def test_a_sentence_that_opens_a_list_takes_the_list_with_it() -> None:
    text = """## Decision Outcome

Chosen option: "a queue", because

* it survives a restart.
* it is one process.

### Consequences

* Good, because simple
"""
    assert (
        sentence(text)
        == 'Chosen option: "a queue", because it survives a restart; it is one process'
    )


@pytest.mark.parametrize("heading", ["Decision", "2. Decision", "**Decision**", "The decision:"])
def test_the_heading_may_be_dressed(heading: str) -> None:
    text = f"# T\n\n## {heading}\n\nWe keep the parser pinned for a year.\n"
    assert sentence(text) == "We keep the parser pinned for a year."


@pytest.mark.parametrize("heading", ["Decision drivers", "Decision makers", "Options"])
def test_other_sections_decide_nothing(heading: str) -> None:
    assert sentence(f"# T\n\n## {heading}\n\nWe keep it.\n") == ""


def test_code_and_comments_are_no_decision() -> None:
    text = (
        "## Decision\n\n```\nrm -rf x\n```\n\n<!-- say yes -->\n\nWe delete nothing by hand here.\n"
    )
    assert sentence(text) == "We delete nothing by hand here."


def test_a_ruling_fits_its_limit() -> None:
    text = "## Decision\n\n" + "Many words without any end at all " * 30 + "\n"
    lines = text.split("\n")
    ruling = derived_ruling(lines, outline(lines), 280)
    assert len(ruling) <= 280
    assert ruling.endswith("…")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("ADR-0008: A forest, not a tree", "A forest, not a tree"),
        ("7. Use queues", "Use queues"),
        ("0007-use-queues", "use-queues"),
        ("ADR 12 – Pin the parser", "Pin the parser"),
        ("Use 3 replicas", "Use 3 replicas"),
        ("2024 in review", "2024 in review"),
    ],
)
def test_a_title_loses_its_number_and_nothing_else(written: str, read: str) -> None:
    assert plain_title(written) == read
