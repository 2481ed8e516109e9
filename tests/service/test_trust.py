"""Whose keys count is said by a person, for one repository, outside of it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.errors import UsageError
from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.service import trust
from citator.service.record import pin_of, record_of
from citator.service.trust import Candidate, Rules
from citator.service.workspace import Places, Workspace
from citator.trust.agent import Held, in_folder, of_file
from citator.trust.assurance import Signature
from citator.trust.errors import PinRefusedError
from citator.trust.pins import Approver, Pins, parse_pin
from citator.trust.policy import Policy
from tests.support.approving import Person
from tests.support.builder import Builder, contents_of
from tests.support.keys import ed25519_key
from tests.support.office import Office, refusal

BOB = Person("bob@example.org", ed25519_key(2))


@pytest.fixture
def office(history: Builder, places: Places) -> Office:
    return Office(history, places)


def served(office: Office) -> set[str]:
    return set(record_of(office.workspace).state.items)


def test_a_pin_is_written_outside_the_repository_and_names_it(office: Office) -> None:
    before = contents_of(office.builder.path)
    pin = office.pin()
    assert pin.repositories == (office.workspace.repository_id,)
    assert pin.places == ()
    assert pin.policy.author_may_approve
    new = set(contents_of(office.builder.path)) - set(before)
    assert {one for one in new if not one.startswith(".git/")} == {
        ".citator",
        ".citator/.gitattributes",
        ".citator/ledger.yaml",
    }


def test_one_person_may_approve_their_own_and_a_team_may_not_by_default(office: Office) -> None:
    alone = office.pin(rules=Rules())
    assert alone.policy == Policy("main", author_may_approve=True)
    team = office.pin(office.person, BOB, rules=Rules(approvers=2))
    assert not team.policy.author_may_approve
    assert team.policy.floor.approvers == 2


def test_another_clone_of_the_repository_is_pinned_with_it(office: Office, tmp_path: Path) -> None:
    office.pin()
    item, _ = office.landed()
    clone = Office(office.builder.clone(tmp_path / "clone"), office.places)
    assert served(clone) == {item}


def test_another_repository_that_copies_the_record_is_not(office: Office, tmp_path: Path) -> None:
    office.pin()
    office.landed()
    hostile = Builder.init(tmp_path / "hostile")
    hostile.write("a.txt", "b").commit("Begin\n\nBecause.")
    shutil.copytree(office.root, hostile.path / ".citator")
    other = Office(hostile, office.places)
    other.commit()
    record = record_of(other.workspace)
    assert (record.pinned, record.state.items) == (False, {})
    assert "pinned_elsewhere" in {one.code for one in record.problems}
    assert refusal(other.desk.pin) == "pinned_elsewhere"
    other.pin()
    assert record_of(other.workspace).pinned
    assert len(office.desk.pin().repositories or ()) == 2
    assert served(office)


def test_a_shallow_clone_is_pinned_as_the_one_clone_it_is(office: Office, tmp_path: Path) -> None:
    office.pin()
    item, _ = office.landed()
    shallow = Office(office.builder.clone(tmp_path / "shallow", depth=1), office.places)
    assert served(shallow) == set()
    pin = shallow.pin()
    assert pin.places and pin.repositories == (office.workspace.repository_id,)
    assert served(shallow) == {item}
    twin = Office(office.builder.clone(tmp_path / "twin", depth=1), office.places)
    assert served(twin) == set()
    shallow.builder.git("fetch", "-q", "--unshallow")
    assert served(shallow) == {item}


def test_a_shallow_clone_that_another_repository_takes_the_place_of_is_not_pinned(
    office: Office, tmp_path: Path
) -> None:
    office.pin()
    office.landed()
    place = tmp_path / "shallow"
    shallow = Office(office.builder.clone(place, depth=1), office.places)
    shallow.pin()
    assert served(shallow)
    shutil.rmtree(place)
    hostile = Builder.init(place)
    hostile.write("a.txt", "b").commit("Begin\n\nBecause.")
    shutil.copytree(office.root, place / ".citator")
    other = Office(hostile, office.places)
    other.commit()
    assert served(other) == set()


def test_unpinning_works_whatever_became_of_the_record(office: Office) -> None:
    office.pin()
    office.landed()
    (file,) = (office.root / "record").iterdir()
    file.write_text(file.read_text().replace("in full", "in part"))
    office.commit()
    assert trust.standing(office.desk) == (False, None)
    assert trust.unpin(office.workspace, office.desk, office.moment())
    assert pin_of(office.workspace, office.desk.ledger.record) == (None, ())
    assert not trust.unpin(office.workspace, office.desk, office.moment())


def test_a_root_that_is_handed_over_pins_the_same_keys_elsewhere(
    office: Office, tmp_path: Path
) -> None:
    office.pin(office.person, BOB)
    item, _ = office.landed()
    data = trust.handed_over(office.desk.pin())
    assert str(tmp_path).encode() not in data
    places = Places(tmp_path / "data2", tmp_path / "config2", lambda size: b"z" * size)
    other = Office(office.builder.clone(tmp_path / "clone"), places)
    assert served(other) == set()
    candidates, policy, record = trust.from_root(data, "root.json")
    assert record == other.desk.ledger.record
    rules = Rules(file=policy.to_dict())
    made = trust.plan(other.workspace, other.desk, candidates, rules)
    trust.pin(made, other.moment())
    assert served(other) == {item}
    with pytest.raises(PinRefusedError):
        trust.from_root(data.replace(b"ada", b"eve", 1) + b"x", "root.json")


def test_what_a_repository_names_is_shown_as_its_claim(office: Office) -> None:
    office.pin()
    office.landed()
    (one,) = trust.claimed(office.desk)
    assert one.claimed
    assert one.approver.key == office.person.key.public


@pytest.mark.parametrize("count", [0, 1])
def test_without_an_approvers_key_nothing_is_pinned(office: Office, count: int) -> None:
    ci = Candidate(Approver("ci", BOB.key.public), "a test", verifier=True)
    action = lambda: trust.plan(office.workspace, office.desk, [ci][:count], Rules())  # noqa: E731
    assert refusal(action) == "no_key"


def test_before_the_first_commit_there_is_nothing_to_pin_to(tmp_path: Path, places: Places) -> None:
    office = Office(Builder.init(tmp_path / "empty"), places)
    assert refusal(office.pin) == "no_commits"


def test_approvers_change_by_a_migration_that_the_pinned_key_signs(office: Office) -> None:
    office.pin()
    both = [office.person.approver, BOB.approver]
    done = trust.propose_approvers(office.desk, both, "Ada", "two of us", office.moment())
    assert done.migration.loosens == ()
    assert set(office.desk.record.approvers.values()) == {"ada@example.org"}
    assert refusal(lambda: office.approve(done.migration.id, BOB)) == "no_key"
    office.accept(done)
    assert set(office.desk.record.approvers.values()) == {"ada@example.org", "bob@example.org"}
    decision = office.decide()
    assert office.approve(decision.migration.id, BOB).counts
    again = trust.propose_approvers(office.desk, both[:1], "Ada", "left", office.moment())
    assert again.migration.loosens == ("change_approvers",)
    assert refusal(lambda: office.approve(again.migration.id, BOB)) == "no_key"


def test_a_policy_changes_by_a_migration_that_the_pinned_key_signs(office: Office) -> None:
    office.pin()
    strict = replace(office.desk.pin().policy, author_may_approve=False)
    done = trust.propose_policy(office.desk, strict, "Ada", "two people", office.moment())
    office.accept(done)
    assert office.desk.record.policy == strict
    assert office.desk.pin().policy != strict


def test_the_second_ledger_lies_outside_the_repository(office: Office, tmp_path: Path) -> None:
    workspace = office.workspace
    inside = office.builder.path / "secret"
    inside.mkdir()
    for place in (inside, office.builder.path, office.builder.git_dir()):
        action = lambda place=place: trust.set_ledger(workspace, place, office.moment())  # noqa: E731
        assert refusal(action, UsageError) == "ledger_inside"
    link = tmp_path / "link"
    link.symlink_to(inside)
    assert (
        refusal(lambda: trust.set_ledger(workspace, link, office.moment()), UsageError)
        == "ledger_inside"
    )
    outside = tmp_path / "outside"
    outside.mkdir()
    trust.set_ledger(workspace, outside, office.moment())
    assert trust.ledger_place(workspace) == outside
    trust.set_ledger(workspace, None, office.moment())
    assert trust.ledger_place(workspace) is None


def test_the_audience_is_what_the_operator_granted(office: Office) -> None:
    assert trust.audience(office.workspace) == Audience()
    wide = Audience(Sensitivity.CONFIDENTIAL, True, "acme", ("ops",))
    trust.set_audience(office.workspace, wide, office.moment())
    assert trust.audience(office.workspace) == wide


def test_keys_are_found_by_their_public_halves(tmp_path: Path) -> None:
    folder = tmp_path / ".ssh"
    assert in_folder(folder) == []
    folder.mkdir()
    key = ed25519_key(3)
    (folder / "id_ed25519.pub").write_text(key.text)
    (folder / "id_ed25519").write_bytes(key.private_text())
    (folder / "broken.pub").write_text("ssh-ed25519 nothing")
    (folder / "known_hosts").write_text("x")
    found = in_folder(folder)
    public = folder / "id_ed25519.pub"
    assert found == [Held(key.public, "id_ed25519.pub", public, "somebody@example.org")]
    assert of_file(folder / "id_ed25519") == found[0]
    assert of_file(folder / "known_hosts") is None


def test_a_person_is_called_by_their_address(office: Office) -> None:
    office.builder.git("config", "user.name", "Ada Author")
    office.builder.git("config", "user.email", "ada@example.org")
    assert trust.own_label(office.workspace) == ("ada@example.org", ("ada@example.org",))
    office.builder.git("config", "user.email", "ada @example")
    assert trust.own_label(office.workspace)[0] == "ada-author"


def test_a_pin_is_read_back_as_it_was_made(office: Office) -> None:
    pin = office.pin(rules=Rules(signature=Signature.KEY_WITH_PRESENCE))
    kept = Pins(office.workspace.layout).read(pin.record)
    assert kept == pin
    assert parse_pin(pin.to_bytes()) == pin
    assert Workspace.open(office.builder.path, office.places).repository_id in (
        pin.repositories or ()
    )


def test_a_pin_that_is_renewed_keeps_its_policy_unless_another_is_asked_for(
    office: Office,
) -> None:
    first = office.pin(rules=Rules(signature=Signature.TERMINAL))
    assert office.pin(office.person, BOB, rules=Rules()).policy == first.policy
    assert office.pin(rules=Rules(approvers=1)).policy != first.policy


def test_approvals_under_another_policy_are_counted_before_they_are_lost(office: Office) -> None:
    office.pin()
    office.landed()
    mine = [Candidate(office.person.approver, "a test")]
    same = trust.plan(office.workspace, office.desk, mine, Rules())
    other = trust.plan(office.workspace, office.desk, mine, Rules(approvers=2))
    assert (same.strange, other.strange) == (0, 1)


def test_the_protected_branch_is_the_one_that_others_start_from(office: Office) -> None:
    office.builder.switch("feature", create=True)
    assert office.pin(rules=Rules()).policy.protected_branch == "main"
    office.builder.git("update-ref", "refs/remotes/origin/trunk", "HEAD")
    office.builder.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    rules = Rules(author_may_approve=True)
    assert office.pin(rules=rules).policy.protected_branch == "trunk"


@pytest.mark.parametrize("content", ["citator: 1\n", "record: x\n", "", "\x00"])
def test_a_damaged_identity_is_never_replaced(office: Office, content: str) -> None:
    office.root.mkdir()
    (office.root / "ledger.yaml").write_text(content)
    before = contents_of(office.root)
    assert refusal(office.pin) == "identity_malformed"
    assert refusal(office.decide) == "identity_malformed"
    assert contents_of(office.root) == before


def test_the_doctor_says_whether_the_record_can_be_relied_on(office: Office) -> None:
    from citator.service.doctor import Check, examine

    def said() -> list[Check]:
        found = examine(office.builder.path, office.places)
        return [one for one in found if one.name == "record"]

    assert said() == []
    office.decide()
    office.commit()
    (unpinned,) = said()
    assert (unpinned.ok, "nobody pinned" in unpinned.detail) == (True, True)
    office.pin()
    office.landed("Log in UTC")
    assert said() == [Check("record", True, "root pinned with 1 key on 2026-02-25")]
    (file,) = (office.root / "record").iterdir()
    file.write_text(file.read_text().replace("in full", "in part"))
    office.commit()
    (tampered,) = said()
    assert not tampered.ok
