"""Spellings that a reader takes for the same fold to one; folding twice changes nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.record.folding import folded, rejection_key


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("Use Redis", "use redis"),
        ("  use\t\r\n redis  ", "use redis"),
        ("use-redis_now", "use redis now"),
        ("use ‐‑‒–—―−﹘﹣－⸺ redis", "use redis"),
        ("Ｕｓｅ　Ｒｅｄｉｓ", "use redis"),
        ("ﬁle", "file"),
        ("Straße", "strasse"),
        ("ΣΊΣΥΦΟΣ", "σiσuφoσ"),
        ("Crème brûlée", "creme brulee"),
        ("don’t “quote” «it»", "don't \"quote\" \"it"),
        ("Redis!?", "redis"),
        ("**Use** `Redis`~~!", "use redis"),
        ("レディス。", "レディス"),
        ("ﾚﾃﾞｨｽ", "レディス"),
        ("ريـــديس؟", "ريديس"),
        ("ﺭﻳﺪﻳﺲ", "ريديس"),
        ("रेडिस।", "रेडिस"),
        ("레디스", "레디스"),
        ("레디스", "레디스"),
        ("", ""),
        ("...", ""),
        ("\u200b", ""),
        ("\u3164", ""),
        ("C++", "c++"),
        ("C#", "c#"),
        ("node.js", "node.js"),
        ("2²", "22"),
    ],
)  # fmt: skip
def test_the_folded_form(value: str, form: str) -> None:
    assert folded(value) == form
    assert folded(form) == form


@pytest.mark.parametrize(
    "spelling",
    [
        "rеdis",  # Cyrillic
        "redіѕ",
        "rеdіѕ",
        "redιs",  # Greek
        "REDΙS",
        "redıs",  # dotless
        "redɩs",
        "REDİS",
        "r\u0336e\u0336d\u0336i\u0336s\u0336",  # struck through
        "r\u200de\u200dd\u2063is",
        "re\u00addis",
        "re\ufe0edis",
        "re\U000e0101dis",
        "\u2067redis\u2069",
        "\ufeffredis",
        "re\U000e0064\U000e007fdis",  # tags
        "𝓇ℯ𝒹𝒾𝓈",
        "ⓡⓔⓓⓘⓢ",
        "r\x00edis",
    ],
)
def test_look_alike_letters_and_invisible_ones_fold_away(spelling: str) -> None:
    assert folded(spelling) == "redis"


@pytest.mark.parametrize(
    ("spelling", "form"),
    [
        ("уаrn", "yarn"),
        ("ΝGINX", "nginx"),
        ("ΖooKeeper", "zookeeper"),
        ("Μysql", "mysql"),
        ("ΗBase", "hbase"),
        ("ΥARN", "yarn"),
        ("Вabеl", "babel"),
        ("Нadooр", "hadoop"),
        ("ӏambda", "lambda"),
        ("ѕԛӏ", "sql"),
    ],
)
def test_a_capital_is_taken_for_the_letter_that_it_is_drawn_like(spelling: str, form: str) -> None:
    assert folded(spelling) == form


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Redis", "Reds"),
        ("use redis", "useredis"),
        ("C", "C++"),
        ("C", "C#"),
        ("v1", "v2"),
        ("表", "裏"),
        ("は", "ほ"),
        ("ريديس", "ردييس"),
        ("не Redis", "Redis"),
        ("node.js", "node js"),
    ],
)
def test_other_words_stay_other_words(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@settings(derandomize=True, max_examples=600, deadline=None)
@given(st.text(max_size=20))
def test_folding_a_folded_form_changes_nothing(value: str) -> None:
    form = folded(value)
    assert folded(form) == form
    assert not any(unicodedata.category(one) in ("Cf", "Cc", "Cs") for one in form)


_letters = st.text(st.sampled_from("abkmnzüñжщгдλσωא字かカ아 "), max_size=15)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(_letters)
def test_case_and_normal_forms_are_all_one(value: str) -> None:
    form = folded(value)
    for other in (value.upper(), value.title(), f" {value}\u200b!"):
        assert folded(other) == form
    for kind in ("NFC", "NFD", "NFKC", "NFKD"):
        assert folded(unicodedata.normalize(kind, value)) == form


def test_a_key_is_of_value_kind_and_scope() -> None:
    key = rejection_key("Use Redis", "api", ["b", "a"])
    assert key == rejection_key("USE  REDIS!", "api", ["a", "b"])
    others = [
        rejection_key("Use Redis", None, ["a", "b"]),
        rejection_key("Use Redis", "api", ["a"]),
        rejection_key("Use Redis", "api", []),
        rejection_key("Use Kafka", "api", ["a", "b"]),
    ]
    assert len({key, *others}) == 5
    assert rejection_key("a\ud800b", None, []) == rejection_key("ab", None, [])
