from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.evidence import Answer
from citator.model.horizon import HorizonFact, Limit
from citator.service.index_history import needs_update, rollback, status, update
from citator.service.investigate import Question, investigate
from citator.service.workspace import Places, Workspace
from tests.support.builder import Builder

Open = Callable[[Builder], Workspace]
QUESTIONS = (
    "why was the manifest cache removed",
    "why do deliveries go through a queue",
    "why is parsing the manifest slow",
    "queue",
)


def answers(workspace: Workspace) -> list[Answer]:
    return [investigate(workspace, Question(text)).answer for text in QUESTIONS]


def fresh_answers(builder: Builder, places: Places, tmp_path: Path) -> list[Answer]:
    other = Workspace.open(builder.path, replace(places, data=tmp_path / "fresh"))
    update(other)
    return answers(other)


def test_explained_commits_and_markdown_are_indexed(history: Builder, open_workspace: Open) -> None:
    report = update(open_workspace(history))
    assert report.built
    assert (report.examined, report.explained) == (4, 3)
    assert report.generation is not None
    assert report.generation.documents == 4


def test_nothing_is_done_twice(history: Builder, open_workspace: Open) -> None:
    workspace = open_workspace(history)
    first = update(workspace)
    again = update(open_workspace(history))
    assert not again.built
    assert again.generation == first.generation
    assert (again.examined, again.explained) == (4, 3)
    assert not needs_update(open_workspace(history))


def test_an_increment_answers_like_a_fresh_build(
    history: Builder, open_workspace: Open, places: Places, tmp_path: Path
) -> None:
    update(open_workspace(history))
    history.write("docs/adr/0001-queue.md", "# Use a queue\n\n## Status\n\nSuperseded\n\nNo.\n")
    history.write("docs/cache.md", "# Cache\n\nThe cache was removed.\n")
    history.remove("src/app.py")
    history.commit("Explain the queue again\n\nThe queue is gone, because brokers cost too much.")
    assert needs_update(open_workspace(history))
    update(open_workspace(history))
    assert answers(open_workspace(history)) == fresh_answers(history, places, tmp_path)


def test_an_amended_commit_leaves_nothing_to_see(
    history: Builder, open_workspace: Open, places: Places, tmp_path: Path
) -> None:
    old = history.commit("Pick zeppelin\n\nZeppelin was chosen, because it floats and is quiet.")
    update(open_workspace(history))
    history.amend("Pick balloons\n\nBalloons were chosen, because they float and are cheap.")
    update(open_workspace(history))
    workspace = open_workspace(history)
    found = investigate(workspace, Question("zeppelin")).answer
    assert old not in {item.object_id for item in found.evidence}
    assert not found.evidence
    assert answers(workspace) == fresh_answers(history, places, tmp_path)
    assert status(workspace).examined == 5


def test_a_rebased_branch_leaves_nothing_to_see(
    history: Builder, open_workspace: Open, places: Places, tmp_path: Path
) -> None:
    history.branch("side", "HEAD~2")
    update(open_workspace(history))
    history.switch("side")
    history.write("src/side.py", "1\n")
    history.commit("Add a side door\n\nThe side door exists, because the front door is stuck.")
    update(open_workspace(history))
    assert answers(open_workspace(history)) == fresh_answers(history, places, tmp_path)


def test_another_branch_changes_what_is_seen_without_a_build(
    history: Builder, open_workspace: Open
) -> None:
    history.branch("old", "HEAD~1")
    update(open_workspace(history))
    question = Question("why do deliveries go through a queue")
    assert investigate(open_workspace(history), question).answer.evidence
    history.switch("old")
    answer = investigate(open_workspace(history), question).answer
    tip = history.resolve("main")
    assert tip not in {item.object_id for item in answer.evidence}
    assert not any(item.locator.startswith("docs/adr") for item in answer.evidence)


def test_an_index_behind_head_answers_and_says_by_how_much(
    history: Builder, open_workspace: Open
) -> None:
    update(open_workspace(history))
    history.commit("One more\n\nOne more, because two were not enough for the auditors.")
    history.commit("And another\n\nAnother, because three is the number they asked for.")
    answer = investigate(open_workspace(history), Question(QUESTIONS[0])).answer
    assert answer.evidence
    assert HorizonFact(Limit.INDEX_BEHIND, 2) in answer.horizon.facts
    assert status(open_workspace(history)).behind == 2


def test_what_could_not_be_read_is_forgotten_when_it_is_mended(
    history: Builder, open_workspace: Open, places: Places, tmp_path: Path
) -> None:
    history.write("docs/bad.md", b"# Caf\xe9\n\nText that is not UTF-8.\n")
    history.write("docs/worse.md", b"# \xff\n\nNor is this.\n")
    history.commit("Add pages\n\nPages, because people asked for pages in the old encoding.")
    update(open_workspace(history))

    def invalid() -> list[HorizonFact]:
        answer = investigate(open_workspace(history), Question("pages")).answer
        return [fact for fact in answer.horizon.facts if fact.limit is Limit.INVALID_UTF8]

    assert invalid() == [HorizonFact(Limit.INVALID_UTF8, 2)]
    history.write("docs/bad.md", "# Caf\u00e9\n\nText that is.\n")
    history.commit("Mend a page\n\nThe page is UTF-8 now, because the editor was replaced.")
    update(open_workspace(history))
    assert invalid() == [HorizonFact(Limit.INVALID_UTF8, 1)]
    assert answers(open_workspace(history)) == fresh_answers(history, places, tmp_path)


def test_a_changed_configuration_brings_and_takes_markdown(
    history: Builder, open_workspace: Open, places: Places, tmp_path: Path
) -> None:
    update(open_workspace(history))
    history.write(".citator/config.yaml", "exclude:\n  - docs/**\n")
    history.commit("Leave the docs out\n\nThey are generated, because nobody writes them.")
    update(open_workspace(history))
    workspace = open_workspace(history)
    for answer in answers(workspace):
        assert not any(item.locator.startswith("docs/") for item in answer.evidence)
    assert answers(workspace) == fresh_answers(history, places, tmp_path)


def test_rolling_back_answers_from_the_generation_before(
    history: Builder, open_workspace: Open
) -> None:
    update(open_workspace(history))
    before = status(open_workspace(history)).current
    history.commit("More\n\nMore of it, because less was too little for the tests.")
    update(open_workspace(history))
    back = rollback(open_workspace(history))
    assert before is not None
    assert back.number == before.number
    answer = investigate(open_workspace(history), Question(QUESTIONS[0])).answer
    assert HorizonFact(Limit.INDEX_BEHIND, 1) in answer.horizon.facts


def test_a_repository_without_commits_builds_nothing(tmp_path: Path, open_workspace: Open) -> None:
    builder = Builder.init(tmp_path / "empty")
    report = update(open_workspace(builder))
    assert not report.built
    assert report.generation is None
    assert not (tmp_path / "data").exists()


def test_nothing_is_written_into_the_repository(history: Builder, open_workspace: Open) -> None:
    from tests.support.builder import contents_of

    before = contents_of(history.path)
    update(open_workspace(history))
    investigate(open_workspace(history), Question(QUESTIONS[0]))
    assert contents_of(history.path) == before


@pytest.mark.parametrize("fresh", [False, True])
def test_progress_counts_the_commits(history: Builder, open_workspace: Open, fresh: bool) -> None:
    seen: list[tuple[int, int | None]] = []
    update(open_workspace(history), fresh=fresh, progress=lambda *now: seen.append(now))
    assert seen[-1] == (4, 4)


def test_guessed_encodings_are_counted_and_forgotten_with_their_commit(
    history: Builder, open_workspace: Open
) -> None:
    history.commit(
        b"Name the caf\xe9\n\nThe caf\xe9 has a name, because customers asked for one.\n"
    )
    update(open_workspace(history))
    question = Question("why has the caf\u00e9 a name")
    answer = investigate(open_workspace(history), question).answer
    assert HorizonFact(Limit.GUESSED_ENCODING, 1) in answer.horizon.facts
    assert answer.evidence[0].object_id == history.head()
    history.amend(
        "Name the caf\u00e9\n\nThe caf\u00e9 has a name, because customers asked for one."
    )
    update(open_workspace(history))
    answer = investigate(open_workspace(history), question).answer
    assert answer.horizon.facts == ()
    assert answer.evidence[0].object_id == history.head()


def test_submodules_are_counted_as_long_as_they_are_there(
    history: Builder, open_workspace: Open
) -> None:
    def apart() -> int | None:
        update(open_workspace(history))
        answer = investigate(open_workspace(history), Question(QUESTIONS[0])).answer
        counts = {fact.limit: fact.count for fact in answer.horizon.facts}
        return counts.get(Limit.SUBMODULES_APART)

    assert apart() is None
    history.gitlink("vendor/one", "a" * 40).gitlink("vendor/two", "b" * 40)
    history.commit("Vendor two libraries\n\nThey are vendored, because upstream is gone.")
    assert apart() == 2
    history.remove("vendor/one")
    history.commit("Drop a library\n\nOne is enough, because nothing calls the other.")
    assert apart() == 1
