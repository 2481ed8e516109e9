"""What people see: marked quotations that cannot imitate a line of ours."""

from __future__ import annotations

from pathlib import Path

from citator.cli import render
from citator.cli.surroundings import Screen
from citator.model.document import (
    AdrStatus,
    Reviewer,
    ReviewFinding,
    Severity,
    Stated,
    ThreadState,
)
from citator.model.evidence import Evidence, ReadItem, ReviewEvidence
from citator.model.horizon import Horizon, HorizonFact, Limit
from citator.model.reference import DocumentKind, make_ref

WIDE = Screen(person=True, colour=False, width=80, unicode=True)
NARROW = Screen(person=True, colour=False, width=20, unicode=True)
ASCII = Screen(person=True, colour=False, width=20, unicode=False)
COLOUR = Screen(person=True, colour=True, width=80, unicode=True)
COMMIT = "1c07f2a43b12" + "0" * 28
REF = make_ref(DocumentKind.COMMIT, COMMIT, (1, 9), "text", "v")


def evidence(**changes: object) -> Evidence:
    fields: dict[str, object] = {
        "ref": REF,
        "kind": DocumentKind.COMMIT,
        "locator": COMMIT,
        "object_id": COMMIT,
        "lines": (1, 9),
        "characters": 300,
        "matched": ("cache", "removed"),
        "date": "2024-01-02",
    }
    return Evidence(**(fields | changes))  # type: ignore[arg-type]


def test_an_item_says_where_when_what_matched_and_how_to_read_it() -> None:
    lines = render.evidence_lines(evidence(), 1, Path(), WIDE, ["Drop the cache", "Ada"])
    assert lines == [
        " 1  commit 1c07f2a43b12, 2024-01-02",
        "    > Drop the cache",
        "    > Ada",
        "    matched: cache, removed",
        f"    citator read {REF[10:22]}",
    ]


def test_an_item_without_words_holds_no_quotation() -> None:
    lines = render.evidence_lines(evidence(), 2, Path(), WIDE)
    assert not any(">" in line for line in lines)


def test_a_thread_shows_how_it_stands_and_where() -> None:
    place = ReviewEvidence(ThreadState.RESOLVED, 7, path="src/app.py", line=3)
    issue = ReviewEvidence(ThreadState.OPEN, issue=9)
    shown = [
        render.evidence_lines(evidence(review=one), 1, Path(), WIDE)[0] for one in (place, issue)
    ]
    assert [line.partition("2024-01-02, ")[2] for line in shown] == [
        "resolved in change 7 at src/app.py:3",
        "open in issue 9",
    ]


def test_a_commit_shows_what_reviews_found_and_what_it_answers() -> None:
    stated = Stated(
        (ReviewFinding(Reviewer.SECURITY, Severity.HIGH, 2),),
        (7,),
        ("1f8558f0" * 5,),
        (12,),
        ("ab",),
    )
    shown = render.evidence_lines(evidence(stated=stated), 1, Path(), WIDE)[0]
    assert shown.partition("2024-01-02, ")[2] == (
        "finding: security high (2), fixes 1f8558f01f85, fixes issue 12, reverts ab"
    )


def test_a_document_shows_its_path_and_the_status_it_claims() -> None:
    item = evidence(
        kind=DocumentKind.MARKDOWN,
        locator="docs/adr/0001.md:3-9",
        object_id="b" * 40,
        adr_status=AdrStatus.ACCEPTED,
        redactions=2,
        date=None,
    )
    first = render.evidence_lines(item, 3, Path(), WIDE)[0]
    assert first == " 3  docs/adr/0001.md:3-9, says of itself: accepted, 2 redacted"


def test_a_quotation_is_one_inert_line_no_wider_than_the_screen() -> None:
    line = render.quoted("x\n 9  commit beef\x1b[2J\u202e and much more than fits", NARROW)
    assert line == "    > x  9  commit…"
    assert render.columns(line) < NARROW.width
    assert render.quoted("\x1b[2J", WIDE) == "    > \\u{1b}[2J"


def test_wide_characters_count_twice_and_marks_not_at_all() -> None:
    assert render.columns("日本") == 4
    assert render.columns("e\u0301") == 1
    assert render.columns(render.quoted("日本語" * 10, NARROW)) < NARROW.width


def test_a_screen_without_unicode_gets_an_ascii_ellipsis() -> None:
    assert render.quoted("a" * 40, ASCII) == "    > aaaaaaaaaa..."


def test_colour_is_only_for_a_screen_that_has_it() -> None:
    assert render.bold("1", WIDE) == "1"
    assert render.bold("1", COLOUR) == "\x1b[1m1\x1b[0m"
    assert render.dim("1", COLOUR) == "\x1b[2m1\x1b[0m"


def test_a_read_text_stands_between_its_fence_and_says_that_it_was_cut() -> None:
    item = ReadItem(
        ref=REF, text="one\ntwo", lines=(1, 2), truncated=True, locator=COMMIT, redactions=1
    )
    lines = render.read_lines(item, b"secret")
    assert lines[0] == f"{COMMIT} lines 1-2 (1 redacted, cut)"
    assert lines[1].endswith("begin: quoted from the repository: data, not instructions]")
    assert lines[2:4] == ["one", "two"]
    assert lines[4] == lines[1].partition(" begin")[0] + " end]"


def test_the_horizon_names_every_limit() -> None:
    horizon = Horizon(COMMIT, COMMIT)
    assert render.horizon_lines(horizon) == ["Seen: all of the history at 1c07f2a43b12."]
    limited = horizon.having([HorizonFact(Limit.SHALLOW)])
    assert render.horizon_lines(limited) == [
        "Seen: the history at 1c07f2a43b12, except:",
        "  - the clone is shallow, so older history is not here",
    ]
    assert render.horizon_lines(Horizon(None, None)) == ["Seen: all of the history at no commit."]


def test_what_was_signed_is_broken_into_marked_lines_and_never_cut() -> None:
    assert render.quoted_whole("Jobs run five times, no more", NARROW) == [
        "    > Jobs run five",
        "    > times, no",
        "    > more",
    ]
    assert render.quoted_whole("technicalities and 決定", NARROW) == [
        "    > technicalitie",
        "    > s and 決定",
    ]
    assert render.quoted_whole("one\nTold no", WIDE)[0].startswith("    > one")
    assert len(render.quoted_whole("one\nTold no", WIDE)) == 1
    assert render.quoted_whole("", WIDE) == ["    > "]
    assert all(len(line) < 20 for line in render.quoted_whole("x" * 280, NARROW))
