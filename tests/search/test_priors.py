"""What kind of document speaks for why."""

from __future__ import annotations

import pytest

from citator.index.protocol import Row
from citator.model.document import AdrStatus, Document
from citator.search.priors import CHANGELOG, MARKDOWN, prior
from citator.search.search import search
from tests.search.conftest import ViewOf
from tests.support.corpus import commit, markdown


def row_of(view_of: ViewOf, document: Document) -> Row:
    (row,) = view_of(document).scan()
    return row


def test_commits_and_decision_records_count_in_full(view_of: ViewOf) -> None:
    assert prior(row_of(view_of, commit(1, "Subject", "text"))) == 1.0
    record = markdown("docs/adr/0001.md", "Use SQLite", "text", status=AdrStatus.ACCEPTED)
    assert prior(row_of(view_of, record)) == 1.0


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("README.md", MARKDOWN),
        ("docs/changes-of-state.md", MARKDOWN),
        ("docs/newsletter.md", MARKDOWN),
        ("historyless.md", MARKDOWN),
        ("CHANGELOG.md", CHANGELOG),
        ("crates/app/Changelog.markdown", CHANGELOG),
        ("CHANGES.md", CHANGELOG),
        ("NEWS-2.0.md", CHANGELOG),
        ("docs/release_notes.md", CHANGELOG),
        ("docs/release-notes/2.0.md", CHANGELOG),
        ("changelogs/2020.md", CHANGELOG),
    ],
)
def test_other_markdown_counts_less_and_a_changelog_least(
    view_of: ViewOf, path: str, counts: float
) -> None:
    assert prior(row_of(view_of, markdown(path, "Subject", "text"))) == counts


def test_the_commit_stands_before_the_changelog_that_repeats_it(view_of: ViewOf) -> None:
    said = "Limit the retries to five"
    log = markdown("CHANGELOG.md", said, said)
    why = commit(1, said, "The broker fell over when every client retried without end.")
    other = commit(2, "Rename the queue", "Nobody could tell the two queues apart.")
    found = search(view_of(log, why, other), "why are the retries limited to five")
    assert [hit.row.object_id for hit in found.hits[:2]] == [why.object_id, log.object_id]


def test_a_document_that_is_named_by_its_path_still_comes_first(view_of: ViewOf) -> None:
    log = markdown("docs/CHANGELOG.md", "Changes", "Limit the retries to five")
    why = commit(1, "Limit the retries to five", "The broker fell over.")
    found = search(view_of(log, why), "why does docs/CHANGELOG.md limit retries to five")
    assert found.hits[0].row.object_id == log.object_id
