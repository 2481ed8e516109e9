"""The verifier fails on anything that landed and does not count, in a clone that knows nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.errors import NotFoundError
from citator.model.horizon import Limit
from citator.record import writing
from citator.record.attestations import NAMESPACE, Attestation
from citator.record.migration import parse
from citator.service import verify_record
from citator.service.record import record_of
from citator.service.trust import Rules, handed_over
from citator.service.verify_record import Verification, attest
from citator.service.workspace import Places, Workspace
from citator.trust.agent import Held
from citator.trust.assurance import Landed, Signature, Threshold
from citator.trust.pins import Approver, Pin, Pins, parse_pin
from citator.trust.policy import Policy
from tests.support.approving import Person
from tests.support.builder import Builder, contents_of
from tests.support.keys import ed25519_key
from tests.support.office import Office, refusal, signing

EVE = Person("eve", ed25519_key(9))
CI = Person("ci", ed25519_key(5))


@pytest.fixture
def office(history: Builder, places: Places) -> Office:
    made = Office(history, places)
    made.pin(made.person, rules=Rules(author_may_approve=True, branch="main"))
    made.landed("Use a queue")
    return made


def root(office: Office) -> Pin:
    """The root as it is handed to a CI."""
    return parse_pin(handed_over(office.desk.pin()).strip())


def verified(
    office: Office, folder: Path, *, depth: int | None = None, at: str | None = None
) -> Verification:
    """What a fresh clone with a data directory of its own says."""
    clone = office.builder.clone(folder / "clone", depth=depth)
    places = Places(folder / "ci-data", folder / "ci-config", lambda size: b"c" * size)
    return verify_record.verify(Workspace.open(clone.path, places), root(office), at)


def codes(done: Verification) -> list[str]:
    return [one.code for one in done.findings]


def test_a_fresh_clone_verifies_to_the_same_state(office: Office, tmp_path: Path) -> None:
    here = verify_record.verify(office.workspace, None, None)
    there = verified(office, tmp_path)
    assert here.ok and there.ok
    assert (there.landed, there.approved) == (1, 1)
    assert here.state == there.state == office.state.digest
    assert there.horizon == ()


def test_what_landed_unsigned_fails(office: Office, tmp_path: Path) -> None:
    done = office.decide("Log in UTC")
    writing.land(office.builder.path, f"proposals/{done.path.name}", done.migration)
    office.commit()
    found = verified(office, tmp_path)
    assert codes(found) == ["unsigned"]
    assert found.findings[0].subject == done.migration.id


def test_what_somebody_else_signed_fails(office: Office, tmp_path: Path) -> None:
    done = office.decide("Log in UTC")
    writing.land(office.builder.path, f"proposals/{done.path.name}", done.migration)
    says = EVE.says(
        done.migration, record=office.desk.ledger.record, policy=root(office).policy.digest
    )
    writing.write_approval(office.builder.path, says, EVE.key.public.fingerprint)
    office.commit()
    assert codes(verified(office, tmp_path)) == ["unsigned"]


def test_what_was_changed_after_it_landed_fails(office: Office, tmp_path: Path) -> None:
    (file,) = (office.root / "record").iterdir()
    file.write_text(file.read_text().replace("in full", "in part"))
    office.commit()
    assert "tampered" in codes(verified(office, tmp_path))


def test_what_was_deleted_after_it_landed_fails(office: Office, tmp_path: Path) -> None:
    (file,) = (office.root / "record").iterdir()
    file.unlink()
    office.commit()
    assert "deleted" in codes(verified(office, tmp_path))


def test_an_approval_that_was_changed_fails(office: Office, tmp_path: Path) -> None:
    (file,) = (office.root / "approvals").iterdir()
    file.write_text(re.sub(r'"reason":""', '"reason":"x"', file.read_text()))
    office.commit()
    found = codes(verified(office, tmp_path))
    assert "unsigned" in found
    assert len(found) == 2


def test_less_than_the_policy_asks_for_fails(office: Office, tmp_path: Path) -> None:
    strict = Policy("main", True, Threshold(Signature.KEY, 2))
    pin = replace(
        office.desk.pin(),
        policy=strict,
        approvers=(office.person.approver, EVE.approver),
    )
    Pins(office.workspace.layout).write(pin)
    assert not verified(office, tmp_path).ok


def test_a_landed_draft_and_a_landed_rejection_fail(office: Office, tmp_path: Path) -> None:
    draft = office.decide("Log in UTC", draft=True)
    writing.land(office.builder.path, f"proposals/{draft.path.name}", draft.migration)
    told = office.decide("Log in local time")
    office.approve(told.migration.id)
    office.reject(told.migration.id)
    writing.land(office.builder.path, f"proposals/{told.path.name}", told.migration)
    office.commit()
    assert sorted(codes(verified(office, tmp_path))) == ["draft", "rejected"]


def test_a_disagreement_of_what_landed_fails(office: Office, tmp_path: Path) -> None:
    item = next(iter(office.state.items))
    for title in ("Use a table", "Use a topic"):
        office.approve(office.decide(title, revises=item).migration.id)
    for path in list((office.root / "proposals").iterdir()):
        writing.land(office.builder.path, f"proposals/{path.name}", parse(path.read_bytes()))
    office.commit()
    found = verified(office, tmp_path)
    assert codes(found) == ["conflict"]
    assert found.findings[0].subject == item


def test_what_a_removed_key_signed_later_fails(office: Office, tmp_path: Path) -> None:
    office.pin(office.person, EVE)
    from citator.service import trust

    kept = [office.person.approver]
    done = trust.propose_approvers(office.desk, kept, "Ada", "left", office.moment())
    office.accept(done)
    late = office.decide("Log in UTC")
    writing.land(office.builder.path, f"proposals/{late.path.name}", late.migration)
    says = EVE.says(
        late.migration, record=office.desk.ledger.record, policy=office.desk.pin().policy.digest
    )
    writing.write_approval(office.builder.path, says, EVE.key.public.fingerprint)
    office.commit()
    assert codes(verified(office, tmp_path)) == ["unsigned"]


def test_an_older_commit_is_verified_as_it_was(office: Office, tmp_path: Path) -> None:
    good = office.builder.head()
    done = office.decide("Log in UTC")
    writing.land(office.builder.path, f"proposals/{done.path.name}", done.migration)
    office.commit()
    assert verified(office, tmp_path / "a", at="HEAD~1").ok
    assert verified(office, tmp_path / "b", at=good[:12]).commit == good
    assert not verified(office, tmp_path / "c").ok
    action = lambda: verified(office, tmp_path / "d", at="--all")  # noqa: E731
    assert refusal(action, NotFoundError) == "unknown_commit"


def test_a_shallow_clone_verifies_and_says_what_it_did_not_see(
    office: Office, tmp_path: Path
) -> None:
    found = verified(office, tmp_path, depth=1)
    assert found.ok
    assert Limit.SHALLOW in {one.limit for one in found.horizon}


def test_the_root_of_another_record_or_repository_verifies_nothing(
    office: Office, tmp_path: Path
) -> None:
    other = replace(root(office), record="f" * 64)
    done = verify_record.verify(office.workspace, other, None)
    assert codes(done) == ["another_record"]
    elsewhere = replace(root(office), repositories=("e" * 64,), places=())
    assert codes(verify_record.verify(office.workspace, elsewhere, None)) == ["pinned_elsewhere"]
    hostile = Builder.init(tmp_path / "hostile")
    hostile.write("a", "b").commit("Begin\n\nBecause.")
    for path, (_, content) in contents_of(office.root).items():
        if content:
            hostile.write(f".citator/{path}", content)
    hostile.commit("Copy the record")
    workspace = Workspace.open(hostile.path, office.places)
    assert record_of(workspace).pinned is False
    assert codes(verify_record.verify(workspace, root(office), None)) == ["pinned_elsewhere"]
    assert codes(verify_record.verify(workspace, None, None)) == ["pinned_elsewhere"]


def test_without_a_root_nothing_is_verified(office: Office) -> None:
    Pins(office.workspace.layout).remove(root(office).record)
    action = lambda: verify_record.verify(office.workspace, None, None)  # noqa: E731
    assert refusal(action) == "not_pinned"


# -- attestations


def with_ci(office: Office, *, floor: Threshold | None = None) -> None:
    """Pin a CI's key, and a policy, too."""
    pin = office.desk.pin()
    ci = Approver("ci", CI.key.public)
    policy = pin.policy if floor is None else replace(pin.policy, floor=floor)
    Pins(office.workspace.layout).write(replace(pin, verifiers=(ci,), policy=policy))


def attested(office: Office, by: Person = CI) -> Path:
    done = verify_record.verify(office.workspace, None, None)
    held = Held(by.key.public, "a test")
    signer = signing(by.key, NAMESPACE)
    return attest(office.workspace, done, None, held, signer, office.moment())


def landed(office: Office) -> set[Landed]:
    return {one.landed for one in record_of(office.workspace).assurance.values()}


def test_what_ci_attested_is_landed_and_verified_by_ci(office: Office) -> None:
    with_ci(office)
    assert landed(office) == {Landed.LOCAL_BRANCH}
    path = attested(office)
    assert path.parent == office.root / "attestations"
    assert landed(office) == {Landed.LOCAL_BRANCH}
    office.commit()
    assert landed(office) == {Landed.VERIFIED_BY_CI}


def test_an_attestation_speaks_of_what_its_commit_holds_alone(office: Office) -> None:
    with_ci(office)
    attested(office)
    office.commit()
    office.landed("Log in UTC")
    assert landed(office) == {Landed.VERIFIED_BY_CI, Landed.LOCAL_BRANCH}


def test_a_policy_that_asks_for_ci_is_met_by_it(history: Builder, places: Places) -> None:
    office = Office(history, places)
    office.pin()
    with_ci(office, floor=Threshold(Signature.KEY, 1, Landed.VERIFIED_BY_CI))
    done = office.accept(office.decide("Use a queue"))
    assert record_of(office.workspace).state.items == {}
    attested(office)
    office.commit()
    assert set(record_of(office.workspace).state.items) == set(done.items)


@pytest.mark.parametrize("wrong", ["another_key", "approver", "namespace", "changed", "record"])
def test_what_no_pinned_verifier_said_of_this_record_counts_for_nothing(
    office: Office, wrong: str
) -> None:
    with_ci(office)
    path = attested(office)
    text = path.read_text()
    done = verify_record.verify(office.workspace, None, None)
    assert done.record is not None and done.state is not None and done.policy is not None
    said = Attestation(
        "f" * 64 if wrong == "record" else done.record,
        done.commit,
        done.state,
        done.policy,
        "2026-03-01T00:00:00Z",
    )
    signer = {"another_key": EVE, "approver": office.person}.get(wrong, CI)
    namespace = "citator-approval@v1" if wrong == "namespace" else NAMESPACE
    made = said.render(signer.key.sign(said.to_bytes(), namespace)).decode()
    if wrong == "changed":
        made = text.replace(done.state[:8], "0" * 8)
    path.write_text(made)
    office.commit()
    assert landed(office) == {Landed.LOCAL_BRANCH}
    path.write_text(text)
    office.commit()
    assert landed(office) == {Landed.VERIFIED_BY_CI}


def test_an_attestation_of_a_commit_outside_this_history_counts_for_nothing(
    office: Office,
) -> None:
    with_ci(office)
    builder, main = office.builder, office.builder.head()
    path = attested(office)
    content = path.read_bytes()
    path.unlink()
    builder.switch("other", create=True)
    builder.git("reset", "-q", "--hard", "HEAD~1")
    item_files = builder.git("ls-tree", "-r", "--name-only", main, ".citator").decode().split()
    builder.git("checkout", main, "--", *item_files)
    (office.root / "attestations").mkdir(exist_ok=True)
    path.write_bytes(content)
    office.commit()
    assert builder.git("merge-base", main, "HEAD").decode().strip() != main
    assert landed(office) == {Landed.LOCAL_BRANCH}


def test_nothing_that_does_not_verify_is_attested(office: Office) -> None:
    with_ci(office)
    assert refusal(lambda: attested(office, EVE)) == "not_a_verifier"
    done = office.decide("Log in UTC")
    writing.land(office.builder.path, f"proposals/{done.path.name}", done.migration)
    office.commit()
    assert refusal(lambda: attested(office)) == "not_verified"
    assert not (office.root / "attestations").exists()


def test_a_commit_that_is_not_on_the_protected_branch_is_not_attested(office: Office) -> None:
    with_ci(office)
    office.builder.switch("feature", create=True)
    office.landed("Log in UTC")
    assert refusal(lambda: attested(office)) == "not_protected"
    office.builder.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert attested(office).is_file()
