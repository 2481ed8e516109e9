"""Questions over one audience's record."""

from __future__ import annotations

import pytest

from citator.index.partition import Partition
from citator.index.partition_store import partition_of
from citator.index.protocol import WeightedTerm
from citator.model.errors import UsageError
from citator.model.evidence import AbstainReason
from citator.model.record import ItemKind, RecordStatus
from citator.model.visibility import Audience
from citator.search.decisions import search_decisions
from citator.search.induction import Frequencies, Induction, Replaced
from citator.sources.decisions import decisions_for
from tests.sources.test_decisions import Waiting
from tests.support.record import Ledger, text

ANYBODY = Audience()


@pytest.fixture
def ledger() -> Ledger:
    """A dozen decisions about different things."""
    ledger = Ledger()
    for title, body, settings in (
        ("One process writes the index", "Two writers lost each other's updates.\n", {}),
        ("Retry with jitter", "Clients that retry at once overload the server.\n", {}),
        ("Sessions end after one hour", "A copied session token is useful for less long.\n", {}),
        ("SQLite holds derived data", "The SQLite database is rebuilt from the files.\n", {}),
        ("Feature flags live in FeatureFlag", "The class feature_flag was two classes.\n", {}),
        ("Log no words of the user", "A log that holds queries is a second database.\n", {}),
        ("認証トークンの検証手順", "トークンの署名を検証する。期限を確認する。\n", {}),
        ("索引の再構築", "索引は新しい索引として書く。\n", {}),
        ("Release every Tuesday", "Nobody wants a release on Friday.\n", {"kind": "operations"}),
        (
            "Parse with a table",
            "A regular expression was slower.\n",
            {"paths": ["src/parse/**"], "labels": ["speed"]},
        ),
    ):
        ledger.decide(title, body=body, **settings)
    return ledger


def partition(ledger: Ledger, audience: Audience = ANYBODY) -> Partition:
    return partition_of(decisions_for(audience, ledger.state))


def asked(found_in: Partition, question: str, **settings: object) -> list[str]:
    """The titles found, best first."""
    found = search_decisions(found_in, question, **settings)  # type: ignore[arg-type]
    return [found_in.read(hit.number).title for hit in found.hits]


def test_the_decision_that_answers_comes_first(ledger: Ledger) -> None:
    found = partition(ledger)
    assert asked(found, "why does only one process write?")[0] == "One process writes the index"
    assert asked(found, "how long does a session token last?")[0] == "Sessions end after one hour"
    assert asked(found, "why retry with jitter?")[0] == "Retry with jitter"


def test_a_hit_names_the_item_its_passage_and_the_words_it_holds(ledger: Ledger) -> None:
    found = partition(ledger)
    (hit, *_) = search_decisions(found, "why retry with jitter?").hits
    read = found.read(hit.number)
    assert (hit.item, hit.revision) == (read.item, read.revision)
    assert (hit.kind, hit.status) == (ItemKind.DECISION, RecordStatus.APPROVED)
    assert found.find_ref(None, hit.ref.rpartition(":")[2])[0].text == read.text
    assert (hit.lines, hit.characters) == ((1, 3), len(read.text))
    assert hit.matched == ("retry", "jitter")


def test_japanese_is_found_by_its_words(ledger: Ledger) -> None:
    found = partition(ledger)
    assert asked(found, "認証トークンの検証")[0] == "認証トークンの検証手順"
    assert asked(found, "索引を再構築する手順")[0] == "索引の再構築"


def test_a_katakana_word_that_nobody_wrote_is_unknown(ledger: Ledger) -> None:
    found = search_decisions(partition(ledger), "トークンのローテーション")
    assert found.unknown_words == ("ローテーション",)
    assert all(hit.matched == ("トークン",) for hit in found.hits)


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("why is the session store SQLite and not Redis?", True),
        ("should we use postgres for sessions", True),
        ("use libgit2", False),
        ("what database do we use", False),
        ("add dark mode to the settings page", False),
    ],
)
def test_a_record_of_few_words_is_not_silent_for_want_of_them(
    question: str, answered: bool
) -> None:
    small = Ledger()
    small.decide("Sessions last a day")
    small.decide("Keep sessions in SQLite", ruling="Use one SQLite file for sessions")

    found = search_decisions(partition(small), question)

    assert bool(found.hits) is answered
    assert (found.abstained is None) is answered


def test_an_identifier_counts_as_one_word_however_it_is_written(ledger: Ledger) -> None:
    found = partition(ledger)
    for question in ("where is feature_flag?", "FeatureFlag", "where do feature flags live?"):
        assert asked(found, question)[0] == "Feature flags live in FeatureFlag"


def test_what_the_record_never_held_is_not_answered(ledger: Ledger) -> None:
    found = search_decisions(partition(ledger), "kubelet ingress autoscaling")
    assert (found.hits, found.abstained) == ((), AbstainReason.UNKNOWN_TERMS)
    assert found.unknown_words == ("kubelet", "ingress", "autoscaling")


def test_words_scattered_over_decisions_answer_nothing(ledger: Ledger) -> None:
    found = search_decisions(partition(ledger), "Friday session regular")
    assert (found.hits, found.abstained) == ((), AbstainReason.WEAK_COVERAGE)


def test_a_short_decision_is_not_worse_for_being_short() -> None:
    ledger = Ledger()
    ledger.decide("Retry with jitter", body="Clients overload the server.\n")
    other = "\n\n".join(f"Clients overload it. {'And more of that. ' * 40}" for _ in range(4))
    ledger.decide("Retry with jitter always", body=other)
    assert asked(partition(ledger), "why retry with jitter?")[0] == "Retry with jitter"


def test_a_short_question_is_not_refused_for_one_word_that_nobody_wrote(ledger: Ledger) -> None:
    found = search_decisions(partition(ledger), "session token expiry")
    assert found.unknown_words == ("expiry",)
    assert found.hits[0].matched == ("session", "token")


class Spanish:
    """Knows what two words of another language mean in the record."""

    def induce(self, question: str, view: Frequencies) -> Induction:
        known = {"escribe": ("write",), "índice": ("index",)}
        replaced = tuple(
            Replaced(word, tuple(WeightedTerm(term, 0.6) for term in terms))
            for word, terms in known.items()
            if word in question and all(view.document_frequency(term) for term in terms)
        )
        return Induction(foreign=bool(replaced), replaced=replaced, dropped=("quién",))


def test_words_of_another_language_are_looked_for_as_what_they_mean_here(ledger: Ledger) -> None:
    found = partition(ledger)
    question = "¿quién escribe el índice?"
    assert search_decisions(found, question).abstained is AbstainReason.UNKNOWN_TERMS
    (hit, *_) = search_decisions(found, question, expander=Spanish()).hits
    assert found.read(hit.number).title == "One process writes the index"
    assert hit.matched == ("escribe", "índice")


def test_no_question_and_no_record_are_said_apart(ledger: Ledger) -> None:
    assert search_decisions(partition(ledger), "why?").abstained is AbstainReason.NOTHING_ASKED
    assert search_decisions(partition(ledger), "").abstained is AbstainReason.NOTHING_ASKED
    empty = partition_of([])
    assert search_decisions(empty, "why retry?").abstained is AbstainReason.EMPTY_INDEX


def test_what_the_question_names_comes_first_whatever_else_it_says(ledger: Ledger) -> None:
    item = next(iter(ledger.state.items))
    ledger.add({"op": "add_alias", "alias": "one-writer", "item": item})
    found = partition(ledger)
    (ref,) = (row.ref for row in [found.row(0)])
    named = found.read(0).title
    assert asked(found, f"does {ref} still hold?")[0] == named
    first = "One process writes the index"
    assert asked(found, f"retry with jitter and {item}")[0] == first
    assert asked(found, f"retry with jitter and {item.lower()}")[0] == first
    assert asked(found, "one-writer")[0] == first


def test_kinds_and_paths_keep_only_those(ledger: Ledger) -> None:
    found = partition(ledger)
    release = "why release on Tuesday?"
    assert asked(found, release, kinds=[ItemKind.OPERATIONS]) == ["Release every Tuesday"]
    assert asked(found, release, kinds=[ItemKind.SECURITY]) == []
    parse = "why parse with a table?"
    assert asked(found, parse, paths=["src/parse/table.py"]) == ["Parse with a table"]
    assert asked(found, parse, paths=["src/other.py"]) == []


def test_a_time_asks_what_held_then(ledger: Ledger) -> None:
    item = ledger.decide("Indent with tabs", valid_from="2026-01-01T00:00:00Z")
    ledger.add(text(item, "Indent with spaces", valid_from="2026-02-01T00:00:00Z"), body="So.\n")
    found = partition(ledger)
    question = "how do we indent?"
    assert asked(found, question) == ["Indent with spaces"]
    assert asked(found, question, as_of="2026-01-15T00:00:00Z") == ["Indent with tabs"]
    assert asked(found, question, as_of="2025-01-15T00:00:00Z") == []
    with pytest.raises(UsageError) as caught:
        asked(found, question, as_of="last year")
    assert caught.value.code == "invalid_time"


def test_a_retired_decision_is_not_found_at_any_time(ledger: Ledger) -> None:
    item = ledger.decide("Use the zeppelin protocol", valid_from="2026-01-01T00:00:00Z")
    then = {"as_of": "2026-01-15T00:00:00Z"}
    assert asked(partition(ledger), "zeppelin protocol", **then) == ["Use the zeppelin protocol"]
    ledger.add({"op": "deprecate_item", "item": item})
    assert asked(partition(ledger), "zeppelin protocol", **then) == []
    assert asked(partition(ledger), "zeppelin protocol") == []


def test_drafts_move_nothing_for_those_who_did_not_ask_for_them(ledger: Ledger) -> None:
    state = ledger.state
    item = next(iter(state.items))
    drafts = [
        Waiting(ledger.make(text(item, f"Retry with jitter {n}"), body="Retry, jitter.\n"))
        for n in range(5)
    ]
    without = partition_of(decisions_for(ANYBODY, state))
    beside = partition_of(decisions_for(ANYBODY, state, drafts))
    assert beside.id == without.id
    question = "why retry with jitter?"
    assert search_decisions(beside, question) == search_decisions(without, question)
    reviewer = partition_of(decisions_for(Audience(unapproved=True), state, drafts))
    assert len(search_decisions(reviewer, question).hits) == 6


def test_texts_that_score_alike_stand_in_the_order_of_their_references() -> None:
    ledger = Ledger()
    for _ in range(12):
        ledger.decide("Retry with jitter", body="Retry.\n")
    found = partition(ledger)
    hits = search_decisions(found, "retry with jitter", limit=12).hits
    refs = [hit.ref for hit in hits]
    assert refs == sorted(refs)
    assert len(refs) == 12
    few = search_decisions(found, "retry with jitter", limit=5)
    assert [hit.ref for hit in few.hits] == refs[:5]
    assert few.left_out == 7


@pytest.mark.parametrize(
    "question",
    ["\0", "a" * 10_000, "\ud800 retry", "ﷺ ﷺ", "🙂" * 50, "(((((", "トークン" * 500, "a_b_c" * 99],
)
def test_any_text_is_a_question(ledger: Ledger, question: str) -> None:
    search_decisions(partition(ledger), question)
