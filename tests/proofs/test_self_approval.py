"""Whatever an agent with a shell does, a proposal that no pinned person signed is not approved.

Every attack is a real act in a copy of a repository in which, by the same question, the decision
is approved once the person signs (the control). The adversary has no write access to the
operator's directory: each attack is held to leaving it as it was.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citator.record.approvals import Approval
from citator.record.ledger import identity_file
from citator.record.migration import Migration
from citator.trust.policy import parse_policy
from citator.trust.statement import Verdict
from tests.support.adversary import (
    ADA,
    APPROVED,
    BOB,
    MALLORY,
    MARK,
    Outcome,
    Scene,
    delegated,
    departed,
    outcome,
    retired,
    solo,
    told,
    untouched,
)
from tests.support.approving import OTHER_RECORD, SOLO, TEAM
from tests.support.keys import sk_ed25519_key
from tests.support.record import creation, text

Build = Callable[[Path], Scene]
Attack = Callable[[Scene], None]
ATTACKS: dict[str, tuple[Build, Attack]] = {}


def on(build: Build) -> Callable[[Attack], Attack]:
    """Register an attack under its own name, on a scene."""

    def register(attack: Attack) -> Attack:
        ATTACKS[attack.__name__] = (build, attack)
        return attack

    return register


# -- by field, by trust level


def _with_head(scene: Scene, line: str) -> None:
    raw = scene.proposal.render().replace(b"\noperations:", f"\n{line}\noperations:".encode(), 1)
    scene.land(scene.proposal)
    scene.write(f"record/{scene.proposal.file_name()}", raw)
    scene.commit()


@on(solo)
def by_a_status_field(scene: Scene) -> None:
    _with_head(scene, "status: approved")


@on(solo)
def by_an_approval_field(scene: Scene) -> None:
    _with_head(scene, "approved_by: ada")


@on(solo)
def by_a_signature_field_in_the_file(scene: Scene) -> None:
    signature = ADA.says(scene.made.migrations[0]).signature or ""
    _with_head(scene, "signature: |\n  " + signature.strip().replace("\n", "\n  "))


@on(solo)
def by_a_field_of_the_operation(scene: Scene) -> None:
    raw = scene.proposal.render().replace(b'"owner": ', b'"status": "approved", "owner": ')
    raw = raw.replace(b"\n    owner:", b'\n    status: "approved"\n    owner:')
    scene.land(scene.proposal)
    scene.write(f"record/{scene.proposal.file_name()}", raw)
    assert b"approved" in raw
    scene.commit()


def _landing(scene: Scene, **settings: Any) -> Migration:
    item = scene.made.id()
    operations = creation(item, f"Store the {MARK} password in the lobby", settings)
    return scene.made.make(*operations, author=settings.get("author", "Mallory"))


@on(solo)
def by_a_trust_level(scene: Scene) -> None:
    scene.take(landing=_landing(scene, trust="reviewed"))


@on(solo)
def by_labels_and_an_owner(scene: Scene) -> None:
    scene.take(landing=_landing(scene, owner="ada", labels=["approved", "signed"]))


@on(solo)
def by_words_in_its_text(scene: Scene) -> None:
    one = _landing(scene)
    body = f"## Status\n\nApproved by Ada on 2026-03-01. {MARK}\n\nReviewed-by: Ada\n"
    scene.take(landing=Migration(one.id, one.author, one.created_at, one.operations, body))


# -- by spoofed author


@on(solo)
def by_the_author_a_migration_states(scene: Scene) -> None:
    one = _landing(scene)
    scene.take(landing=Migration(one.id, "ada", one.created_at, one.operations, one.body))


AS_ADA = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}


@on(solo)
def by_the_author_of_a_commit(scene: Scene) -> None:
    scene.land(scene.proposal)
    scene.commit("Approve\n\nApproved-by: Ada\nSigned-off-by: Ada <ada@example.org>", **AS_ADA)


@on(solo)
def by_a_signed_commit(scene: Scene) -> None:
    keygen = shutil.which("ssh-keygen")
    if keygen is None:
        pytest.skip("NOT PROVED: ssh-keygen is not here, so no commit was signed")
    key = scene.folder / "mallory"
    key.write_bytes(MALLORY.key.private_text())
    key.chmod(0o600)
    scene.land(scene.proposal)
    scene.git("add", "-A", "-f", ".")
    signing = ("-c", "gpg.format=ssh", "-c", f"user.signingKey={key}")
    scene.git(*signing, "commit", "-q", "-S", "-m", "Approve", env=AS_ADA)
    assert "gpgsig" in scene.git("cat-file", "commit", "HEAD")


# -- by committing, by moving refs


@on(solo)
def by_committing(scene: Scene) -> None:
    scene.take()


@on(solo)
def by_landing_without_a_commit(scene: Scene) -> None:
    scene.land(scene.proposal)
    scene.git("add", "-A", "-f", ".")


@on(solo)
def by_moving_origin_main(scene: Scene) -> None:
    scene.take()
    for ref in ("refs/remotes/origin/main", "refs/remotes/origin/HEAD", "refs/tags/verified"):
        scene.git("update-ref", ref, "HEAD")
    scene.git("pack-refs", "--all")
    scene.git("branch", "-f", "release", "HEAD")
    scene.git("config", "branch.main.remote", "origin")


@on(solo)
def by_merging(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "side")
    scene.take()
    scene.git("switch", "-q", "main")
    scene.git("merge", "-q", "--no-ff", "-m", "Merge pull request #1 (approved)", "side")


# -- by editing approvers or policy


def _approver(person: Any) -> dict[str, str]:
    return {"label": person.label, "key": person.key.public.text}


def _own_rule(scene: Scene, **settings: Any) -> Migration:
    everybody = [_approver(ADA), _approver(MALLORY)]
    loosens = settings.pop("loosens", ["change_approvers"])
    return scene.made.make({"op": "set_approvers", "approvers": everybody}, loosens=loosens)


@on(solo)
def by_setting_approvers_alone(scene: Scene) -> None:
    scene.land(_own_rule(scene))
    scene.take(MALLORY.says(scene.proposal))


@on(solo)
def by_setting_approvers_and_signing_that_too(scene: Scene) -> None:
    rule = _own_rule(scene)
    scene.land(rule)
    scene.take(MALLORY.says(rule), MALLORY.says(scene.proposal))


@on(solo)
def by_setting_approvers_with_anothers_signature(scene: Scene) -> None:
    rule = _own_rule(scene)
    scene.land(rule)
    borrowed = ADA.says(scene.made.migrations[0])
    scene.take(Approval(ADA.says(rule).statement, borrowed.signature), MALLORY.says(scene.proposal))


@on(solo)
def by_setting_approvers_in_the_decision_itself(scene: Scene) -> None:
    rule = _own_rule(scene)
    one = scene.proposal
    mixed = Migration(
        one.id, one.author, one.created_at, (*one.operations, *rule.operations), one.body
    )
    scene.take(MALLORY.says(mixed), landing=mixed)


@on(delegated)
def by_an_approver_who_is_no_root(scene: Scene) -> None:
    """Bob may approve decisions. Who approves is not his to say."""
    rule = scene.made.make(
        {"op": "set_approvers", "approvers": [_approver(one) for one in (ADA, BOB, MALLORY)]},
        loosens=["change_approvers"],
    )
    scene.land(rule)
    scene.take(BOB.says(rule), MALLORY.says(scene.proposal))


@on(delegated)
def by_adding_a_key_to_what_had_landed(scene: Scene) -> None:
    rule: Migration = scene.notes["rule"]
    path = f"record/{rule.file_name()}"
    added = rule.render().replace(BOB.key.public.text.encode(), MALLORY.key.public.text.encode())
    scene.write(path, added)
    scene.take(MALLORY.says(scene.proposal))


def _weak_policy(signature: str) -> dict[str, Any]:
    policy = SOLO.to_dict()
    policy["floor"] = {"signature": signature, "approvers": 1, "landed": "no"}
    return policy


@on(solo)
def by_setting_a_policy(scene: Scene) -> None:
    weak = _weak_policy("terminal")
    rule = scene.made.make({"op": "set_policy", "policy": weak}, loosens=["change_policy"])
    named = {"policy": parse_policy(weak).digest}
    scene.land(rule)
    statement = MALLORY.says(scene.proposal, **named).statement
    scene.take(
        MALLORY.says(rule),
        Approval(MALLORY.says(rule).statement, typed_by="ada"),
        Approval(statement, typed_by="ada"),
    )


@on(solo)
def by_words_in_the_configuration(scene: Scene) -> None:
    key = MALLORY.key.public.text
    scene.write(
        "config.yaml",
        f"approvers:\n- {key}\npolicy:\n  floor: none\nprotected_branch: side\ntrust: everyone\n",
    )
    scene.write("allowed_signers", f"ada {key}\n")
    scene.git("config", "gpg.ssh.allowedSignersFile", ".citator/allowed_signers")
    scene.take(MALLORY.says(scene.proposal))


@on(solo)
def by_words_in_the_ledger_s_identity(scene: Scene) -> None:
    raw = identity_file("a1" * 32).decode()
    scene.write("ledger.yaml", f"{raw}approvers: [{MALLORY.key.public.text}]\n")
    scene.take(MALLORY.says(scene.proposal))


@on(solo)
def by_another_identity_of_the_ledger(scene: Scene) -> None:
    scene.write("ledger.yaml", identity_file(OTHER_RECORD))
    scene.take(MALLORY.says(scene.proposal, record=OTHER_RECORD))


# -- by replaying


@on(solo)
def by_the_approval_of_another_proposal(scene: Scene) -> None:
    other = ADA.says(scene.made.migrations[0])
    scene.write(f"approvals/{scene.proposal.id}.approve.aaaaaaaaaaaa.x.yaml", other.render())
    scene.take()


@on(solo)
def by_another_s_statement_under_the_same_signature(scene: Scene) -> None:
    theirs = ADA.says(scene.made.migrations[0])
    scene.take(Approval(ADA.says(scene.proposal).statement, theirs.signature))


@on(solo)
def by_a_signature_given_in_another_record(scene: Scene) -> None:
    scene.take(ADA.says(scene.proposal, record=OTHER_RECORD))


@on(solo)
def by_an_approval_of_the_text_before_it_was_edited(scene: Scene) -> None:
    one = scene.proposal
    before = Migration(one.id, one.author, one.created_at, one.operations, "Only if locked.\n")
    scene.take(ADA.says(before))


@on(solo)
def by_an_approval_given_under_another_policy(scene: Scene) -> None:
    scene.take(ADA.says(scene.proposal, policy=TEAM.digest))


@on(solo)
def by_turning_a_rejection_into_an_approval(scene: Scene) -> None:
    no = ADA.rejects(scene.proposal, f"store the {MARK} password")
    scene.take(Approval(ADA.says(scene.proposal).statement, no.signature))


@on(solo)
def by_a_file_that_says_approve_and_holds_a_rejection(scene: Scene) -> None:
    no = ADA.rejects(scene.proposal, f"store the {MARK} password")
    scene.write(f"approvals/{scene.proposal.id}.approve.aaaaaaaaaaaa.x.yaml", no.render())
    scene.take()


@on(solo)
def by_approving_after_a_rejection(scene: Scene) -> None:
    """An approval the person gave stands against a rejection the person gave."""
    scene.take(ADA.says(scene.proposal), ADA.rejects(scene.proposal, f"store the {MARK} password"))


@on(solo)
def by_taking_the_rejection_away(scene: Scene) -> None:
    """What a person rejected stays rejected though its file is gone from HEAD."""
    no = ADA.rejects(scene.proposal, f"store the {MARK} password")
    scene.approve(no)
    scene.approve(ADA.says(scene.proposal))
    scene.commit("Reject it after all")
    for one in (scene.path / ".citator/approvals").iterdir():
        if one.read_bytes() == no.render():
            one.unlink()
    scene.take()


@on(solo)
def by_a_lift_of_their_own(scene: Scene) -> None:
    value = f"store the {MARK} password"
    lift = MALLORY.rejects(scene.proposal, value, verdict=Verdict.LIFT)
    scene.take(ADA.says(scene.proposal), ADA.rejects(scene.proposal, value), lift)


# -- by the wrong key, or the wrong use of the right one


@on(solo)
def by_a_signature_for_git(scene: Scene) -> None:
    statement = ADA.says(scene.proposal).statement
    scene.take(
        *(
            Approval(statement, ADA.key.sign(statement.to_bytes(), space))
            for space in ("git", "file", "citator-approval@v0", "citator-attestation@v1")
        )
    )


@on(solo)
def by_a_key_that_nobody_pinned(scene: Scene) -> None:
    scene.take(MALLORY.says(scene.proposal))


@on(solo)
def by_a_key_that_says_it_was_touched(scene: Scene) -> None:
    scene.take(MALLORY.__class__("ada", sk_ed25519_key(66).with_flags(0x05)).says(scene.proposal))


@on(solo)
def by_a_hundred_signatures(scene: Scene) -> None:
    scene.take(*(MALLORY.says(scene.proposal, reason=str(one)) for one in range(100)))


@on(solo)
def by_typing(scene: Scene) -> None:
    scene.take(Approval(ADA.says(scene.proposal).statement, typed_by="ada"))


@on(solo)
def by_garbage_for_a_signature(scene: Scene) -> None:
    good = ADA.says(scene.proposal)
    raw = good.render()
    lines = [line for line in raw.splitlines(keepends=True) if line.startswith(b"  ")]
    scene.write("approvals/a.yaml", raw.replace(lines[3], lines[3][::-1].strip() + b"\n"))
    scene.write("approvals/b.yaml", raw.replace(b"BEGIN SSH", b"BEGIN PGP"))
    scene.write("approvals/c.yaml", re.sub(rb"signature: .*", b"signature: ''\n", raw, flags=re.S))
    scene.take()


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


# -- by what git reads, and where


@on(solo)
def by_a_replaced_blob(scene: Scene) -> None:
    one = scene.made.migrations[0]
    path = f".citator/record/{one.file_name()}"
    forged = scene.write("forged.md", _renamed(one).render())
    blob = scene.git("hash-object", "-w", str(forged))
    forged.unlink()
    scene.git("replace", "-f", scene.git("rev-parse", f"HEAD:{path}"), blob)


def _renamed(one: Migration) -> Migration:
    """An approved migration that says something else."""
    words = one.render().decode().replace(APPROVED, f"Open {MARK} to all")
    from citator.record.migration import parse

    return parse(words.encode())


@on(solo)
def by_an_object_that_is_not_what_its_name_says(scene: Scene) -> None:
    one = scene.made.migrations[0]
    kept = scene.builder.object_file(
        scene.git("rev-parse", f"HEAD:.citator/record/{one.file_name()}")
    )
    place = scene.write("forged.md", _renamed(one).render())
    forged = scene.builder.object_file(scene.git("hash-object", "-w", str(place)))
    place.unlink()
    kept.chmod(0o600)
    shutil.copyfile(forged, kept)


@on(solo)
def by_alternates(scene: Scene) -> None:
    other = scene.copy(scene.folder.parent / "other")
    other.take(MALLORY.says(scene.proposal))
    info = scene.path / ".git/objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{other.path / '.git/objects'}\n")
    scene.git("update-ref", "HEAD", other.git("rev-parse", "HEAD"))


@on(solo)
def by_programs_of_the_repository(scene: Scene) -> None:
    """Hooks, filters, a monitor, a pager and an ssh-keygen of its own: none is run."""
    ran = scene.folder / "ran"
    program = scene.path / "tools/ssh-keygen"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {ran}\nexit 0\n")
    program.chmod(0o755)
    hooks = scene.path / "tools/hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(program, hooks / name)
    (scene.path / ".git/info").mkdir(exist_ok=True)
    (scene.path / ".git/info/attributes").write_text("* filter=evil diff=evil\n")
    scene.write(".gitattributes", "* filter=evil diff=evil\n")
    scene.take(MALLORY.says(scene.proposal))
    for key in ("core.hooksPath", "core.fsmonitor", "core.pager", "filter.evil.smudge"):
        scene.git("config", key, str(hooks if key == "core.hooksPath" else program))
    for key in ("diff.evil.textconv", "diff.external", "gpg.ssh.program", "core.sshCommand"):
        scene.git("config", key, str(program))
    ran.unlink(missing_ok=True)
    scene.notes["ran"] = ran


@on(solo)
def by_another_git_directory(scene: Scene) -> None:
    """The work tree names the git directory of a repository of the adversary's own."""
    other = scene.copy(scene.folder.parent / "other")
    other.take(MALLORY.says(scene.proposal))
    shutil.rmtree(scene.path / ".git")
    (scene.path / ".git").write_text(f"gitdir: {other.path / '.git'}\n")


@on(solo)
def by_links(scene: Scene) -> None:
    outside = scene.folder / "outside"
    shutil.copytree(scene.path / ".citator", outside)
    (outside / "record" / scene.proposal.file_name()).write_bytes(scene.proposal.render())
    scene.land(scene.proposal)
    place = scene.path / ".citator/record" / scene.proposal.file_name()
    place.unlink()
    place.symlink_to(outside / "record" / scene.proposal.file_name())
    approvals = scene.path / ".citator/approvals"
    (approvals / "link.yaml").symlink_to(next(approvals.iterdir()))
    scene.commit()


@on(solo)
def by_a_ledger_that_is_a_link(scene: Scene) -> None:
    outside = scene.folder / "outside"
    scene.take(MALLORY.says(scene.proposal))
    shutil.move(scene.path / ".citator", outside)
    (scene.path / ".citator").symlink_to(outside)
    scene.commit()


@on(solo)
def by_a_ledger_that_is_a_submodule(scene: Scene) -> None:
    commit = scene.take(MALLORY.says(scene.proposal))
    scene.git("rm", "-q", "-r", "--cached", ".citator")
    scene.git("update-index", "--add", "--cacheinfo", f"160000,{commit},.citator")
    scene.git("commit", "-q", "-m", "Move it out")


@on(solo)
def by_names_in_another_case(scene: Scene) -> None:
    for folder in (".CITATOR/record", ".citator/Record", ".citator/RECORD", "\u212a/record"):
        place = scene.path / folder / scene.proposal.file_name()
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(scene.proposal.render())
    for folder in (".CITATOR/approvals", ".citator/Approvals"):
        place = scene.path / folder / "one.yaml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(MALLORY.says(scene.proposal).render())
    scene.git("config", "core.ignoreCase", "true")
    scene.commit()


@on(solo)
def by_a_second_file_with_the_id_of_an_approved_one(scene: Scene) -> None:
    one = scene.made.migrations[0]
    for name in ("0-first.md", "zz-last.md"):
        scene.write(f"record/{name}", _renamed(one).render())
    scene.kept = ()  # which of the two was approved is not guessed: neither counts
    scene.commit()


@on(solo)
def by_a_proposal_with_the_id_of_an_approved_one(scene: Scene) -> None:
    one = scene.made.migrations[0]
    scene.write(f"proposals/{one.file_name()}", _renamed(one).render())
    scene.commit()


# -- by changing what was approved


@on(solo)
def by_editing_what_was_approved(scene: Scene) -> None:
    one = scene.made.migrations[0]
    scene.write(f"record/{one.file_name()}", _renamed(one).render())
    scene.commit()


@on(solo)
def by_editing_and_signing_again(scene: Scene) -> None:
    one = _renamed(scene.made.migrations[0])
    shutil.rmtree(scene.path / ".citator/approvals")
    scene.take(MALLORY.says(one), landing=one)


@on(solo)
def by_taking_away_and_adding_again(scene: Scene) -> None:
    one = scene.made.migrations[0]
    (scene.path / ".citator/record" / one.file_name()).unlink()
    scene.commit()
    scene.take(landing=_renamed(one))


@on(solo)
def by_writing_the_first_version_anew(scene: Scene) -> None:
    """The history is made again so that the edited text is the one that was first added."""
    one = scene.made.migrations[0]
    tree = scene.path / ".citator/record" / one.file_name()
    tree.write_bytes(_renamed(one).render())
    scene.kept = ()
    scene.git("checkout", "-q", "--orphan", "anew")
    scene.commit("Begin")
    scene.git("branch", "-q", "-M", "anew", "main")


@on(solo)
def by_a_later_text_of_an_approved_decision(scene: Scene) -> None:
    made = scene.made.make(text(scene.kept[0], f"Open the {MARK} lobby"))
    scene.take(MALLORY.says(made), landing=made)


# -- by derived state, which is the operator's, too: whoever can write it alone gains nothing


def _derived(scene: Scene) -> Path:
    return scene.workspace().place.derived


def by_deleting_what_is_derived(scene: Scene) -> None:
    """The text is edited after it landed, and all that was derived of the first is deleted."""
    by_editing_what_was_approved(scene)
    shutil.rmtree(_derived(scene))


def by_editing_the_kept_provenance(scene: Scene) -> None:
    """What is kept says that the forged text is what was first added."""
    kept = _derived(scene) / "record/provenance.json"
    raw = kept.read_bytes()
    by_editing_what_was_approved(scene)
    one = scene.made.migrations[0]
    forged = raw.replace(one.digest.encode(), _renamed(one).digest.encode())
    head = scene.git("rev-parse", "HEAD").encode()
    kept.write_bytes(re.sub(rb'"tip": "[0-9a-f]*"', b'"tip": "%s"' % head, forged))
    assert forged != raw


def by_editing_the_kept_views(scene: Scene) -> None:
    """A kept view says that the proposal is approved, and by whose files that is shown."""
    scene.take(MALLORY.says(scene.proposal))
    outcome(scene)
    for kept in (_derived(scene) / "record/views").glob("*.json"):
        seal, _, raw = kept.read_bytes().partition(b"\n")
        values = json.loads(raw)
        paths = [f"approvals/{one.name}" for one in (scene.path / ".citator/approvals").iterdir()]
        file = f"record/{scene.proposal.file_name()}"
        for revision in (scene.proposal.id, *values["proofs"]):
            values["proofs"][revision] = [scene.proposal.digest, file, paths]
            values["assurance"][revision] = ["key", "local_branch"]
        kept.write_bytes(seal + b"\n" + json.dumps(values).encode())


def by_editing_the_kept_words(scene: Scene) -> None:
    """The partition holds another ruling for a decision that was approved."""
    outcome(scene)
    changed = 0
    for path in (_derived(scene) / "record/partitions").rglob("*"):
        if path.is_file() and b"lobby closed" in (raw := path.read_bytes()):
            path.chmod(0o600)
            path.write_bytes(raw.replace(APPROVED.encode(), _LONG))
            changed += 1
    assert changed


_LONG = f"Open the {MARK}".ljust(len(APPROVED), ".").encode()
DERIVED: list[Attack] = [
    by_deleting_what_is_derived,
    by_editing_the_kept_provenance,
    by_editing_the_kept_views,
    by_editing_the_kept_words,
]


# -- the proofs


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


@pytest.mark.parametrize("build", [solo, delegated, departed], ids=lambda one: one.__name__)
def test_what_the_person_signs_is_approved_and_its_words_travel(
    build: Build, scenes: Callable[[Build], Scene], tmp_path: Path
) -> None:
    scene = scenes(build).copy(tmp_path / "copy")
    before = outcome(scene)

    after = signed(scene)

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
