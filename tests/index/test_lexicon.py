"""The embedded words of one corpus: filled once, in bounds, and safe to share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citator.index.lexicon import Lexicon
from citator.index.wordspace import WordSpace
from citator.model.stop import Stop, Stopped, stoppable
from tests.support.word_space import word_space


@dataclass
class Corpus:
    """Words with counts, and how often they were asked for."""

    counts: dict[str, int]
    generation: int = 1
    asked: int = field(default=0)

    def words(self) -> Iterable[tuple[str, int]]:
        self.asked += 1
        return sorted(self.counts.items())


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> WordSpace:
    return word_space(tmp_path_factory)


class Counting(WordSpace):
    """A word space that counts what it embeds."""

    def __init__(self, space: WordSpace) -> None:
        self._inner = space
        self.embedded: list[str] = []

    @property
    def weights_sha256(self) -> str:
        return self._inner.weights_sha256

    def vectors(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[Any]]:
        self.embedded.extend(texts)
        return self._inner.vectors(texts)


COUNTS = {"server": 9, "ceiling": 4, "floor": 3, "five": 2, "license": 2, "seldom": 1}


def near(lexicon: Lexicon, space: WordSpace, word: str, above: float = 0.5) -> list[str]:
    return [one.word for one in lexicon.nearest(space.vectors([word]), above)[0]]


def rows_in(folder: Path) -> list[str]:
    (path,) = folder.glob("*.rows")
    raw = path.read_bytes()
    return [raw[at : at + 48].rstrip(b"\0").decode() for at in range(0, len(raw), 568)]


def test_finds_the_nearest_words_nearest_first(tmp_path: Path, space: WordSpace) -> None:
    lexicon = Lexicon(tmp_path, space)
    assert lexicon.fill(Corpus(COUNTS)) == 0
    assert near(lexicon, space, "techo") == ["ceiling", "floor"]
    assert near(lexicon, space, "servidor") == ["server"]
    assert near(lexicon, space, "xyzzy", above=0.9) == []
    assert lexicon.nearest(space.vectors([]), 0.5) == []


def test_a_cosine_is_that_of_the_space_to_a_hundredth(tmp_path: Path, space: WordSpace) -> None:
    lexicon = Lexicon(tmp_path, space)
    lexicon.fill(Corpus(COUNTS))
    found = list(lexicon.nearest(space.vectors(["techo"]), 0.8)[0])
    exact = float(space.vectors(["techo"])[0] @ space.vectors(["ceiling"])[0])
    assert found[0].word == "ceiling"
    assert abs(found[0].cosine - exact) < 0.01


def test_before_it_is_filled_it_knows_nothing(tmp_path: Path, space: WordSpace) -> None:
    assert near(Lexicon(tmp_path, space), space, "techo", above=0.1) == []


def test_takes_frequent_plain_words_and_those_that_are_always_in(
    tmp_path: Path, space: WordSpace
) -> None:
    odd = {"ab": 9, "x" * 25: 9, "it's": 9, "ок": 9, "сервер": 3, "服务器": 2}
    Lexicon(tmp_path, space, ["why"]).fill(Corpus(COUNTS | odd))
    assert rows_in(tmp_path) == [
        "why",
        "server",
        "ceiling",
        "floor",
        "сервер",
        "five",
        "license",
        "服务器",
    ]


def test_embeds_only_what_is_new(tmp_path: Path, space: WordSpace) -> None:
    counting = Counting(space)
    Lexicon(tmp_path, counting, ["why"]).fill(Corpus({"server": 5, "ceiling": 4}))
    assert counting.embedded == ["why", "server", "ceiling"]
    later = Corpus({"server": 5, "ceiling": 4, "floor": 4}, generation=2)
    Lexicon(tmp_path, counting, ["why"]).fill(later)
    assert counting.embedded == ["why", "server", "ceiling", "floor"]
    assert rows_in(tmp_path) == ["why", "server", "ceiling", "floor"]


def test_a_word_that_left_the_corpus_is_nowhere_any_more(tmp_path: Path, space: WordSpace) -> None:
    counting = Counting(space)
    lexicon = Lexicon(tmp_path, counting)
    lexicon.fill(Corpus({"server": 5, "ceiling": 4, "hunter": 3}))
    assert near(lexicon, space, "cazador") == ["hunter"]
    lexicon.fill(Corpus({"server": 5, "ceiling": 4, "floor": 4}, generation=2))
    assert near(lexicon, space, "cazador") == []
    assert near(lexicon, space, "techo") == ["ceiling", "floor"]
    assert counting.embedded == ["server", "ceiling", "hunter", "floor"]
    assert not any(b"hunter" in path.read_bytes() for path in tmp_path.iterdir())


def test_is_a_function_of_the_generation_alone(tmp_path: Path, space: WordSpace) -> None:
    grown, fresh = Lexicon(tmp_path / "grown", space), Lexicon(tmp_path / "fresh", space)
    words = {"server": 5, "ceiling": 4, "floor": 4}
    grown.fill(Corpus({"server": 5, "roof": 9}))
    for lexicon in (grown, fresh):
        lexicon.fill(Corpus(words, generation=2))
    for word in ("techo", "servidor"):
        assert near(grown, space, word, above=0.3) == near(fresh, space, word, above=0.3)


def test_one_that_is_open_sees_what_another_process_filled(
    tmp_path: Path, space: WordSpace
) -> None:
    first, second = Lexicon(tmp_path, space), Lexicon(tmp_path, space)
    first.fill(Corpus({"server": 5, "roof": 9}))
    assert near(first, space, "techo") == ["roof"]
    second.fill(Corpus({"server": 5, "ceiling": 4}, generation=2))
    assert near(first, space, "techo") == ["ceiling"]


def test_a_generation_that_is_done_is_not_read_again(tmp_path: Path, space: WordSpace) -> None:
    lexicon, corpus = Lexicon(tmp_path, space), Corpus(COUNTS)
    lexicon.fill(corpus)
    lexicon.fill(corpus)
    assert corpus.asked == 1
    corpus.generation = 2
    lexicon.fill(corpus)
    assert corpus.asked == 2


def test_fills_in_bounds_the_most_frequent_first_and_says_what_is_left(
    tmp_path: Path, space: WordSpace
) -> None:
    lexicon, corpus = Lexicon(tmp_path, space, ["why"]), Corpus(COUNTS)
    assert lexicon.fill(corpus, limit=2) == 3
    assert rows_in(tmp_path) == ["why", "server", "ceiling"]
    assert near(lexicon, space, "techo") == ["ceiling"]
    assert lexicon.fill(corpus, limit=2) == 0
    assert near(lexicon, space, "techo") == ["ceiling", "floor"]


def test_a_file_that_was_cut_short_is_made_anew(tmp_path: Path, space: WordSpace) -> None:
    corpus = Corpus({"server": 5, "ceiling": 4})
    Lexicon(tmp_path, space).fill(corpus)
    (path,) = tmp_path.glob("*.rows")
    path.write_bytes(path.read_bytes()[:-1])
    lexicon = Lexicon(tmp_path, space)
    assert near(lexicon, space, "techo") == []
    lexicon.fill(corpus)
    assert rows_in(tmp_path) == ["server", "ceiling"]
    assert near(lexicon, space, "techo") == ["ceiling"]


def test_what_a_killed_process_left_behind_the_end_is_not_there(
    tmp_path: Path, space: WordSpace
) -> None:
    Lexicon(tmp_path, space).fill(Corpus({"server": 5, "ceiling": 4}))
    (path,) = tmp_path.glob("*.rows")
    path.write_bytes(path.read_bytes() + path.read_bytes()[:700])
    lexicon = Lexicon(tmp_path, space)
    assert near(lexicon, space, "servidor") == ["server"]
    lexicon.fill(Corpus({"server": 5, "ceiling": 4, "floor": 3}, generation=2))
    assert rows_in(tmp_path) == ["server", "ceiling", "floor"]


def test_a_damaged_record_is_never_an_answer_and_all_is_made_anew(
    tmp_path: Path, space: WordSpace
) -> None:
    corpus = Corpus({"server": 5, "ceiling": 4})
    Lexicon(tmp_path, space).fill(corpus)
    (path,) = tmp_path.glob("*.rows")
    raw = bytearray(path.read_bytes())
    raw[568] ^= 1  # the first letter of the second word
    path.write_bytes(raw)
    lexicon = Lexicon(tmp_path, space)
    assert near(lexicon, space, "techo") == []
    assert lexicon.fill(corpus) == 0
    assert near(lexicon, space, "techo") == ["ceiling"]


TRAVERSAL = b'{"generation": 1, "left": 0, "name": "../words.rows", "rows": 1}'


@pytest.mark.parametrize(
    "state", [b"", b"{", b"[]", b'{"generation": 1}', b'{"left": 0}', TRAVERSAL]
)
def test_a_damaged_state_is_read_as_none(tmp_path: Path, space: WordSpace, state: bytes) -> None:
    Lexicon(tmp_path, space).fill(Corpus(COUNTS))
    (path,) = tmp_path.glob("*.json")
    path.write_bytes(state)
    assert Lexicon(tmp_path, space).fill(Corpus(COUNTS)) == 0
    said = json.loads(path.read_bytes())
    assert (said["generation"], said["left"]) == (1, 0)
    assert len(rows_in(tmp_path)) == 5


def test_a_fill_that_is_stopped_keeps_nothing_half_done(tmp_path: Path, space: WordSpace) -> None:
    lexicon, stop = Lexicon(tmp_path, space), Stop()
    stop.request()
    with stoppable(stop), pytest.raises(Stopped):
        lexicon.fill(Corpus(COUNTS))
    assert lexicon.fill(Corpus(COUNTS)) == 0
    assert near(lexicon, space, "techo") == ["ceiling", "floor"]
