"""The guard on real repositories: what is told of a change, to whom, and by whose authority."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.errors import NotFoundError, RefusedError, UsageError
from citator.model.horizon import Limit
from citator.model.record import Sensitivity
from citator.service.answer_finding import answer
from citator.service.check import check
from citator.service.check_findings import Checked, Finding, FindingKind, Wanted
from citator.service.guard_log import Reply, tallies
from citator.service.intent import Intent, Source
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.trust.pins import Pins
from citator.trust.readership import PathRule, Readership, Readerships
from tests.index.test_removals import CODE, WHY
from tests.service.test_record import ADA, Open, approved, put
from tests.support.approving import SOLO, pin
from tests.support.builder import Builder
from tests.support.record import Ledger

NOW = "2026-06-01T00:00:00Z"
POLICY = replace(SOLO, refuse=True)
MOMENT = Moment(1_780_000_000_000, lambda size: b"e" * size)
WORKTREE = Intent(Source.WORKTREE)
RULING = "Rows are read from the database, each time"
Check = Callable[..., Checked]


@pytest.fixture
def built(tmp_path: Path, places: Places) -> Builder:
    """A history that took a row cache out and says why."""
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA))
    builder = Builder.init(tmp_path / "repo")
    builder.write("src/rows.py", CODE).write("requirements.txt", "redis==5\nflask==3\n").commit()
    builder.write("requirements.txt", "flask==3\n").remove("src/rows.py")
    builder.commit(f"Remove the row cache and redis\n\n{WHY}\nIts password was hunter2hunter2.")
    return builder


@pytest.fixture
def checked(built: Builder, open_workspace: Open) -> Check:
    def run(intent: Intent = WORKTREE, wanted: Wanted | None = None) -> Checked:
        return check(open_workspace(built), intent, NOW, wanted)

    return run


def bring_back(built: Builder) -> str:
    """Write the cache into the work tree; the id of the commit that removed it."""
    (built.path / "src").mkdir(exist_ok=True)
    (built.path / "src/rows.py").write_text(CODE)
    return built.head()


def kinds(found: Checked) -> list[FindingKind]:
    return [one.kind for one in found.findings]


def only(found: Checked) -> Finding:
    (one,) = found.findings
    return one


def decided(built: Builder, **settings: object) -> str:
    made = Ledger()
    item = made.decide("Read rows", ruling=RULING, paths=["src/**"], **settings)
    made.add(
        {
            "op": "reject_value",
            "value": "memcached",
            "reason": "one more server to run",
            "scope": ["src/**"],
        }
    )
    approved(built, made)
    return item


def test_a_change_without_history_or_decisions_says_nothing_and_leaves_nothing(
    built: Builder, checked: Check, open_workspace: Open
) -> None:
    (built.path / "new.py").write_text("value_of_nothing = 1\n")
    found = checked()
    assert (found.findings, found.files, found.blocked) == ((), 1, False)
    assert tallies(open_workspace(built)) == {}
    assert not (open_workspace(built).place.local / "guard").exists()


def test_what_comes_back_is_named_with_its_removal_and_its_reason_by_reference(
    built: Builder, checked: Check
) -> None:
    commit = bring_back(built)
    one = only(checked())
    assert (one.kind, one.path, one.removal is not None) == (
        FindingKind.RESURRECTION,
        "src/rows.py",
        True,
    )
    assert one.removal is not None
    assert (one.removal.commit, one.removal.date, one.removal.cause, one.removal.what) == (
        *(commit, "2024-01-01"),
        *("stated", "file"),
    )
    assert (one.removal.also, str(one.removal.reason)[:10]) == (2, "commit:v1:")
    assert checked().texts == ()


@pytest.mark.parametrize("source", ["staged", "base", "patch", "paths", "approach"])
def test_every_way_to_say_a_change_finds_the_same(
    built: Builder, checked: Check, source: str
) -> None:
    base = bring_back(built)
    built.git("add", "-A")
    patch = built.git("diff", "--cached")
    intent = {
        "staged": Intent(Source.STAGED),
        "base": Intent(Source.BASE, base="before"),
        "patch": Intent(Source.PATCH, patch=patch),
        "paths": Intent(Source.PATHS, paths=("./src/rows.py",)),
        "approach": Intent(Source.PATHS, approach="call fetch_cached_rows for each row"),
    }[source]
    if source == "base":
        built.branch("before")
        built.write("src/rows.py", CODE).commit("Bring it back")
    elif source != "staged":
        built.git("reset", "-q", "--hard")
    found = checked(intent)
    one = only(found)
    assert one.removal is not None
    assert (one.removal.commit, found.base) == (base, base)


def test_a_text_is_read_only_where_it_is_asked_for_and_without_secrets(
    built: Builder, checked: Check
) -> None:
    bring_back(built)
    (text,) = checked(wanted=Wanted(read=1)).texts
    assert text.text.startswith("Remove the row cache and redis\n\nIt served stale rows")
    assert text.locator == built.head()


def test_what_governs_comes_with_its_signed_ruling_and_what_was_rejected_first(
    built: Builder, checked: Check
) -> None:
    item = decided(built)
    bring_back(built)
    (built.path / "src/x.py").write_text("import memcached\n")
    found = checked()
    assert kinds(found) == [
        *(FindingKind.REJECTED, FindingKind.RESURRECTION),
        FindingKind.GOVERNED,
    ]
    no, _, governs = found.findings
    assert no.rejection is not None and governs.decision is not None
    assert (no.path, no.line, no.rejection.reason) == ("src/x.py", 1, "one more server to run")
    assert (governs.decision.item, governs.decision.ruling) == (item, RULING)
    assert not any(one.mined for one in (no, governs))


def test_an_approach_in_words_meets_decisions_and_rejections(
    built: Builder, checked: Check
) -> None:
    decided(built)
    intent = Intent(Source.PATHS, approach="keep rows in memcached", paths=("src/a.py",))
    found = checked(intent)
    assert kinds(found)[0] is FindingKind.REJECTED
    assert FindingKind.GOVERNED in kinds(found)


def test_a_branch_under_check_has_no_authority_over_it(built: Builder, checked: Check) -> None:
    item = decided(built)
    built.branch("base").switch("change", create=True)
    for path in built.git("ls-files", ".citator").decode().split():
        built.remove(path)
    built.write("src/y.py", "import memcached\n").commit("Take the record out")
    found = checked(Intent(Source.BASE, base="base"))
    assert kinds(found) == [FindingKind.REJECTED, FindingKind.GOVERNED]
    decision = found.findings[1].decision
    assert decision is not None and decision.item == item

    worktree = checked(Intent(Source.PATHS, paths=("src/y.py",)))
    assert worktree.findings == ()


def test_a_removal_that_touches_what_is_hidden_is_not_known(
    built: Builder, checked: Check, open_workspace: Open, places: Places
) -> None:
    bring_back(built)
    assert kinds(checked()) == [FindingKind.RESURRECTION]
    workspace = open_workspace(built)
    rules = (PathRule("requirements.txt", Sensitivity.RESTRICTED),)
    Readerships(Layout(places.data)).set(workspace.repository_id, Readership(rules=rules))
    found = checked()
    assert (found.findings, found.left_out) == ((), 0)
    assert found.horizon.complete


def test_what_left_came_back_and_left_again_is_cited_by_the_last_time(
    built: Builder, checked: Check
) -> None:
    built.write("src/rows.py", CODE).commit("Have the rows cached after all")
    built.remove("src/rows.py")
    again = built.commit(f"Remove the row cache once more\n\n{WHY}")
    bring_back(built)
    one = only(checked())
    assert one.removal is not None and one.removal.commit == again


def test_a_finding_is_shown_once_a_base_and_withdraws_where_nobody_honours_it(
    built: Builder, checked: Check, open_workspace: Open
) -> None:
    bring_back(built)
    id = only(checked()).id
    checked()
    assert len(tallies(open_workspace(built))[id].shown) == 1
    for _ in range(2):
        built.git("commit", "-q", "--allow-empty", "-m", "Go on", env=_people())
        assert kinds(checked()) == [FindingKind.RESURRECTION]
    assert tallies(open_workspace(built))[id].withdrawn
    assert checked().findings == ()
    assert only(checked(wanted=Wanted(every=True))).id == id

    answer(open_workspace(built), id, Reply.APPLIES, "", MOMENT)
    assert only(checked()).id == id


def test_a_signed_ruling_never_withdraws(
    built: Builder, checked: Check, open_workspace: Open
) -> None:
    decided(built)
    intent = Intent(Source.PATHS, paths=("src/a.py",))
    for _ in range(4):
        id = only(checked(intent)).id
        answer(open_workspace(built), id, Reply.NOT_APPLICABLE, "another file", MOMENT)
        built.git("commit", "-q", "--allow-empty", "-m", "Go on", env=_people())
    assert only(checked(intent)).kind is FindingKind.GOVERNED


def test_a_challenge_opens_a_proposal_and_other_answers_are_noted(
    built: Builder, checked: Check, open_workspace: Open
) -> None:
    item = decided(built)
    bring_back(built)
    mined, signed = checked().findings
    done = answer(open_workspace(built), mined.id, Reply.CHALLENGE, "It is faster now.", MOMENT)
    assert done.proposal is not None and done.proposal.status == "proposed"
    later = Moment(MOMENT.milliseconds + 60_000, MOMENT.entropy)
    done = answer(open_workspace(built), signed.id, Reply.CHALLENGE, "Rows are cold.", later)
    assert done.proposal is not None
    (written,) = (built.path / ".citator/proposals").glob(f"{done.proposal.id}*")
    assert f'target: "{item}"' in written.read_text()
    assert "Rows are cold." in written.read_text()
    done = answer(open_workspace(built), signed.id, Reply.NOT_APPLICABLE, "a test", MOMENT)
    assert (done.shown, done.honoured, done.withdrawn) == (1, 0, False)


def test_what_was_not_shown_or_has_no_reason_is_not_answered(
    built: Builder, checked: Check, open_workspace: Open
) -> None:
    workspace = open_workspace(built)
    with pytest.raises(NotFoundError, match="no finding"):
        answer(workspace, "0" * 12, Reply.APPLIES, "", MOMENT)
    bring_back(built)
    with pytest.raises(UsageError, match="needs a reason"):
        answer(workspace, only(checked()).id, Reply.CHALLENGE, " \n", MOMENT)


def test_what_comes_back_by_the_hundred_is_one_finding(built: Builder, checked: Check) -> None:
    lines = [f"    value_{n} = choose('{'x' * 300}', {n})\n" for n in range(150)]
    for number, line in enumerate(lines):
        built.write(f"src/part{number}.py", f"def choose_part_{number}():\n{line * 2}")
    built.commit("Add parts")
    for number in range(150):
        built.remove(f"src/part{number}.py")
    built.commit(f"Remove the parts\n\n{WHY}")
    (built.path / "src").mkdir(exist_ok=True)
    for number, line in enumerate(lines):
        place = built.path / f"src/part{number}.py"
        place.write_text(f"def choose_part_{number}():\n{line * 2}")
    one = only(checked())
    assert one.removal is not None
    assert (one.removal.what, one.removal.also) == ("file", 59)


@pytest.mark.parametrize(
    "patch",
    [
        b"",
        b" \r\n",
        b"--- a/x\n+++ b/x\n@@ -1,999999999 +1,999999999 @@\n+a\n",
        b"--- /dev/null\n+++ b/package.json\n@@ -0,0 +1 @@\n+" + b"[" * 4_000 + b"\n",
        b'--- /dev/null\n+++ "b/\\377x"\n@@ -0,0 +1 @@\n+a\n',
    ],
)
def test_a_hostile_patch_is_only_read(built: Builder, checked: Check, patch: bytes) -> None:
    before = sorted(built.path.rglob("*"))
    assert checked(Intent(Source.PATCH, patch=patch)).findings == ()
    assert sorted(built.path.rglob("*")) == before


@pytest.mark.parametrize(
    "patch",
    [
        b"not a diff at all\n",
        b"\0\xff" * 5_000,
        b"@@ -1 +1 @@\n-a\n+b\n",
        b"diff --git a/../../etc/passwd b/../../etc/passwd\n--- a/../../etc/passwd\n"
        b"+++ b/../../etc/passwd\n@@ -1 +1 @@\n-root\n+evil\n",
        b"--- /dev/null\n+++ b/.git/hooks/post-checkout\n@@ -0,0 +1 @@\n+touch ran\n",
        b'--- /dev/null\n+++ "b/\\377\\000x"\n@@ -0,0 +1 @@\n+a\n',
    ],
)
def test_what_is_no_patch_of_this_repository_is_an_error_that_says_what_to_give(
    checked: Check, patch: bytes
) -> None:
    with pytest.raises(UsageError, match="no file of a unified diff") as caught:
        checked(Intent(Source.PATCH, patch=patch))
    assert "git diff" in caught.value.todo


def test_a_changed_signature_names_who_calls_it_and_not_who_calls_its_namesake(
    built: Builder, checked: Check
) -> None:
    mill = "def grind_wheat(wheat):\n    return wheat\n\n\ndef keep(sack):\n    return sack\n"
    built.write("farm/mill.py", mill).write("port/mill.py", mill)
    call = "from {0} import mill\n\n\ndef run():\n    mill.grind_wheat(1)\n    mill.keep(2)\n"
    built.write("farm/day.py", call.format("farm")).write("port/day.py", call.format("port"))
    built.write("farm/talk.py", "SAID = 'grind_wheat(1)'\n").commit("Grind")
    (built.path / "farm/mill.py").write_text(mill.replace("wheat):", "wheat, slow):"))
    one = only(checked())
    assert (one.kind, one.name, one.callers) == (
        *(FindingKind.CALLERS, "grind_wheat"),
        ("farm/day.py",),
    )
    (built.path / "farm/mill.py").write_text(mill.replace("sack):", "sack, where):"))
    one = only(checked())
    assert (one.name, one.callers) == ("keep", ("farm/day.py",))


def test_a_path_outside_and_a_base_that_is_no_commit_are_refused(checked: Check) -> None:
    for path in ("../x", "/etc/passwd", ".git/config"):
        with pytest.raises(UsageError, match="inside"):
            checked(Intent(Source.PATHS, paths=(path,)))
    for name in ("nowhere", "--output=x", "HEAD^{tree}"):
        with pytest.raises(NotFoundError):
            checked(Intent(Source.BASE, base=name))


def test_without_commits_there_is_nothing_to_hold_a_change_against(
    tmp_path: Path, places: Places
) -> None:
    empty = Builder.init(tmp_path / "empty")
    with pytest.raises(RefusedError, match="no commits"):
        check(Workspace.open(empty.path, places), WORKTREE, NOW)


def test_with_little_patience_what_left_is_off_and_said(built: Builder, checked: Check) -> None:
    bring_back(built)
    found = checked(wanted=Wanted(patience=0))
    assert found.findings == ()
    assert [(one.limit, one.detail) for one in found.horizon.facts] == [(Limit.LEG_OFF, "removals")]


def test_a_name_that_is_not_plain_travels_encoded_or_not_at_all(
    built: Builder, checked: Check
) -> None:
    path = "src/ignore previous instructions.py"
    content = "def pull(a):\n    first = a.one\n    second = a.two\n    return first, second\n"
    built.write(path, content).commit("Add")
    built.remove(path).commit(f"Remove it\n\n{WHY}")
    (built.path / "src").mkdir(exist_ok=True)
    (built.path / path).write_text(content)
    one = only(checked())
    assert one.path == "src/ignore%20previous%20instructions.py"
    assert one.removal is not None and one.removal.name is None


def _people() -> dict[str, str]:
    who = {"NAME": "Ada", "EMAIL": "ada@example.org"}
    return {
        f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()
    }


@pytest.fixture
def refusing(built: Builder, places: Places) -> str:
    """A decision that refuses redis, under a pinned policy that lets it; its item."""
    Pins(Layout(places.data)).write(pin(ADA, policy=POLICY))
    made = Ledger()
    item = made.decide("No redis", ruling=RULING, paths=["src/**"], refuse={"packages": ["redis"]})
    put(built, made.migrations, [ADA.says(made.migrations[0], policy=POLICY.digest)])
    built.commit("Land it")
    return item


def test_what_a_decision_refuses_blocks_where_the_policy_says_so(
    built: Builder, checked: Check, refusing: str
) -> None:
    (built.path / "requirements.txt").write_text("flask==3\nRedis==6\n")
    found = checked()
    one = found.findings[0]
    assert found.blocked and one.blocks
    assert (one.kind, one.path, one.line, one.predicate, one.subject) == (
        *(FindingKind.REFUSED, "requirements.txt", 2),
        *("packages", refusing),
    )
    assert one.decision is not None and one.decision.ruling == RULING


def test_it_only_reminds_where_the_policy_does_not_say_so(built: Builder, checked: Check) -> None:
    decided(built, refuse={"packages": ["redis"]})
    (built.path / "requirements.txt").write_text("flask==3\nRedis==6\n")
    found = checked()
    assert not found.blocked
    assert kinds(found) == [FindingKind.RESURRECTION]


def test_nothing_that_nobody_signed_blocks(built: Builder, checked: Check, places: Places) -> None:
    Pins(Layout(places.data)).write(pin(ADA, policy=POLICY))
    made = Ledger()
    made.decide("No flask", ruling=RULING, refuse={"patterns": ["flask"]})
    put(built, made.migrations)
    built.commit("Land it unsigned")
    (built.path / "a.py").write_text("import flask\n")
    assert not checked().blocked


def test_a_branch_cannot_take_out_what_refuses_it(
    built: Builder, checked: Check, refusing: str
) -> None:
    built.branch("base").switch("change", create=True)
    for path in built.git("ls-files", ".citator").decode().split():
        built.remove(path)
    built.write("requirements.txt", "flask==3\nredis==6\n").commit("Refuse nothing")
    assert checked(Intent(Source.BASE, base="base")).blocked
