"""What a question names exactly leads to the passages that carry the name."""

from __future__ import annotations

import pytest

from citator.index.analysis import Analyser
from citator.index.protocol import Row, View
from citator.search.exact import KEY_BONUS, PATH_BONUS, PHRASE_BONUS, Exact, find, key_pattern
from citator.search.question import parse
from tests.search.conftest import ViewOf
from tests.support.corpus import commit, markdown, object_id

LOCK = commit(
    1, "Hold a lock (#12)", "two writers met", "see CORE-7", paths=["src/lock.py"], when=10
)
FAIL = commit(2, "Fail closed", "we fail closed, see #123", paths=["src/lock.py"], when=20)
OPEN = commit(3, "Closed doors fail", "nothing to see of CORE-77", paths=["src/door.py"], when=30)
NUMBERS = commit(4, "Twelve", "12 of them, see #129 and CORE-7-b", when=40)
NOTE = markdown("docs/lock.md", "Locks", "why a lock")


@pytest.fixture
def view(view_of: ViewOf) -> View:
    return view_of(LOCK, FAIL, OPEN, NUMBERS, NOTE)


def look_up(view: View, analyser: Analyser, text: str) -> Exact:
    return find(parse(text, analyser), view, analyser)


def marked(view: View, exact: Exact) -> dict[str, float]:
    rows = {row.ordinal: row for row in view.scan()}
    return {rows[ordinal].text: round(bonus, 3) for ordinal, bonus in exact.marked.items()}


def texts(rows: tuple[Row, ...]) -> list[str]:
    return [row.text for row in rows]


@pytest.mark.parametrize("digits", [7, 12, 40])
def test_a_commit_id_or_its_beginning(view: View, analyser: Analyser, digits: int) -> None:
    exact = look_up(view, analyser, f"why {object_id(1)[:digits].upper()}?")
    assert texts(exact.named) == ["two writers met", "see CORE-7"]
    assert exact.resolved == {object_id(1)[:digits]}


def test_the_beginning_of_two_ids_names_neither(view: View, analyser: Analyser) -> None:
    shared = {object_id(n)[:1] for n in (1, 2, 3)}
    assert all(not look_up(view, analyser, f"{first}").named for first in shared)


def test_a_reference(view: View, analyser: Analyser) -> None:
    (passage,) = FAIL.passages
    for text in (passage.ref, passage.ref[:20], passage.ref.replace("v1:", "")[:20]):
        assert texts(look_up(view, analyser, f"read {text} please").named) == [passage.text]
    bare = passage.ref.rpartition(":")[2][:12]
    assert texts(look_up(view, analyser, bare).named) == [passage.text]


@pytest.mark.parametrize("text", ["defaced", "1234567", "commit:v1:0000000000", "a1b2"])
def test_a_name_that_leads_nowhere_leads_nowhere(view: View, analyser: Analyser, text: str) -> None:
    exact = look_up(view, analyser, text)
    assert exact.named == ()
    assert exact.resolved == frozenset()


def test_a_path_marks_its_commits_newest_first_and_its_document(
    view: View, analyser: Analyser
) -> None:
    exact = look_up(view, analyser, "who holds src/lock.py")
    found = marked(view, exact)
    assert set(found) == {"two writers met", "see CORE-7", "we fail closed, see #123"}
    ranked = sorted(exact.marked, key=lambda ordinal: -exact.marked[ordinal])
    assert view.rows(ranked[:1])[0].object_id == FAIL.object_id
    assert max(exact.marked.values()) == PATH_BONUS
    assert set(marked(view, look_up(view, analyser, "docs/lock.md"))) == {"why a lock"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#12", {"two writers met", "see CORE-7"}),
        ("#123", {"we fail closed, see #123"}),
        ("#1", set()),
        ("CORE-7", {"see CORE-7"}),
        ("CORE-77", {"nothing to see of CORE-77"}),
        ("CORE-8", set()),
    ],
)
def test_an_issue_key_is_that_key_and_no_longer_one(
    view: View, analyser: Analyser, text: str, found: set[str]
) -> None:
    exact = look_up(view, analyser, f"why {text}")
    assert set(marked(view, exact)) == found
    assert set(marked(view, exact).values()) <= {KEY_BONUS}
    assert exact.resolved == ({text.lower()} if found else frozenset())


@pytest.mark.parametrize(
    ("text", "matches"),
    [("GH-12", True), ("/issues/12", True), ("/pull/12.", True), ("#123", False), ("x#12", True)],
)
def test_the_forms_of_a_number(text: str, matches: bool) -> None:
    assert bool(key_pattern("#12").search(text)) is matches


def test_a_quoted_phrase_is_looked_for_word_for_word(view: View, analyser: Analyser) -> None:
    exact = look_up(view, analyser, 'why "Fail  CLOSED"')
    assert marked(view, exact) == {"we fail closed, see #123": PHRASE_BONUS}
    assert look_up(view, analyser, 'why "lock"').marked == {}
