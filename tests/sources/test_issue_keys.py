"""Keys of issues, and what only looks like one."""

from __future__ import annotations

import pytest

from citator.sources.issue_keys import MAX_KEYS, issue_keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Fix the pool (#123)", ("#123",)),
        ("GH-9 and #10, then #9 again", ("#9", "#10")),
        ("Closes rerun-io/rerun#2862.", ("rerun-io/rerun#2862",)),
        (
            "See https://github.com/o/r/issues/5 and http://www.github.com/o/r/pull/6#c",
            ("o/r#5", "o/r#6"),
        ),
        ("https://gitlab.com/g/p/-/merge_requests/7", ("g/p#7",)),
        ("PROJ-12: cut, as in ABC2-345.", ("PROJ-12", "ABC2-345")),
        ("[#42 state:resolved]", ("#42",)),
    ],
)
def test_keys_are_found_in_order_once(text: str, keys: tuple[str, ...]) -> None:
    assert issue_keys(text) == keys


@pytest.mark.parametrize(
    "text",
    [
        "UTF-8, SHA-256, ISO-8859-1, CVE-2024-1234, RFC-2616, ADR-0001, X-509",
        "&#123; and C#7 and a##5 and /#6",
        "#abc #0 #12ab #12-3",
        "abc-123 Abc-12 A-1 x/PROJ-1 PROJ-1-2 PROJ-1.2",
        "https://example.org/issues/5",
        "",
    ],
)
def test_what_only_looks_like_a_key_is_none(text: str) -> None:
    assert issue_keys(text) == ()


def test_their_number_is_bounded() -> None:
    assert len(issue_keys(" ".join(f"#{number}" for number in range(1, 500)))) == MAX_KEYS


def test_hostile_text_ends() -> None:
    for unit in ("#1", "A-1", "a/b#", "A", "://github.com/", "-1", "a/"):
        issue_keys((unit * 200_000)[:200_000])
