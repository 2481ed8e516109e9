"""Past fixes are replayed without what came later, go on where they stopped, and calibrate."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.errors import LockedError, RefusedError, UsageError
from citator.model.record import Sensitivity
from citator.service import reading_plan
from citator.service.eval_locate import Replay, evaluate
from citator.service.locate import Located, Wanted, locate
from citator.service.past_fixes import past_fixes, says_fix
from citator.service.predicted import LEAST_CONFIDENCE, predicted
from citator.service.readership import UNMASKED
from citator.service.reading_plan import (
    Calibrated,
    HeldOut,
    ReadingPlan,
    calibration_of,
    plan_for,
    plan_of,
)
from citator.service.replayed_cases import Case, Cases, engine
from citator.service.workspace import Places, Workspace
from citator.trust.readership import PathRule, Readership, Readerships
from tests.support.builder import EPOCH, Builder

Opened = Callable[[Builder], Workspace]
NAMES = ("field", "barn", "mill", "well")


def grow(builder: Builder, fixes: int) -> Builder:
    """A farm of four files and a test, and ``fixes`` of them one after the other."""
    for name in NAMES:
        builder.write(f"farm/{name}.py", f"def use_{name}():\n    return '{name}'\n")
    builder.write("tests/test_field.py", "def test_field(): pass\n")
    builder.commit("Start the farm")
    for number in range(fixes):
        name = NAMES[number % 3]
        builder.write(f"farm/{name}.py", f"def use_{name}():\n    return '{name}' * {number}\n")
        builder.commit(f"Fix use_{name} losing {number} grains")
    return builder


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    return grow(Builder.init(tmp_path_factory.mktemp("big") / "farm"), 32)


@pytest.fixture
def small(tmp_path: Path) -> Builder:
    return grow(Builder.init(tmp_path / "farm"), 4)


def kept(workspace: Workspace) -> dict[str, Case]:
    return Cases(workspace).read(engine())


def fixes_of(builder: Builder, **more: object) -> list[str]:
    asked = {"last": 100, "since": 0, "tests": False} | more
    repo = Workspace.open(builder.path, Places(builder.path.parent, builder.path.parent)).repository
    return [one.commit for one in past_fixes(repo, builder.head(), **asked).fixes]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Fix a crash", True),
        ("fix(parser): keep the end", True),
        ("Fixed #123 -- Made it hold.", True),
        ("bugfix: keep the end", True),
        ("Avoid a crash at the end", True),
        ("Keep the end\n\nCloses #12", True),
        ("Keep the end\n\nFixes: 1a2b3c4 (\"Cut the end\")", True),
        ("Keep the end\n\nThis prefix fixes nothing.", False),
        ("Add a prefix", False),
        ("Revert \"Fix a crash\"", False),
        ("", False),
    ],
)  # fmt: skip
def test_a_message_says_that_it_mends(message: str, expected: bool) -> None:
    assert says_fix(message) is expected


def test_merges_bulk_changes_new_files_and_tests_are_no_fixes(small: Builder) -> None:
    expected = [small.resolve(f"HEAD~{back}") for back in range(4)]
    main = small.head()
    small.write("tests/test_field.py", "x = 1\n").commit("Fix a test")
    small.write("readme.md", "x").commit("Fix the page")
    for number in range(30):
        small.write(f"docs/{number}.txt", "x")
    small.write("farm/well.py", "x = 1\n").commit("Fix everywhere")
    for number in range(6):
        small.write(f"farm/more{number}.py", "x = 1\n")
    small.commit("Fix six at once")
    small.write("farm/well.py", "x = 2\n").commit("Fix both", parents=[small.head(), main])
    assert fixes_of(small) == expected
    assert len(fixes_of(small, tests=True)) == 5


def test_the_newest_are_taken_and_none_before_a_date(small: Builder) -> None:
    late = small.write("farm/well.py", "x = 2\n").commit("Fix the well", date=EPOCH + 9**9)
    assert fixes_of(small, last=2) == [late, small.resolve("HEAD~1")]
    assert fixes_of(small, since=EPOCH + 9**9) == [late]
    assert fixes_of(small, since=EPOCH + 9**9 + 1) == []


def test_where_few_say_that_they_mend_what_says_why_counts_too(
    small: Builder, open_workspace: Opened
) -> None:
    fixes = fixes_of(small)
    small.write("farm/well.py", "x = 2\n").commit("Deepen the well")
    assert fixes_of(small) == fixes
    why = "\n\nIn summer it ran dry, because the rope did not reach the water any more."
    changes = []
    for number in range(30):
        name = NAMES[number % 3]
        small.write(f"farm/{name}.py", f"def use_{name}():\n    return {number}\n")
        changes.append(small.commit(f"Deepen {name} by {number}{why}"))
    small.write("farm/well.py", "x = 4\n").commit(f'Revert "Deepen it"{why}')
    assert fixes_of(small) == [*reversed(changes), *fixes]
    found = evaluate(open_workspace(small), Replay())
    assert (found.fixes, found.widened) == (34, True)
    plan = plan_for(open_workspace(small))
    assert plan is not None
    assert reading_plan.sentence(plan).endswith("of 34 past changes here.")
    grow(small, 30)
    found = evaluate(open_workspace(small), Replay())
    assert (found.fixes, found.widened) == (34, False)


def test_the_files_that_were_changed_are_found_and_counted(
    small: Builder, open_workspace: Opened
) -> None:
    workspace = open_workspace(small)
    found = evaluate(workspace, Replay())
    assert (found.examined, found.fixes, found.cases, found.replayed) == (5, 4, 4, 4)
    assert {one.name: one.value for one in found.measures}["hit@1"] == 1.0
    assert sum(one.count for one in found.bins) == 4
    assert (found.named, found.plan, plan_for(workspace)) == (0, None, None)
    cases = kept(workspace).values()
    assert [(one.gold, one.places, len(one.sure)) for one in cases] == [(1, (1,), 4)] * 4


def test_nothing_of_a_fix_or_later_takes_part(small: Builder, open_workspace: Opened) -> None:
    small.write("farm/mill.py", "# the zeppelin lands here\n" * 9).commit("Greet the zeppelin")
    said = "def zeppelin():  # the zeppelin, a zeppelin\n    return zeppelin\n"
    fix = small.write("farm/well.py", said * 9).commit("Fix the zeppelin")
    small.branch("then")
    evaluate(open_workspace(small), Replay(last=1))
    case = kept(open_workspace(small))[fix]
    assert case.places[0] > 1
    small.write("farm/mill.py", "").write("farm/well.py", "# zeppelin zeppelin\n" * 9)
    small.commit("Fix the zeppelin for good, and where the zeppelin lands")
    assert evaluate(open_workspace(small), Replay(last=2, fresh=True)).replayed == 2
    assert kept(open_workspace(small))[fix] == case


def test_a_new_file_is_not_to_be_found(small: Builder, open_workspace: Opened) -> None:
    fix = small.write("farm/new.py", "x = 1\n").commit("Fix the lack of one")
    found = evaluate(open_workspace(small), Replay())
    assert (found.fixes, found.cases) == (5, 4)
    assert kept(open_workspace(small))[fix].gold == 0
    assert evaluate(open_workspace(small), Replay()).replayed == 0


def test_a_replay_that_was_killed_goes_on(small: Builder, open_workspace: Opened) -> None:
    workspace = open_workspace(small)
    whole = evaluate(workspace, Replay())
    path = workspace.place.local / "calibration" / "cases.jsonl"
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(lines[0] + b"\n" + lines[1] + b"\n" + lines[2][:40])
    resumed = evaluate(workspace, Replay())
    assert resumed == replace(whole, replayed=2)
    assert sorted(path.read_bytes().split(b"\n")) == sorted(lines)
    assert evaluate(workspace, Replay(fresh=True)) == whole


def test_what_another_engine_ranked_is_not_used(small: Builder, open_workspace: Opened) -> None:
    workspace = open_workspace(small)
    evaluate(workspace, Replay())
    path = workspace.place.local / "calibration" / "cases.jsonl"
    path.write_bytes(path.read_bytes().replace(engine().encode(), b"0" * 16))
    assert evaluate(workspace, Replay()).replayed == 4
    assert b"0" * 16 not in path.read_bytes()


def test_only_one_replays_at_a_time(small: Builder, open_workspace: Opened) -> None:
    workspace = open_workspace(small)
    with Cases(workspace).opened(), pytest.raises(LockedError):
        evaluate(workspace, Replay())


def asked(workspace: Workspace, **more: object) -> Located:
    return locate(workspace, Wanted("use_barn loses grains", **more))  # type: ignore[arg-type]


def test_enough_cases_calibrate_the_answers_of_locate(big: Builder, open_workspace: Opened) -> None:
    workspace = open_workspace(big)
    before = asked(workspace)
    assert (before.plan, before.calibration) == (None, Calibrated.NO)
    assert evaluate(workspace, Replay(tests=True)).plan is None
    assert calibration_of(workspace) == (Calibrated.NO, None)
    found = evaluate(workspace, Replay())
    assert found.plan is not None
    assert (found.plan.cases, found.plan.held, found.plan.files) == (32, (32,) * 10, 1)
    after = asked(workspace)
    assert after.plan == found.plan
    assert [one.path for one in after.files] == [one.path for one in before.files]
    assert after.files[0].confidence > before.files[0].confidence
    assert after.files[1].confidence < before.files[1].confidence
    side = predicted(workspace, "use_barn loses grains", UNMASKED).files
    assert [one.confidence for one in side] == [
        round(one.confidence, 2) for one in after.files if one.confidence >= LEAST_CONFIDENCE
    ]
    assert asked(workspace, tests=True).plan is None
    assert asked(workspace, under=("farm",)).plan is None


def test_a_plan_of_another_engine_is_said_and_not_used(
    big: Builder, open_workspace: Opened
) -> None:
    workspace = open_workspace(big)
    before = asked(workspace)
    reading_plan.save(workspace, ReadingPlan(40, tuple(range(20, 40, 2)), 0.5, 1.0), engine())
    path = workspace.place.local / "calibration" / "locate.json"
    whole = json.loads(path.read_bytes())
    path.write_text(json.dumps(whole | {"engine": "0" * 16}))
    stale = asked(workspace)
    assert (stale.plan, stale.calibration) == (None, Calibrated.STALE)
    assert stale.files == before.files
    damaged = ({"cases": 20}, {"held": [1]}, {"slope": -1}, {"offset": float("nan")}, {"held": 3})
    for change in damaged:
        path.write_text(json.dumps(whole | change))
        assert calibration_of(workspace) == (Calibrated.NO, None)
    path.write_bytes(b"\xff{")
    assert calibration_of(workspace) == (Calibrated.NO, None)


def test_where_history_is_withheld_nothing_is_replayed_or_told(
    small: Builder, open_workspace: Opened
) -> None:
    workspace = open_workspace(small)
    evaluate(workspace, Replay())
    reading_plan.save(workspace, ReadingPlan(40, tuple(range(20, 40, 2))), engine())
    assert plan_for(workspace) is not None
    said = Readership(rules=(PathRule("secret/**", Sensitivity.RESTRICTED),))
    Readerships(workspace.layout).set(workspace.repository_id, said)
    assert calibration_of(workspace) == (Calibrated.NO, None)
    with pytest.raises(RefusedError, match="not for whom"):
        evaluate(workspace, Replay())


def test_a_repository_without_a_commit_is_told_so(tmp_path: Path, open_workspace: Opened) -> None:
    with pytest.raises(UsageError, match="no commit"):
        evaluate(open_workspace(Builder.init(tmp_path / "new")), Replay())


def test_a_shallow_clone_replays_what_it_has(
    small: Builder, tmp_path: Path, open_workspace: Opened
) -> None:
    shallow = small.clone(tmp_path / "shallow", depth=3)
    found = evaluate(open_workspace(shallow), Replay())
    assert (found.fixes, found.cases) == (2, 2)
    assert "shallow" in [fact.limit for fact in found.horizon.facts]


def test_a_work_tree_is_not_looked_at(small: Builder, open_workspace: Opened) -> None:
    expected = evaluate(open_workspace(small), Replay())
    (small.path / "farm" / "barn.py").write_bytes(b"# use_field use_mill losing grains\n" * 99)
    assert evaluate(open_workspace(small), Replay(fresh=True)) == expected


def cases(held: int, missed: int, sure: float) -> list[Case]:
    return [
        Case(f"{number:040x}", 1, (1,) if number < held else (7,), (sure, 0.01), False)
        for number in range(held + missed)
    ]


def test_a_plan_says_how_far_to_read() -> None:
    plan = plan_of(cases(30, 10, 0.9))
    assert plan is not None
    assert (plan.held, plan.files) == ((30,) * 6 + (40,) * 4, 7)
    assert reading_plan.sentence(plan) == (
        "The first 7 files hold every changed file in 100 % of 40 past fixes here."
    )
    assert plan_of(cases(20, 9, 0.9)) is None


def test_a_curve_moves_towards_what_was_seen_and_keeps_the_order() -> None:
    for held, missed in ((20, 80), (30, 70), (99, 1)):
        plan = plan_of(cases(held, missed, 0.6))
        assert plan is not None
        share = held / (held + missed)
        assert abs(plan.corrected(0.6) - share) < abs(0.6 - share)
        ordered = [plan.corrected(one / 20) for one in range(21)]
        assert ordered == sorted(ordered)
        assert 0 <= ordered[0] <= ordered[-1] <= 1


def test_what_is_no_better_than_chance_corrects_nothing() -> None:
    plan = plan_of(cases(58, 42, 0.6))
    assert plan is not None
    assert (plan.slope, plan.offset, plan.corrects) == (1.0, 0.0, False)
    assert [plan.corrected(one / 10) for one in range(1, 10)] == pytest.approx(
        [one / 10 for one in range(1, 10)]
    )
    told = plan_of(cases(20, 80, 0.6))
    assert told is not None
    assert told.corrects
    half = HeldOut.of(cases(20, 80, 0.6))
    assert {sure for sure, _ in half.shipped} == {0.6}
    assert {right for _, right in half.own} == {True, False}
    assert half.gains
    assert not HeldOut.of(cases(2, 20, 0.6)).gains


def test_a_case_is_not_judged_by_a_curve_that_saw_it() -> None:
    mixed = [one for pair in zip(cases(20, 0, 0.6), cases(0, 20, 0.6), strict=True) for one in pair]
    own = HeldOut.of(mixed).own
    assert [round(sure) for sure, _ in own] == [0, 1] * 20
    assert not HeldOut.of(mixed).gains
