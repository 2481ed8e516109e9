"""Whatever an agent with a shell does, a proposal that no pinned person signed is not approved.

Every attack is a real act in a copy of a repository in which, by the same question, the decision
is approved once the person signs (the control). The adversary has no write access to the
operator's directory: each attack is held to leaving it as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from citator.service.verify_record import verify
from citator.service.workspace import Places, Workspace
from citator.trust.pins import parse_pin
from tests.proofs import attacks_by_files, attacks_by_history, attacks_by_words
from tests.proofs.attacks_by_files import DERIVED
from tests.support.adversary import (
    ADA,
    APPROVED,
    BOB,
    CI,
    GUARDED,
    Outcome,
    Scene,
    attested,
    delegated,
    departed,
    guarded,
    outcome,
    solo,
    tightened,
    told,
    untouched,
)
from tests.support.attacks import ATTACKS, Attack, Build

MODULES = (attacks_by_words, attacks_by_history, attacks_by_files)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Build], Scene]:
    """Each scene, built once."""
    made: dict[Build, Scene] = {}
    folder = tmp_path_factory.mktemp("scenes")

    def of(build: Build) -> Scene:
        if build not in made:
            made[build] = build(folder / build.__name__)
        return made[build]

    return of


def signed(scene: Scene) -> Outcome:
    """The control: the person signs."""
    scene.take(ADA.says(scene.proposal))
    return outcome(scene)


def signed_by_the_other(scene: Scene) -> Outcome:
    """The control where one of two signed already."""
    scene.take(BOB.says(scene.proposal, policy=GUARDED.digest))
    return outcome(scene)


def verified(scene: Scene) -> Outcome:
    """The control where all that is missing is CI."""
    scene.attest(CI)
    return outcome(scene)


CONTROLS: dict[Build, Callable[[Scene], Outcome]] = {
    solo: signed,
    delegated: signed,
    departed: signed,
    tightened: signed,
    guarded: signed_by_the_other,
    attested: verified,
}


@pytest.mark.parametrize("build", list(CONTROLS), ids=lambda one: one.__name__)
def test_what_the_person_signs_is_approved_and_its_words_travel(
    build: Build, scenes: Callable[[Build], Scene], tmp_path: Path
) -> None:
    scene = scenes(build).copy(tmp_path / "copy")
    before = outcome(scene)

    after = CONTROLS[build](scene)

    assert (before.approved, before.words, before.kept, before.stopped) == (False, False, True, "")
    assert (after.approved, after.words, after.kept, after.stopped) == (True, True, True, "")
    assert after.effective - before.effective == {scene.proposal.id}


@pytest.mark.parametrize("name", list(ATTACKS))
def test_an_adversary_with_a_shell_approves_nothing(
    name: str, scenes: Callable[[Build], Scene], tmp_path: Path
) -> None:
    build, attack = ATTACKS[name]
    scene = scenes(build).copy(tmp_path / "attacked")
    before = outcome(scene)

    with untouched(scene.places.data.parent):
        attack(scene)

    after = outcome(scene)
    assert not after.approved
    assert not after.words
    assert after.approvers <= before.approvers
    assert not scene.notes.get("ran", scene.folder / "ran").exists()


@pytest.mark.parametrize("attack", DERIVED, ids=lambda one: one.__name__)
def test_whoever_writes_derived_state_alone_approves_nothing(
    attack: Attack, scenes: Callable[[Build], Scene], tmp_path: Path
) -> None:
    scene = scenes(solo).copy(tmp_path / "attacked")
    assert outcome(scene).kept
    assert APPROVED in told(scene)

    with untouched(scene.places.data / "trust"):
        attack(scene)

    after = outcome(scene)
    assert not after.approved
    assert not after.words


@pytest.mark.parametrize(
    "name",
    [
        "by_committing",
        "by_a_key_that_nobody_pinned",
        "by_an_approver_who_is_no_root",
        "by_approving_after_a_rejection",
        "by_taking_the_rejection_away",
        "by_a_key_that_was_taken_out",
        "by_taking_the_removal_away",
        "by_reverting_the_removal",
        "by_reverting_what_retired_it",
        "by_editing_what_was_approved",
        "by_taking_away_and_adding_again",
        "by_one_signature_twice",
        "by_typing_under_the_policy_of_before",
    ],
)
def test_ci_fails_on_it_in_a_clean_clone(
    name: str, scenes: Callable[[Build], Scene], tmp_path: Path
) -> None:
    """Under a root of its own, and with nothing that any machine remembers."""
    build, attack = ATTACKS[name]
    scene = scenes(build).copy(tmp_path / "attacked")
    (root,) = map(parse_pin, (one.read_bytes() for one in pins_of(scene)))
    before = verify(clean(scene, tmp_path / "before"), root, None)

    attack(scene)

    after = verify(clean(scene, tmp_path / "after"), root, None)
    assert {one.code for one in before.findings} <= {"against_policy"}
    assert not after.ok
    assert len(after.findings) > len(before.findings) or build is guarded


def pins_of(scene: Scene) -> list[Path]:
    return list((scene.places.data / "trust/pins").iterdir())


def clean(scene: Scene, folder: Path) -> Workspace:
    """A fresh clone, on a machine that has never seen anything."""
    clone = scene.builder.clone(folder)
    return Workspace.open(clone.path, Places(folder / "data", folder / "config"))


def test_every_way_to_try_it_is_tried() -> None:
    made = {one.__module__ for _, one in ATTACKS.values()}
    assert made == {one.__name__ for one in MODULES}
    assert len(ATTACKS) == 77
