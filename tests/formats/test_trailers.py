"""Trailers: where git sees them, and where only a tolerant reader does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from citator.formats.trailers import CHERRY_PICK_KEY, find_trailers
from citator.model.document import Strength, Trailer
from tests.support.builder import Builder


def strong(key: str, value: str) -> Trailer:
    return Trailer(key, value, Strength.STRONG)


def weak(key: str, value: str) -> Trailer:
    return Trailer(key, value, Strength.WEAK)


def found(message: str) -> list[Trailer]:
    return list(find_trailers(message.split("\n")).trailers)


def test_the_trailing_block_is_strong_under_any_key() -> None:
    message = (
        "Cut the cache\n\nIt was stale.\n\nFixes: #12\nX-Team: storage\nsigned-off-by: A <a@b.c>"
    )
    assert found(message) == [
        strong("Fixes", "#12"),
        strong("X-Team", "storage"),
        strong("Signed-off-by", "A <a@b.c>"),
    ]


def test_a_blank_line_before_a_sign_off_leaves_the_earlier_trailers_weak() -> None:
    message = "Cut\n\nWhy.\n\nFixes: #12\nReviewed-by: B\n\nSigned-off-by: A"
    assert found(message) == [
        weak("Fixes", "#12"),
        weak("Reviewed-by", "B"),
        strong("Signed-off-by", "A"),
    ]


def test_a_trailer_in_mid_body_of_a_squash_is_weak() -> None:
    message = (
        "Add (#7)\n\n* First\n\n  Supersedes: the old pool\n\n* Ruled-out: threads\n\nMore text."
    )
    assert found(message) == [
        weak("Supersedes", "the old pool"),
        weak("Ruled-out", "threads"),
    ]


def test_an_unknown_key_in_the_body_is_prose() -> None:
    assert found("Title\n\nNote: this is a sentence.\n\nAnd more.") == []


def test_folded_values_are_joined_by_one_space() -> None:
    message = "Title\n\nAlternative-Rejected: a queue,\n  because it\n\treorders\nLimit: 5 per host"
    assert found(message) == [
        strong("Alternative-Rejected", "a queue, because it reorders"),
        strong("Limit", "5 per host"),
    ]


def test_a_folded_weak_value_stops_at_the_next_trailer() -> None:
    message = "Title\n\nPremise: the disk\n  is local\n  Warn: not on NFS\n\nText."
    assert found(message) == [weak("Premise", "the disk is local"), weak("Warn", "not on NFS")]


def test_a_cherry_pick_names_its_commit() -> None:
    origin = "a" * 40
    message = f"Title\n\nText.\n\n(cherry picked from commit {origin})\nSigned-off-by: A"
    assert found(message) == [strong(CHERRY_PICK_KEY, origin), strong("Signed-off-by", "A")]
    assert found(f"Title\n\n(cherry picked from commit {origin})\n\nText.") == [
        weak(CHERRY_PICK_KEY, origin)
    ]


@pytest.mark.parametrize(
    "body",
    [
        "```\nFixes: #1\n```\n\nText.",
        "> Fixes: #1\n\nText.",
        "    Fixes: #1\n\nText.",
        "~~~~\n```\nFixes: #1\n~~~~\n\nText.",
    ],
)
def test_code_and_quotations_hold_no_trailers(body: str) -> None:
    assert found(f"Title\n\n{body}") == []


def test_a_fence_that_closes_does_not_hide_what_follows() -> None:
    assert found("Title\n\n```\nx\n```\nFixes: #1\n\nText.") == [weak("Fixes", "#1")]


def test_the_title_holds_no_trailers() -> None:
    assert found("Fixes: #1") == []
    assert found("Fixes: #1\nSigned-off-by: A") == []


def test_an_address_is_no_trailer() -> None:
    assert found("Title\n\nText.\n\nhttps://example.org/x\nSigned-off-by: A") == [
        strong("Signed-off-by", "A")
    ]


def test_the_lines_of_trailers_are_known() -> None:
    lines = ["Title", "", "Why.", "", "Fixes: #1", "  and #2", "Signed-off-by: A"]
    assert find_trailers(lines).lines == frozenset({4, 5, 6})


def test_a_list_of_conflicts_after_the_block_does_not_hide_it() -> None:
    message = "Title\n\nWhy.\n\nSigned-off-by: A\n\nConflicts:\n\tsrc/a.c\n\tsrc/b.c\n"
    assert found(message) == [strong("Signed-off-by", "A")]


def test_nothing_comes_of_nothing() -> None:
    assert found("") == []
    assert find_trailers([]).trailers == ()


LINES = [
    *("", "", "Some prose here", "more: than one word here: yes", "Key: value", "Bad key: v"),
    *("Signed-off-by: A <a@b.c>", "Fixes: #1", " folded", "\tfolded", "# comment"),
    *("(cherry picked from commit 0123456789abcdef0123456789abcdef01234567)", "Key:", "K : v"),
    *("Conflicts:", "\tsrc/a.c", ":value", "-x-: y", "Key-1: v", "é: v"),
]


def test_the_trailing_block_is_the_one_git_draws(tmp_path: Path) -> None:
    """git itself is asked about two thousand messages."""
    pick = random.Random(7)
    bodies = [pick.choices(LINES, k=pick.randint(1, 9)) for _ in range(2_000)]
    messages = ["\n".join([f"Title {n}", "", *body]) for n, body in enumerate(bodies)]
    told = git_trailers(tmp_path, messages)
    for message, expected in zip(messages, told, strict=True):
        ours = [
            (trailer.key.lower(), trailer.value)
            for trailer in found(message)
            if trailer.strength is Strength.STRONG and trailer.key != CHERRY_PICK_KEY
        ]
        assert ours == expected, message
    assert sum(map(len, told)) > 1_000


def git_trailers(folder: Path, messages: list[str]) -> list[list[tuple[str, str]]]:
    """(key, value) of each trailer that git's own parser sees in each message."""
    built = Builder.init(folder / "repo", bare=True)
    stream = [
        f"commit refs/heads/m{number}\ncommitter A <a@b.c> 1 +0000\n"
        f"data {len(message.encode()) + 1}\n{message}\n\n"
        for number, message in enumerate(messages)
    ]
    built.git("fast-import", "--quiet", stdin="".join(stream).encode())
    form = "--format=%x01%s%n%(trailers:only,unfold)"
    output = built.git("log", "--branches", "--no-walk", form).decode()
    blocks = {block.partition("\n")[0]: block for block in output.split("\x01")[1:]}
    return [_pairs(blocks[message.partition("\n")[0]]) for message in messages]


def _pairs(block: str) -> list[tuple[str, str]]:
    lines = [line.partition(":") for line in block.split("\n")[1:]]
    return [
        (key.strip().lower(), " ".join(value.split()))
        for key, _, value in lines
        if key and not key.startswith("(cherry picked")
    ]
