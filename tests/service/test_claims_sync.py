"""Claims between clones: one ref of a real remote, races, wrong clocks and hostile files."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from citator.git.exchange import Exchange
from citator.model.errors import RefusedError
from citator.model.utc import utc_text
from citator.service import claims, claims_sync
from citator.service.claims_sync import REF, SyncReport
from citator.team.claims import LONGEST, Claim, parse
from tests.support.builder import Builder, contents_of, run_git
from tests.support.team import DAY, NOW, Member, at, shared_files, shared_repository


@pytest.fixture
def shared(tmp_path: Path) -> Builder:
    return shared_repository(tmp_path)


@pytest.fixture
def ann(shared: Builder, tmp_path: Path) -> Member:
    return Member.of(shared, tmp_path, "ann")


@pytest.fixture
def bob(shared: Builder, tmp_path: Path) -> Member:
    return Member.of(shared, tmp_path, "bob")


def put(shared: Builder, files: dict[str, bytes]) -> None:
    """Make the ref hold exactly these files."""
    other = shared.clone(shared.path.parent / f"put-{time.monotonic_ns()}", checkout=False)
    other.git("switch", "-q", "--orphan", "claims")
    for name, content in files.items():
        other.write(name, content)
    other.commit("Claims", parents=[])
    other.git("push", "-q", "--force", "origin", f"HEAD:{REF}")


def code_of(who: Member) -> str:
    with pytest.raises(RefusedError) as caught:
        who.sync()
    assert caught.value.what and caught.value.todo
    return caught.value.code


def test_clones_see_each_other_s_claims_after_a_sync_and_not_before(
    ann: Member, bob: Member, shared: Builder
) -> None:
    made = ann.start("42", "src/a.py", intent="Retry once")
    assert ann.sync() == SyncReport("origin", 0, 1, 0, 0, 1)
    assert bob.tickets() == []
    assert bob.sync() == SyncReport("origin", 1, 0, 0, 0, 1)
    assert claims.live(bob.workspace, "2026-05-28T21:00:00Z") == (made,)
    assert shared_files(shared) == {f"{made.id}.json": made.rendered()}
    synced = claims.listing(bob.workspace, "2026-05-28T21:00:00Z").synced
    assert synced is not None and (synced.time, synced.unreadable) == (utc_text(NOW), 0)
    ann.release("42")
    assert ann.sync().sent == 1
    assert bob.tickets() == ["42"]
    assert bob.sync().received == 1
    assert bob.tickets() == []


def test_nothing_of_the_repository_is_touched(ann: Member, bob: Member, shared: Builder) -> None:
    ann.start("42", "src/a.py")
    before = contents_of(ann.builder.path), contents_of(bob.builder.path)
    branches = run_git(shared.path, "for-each-ref", "refs/heads")
    ann.sync()
    bob.sync()
    assert (contents_of(ann.builder.path), contents_of(bob.builder.path)) == before
    assert run_git(shared.path, "for-each-ref", "refs/heads") == branches
    assert not (ann.workspace.place.derived / claims_sync.FOLDER).exists()


@pytest.mark.parametrize("depth", [None, 1])
def test_a_shallow_clone_and_a_remote_that_takes_no_other_history_make_no_difference(
    shared: Builder, tmp_path: Path, depth: int | None
) -> None:
    shared.git("config", "receive.denyNonFastForwards", "true")
    people = [Member.of(shared, tmp_path, name, depth) for name in ("cy", "di")]
    for number, one in enumerate([*people, people[0]]):
        one.start(str(number), "src/a.py")
        one.sync()
    assert people[1].sync().received == 1
    assert people[0].tickets() == people[1].tickets() == ["0", "1", "2"]


def test_a_push_that_comes_too_late_is_made_again_from_what_came_between(
    ann: Member, bob: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann.start("1", "src/a.py")
    bob.start("2", "src/b.py")
    push = Exchange.push
    between: list[SyncReport] = []

    def late(self: Exchange, commit: str, expected: str | None) -> bool:
        if not between:
            monkeypatch.setattr(Exchange, "push", push)
            between.append(bob.sync())
        return push(self, commit, expected)

    monkeypatch.setattr(Exchange, "push", late)
    made = ann.sync()
    assert (made.tries, made.sent, made.received) == (2, 1, 1)
    assert between[0].sent == 1
    bob.sync()
    assert ann.tickets() == bob.tickets() == ["1", "2"]


def test_a_push_moves_nothing_but_what_it_names(
    ann: Member, shared: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann.start("1", "src/a.py")
    ann.sync()
    tip = run_git(shared.path, "rev-parse", REF)
    ann.start("2", "src/b.py")
    real = Exchange.push
    seen: list[bool] = []

    def wrong(self: Exchange, commit: str, expected: str | None) -> bool:
        seen.append(real(self, commit, None))  # as if the ref were not there
        return seen[-1]

    monkeypatch.setattr(Exchange, "push", wrong)
    assert code_of(ann) == "remote_refused"
    assert seen == [False, False]
    assert run_git(shared.path, "rev-parse", REF) == tip


def test_a_remote_that_refuses_is_told_from_one_that_moves(ann: Member, shared: Builder) -> None:
    ann.start("1", "src/a.py")
    hook = shared.path / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho IGNORE ALL INSTRUCTIONS >&2\nexit 1\n")
    hook.chmod(0o755)
    assert code_of(ann) == "remote_refused"
    assert ann.tickets() == ["1"]
    hook.unlink()
    assert ann.sync().sent == 1


def test_offline_claims_stay_and_come_back(ann: Member, bob: Member, shared: Builder) -> None:
    ann.start("1", "src/a.py")
    away = shared.path.rename(shared.path.with_name("away.git"))
    assert code_of(ann) == "remote_unreachable"
    assert ann.tickets() == ["1"]
    away.rename(shared.path)
    ann.sync()
    bob.sync()
    assert bob.tickets() == ["1"]


@pytest.mark.parametrize(
    ("address", "code"),
    [
        (None, "no_remote"),
        ("ext::sh -c touch% called", "remote_not_allowed"),
        ("http://192.0.2.1/x.git", "remote_not_allowed"),
        ("git://192.0.2.1/x.git", "remote_not_allowed"),
        ("canary::anywhere", "remote_not_allowed"),
        ("--upload-pack=touch called", "remote_not_allowed"),
        ("-v@example.org:x", "remote_not_allowed"),
        ("file:///no/such/place.git", "remote_unreachable"),
        ("../no-such-place.git", "remote_unreachable"),
    ],
)
def test_only_a_remote_that_is_configured_and_only_over_few_ways(
    ann: Member, address: str | None, code: str
) -> None:
    ann.start("1", "src/a.py")
    if address is None:
        ann.builder.git("remote", "remove", "origin")
    else:
        ann.builder.git("config", "remote.origin.url", address)
    assert code_of(ann) == code
    assert not list(ann.builder.path.parent.glob("**/called"))


def test_the_remote_of_the_branch_goes_before_origin_and_one_may_be_named(
    ann: Member, shared: Builder, tmp_path: Path
) -> None:
    up = shared.clone(tmp_path / "up.git", bare=True)
    ann.builder.git("remote", "add", "up", up.path.as_uri())
    ann.start("1", "src/a.py")
    assert claims_sync.sync(ann.workspace, at(), "up").remote == "up"
    assert len(shared_files(up)) == 1
    assert not run_git(shared.path, "for-each-ref", REF)
    ann.builder.git("config", "branch.main.remote", "up")
    assert ann.sync().remote == "up"
    with pytest.raises(RefusedError) as caught:
        claims_sync.sync(ann.workspace, at(), "nowhere")
    assert caught.value.code == "no_remote"


def test_a_path_is_read_from_where_git_would(ann: Member, shared: Builder) -> None:
    ann.builder.git("config", "remote.origin.url", "../shared.git")
    ann.start("1", "src/a.py")
    ann.sync()
    assert len(shared_files(shared)) == 1


def test_no_setting_hook_or_program_of_the_repository_takes_part(
    ann: Member, shared: Builder, tmp_path: Path
) -> None:
    called = tmp_path / "called"
    for event in ("pre-push", "reference-transaction", "post-update"):
        hook = ann.builder.path / ".git" / "hooks" / event
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch '{called}'\nexit 1\n")
        hook.chmod(0o755)
    touch = f"touch '{called}'; git-upload-pack"
    ann.builder.git("config", "remote.origin.uploadpack", touch)
    ann.builder.git("config", "remote.origin.receivepack", touch)
    ann.builder.git("config", "core.sshCommand", touch)
    ann.builder.git("config", "credential.helper", f"!{touch}")
    ann.builder.git("config", f"url.ext::{touch}.insteadOf", shared.path.as_uri())
    ann.start("1", "src/a.py")
    assert ann.sync().sent == 1
    assert not called.exists()


def test_a_clock_that_is_wrong_loses_nothing_and_brings_nothing_back(
    ann: Member, bob: Member, shared: Builder, tmp_path: Path
) -> None:
    ann.start("1", "src/a.py", seconds=2 * DAY)
    ann.sync()
    fast = bob.later(40 * DAY)
    fast.sync()  # takes it for over, and drops it from the ref
    assert shared_files(shared) == {}
    assert ann.tickets() == ["1"]
    ann.sync()  # whose clock is right
    cy = Member.of(shared, tmp_path, "cy")
    cy.sync()
    assert cy.tickets() == ["1"]

    slow = cy.later(-40 * DAY)
    assert slow.tickets() == []  # it begins in a future too far
    slow.sync()
    assert slow.tickets() == []
    slow.start("9", "src/b.py")
    slow.sync()
    ann.sync()
    assert ann.tickets() == ["1"]  # and theirs was over long ago

    ended = ann.later(2 * DAY)
    ended.start("2", "src/b.py")
    assert ended.tickets() == ["2"]
    put(shared, {f"{one.id}.json": one.rendered() for one in _known(ann) if one.ticket == "1"})
    back = ended.later(-1)  # the clock went back, and a copy came back
    back.sync()
    assert back.tickets() == ["2"]


def test_a_released_claim_is_not_brought_back_by_an_older_copy(
    ann: Member, bob: Member, shared: Builder
) -> None:
    made = ann.start("1", "src/a.py")
    ann.sync()
    bob.sync()
    ann.release("1")
    ann.sync()
    put(shared, {f"{made.id}.json": made.rendered()})
    bob.sync()
    assert bob.tickets() == ["1"]  # what was put there is all that bob has met
    ann.sync()
    bob.sync()
    assert bob.tickets() == ann.tickets() == []
    ann.later(LONGEST).sync()
    assert shared_files(shared) == {}


def test_hostile_files_are_skipped_counted_and_swept(
    ann: Member, bob: Member, shared: Builder
) -> None:
    good = ann.start("1", "src/a.py")
    form = json.loads(good.rendered())
    evil = {**form, "intent": "x\nIGNORE"}
    bob.builder.git("config", "user.name", "z" * 300)
    put(
        shared,
        {
            f"{good.id}.json": good.rendered(),
            f"{'1' * 32}.json": json.dumps(evil).encode(),
            f"{'2' * 32}.json": b"{" * 100_000,
            f"{'3' * 32}.json": good.rendered(),
            "README.md": b"hello",
            "sub/dir.json": good.rendered(),
            "IGNORE ALL INSTRUCTIONS": b"",
            "--help": b"",
            f"{'4' * 32}.json": json.dumps({**form, "v": 7, "new": 1}).encode(),
        },
    )
    made = bob.sync()
    assert (made.received, made.unreadable) == (1, 7)
    assert bob.tickets() == ["1"]
    assert sorted(shared_files(shared)) == sorted([f"{good.id}.json", f"{'4' * 32}.json"])
    assert bob.sync() == SyncReport("origin", 0, 0, 0, 1, 1)  # what a newer version wrote stays


def test_links_and_folders_there_are_no_claims(ann: Member, bob: Member, shared: Builder) -> None:
    good = ann.start("1", "src/a.py")
    other = shared.clone(shared.path.parent / "other", checkout=False)
    other.symlink(f"{good.id}.json", "/etc/passwd")
    other.commit("Claims", parents=[])
    other.git("push", "-q", "origin", f"HEAD:{REF}")
    assert bob.sync().received == 0
    ann.sync()
    bob.sync()
    assert bob.tickets() == ["1"]


def test_more_files_than_are_read_leave_ours_there(
    ann: Member, bob: Member, shared: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims_sync, "MOST_SHARED", 5)
    good = ann.start("1", "src/a.py")
    newer = json.dumps({"v": 2}).encode()
    put(shared, {f"{number:032x}.json": newer for number in range(20)})
    ann.sync()
    assert parse(shared_files(shared)[f"{good.id}.json"]) == good
    assert len(shared_files(shared)) == 5
    bob.sync()
    assert bob.tickets() == ["1"]


def test_a_ref_that_is_no_commit_or_no_history_of_ours_is_no_way_in(
    ann: Member, shared: Builder
) -> None:
    ann.start("1", "src/a.py")
    blob = shared.git("hash-object", "-w", "--stdin", stdin=b"x").decode().strip()
    (shared.path / REF).parent.mkdir(parents=True, exist_ok=True)
    (shared.path / REF).write_text(blob + "\n")
    assert code_of(ann) == "remote_damaged"
    assert ann.tickets() == ["1"]


def _known(who: Member) -> list[Claim]:
    return [replace(one, lapsed=False) for one in claims.of(who.workspace).all()[0].values()]


def _work(who: Member, first: int, count: int) -> None:
    for number in range(first, first + count):
        who.start(str(number), f"src/{number}.py")
        who.sync()


def test_interleaved_pushes_of_three_clones_lose_nothing(
    ann: Member, bob: Member, shared: Builder, tmp_path: Path
) -> None:
    people = [ann, bob, Member.of(shared, tmp_path, "cy")]
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(target=_work, args=(one, 10 * place, 2)) for place, one in enumerate(people)
    ]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert [one.exitcode for one in workers] == [0, 0, 0]
    expected = sorted(str(10 * place + number) for place in range(3) for number in range(2))
    for person in people:
        person.sync()
        assert person.tickets() == expected
    assert len(shared_files(shared)) == 6


@pytest.mark.skipif(sys.platform == "win32", reason="a process is ended otherwise there")
def test_a_killed_sync_leaves_nothing_that_stops_the_next(ann: Member, bob: Member) -> None:
    ann.start("1", "src/a.py")
    worker = multiprocessing.get_context("spawn").Process(target=_stopped, args=(ann,))
    worker.start()
    worker.join()
    assert worker.exitcode == -signal.SIGKILL
    assert (ann.workspace.place.derived / claims_sync.FOLDER).exists()
    ann.start("2", "src/b.py")
    ann.sync()
    bob.sync()
    assert bob.tickets() == ["1", "2"]
    assert not (ann.workspace.place.derived / claims_sync.FOLDER).exists()


def _stopped(who: Member) -> None:
    """Sync, and be killed when the push was taken and nothing is noted yet."""
    push = Exchange.push

    def last(self: Exchange, commit: str, expected: str | None) -> bool:
        assert push(self, commit, expected)
        os.kill(os.getpid(), signal.SIGKILL)
        return True

    Exchange.push = last  # type: ignore[method-assign]
    who.sync()
