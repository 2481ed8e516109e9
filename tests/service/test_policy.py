"""What a source is worth comes from the pack that names it, and from nothing else."""

from __future__ import annotations

import calendar
import copy
from pathlib import Path
from typing import Any

import pytest

from citator.index.protocol import Row
from citator.model.domain import Authority, Domain, Gap, GapKind
from citator.model.evidence import ClaimState
from citator.model.reference import DocumentKind, Ref
from citator.service.doctor import examine
from citator.service.evidence import evidence_of
from citator.service.index_history import update
from citator.service.investigate import Question, investigate
from citator.service.policy import policy_for
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from tests.support.builder import Builder
from tests.support.packs import ALL_INTENTS, LAW, MOMENT, Offer, with_root

TASK = "why did we choose the queue"
DAY = 86_400
NOW = calendar.timegm((2027, 3, 1, 12, 0, 0))


def own(**source: Any) -> dict[str, Any]:
    """A pack about this project's pages."""
    pack = copy.deepcopy(LAW)
    pack["domains"] = ["project_memory"]
    pack["envelope"] = {"hosts": [], "paths": ["docs/", "README.md"]}
    adr = {
        "id": "adr",
        "kind": "documents",
        "authority": "official",
        "fresh_days": 100,
        "expires_days": 200,
        "domains": ["project_memory"],
        "intents": ALL_INTENTS,
        "locators": ["docs/adr/"],
    }
    pack["sources"] = [{**adr, **source}]
    return pack


def row(path: str = "docs/adr/1.md", age: int | None = 10, **parts: Any) -> Row:
    authored = None if age is None else NOW - age * DAY
    ref = Ref(f"markdown:v1:{'a' * 64}")
    fields: dict[str, Any] = {"kind": DocumentKind.MARKDOWN, "authored_at": authored, **parts}
    return Row(0, 0, ref, fields.pop("kind"), "b" * 40, path, 1, 2, "s", "t", **fields)


def said(layout: Layout, given: Row, task: str = TASK) -> tuple[str, ClaimState]:
    found = evidence_of(given, (), None, policy_for(layout, task, MOMENT))
    return found.authority, found.claim_state


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return with_root(tmp_path / "data")


def test_a_page_that_a_source_names_has_its_authority_and_is_fresh_for_its_days(
    layout: Layout,
) -> None:
    nobody = (Authority.NOT_ASSESSED.value, ClaimState.UNKNOWN)
    assert said(layout, row()) == nobody
    Offer(own()).kept(layout)
    states = [said(layout, row(age=age)) for age in (0, 100, 101, 200, 201, -1, None)]
    supported, stale, expired, unknown = ClaimState
    assert [one for one, _ in states] == ["official"] * 7
    assert [one for _, one in states] == [
        supported,
        supported,
        stale,
        stale,
        expired,
        unknown,
        unknown,
    ]
    for other in (row("docs/adr.md"), row("src/docs/adr/1.md"), row(kind=DocumentKind.COMMIT)):
        assert said(layout, other) == nobody
    assert said(layout, row(), "reverse a linked list in python") == nobody


def test_of_days_and_history_the_graver_counts(layout: Layout) -> None:
    Offer(own()).kept(layout)
    policy = policy_for(layout, TASK, MOMENT)
    source = policy.source_of(row())
    assert source is not None
    supported, stale, expired, unknown = ClaimState
    for told, after in (
        (unknown, [supported, stale, expired]),
        (stale, [stale, stale, expired]),
        (expired, [expired, expired, expired]),
    ):
        assert [policy.state(source, row(age=age), told) for age in (10, 150, 300)] == after


def test_the_longest_name_speaks(layout: Layout) -> None:
    pack = own()
    whole = {**pack["sources"][0], "id": "docs", "authority": "contextual", "locators": ["docs/"]}
    pack["sources"] = [whole, *pack["sources"]]
    Offer(pack).kept(layout)
    assert said(layout, row())[0] == "official"
    assert said(layout, row("docs/guide.md"))[0] == "contextual"


def test_a_source_of_commits_speaks_of_commits_alone(layout: Layout) -> None:
    Offer(own(kind="commits", authority="primary", locators=[], expires_days=None)).kept(layout)
    commit = row(kind=DocumentKind.COMMIT, age=101)
    assert said(layout, commit) == ("primary", ClaimState.STALE)
    assert said(layout, row()) == (Authority.NOT_ASSESSED.value, ClaimState.UNKNOWN)


def test_a_domain_whose_pack_names_no_source_for_the_intent_says_so(layout: Layout) -> None:
    law = copy.deepcopy(LAW)
    law["sources"][0]["intents"] = ["choose"]
    Offer(law).kept(layout)
    (gap,) = policy_for(layout, "Why is a notarized lease required?", MOMENT).applied.gaps
    assert (gap.kind, gap.of) == (GapKind.NO_SOURCE, "law")
    assert policy_for(layout, "Should I sue my landlord?", MOMENT).applied.gaps == ()


def test_without_a_moment_no_pack_counts_and_none_is_missed(layout: Layout) -> None:
    Offer(own()).kept(layout)
    found = policy_for(layout, TASK, None)
    assert found.applied.task.domain is Domain.PROJECT_MEMORY
    assert (found.applied.sources, found.applied.gaps, found.sources) == ((), (), ())


def test_the_doctor_says_what_counts_and_until_when(layout: Layout) -> None:
    places = Places(layout.data, layout.data)

    def told(now: str) -> list[tuple[bool, str, str]]:
        checks = examine(layout.data, places, now=now)
        return [(one.ok, one.detail, one.todo) for one in checks if one.name == "policy"]

    Offer(own(), expires_at="2027-04-01T00:00:00Z").kept(layout)
    core = (True, "citator.core counts until 2031-11-30", "")
    soon = "acme.law counts until 2027-04-01, in 30 days: ask whoever signed it for the next one"
    assert told(MOMENT) == [core, (True, soon, "")]
    gone = "the policy pack acme.law expired, and counts no more"
    assert told("2027-04-02T00:00:00Z") == [core, (False, gone, "citator policy list")]
    _, (ok, late, todo) = sorted(told("2031-12-01T00:00:00Z"))
    assert (ok, todo) == (False, "upgrade citator")
    assert late == "the policy pack citator.core expired, and counts no more"


def test_evidence_is_the_same_before_and_after_all_policy_has_ended(
    history: Builder, places: Places
) -> None:
    workspace = Workspace.open(history.path, places)
    update(workspace)
    task = "why was the manifest cache removed"
    found = {
        year: investigate(workspace, Question(task, now=f"{year}-12-01T00:00:00Z"))
        for year in (2026, 2031, 2036)
    }
    evidence = {year: one.answer.evidence for year, one in found.items()}
    assert evidence[2026]
    assert evidence[2026] == evidence[2031] == evidence[2036]
    gaps = {year: one.policy.gaps for year, one in found.items() if one.policy is not None}
    gone = (Gap(GapKind.NO_POLICY, "project_memory"), Gap(GapKind.EXPIRED, "citator.core"))
    assert gaps == {2026: (), 2031: gone, 2036: gone}


def test_another_domain_of_the_task_is_named_only_where_the_project_is_silent(
    history: Builder, places: Places
) -> None:
    workspace = Workspace.open(history.path, places)
    update(workspace)
    now = "2026-12-01T00:00:00Z"
    silent = investigate(workspace, Question("is our zither logging GDPR compliant", now=now))
    assert silent.answer.abstained is not None
    assert silent.policy is not None
    assert silent.policy.task.domain is Domain.PROJECT_MEMORY
    assert silent.policy.gaps == (Gap(GapKind.NO_POLICY, "law"),)
    policy = policy_for(workspace.layout, "is our zither logging GDPR compliant", now)
    assert policy.told(silent=False).gaps == ()
    assert policy.told(silent=True) == silent.policy
