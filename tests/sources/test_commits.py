"""A commit that explains itself, as a document."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from citator.git.history import commits
from citator.git.repository import discover
from citator.model.document import Document, Person, Strength, Trailer
from citator.model.horizon import HorizonFact, Limit
from citator.model.reference import DocumentKind
from citator.sources.commits import MAX_CHARACTERS, CommitTally, document_of, limits_of
from tests.sources.secrets import key_block, tokens
from tests.sources.test_explanations import raw
from tests.support.builder import Builder

PICK = random.Random(21)


def document(message: str, parents: int = 1) -> Document:
    found = document_of(raw(message, parents))
    assert found is not None
    return found


def test_everything_about_a_commit_is_recorded(tmp_path: Path) -> None:
    built = Builder.init(tmp_path / "repo")
    first = built.write("pool.py", "a").commit("Start")
    built.write("pool.py", "b").write("docs/pool.md", "# Pool")
    second = built.commit(
        "Bound the pool (#12)\n\nIt grew without limit, see PROJ-3.\n\n"
        "Ruled-out: a second queue\nSigned-off-by: Ada <ada@example.org>",
        author="Ada Author <ada@example.org>",
        date=1_700_000_000,
    )
    found = [CommitTally().read(one) for one in commits(discover(built.path), built.head())]
    assert found[0] is None
    text = (
        "Bound the pool (#12)\n\nIt grew without limit, see PROJ-3.\n\n"
        "Ruled-out: a second queue\nSigned-off-by: Ada <ada@example.org>"
    )
    assert found[1] is not None
    (passage,) = found[1].passages
    assert (passage.start, passage.end, passage.text) == (1, 6, text)
    assert found[1] == Document(
        kind=DocumentKind.COMMIT,
        object_id=second,
        subject="Bound the pool (#12)",
        text=text,
        passages=found[1].passages,
        paths=("docs/pool.md", "pool.py"),
        author=Person("Ada Author", "ada@example.org"),
        authored_at=1_700_000_000,
        committed_at=1_700_000_000,
        parents=(first,),
        issue_keys=("#12", "PROJ-3"),
        trailers=(
            Trailer("Ruled-out", "a second queue", Strength.STRONG),
            Trailer("Signed-off-by", "Ada <ada@example.org>", Strength.STRONG),
        ),
    )


def test_carriage_returns_and_blanks_at_line_ends_are_dropped_and_nothing_else() -> None:
    found = document("\n\nCut it  \r\n\r\nIt was\tstale \t\r\n\r\n\r\n  - indented\rlast\r\n\n")
    assert found.text == "Cut it\n\nIt was\tstale\n\n\n  - indented\nlast"
    assert found.subject == "Cut it"


def test_a_title_over_two_lines_is_one_subject() -> None:
    found = document("Cut the cache\nand the pool\n\nBoth were never bounded.")
    assert found.subject == "Cut the cache and the pool"
    assert found.text.startswith("Cut the cache\nand the pool\n\n")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Merge pull request #7 from ada/pool", "Cut the pool\n\nIt was never bounded."),
        ("Merged in ada/pool (pull request #7)", "Cut the pool\n\nIt was never bounded."),
        (
            "Merge branch 'pool' into 'main'",
            "Cut the pool\n\nIt was never bounded.\n\nSee merge request g/p!7",
        ),
    ],
)
def test_the_subject_of_a_merged_request_is_its_own_title(title: str, body: str) -> None:
    found = document(f"{title}\n\n{body}", parents=2)
    assert found.subject == "Cut the pool"
    assert found.text == f"{title}\n\n{body}"


def test_a_plain_merge_keeps_its_subject() -> None:
    found = document("Merge branch 'maint'\n\nThe pool was never bounded there.", parents=2)
    assert found.subject == "Merge branch 'maint'"


def test_secrets_are_gone_from_every_field() -> None:
    token = tokens(PICK)["github_token"][0]
    found = document(
        f"Drop {token}\n\nIt leaked as {token}, so it is revoked.\n\nPremise: {token} was public"
    )
    assert token not in repr(found)
    assert found.subject == "Drop [redacted:github_token]"
    assert found.trailers[0].value == "[redacted:github_token] was public"
    assert found.redactions == 3


def test_a_key_in_a_message_keeps_the_lines_of_what_follows() -> None:
    block = key_block(PICK, lines=3)
    found = document(f"Drop the key\n\n{block}\n\nIt was used by nobody for a year.")
    assert found.text.split("\n")[8:] == ["", "It was used by nobody for a year."]
    assert found.redactions == 1


def test_a_giant_message_is_cut_at_a_line_and_counted() -> None:
    tally = CommitTally()
    line = "It was never bounded, so it grew.\n"
    found = tally.read(raw("Cut the pool\n\n" + line * 20_000))
    assert found is not None
    assert len(found.text) <= MAX_CHARACTERS
    assert found.text.endswith("so it grew.")
    assert tally.facts == (HorizonFact(Limit.CUT_LONG, 1),)


def test_what_could_not_be_read_is_counted() -> None:
    tally = CommitTally()
    commit = raw("Cut it\n\nIt was never bounded.")
    tally.read(replace(commit, guessed=True, paths=None))
    tally.read(replace(commit, guessed=True))
    tally.read(commit)
    assert tally.facts == (
        HorizonFact(Limit.GUESSED_ENCODING, 2),
        HorizonFact(Limit.MISSING_OBJECTS, 1),
    )


def test_the_limits_of_one_commit_are_known_whether_or_not_it_explains_itself() -> None:
    commit = replace(raw("Cut it"), guessed=True, paths=None)
    assert limits_of(commit) == (Limit.GUESSED_ENCODING, Limit.MISSING_OBJECTS)
    assert limits_of(raw("x" * (MAX_CHARACTERS + 1))) == (Limit.CUT_LONG,)
    assert limits_of(raw("Cut it")) == ()


def test_lone_surrogates_become_visible_replacements() -> None:
    assert document("Cut it\n\nIt was \udce9 never bounded.").text.endswith(
        "was \ufffd never bounded."
    )


def test_the_same_commit_gives_the_same_references() -> None:
    message = "Cut it\n\n" + "It was never bounded, and so it grew.\n" * 90
    first, second = document(message), document(message)
    assert [one.ref for one in first.passages] == [one.ref for one in second.passages]
    assert len({one.ref for one in first.passages}) == len(first.passages) > 2
