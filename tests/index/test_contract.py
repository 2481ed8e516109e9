"""What every index engine must do, tested on the shipped one and on the plainest one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from citator.index.protocol import (
    Candidate,
    DocumentKey,
    HistoryIndex,
    Snapshot,
    View,
    ViewChange,
    WeightedTerm,
)
from citator.model.document import (
    AdrStatus,
    Document,
    Reviewer,
    ReviewFacts,
    ReviewFinding,
    Severity,
    Stated,
    ThreadState,
)
from citator.model.errors import CitatorError, NotFoundError
from citator.model.horizon import HorizonFact, Limit
from citator.model.reference import DocumentKind
from tests.support.corpus import ADA, batch, commit, key_of, markdown

CACHE = commit(1, "Drop the cache", "It served stale rows.", "Nobody measured it.", paths=["a.py"])
LOCK = commit(2, "Hold the lock less", "Writers waited for the cache.", paths=["b.py", "a.py"])
ADR = markdown("docs/adr/0001.md", "Use SQLite", "The cache is a table.", status=AdrStatus.ACCEPTED)
ALL = [CACHE, LOCK, ADR]


def opened(index: HistoryIndex) -> Snapshot:
    snapshot = index.open()
    assert snapshot is not None
    return snapshot


def view_of(index: HistoryIndex, tip: str) -> View:
    view = opened(index).view(tip)
    assert view is not None
    return view


def ask(view: View, *terms: str, limit: int = 10) -> list[Candidate]:
    return view.candidates([WeightedTerm(term) for term in terms], limit)


def subjects(view: View, found: Sequence[Candidate]) -> list[str]:
    return [row.subject for row in view.rows([one.ordinal for one in found])]


def test_an_index_that_was_never_built_opens_as_nothing(index: HistoryIndex) -> None:
    assert index.open() is None
    assert index.generations() == []
    assert not index.holds(key_of(CACHE))


def test_a_build_says_what_it_made(index: HistoryIndex) -> None:
    facts = (HorizonFact(Limit.SHALLOW), HorizonFact(Limit.TOO_LARGE, 2, "a.md"))
    progress: list[int] = []
    made = index.build(batch("t1", ALL, facts=lambda: facts), progress.append)
    assert (made.number, made.tip, made.documents, made.passages) == (1, "t1", 3, 4)
    assert made.current
    assert made.details == {"hidden": 0, "hidden_documents": 0}
    assert progress == [1, 2, 3]
    snapshot = opened(index)
    assert (snapshot.generation, snapshot.tip, snapshot.facts) == (1, "t1", facts)
    assert snapshot.cached_views() == ("t1",)


def test_facts_are_asked_for_after_the_last_document(index: HistoryIndex) -> None:
    read: list[str] = []

    def documents() -> list[Document]:
        read.append("documents")
        return ALL

    def facts() -> tuple[HorizonFact, ...]:
        read.append("facts")
        return ()

    index.build(batch("t1", documents(), facts=facts))
    assert read == ["documents", "facts"]


def test_a_row_gives_back_everything_that_was_stored(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    view = view_of(index, "t1")
    first, second, third, fourth = view.rows([0, 1, 2, 3])
    assert first.ref == CACHE.passages[0].ref
    assert (first.kind, first.object_id, first.path) == (DocumentKind.COMMIT, CACHE.object_id, "")
    assert (first.start, first.end, first.subject) == (1, 1, "Drop the cache")
    assert (first.text, first.paths, first.author) == ("It served stale rows.", ("a.py",), ADA)
    assert (first.authored_at, first.adr_status, first.redactions) == (1000, None, 0)
    assert (first.document, second.document, second.text) == (0, 0, "Nobody measured it.")
    assert (third.document, third.subject) == (2, "Hold the lock less")
    assert (fourth.kind, fourth.path) == (DocumentKind.MARKDOWN, "docs/adr/0001.md")
    assert (fourth.author, fourth.authored_at, fourth.adr_status) == (
        None,
        None,
        AdrStatus.ACCEPTED,
    )


def test_a_row_gives_back_what_a_commit_states(index: HistoryIndex) -> None:
    stated = Stated(
        findings=(ReviewFinding(Reviewer.ADVERSARIAL, Severity.CRITICAL, 2),),
        reviewed_by=(7, 2**32 - 1),
        fixes=("1f8558f", "a" * 64),
        issues=(12,),
        reverts=("b" * 40,),
    )
    documents = [replace(CACHE, stated=stated), LOCK]
    index.build(batch("t1", documents))
    view = view_of(index, "t1")
    assert [row.stated for row in view.rows([0, 1, 2])] == [stated, stated, None]
    assert [row.ordinal for row in view.find_object(LOCK.object_id)] == [2]


def test_a_row_gives_back_what_a_thread_is_about_with_three_of_its_commits(
    index: HistoryIndex,
) -> None:
    commits = tuple(str(n) * 40 for n in range(5))
    facts = ReviewFacts(7, ThreadState.OUTDATED, "src/b\udcff c.py", 12, commits, True)
    bare = ReviewFacts(8, ThreadState.OPEN)
    threads = [
        replace(
            markdown(f".citator/reviews/x/{n}.md", "Use the log", "It drops one."),
            kind=DocumentKind.REVIEW,
            review=one,
        )
        for n, one in enumerate((facts, bare))
    ]
    index.build(batch("t1", threads))
    rows = view_of(index, "t1").rows([0, 1])
    assert [row.review for row in rows] == [replace(facts, commits=commits[:3]), bare]
    assert [row.stated for row in rows] == [None, None]


def test_rows_come_in_the_order_asked_for_and_repeat(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    rows = view_of(index, "t1").rows([3, 0, 3])
    assert [row.ordinal for row in rows] == [3, 0, 3]


@pytest.mark.parametrize("ordinal", [-1, 4, 2**40])
def test_a_row_that_is_not_there_is_a_key_error(index: HistoryIndex, ordinal: int) -> None:
    index.build(batch("t1", ALL))
    with pytest.raises(KeyError):
        view_of(index, "t1").rows([ordinal])


def test_candidates_are_the_passages_that_hold_a_term(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    view = view_of(index, "t1")
    found = ask(view, "cach")
    assert sorted(one.ordinal for one in found) == [0, 1, 2, 3]
    assert all(one.terms == ("cach",) for one in found)
    assert ask(view, "unheard") == []


def test_candidates_name_the_terms_they_hold(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    view = view_of(index, "t1")
    (best,) = [one for one in ask(view, "writer", "unheard", "cach") if "writer" in one.terms]
    assert best.terms == ("writer", "cach")
    assert subjects(view, [best]) == ["Hold the lock less"]


def test_a_subject_weighs_more_than_a_body_and_a_body_more_than_a_path(
    index: HistoryIndex,
) -> None:
    documents = [
        commit(1, "one two", "three four", paths=["needle.py"]),
        commit(2, "one two", "needle four", paths=["five.py"]),
        commit(3, "needle two", "three four", paths=["five.py"]),
    ]
    index.build(batch("t1", documents))
    view = view_of(index, "t1")
    assert [view.rows([one.ordinal])[0].object_id for one in ask(view, "needl")] == [
        documents[2].object_id,
        documents[1].object_id,
        documents[0].object_id,
    ]


def test_weights_of_a_repeated_term_add_up_and_an_idle_weight_counts_nothing(
    index: HistoryIndex,
) -> None:
    index.build(batch("t1", ALL))
    view = view_of(index, "t1")
    twice = view.candidates([WeightedTerm("cach", 0.5), WeightedTerm("cach", 1.5)], 10)
    assert twice == view.candidates([WeightedTerm("cach", 2.0)], 10)
    assert view.candidates([WeightedTerm("cach", 0.0), WeightedTerm("lock", -1.0)], 10) == []


@pytest.mark.parametrize("limit", [0, -1])
def test_asking_for_none_gives_none(index: HistoryIndex, limit: int) -> None:
    index.build(batch("t1", ALL))
    assert ask(view_of(index, "t1"), "cach", limit=limit) == []


def test_ties_come_by_reference(index: HistoryIndex) -> None:
    documents = [commit(n, "same", "words") for n in range(9)]
    index.build(batch("t1", documents))
    view = view_of(index, "t1")
    refs = sorted(document.passages[0].ref for document in documents)
    for limit in (3, 9, 50):
        found = ask(view, "word", limit=limit)
        assert [row.ref for row in view.rows([one.ordinal for one in found])] == refs[:limit]


def test_one_blob_at_two_paths_is_two_documents_with_one_reference(index: HistoryIndex) -> None:
    here, there = (markdown(path, "Guide", "same words") for path in ("b/guide.md", "a/guide.md"))
    assert here.passages == there.passages
    index.build(batch("t1", [here, there]))
    view = view_of(index, "t1")
    assert view.statistics.documents == 2
    found = ask(view, "word")
    assert [row.path for row in view.rows([one.ordinal for one in found])] == [
        "a/guide.md",
        "b/guide.md",
    ]
    prefix = here.passages[0].ref.rpartition(":")[2][:12]
    assert [row.path for row in view.find_ref(None, prefix)] == ["a/guide.md"]


def test_document_frequency_counts_passages_once_over_all_fields(index: HistoryIndex) -> None:
    index.build(batch("t1", [commit(1, "cache cache", "cache", "other", paths=["cache.py"])]))
    view = view_of(index, "t1")
    assert view.document_frequency("cach") == 2
    assert view.document_frequency("other") == 1
    assert view.document_frequency("unheard") == 0
    assert view.document_frequency("") == 0


def test_statistics_are_of_the_view(index: HistoryIndex) -> None:
    index.build(batch("t1", [commit(1, "one two", "three", paths=["x"])]))
    statistics = view_of(index, "t1").statistics
    assert (statistics.passages, statistics.documents) == (1, 1)
    assert statistics.mean_length == 4.0


def test_a_reference_is_found_by_a_prefix_and_by_kind(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    view = view_of(index, "t1")
    digest = CACHE.passages[1].ref.rpartition(":")[2]
    for prefix in (digest[:6], digest[:40], digest):
        assert [row.ref for row in view.find_ref(None, prefix)] == [CACHE.passages[1].ref]
    assert view.find_ref(DocumentKind.COMMIT, digest)[0].text == "Nobody measured it."
    assert view.find_ref(DocumentKind.MARKDOWN, digest) == []
    assert view.find_ref(None, digest[:-1] + ("0" if digest[-1] != "0" else "1")) == []
    assert len(view.find_ref(None, "", limit=3)) == 3


def test_an_object_is_found_by_a_prefix_with_all_its_passages(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    view = view_of(index, "t1")
    for prefix in (CACHE.object_id[:7], CACHE.object_id):
        assert [row.text for row in view.find_object(prefix)] == [
            "It served stale rows.",
            "Nobody measured it.",
        ]
    assert [row.text for row in view.find_object(CACHE.object_id, limit=1)] == [
        "It served stale rows."
    ]
    assert view.find_object("f" * 40) == []


def test_a_path_finds_its_markdown_and_the_commits_that_touched_it(index: HistoryIndex) -> None:
    newer = commit(3, "Bring it back", "Measured now.", paths=["a.py"], when=2000)
    index.build(batch("t1", [*ALL, newer]))
    view = view_of(index, "t1")
    assert [row.path for row in view.find_path("docs/adr/0001.md")] == ["docs/adr/0001.md"]
    touched = [row.text for row in view.find_path("a.py")]
    assert touched[0] == "Measured now."
    assert set(touched[1:]) == {
        "It served stale rows.",
        "Nobody measured it.",
        "Writers waited for the cache.",
    }
    assert [row.text for row in view.find_path("a.py", limit=1)] == ["Measured now."]
    assert view.find_path("a") == []


def test_the_passages_of_a_document_come_in_line_order(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    view = view_of(index, "t1")
    document = view.find_object(CACHE.object_id)[1].document
    assert [row.start for row in view.passages_of(document)] == [1, 3]
    assert view.passages_of(99) == []


def test_a_scan_gives_every_visible_passage_once_in_order(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    assert [row.ordinal for row in view_of(index, "t1").scan()] == [0, 1, 2, 3]


def test_words_are_whole_lower_case_and_counted(index: HistoryIndex) -> None:
    index.build(batch("t1", [commit(1, "Caching the Cache", "cache cache", "the rows")]))
    index.build(batch("t2", [commit(2, "Cache", "it")], base="t1"))
    words = dict(opened(index).words())
    assert words == {"caching": 1, "the": 2, "cache": 4, "rows": 1, "it": 1}
    assert list(words) == sorted(words)


def test_a_second_build_adds_and_the_old_snapshot_stays_as_it_was(index: HistoryIndex) -> None:
    index.build(batch("t1", [CACHE]))
    old = opened(index)
    made = index.build(batch("t2", [LOCK], base="t1"))
    assert (made.number, made.documents, made.passages) == (2, 2, 3)
    assert index.holds(key_of(CACHE))
    assert index.holds(key_of(LOCK))
    assert not index.holds(key_of(ADR))
    view = old.view("t1")
    assert view is not None
    assert view.statistics.passages == 2
    assert ask(view, "writer") == []
    assert view_of(index, "t2").statistics.passages == 3


def test_a_document_that_is_held_is_not_added_again(index: HistoryIndex) -> None:
    index.build(batch("t1", [CACHE, CACHE]))
    made = index.build(batch("t2", [CACHE, LOCK], base="t1"))
    assert (made.documents, made.passages) == (2, 3)
    assert view_of(index, "t2").document_frequency("stale") == 1


def test_what_a_tip_no_longer_sees_is_in_no_answer(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    made = index.build(batch("t2", [], base="t1", removed=[CACHE]))
    assert (made.documents, made.passages) == (3, 4)
    assert made.details == {"hidden": 2, "hidden_documents": 1}
    view = view_of(index, "t2")
    digest = CACHE.passages[0].ref.rpartition(":")[2]
    assert view.statistics.passages == 2
    assert view.statistics.documents == 2
    assert view.document_frequency("stale") == 0
    assert view.document_frequency("cach") == 2
    assert ask(view, "stale") == []
    assert view.find_ref(None, digest) == []
    assert view.find_object(CACHE.object_id) == []
    assert [row.object_id for row in view.find_path("a.py")] == [LOCK.object_id]
    assert view.passages_of(0) == []
    assert [row.ordinal for row in view.scan()] == [2, 3]
    with pytest.raises(KeyError):
        view.rows([0])
    assert view.rows([2])[0].object_id == LOCK.object_id


def test_what_comes_back_is_seen_again(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    index.build(batch("t2", [], base="t1", removed=[CACHE, ADR]))
    made = index.build(batch("t3", [], base="t2", added=[CACHE]))
    assert made.details == {"hidden": 1, "hidden_documents": 1}
    view = view_of(index, "t3")
    assert view.statistics.passages == 3
    assert view.document_frequency("stale") == 1
    assert view.document_frequency("cach") == 3


def test_a_view_of_another_tip_is_made_once_and_kept(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    snapshot = opened(index)
    assert snapshot.view("branch") is None
    asked: list[str] = []

    def load() -> ViewChange:
        asked.append("branch")
        unknown = DocumentKey(DocumentKind.COMMIT, "e" * 40)
        return ViewChange("t1", [unknown], [key_of(CACHE), unknown])

    view = snapshot.view("branch", load)
    assert view is not None
    assert view.statistics.passages == 2
    again = opened(index).view("branch", load)
    assert again is not None
    assert again.statistics == view.statistics
    assert asked == ["branch"]
    assert opened(index).cached_views() == ("branch", "t1")


def test_a_view_from_nothing_sees_what_it_names(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    view = opened(index).view("branch", lambda: ViewChange(None, [key_of(ADR)]))
    assert view is not None
    assert view.statistics.passages == 1
    assert view.document_frequency("cach") == 1
    assert [row.path for row in view.scan()] == ["docs/adr/0001.md"]


def test_a_view_whose_base_is_unknown_is_none(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    assert opened(index).view("branch", lambda: ViewChange("elsewhere", [])) is None


def test_an_empty_history_is_an_index_that_finds_nothing(index: HistoryIndex) -> None:
    made = index.build(batch("t1", []))
    assert (made.documents, made.passages) == (0, 0)
    view = view_of(index, "t1")
    assert (view.statistics.passages, view.statistics.mean_length) == (0, 0.0)
    assert ask(view, "cach") == []
    assert view.find_ref(None, "abcdef") == []
    assert view.find_object("abcdef") == []
    assert view.find_path("a.py") == []
    assert list(view.scan()) == []
    assert list(opened(index).words()) == []
    index.build(batch("t2", [CACHE], base="t1"))
    assert view_of(index, "t2").statistics.passages == 2


def test_one_passage_can_be_found(index: HistoryIndex) -> None:
    index.build(batch("t1", [ADR]))
    view = view_of(index, "t1")
    assert subjects(view, ask(view, "tabl")) == ["Use SQLite"]


def test_an_unborn_branch_has_a_generation_and_no_view(index: HistoryIndex) -> None:
    made = index.build(batch(None, []))
    assert made.tip is None
    assert opened(index).tip is None
    assert opened(index).cached_views() == ()


def test_a_fresh_build_starts_from_nothing(index: HistoryIndex) -> None:
    index.build(batch("t1", ALL))
    made = index.build(batch("t2", [LOCK], fresh=True))
    assert (made.number, made.documents, made.passages) == (2, 1, 1)
    assert not index.holds(key_of(CACHE))
    assert dict(opened(index).words()).keys() >= {"writers"}
    assert "stale" not in dict(opened(index).words())


def test_the_current_generation_and_two_more_are_kept(index: HistoryIndex) -> None:
    for n in range(1, 6):
        index.build(batch(f"t{n}", [commit(n, "one", "two")], base=f"t{n - 1}" if n > 1 else None))
    assert [(one.number, one.current) for one in index.generations()] == [
        (3, False),
        (4, False),
        (5, True),
    ]


def test_rolling_back_serves_the_one_before(index: HistoryIndex) -> None:
    index.build(batch("t1", [CACHE]))
    index.build(batch("t2", [LOCK], base="t1"))
    back = index.rollback()
    assert (back.number, back.tip, back.current) == (1, "t1", True)
    assert opened(index).tip == "t1"
    assert not index.holds(key_of(LOCK))
    with pytest.raises(NotFoundError):
        index.rollback()


def test_a_build_after_a_rollback_does_not_mix(index: HistoryIndex) -> None:
    index.build(batch("t1", [CACHE]))
    index.build(batch("t2", [LOCK], base="t1"))
    index.rollback()
    made = index.build(batch("t3", [ADR], base="t1"))
    assert (made.number, made.documents) == (3, 2)
    view = view_of(index, "t3")
    assert {row.subject for row in view.scan()} == {"Drop the cache", "Use SQLite"}
    assert ask(view, "writer") == []
    index.promote(2)
    view = view_of(index, "t2")
    assert {row.subject for row in view.scan()} == {"Drop the cache", "Hold the lock less"}
    assert ask(view, "tabl") == []


def test_promoting_what_is_not_there_is_not_found(index: HistoryIndex) -> None:
    for number in (0, 1, -1, 99):
        with pytest.raises(NotFoundError) as caught:
            index.promote(number)
        assert caught.value.code == "no_such_generation"
    with pytest.raises(NotFoundError) as caught:
        index.rollback()
    assert caught.value.code == "nothing_to_roll_back_to"


def test_a_build_that_fails_leaves_what_was_there(index: HistoryIndex) -> None:
    index.build(batch("t1", [CACHE]))

    class TroubleError(CitatorError):
        pass

    def failing() -> tuple[HorizonFact, ...]:
        raise TroubleError("trouble", "trouble")

    with pytest.raises(TroubleError):
        index.build(batch("t2", [LOCK], base="t1", facts=failing))
    assert opened(index).tip == "t1"
    assert not index.holds(key_of(LOCK))
    assert [one.tip for one in index.generations()] == ["t1"]


ODD_TERMS = [
    "a b", "tab\there", "new\nline", "nul\x00byte", "\x1f", "ünïcödé", "日本", "🙂", "\u202e",
    "e\u0301", "\ud800", "x" * 300, '"quoted"', "a:b", "(", "AND", "*", "-1", "\\", "'", "%41",
    "\x85", "\u2028", "\xa0", "\x0b", "\x0c", "\r",
]  # fmt: skip


@pytest.mark.parametrize("term", ODD_TERMS, ids=ascii)
def test_any_term_may_be_asked_for(index: HistoryIndex, term: str) -> None:
    index.build(batch("t1", ALL))
    view = view_of(index, "t1")
    assert view.document_frequency(term) == 0
    assert ask(view, term) == []
    assert subjects(view, ask(view, term, "sqlite")) == ["Use SQLite"]


def test_odd_paths_and_texts_come_back_as_they_were(
    make_index: Callable[[], HistoryIndex],
) -> None:
    index = make_index()
    names = ["sp ace.md", "t\tab", "new\nline", "\udce9.md", "日本.md", "a" * 3000, "é", "Ã©"]
    documents = [
        commit(n, f"Touch {n}", f"body {name}", paths=[name]) for n, name in enumerate(names)
    ] + [markdown(name, "Guide", f"text {name}\x00\u202e") for name in names]
    index.build(batch("t1", documents))
    view = view_of(index, "t1")
    for n, name in enumerate(names):
        rows = view.find_path(name)
        assert [row.subject for row in rows] == [f"Touch {n}", "Guide"]
        assert rows[0].paths == (name,)
        assert (rows[1].path, rows[1].text) == (name, f"text {name}\x00\u202e")
        assert index.holds(key_of(documents[len(names) + n]))
