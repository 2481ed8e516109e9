"""Absence: a world that holds a withheld record answers as one that never did, byte by byte.

For each corpus four worlds are asked the same: *holds*, *decoy* and *never*, for an audience that
may not see the record, and *before* (held, and not yet retired) for one that may see everything:
the positive control, through the same calls. Which calls tell the control from a world without the
record is declared, so that no proof here can pass because nothing was asked.

- Over the second ledger nothing differs. In the repository the ids of commits do, and what follows
  from one (``World.names``). What is retired there is known to be retired: the person's commands
  that show its tombstone, and no others, say so, and say the same of the decoy.
- The work of a call is the same too. Writing reads the ledger of the working tree as a whole: what
  that costs follows from all that lies there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest

from citator.model.visibility import Audience
from citator.service.record_view import view_of
from tests.support.conversation import Answer, conversation
from tests.support.twins import (
    ARABIC,
    EVERYTHING,
    JAPANESE,
    LATIN,
    MEMBER,
    REPOSITORY,
    SECOND,
    UNAPPROVED,
    Plan,
    Script,
    World,
    World_,
    built,
    partition_id,
    secrets_of,
    standing,
    workspace_at,
)

pytestmark = pytest.mark.long

KINDS: tuple[World_, ...] = get_args(World_)
TWINS: tuple[World_, ...] = ("decoy", "never")
WITHHELD = REPOSITORY[:5]
RETIRED = REPOSITORY[5:]


@dataclass(frozen=True)
class Corpus:
    """What is withheld, and from whom."""

    plan: Plan
    asker: Audience


CORPORA = {
    "second": Corpus(Plan(LATIN, SECOND), Audience()),
    "second, members": Corpus(Plan(LATIN, SECOND[1:]), MEMBER),
    "repository": Corpus(Plan(LATIN, WITHHELD), Audience()),
    "repository, unapproved": Corpus(Plan(LATIN, WITHHELD[:3]), UNAPPROVED),
    "retired": Corpus(Plan(LATIN, RETIRED), EVERYTHING),
}

# Of every withheld record; of the first of a corpus besides.
EACH = ("withheld words", "withheld path", "withheld id", "read", "status", "show")
FIRST = (
    "withheld among known",
    "withheld words as of a day",
    "withheld migration",
    "withheld reference",
    "read prefixes",
    "read a line",
    "resource",
    "list path",
    "show prefix",
    "show migration",
    "diff",
    "supersede withheld",
)
ALL = (
    "read all",
    "ask",
    "read",
    "list",
    "list rejections",
    "list with words",
    "list approved",
    "export okf",
    "export madr",
    "export html",
)
MORE = {
    "second": (),
    "second, members": (),
    "repository": (
        "withheld words at a commit, above",
        "list as of",
        "list at",
        "list draft",
        "list proposed",
    ),
    "repository, unapproved": ("withheld words at a commit, above", "list at"),
    "retired": (
        "withheld words at a commit, deprecated",
        "list at",
        # The control is from before the rejection, which all may know afterwards.
        "told no",
        "propose what was told no",
        "propose it again",
    ),
}
# A proposal that nobody approved is nothing to build on, also for those who see it.
NOTHING_TO_REVISE = ("draft", "proposed")

TOMBSTONES = frozenset(
    {
        "list",
        "list rejections",
        "list with words",
        "list as of",
        "list at",
        *(f"list {status}" for status in ("deprecated", "superseded", "rejected")),
        *(f"show, {face.name}" for face in RETIRED),
        "show prefix, deprecated",
        "show migration, deprecated",
        "diff, deprecated",
        "export html",
    }
)


def declared(name: str) -> frozenset[str]:
    """The calls that tell a world with the record from one without, to those who may see it."""
    faces = [face.name for face in CORPORA[name].plan.faces]
    found = {f"{call}, {face}" for call in EACH for face in faces}
    found |= {f"{call}, {faces[0]}" for call in FIRST}
    found |= {f"revise withheld, {face}" for face in faces if face not in NOTHING_TO_REVISE}
    return frozenset({*found, *ALL, *MORE[name]})


@dataclass(frozen=True)
class Told:
    """What each world of a corpus answered."""

    corpus: Corpus
    name: str
    answers: dict[World_, dict[str, Answer]]
    names: dict[World_, list[str]]
    worlds: dict[World_, World]
    place: Path


@pytest.fixture(scope="module", params=CORPORA)
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    corpus = CORPORA[request.param]
    folder = tmp_path_factory.mktemp("worlds")
    place = folder / "here"
    worlds = {kind: built(kind, corpus.plan, place, folder / kind) for kind in KINDS}
    answers, names = {}, {}
    for kind, world in worlds.items():
        asker = EVERYTHING if kind == "before" else corpus.asker
        with standing(world, place, asker):
            answers[kind] = conversation(world, place)
            names[kind] = sorted(name for _, name in world.names(place))
    return Told(corpus, request.param, answers, names, worlds, place)


def differing(told: Told, one: World_, other: World_) -> set[str]:
    first, second = told.answers[one], told.answers[other]
    return {
        name
        for name in first.keys() | second.keys()
        if name not in first or name not in second or first[name].raw != second[name].raw
    }


def test_a_withheld_record_is_a_record_that_never_was(told: Told) -> None:
    excused = TOMBSTONES if told.name == "retired" else frozenset()

    assert differing(told, "holds", "never") == excused
    assert differing(told, "holds", "decoy") == set()


def test_the_calls_that_bite_are_the_declared_ones(told: Told) -> None:
    control, never = told.answers["before"], told.answers["never"]

    biting = {name for name in never if control[name].raw != never[name].raw}

    assert biting == declared(told.name)


def test_the_control_serves_every_withheld_record_in_its_own_words(told: Told) -> None:
    for secret in secrets_of(told.corpus.plan):
        for call in ("withheld words", "read", "show"):
            name = f"{call}, {secret.face.name}"
            control = told.answers["before"][name].raw
            kept = [told.answers[kind][name].raw for kind in ("holds", *TWINS)]
            words = secret.words.split()[1].encode()
            unsigned = call == "withheld words" and secret.face.name in NOTHING_TO_REVISE
            if not unsigned:  # their words wait to be asked for
                assert control.count(words) > max(one.count(words) for one in kept), name


def test_the_work_is_that_of_a_world_without_the_record(told: Told) -> None:
    holds = told.answers["holds"]
    for kind in TWINS:
        other = told.answers[kind]
        unequal = {
            name: holds[name].work - other[name].work
            for name in holds
            if holds[name].work != other[name].work
        }
        if not told.worlds[kind].in_repository:
            assert unequal == {}
        for name, more in unequal.items():
            assert name.startswith(("propose", "supersede", "revise")), (name, more)
            assert set(more) == {"signatures verified"}, (name, more)
    assert sum((one.work for one in holds.values()), Counter())["signatures verified"] > 0


def test_an_audience_has_one_partition_whatever_is_withheld(told: Told) -> None:
    ids = set()
    for kind in ("holds", *TWINS):
        with standing(told.worlds[kind], told.place, told.corpus.asker) as place:
            ids.add(partition_id(place, told.corpus.asker))
    with standing(told.worlds["before"], told.place, EVERYTHING) as place:
        control = partition_id(place, EVERYTHING)

    assert len(ids) == 1
    assert control not in ids


def test_what_may_differ_is_the_ids_of_commits_and_nothing_else(told: Told) -> None:
    commits = {kind: told.worlds[kind].commits for kind in ("holds", *TWINS)}

    assert len({tuple(told.names[kind]) for kind in commits}) == 1
    if told.worlds["holds"].in_repository:
        assert len({one[:3] for one in commits.values()}) == 1
        assert len({one[3:] for one in commits.values()}) == 3
    else:
        assert len(set(commits.values())) == 1


@pytest.mark.parametrize("script", [LATIN, JAPANESE, ARABIC], ids=lambda one: one.name)
def test_what_is_withheld_shares_no_character_with_what_is_seen(script: Script) -> None:
    alphabets = [set(script.seen), set(script.hidden), set(script.decoy)]
    assert sum(map(len, alphabets)) == len(set.union(*alphabets))
    assert len(script.hidden) == len(script.decoy)
    assert len(script.hidden.encode()) == len(script.decoy.encode())
    plan = Plan(script, REPOSITORY + SECOND)
    texts = [secret.words for secret in secrets_of(plan)]
    assert len(set(texts)) == len(texts)
    assert all(set(one) <= {*script.hidden, " "} for one in texts)


def test_drafts_move_nothing_for_those_who_did_not_ask(tmp_path: Path) -> None:
    """The hole that an ancestor accepted: there a draft in the index moved every ranking."""
    drafts = [face for face in REPOSITORY if face.name in ("draft", "proposed")]
    plan, place = Plan(LATIN, tuple(drafts)), tmp_path / "here"
    orders: dict[Audience, set[tuple[str, ...]]] = {Audience(): set(), UNAPPROVED: set()}
    for kind in ("holds", "never"):
        with standing(built(kind, plan, place, tmp_path / kind), place, UNAPPROVED):
            for audience, found in orders.items():
                found.add(tuple(_texts_seen(place, audience)))

    assert len(orders[Audience()]) == 1
    assert sorted(map(len, orders[UNAPPROVED])) == [4, 6]


def _texts_seen(place: Path, audience: Audience) -> Iterator[str]:
    view = view_of(workspace_at(place), audience)
    assert view is not None
    with closing(view.partition) as partition:
        yield from (one.title for one in partition.all())
