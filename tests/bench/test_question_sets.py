"""Question sets: answers come from structure, once or not at all, and no question names its own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from bench.data.building import finish
from bench.data.changelog_to_commit import Source, Tips, entries, named, question, questions_of
from bench.data.changes import Change, Numbers, answer_of
from bench.data.check_unanswerable import examine, texts
from bench.data.explained import Explained
from bench.data.issue_to_fix import find_fix, instances, same_patch
from bench.data.mirror import History, Mirror, find_clone, git, lines_of_patch, newest_main, pinned
from bench.data.overlap import Corpus
from bench.data.prepare_retrieval import document_name
from bench.data.questions import clean, first_words

from tests.support.builder import Builder

WHY = "\n\nThe queue lost jobs whenever two workers took the same one.\n"
UNANSWERABLE = Path(__file__).parents[2] / "bench" / "data" / "unanswerable"


def history_of(builder: Builder) -> History:
    return History(Mirror("owner/name", builder.git_dir(), builder.head()))


@pytest.mark.parametrize(
    ("line", "cleaned"),
    [
        ("Crash when saving (#1234)", "Crash when saving"),
        ("Crash, see owner/name#12 and gh-3456", "Crash, see and"),
        ("[Docs](https://example.org/a) are wrong: https://example.org/b", "Docs are wrong"),
        ("Broken since 1f8558fa2b, works before", "Broken since, works before"),
        ("Version 2.10 fails on 64-bit", "Version 2.10 fails on 64-bit"),
    ],
)
def test_a_question_carries_no_number_link_or_commit_id(line: str, cleaned: str) -> None:
    assert clean(line) == cleaned


def test_a_title_of_two_words_takes_the_first_line_of_prose_with_it() -> None:
    assert first_words("Saving fails\n### Description\nThe file is empty afterwards.") == (
        "Saving fails. The file is empty afterwards"
    )
    assert first_words("Saving always fails\nmore") == "Saving always fails"
    assert first_words("Fails\n\n") is None


def test_a_patch_is_the_same_change_wherever_it_applies() -> None:
    here = "diff --git a/x.py b/x.py\n@@ -1,3 +1,3 @@\n context\n-old\n+new\n"
    there = (
        "diff --git a/x.py b/x.py\nindex 1..2\n--- a/x.py\n+++ b/x.py\n@@ -9 +9 @@\n-old\n+new\n"
    )
    assert lines_of_patch(here) == lines_of_patch(there) == {"x.py": ["-old", "+new"]}


def test_overlap_counts_rare_shared_words_and_not_common_ones() -> None:
    corpus = Corpus(["the queue", "the lock", "the retry"])
    overlap = corpus.overlap("the queue vanished", "the queue")
    assert overlap.share == pytest.approx(
        corpus.weight("queue") / (corpus.weight("queue") + corpus.weight("vanished"))
    )
    assert overlap.peak == pytest.approx(corpus.weight("queue") / corpus.weight("vanished"))
    assert corpus.overlap("the", "the").peak == 0.0


def test_a_number_leads_to_its_squash_or_to_what_its_merge_brought_in(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "r")
    builder.write("a.py", "1").commit("Begin")
    squash = builder.write("a.py", "2").commit(f"Take each job once (#7){WHY}")
    builder.switch("topic", create=True)
    first = builder.write("b.py", "1").commit(f"Lock before taking{WHY}")
    builder.switch("main").write("c.py", "1").commit("Elsewhere")
    merge = builder.merge("topic", message="Merge pull request #8 from someone/topic")
    for _ in range(2):
        builder.write("d.py", str(builder.clock)).commit("Twice (#9)")
    numbers = Numbers(history_of(builder))
    assert numbers.change(7) == Change("squash", (squash,))
    assert numbers.change(8) == Change("merge", (first,), (merge,))
    assert numbers.change(9) is None
    assert numbers.change(10) is None


def test_an_issue_is_closed_by_one_commit_that_does_not_sweep_up(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "r")
    fix = builder.commit(f"Lock before taking{WHY}\nFixes #1\n")
    builder.commit("Update the notes\n\nCloses #2, closes #3, closes #4, closes #5\n")
    numbers = Numbers(history_of(builder))
    assert numbers.closing(1) == Change("closes", (fix,))
    assert numbers.closing(2) is None


def test_an_answer_is_dropped_where_one_of_its_commits_says_nothing(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "r")
    says = builder.write("a", "1").commit(f"Lock before taking{WHY}")
    silent = builder.write("a", "2").commit("Address review")
    points = builder.write("a", "3").commit("Lock again\n\nCloses #57")
    history = history_of(builder)
    kept = Explained(history)
    answer = answer_of(Change("merge", (says,), ("m",)), [says], kept)
    assert answer is not None
    assert (answer.relevant, answer.acceptable) == ((says,), ("m",))
    assert answer_of(Change("merge", (says, silent)), [says, silent], kept) is None
    assert answer_of(Change("squash", (points,)), [points], kept) is None


def test_without_a_number_the_fix_is_the_one_commit_with_the_accepted_patch(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "r")
    base = builder.write("a.py", "one\ntwo\n").commit("Begin")
    builder.write("a.py", "zero\none\ntwo\n").commit(f"Count from zero{WHY}")
    fix = builder.write("a.py", "zero\none\nthree\n").commit(f"Skip two{WHY}")
    row = {
        "instance_id": "owner__name-5",
        "repo": "owner/name",
        "base_commit": base,
        "problem_statement": "Two is counted twice\nIt should not.",
        "patch": "diff --git a/a.py b/a.py\n@@ -2 +2 @@ def count():\n-two\n+three\n",
    }
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps(row) + "\n", "utf-8")
    (instance,) = instances([data]).values()
    history = history_of(builder)
    assert same_patch(history, instance) == Change("patch", (fix,))
    assert find_fix(history, Numbers(history), instance) == Change("patch", (fix,))
    builder.write("a.py", "zero\none\ntwo\n").commit("Back")
    builder.write("a.py", "zero\none\nthree\n").commit("Forth")
    assert same_patch(history_of(builder), instance) is None


def test_a_release_note_leads_to_the_branch_whose_tip_it_names(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "r")
    builder.write("a", "1").commit("Begin")
    builder.switch("topic", create=True)
    tip = builder.write("queue.c", "1").commit(f"queue: lock before taking{WHY}")
    builder.switch("main").write("b", "1").commit("Elsewhere")
    merge = builder.merge("topic", message="Merge branch 'topic'")
    named_tip = f"(merge {tip[:9]} ab/queue later to maint)"
    notes = f" * Jobs taken twice are\n   taken once now.\n   {named_tip}.\n"
    builder.write("Notes/1.txt", notes).commit("Write the notes")
    history, tally = history_of(builder), Counter[str]()
    assert Tips(history).change(tip[:9]) == Change("tip", (tip,), (merge,))
    (found,) = questions_of(Source("owner/name", "Notes", "tip"), "x", history, tally)
    assert (found.query, found.answer.relevant) == ("Jobs taken twice are taken once now", (tip,))
    ((asked, entry),) = finish(history, [found], tally)
    assert asked.relevant_commits == entry.relevant_commits == (tip,)
    assert "taken" not in json.dumps([entry.id, entry.how, entry.query_sha256])


def test_entries_are_joined_and_name_one_change_or_none() -> None:
    text = "# 1.0\n\n- One thing\n  [#12](https://x/pull/12)\n- Two [#13] [#14]\n\n* Three\n"
    found = list(entries(text))
    assert found == ["One thing [#12](https://x/pull/12)", "Two [#13] [#14]", "Three"]
    assert [named(entry, "change") for entry in found] == ["12", None, None]
    assert question("[BUGFIX] TSDB: Fix a leak of file handles. #17641") == (
        "TSDB: Fix a leak of file handles"
    )


def test_a_question_that_is_answered_after_all_is_found_out(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "r")
    builder.write("notes.md", "# Notes\n\nThe Lua layer was dropped.\n\nQueues are locked.\n")
    builder.commit("Begin\n\nRedistribute the queue.\n")
    mirror = Mirror("owner/name", builder.git_dir(), builder.head())
    rows: list[dict[str, object]] = [
        {"id": "absent", "never_together": ["redis\\b"], "known_words": False},
        {"id": "present", "never_together": ["lua\\b"], "known_words": True},
        {"id": "apart", "never_together": ["lua\\b", "queue"], "known_words": True},
    ]
    assert [(f.id, f.together) for f in examine(rows, texts(mirror))] == [("present", 1)]


def test_every_unanswerable_question_says_what_was_checked() -> None:
    rows = [
        json.loads(line)
        for path in sorted(UNANSWERABLE.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    assert len({row["id"] for row in rows}) == len(rows) == 238
    for row in rows:
        assert bool(row["never_together"]) == bool(row["repo"]), row["id"]
        assert row["query"] == clean(row["query"]), row["id"]


def test_a_clone_is_found_under_either_name_and_pinned_without_being_moved(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "owner+name" / "repo", bare=True)
    old = builder.write("a", "1").commit("One")
    new = builder.write("a", "2").commit("Two")
    assert find_clone(tmp_path, "owner/name") == builder.git_dir()
    assert find_clone(tmp_path, "owner/other") is None
    assert newest_main(builder.git_dir()) == new
    at = pinned(builder.git_dir(), old, tmp_path / "pin")
    assert git(at, "rev-parse", "HEAD").strip() == old
    assert builder.head() == new


def test_a_published_document_is_named_by_date_and_subject() -> None:
    assert document_name("2026-07-25", "feat(x): Add `bounded` dispatch") == (
        "2026-07-25-feat-x-add-bounded-dispatch.md"
    )
