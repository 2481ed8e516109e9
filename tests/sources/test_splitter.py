"""Passages: bounded, whole, and cut where a reader would cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.formats.markdown import outline
from citator.model.reference import DocumentKind, is_ref, make_ref
from citator.sources.splitter import CAP, TARGET, Piece, passages, split_markdown, split_message
from citator.sources.versions import VERSIONS

PARAGRAPH = "A reason that takes a line of about this length.\n" * 8  # 392 characters


def message(text: str) -> list[Piece]:
    lines = text.strip("\n").split("\n")
    return split_message(lines, "\n".join(lines))


def markdown(text: str) -> list[Piece]:
    lines = text.split("\n")
    return split_markdown(lines, outline(lines))


def ranges(pieces: list[Piece]) -> list[tuple[int, int]]:
    return [(piece.start, piece.end) for piece in pieces]


def test_a_short_message_is_one_passage() -> None:
    assert message("Title\n\nBody.\n") == [Piece(0, 2, "Title\n\nBody.")]


def test_later_passages_begin_at_paragraphs_and_the_title_stands_in_the_first() -> None:
    text = f"Title\n\n{PARAGRAPH}\n{PARAGRAPH}\n{PARAGRAPH}"
    assert ranges(message(text)) == [(0, 18), (20, 27)]
    assert message(text)[1].text == PARAGRAPH.strip("\n")


def test_a_short_last_paragraph_stays_with_the_one_before() -> None:
    text = f"Title\n\n{PARAGRAPH}\n{PARAGRAPH}\nShort end."
    assert ranges(message(text)) == [(0, 20)]


def test_a_paragraph_that_is_too_long_is_cut_between_lines() -> None:
    text = "Title\n\n" + "A line of a very long paragraph, again and again.\n" * 60
    pieces = message(text)
    assert all(len(piece.text) <= CAP for piece in pieces)
    assert ranges(pieces) == [(0, 0), (2, 19), (20, 37), (38, 55), (56, 61)]


def test_code_stays_whole_where_it_fits() -> None:
    code = "```\n" + "call(something, and, more)\n\n" * 20 + "```"
    text = f"Title\n\n{PARAGRAPH}\n{PARAGRAPH}\n{code}\n\nAfter."
    (piece,) = [piece for piece in message(text) if "```" in piece.text]
    assert piece.text.count("```") == 2


def test_one_giant_line_becomes_slices_of_that_line() -> None:
    line = "word " * 1000
    pieces = message(f"Title\n\n{line}")
    assert ranges(pieces) == [(0, 0), *[(2, 2)] * 6]
    assert "".join(piece.text for piece in pieces[1:]) == line.rstrip() or (
        "".join(piece.text for piece in pieces[1:]) == line
    )
    assert all(piece.text.startswith("word") for piece in pieces[1:])


def test_a_giant_line_without_spaces_is_cut_at_the_target() -> None:
    pieces = message("x" * 5000)
    assert [len(piece.text) for piece in pieces] == [TARGET] * 5 + [500]


def test_a_heading_begins_a_passage_and_keeps_its_text() -> None:
    text = f"# One\n\n{PARAGRAPH}\n## Two\n\n{PARAGRAPH}\n## Three\n\n{PARAGRAPH}"
    assert [piece.text.split("\n")[0] for piece in markdown(text)] == [
        "# One",
        "## Two",
        "## Three",
    ]


def test_small_sections_share_a_passage() -> None:
    text = "# T\n\n## Status\n\nAccepted\n\n## Context\n\nShort.\n\n## Decision\n\nShort too.\n"
    assert len(markdown(text)) == 1


def test_a_run_of_headings_stays_with_the_text_under_the_last() -> None:
    text = f"{PARAGRAPH}\n# A\n## B\n### C\n\n{PARAGRAPH}"
    assert [piece.text.split("\n")[0] for piece in markdown(text)][1] == "# A"


def test_a_setext_heading_is_not_cut_from_its_underline() -> None:
    text = f"{PARAGRAPH}\nTitle over\ntwo lines\n===\n{PARAGRAPH}"
    assert markdown(text)[1].text.startswith("Title over\ntwo lines\n===\n")


def test_a_heading_at_the_end_is_a_passage() -> None:
    assert [piece.text for piece in markdown(f"{PARAGRAPH}\n# End")][-1] == "# End"


def test_a_reference_covers_lines_text_and_versions() -> None:
    (passage,) = passages(DocumentKind.COMMIT, "a" * 40, [Piece(0, 2, "T\n\nB")])
    assert (passage.start, passage.end, passage.text) == (1, 3, "T\n\nB")
    assert passage.ref == make_ref(DocumentKind.COMMIT, "a" * 40, (1, 3), "T\n\nB", VERSIONS)
    assert is_ref(passage.ref)


LINES = st.lists(
    st.sampled_from(
        [
            *("", "", "text", "# H", "## H2", "===", "```", "- item", "> q", "    code", "| a |"),
            *("sentence " * 12, "x" * 400, "long line " * 300, "y" * 4000, "<!-- c", "-->"),
        ]
    ).map(str.rstrip),
    min_size=1,
    max_size=60,
)


@pytest.mark.parametrize("kind", ["message", "markdown"])
@settings(max_examples=150, deadline=None, derandomize=True)
@given(lines=LINES)
def test_every_line_is_in_one_passage_and_none_is_too_long(kind: str, lines: list[str]) -> None:
    text = "\n".join(lines).strip("\n")
    lines = text.split("\n")
    pieces = message(text) if kind == "message" else markdown(text)
    seen: dict[int, str] = {}
    last = -1
    for piece in pieces:
        assert 0 < len(piece.text) <= CAP or not text
        assert piece.start >= last
        if piece.start == piece.end and len(lines[piece.start]) > CAP:
            seen[piece.start] = seen.get(piece.start, "") + piece.text
        else:
            assert piece.text == "\n".join(lines[piece.start : piece.end + 1])
            assert piece.start > last or last == -1
            assert text == "" or (lines[piece.start] and lines[piece.end])
            seen.update({index: lines[index] for index in range(piece.start, piece.end + 1)})
        last = piece.end
    for index, line in enumerate(lines):
        assert not line or seen.get(index, "").rstrip() == line.rstrip()
