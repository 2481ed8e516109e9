"""Markdown becomes a closed part of HTML; nothing of the text becomes markup of its own."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.formats.html_text import to_html

ALLOWED = {
    *("h3", "h4", "h5", "h6", "p", "ul", "li", "pre", "code", "blockquote", "strong", "em"),
    *("span", "div", "table", "thead", "tbody", "tr", "th", "td"),
}


class Tags(HTMLParser):
    """Collects what a browser would take for markup."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        self.open.append(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)


def tags(text: str) -> Tags:
    parser = Tags()
    parser.feed(to_html(text, 3))
    parser.close()
    assert parser.open == []
    assert parser.attributes <= {"class", "scope", "tabindex", "role", "aria-label"}
    return parser


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("# One\n\nTwo", "<h3>One</h3>\n<p>Two</p>"),
        ("a **b** *c* `d*`", "<p>a <strong>b</strong> <em>c</em> <code>d*</code></p>"),
        ("- a\n- b\n  more", '<ul><li class="d0">a</li><li class="d0">b\nmore</li></ul>'),
        ("1. a", '<ul><li class="d0 n">1. a</li></ul>'),
        ("- [x] a", '<ul><li class="d0 n">\u2611 a</li></ul>'),
        ("```py\n<b>\n```", "<pre><code>&lt;b&gt;</code></pre>"),
        ("> said", "<blockquote><p>said</p></blockquote>"),
        (
            "[words](https://example.org/x)",
            "<p>words <span class=uri>(https://example.org/x)</span></p>",
        ),
        ("<script>x</script>", "<pre class=raw>&lt;script&gt;x&lt;/script&gt;</pre>"),
        ("a \u202e b", "<p>a \\u{202e} b</p>"),
        ("snake_case * 2", "<p>snake_case * 2</p>"),
    ],
)
def test_each_block_has_its_one_form(written: str, shown: str) -> None:
    assert to_html(written, 3) == shown


def test_a_table_has_a_head_and_rows() -> None:
    shown = to_html("| a | b |\n| --- | :-: |\n| 1 | `2` |")
    assert "<thead><tr><th scope=col>a</th><th scope=col>b</th></tr></thead>" in shown
    assert "<tbody><tr><td>1</td><td><code>2</code></td></tr></tbody>" in shown


def test_a_first_heading_that_repeats_the_title_is_left_out() -> None:
    assert to_html("# Use a Queue\n\nx", 3, "use a queue") == "<p>x</p>"


PIECES = [
    *("<script>alert(1)</script>", "</code></pre>", "<!--", "-->", "<![CDATA[", "]]>", '"', "'"),
    *("`", "``", "**", "*", "[a](javascript:alert(1))", "![x](data:text/html,x)", "|", "| --- |"),
    *(
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "> ",
        "    ",
        "```",
        "# ",
        "<img onerror=x>",
        "&lt;",
        "&",
        "x",
        " ",
    ),
    *("\u202e", "\u200b", "<a href=//x>", "</", "<", "\t", "=== ", "<?php", "<!DOCTYPE x>"),
]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_text_becomes_markup_of_its_own(text: str) -> None:
    tags(text)


def test_a_long_hostile_text_is_written_in_linear_time() -> None:
    for piece in ("`", "*a ", "[", "| ", "- ", "> ", "**", "<b ", "`` ` "):
        tags(piece * 20_000)


def test_every_level_of_heading_stays_below_the_pages_own() -> None:
    shown = to_html("\n\n".join(f"{'#' * level} h" for level in range(1, 7)), 3)
    assert re.findall(r"<h(\d)>", shown) == ["3", "4", "5", "6", "6", "6"]
