"""Absence in other scripts, and in corpora that nobody thought of.

Each is a pair of twins and a control, asked through the real tools; what is drawn (how many
decisions, which are withheld and how, which words) is the same in every run.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citator.model.visibility import Audience
from tests.support.conversation import readings, renamed, told, views
from tests.support.twins import (
    ARABIC,
    EVERYTHING,
    JAPANESE,
    LATIN,
    MEMBER,
    REPOSITORY,
    SECOND,
    Face,
    Plan,
    Script,
    World_,
    built,
    secrets_of,
    standing,
)

pytestmark = pytest.mark.long

ASKED = ("known", "decided", "governs", "withheld", "read", "status", "told no")


def answers(plan: Plan, kind: World_, asker: Audience, folder: Path) -> dict[str, bytes]:
    """What a world answers, and the work it was, with the ids of commits by their names."""
    place = folder / "here"
    world = built(kind, plan, place, folder / kind)
    with standing(world, place, asker):
        names = world.names(place) if world.in_repository else []
        asked = [
            one
            for one in readings(plan, secrets_of(plan))
            if one.name.startswith(ASKED)
            and "cursor" not in one.name
            and one.given.get("limit") != 1
        ]
        found = told(world, place, asked, first=views(plan))
    return {
        name: renamed(one.raw, names) + repr(sorted(one.work.items())).encode()
        for name, one in found.items()
        if not name.endswith("the next")
    }


def bites(plan: Plan, folder: Path, asker: Audience | None = None) -> set[str]:
    """The calls that tell the control from a world without; fails where twins differ."""
    holds, decoy, never = (
        answers(plan, kind, asker or Audience(), folder) for kind in ("holds", "decoy", "never")
    )
    assert holds == never
    assert holds == decoy
    control = answers(plan, "before", EVERYTHING, folder)
    return {name for name in never if control[name] != never[name]}


@pytest.mark.parametrize(
    "faces",
    [SECOND[:2], (REPOSITORY[0], REPOSITORY[3], REPOSITORY[5])],
    ids=["second", "repository"],
)
@pytest.mark.parametrize("script", [JAPANESE, ARABIC], ids=lambda one: one.name)
def test_a_withheld_record_is_a_record_that_never_was(
    script: Script, faces: tuple[Face, ...], tmp_path: Path
) -> None:
    found = bites(Plan(script, faces, versioned=script is ARABIC), tmp_path)

    assert found >= {f"withheld words, {face.name}" for face in faces}
    assert found >= {f"read, {face.name}" for face in faces}


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    script=st.sampled_from([LATIN, JAPANESE, ARABIC]),
    faces=st.one_of(
        st.lists(
            st.sampled_from(REPOSITORY[:6]), min_size=1, max_size=3, unique_by=lambda one: one.name
        ),
        st.lists(st.sampled_from(SECOND), min_size=1, max_size=3, unique_by=lambda one: one.name),
    ),
    decisions=st.integers(min_value=4, max_value=8),
)
def test_no_generated_corpus_tells(
    script: Script,
    faces: list[Face],
    decisions: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    found = bites(Plan(script, tuple(faces), decisions), tmp_path_factory.mktemp("drawn"))

    assert found >= {f"read, {face.name}" for face in faces}


def test_members_of_a_versioned_second_ledger_see_their_part_of_it(tmp_path: Path) -> None:
    plan = Plan(LATIN, SECOND[1:], versioned=True)

    found = bites(plan, tmp_path, MEMBER)

    assert found >= {f"read, {face.name}" for face in plan.faces}
