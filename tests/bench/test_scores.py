"""Scores: a document counts once, at its best rank, and an acceptable one is passed over."""

from __future__ import annotations

import pytest
from bench.peer.git_grep import content_words, ranked
from bench.peer.history import make, message, questions, vocabulary
from bench.peer.scores import rank_of, score_set, scores


def test_rank_passes_over_acceptable_documents_and_repeats() -> None:
    assert rank_of(["a", "a", "b", "c"], ["c"], ["b"]) == 2
    assert rank_of(["a"], ["c"]) is None
    assert rank_of(["c"], ["c"], ["c"]) == 1


def test_recall_and_reciprocal_rank_are_means_over_questions() -> None:
    found = scores([1, 4, 11, None])
    assert found is not None
    assert (found.recall_at_3, found.recall_at_10, found.mrr_at_10) == (0.25, 0.5, 0.312)
    low, high = found.interval
    assert low <= found.recall_at_3 <= high
    assert scores([]) is None


def test_a_set_is_scored_by_question_id() -> None:
    rows = [{"id": "q", "relevant_commits": ["b"], "acceptable_commits": []}]
    found = score_set(rows, {"q": ["a", "b"]})
    assert found["ranks"] == {"q": 2}


def test_grep_takes_all_words_first_and_then_the_most(capsys: pytest.CaptureFixture[str]) -> None:
    messages = {"new": "retry limit", "old": "retry limit of the queue", "none": "nothing"}
    assert content_words("Why is the retry limit per queue?") == ["retry", "limit", "per", "queue"]
    assert ranked("why the retry limit queue", messages, "all") == ["old"]
    assert ranked("why the retry limit queue", messages, "most") == ["old", "new"]


def test_the_made_up_history_is_the_same_every_time(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tips = {make(tmp_path_factory.mktemp("h") / "r", 20) for _ in range(2)}
    assert len(tips) == 1
    words = vocabulary()
    assert message(3, words) == message(3, words) != message(4, words)
    assert len(questions(20, tips.pop())) == 12
