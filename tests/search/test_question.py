"""What is read out of a question as typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.index.analysis import Analyser
from citator.search.question import MAX_NAMED, MAX_WORDS, Question, parse


def words(text: str, analyser: Analyser) -> list[str]:
    return [word.text for word in parse(text, analyser).words]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("why did we delete the old cache", ["delete", "old", "cache"]),
        ("How come the login doesn't use OAuth?", ["login", "use", "OAuth"]),
        ("UI", ["UI"]),
        ("what about the compliance suite", ["compliance", "suite"]),
        ("por que el techo de skills es cinco", ["techo", "skills", "cinco"]),
        ("pourquoi la garde de la clé a-t-elle été choisie", ["garde", "clé", "choisie"]),
        ("warum ist die Freigabe an den Digest gebunden", ["Freigabe", "Digest", "gebunden"]),
        ("why does the parser die", ["parser", "die"]),
        ("why is there no `no-op` mode", ["op", "mode"]),
        ("为什么选择 SQLite", ["选择", "SQLite"]),
        ("なぜキャッシュを消したのか", ["キャッシュを消したのか"]),
    ],
)
def test_words_that_only_ask_or_join_are_left_out_in_any_language(
    analyser: Analyser, text: str, left: list[str]
) -> None:
    assert words(text, analyser) == left


def test_words_that_join_are_kept_to_order_by_and_words_that_ask_are_not(
    analyser: Analyser,
) -> None:
    read = parse("why did we move the lock out of the store", analyser)
    assert [word.text for word in read.joining] == ["out", "of"]
    assert parse("por que no hay un lock en la store", analyser).joining == ()


def test_a_word_keeps_the_askers_spelling_beside_its_terms(analyser: Analyser) -> None:
    (word,) = parse("FeatureFlags?", analyser).words
    assert word.text == "FeatureFlags"
    assert word.terms == ("featureflag", "featur", "flag")


def test_words_with_the_same_terms_are_one(analyser: Analyser) -> None:
    assert words("cache caching CACHE caches", analyser) == ["cache"]


@pytest.mark.parametrize("text", ["", "   ", "why?", "what is it", "¿por qué?", "…", "????"])
def test_a_question_can_ask_nothing(analyser: Analyser, text: str) -> None:
    assert parse(text, analyser).asks_nothing


def test_what_is_named_exactly_is_kept_apart(analyser: Analyser) -> None:
    read = parse(
        'why did 12ce6a5 revert "fail closed" in src/app/core.py and docs/a.md for #123 and '
        "CORE-77, see commit:v1:0011223344",
        analyser,
    )
    assert read.hashes == ("12ce6a5",)
    assert read.quoted == ("fail closed",)
    assert read.paths == ("src/app/core.py", "docs/a.md")
    assert read.keys == ("#123", "CORE-77")
    assert read.refs == ("commit:v1:0011223344",)


@pytest.mark.parametrize(
    ("text", "hashes"),
    [
        ("the decade of a facade", ()),
        ("defaced 1234567 A1B2", ("defaced", "1234567", "a1b2")),
        ("in 2024 we had 1234 of them", ()),
        ("#1234567 and x/1234567 and 1234567-8", ()),
        ("f" * 65, ()),
    ],
)
def test_only_runs_that_could_be_object_ids_are_looked_up(
    analyser: Analyser, text: str, hashes: tuple[str, ...]
) -> None:
    assert parse(text, analyser).hashes == hashes


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("./src/a.py", ("src/a.py",)),
        ("README.md", ("README.md",)),
        ("src\\app\\core.py:12", ("src/app/core.py",)),
        ("docs/größe/日本.md", ("docs/größe/日本.md",)),
        ("see https://example.org/a/b.html", ()),
        ("version 2.4", ()),
    ],
)
def test_paths(analyser: Analyser, text: str, paths: tuple[str, ...]) -> None:
    assert parse(text, analyser).paths == paths


@pytest.mark.parametrize("text", ["“fail closed”", "«fail closed»", "« fail closed »"])
def test_quotation_marks_of_other_languages(analyser: Analyser, text: str) -> None:
    assert parse(text, analyser).quoted == ("fail closed",)


def test_hyphenated_words_are_also_written_as_one(analyser: Analyser) -> None:
    read = parse("pop-ups and state-of-the-art", analyser)
    assert [(word.text, word.terms) for word in read.joined] == [("pop-ups", ("popup",))]


def test_a_very_long_question_is_read_as_far_as_it_is_useful(analyser: Analyser) -> None:
    numbers = " ".join(f"word{letter}x" for letter in map(chr, range(0x3B1, 0x3B1 + 200)))
    read = parse(f"{numbers} " + "#1 #2 #3 #4 #5 #6 " + "x" * 100_000, analyser)
    assert len(read.words) == MAX_WORDS
    assert len(read.keys) <= MAX_NAMED


@given(st.text(alphabet=st.characters(), max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    read = parse(text, Analyser())
    assert isinstance(read, Question)
    assert all(word.text in text for word in read.words)


@given(st.text(alphabet='ab-"/.#:«”\\ \n19', max_size=400))
def test_text_full_of_marks_can_be_read(text: str) -> None:
    assert isinstance(parse(text, Analyser()), Question)
