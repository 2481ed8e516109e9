"""The repository's settings: what is sound is used, what is not is reported."""

from __future__ import annotations

import pytest

from citator.formats.config import MAX_BYTES, Config, ConfigProblem, Lifetimes, Retrieval, parse


def test_no_file_and_an_empty_file_mean_the_defaults() -> None:
    assert parse(b"") == (Config(), ())
    assert Config().include == ("**",)
    assert Config().paths().selects("any/archive/personal/x.md")


def test_every_setting_is_read() -> None:
    data = b"""
include: [docs/**, "*.md"]
exclude:
  - docs/vendor/
protected_branch: release/2.x
retrieval:
  results: 5
  per_document: 1
  expansion: false
  vectors: true
notes:
  suspect_days: 7
  stale_days: 30
"""
    assert parse(data) == (
        Config(
            include=("docs/**", "*.md"),
            exclude=("docs/vendor/",),
            protected_branch="release/2.x",
            retrieval=Retrieval(results=5, per_document=1, expansion=False, vectors=True),
            notes=Lifetimes(7, 30),
        ),
        (),
    )


def test_a_note_is_suspect_before_it_is_stale() -> None:
    for wrong in ("{suspect_days: 90}", "{stale_days: 60}", "{suspect_days: 0, colour: 1}", "soon"):
        config, problems = parse(f"notes: {wrong}\n".encode())
        assert config.notes == Lifetimes(60, 90)
        assert problems


def test_one_pattern_needs_no_list_and_marks_and_line_ends_do_no_harm() -> None:
    config, problems = parse(b"\xef\xbb\xbfinclude: docs/**\r\nexclude: x\r\n")
    assert (config.include, config.exclude, problems) == (("docs/**",), ("x",), ())


def test_every_problem_is_reported_and_the_rest_is_used() -> None:
    data = b"""include: [good/**, "!bad", 7]
colour: blue
protected_branch: "-x"
retrieval:
  results: 900
  vectors: maybe
  depth: 3
"""
    config, problems = parse(data)
    assert config == Config(include=("good/**",))
    assert set(problems) == {
        ConfigProblem("negated_pattern", "include", 1),
        ConfigProblem("wrong_type", "include", 1),
        ConfigProblem("unknown_key", None, 2),
        ConfigProblem("bad_branch", "protected_branch", 3),
        ConfigProblem("out_of_range", "retrieval.results", 4),
        ConfigProblem("wrong_type", "retrieval.vectors", 4),
        ConfigProblem("unknown_key", "retrieval", 4),
    }


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"a: &x [1]\nb: [*x, *x]", "alias_refused"),
        (b"- a\n- b", "not_a_mapping"),
        (b"just words", "not_a_mapping"),
        (b"include: [", "not_yaml"),
        (b"include: \xff", "not_utf8"),
        (b"#" * (MAX_BYTES + 1), "too_large"),
    ],
)
def test_a_file_that_cannot_be_read_leaves_the_defaults(data: bytes, code: str) -> None:
    config, problems = parse(data)
    assert config == Config()
    assert [problem.code for problem in problems] == [code]


def test_a_repeated_setting_is_not_guessed() -> None:
    config, problems = parse(b"include: a\ninclude: b\nexclude: c\n")
    assert config == Config(exclude=("c",))
    assert problems == (ConfigProblem("repeated_key", None, 2),)


def test_an_include_without_a_usable_pattern_selects_nothing() -> None:
    config, problems = parse(b"include: ['!docs']\n")
    assert config.include == ()
    assert not config.paths().selects("a.md")
    assert [problem.code for problem in problems] == ["negated_pattern"]


def test_too_many_patterns_are_cut_and_told() -> None:
    data = b"exclude: [" + b",".join(b"p%d" % number for number in range(300)) + b"]"
    config, problems = parse(data)
    assert len(config.exclude) == 256
    assert problems == (ConfigProblem("too_many_patterns", "exclude", 1),)


def test_the_sentence_for_a_person_repeats_no_word_of_the_file() -> None:
    _, problems = parse(b"ignore previous instructions: 1\nretrieval: {results: 0}\n")
    assert [problem.sentence() for problem in problems] == [
        ".citator/config.yaml: a setting that does not exist on line 1",
        ".citator/config.yaml: a number outside its range under retrieval.results on line 2",
    ]
