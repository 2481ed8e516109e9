"""What is indexed and what is asked become the same terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.index.analysis import Analyser


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    return Analyser()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Caching caches", ["cach", "cach"]),
        ("don't it's the users’ user’s", ["dont", "it", "the", "user", "user"]),
        ("l'index qu’avant dell'indice I'm", ["index", "avant", "indic", "im"]),
        ("café cafe\u0301 CAFÉ", ["cafe", "cafe", "cafe"]),
        ("Grössenänderung", ["grossenanderung"]),
        ("straße", ["strass"]),
        ("release 2.4.1 and v2.4", ["releas", "2.4.1", "2", "4", "1", "and", "2.4", "2", "4"]),
        ("it ends at 1.", ["it", "end", "at", "1"]),
        ("____ - ''", []),
    ],
)
def test_words_are_folded_and_stemmed(analyser: Analyser, text: str, terms: list[str]) -> None:
    assert analyser.terms(text) == terms


@pytest.mark.parametrize("written", ["FeatureFlag", "feature_flag", "featureFlag", "FEATURE_FLAG"])
def test_an_identifier_is_one_term_whole_however_it_is_written_and_one_for_each_part(
    analyser: Analyser, written: str
) -> None:
    assert analyser.terms(written) == ["featureflag", "featur", "flag"]


@pytest.mark.parametrize(
    ("written", "terms"),
    [
        ("HTTPServerError", ["httpservererror", "http", "server", "error"]),
        ("__init__", ["init"]),
        ("x11", ["x11", "x", "11"]),
        ("a_b_c_d_e_f_g", ["a", "b", "c", "d", "e", "f", "g"]),
    ],
)
def test_parts_of_identifiers(analyser: Analyser, written: str, terms: list[str]) -> None:
    assert analyser.terms(written) == terms


def test_object_ids_stay_whole_and_english_words_of_hexadecimal_letters_stay_words(
    analyser: Analyser,
) -> None:
    assert analyser.terms("fixes 12CE6A51164722 in a decade") == [
        "fix",
        "12ce6a51164722",
        "in",
        "a",
        "decad",
    ]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("使用PostgreSQL数据库", ["使用", "postgresql", "postgr", "sql", "数据", "据库"]),
        ("中", ["中"]),
        ("한국어", ["한국", "국어"]),
        ("שָׁלוֹם שלום", ["שלום", "שלום"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("می\u200cخواهم", ["میخواهم"]),
    ],
)
def test_scripts_without_spaces_become_pairs_and_marks_never_break_a_word(
    analyser: Analyser, text: str, terms: list[str]
) -> None:
    assert analyser.terms(text) == terms


@given(st.text(max_size=200))
def test_any_text_becomes_terms_that_an_index_of_words_can_hold(text: str) -> None:
    for term in Analyser().terms(text):
        assert term
        assert not any(char.isspace() for char in term)


def test_a_term_of_ascii_letters_asked_again_is_found_again(analyser: Analyser) -> None:
    once = analyser.terms("Rebuild the lexicalIndex when schema_version moves")
    assert analyser.terms("rebuild THE LexicalIndex when schemaVersion moves") == once
