"""The vector leg: exact about what is visible, and off rather than wrong."""

from __future__ import annotations

import dataclasses
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citator.index.encoders import Encoder, ModelContract, UseEncoder
from citator.index.history import TantivyHistory
from citator.index.protocol import Row, View, ViewChange
from citator.index.quantiser import quantised
from citator.index.sketch import sketched
from citator.index.vectors import MAX_PASSAGES, Filled, VectorLeg, fill, open_leg
from citator.model.document import Document
from citator.model.errors import LockedError
from citator.model.stop import Stop, Stopped, stoppable
from citator.store import locks
from tests.index.test_quantiser import unit_vectors
from tests.support.corpus import VERSIONS, batch, commit, key_of
from tests.support.word_space import word_space

Array = np.ndarray[Any, np.dtype[Any]]

TEXTS = [
    "the ceiling of skills is five because reviewers read no more",
    "an expired pack must not stop the server from starting",
    "choose the apache license because contributors know it",
    "bind the approval to the digest, a version can be moved",
    "hold the lock while the pointer is promoted",
    "the window flickers when the scrollbar is dragged",
]
HISTORY = [commit(number, f"change {number}", text) for number, text in enumerate(TEXTS)]
HIDDEN = [commit(f"h{n}", "draft", f"the server does not start, attempt {n}") for n in range(9)]


class Counting:
    """The default encoder, counting what it was asked for."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.encoded: list[str] = []

    @property
    def contract(self) -> ModelContract:
        return self._encoder.contract

    def queries(self, texts: Sequence[str]) -> Array:
        return self._encoder.queries(texts)

    def passages(self, texts: Sequence[str]) -> Array:
        self.encoded.extend(texts)
        return self._encoder.passages(texts)


class Other(Counting):
    """The same vectors under another contract."""

    @property
    def contract(self) -> ModelContract:
        return dataclasses.replace(super().contract, id="another model")


class Centred(Counting):
    """The same vectors, compared about their mean."""

    @property
    def contract(self) -> ModelContract:
        return dataclasses.replace(super().contract, centre=True)


@pytest.fixture(scope="module")
def use(tmp_path_factory: pytest.TempPathFactory) -> UseEncoder:
    return UseEncoder(word_space(tmp_path_factory))


@pytest.fixture
def encoder(use: UseEncoder) -> Counting:
    return Counting(use)


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[View, View]]:
    """A view of the history alone, and one of an index of nothing else."""
    folder = tmp_path_factory.mktemp("views")
    mixed = TantivyHistory(folder / "mixed", VERSIONS)
    mixed.build(batch("all", [*HIDDEN[:4], *HISTORY[:3], *HIDDEN[4:], *HISTORY[3:]]))
    alone = TantivyHistory(folder / "alone", VERSIONS)
    alone.build(batch("some", HISTORY))
    first, second = mixed.open(), alone.open()
    assert first is not None
    assert second is not None
    some = ViewChange(None, [key_of(one) for one in HISTORY])
    seen, whole = first.view("some", lambda: some), second.view("some")
    assert seen is not None
    assert whole is not None
    yield seen, whole
    first.close()
    second.close()


@pytest.fixture(scope="module")
def view(views: tuple[View, View]) -> View:
    return views[1]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "derived" / "vectors.sqlite"


def filled(path: Path, view: View, encoder: Encoder, budget: int | None = None) -> Filled:
    return fill(path, "v", view.statistics.passages, view.scan(), encoder, budget)


def leg(path: Path, view: View, encoder: Encoder) -> VectorLeg | None:
    return open_leg(path, "v", view.statistics.passages, encoder)


def answers(
    path: Path, view: View, encoder: Encoder, question: str, limit: int = 3
) -> list[tuple[str, float]]:
    found = leg(path, view, encoder)
    assert found is not None
    near = found.nearest(question, view, limit)
    rows = view.rows([ordinal for ordinal, _ in near])
    return [(row.text, score) for row, (_, score) in zip(rows, near, strict=True)]


def test_finds_what_a_question_in_another_language_means(
    path: Path, view: View, encoder: Counting
) -> None:
    assert filled(path, view, encoder) == Filled(6, 0)
    assert answers(path, view, encoder, "¿por qué no arranca el servidor?")[0][0] == TEXTS[1]
    assert answers(path, view, encoder, "licencia apache")[0][0] == TEXTS[2]


def test_scores_are_cosines_less_that_of_the_mean_passage(
    path: Path, view: View, encoder: Counting, use: UseEncoder
) -> None:
    filled(path, view, encoder)
    question = "why does an expired pack not stop the server"
    vectors = use.passages([f"change {n}\n{text}" for n, text in enumerate(TEXTS)])
    cosines = (vectors - vectors.mean(axis=0)) @ use.queries([question])[0]
    exact = dict(zip(TEXTS, cosines.tolist(), strict=True))
    found = answers(path, view, encoder, question, limit=6)
    assert [text for text, _ in found] == sorted(exact, key=lambda text: -exact[text])
    assert all(abs(score - exact[text]) < 0.01 for text, score in found)


def test_a_model_may_ask_for_cosines_about_the_mean(
    path: Path, view: View, use: UseEncoder
) -> None:
    centred = Centred(use)
    filled(path, view, centred)
    vectors = use.passages([f"change {n}\n{text}" for n, text in enumerate(TEXTS)])
    mean = vectors.mean(axis=0)
    query = use.queries(["licencia apache"])[0]
    about = (vectors - mean) / np.linalg.norm(vectors - mean, axis=1)[:, None]
    exact = about @ (query - mean) / np.linalg.norm(query - mean)
    found = answers(path, view, centred, "licencia apache", limit=6)
    assert [score for _, score in found] == pytest.approx(sorted(exact, reverse=True), abs=0.01)


def test_hidden_passages_are_never_found_and_change_nothing(
    tmp_path: Path, views: tuple[View, View], encoder: Counting
) -> None:
    seen, alone = views
    filled(tmp_path / "seen.sqlite", seen, encoder)
    filled(tmp_path / "alone.sqlite", alone, encoder)
    for question in ("the server does not start, attempt 3", "pourquoi cinq", "draft"):
        with_hidden = answers(tmp_path / "seen.sqlite", seen, encoder, question, limit=20)
        assert with_hidden == answers(tmp_path / "alone.sqlite", alone, encoder, question, limit=20)
        assert {text for text, _ in with_hidden} == set(TEXTS)
    assert not any("attempt" in text for text in encoder.encoded)


def test_vectors_of_another_view_in_the_same_file_change_nothing(
    path: Path, view: View, views: tuple[View, View], encoder: Counting
) -> None:
    filled(path, view, encoder)
    before = answers(path, view, encoder, "the server does not start", limit=6)
    drafts = [row_of(one, number) for number, one in enumerate(HIDDEN)]
    fill(path, "drafts", len(drafts), drafts, encoder)
    assert answers(path, view, encoder, "the server does not start", limit=6) == before


def row_of(document: Document, ordinal: int) -> Row:
    passage = document.passages[0]
    return Row(
        ordinal=ordinal,
        document=ordinal,
        ref=passage.ref,
        kind=document.kind,
        object_id=document.object_id,
        path="",
        start=passage.start,
        end=passage.end,
        subject=document.subject,
        text=passage.text,
    )


def test_equal_texts_come_in_the_order_of_their_references_and_a_cut_keeps_them_together(
    path: Path, encoder: Counting
) -> None:
    same = [commit(f"same {n}", "same", "the very same text") for n in range(5)]
    history = TantivyHistory(path.parent / "index", VERSIONS)
    history.build(batch("t", same))
    snapshot = history.open()
    assert snapshot is not None
    with snapshot:
        view = snapshot.view("t")
        assert view is not None
        assert filled(path, view, encoder) == Filled(1, 0)
        found = leg(path, view, encoder)
        assert found is not None
        by_ref = [row.ordinal for row in sorted(view.scan(), key=lambda row: row.ref)]
        assert [ordinal for ordinal, _ in found.nearest("text", view, 2)] == by_ref
        assert [ordinal for ordinal, _ in found.nearest("text", view, 9)] == by_ref


def test_a_leg_answers_for_the_view_it_was_opened_for_alone(
    path: Path, views: tuple[View, View], encoder: Counting
) -> None:
    seen, alone = views
    drafts = [row_of(one, number) for number, one in enumerate(HIDDEN)]
    fill(path, "v", len(drafts), drafts, encoder)
    found = open_leg(path, "v", len(drafts), encoder)
    assert found is not None
    assert found.nearest("server", alone, 3) == []
    assert found.nearest("server", seen, 3) == []


def test_asking_nothing_finds_nothing(path: Path, view: View, encoder: Counting) -> None:
    filled(path, view, encoder)
    found = leg(path, view, encoder)
    assert found is not None
    assert found.nearest("  ", view, 3) == []
    assert found.nearest("server", view, 0) == []


def test_a_text_is_encoded_once_whatever_becomes_of_the_index(
    path: Path, view: View, views: tuple[View, View], encoder: Counting
) -> None:
    filled(path, view, encoder)
    encoder.encoded.clear()
    assert fill(path, "rebuilt", 6, views[0].scan(), encoder) == Filled(0, 0)
    assert encoder.encoded == []


def test_a_passage_is_encoded_as_the_start_of_its_subject_and_of_its_text(
    path: Path, encoder: Counting
) -> None:
    long = commit("long", "subject " * 1000, "word " * 1000)
    fill(path, "v", 1, [row_of(long, 0)], encoder)
    assert encoder.encoded == [("subject " * 1000)[:300] + "\n" + ("word " * 1000)[:900]]


def test_fills_in_steps_and_is_on_only_when_nothing_is_left(
    path: Path, view: View, encoder: Counting
) -> None:
    assert filled(path, view, encoder, budget=4) == Filled(4, 2)
    assert leg(path, view, encoder) is None
    assert filled(path, view, encoder, budget=4) == Filled(2, 0)
    assert leg(path, view, encoder) is not None


def test_a_fill_that_is_stopped_keeps_what_it_encoded(
    path: Path, view: View, encoder: Counting
) -> None:
    stop = Stop()

    class Impatient(Counting):
        def passages(self, texts: Sequence[str]) -> Array:
            stop.request()
            return super().passages(texts)

    many = [row_of(commit(n, "many", f"text {n}"), n) for n in range(70)]
    with stoppable(stop), pytest.raises(Stopped):
        fill(path, "v", 70, many, Impatient(encoder))
    assert open_leg(path, "v", 70, encoder) is None
    assert fill(path, "v", 70, many, encoder) == Filled(38, 0)


def test_is_off_until_filled_and_for_views_that_were_not(
    path: Path, view: View, encoder: Counting
) -> None:
    assert leg(path, view, encoder) is None
    filled(path, view, encoder)
    assert open_leg(path, "another", 6, encoder) is None
    assert open_leg(path, "v", 7, encoder) is None
    assert open_leg(path, "v", 0, encoder) is None
    assert leg(path, view, encoder) is not None


def test_is_off_above_its_size_and_nothing_is_encoded(
    path: Path, view: View, encoder: Counting
) -> None:
    too_many = MAX_PASSAGES + 1
    assert fill(path, "v", too_many, view.scan(), encoder) == Filled(0, too_many)
    assert encoder.encoded == []
    assert not path.exists()
    assert open_leg(path, "v", too_many, encoder) is None


def test_is_off_for_another_model_until_filled_by_it(
    path: Path, view: View, encoder: Counting, use: UseEncoder
) -> None:
    filled(path, view, encoder)
    other = Other(use)
    assert leg(path, view, other) is None
    assert leg(path, view, encoder) is not None
    assert filled(path, view, other) == Filled(6, 0)
    assert leg(path, view, other) is not None
    assert leg(path, view, encoder) is None


def test_is_the_owners_alone(path: Path, view: View, encoder: Counting) -> None:
    filled(path, view, encoder)
    assert leg(path, view, encoder) is not None
    for_others = {one.stat().st_mode & 0o077 for one in path.parent.iterdir()}
    assert sys.platform == "win32" or for_others == {0}


def test_what_no_view_uses_any_more_is_deleted(path: Path, encoder: Counting) -> None:
    rows = [row_of(commit(n, "one", f"text {n}"), n) for n in range(6)]
    for number, row in enumerate(rows):
        fill(path, f"view {number}", 1, [row], encoder)
    with sqlite3.connect(path) as db:
        assert db.execute("select count(*) from placement").fetchone() == (4,)
        assert db.execute("select count(*) from vector").fetchone() == (4,)
    db.close()
    assert open_leg(path, "view 1", 1, encoder) is None
    assert open_leg(path, "view 2", 1, encoder) is not None


@pytest.mark.parametrize("damage", [b"", b"not a database, and long enough to be one" * 40])
def test_a_damaged_file_turns_the_leg_off_and_is_filled_again(
    path: Path, view: View, encoder: Counting, damage: bytes
) -> None:
    filled(path, view, encoder)
    path.write_bytes(damage)
    assert leg(path, view, encoder) is None
    assert filled(path, view, encoder) == Filled(6, 0)
    assert leg(path, view, encoder) is not None


def test_a_damaged_placement_turns_the_leg_off(path: Path, view: View, encoder: Counting) -> None:
    filled(path, view, encoder)
    with sqlite3.connect(path) as db:
        db.execute("update placement set signs = x'00'")
    db.close()
    assert leg(path, view, encoder) is None
    assert filled(path, view, encoder) == Filled(6, 0)


def test_a_store_that_goes_away_while_open_answers_nothing(
    path: Path, view: View, encoder: Counting
) -> None:
    filled(path, view, encoder)
    found = leg(path, view, encoder)
    assert found is not None
    path.unlink()
    assert found.nearest("server", view, 3) == []


def test_one_process_fills_at_a_time_and_readers_do_not_wait(
    path: Path, view: View, encoder: Counting
) -> None:
    filled(path, view, encoder)
    with locks.exclusive(path.with_name(f"{path.name}.lock")):
        with pytest.raises(LockedError):
            filled(path, view, encoder)
        assert answers(path, view, encoder, "licencia apache")[0][0] == TEXTS[2]


PROGRAM = """
import sys
from pathlib import Path
from citator.index.vector_store import open_to_fill
store = open_to_fill(Path(sys.argv[1]), sys.argv[2])
store._db.execute("delete from vector")
store._db.execute("delete from placement")
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_reader_beside_a_writer_that_dies_sees_what_was_kept(
    path: Path, view: View, encoder: Counting
) -> None:
    filled(path, view, encoder)
    before = answers(path, view, encoder, "licencia apache")
    writer = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, path, encoder.contract.text()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with writer:
        assert writer.stdout is not None
        assert writer.stdout.readline().strip() == b"ready"
        assert answers(path, view, encoder, "licencia apache") == before
        writer.kill()
    assert answers(path, view, encoder, "licencia apache") == before


def kept_by_sketch(seed: int, lean: float) -> int:
    """How many of the ten nearest of 4,000 vectors are among the 400 likely ones.

    ``lean`` is how far all vectors lean one way, as those of some models do.
    """
    random = np.random.default_rng(seed)
    themes = random.standard_normal((60, 384))
    raw = themes[random.integers(0, 60, 4000)] + random.standard_normal((4000, 384)) + lean
    vectors = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    query = vectors[7] + 0.7 * unit_vectors(seed, 1, 384, 0)[0]
    query /= np.linalg.norm(query)
    nearest = np.argsort(-(vectors @ query))[:10]
    likely = sketched(*quantised(vectors)).likely(query, 400)
    return len(set(nearest.tolist()) & set(likely.tolist()))


@pytest.mark.parametrize("lean", [0.0, 1.0, 3.0])
def test_a_sketch_keeps_the_nearest_among_a_tenth(lean: float) -> None:
    assert sum(kept_by_sketch(seed, lean) for seed in range(10)) >= 97


def test_a_sketch_of_few_vectors_keeps_all() -> None:
    sketch = sketched(*quantised(unit_vectors(1, 5, 70, 0)))
    assert sketch.signs.shape == (5, 2)
    assert sketch.likely(unit_vectors(2, 1, 70, 0)[0], 5).tolist() == [0, 1, 2, 3, 4]
    assert len(sketch.likely(unit_vectors(2, 1, 70, 0)[0], 2)) >= 2
