"""Attacks by words, signatures and rules: what files say, who says it, what was said elsewhere."""

from __future__ import annotations

import re
import shutil
from typing import Any

import pytest

from citator.record.approvals import Approval
from citator.record.ledger import identity_file
from citator.record.migration import Migration
from citator.trust.policy import parse_policy
from citator.trust.statement import Verdict
from tests.support.adversary import (
    ADA,
    BOB,
    MALLORY,
    MARK,
    Scene,
    delegated,
    solo,
)
from tests.support.approving import OTHER_RECORD, SOLO, TEAM
from tests.support.attacks import on
from tests.support.keys import sk_ed25519_key
from tests.support.record import creation

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
