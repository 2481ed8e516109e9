"""Who gets a place in an answer."""

from __future__ import annotations

from citator.index.protocol import Row
from citator.model.document import Document
from citator.search.slots import places
from tests.search.conftest import ViewOf
from tests.support.corpus import commit, markdown


def rows(view_of: ViewOf, *documents: Document) -> list[Row]:
    return list(view_of(*documents).scan())


def test_a_document_gets_at_most_so_many_places_and_the_others_move_up(view_of: ViewOf) -> None:
    long = commit("long", "one", "first part", "second part", "third part")
    short = commit("short", "two", "another")
    ranked = rows(view_of, long, short)
    assert [row.text for row in places(ranked, 2)] == ["first part", "second part", "another"]
    assert [row.text for row in places(ranked, 1)] == ["first part", "another"]


def test_the_same_text_at_two_paths_counts_once(view_of: ViewOf) -> None:
    ranked = rows(
        view_of,
        markdown("docs/a.md", "Caches", "why we cache"),
        markdown("docs/b.md", "Caches", "why we cache"),
    )
    assert len(ranked) == 2
    assert [row.path for row in places(ranked, 2)] == ["docs/a.md"]
