"""The shipped index against the plainest one: the same answers to the last bit.

However a history was cut into builds, whatever was retired, rewritten or belongs to another
branch, a view answers like an index that was made for it alone and looks at everything.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.index import ranking, scoring
from citator.index.history import TantivyHistory
from citator.index.protocol import HistoryIndex, View, ViewChange, WeightedTerm
from citator.index.visible import TantivyView
from citator.model.document import Document
from tests.support.corpus import VERSIONS, batch, commit, key_of, markdown
from tests.support.reference_index import ReferenceIndex

WORDS = ["cache", "lock", "stale", "rows", "table", "writer", "merge", "split", "drop", "fast"]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
commits = st.builds(
    lambda name, subject, bodies, paths: commit(name, subject, *bodies, paths=paths),
    st.integers(0, 10_000),
    texts,
    st.lists(texts, min_size=1, max_size=3),
    st.lists(st.sampled_from(["src/cache.py", "docs/lock.md", "table.c"]), max_size=3, unique=True),
)
markdowns = st.builds(
    lambda path, subject, bodies: markdown(path, subject, *bodies),
    st.sampled_from(["a.md", "b/cache.md"]),
    texts,
    st.lists(texts, min_size=1, max_size=2),
)
documents = st.lists(
    st.one_of(commits, markdowns), max_size=14, unique_by=lambda document: key_of(document)
)
terms = st.lists(
    st.builds(WeightedTerm, st.sampled_from(WORDS), st.sampled_from([0.25, 1.0, 3.0])),
    min_size=1,
    max_size=6,
)


@contextmanager
def shipped() -> Iterator[TantivyHistory]:
    with tempfile.TemporaryDirectory() as folder:
        yield TantivyHistory(Path(folder) / "index", VERSIONS)


def view_of(index: HistoryIndex, tip: str) -> View:
    snapshot = index.open()
    assert snapshot is not None
    view = snapshot.view(tip)
    assert view is not None
    return view


class Answer(NamedTuple):
    ref: str
    path: str
    score: float
    terms: tuple[str, ...]


def answers(view: View, wanted: Sequence[WeightedTerm], limit: int) -> list[Answer]:
    found = view.candidates(wanted, limit)
    rows = view.rows([one.ordinal for one in found])
    return [
        Answer(row.ref, row.path, one.score, one.terms)
        for one, row in zip(found, rows, strict=True)
    ]


def assert_same(left: View, right: View, wanted: Sequence[WeightedTerm], limit: int) -> None:
    assert left.statistics == right.statistics
    for word in WORDS:
        assert left.document_frequency(word) == right.document_frequency(word)
    assert answers(left, wanted, limit) == answers(right, wanted, limit)


@settings(max_examples=40, deadline=None)
@given(documents, terms, st.integers(1, 6))
def test_a_fresh_index_ranks_like_one_that_looks_at_everything(
    made: list[Document], wanted: list[WeightedTerm], limit: int
) -> None:
    plain = ReferenceIndex()
    plain.build(batch("t", made))
    with shipped() as index:
        index.build(batch("t", made))
        assert_same(view_of(index, "t"), view_of(plain, "t"), wanted, limit)


@settings(max_examples=40, deadline=None)
@given(documents, st.lists(st.integers(0, 14), max_size=3), st.data(), terms, st.integers(1, 6))
def test_increments_with_retired_documents_answer_like_a_fresh_index(
    made: list[Document],
    cuts: list[int],
    data: st.DataObject,
    wanted: list[WeightedTerm],
    limit: int,
) -> None:
    seen: list[Document] = []
    bounds = [0, *sorted(min(cut, len(made)) for cut in cuts), len(made)]
    with shipped() as index:
        for n, (start, end) in enumerate(pairwise(bounds)):
            retired = data.draw(st.lists(st.sampled_from(seen), unique_by=key_of)) if seen else []
            added = made[start:end]
            base = f"t{n - 1}" if n else None
            index.build(batch(f"t{n}", added, base=base, removed=retired))
            seen = [one for one in seen if one not in retired] + added
        plain = ReferenceIndex()
        plain.build(batch("t", seen))
        assert_same(view_of(index, f"t{n}"), view_of(plain, "t"), wanted, limit)


@settings(max_examples=40, deadline=None)
@given(documents, st.data(), terms, st.integers(1, 6))
def test_a_branch_answers_like_an_index_of_that_branch_alone(
    made: list[Document], data: st.DataObject, wanted: list[WeightedTerm], limit: int
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(made), unique_by=key_of)) if made else []
    others = [one for one in made if one not in chosen]
    plain = ReferenceIndex()
    plain.build(batch("t", chosen))
    with shipped() as index:
        index.build(batch("t", made))
        snapshot = index.open()
        assert snapshot is not None
        named = snapshot.view("a", lambda: ViewChange(None, map(key_of, chosen)))
        taken = snapshot.view("b", lambda: ViewChange("t", [], map(key_of, others)))
        back = snapshot.view("c", lambda: ViewChange("b", map(key_of, others)))
        assert named is not None
        assert taken is not None
        assert back is not None
        assert_same(named, view_of(plain, "t"), wanted, limit)
        assert_same(taken, view_of(plain, "t"), wanted, limit)
        assert back.statistics == view_of(index, "t").statistics


def _many(count: int, seed: int, lengths: Sequence[int]) -> list[Document]:
    chosen = random.Random(seed)
    made = []
    for n in range(count):
        body = " ".join(
            chosen.choices(WORDS, weights=range(len(WORDS), 0, -1), k=chosen.choice(lengths))
        )
        made.append(commit((seed, n), " ".join(chosen.choices(WORDS, k=4)), body))
    return made


@pytest.mark.parametrize("limit", [1, 5, 20, 60])
def test_ranking_is_exact_where_far_more_match_than_are_looked_at(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first stage alone decides who is in, and what is hidden moves the engine's mean a lot.
    monkeypatch.setattr(scoring, "depth", lambda limit: limit)
    wanted = [WeightedTerm("cach", 2.0), WeightedTerm("lock"), WeightedTerm("fast", 0.3)]
    kept = _many(700, 1, [3, 8, 20, 40, 90])
    retired, other = _many(300, 2, [1, 2]), _many(200, 3, [400])
    plain = ReferenceIndex()
    plain.build(batch("t", kept))
    expected = answers(view_of(plain, "t"), wanted, limit)
    assert len(expected) == limit
    for hidden in (retired, other, [*retired, *other], []):
        with shipped() as index:
            index.build(batch("t0", hidden))
            index.build(batch("t1", kept[:400], base="t0", removed=hidden))
            index.build(batch("t2", kept[400:], base="t1"))
            assert answers(view_of(index, "t2"), wanted, limit) == expected


def test_a_huge_tie_is_cut_by_reference() -> None:
    same = [commit(n, "one", "cache") for n in range(ranking.MAX_POOL + 200)]
    refs = sorted(document.passages[0].ref for document in same)
    with shipped() as index:
        index.build(batch("t", same))
        found = answers(view_of(index, "t"), [WeightedTerm("cach")], 5)
        assert [one.ref for one in found] == refs[:5]


def test_the_engine_scores_the_first_stage_as_scoring_says() -> None:
    lengths = [*range(1, 200), 255, 256, 257, 1000, 2047, 2048, 4096, 5401]
    made = [commit(n, "x", " ".join(["cache", *["rows"] * (n - 1)])) for n in lengths]
    with shipped() as index:
        index.build(batch("t", made))
        view = view_of(index, "t")
        assert isinstance(view, TantivyView)
        scope = view.scope
        for term, counted in (("cach", 1), ("row", None)):
            holding = view.document_frequency(term)
            wanted = ranking.query_term(scope, term, 2.0, holding, holding)
            assert wanted is not None
            scores, addresses = scope.reader.best([(term, wanted.boost)], len(made))
            assert len(scores) == holding
            for score, address in zip(scores, addresses, strict=True):
                record = scope.reader.record(address)
                counts = scoring.Counts(0, counted or record.lengths.body - 1, 0)
                exact = scoring.first_score([(wanted.weight, counts)], record.lengths, scope.mean)
                assert abs(score - exact) <= exact * ranking.ROUNDING
