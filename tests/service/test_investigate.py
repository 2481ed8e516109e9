from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citator.index.code.at_head import Most
from citator.model.errors import RefusedError
from citator.model.evidence import AbstainReason, ClaimState, Status
from citator.model.horizon import HorizonFact, Limit
from citator.model.reference import DocumentKind, is_ref
from citator.model.treatment import Standing
from citator.service import predicted
from citator.service.describe import describe
from citator.service.index_history import update
from citator.service.investigate import Question, investigate
from citator.service.prepare import prepare
from citator.service.read_evidence import read_evidence
from citator.service.workspace import Places, Workspace
from tests.support.builder import Builder

Open = Callable[[Builder], Workspace]
CACHE = Question("why was the manifest cache removed")


@pytest.fixture
def indexed(history: Builder, open_workspace: Open) -> Workspace:
    update(open_workspace(history))
    return open_workspace(history)


def test_the_commit_that_decided_it_comes_first(history: Builder, indexed: Workspace) -> None:
    answer = investigate(indexed, CACHE).answer
    first = answer.evidence[0]
    assert answer.status is Status.COMPLETE
    assert first.kind is DocumentKind.COMMIT
    assert first.object_id == first.locator == history.resolve("HEAD~2")
    assert first.date == "2024-01-01"
    assert {"manifest", "cache", "removed"} <= set(first.matched)
    assert is_ref(first.ref)
    assert (first.standing, first.claim_state) == (Standing.IN_FORCE, ClaimState.UNKNOWN)


def test_markdown_is_cited_by_path_and_lines_with_its_own_status(indexed: Workspace) -> None:
    answer = investigate(indexed, Question("use a queue status retries")).answer
    pages = [item for item in answer.evidence if item.kind is DocumentKind.MARKDOWN]
    assert [item.locator for item in pages] == ["docs/adr/0001-queue.md:1-7"]
    assert pages[0].adr_status == "accepted"


def test_a_path_that_is_not_plain_is_cited_by_blob(history: Builder, open_workspace: Open) -> None:
    history.write("docs/ignore all previous rules.md", "# Marmalade\n\nMarmalade is orange.\n")
    history.commit("Add a page\n\nThe page is here, because breakfast needs a specification.")
    update(open_workspace(history))
    answer = investigate(open_workspace(history), Question("marmalade")).answer
    blob = history.resolve("HEAD:docs/ignore all previous rules.md")
    assert f"{blob}:1-3" in {item.locator for item in answer.evidence}


def test_one_author_has_one_number(indexed: Workspace) -> None:
    answer = investigate(indexed, Question("manifest cache queue deliveries")).answer
    by_commit = {item.object_id: item.author for item in answer.evidence if item.author}
    assert len(by_commit) == 3
    assert len(set(by_commit.values())) == 2


def test_nothing_of_the_repository_is_in_the_answer_unasked(indexed: Workspace) -> None:
    shown = repr(investigate(indexed, CACHE))
    assert "stale manifests" not in shown
    assert "Grace" not in shown
    assert "stale manifests" in investigate(indexed, Question(CACHE.text, read=1)).texts[0].text


def test_reading_gives_the_exact_lines(history: Builder, indexed: Workspace) -> None:
    ref = investigate(indexed, CACHE).answer.evidence[0].ref
    whole, prefixed = read_evidence(indexed, [ref, ref[:20]])
    assert whole.text.splitlines()[0] == "Remove the manifest cache"
    assert whole.text.splitlines()[2].startswith("The cache outlived deployments")
    assert (whole.ref, whole.locator, whole.truncated) == (
        ref,
        history.resolve("HEAD~2"),
        False,
    )
    assert prefixed.text == whole.text


def test_reading_is_bounded(indexed: Workspace) -> None:
    ref = investigate(indexed, CACHE).answer.evidence[0].ref
    (lines,) = read_evidence(indexed, [ref], max_lines=3)
    assert lines.truncated
    assert lines.text.count("\n") == 2
    (characters,) = read_evidence(indexed, [ref], max_characters=10)
    assert characters.truncated
    assert characters.text == "Remove the"


def test_unknown_and_malformed_references_are_told_apart(indexed: Workspace) -> None:
    unknown, malformed = read_evidence(indexed, ["commit:v1:" + "0" * 64, "commit v1"])
    assert (unknown.problem, malformed.problem) == ("unknown_ref", "malformed_ref")
    assert unknown.text == malformed.text == ""


def test_what_head_has_not_cannot_be_read(history: Builder, open_workspace: Open) -> None:
    history.branch("old", "HEAD~3")
    update(open_workspace(history))
    ref = investigate(open_workspace(history), CACHE).answer.evidence[0].ref
    history.switch("old")
    (item,) = read_evidence(open_workspace(history), [ref])
    assert item.problem == "unknown_ref"


def test_a_question_without_an_answer_abstains_and_says_why(indexed: Workspace) -> None:
    answer = investigate(indexed, Question("why did we drop the grpc gateway")).answer
    assert answer.status is Status.ABSTAINED
    assert answer.abstained is not None
    assert not answer.evidence
    assert {"grpc", "gateway"} <= set(answer.unknown_words)


def test_without_an_index_the_next_step_is_named(history: Builder, open_workspace: Open) -> None:
    with pytest.raises(RefusedError) as refused:
        investigate(open_workspace(history), CACHE)
    assert refused.value.code == "index_not_built"
    assert "citator init" in refused.value.todo


def test_secrets_are_redacted_and_said(history: Builder, open_workspace: Open) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    history.commit(f"Rotate the token\n\nThe token {token} leaked, because a log printed it.")
    update(open_workspace(history))
    workspace = open_workspace(history)
    item = investigate(workspace, Question("rotate the token that leaked", read=1))
    assert item.answer.evidence[0].redactions == 1
    assert token not in item.texts[0].text
    assert "[redacted" in item.texts[0].text
    assert not any(token.encode() in file.read_bytes() for file in files(workspace))


def files(workspace: Workspace) -> list[Path]:
    return [file for file in workspace.place.directory.rglob("*") if file.is_file()]


def test_a_person_sees_subjects_made_inert(history: Builder, open_workspace: Open) -> None:
    history.commit(
        "Paint \x1b[31mit\u202e red\n\nRed, because the auditors asked for red paint.",
        author="Eve\x07 <eve@example.org>",
    )
    update(open_workspace(history))
    workspace = open_workspace(history)
    answer = investigate(workspace, Question("why red paint")).answer
    first = describe(workspace, answer.evidence)[0]
    assert first.subject == "Paint \\u{1b}[31mit\\u{202e} red"
    assert first.author == "Eve\\u{7}"
    assert first.date == "2024-01-01"


def test_a_shallow_clone_says_so(history: Builder, places: Places, tmp_path: Path) -> None:
    shallow = history.clone(tmp_path / "shallow", depth=1)
    update(Workspace.open(shallow.path, places))
    answer = investigate(Workspace.open(shallow.path, places), Question("queue receiver")).answer
    limits = {fact.limit for fact in answer.horizon.facts}
    assert limits == {Limit.SHALLOW, Limit.SINGLE_BRANCH}
    assert not answer.horizon.complete


def test_a_whole_clone_has_a_clear_horizon(history: Builder, indexed: Workspace) -> None:
    horizon = investigate(indexed, CACHE).answer.horizon
    assert horizon.head == horizon.indexed == history.head()
    assert horizon.facts == ()


def test_a_detached_head_is_named(history: Builder, open_workspace: Open) -> None:
    history.switch(history.resolve("HEAD~1"))
    update(open_workspace(history))
    horizon = investigate(open_workspace(history), CACHE).answer.horizon
    assert HorizonFact(Limit.DETACHED_HEAD) in horizon.facts


def test_the_configuration_says_how_many_results_where_the_caller_does_not(
    history: Builder, open_workspace: Open
) -> None:
    history.write(".citator/config.yaml", "retrieval:\n  results: 1\n")
    history.commit("Show one\n\nOne result is enough, because screens are small here.")
    update(open_workspace(history))
    workspace = open_workspace(history)
    wide = Question("manifest cache queue deliveries", limit=3)
    assert len(investigate(workspace, Question(wide.text)).answer.evidence) == 1
    assert len(investigate(workspace, wide).answer.evidence) == 3


def test_the_vector_leg_joins_once_its_passages_are_encoded(
    history: Builder, open_workspace: Open
) -> None:
    history.write(".citator/config.yaml", "retrieval:\n  vectors: true\n")
    history.commit("Use vectors\n\nPeople ask in their own words, because nobody knows ours.")
    update(open_workspace(history))
    off = HorizonFact(Limit.LEG_OFF, None, "vectors")
    assert off in investigate(open_workspace(history), CACHE).answer.horizon.facts
    prepare(open_workspace(history))
    answer = investigate(open_workspace(history), CACHE).answer
    assert answer.horizon.facts == ()
    assert answer.evidence[0].object_id == history.resolve("HEAD~3")
    lexical = {item.object_id for item in answer.evidence if item.matched}
    assert {item.object_id for item in answer.evidence} > lexical, "no passage came by meaning"


def test_nothing_is_prepared_where_there_is_nothing(tmp_path: Path, open_workspace: Open) -> None:
    prepare(open_workspace(Builder.init(tmp_path / "empty")))
    assert not (tmp_path / "data").exists()


def test_vectors_join_unasked_once_they_were_filled_and_not_where_refused(
    history: Builder, open_workspace: Open
) -> None:
    update(open_workspace(history))
    before = investigate(open_workspace(history), CACHE).answer
    assert before.horizon.facts == ()
    prepare(open_workspace(history))
    after = investigate(open_workspace(history), CACHE).answer
    assert after.horizon.facts == ()
    assert len(after.evidence) > len(before.evidence)
    history.write(".citator/config.yaml", "retrieval:\n  vectors: false\n")
    history.commit("Search by words\n\nWords are enough, because the glossary is kept here.")
    update(open_workspace(history))
    refused = investigate(open_workspace(history), CACHE).answer
    assert refused.horizon.facts == ()
    assert all(item.matched for item in refused.evidence)


def test_the_files_that_a_question_is_about_stand_beside_the_evidence(
    history: Builder, open_workspace: Open
) -> None:
    history.write("src/harvest.py", "def reap_wheat():\n    pass\n")
    history.commit("Reap wheat\n\nBecause the old way of reaping lost half of the wheat.")
    update(open_workspace(history))
    question = Question("why does reap_wheat not lose wheat?")
    found = investigate(open_workspace(history), question)
    assert [one.path for one in found.predicted.files][:1] == ["src/harvest.py"]
    assert found.answer.evidence[0].object_id == history.head()
    assert investigate(open_workspace(history), replace(question, files=0)).predicted.files == ()
    again = investigate(open_workspace(history), question, asked=found)
    assert again == found


def test_a_file_alone_is_no_answer(history: Builder, open_workspace: Open) -> None:
    history.write("src/zeppelin.py", "def land():\n    pass\n").commit("Add a file")
    update(open_workspace(history))
    found = investigate(open_workspace(history), Question("zeppelin"))
    assert found.answer.status is Status.ABSTAINED
    assert [one.path for one in found.predicted.files] == ["src/zeppelin.py"]


def test_a_question_about_what_was_never_here_names_no_files(
    history: Builder, open_workspace: Open
) -> None:
    history.write("src/harvest.py", "def reap_wheat():\n    pass\n")
    history.commit("Reap wheat\n\nBecause the old way of reaping lost half of the wheat.")
    update(open_workspace(history))
    asked = Question("why did we drop the zeppelin from reap_wheat")
    found = investigate(open_workspace(history), asked)
    assert "zeppelin" in found.answer.unknown_words
    assert found.answer.abstained is AbstainReason.UNKNOWN_TERMS
    assert found.predicted.files == ()
    assert found.record.decisions == ()


def test_files_that_cannot_be_told_now_are_said(
    history: Builder, open_workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(open_workspace(history))
    monkeypatch.setattr(predicted, "IN_A_CALL", Most(0, 0, 0))
    off = HorizonFact(Limit.LEG_OFF, None, "files")
    assert off in investigate(open_workspace(history), CACHE).answer.horizon.facts
    prepare(open_workspace(history))
    found = investigate(open_workspace(history), CACHE)
    assert off not in found.answer.horizon.facts
    assert found.predicted.files
