"""Which decisions govern a path: asked under its folders, answered as every pattern says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from citator.formats.globs import compiled, problem_with
from citator.record.scopes import Scopes


def test_the_longest_pattern_comes_first_and_ties_by_id() -> None:
    scopes = Scopes(
        [
            ("B", ["src/**"]),
            ("A", ["src/**"]),
            ("C", ["**/*.py", "src/session/store.py"]),
            ("D", ["docs/**"]),
            ("E", []),
        ]
    )
    assert scopes.matching("src/session/store.py") == ["C", "A", "B"]
    assert scopes.matching("src/x.py") == ["C", "A", "B"]
    assert scopes.matching("x.py") == ["C"]
    assert scopes.matching("docs/x.md") == ["D"]
    assert scopes.matching("README.md") == []
    assert scopes.matching("") == []


def test_a_pattern_without_a_wildcard_governs_all_below_it() -> None:
    scopes = Scopes([("A", ["src/session"]), ("B", ["./docs/"]), ("C", ["Makefile"])])
    assert scopes.matching("src/session/deep/x.py") == ["A"]
    assert scopes.matching("src/session") == ["A"]
    assert scopes.matching("src/sessions") == []
    assert scopes.matching("docs/x") == ["B"]
    assert scopes.matching("docs") == []
    assert scopes.matching("Makefile") == ["C"]
    assert scopes.matching("sub/Makefile") == []


def test_a_pattern_that_cannot_be_used_governs_nothing() -> None:
    scopes = Scopes([("A", ["!src", "../x", "", "/", "a" * 600])])
    assert scopes.matching("src") == []


def test_patterns_are_of_whole_paths_with_their_case() -> None:
    scopes = Scopes([("A", ["src/*.py"]), ("B", ["Src/*.py"]), ("C", ["src/\\*.py"])])
    assert scopes.matching("src/a.py") == ["A"]
    assert scopes.matching("src/deep/a.py") == []
    assert scopes.matching("other/src/a.py") == []
    assert scopes.matching("src/*.py") == ["C", "A"]


def test_hostile_paths_and_patterns_end() -> None:
    scopes = Scopes([("A", ["*a" * 200 + "b"]), ("B", ["/".join(["**"] * 100) + "/x"])])
    assert scopes.matching("a" * 4_000) == []
    assert scopes.matching("/".join(["a"] * 1_000)) == []
    assert scopes.matching("a//b") == []


_segment = st.text("ab*?[]\\", min_size=1, max_size=4) | st.just("**")
_pattern = st.builds(
    lambda parts, lead, tail: lead + "/".join(parts) + tail,
    st.lists(_segment, min_size=1, max_size=4),
    st.sampled_from(["", "./"]),
    st.sampled_from(["", "/"]),
)
_path = st.lists(st.text("ab*[", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)


@settings(derandomize=True, max_examples=500, deadline=None)
@given(st.lists(_pattern, max_size=5), _path)
def test_what_is_filed_under_folders_is_what_every_pattern_says(
    patterns: list[str], path: str
) -> None:
    scopes = Scopes((f"{number}", [pattern]) for number, pattern in enumerate(patterns))
    expected = {
        f"{number}"
        for number, pattern in enumerate(patterns)
        if problem_with(pattern) is None and compiled(pattern).fullmatch(path)
    }
    assert set(scopes.matching(path)) == expected
