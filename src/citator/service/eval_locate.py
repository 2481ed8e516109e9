"""Replays the past fixes of a repository: does what a fix says lead to the files it changed.

- Which commits count: :mod:`citator.service.past_fixes`. The message of the fix is the issue; the
  files are those of its parent, and the past is what its parent had: nothing later takes part.
- A changed file counts where it was there before, as a source file that is no test (with
  ``tests``, tests too). Only what has such a file is a case.
- Nothing is checked out: trees and blobs are read from git, facts are kept by blob as always.
- A case that was ranked by the same engine is not ranked again, whatever HEAD is now: its answer
  depends on nothing else. So a replay that was killed goes on, and a later one costs what is new.
- The calibration is written at the end, from enough cases, and only without ``tests``: that is how
  people ask.
- Refused where part of the history is not for whom the operator granted: counts would tell of it.
- Messages are written by who knows the answer: expect less of issues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from citator.index.code.building import CodeIndex
from citator.index.code.words import Words
from citator.locate.fusion import Model, shipped
from citator.locate.issue import read_issue
from citator.locate.protocol import Scene
from citator.locate.rank import rank
from citator.model import stop
from citator.model.errors import RefusedError, UsageError
from citator.model.horizon import Horizon
from citator.service import outcomes, reading_plan
from citator.service.horizon import horizon_of
from citator.service.measures import Bin, Measure, Placed, curve, expected_error, measured
from citator.service.past_fixes import Fix, past_fixes
from citator.service.readership import mask_of
from citator.service.reading_plan import ReadingPlan, plan_of
from citator.service.replayed_cases import TOP, Case, Cases, engine
from citator.service.workspace import Workspace

_RANKED = 100

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Replay:
    """What is asked: the newest ``last`` fixes, committed at ``since`` (Unix seconds) or later;
    whether tests may be answers; whether what was replayed before is done again."""

    last: int = 100
    since: int = 0
    tests: bool = False
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a replay found.

    ``examined`` commits were looked at for ``fixes``; of these ``cases`` had a file to find,
    ``replayed`` of them now; ``named``: how many messages name a file they changed. ``widened``:
    not all say that they mend something, because too few do. ``bins``: the confidence of the first
    file against whether it was changed, ``error`` their mean distance.
    ``plan`` is what is kept, None where cases are too few (or tests were answers).
    """

    examined: int
    fixes: int
    cases: int
    replayed: int
    named: int
    widened: bool
    measures: tuple[Measure, ...]
    bins: tuple[Bin, ...]
    error: float
    plan: ReadingPlan | None
    horizon: Horizon


def evaluate(workspace: Workspace, asked: Replay, progress: Progress | None = None) -> Evaluation:
    """Replay past fixes, and keep the calibration. Raises RefusedError, LockedError, StorageError,
    GitRefusedError, UsageError where there is no commit."""
    head = workspace.head.commit
    if head is None:
        raise UsageError("no_commit", "there is no commit here yet", "run it when there are fixes")
    if mask_of(workspace).hides:
        raise RefusedError(
            "history_withheld",
            "part of the history here is not for whom the operator granted",
            "raise the audience for the replay: citator trust audience",
        )
    found = past_fixes(workspace.repository, head, asked.last, asked.since, tests=asked.tests)
    cases = Cases(workspace)
    ranked_by = engine(tests=asked.tests)
    with cases.opened():
        if asked.fresh:
            cases.forget(ranked_by)
        known = cases.read(ranked_by)
        missing = [one for one in found.fixes if one.commit not in known]
        for number, case in enumerate(_replayed(workspace, head, missing, asked.tests), 1):
            cases.add(ranked_by, case)
            known[case.commit] = case
            if progress is not None:
                progress(number, len(missing))
        if missing:
            cases.keep_only([ranked_by, engine(tests=not asked.tests)])
        wanted = [known[one.commit] for one in found.fixes if known[one.commit].gold]
        tickets = () if asked.tests else outcomes.cases(workspace)
        plan = None if asked.tests else plan_of(wanted, widened=found.widened, tickets=tickets)
        if plan is not None:
            reading_plan.save(workspace, plan, ranked_by)
    placed = [_placed(one) for one in wanted]
    bins = curve([one.confidence for one in placed], [bool(one.hit(1)) for one in placed])
    return Evaluation(
        examined=found.examined,
        fixes=len(found.fixes),
        cases=len(wanted),
        replayed=len(missing),
        named=sum(one.named for one in wanted),
        widened=found.widened,
        measures=measured(placed),
        bins=bins,
        error=expected_error(bins),
        plan=plan,
        horizon=horizon_of(workspace, None, ()),
    )


def _placed(case: Case) -> Placed:
    return Placed(case.commit, "", case.places, case.gold, case.sure[0] if case.sure else 0.0)


def _replayed(workspace: Workspace, head: str, fixes: Sequence[Fix], tests: bool) -> Iterator[Case]:
    """A case for each fix; one without a file to find has no gold."""
    if not fixes:
        return
    words, model = Words(), shipped()
    trees_alone = replace(workspace.repository, worktree=None)
    with CodeIndex(trees_alone, workspace.place.derived / "code", words, keep=False) as index:
        index.past([[]], head)  # reads the whole history once, in one piece
        for fix in fixes:
            stop.checkpoint()
            yield _case(index, fix, words, model, tests)


def _case(index: CodeIndex, fix: Fix, words: Words, model: Model, tests: bool) -> Case:
    parts = index.parts(fix.parent)
    groups = [group for group in parts.groups(tests=tests) if group]
    there = {one.path for one in parts.source}
    gold = [path for path in fix.changed if path in there]
    if not gold:
        return Case(fix.commit, 0, (), (), False)
    pasts = index.past(groups, fix.parent)
    scenes = tuple(
        Scene(index.snapshot(group), past) for group, past in zip(groups, pasts, strict=True)
    )
    ranked = rank(read_issue(fix.message, words), scenes, model, _RANKED)
    paths = [scenes[one.scene].code.paths[one.file] for one in ranked]
    return Case(
        commit=fix.commit,
        gold=len(gold),
        places=tuple(number for number, path in enumerate(paths, 1) if path in gold),
        sure=tuple(round(one.confidence, 4) for one in ranked[:TOP]),
        named=any(path.rpartition("/")[2] in fix.message for path in gold),
    )
