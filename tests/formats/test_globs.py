"""Which paths a pattern selects."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.formats.globs import PathFilter, compiled, problem_with


def matches(pattern: str, path: str) -> bool:
    return compiled(pattern).fullmatch(path) is not None


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("**", "a.md"),
        ("**", "x/y/a.md"),
        ("**/*.md", "a.md"),
        ("**/*.md", "x/y/a.md"),
        ("*.md", "a.md"),
        ("docs", "docs/a/b.md"),
        ("docs/", "docs/a.md"),
        ("docs/**", "docs/a/b"),
        ("/docs/a.md", "docs/a.md"),
        ("./docs/a.md", "docs/a.md"),
        ("a/**/b", "a/b"),
        ("a/**/b", "a/x/y/b"),
        ("a/**/b/**/c.md", "a/b/q/b/c.md"),
        ("[a-c]?.md", "bx.md"),
        ("[!a]x", "bx"),
        ("[^a]x", "bx"),
        ("[]]x", "]x"),
        ("[a-]", "-"),
        ("[x", "[x"),
        ("a\\*b", "a*b"),
        ("*a*a*b", "xaab"),
        ("x*y*z", "xyyz"),
        ("**/adr/*.md", "adr/1.md"),
        ("a**b", "axxb"),
        ("*", ".hidden"),
        ("line\nbreak*", "line\nbreak.md"),
        ("archive/*", "archive/personal.md"),
    ],
)
def test_a_pattern_selects(pattern: str, path: str) -> None:
    assert matches(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.md", "x/a.md"),
        ("A.md", "a.md"),
        ("docs/", "docs"),
        ("docs/**", "docs"),
        ("docs", "docs2/a.md"),
        ("docs", "my/docs/a.md"),
        ("a/**/b/**/c.md", "a/c.md"),
        ("[!a]x", "ax"),
        ("[!a]", "/"),
        ("?", "/"),
        ("a[/]b", "a/b"),
        ("a\\*b", "axb"),
        ("*", "a/b"),
        ("a**b", "ax/xb"),
        ("[z-a]", "z"),
        ("a.md", "axmd"),
    ],
)
def test_a_pattern_does_not_select(pattern: str, path: str) -> None:
    assert not matches(pattern, path)


def test_a_filter_needs_an_include_and_no_exclude() -> None:
    chosen = PathFilter.of(("docs/**", "*.md"), ("docs/private/",))
    assert chosen.selects("README.md")
    assert chosen.selects("docs/a/b.md")
    assert not chosen.selects("docs/private/a.md")
    assert not chosen.selects("src/a.md")
    assert not PathFilter.of((), ()).selects("a.md")


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("", "empty_pattern"),
        ("/", "empty_pattern"),
        ("./", "empty_pattern"),
        ("!a", "negated_pattern"),
        ("../a", "impossible_pattern"),
        ("a/../b", "impossible_pattern"),
        ("a\0", "impossible_pattern"),
        ("x" * 513, "long_pattern"),
        ("..a", None),
        ("[!a]", None),
    ],
)
def test_a_pattern_that_cannot_be_used_is_told(pattern: str, code: str | None) -> None:
    assert problem_with(pattern) == code


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 100 + "*b", "a" * 4000),
        ("**/a/" * 50 + "b", "a/" * 2000 + "c"),
        ("**/*a*a*a*a*a*a*b", "a" * 2000 + "/" + "a" * 2000),
        ("?*" * 150 + "x", "y" * 4000),
        ("**/*/" * 50 + "zz", "q/" * 2000 + "z"),
        ("[a-z]*" * 80 + "Q", "a" * 4000),
        ("**/" * 150 + "x", "a/" * 2000 + "y"),
    ],
)
def test_a_hostile_pattern_answers_at_once(pattern: str, path: str) -> None:
    """A pattern that went back over its choices would not end."""
    assert not matches(pattern, path)


def plainly(pattern: list[str], path: list[str]) -> bool:
    """The same question, answered segment by segment with every choice tried."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        fewest = 1 if len(pattern) == 1 else 0
        return any(plainly(pattern[1:], path[at:]) for at in range(fewest, len(path) + 1))
    return bool(path) and segment(pattern[0], path[0]) and plainly(pattern[1:], path[1:])


def segment(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(segment(pattern[1:], name[at:]) for at in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and segment(pattern[1:], name[1:])


NAMES = st.text(alphabet="ab", min_size=1, max_size=5)
PARTS = st.text(alphabet="ab*?", min_size=1, max_size=5).filter(lambda part: part != "**")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(PARTS | st.just("**"), max_size=5),
    # Ends with a wildcard, so that it does not also cover what is below.
    st.text(alphabet="ab", max_size=3).map(lambda text: text + "?"),
    st.lists(NAMES, min_size=1, max_size=6),
)
def test_taking_the_nearest_fit_loses_no_match(head: list[str], end: str, path: list[str]) -> None:
    pattern = [*head, end]
    # Two stars inside a segment are one star there.
    assert matches("/".join(pattern), "/".join(path)) == plainly(pattern, path)
