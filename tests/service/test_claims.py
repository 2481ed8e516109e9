"""Claims in one clone: who sees them, what is in the way of whom, and what is never told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.document import Person, author_number
from citator.model.errors import NotFoundError, RefusedError, UsageError
from citator.model.horizon import HorizonFact, Limit
from citator.model.record import Sensitivity
from citator.model.utc import utc_text
from citator.service import claims, journal
from citator.service.check import check
from citator.service.check_findings import FindingKind
from citator.service.conflicts import Conflict, Grade, met
from citator.service.intent import Intent, Source
from citator.store.layout import Layout
from citator.team.claims import LONGEST
from citator.trust.pins import Pins
from citator.trust.readership import PathRule, Readership, Readerships
from tests.service.test_record import ADA, approved
from tests.support.approving import pin
from tests.support.builder import Builder
from tests.support.record import Ledger
from tests.support.team import DAY, NOW, Member, at, shared_repository


@pytest.fixture
def shared(tmp_path: Path) -> Builder:
    return shared_repository(tmp_path)


@pytest.fixture
def ann(shared: Builder, tmp_path: Path) -> Member:
    return Member.of(shared, tmp_path, "ann")


@pytest.fixture
def agent(ann: Member, tmp_path: Path) -> Member:
    """The same person in a second work tree."""
    return replace(ann, builder=ann.builder.worktree(tmp_path / "second", "second"))


@pytest.fixture
def bob(ann: Member, tmp_path: Path) -> Member:
    """Somebody else at the same clone, in a work tree with settings of its own."""
    builder = ann.builder.worktree(tmp_path / "third", "third")
    ann.builder.git("config", "extensions.worktreeConfig", "true")
    builder.git("config", "--worktree", "user.name", "bob")
    builder.git("config", "--worktree", "user.email", "bob@example.org")
    return replace(ann, builder=builder)


def near(who: Member, *named: str, branches: bool = False) -> tuple[Conflict, ...]:
    wish = claims.wished("1", named)
    return met(who.workspace, wish.files, wish.symbols, at(who.clock), branches=branches).conflicts


def told(found: tuple[Conflict, ...]) -> list[tuple[str, str | None, tuple[str, ...], bool]]:
    return [(one.grade.value, one.notice.ticket, one.paths, one.own) for one in found]


def test_a_claim_is_seen_at_once_in_every_work_tree_and_ends_by_itself(
    ann: Member, agent: Member
) -> None:
    made = ann.start("42", "src/a.py")
    assert claims.live(agent.workspace, at()) == (made,)
    assert agent.later(DAY - 1).tickets() == ["42"]
    assert agent.later(DAY).tickets() == []
    assert claims.live(agent.workspace, "2020-01-01T00:00:00Z") == ()


def test_claiming_again_is_one_claim_about_more_for_longer(ann: Member) -> None:
    first = ann.start("42", "src/a.py", intent="Retry")
    more = ann.later(3600).start("#42", "src/b.py:x", "src/a.py")
    assert (more.id, more.revision, more.started) == (first.id, 2, NOW)
    assert (more.files, more.symbols, more.intent) == (
        ("src/a.py", "src/b.py"),
        ("src/b.py:x",),
        "Retry",
    )
    assert more.expires == NOW + 3600 + DAY
    assert claims.live(ann.workspace, at()) == (more,)


def test_one_s_claims_end_in_every_work_tree_and_nobody_else_s(
    ann: Member, agent: Member, bob: Member
) -> None:
    ann.start("42", "src/a.py")
    agent.start("42", "src/b.py")
    bob.start("42", "src/a.py")
    assert len(ann.release("42")) == 2
    assert [one.author for one in claims.live(ann.workspace, at())] == ["bob <bob@example.org>"]
    assert ann.release("42") == ()
    assert ann.release("7") == ()


def test_an_extension_goes_no_further_than_the_longest_lease(ann: Member, bob: Member) -> None:
    ann.start("42", "src/a.py")
    (longer,) = claims.extend(ann.workspace, "42", at(), 3 * DAY)
    assert longer.expires == NOW + 3 * DAY
    with pytest.raises(RefusedError, match="14 days") as caught:
        claims.extend(ann.workspace, "42", at(NOW + 1), LONGEST)
    assert caught.value.code == "claim_too_long"
    with pytest.raises(NotFoundError):
        claims.extend(bob.workspace, "42", at(), DAY)
    assert ann.start("42", "src/a.py", seconds=99 * DAY).expires == NOW + LONGEST


@pytest.mark.parametrize(
    ("ticket", "files", "intent", "code"),
    [
        ("fix the cache", ("src/a.py",), "", "bad_ticket"),
        ("1", (), "", "bad_claim"),
        ("1", ("../x",), "", "path_outside"),
        ("1", ("/etc/passwd",), "", "path_outside"),
        ("1", (".git/config",), "", "path_outside"),
        ("1", tuple(f"{n}.py" for n in range(51)), "", "bad_claim"),
        ("1", tuple(f"{n}{'é' * 300}.py" for n in range(20)), "", "bad_claim"),
        ("1", ("src/a.py",), "x" * 201, "bad_claim"),
        ("1", ("src/a.py:a b",), "", "bad_claim"),
    ],
)
def test_what_cannot_be_claimed_is_said(
    ann: Member, ticket: str, files: tuple[str, ...], intent: str, code: str
) -> None:
    with pytest.raises(UsageError) as caught:
        ann.start(ticket, *files, intent=intent)
    assert caught.value.code == code
    assert ann.tickets() == []


def test_a_secret_in_an_intent_is_refused(ann: Member) -> None:
    with pytest.raises(RefusedError) as caught:
        ann.start("1", "src/a.py", intent="use AKIAIOSFODNN7EXAMPLE, password=hunter2hunter2")
    assert caught.value.code == "secret_found"
    assert ann.tickets() == []


def test_what_is_done_is_journaled_by_ids_alone(ann: Member) -> None:
    made = ann.start("42", "src/a.py", intent="zebra")
    claims.extend(ann.workspace, "42", at(), 2 * DAY)
    ann.release("42")
    entries = journal.history(ann.workspace).entries
    assert [(one.event, one.subjects) for one in reversed(entries)] == [
        ("claimed", ("42", made.id)),
        ("claim_extended", ("42", made.id)),
        ("claim_released", ("42", made.id)),
    ]


def test_conflicts_are_graded_and_one_s_own_are_none(
    ann: Member, agent: Member, bob: Member
) -> None:
    ann.start("42", "src/a.py:get", "src/b.py")
    assert near(ann, "src/a.py:get") == ()
    assert told(near(bob, "src/a.py:get")) == [("symbol", "42", ("src/a.py",), False)]
    assert told(near(bob, "src/a.py:other")) == [("file", "42", ("src/a.py",), False)]
    assert told(near(bob, "src/b.py", "src/c.py")) == [("file", "42", ("src/b.py",), False)]
    assert told(near(bob, "src")) == [("file", "42", ("src",), False)]
    assert told(near(agent, "src/b.py")) == [("file", "42", ("src/b.py",), True)]
    assert near(bob, "src/c.py") == ()
    (one,) = claims.conflicts(bob.workspace, ["src/b.py"], [], at())
    assert one.notice.author == author_number(Person("ann", "ann@example.org"))


def test_a_folder_that_is_claimed_holds_what_is_below_it(ann: Member, bob: Member) -> None:
    ann.start("42", "src/")
    assert told(near(bob, "src/a.py", "srcs/a.py")) == [("file", "42", ("src/a.py",), False)]


def test_files_that_one_decision_governs_are_near(ann: Member, bob: Member, tmp_path: Path) -> None:
    (tmp_path / "ann-data").mkdir(mode=0o700)
    Pins(Layout(ann.places.data)).write(pin(ADA))
    made = Ledger()
    item = made.decide("Keep sources small", paths=["src/**"])
    approved(bob.builder, made)
    ann.start("42", "src/a.py")
    (one,) = near(bob, "src/b.py", "docs/x.md")
    assert (one.grade, one.paths, one.items) == (Grade.SCOPE, ("src/b.py",), (item,))
    assert near(bob, "docs/x.md") == ()


def test_an_open_branch_of_another_is_near_until_it_is_merged(
    shared: Builder, ann: Member, tmp_path: Path
) -> None:
    eve = Member.of(shared, tmp_path, "eve")
    eve.builder.switch("evil-words-here", create=True)
    eve.builder.write("src/b.py", "x = 2\n").write("z.py", "1\n")
    commit = eve.builder.commit("Words", author="Eve <eve@example.org>", date=NOW - 5 * DAY)
    eve.builder.git("push", "-q", "origin", "HEAD")
    assert near(ann, "src/b.py", branches=True) == ()  # not fetched: nothing is fetched
    ann.builder.git("fetch", "-q")
    (one,) = near(ann, "src/b.py", "src/a.py", branches=True)
    assert (one.grade, one.paths, one.claim) == (Grade.BRANCH, ("src/b.py",), None)
    notice = one.notice
    assert (notice.commit, notice.commits, notice.author) == (
        *(commit, 1),
        author_number(Person("Eve", "eve@example.org")),
    )
    assert one.branch is not None and one.branch.name == "origin/evil-words-here"
    assert "evil" not in repr(notice)
    assert near(ann, "src/a.py", branches=True) == ()
    assert near(ann.later(60 * DAY), "src/b.py", branches=True) == ()  # long at rest
    ann.builder.merge("origin/evil-words-here")
    assert near(ann, "src/b.py", branches=True) == ()


def test_one_s_own_branch_is_not_in_one_s_way(shared: Builder, ann: Member, tmp_path: Path) -> None:
    other = Member.of(shared, tmp_path, "elsewhere")
    other.builder.switch("mine", create=True)
    other.builder.write("src/b.py", "x = 2\n")
    other.builder.commit("x", author="Ann <ann@example.org>", date=NOW)
    other.builder.git("push", "-q", "origin", "HEAD")
    ann.builder.git("fetch", "-q")
    assert near(ann, "src/b.py", branches=True) == ()


def test_branches_that_were_not_looked_at_are_counted(
    ann: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citator.git.open_branches.MOST_BRANCHES", 2)
    head = ann.builder.head()
    for number in range(5):
        ann.builder.write("src/a.py", f"{number}\n").commit(date=NOW - number)
        ann.builder.git("update-ref", f"refs/remotes/origin/b{number}", "HEAD")
    ann.builder.git("reset", "-q", "--hard", head)
    found = met(ann.workspace, ["src/a.py"], [], at())
    assert len(found.conflicts) == 2
    assert found.facts == (HorizonFact(Limit.BRANCHES_UNREAD, 3),)
    monkeypatch.setattr("citator.git.open_branches.SECONDS", -1.0)
    late = met(ann.workspace, ["src/a.py"], [], at())
    assert (late.conflicts, late.facts) == ((), (HorizonFact(Limit.BRANCHES_UNREAD),))


def hide(who: Member, *globs: str) -> None:
    rules = tuple(PathRule(one, Sensitivity.RESTRICTED) for one in globs)
    place = Layout(who.places.data)
    Readerships(place).set(who.workspace.repository_id, Readership(rules=rules))


def test_a_claim_on_a_hidden_path_is_neither_shown_nor_counted(
    shared: Builder, ann: Member, bob: Member, tmp_path: Path
) -> None:
    ann.start("42", "src/a.py", "src/b.py")
    ann.start("7", "src/a.py")
    claims.of(ann.workspace).place("0" * 32).write_bytes(b"{}")
    assert claims.listing(bob.workspace, at()).unreadable == 1
    assert len(near(bob, "src/a.py")) == 2
    hide(ann, "src/b.py")
    assert bob.tickets() == ["7"]
    listed = claims.listing(bob.workspace, at(), everything=True)
    assert ([one.ticket for one in listed.claims], listed.unreadable) == (["7"], 0)
    assert told(near(bob, "src/a.py", "src/b.py")) == [("file", "7", ("src/a.py",), False)]

    eve = Member.of(shared, tmp_path, "eve")
    eve.builder.switch("x", create=True).write("src/a.py", "2\n").write("src/b.py", "2\n")
    eve.builder.commit(date=NOW)
    eve.builder.git("push", "-q", "origin", "HEAD")
    bob.builder.git("fetch", "-q")
    assert [one.grade for one in near(bob, "src/a.py", branches=True)] == [Grade.FILE]
    hide(ann, "**")
    assert (bob.tickets(), near(bob, "src/a.py", branches=True)) == ([], ())


def test_a_check_tells_who_claims_a_file_of_the_change(ann: Member, bob: Member) -> None:
    intent = Intent(Source.PATHS, paths=("src/a.py", "src/b.py"))
    now = utc_text(NOW)
    assert check(bob.workspace, intent, now).findings == ()
    ann.start("42", "src/b.py", intent="zebra")
    (one,) = check(bob.workspace, intent, now).findings
    assert (one.kind, one.path, one.blocks, one.mined) == (
        *(FindingKind.CLAIMED, "src/b.py"),
        *(False, False),
    )
    assert one.claim is not None and one.claim.ticket == "42"
    assert "zebra" not in repr(one) and "ann" not in repr(one)
    assert check(ann.workspace, intent, now).findings == ()
    assert check(bob.workspace, intent, utc_text(NOW + DAY)).findings == ()
