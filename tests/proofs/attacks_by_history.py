"""Attacks by time: keys that were taken out, clocks, histories written anew, what was retired."""

from __future__ import annotations

import shutil

from citator.record.approvals import Approval
from citator.record.migration import Migration
from tests.support.adversary import (
    ADA,
    BOB,
    CI,
    MALLORY,
    TYPED,
    Scene,
    attested,
    departed,
    guarded,
    retired,
    tightened,
)
from tests.support.approving import OTHER_RECORD
from tests.support.attacks import on

# -- by a key that was taken out, and by clocks


@on(departed)
def by_a_key_that_was_taken_out(scene: Scene) -> None:
    scene.take(BOB.says(scene.proposal))


@on(departed)
def by_a_clock_turned_back(scene: Scene) -> None:
    early = "2020-01-01T00:00:00Z"
    scene.land(scene.proposal)
    scene.approve(BOB.says(scene.proposal, time=early))
    scene.commit("Earlier", GIT_AUTHOR_DATE=early, GIT_COMMITTER_DATE=early)


@on(departed)
def by_a_branch_from_before(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "side", scene.notes["before"])
    scene.write(f"proposals/{scene.proposal.file_name()}", scene.proposal.render())
    scene.take(BOB.says(scene.proposal))
    scene.git("switch", "-q", "main")
    scene.git("merge", "-q", "--no-ff", "-m", "Merge", "side")


@on(departed)
def by_taking_the_removal_away(scene: Scene) -> None:
    removal: Migration = scene.notes["removal"]
    (scene.path / f".citator/record/{removal.file_name()}").unlink()
    scene.take(BOB.says(scene.proposal))


@on(departed)
def by_reverting_the_removal(scene: Scene) -> None:
    scene.git("revert", "--no-edit", scene.notes["removed"])
    scene.take(BOB.says(scene.proposal))


@on(departed)
def by_going_back_to_before_the_removal(scene: Scene) -> None:
    scene.git("reset", "-q", "--hard", scene.notes["before"])
    scene.take(BOB.says(scene.proposal))


@on(departed)
def by_writing_the_history_anew(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "anew", scene.notes["before"])
    scene.take(BOB.says(scene.proposal))
    scene.git("cherry-pick", "--allow-empty", scene.notes["removed"])
    scene.git("branch", "-f", "main", "anew")
    scene.git("switch", "-q", "main")
    scene.git("branch", "-q", "-D", "anew")


@on(departed)
def by_a_replaced_commit(scene: Scene) -> None:
    scene.take(BOB.says(scene.proposal))
    last = scene.git("rev-parse", "HEAD")
    removed: str = scene.notes["removed"]
    earlier = scene.git("commit-tree", f"{last}^{{tree}}", "-p", scene.notes["before"], "-m", "x")
    other = scene.git("commit-tree", f"{removed}^{{tree}}", "-p", earlier, "-m", "x")
    scene.git("replace", "-f", removed, other)


@on(departed)
def by_a_graft(scene: Scene) -> None:
    last = scene.take(BOB.says(scene.proposal))
    info = scene.path / ".git/info"
    info.mkdir(exist_ok=True)
    (info / "grafts").write_text(f"{scene.notes['removed']} {last}\n{last}\n")


@on(departed)
def by_a_history_cut_short(scene: Scene) -> None:
    last = scene.take(BOB.says(scene.proposal))
    (scene.path / ".git/shallow").write_text(f"{last}\n")


# -- by restoring


@on(retired)
def by_restoring_without_a_signature(scene: Scene) -> None:
    restored = scene.made.make(
        {"op": "restore_item", "item": scene.item, "reason": "we want it back"},
        loosens=[f"restore_item:{scene.item}"],
    )
    scene.take(MALLORY.says(restored), landing=restored)


@on(retired)
def by_reverting_what_retired_it(scene: Scene) -> None:
    scene.git("revert", "--no-edit", "HEAD")


@on(retired)
def by_taking_away_what_retired_it(scene: Scene) -> None:
    for one in (scene.path / ".citator/record").iterdir():
        if b"deprecate_item" in one.read_bytes():
            one.unlink()
    scene.commit()


# -- by asking for less than the policy does


@on(guarded)
def by_calling_it_a_convention(scene: Scene) -> None:
    """An unsigned file says that the item is of a kind for which one person is enough."""
    claim = {"op": "create_item", "item": scene.item, "kind": "convention", "owner": "mallory"}
    scene.land(scene.made.make(claim))
    first = scene.write("record/0-first.md", scene.made.make(claim).render())
    assert first.is_file()
    scene.take()


@on(guarded)
def by_one_signature_twice(scene: Scene) -> None:
    for path in sorted((scene.path / ".citator/approvals").iterdir()):
        shutil.copy(path, path.with_name(f"bob-{path.name}"))
    scene.take()


@on(tightened)
def by_typing_under_the_policy_of_before(scene: Scene) -> None:
    statement = ADA.says(scene.proposal, policy=TYPED.digest, time="2020-01-01T00:00:00Z").statement
    scene.take(Approval(statement, typed_by="ada"))


@on(tightened)
def by_typing_in_a_history_written_anew(scene: Scene) -> None:
    scene.git("reset", "-q", "--hard", scene.notes["before"])
    by_typing_under_the_policy_of_before(scene)
    scene.git("cherry-pick", "--allow-empty", scene.notes["removed"])


@on(tightened)
def by_going_back_to_before_the_policy(scene: Scene) -> None:
    scene.git("reset", "-q", "--hard", scene.notes["before"])
    by_typing_under_the_policy_of_before(scene)


@on(attested)
def by_an_attestation_of_their_own(scene: Scene) -> None:
    scene.attest(MALLORY)
    scene.attest(CI.__class__("ci", MALLORY.key))
    scene.git("update-ref", "refs/remotes/origin/main", "HEAD")


@on(attested)
def by_an_attestation_of_another_record(scene: Scene) -> None:
    scene.attest(CI, record=OTHER_RECORD)


@on(attested)
def by_the_attestation_of_a_commit_before(scene: Scene) -> None:
    for path in (scene.path / ".citator/attestations").iterdir():
        shutil.copy(path, path.with_name(f"{scene.git('rev-parse', 'HEAD')}.yaml"))
    scene.commit()
