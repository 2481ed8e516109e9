"""What each line of a Markdown text is, compared with a CommonMark parser."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from citator.formats.markdown import Heading, LineKind, outline


def headings(text: str) -> list[tuple[int, int, int, str]]:
    return [
        (one.start, one.end, one.level, one.title) for one in outline(text.split("\n")).headings
    ]


def kinds(text: str) -> list[LineKind]:
    return [LineKind(kind) for kind in outline(text.split("\n")).kinds]


def test_both_forms_of_heading_are_found_with_their_level_and_title() -> None:
    text = "# One\n\nText\n\nTwo\nwords\n---\n### Three ###\n#\n####### not\n#not"
    assert headings(text) == [
        (0, 0, 1, "One"),
        (4, 6, 2, "Two words"),
        (7, 7, 3, "Three"),
        (8, 8, 1, ""),
    ]


@pytest.mark.parametrize(
    ("title", "expected"),
    [("# a #", "a"), ("# a#", "a#"), ("# #", ""), ("#  a  ##  ", "a"), ("# a \\#", "a \\#")],
)
def test_closing_marks_belong_to_no_title(title: str, expected: str) -> None:
    assert outline([title]).headings == (Heading(0, 0, 1, expected),)


@pytest.mark.parametrize(
    "text",
    [
        "```\n# in a fence\n```",
        "~~~ md\n# in a fence\n```\n# still\n~~~",
        "    # indented",
        "\t# indented",
        "<!--\n# in a comment\n-->",
        "<div>\n# in HTML\n</div>",
        "<script>\n\n# in a script\n</script>",
        "> # quoted",
        "- # in a list",
        "- item\n\n  # in a list",
        "1. item\n\n   # in a list",
        "> text\nlazy\n===",
        "#nospace",
        "\\# escaped",
        "```\n# a fence that never closes",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert headings(text) == []


def test_each_line_has_its_kind() -> None:
    text = (
        "Text\n\n# H\n- item\n  more\n\n> q\n```\ncode\n\ncode\n```\n    ind\n<!-- c\nc -->\nT\n="
    )
    assert kinds(text) == [
        *(LineKind.TEXT, LineKind.BLANK, LineKind.HEADING, LineKind.LIST, LineKind.LIST),
        *(LineKind.BLANK, LineKind.QUOTE, LineKind.CODE, LineKind.CODE, LineKind.CODE),
        *(LineKind.CODE, LineKind.CODE, LineKind.CODE, LineKind.HTML, LineKind.HTML),
        *(LineKind.HEADING, LineKind.HEADING),
    ]


def test_code_in_a_list_is_code() -> None:
    assert kinds("- a\n\n  ```\n  b\n  ```\n  c")[2:] == [
        *(LineKind.CODE, LineKind.CODE, LineKind.CODE, LineKind.LIST)
    ]


def test_an_empty_text_has_no_structure() -> None:
    assert outline([]).kinds == b""
    assert outline([""]).headings == ()


# Without lines indented by four or more: there the two parsers read one corner of lazy
# continuation differently, and CommonMark's own rules agree with this one.
NESTED = st.sampled_from(
    [
        *("", "", "# h", "## h ##", "#no", "   # h3", "foo", "bar baz", "===", "---", "- item"),
        *("-", "  cont", "* x", "1. one", "2. two", "10) ten", "> q", ">", "> # q", "> - a"),
        *(
            "  # inl",
            "```",
            "~~~",
            "````",
            "   ```",
            "```py",
            "`` x",
            "<!-- c",
            "-->",
            "<!-- x -->",
        ),
        *("<div>", "</div>", "<b>", "<b> x", "<script>", "</script>", "- - a", "-   # h", "***"),
        *("* * *", "___", "_x", "<?php", "?>", "   ===", "+ a", "  - sub", ">> qq", "  > q"),
        *("-     code", "- ```", "  ```", "> ```", "#", "# #", "= =", "lazy", '<a href="x">'),
        *(
            "<a href=x",
            "1) x",
            "0. z",
            "> foo",
            "- # x",
            "   1. x",
            "> ===",
            "- ---",
            "</pre>",
            "```x`",
        ),
    ]
)
FLAT = st.sampled_from(
    [
        *("", "", "# h", "## h ##", "foo", "===", "---", "    # code", "    ```", "```", "\tfoo"),
        *("\t# t", "     ===", "~~~", "<!-- c", "-->", "<div>", "</div>", "***", "      six"),
        *("[a]: /u", "<pre>", "</pre>", "`` x", "  lazy", "#", "    "),
    ]
)


def told(lines: list[str]) -> list[tuple[int, int, int]]:
    tokens = MarkdownIt("commonmark").parse("\n".join(lines))
    return [
        (token.map[0], token.map[1] - 1, int(token.tag[1]))
        for token in tokens
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(NESTED, max_size=9) | st.lists(FLAT, max_size=9))
@example(["> text", "lazy", "==="])
@example(["- a", "---"])
@example(["```", "# x"])
def test_the_headings_are_those_of_a_commonmark_parser(lines: list[str]) -> None:
    assert [(one.start, one.end, one.level) for one in outline(lines).headings] == told(lines)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet="#-=>*` \t~<!/ab1.\n", max_size=200))
def test_any_text_has_one_kind_a_line_and_headings_in_order(text: str) -> None:
    lines = text.split("\n")
    found = outline(lines)
    assert len(found.kinds) == len(lines)
    ends = -1
    for heading in found.headings:
        assert ends < heading.start <= heading.end < len(lines)
        ends = heading.end


@pytest.mark.parametrize(
    "text",
    [
        ">" * 200_000,
        "- " * 100_000 + "x",
        "# x" + " " * 200_000 + "y",
        "a\n" + "- " * 100_000 + "x",
        "<a " + "b " * 100_000,
        "[a]: " + "x " * 100_000,
        "\n".join("  " * depth + "- x" for depth in range(400)),
        "`" * 200_000 + "x`",
    ],
)
def test_hostile_text_is_read_in_one_pass(text: str) -> None:
    """Each of these takes minutes where a pattern goes back over what it read."""
    lines = text.split("\n")
    assert len(outline(lines).kinds) == len(lines)
