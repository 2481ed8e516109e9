"""The skills that ship are signed as they stand, declare what is known, and answer tasks."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from shutil import copytree

import pytest

from citator.model.domain import Domain, Intent
from citator.search.domains import classify
from citator.service import skill_dispatch, skills
from citator.service.workspace import Places
from citator.store.layout import Layout
from citator.trust.skill_advice import advise
from citator.trust.skills import SHIPPED, Shelf

NAMES = {
    "ask-why-before-you-change",
    "break-the-invariant-on-purpose",
    "make-the-bad-state-unwritable",
    "read-your-interface-as-a-stranger",
    "record-the-decision",
    "refactor-without-touching-tests",
    "sweep-the-clock",
    "verify-before-asserting",
}
TRIED = Path(__file__).parents[2] / "docs" / "explanation" / "skills-tried.md"


def test_all_are_signed_as_they_stand_and_active_where_nobody_chose(places: Places) -> None:
    found = skills.shelf_of(places).active()
    assert found.refused == ()
    assert {one.skill.name for one in found.skills} == NAMES
    assert all(one.shipped and one.by == "citator" for one in found.skills)
    assert {one.name for one in (files("citator") / "shipped" / "skills").iterdir()} == NAMES


def test_they_declare_words_that_are_known_and_need_no_advice(places: Places) -> None:
    for one in skills.shelf_of(places).active().skills:
        said = one.approval.statement
        assert set(said.domains) <= {domain.value for domain in Domain}
        assert set(said.intents) <= {intent.value for intent in Intent}
        assert advise(one.skill) == ()


def test_each_was_tried_here() -> None:
    page = TRIED.read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in NAMES)


@pytest.mark.parametrize("at", ["skills.json", "key.pub", "skills/sweep-the-clock/SKILL.md"])
def test_a_changed_byte_of_what_ships_is_not_served(tmp_path: Path, at: str) -> None:
    there = tmp_path / "shipped"
    copytree(SHIPPED, there)
    shelf = Shelf(Layout(tmp_path / "data"), there)
    assert len(shelf.active().skills) == len(NAMES)
    data = (there / at).read_bytes()
    (there / at).write_bytes(data.replace(b"A", b"B", 1) if b"A" in data else data + b" ")
    found = Shelf(Layout(tmp_path / "data"), there).active()
    assert len(found.skills) in (0, len(NAMES) - 1)
    assert "sweep-the-clock" not in {one.skill.name for one in found.skills} or at != (
        "skills/sweep-the-clock/SKILL.md"
    )


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("refactor the parser class and its tests", "ask-why-before-you-change"),
        ("why was the cache of the compiler removed?", "verify-before-asserting"),
    ],
)
def test_a_task_is_told_of_those_that_fit_it(places: Places, task: str, told: str) -> None:
    found = skill_dispatch.dispatch(places, classify(task))
    assert told in {one.name for one in found.skills}
    assert len(found.skills) <= 3


def test_a_recipe_is_told_of_none(places: Places) -> None:
    assert skill_dispatch.dispatch(places, classify("a recipe for apple pie")).skills == ()
