"""The whole way from a question to its evidence, over a real index."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from citator.index.protocol import View, WeightedTerm
from citator.model.errors import UsageError
from citator.model.evidence import AbstainReason, Status
from citator.search.induction import Frequencies, Induction, Replaced
from citator.search.search import Found, Options, search
from tests.search.conftest import ViewOf
from tests.support.corpus import commit, markdown, object_id

CACHE = commit(
    "cache",
    "Drop the old cache",
    "The old cache served stale sessions after a deploy, so it goes.",
    paths=["src/store/cache.py"],
)
LOGIN = commit(
    "login",
    "Send login through OAuth",
    "Passwords in our database were a liability; login now uses OAuth.",
    paths=["src/login.py"],
)
LIMIT = commit("limit", "Limit skills to five", "Reviewers read no more than five skills. (#42)")
HISTORY = [
    CACHE,
    LOGIN,
    LIMIT,
    commit("queue", "Retry jobs with backoff", "Retries hammered the queue when the broker fell."),
    commit("pool", "Pool the connections", "Opening one per request cost forty milliseconds."),
    commit("gate", "Put the gateway behind the proxy", "The gateway leaked internal headers."),
    commit("ui", "Move the toolbar of the UI", "On small screens the toolbar covered the canvas."),
    commit("suite", "Split the compliance suite", "The compliance suite took an hour to run."),
    markdown("docs/adr/0001.md", "Use SQLite", "We chose SQLite since nothing has to be installed"),
    *(
        commit(f"filler {n}", f"Refine part {n}", f"Detail number {n} of the engine was unclear.")
        for n in range(30)
    ),
]


@pytest.fixture
def view(view_of: ViewOf) -> View:
    return view_of(*HISTORY)


def ids(found: Found) -> list[str]:
    return [hit.row.object_id for hit in found.hits]


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("why did we delete the old cache", CACHE),
        ("why does login use OAuth", LOGIN),
        ("UI toolbar", HISTORY[6]),
        ("why was the compliance suite split", HISTORY[7]),
        ("what did we decide about SQLite", HISTORY[8]),
        ("why are skills limited to five?", LIMIT),
        ("why OAuth", LOGIN),
    ],
)
def test_ordinary_engineering_questions_are_answered(
    view: View, text: str, document: object
) -> None:
    found = search(view, text)
    assert found.abstained is None
    assert ids(found)[0] == document.object_id  # type: ignore[attr-defined]


def test_a_hit_says_which_of_the_askers_own_words_it_holds(view: View) -> None:
    found = search(view, "Why did we delete the OLD caches?")
    assert found.hits[0].matched == ("OLD", "caches")
    assert found.unknown_words == ("delete",)


def test_why_did_we_drop_the_grpc_gateway_where_there_never_was_one(view: View) -> None:
    found = search(view, "why did we drop the gRPC gateway")
    assert found.status is Status.ABSTAINED
    assert found.abstained is AbstainReason.UNKNOWN_TERMS
    assert found.unknown_words == ("gRPC",)
    assert found.hits == ()


def test_the_best_there_is_can_be_asked_for_anyway(view: View) -> None:
    found = search(view, "why did we drop the gRPC gateway", Options(anyway=True))
    assert found.abstained is None
    assert {object_id("gate"), CACHE.object_id} <= {*ids(found)}
    assert search(view, "zzzz qqqq", Options(anyway=True)).hits == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", AbstainReason.NOTHING_ASKED),
        ("why?", AbstainReason.NOTHING_ASKED),
        ("zzzz qqqq xkcd", AbstainReason.UNKNOWN_TERMS),
        ("cuánto cuesta un billete de tren", AbstainReason.UNKNOWN_TERMS),
        ("toolbar broker passwords headers screens stale request", AbstainReason.WEAK_COVERAGE),
    ],
)
def test_abstaining_has_a_reason(view: View, text: str, reason: AbstainReason) -> None:
    found = search(view, text)
    assert (found.status, found.abstained) == (Status.ABSTAINED, reason)


def test_an_empty_index_says_so(view_of: ViewOf) -> None:
    assert search(view_of(), "why").abstained is AbstainReason.EMPTY_INDEX


def test_a_named_commit_comes_first_and_is_never_abstained_from(view: View) -> None:
    found = search(view, f"why {object_id('pool')[:8]} instead of gRPC")
    assert ids(found)[0] == object_id("pool")
    assert found.abstained is None
    assert object_id("pool")[:8] in found.hits[0].matched


def test_a_commit_alone_is_answered_by_that_commit_alone(view: View) -> None:
    found = search(view, object_id("pool"))
    assert ids(found) == [object_id("pool")]
    assert found.status is Status.COMPLETE


def test_a_path_alone_is_answered_by_what_touched_it(view: View) -> None:
    assert ids(search(view, "src/store/cache.py")) == [CACHE.object_id]


def test_a_path_does_not_answer_for_words_that_were_never_there(view: View) -> None:
    found = search(view, "why does src/store/cache.py speak gRPC")
    assert found.abstained is AbstainReason.UNKNOWN_TERMS


def test_an_issue_key_alone_is_answered(view: View) -> None:
    assert ids(search(view, "#42")) == [LIMIT.object_id]


def test_a_slip_of_the_pen_is_forgiven(view: View) -> None:
    found = search(view, "why split the complaince suite")
    assert ids(found)[0] == object_id("suite")
    assert found.unknown_words == ()
    assert "complaince" in found.hits[0].matched


def test_of_two_passages_the_one_that_says_it_alike_is_meant(view_of: ViewOf) -> None:
    into = commit("into", "Move the lock into the store", "Callers forgot to take it.")
    out = commit("out", "Move the lock out of the store", "Callers know when to take it.")
    found = search(view_of(into, out), "why did we move the lock out of the store")
    assert ids(found)[0] == out.object_id
    assert found.hits[0].matched == ("move", "lock", "store")


MANY = [
    commit(f"lock {n}", f"Lock the store, attempt {n}", f"The store lock of attempt {n} was lost.")
    for n in range(12)
]


def test_what_did_not_fit_is_counted_and_continued_without_repeats(view_of: ViewOf) -> None:
    view = view_of(*MANY, *HISTORY)
    first = search(view, "store lock", Options(limit=5))
    assert (first.status, len(first.hits), first.left_out) == (Status.PARTIAL, 5, 7)
    second = search(view, "store lock", Options(limit=5, cursor=first.cursor))
    assert (second.status, len(second.hits), second.left_out) == (Status.PARTIAL, 5, 2)
    third = search(view, "store lock", Options(limit=5, cursor=second.cursor))
    assert third.status is Status.COMPLETE
    assert third.cursor is None
    seen = [*ids(first), *ids(second), *ids(third)]
    assert {*seen[:12]} == {one.object_id for one in MANY}
    assert len(seen) == len(set(seen))


def test_the_first_page_is_the_beginning_of_a_longer_one(view_of: ViewOf) -> None:
    view = view_of(*MANY, *HISTORY)
    longer = search(view, "store lock attempt", Options(limit=12))
    assert ids(longer)[:3] == ids(search(view, "store lock attempt", Options(limit=3)))


@pytest.mark.parametrize("text", ["store locks", "store lock "])
def test_a_cursor_belongs_to_its_question(view_of: ViewOf, text: str) -> None:
    view = view_of(*MANY)
    cursor = search(view, "store lock", Options(limit=5)).cursor
    with pytest.raises(UsageError) as refused:
        search(view, text, Options(limit=5, cursor=cursor))
    assert refused.value.code == "invalid_cursor"


def test_one_long_document_does_not_fill_an_answer(view_of: ViewOf) -> None:
    flood = markdown("flood.md", "Store lock", *(f"store lock {n}" for n in range(300)))
    found = search(view_of(flood, *MANY), "why is there a store lock", Options(limit=8))
    assert ids(found)[0] == flood.object_id
    assert ids(found).count(flood.object_id) == 2
    assert len(found.hits) == 8


def test_equal_passages_stand_in_the_order_of_their_references(view_of: ViewOf) -> None:
    same = [commit(n, "Lock the store", "The store was lost.") for n in range(20)]
    first = search(view_of(*same), "store lock", Options(limit=20))
    again = search(view_of(*reversed(same)), "store lock", Options(limit=20))
    refs = [hit.row.ref for hit in first.hits]
    assert refs == sorted(refs) == [hit.row.ref for hit in again.hits]


class Spanish:
    """Knows two words."""

    def induce(self, question: str, view: Frequencies) -> Induction:
        return Induction(
            foreign=True,
            replaced=(
                Replaced("caché", (WeightedTerm("cach", 0.6),)),
                Replaced("viejo", (WeightedTerm("old", 0.5),)),
            ),
            dropped=("quitamos",),
        )


def test_a_question_in_another_language_is_answered_through_induced_words(view: View) -> None:
    text = "por qué quitamos el caché viejo"
    assert search(view, text).abstained is AbstainReason.UNKNOWN_TERMS
    found = search(view, text, expander=Spanish())
    assert ids(found)[0] == CACHE.object_id
    assert found.hits[0].matched == ("caché", "viejo")
    assert found.unknown_words == ()


class Near:
    """A vector leg that always finds the same passages."""

    lexical_weight = 0.4

    def __init__(self, *found: tuple[int, float]) -> None:
        self._found = found

    def nearest(self, question: str, view: View, limit: int) -> Sequence[tuple[int, float]]:
        return self._found[:limit]


def test_a_vector_leg_moves_the_order_and_its_own_finds_are_shown(view: View) -> None:
    rows = {row.object_id: row.ordinal for row in view.scan()}
    leg = Near((rows[object_id("queue")], 0.9), (rows[CACHE.object_id], 0.1))
    found = search(view, "why did we delete the old cache", vector_leg=leg)
    assert ids(found)[:2] == [object_id("queue"), CACHE.object_id]
    assert found.hits[0].matched == ()


def test_a_vector_leg_that_finds_nothing_changes_nothing(view: View) -> None:
    text = "why did we delete the old cache"
    assert search(view, text, vector_leg=Near()) == search(view, text)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "\x00\x1b[31m cache \ud800 \u202e",
        '"' * 5000,
        "( cache AND login ) OR *:* +old -cache field:value ~2 ^9 [a TO b]",
        "-" * 3000 + "/" * 3000,
        "cache " * 2000,
    ],
)
def test_hostile_questions_are_questions(view: View, text: str) -> None:
    assert isinstance(search(view, text), Found)
