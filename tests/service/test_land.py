"""What was approved lands together or not at all, once, by one writer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from citator.model.errors import LockedError, RefusedError
from citator.model.record import RecordStatus
from citator.record import writing
from citator.record.migration import Migration
from citator.service import land
from citator.service.desk import one_writer
from citator.service.record import record_of
from citator.service.trust import Rules
from citator.trust.assurance import Landed, Signature, Threshold
from citator.trust.policy import Policy
from tests.support.builder import contents_of
from tests.support.office import Office, refusal


def approved(office: Office, *titles: str) -> list[Migration]:
    made = [office.decide(title).migration for title in titles]
    for one in made:
        office.approve(one.id)
    return made


def ledger_files(office: Office) -> dict[str, tuple[int, bytes]]:
    """The ledger's files; folders alone say nothing."""
    return {path: one for path, one in contents_of(office.root).items() if "." in path}


def test_every_approved_proposal_lands_and_the_others_are_left(office: Office) -> None:
    one, two = approved(office, "Use a queue", "Keep sessions in SQLite")
    waiting = office.decide("Log in UTC").migration
    done = office.apply()
    assert {each.id for each in done.landed} == {one.id, two.id}
    assert done.left == (waiting.id,)
    assert set(office.desk.ledger.landed) == {one.id, two.id}
    assert set(office.desk.ledger.proposals) == {waiting.id}
    assert [path.name for path in (office.root / "record").iterdir()]


def test_to_apply_twice_is_to_apply_once(office: Office) -> None:
    (one,) = approved(office, "Use a queue")
    office.apply()
    before = ledger_files(office)
    assert office.apply().landed == ()
    assert office.apply(one.id).landed == ()
    assert ledger_files(office) == before


def test_nothing_is_served_before_it_is_committed(office: Office) -> None:
    (one,) = approved(office, "Use a queue")
    office.apply()
    assert record_of(office.workspace).state.items == {}
    office.commit()
    assert record_of(office.workspace).state.accepted == (one.id,)


def test_what_lacks_approval_is_refused_by_its_name(office: Office) -> None:
    waiting = office.decide("Log in UTC").migration
    before = ledger_files(office)
    assert refusal(lambda: office.apply(waiting.id)) == "not_approved"
    draft = office.decide("Half a thought", draft=True).migration
    assert refusal(lambda: office.apply(draft.id)) == "still_a_draft"
    (office.root / "proposals" / draft.file_name()).unlink()
    assert ledger_files(office) == before


def test_two_that_disagree_are_both_left(office: Office) -> None:
    item, _ = office.landed()
    one = office.decide("Keep them in memory", revises=item).migration
    two = office.decide("Keep them in a file", revises=item).migration
    office.approve(one.id)
    office.approve(two.id)
    before = ledger_files(office)
    assert refusal(office.apply) == "conflict"
    assert ledger_files(office) == before
    assert [each.id for each in office.apply(two.id).landed] == [two.id]
    assert refusal(office.apply) == "conflict"


def test_a_disagreement_of_two_branches_is_settled_by_a_third_text(office: Office) -> None:
    item, _ = office.landed()
    one = office.decide("Keep them in memory", revises=item).migration
    two = office.decide("Keep them in a file", revises=item).migration
    office.approve(one.id)
    office.approve(two.id)
    for each in (one, two):  # as a merge of two branches lands them
        writing.land(office.builder.path, f"proposals/{each.file_name()}", each)
    assert office.state.items[item].contested == (f"item/{item}/text",)
    office.accept(office.decide("Keep them in memory, and say so", revises=item))
    assert office.state.items[item].contested == ()


def test_a_circle_of_successors_is_refused_with_its_sentence(office: Office) -> None:
    first, _ = office.landed("Use a queue")
    second, _ = office.landed("Use a table", supersedes=(first,))
    with pytest.raises(RefusedError) as caught:
        office.change("relate", first, writing_type("supersedes"), second)
    assert caught.value.code in ("migration_supersedes_cycle", "migration_retired_item")


def writing_type(name: str) -> object:
    from citator.model.record import RelationType

    return RelationType(name)


@pytest.mark.parametrize("fails_at", [1, 2, 3])
def test_an_apply_that_fails_leaves_the_state_before(
    office: Office, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    approved(office, "Use a queue", "Log in UTC", "Keep sessions in SQLite")
    before = ledger_files(office)
    real, calls = writing.land_beside, 0

    def failing(root: Path, migration: Migration) -> Path:
        nonlocal calls
        calls += 1
        if calls == fails_at:
            raise KeyboardInterrupt
        return real(root, migration)

    monkeypatch.setattr(writing, "land_beside", failing)
    with pytest.raises(KeyboardInterrupt):
        office.apply()
    monkeypatch.undo()
    assert ledger_files(office) == before
    assert len(office.apply().landed) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="processes end otherwise there")
@pytest.mark.parametrize("killed_at", [1, 2, 3, 4])
def test_a_killed_apply_serves_what_was_served_and_the_next_one_goes_on(
    office: Office, killed_at: int
) -> None:
    made = approved(office, "Use a queue", "Log in UTC")
    tip = office.commit()
    program = (
        "import os, signal, sys; from pathlib import Path\n"
        "from citator.record import writing; from citator.service import land\n"
        "from citator.service.proposing import Moment\n"
        "from citator.service.workspace import Places, Workspace\n"
        "root, data, at = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])\n"
        "count = 0\n"
        "def dying(real):\n"
        "    def call(*words):\n"
        "        global count; count += 1\n"
        "        if count == at: os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return real(*words)\n"
        "    return call\n"
        "writing.land_beside = dying(writing.land_beside)\n"
        "writing.withdraw = dying(writing.withdraw)\n"
        "workspace = Workspace.open(root, Places(data, data))\n"
        "land.apply(workspace, (), Moment(1_780_000_000_000, os.urandom))\n"
    )
    data = str(office.places.data)
    command = [sys.executable, "-c", program, str(office.builder.path), data, str(killed_at)]
    died = subprocess.run(command, capture_output=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert record_of(office.workspace).state.items == {}
    assert office.builder.head() == tip
    office.apply()
    assert set(office.state.accepted) == {one.id for one in made}
    assert list((office.root / "proposals").iterdir()) == []
    assert office.desk.record.problems == ()


def test_one_writer_at_a_time(office: Office) -> None:
    approved(office, "Use a queue")
    before = ledger_files(office)
    with one_writer(office.workspace):
        program = (
            "import os, sys; from pathlib import Path; from citator.service import land\n"
            "from citator.model.errors import LockedError\n"
            "from citator.service.proposing import Moment\n"
            "from citator.service.workspace import Places, Workspace\n"
            "workspace = Workspace.open(Path(sys.argv[1]), Places(*map(Path, sys.argv[2:] * 2)))\n"
            "try: land.apply(workspace, (), Moment(1_780_000_000_000, os.urandom))\n"
            "except LockedError: print('locked')\n"
        )
        command = [sys.executable, "-c", program, str(office.builder.path), str(office.places.data)]
        assert subprocess.run(command, capture_output=True, check=False).stdout == b"locked\n"
    assert ledger_files(office) == before
    assert issubclass(LockedError, RefusedError)


def test_a_policy_that_asks_for_ci_lets_land_what_ci_then_verifies(office: Office) -> None:
    floor = Threshold(Signature.KEY, 1, Landed.VERIFIED_BY_CI)
    office.pin(rules=Rules(file=Policy("main", True, floor).to_dict()))
    (one,) = approved(office, "Use a queue")
    assert [each.id for each in office.apply().landed] == [one.id]
    office.commit()
    record = record_of(office.workspace)
    assert record.state.items == {}
    assert [each.status for each in record.proposals] == [RecordStatus.PROPOSED]


def test_a_commit_holds_the_records_files_and_nothing_else_that_was_staged(office: Office) -> None:
    builder = office.builder
    builder.git("config", "user.name", "Ada")
    builder.git("config", "user.email", "ada@example.org")
    (builder.path / "mine.txt").write_text("not done")
    builder.git("add", "mine.txt")
    (one,) = approved(office, "Use a queue")
    waiting = office.decide("Log in UTC").migration
    done = land.apply(office.workspace, (), office.moment(), and_commit=True)
    assert done.commit == builder.head()
    named = builder.git("show", "--name-only", "--format=%s", "HEAD").decode().split("\n")
    assert named[0] == f"Land decision {one.id}"
    assert sorted(filter(None, named[1:])) == sorted(
        f".citator/{path}" for path in ledger_files(office) if waiting.id not in path
    )
    assert builder.git("diff", "--cached", "--name-only") == b"mine.txt\n"
    again = land.apply(office.workspace, (), office.moment(), and_commit=True)
    assert (again.landed, again.commit) == ((), None)


def test_what_git_does_not_commit_stays_in_the_tree(office: Office) -> None:
    hooks = office.builder.git_dir() / "hooks"
    hooks.mkdir(exist_ok=True)
    hook = hooks / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    office.builder.git("config", "user.name", "Ada")
    office.builder.git("config", "user.email", "ada@example.org")
    (one,) = approved(office, "Use a queue")
    if os.name != "nt":
        action = lambda: land.apply(office.workspace, (), office.moment(), and_commit=True)  # noqa: E731
        assert refusal(action) == "not_committed"
        assert set(office.desk.ledger.landed) == {one.id}


def test_a_rejection_is_committed_by_itself(office: Office) -> None:
    office.builder.git("config", "user.name", "Ada")
    office.builder.git("config", "user.email", "ada@example.org")
    told = office.decide("Use Redis").migration
    office.reject(told.id)

    done = land.apply(office.workspace, (), office.moment(), and_commit=True)

    assert (done.landed, done.left) == ((), ())
    assert done.commit == office.builder.head()
    assert [one.reason for one in record_of(office.workspace).tombstones] == ["we tried it"]
