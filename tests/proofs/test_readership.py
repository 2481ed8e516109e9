"""Readership: history that an audience is not for is in no answer, count or order of it.

Two repositories are alike but for what is hidden: a page below ``secret/``, commits that touch one
(alone, and with what is shown; by taking it away, and by moving it out), threads that lie there,
are about it or name such a commit, and files that cannot be read. Under the mask both give the same
answers; the ids of HEAD differ, and nothing else. To somebody who is not below, the same calls tell
the two apart.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from citator.formats.reviews import About, ChangeState, Comment, Kept, Thread, ThreadState, render
from citator.index.analysis import Analyser
from citator.mcp.answers import answer_object, file_rows
from citator.mcp.desk import Desk
from citator.model.docket import Docket
from citator.model.errors import CitatorError
from citator.model.evidence import AbstainReason, Answer
from citator.model.horizon import HorizonFact, Limit
from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.service import locate as locating
from citator.service.complete_refs import complete_refs
from citator.service.index_history import update
from citator.service.initialise import initialise
from citator.service.investigate import Question, investigate
from citator.service.locate import Located
from citator.service.opened import opened
from citator.service.read_evidence import read_evidence
from citator.service.readership import UNMASKED, mask_of
from citator.service.why import Asked, why
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.trust.grants import Grants
from citator.trust.readership import PathRule, Readership, Readerships
from tests.support.builder import Builder

EVERYONE = Audience()
INSIDERS = Audience(Sensitivity.RESTRICTED)
PUBLIC = Audience(Sensitivity.PUBLIC)
RULES = Readership(rules=(PathRule("secret/**", Sensitivity.RESTRICTED),))
SHOWN = "The mailer retry queue has a bound because memory ran out on a slow relay."
HIDDEN = "The zeppelin escrow was paid twice because the ledger of the mailer queue had no bound."
QUESTIONS = (
    "why does the mailer retry queue have a bound?",
    "why was the zeppelin escrow paid twice?",
    "zepelin escrow",
    "queue",
    "secret/escrow.md",
    "memory relay bounce ledger",
    "zeppelin",
    "#8",
)
REVIEWS = ".citator/reviews/github"


def thread(number: int, text: str, path: str | None = None, commits: tuple[str, ...] = ()) -> str:
    said = Thread(str(number), ThreadState.RESOLVED, (Comment("grace", None, text),), path, 3)
    about = (About.CHANGE, ChangeState.MERGED, "Bound it", said, commits)
    return render(Kept("github", number, *about))


@dataclass
class World:
    """A repository and the data beside it; ``hidden`` are references that are hidden."""

    builder: Builder
    places: Places

    @property
    def workspace(self) -> Workspace:
        return Workspace.open(self.builder.path, self.places)

    def say(self, readership: Readership | None) -> None:
        Readerships(Layout(self.places.data)).set(self.workspace.repository_id, readership)

    def grant(self, audience: Audience) -> None:
        Grants(Layout(self.places.data)).write(audience)


def built(folder: Path, hidden: bool) -> World:
    builder = Builder.init(folder / "repo")
    for number in range(6):
        builder.write(f"src/mail{number}.py", "x = 1\n")
        builder.commit(f"Bound the mailer retry queue {number} (#7)\n\n{SHOWN} It was {number}.")
    builder.write("docs/queue.md", f"# The queue\n\n{SHOWN}\n")
    builder.write("docs/broken.md", b"# Broken\n\nA relay \xff bounced.\n")
    builder.write(f"{REVIEWS}/change-7/main.md", thread(7, SHOWN, "src/mail1.py"))
    builder.commit(f"Write down the queue\n\n{SHOWN} A page says it.")
    if hidden:
        hide(builder)
    else:
        builder.write("notes.txt", "1\n").write("src/mail1.py", "x = 2\n").commit("Take a note")
    places = Places(folder / "data", folder / "config", lambda size: b"k" * size)
    places.data.mkdir(mode=0o700)
    world = World(builder, places)
    world.say(RULES)
    update(world.workspace)
    return world


def hide(builder: Builder) -> None:
    """Add what is hidden: each kind of it, and what cannot be read."""
    builder.write("secret/escrow.md", f"# Zeppelin escrow\n\n{HIDDEN}\n")
    builder.write("secret/broken.md", b"# Broken\n\nA zeppelin \xff bounced.\n")
    first = builder.commit(f"Pay the zeppelin escrow once (#8)\n\n{HIDDEN}")
    builder.write("secret/more.md", f"# More\n\n{HIDDEN} Twice.\n").write("src/mail1.py", "x = 2\n")
    builder.commit(f"Bound the mailer retry queue of the zeppelin\n\n{HIDDEN} And there.")
    builder.remove("secret/more.md")
    builder.commit(
        f"Remove what the zeppelin said\n\n{HIDDEN} It is gone.\n\n{HIDDEN} It was wrong."
    )
    builder.write(f"{REVIEWS}/change-8/about.md", thread(8, HIDDEN, "secret/escrow.md"))
    builder.write(
        f"{REVIEWS}/change-8/names.md", thread(9, HIDDEN, None, ("1" * 40,) * 4 + (first,))
    )
    builder.write("secret/threads.txt", "2\n").write("notes.txt", "1\n")
    builder.commit(f"Keep what was said of the zeppelin\n\n{HIDDEN} It is kept.")


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, World]]:
    folder = tmp_path_factory.mktemp("readership")
    yield built(folder / "holds", True), built(folder / "never", False)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return built(tmp_path / "alone", True)


def answers(world: World, audience: Audience) -> list[dict[str, Any]]:
    """Each question with its text, page by page to the end."""
    told: list[dict[str, Any]] = []
    for text in QUESTIONS:
        cursor = None
        while True:
            question = Question(text, limit=3, read=3, cursor=cursor)
            found = investigate(world.workspace, question, audience)
            told.append(without_head(found.answer, found.texts))
            told[-1]["files"] = file_rows(found.predicted.files)
            cursor = found.answer.cursor
            if cursor is None:
                break
    return told


def without_head(answer: Answer, texts: Any) -> dict[str, Any]:
    horizon = replace(answer.horizon, head=None, indexed=None)
    cursor = None if answer.cursor is None else "more"
    return answer_object(replace(answer, horizon=horizon, cursor=cursor), texts, b"s" * 32)


def statistics(world: World, audience: Audience) -> list[object]:
    """What a view counts, and in which order it finds."""
    with opened(world.workspace, mask_of(world.workspace, audience)) as (_, view):
        words = Analyser().terms("zeppelin escrow queue mailer bound relay")
        paths = ("secret/escrow.md", "src/mail1.py", f"{REVIEWS}/change-8/about.md")
        return [
            view.statistics,
            *(view.document_frequency(one) for one in words),
            *([row.ref for row in view.find_path(one)] for one in paths),
            sorted((row.ref, row.path) for row in view.scan()),
        ]


def references(world: World) -> set[str]:
    with opened(world.workspace, UNMASKED) as (_, view):
        return {str(row.ref) for row in view.scan()}


def hidden_of(worlds: tuple[World, World]) -> list[str]:
    return sorted(references(worlds[0]) - references(worlds[1]))


def test_what_is_hidden_changes_no_answer_of_who_is_below_it(
    worlds: tuple[World, World],
) -> None:
    holds, never = (answers(one, EVERYONE) for one in worlds)
    assert holds == never
    assert "zeppelin" not in json.dumps([one["evidence"] for one in holds])
    assert any(one["evidence"] for one in holds)

    control, without = (answers(one, INSIDERS) for one in worlds)
    assert control != without
    kinds = {row["kind"] for one in control for row in one["evidence"]}
    assert {"commit", "markdown", "review"} <= kinds
    files = {row["path"] for one in control for row in one["files"]}
    assert "secret/escrow.md" in files and any(one["files"] for one in holds)


def test_what_is_hidden_is_in_no_count_of_who_is_below_it(worlds: tuple[World, World]) -> None:
    holds, never = (statistics(one, EVERYONE) for one in worlds)
    assert holds == never
    assert statistics(worlds[0], INSIDERS) != statistics(worlds[1], INSIDERS)


def test_each_kind_of_hidden_document_is_there_for_who_may_see_it(
    worlds: tuple[World, World],
) -> None:
    items = read_evidence(worlds[0].workspace, hidden_of(worlds), audience=INSIDERS)
    locators = {str(item.locator).partition(":")[0] for item in items}
    assert len([one for one in items if one.ref.startswith("commit:")]) == 4
    assert {"secret/escrow.md", "secret/broken.md"} <= locators
    assert {f"{REVIEWS}/change-8/{name}.md" for name in ("about", "names")} <= locators
    assert all(item.text for item in items)


def test_a_hidden_reference_is_unknown_and_is_completed_to_nothing(
    worlds: tuple[World, World],
) -> None:
    hidden = hidden_of(worlds)
    told = [read_evidence(one.workspace, hidden, audience=EVERYONE) for one in worlds]
    assert told[0] == told[1]
    assert {item.problem for item in told[0]} == {"unknown_ref"}

    begun = [ref[: ref.rindex(":") + 9] for ref in hidden]
    completed = [[complete_refs(one.workspace, ref, 9) for ref in begun] for one in worlds]
    assert completed[0] == completed[1] and not any(completed[0])
    worlds[0].grant(INSIDERS)
    assert all(complete_refs(worlds[0].workspace, ref, 9) for ref in begun)
    worlds[0].grant(EVERYONE)


def test_a_limit_of_what_is_hidden_is_no_limit(worlds: tuple[World, World]) -> None:
    def limits(world: World, audience: Audience) -> list[HorizonFact]:
        facts = investigate(world.workspace, Question("queue"), audience).answer.horizon.facts
        return [one for one in facts if one.limit is Limit.INVALID_UTF8]

    assert [limits(one, EVERYONE) for one in worlds] == [[HorizonFact(Limit.INVALID_UTF8, 1)]] * 2
    assert limits(worlds[0], INSIDERS) == [HorizonFact(Limit.INVALID_UTF8, 2)]


def legs(world: World, audience: Audience) -> list[str | None]:
    facts = investigate(world.workspace, Question("queue"), audience).answer.horizon.facts
    return [one.detail for one in facts if one.limit is Limit.LEG_OFF]


def test_the_legs_that_know_all_words_are_off_whatever_is_hidden(world: World) -> None:
    off = ["calibration", "other_languages"]
    assert legs(world, EVERYONE) == off
    world.say(Readership(rules=(PathRule("nothing/here/**", Sensitivity.RESTRICTED),)))
    assert legs(world, EVERYONE) == off
    assert legs(world, PUBLIC) == off
    assert legs(world, INSIDERS) == []


def test_below_the_readership_of_the_repository_history_is_an_empty_index(world: World) -> None:
    world.say(Readership(Sensitivity.CONFIDENTIAL))
    refs = sorted(references(world))

    for text in QUESTIONS:
        found = investigate(world.workspace, Question(text, read=3), EVERYONE)
        assert found.answer.abstained is AbstainReason.EMPTY_INDEX
        assert (found.answer.evidence, found.answer.left_out, found.texts) == ((), 0, ())
        assert found.predicted.files == ()
        assert {one.limit for one in found.answer.horizon.facts} == {Limit.LEG_OFF}
    items = read_evidence(world.workspace, refs, audience=EVERYONE)
    assert {item.problem for item in items} == {"unknown_ref"}
    assert complete_refs(world.workspace, refs[0][:-4], 9) == []
    assert answers(world, INSIDERS)[0]["evidence"]


def test_commits_that_are_hidden_do_not_make_an_index_late(world: World) -> None:
    def behind(audience: Audience) -> list[int | None]:
        facts = investigate(world.workspace, Question("queue"), audience).answer.horizon.facts
        return [one.count for one in facts if one.limit is Limit.INDEX_BEHIND]

    world.builder.write("secret/late.md", "# Late\n").commit("Be late\n\nBecause of the zeppelin.")
    assert (behind(EVERYONE), behind(INSIDERS)) == ([], [1])
    world.builder.write("src/late.py", "").commit("Be late again\n\nBecause of the relay.")
    assert (behind(EVERYONE), behind(INSIDERS)) == ([1], [2])


def test_a_cursor_is_of_the_audience_that_got_it(world: World) -> None:
    asked = Question("why does the mailer retry queue have a bound?", limit=1)
    cursor = investigate(world.workspace, asked, INSIDERS).answer.cursor
    assert cursor is not None
    assert investigate(world.workspace, replace(asked, cursor=cursor), INSIDERS).answer.evidence
    with pytest.raises(CitatorError) as refused:
        investigate(world.workspace, replace(asked, cursor=cursor), EVERYONE)
    assert refused.value.code == "invalid_cursor"


def test_a_tool_answers_for_whom_the_operator_granted(world: World) -> None:
    desk = Desk(world.builder.path, world.places)
    hidden = references(world)

    def shown() -> set[str]:
        return {one for one in hidden if desk.completions(one, 1)}

    seen = shown()
    with opened(world.workspace) as (_, view):
        assert seen == {str(row.ref) for row in view.scan()} < hidden
    world.grant(INSIDERS)
    assert shown() == hidden


def test_init_and_locate_show_nothing_of_what_is_hidden(world: World) -> None:
    def found() -> tuple[int, tuple[str, ...]]:
        wanted = locating.Wanted("why was the zeppelin escrow paid twice?")
        located = locating.locate(world.workspace, wanted)
        return len(initialise(world.workspace).findings), located.signals_off

    below = found()
    world.grant(INSIDERS)
    above = found()
    assert below[1] == ("history",) and above[1] == ()
    assert below[0] < above[0]


def located(world: World, audience: Audience, **more: Any) -> list[Located]:
    """Each question as an issue, with all files; the ids of HEAD left out."""
    found = [
        locating.locate(world.workspace, locating.Wanted(text, 100, **more), audience=audience)
        for text in QUESTIONS
    ]
    return [replace(one, horizon=replace(one.horizon, head=None)) for one in found]


@pytest.mark.parametrize("under", [(), ("secret", "src"), ("secret/escrow.md",)])
def test_a_hidden_file_is_neither_ranked_nor_counted(
    worlds: tuple[World, World], under: tuple[str, ...]
) -> None:
    holds, never = (located(one, EVERYONE, under=under) for one in worlds)
    assert holds == never

    control = located(worlds[0], INSIDERS, under=under)
    assert "secret/escrow.md" in {file.path for one in control for file in one.files}
    assert control[0].considered > holds[0].considered


def test_a_hidden_file_that_is_not_committed_is_not_counted(world: World) -> None:
    def seen(audience: Audience) -> tuple[int, int, int]:
        found = locating.locate(world.workspace, locating.Wanted("queue"), audience=audience)
        large = [one.count or 0 for one in found.horizon.facts if one.limit is Limit.TOO_LARGE]
        return found.considered, found.uncommitted, sum(large)

    below, above = seen(EVERYONE), seen(INSIDERS)
    (world.builder.path / "secret" / "new.py").write_text("def zeppelin():\n    pass\n")
    (world.builder.path / "secret" / "large.py").write_text("x = 1\n" * 200_000)
    assert seen(EVERYONE) == below
    assert seen(INSIDERS) == (above[0] + 1, 2, 1)


def test_below_the_readership_of_the_repository_there_is_no_file(world: World) -> None:
    world.say(Readership(Sensitivity.CONFIDENTIAL))
    (found, *_) = located(world, EVERYONE)
    assert (found.files, found.considered, found.uncommitted) == ((), 0, 0)
    assert [one.limit for one in found.horizon.facts] == [Limit.LEG_OFF]
    assert located(world, INSIDERS)[0].files


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.write_text("{}"),
        lambda file: file.write_text(file.read_text().replace("restricted", "everybody")),
        lambda file: file.chmod(0o666),
    ],
    ids=["damaged", "unknown level", "anybody may write it"],
)
def test_a_readership_that_cannot_be_relied_on_hides_all(
    world: World, spoil: Callable[[Path], object]
) -> None:
    spoil(world.places.data / "trust" / "readership.json")
    answer = investigate(world.workspace, Question(QUESTIONS[0]), EVERYONE).answer
    assert answer.abstained is AbstainReason.EMPTY_INDEX
    assert answers(world, INSIDERS)[0]["evidence"]


def test_where_nothing_was_said_or_nobody_is_below_nothing_is_masked(world: World) -> None:
    masks = [mask_of(world.workspace, INSIDERS)]
    Readerships(Layout(world.places.data)).set("0" * 64, RULES)
    world.say(None)
    masks += [mask_of(world.workspace, one) for one in (EVERYONE, PUBLIC, None)]
    (world.places.data / "trust" / "readership.json").unlink()
    masks.append(mask_of(world.workspace, PUBLIC))
    assert masks == [UNMASKED] * 5


def test_a_path_is_never_for_more_than_its_repository(world: World) -> None:
    low = PathRule("docs/**", Sensitivity.PUBLIC)
    world.say(Readership(Sensitivity.CONFIDENTIAL, (low,)))
    answer = investigate(world.workspace, Question(QUESTIONS[0]), EVERYONE).answer
    assert answer.abstained is AbstainReason.EMPTY_INDEX


def test_a_commit_at_the_edge_of_a_shallow_clone_is_hidden(world: World, tmp_path: Path) -> None:
    last = world.builder.commit("Bound the mailer queue again\n\nBecause a relay was slow.")
    shallow = World(world.builder.clone(tmp_path / "shallow", depth=1), world.places)
    update(shallow.workspace)
    asked = Question("why was the mailer queue bound again?")

    def found(audience: Audience | None = None) -> list[str]:
        answer = investigate(shallow.workspace, asked, audience).answer
        return [row.locator for row in answer.evidence if row.ref.startswith("commit:")]

    assert found() == [last]
    shallow.say(RULES)
    assert found() == []
    assert found(INSIDERS) == [last]


# Not `src`: a commit that is hidden in one, and one that is not in the other, touched it last.
TARGETS = (
    *QUESTIONS,
    "src/mail2.py",
    "src/mail2.py:1",
    "docs/queue.md:1-3",
    "secret",
    "secret/",
    "secret/escrow.md",
    "secret/escrow.md:1",
    "secret/more.md",
    '"# Zeppelin escrow"',
    "zeppelin_escrow",
    "docs",
)


def dockets(world: World, audience: Audience, removed: bool) -> list[Docket | str]:
    """Each docket, or the code of its failure; the ids of HEAD left out."""
    found: list[Docket | str] = []
    for target in TARGETS:
        try:
            docket = why(world.workspace, Asked(target, removed), time.monotonic, audience)
        except CitatorError as error:
            found.append(error.code)
        else:
            found.append(replace(docket, horizon=replace(docket.horizon, head=None, indexed=None)))
    return found


@pytest.mark.parametrize("removed", [False, True])
def test_a_docket_holds_nothing_of_what_is_hidden(
    worlds: tuple[World, World], removed: bool
) -> None:
    holds, never = (dockets(one, EVERYONE, removed) for one in worlds)
    assert dict(zip(TARGETS, holds, strict=True)) == dict(zip(TARGETS, never, strict=True))

    control = dict(zip(TARGETS, dockets(worlds[0], INSIDERS, removed), strict=True))
    gone, page = control["secret/more.md"], control["secret/escrow.md"]
    assert isinstance(gone, Docket) and isinstance(page, Docket)
    assert page.path == "secret/escrow.md" and (page.commits or removed)
    assert bool(gone.removals) is removed
