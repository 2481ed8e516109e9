"""The part of YAML that is read, and what is refused."""

from __future__ import annotations

import pytest
import yaml

from citator.formats.yaml_safe import MAX_CHARACTERS, MAX_DEPTH, YamlProblem, load


@pytest.fixture(params=["as installed", "pure Python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both of PyYAML's parsers: a platform may lack the compiled one."""
    if request.param == "pure Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    return str(request.param)


def test_plain_data_is_read(parser: str) -> None:
    text = "a: 1\nb: [x, '1', 1.5, true, null]\nc:\n  d: |\n    two\n    lines\n"
    assert load(text).value == {
        "a": 1,
        "b": ["x", "1", 1.5, True, None],
        "c": {"d": "two\nlines\n"},
    }
    assert load(text).problems == ()


def test_words_that_yaml_1_1_takes_for_booleans_dates_and_octals_stay_text(parser: str) -> None:
    text = "a: yes\nb: off\nc: 2024-01-02\nd: 010\ne: 1_000\nf: 12:30\non: y\n1: n\n"
    assert load(text).value == {
        "a": "yes",
        "b": "off",
        "c": "2024-01-02",
        "d": "010",
        "e": "1_000",
        "f": "12:30",
        "on": "y",
        "1": "n",
    }


def test_a_key_that_stands_twice_means_neither(parser: str) -> None:
    found = load("a: 1\nb: 2\na: 3\n")
    assert found.value == {"b": 2}
    assert found.problems == (YamlProblem("repeated_key", 3),)
    assert found.readable
    assert load("x: {a: 1, a: 2}").value == {"x": {}}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: &x 1\nb: *x", "alias_refused"),
        ("a: &x [1]", "alias_refused"),
        ("<<: {a: 1}", "alias_refused"),
        ("a: !!python/object/apply:os.system [x]", "tag_refused"),
        ("a: !mine b", "tag_refused"),
        ("!!set {a}", "tag_refused"),
        ("{{ a }}: 1", "key_not_text"),
        ("? [a]\n: b", "key_not_text"),
        ("a: 1\n---\nb: 2", "many_documents"),
        ("a: b: c", "not_yaml"),
        ("a: [", "not_yaml"),
        ("\ta: 1", "not_yaml"),
        ("a: '", "not_yaml"),
        ("a: \x01", "not_yaml"),
        ('a: "\\ud800"', "not_yaml"),
        ("a: \ud800", "not_yaml"),
        ("[" * (MAX_DEPTH + 1), "too_deep"),
        ("a: " + "x" * MAX_CHARACTERS, "too_large"),
    ],
)
def test_what_is_refused_is_told_by_a_code(parser: str, text: str, code: str) -> None:
    found = load(text)
    assert [problem.code for problem in found.problems] == [code]
    assert found.value is None
    assert not found.readable


def test_a_problem_names_its_line(parser: str) -> None:
    assert load("a: 1\nb: !x y").problems == (YamlProblem("tag_refused", 2),)


def test_the_lines_of_top_keys_are_known(parser: str) -> None:
    assert load("a: 1\n\nb:\n  c: 2\n").lines == {"a": 1, "b": 3}


@pytest.mark.parametrize("text", ["", "# only a comment", "---\n", "~"])
def test_nothing_is_no_problem(parser: str, text: str) -> None:
    assert load(text).value is None
    assert load(text).readable


@pytest.mark.parametrize(
    "unit", ["[ ", "{a: ", "- ", "? ", "&a ", "a, ", "!", "[x ", '"', "k: v\n", "#", "%", "a:\n "]
)
def test_hostile_text_ends(parser: str, unit: str) -> None:
    load((unit * MAX_CHARACTERS)[:MAX_CHARACTERS])
