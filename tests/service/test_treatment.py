"""How commits and decisions stand, for whom, and by what: at HEAD, with its record."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from citator.git import touched
from citator.git.records import Repository
from citator.index.treatment_store import FILE
from citator.model.document import AdrStatus
from citator.model.evidence import ClaimState
from citator.model.horizon import HorizonFact, Limit
from citator.model.record import RelationType, Sensitivity
from citator.model.treatment import Standing, StandingReason, Treatment, Verdict
from citator.model.visibility import Audience
from citator.service.governing import Asked, governing
from citator.service.index_history import update
from citator.service.investigate import Question, investigate
from citator.service.record_view import view_of
from citator.service.treatment import LEG, Treatments, is_kept, treatments
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.trust.pins import Pins
from citator.trust.readership import PathRule, Readership, Readerships
from tests.service.test_record import ADA, Open, approved
from tests.support.approving import files, pin
from tests.support.builder import Builder
from tests.support.record import Ledger

INSIDERS = Audience(Sensitivity.RESTRICTED, unapproved=True)
WHY = "\n\nBecause the old way lost a third of the harvest every year."
NOW = "2026-05-01T00:00:00Z"


@pytest.fixture(autouse=True)
def pinned(places: Places) -> None:
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA))


def standing(workspace: Workspace, item: str, audience: Audience = INSIDERS) -> Verdict:
    view = view_of(workspace, audience)
    assert view is not None
    with treatments(workspace, audience, NOW, view=view, patience=None) as treated:
        found = treated.decision(item)
    view.partition.close()
    return found


def of(workspace: Workspace, name: str) -> list[tuple[Treatment, str]]:
    view = view_of(workspace, INSIDERS)
    with treatments(workspace, INSIDERS, NOW, view=view, patience=None) as treated:
        found = [(one.treatment, one.by) for one in treated.of(name)]
    if view is not None:
        view.partition.close()
    return found


def test_an_answer_says_how_what_it_cites_stands(history: Builder, open_workspace: Open) -> None:
    history.write("mill.py", "grind()\n")
    added = history.commit(f"Grind wheat in a mill (#21){WHY}")
    reverted = history.remove("mill.py").commit(f"Revert #21{WHY.replace('harvest', 'flour')}")
    update(open_workspace(history))
    found = investigate(open_workspace(history), Question("why grind wheat in a mill?")).answer
    evidence = {one.object_id: one for one in found.evidence}
    assert (evidence[added].standing, evidence[added].standing_reason) == (
        Standing.NOT_IN_FORCE,
        StandingReason.REVERTED,
    )
    assert (evidence[added].standing_by, evidence[added].claim_state) == (
        reverted,
        ClaimState.STALE,
    )
    history.write("lib/mill.py", "elsewhere()\n").commit("Move it")
    update(open_workspace(history))
    found = investigate(open_workspace(history), Question("why grind wheat in a mill?")).answer
    states = {one.object_id: one.claim_state for one in found.evidence}
    assert states[added] is ClaimState.STALE  # another lies there, of the same name


def test_a_page_rules_nothing_and_a_decision_record_stands_as_it_says(
    history: Builder, open_workspace: Open
) -> None:
    with treatments(open_workspace(history)) as treated:
        assert treated.stated("b" * 40, None).reason is StandingReason.NO_RULING
        assert treated.stated("b" * 40, AdrStatus.ACCEPTED).standing is Standing.IN_FORCE
        assert treated.stated("b" * 40, AdrStatus.SUPERSEDED).standing is Standing.NOT_IN_FORCE


def test_records_that_are_pages_treat_each_other_once_they_are_accepted(
    history: Builder, open_workspace: Open
) -> None:
    def page(number: int, status: str, more: str = "") -> None:
        text = f"# {number}. Decide\n\n## Status\n\n{status}\n{more}\n## Decision\n\nYes.\n"
        history.write(f"docs/adr/{number:04}-decide.md", text)

    def blob(number: int) -> str:
        return history.git("rev-parse", f"HEAD:docs/adr/{number:04}-decide.md").decode().strip()

    page(5, "Accepted")
    page(6, "Proposed", "\nSupersedes: [5](0005-decide.md)\n")
    history.commit("Propose")
    for status, standing_ in (("Proposed", "in_force"), ("Accepted", "not_in_force")):
        page(6, status, "\nSupersedes: [5](0005-decide.md)\n")
        history.commit("Decide")
        with treatments(open_workspace(history), patience=None) as treated:
            found = treated.stated(blob(5), AdrStatus.ACCEPTED)
            assert found.standing.value == standing_
    assert (found.reason, found.by) == (StandingReason.SUPERSEDED, "docs/adr/0006-decide.md")
    page(5, "Superseded by [6](0006-decide.md)")
    history.commit("Say so")
    with treatments(open_workspace(history), patience=None) as treated:
        assert treated.stated(blob(5), AdrStatus.SUPERSEDED) == Verdict(
            Standing.NOT_IN_FORCE, StandingReason.SUPERSEDED, "docs/adr/0006-decide.md"
        )


def test_what_only_the_protected_branch_ended_is_to_be_used_with_caution(
    history: Builder, open_workspace: Open
) -> None:
    history.write("mill.py", "grind()\n")
    added = history.commit("Grind wheat")
    history.branch("feature")
    ended = history.remove("mill.py").commit(f"Revert it\n\nThis reverts commit {added}.")
    history.switch("feature")
    with treatments(open_workspace(history), patience=None) as treated:
        assert treated.verdict(added) == Verdict(
            Standing.CAUTION, StandingReason.TREATED_ON_PROTECTED_BRANCH, ended
        )
        assert treated.of(added) == ()


def test_a_commit_that_expires_does_at_the_time_that_is_given(
    history: Builder, open_workspace: Open
) -> None:
    commit = history.commit("Allow it for a while\n\nBecause.\n\nExpires: 2025-01-01")
    for now, reason in ((None, "untreated"), ("2024-12-31", "untreated"), (NOW, "expired")):
        with treatments(open_workspace(history), now=now, patience=None) as treated:
            assert treated.verdict(commit).reason.value == reason


def test_a_decision_stands_as_the_record_says(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    old, new = made.decide("Keep sessions in files"), made.decide("Keep sessions in SQLite")
    made.add({"op": "add_relation", "source": new, "type": "supersedes", "target": old})
    approved(history, made)
    workspace = open_workspace(history)
    assert standing(workspace, new).reason is StandingReason.APPROVED
    assert standing(workspace, old) == Verdict(
        Standing.NOT_IN_FORCE, StandingReason.SUPERSEDED, new
    )
    assert of(workspace, old) == [(Treatment.SUPERSEDES, new)]


def test_a_contradiction_questions_and_an_exception_limits(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    one, other, third = (made.decide(f"Decide {name}") for name in ("bread", "milk", "eggs"))
    for source, kind, target in (
        (other, RelationType.CONTRADICTS, one),
        (third, RelationType.EXCEPTION_TO, other),
    ):
        made.add({"op": "add_relation", "source": source, "type": kind.value, "target": target})
    approved(history, made)
    workspace = open_workspace(history)
    assert standing(workspace, one) == Verdict(Standing.CAUTION, StandingReason.QUESTIONED, other)
    assert standing(workspace, other).reason is StandingReason.LIMITED


def test_a_proposal_and_a_commit_end_no_decision(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    item, other = made.decide("Keep sessions in SQLite"), made.decide("Keep sessions in a server")
    relation = {"op": "add_relation", "source": other, "type": "supersedes", "target": item}
    waiting = made.make(relation)
    approved(history, made)
    for one in files(proposals=[waiting]):
        if one.content is not None and one.path.startswith("proposals/"):
            history.write(f".citator/{one.path}", one.content)
    commit = history.commit(f"Move sessions\n\nBecause.\n\nSupersedes: {item}")
    workspace = open_workspace(history)
    assert standing(workspace, item).reason is StandingReason.APPROVED
    assert {(Treatment.SUPERSEDES, commit), (Treatment.SUPERSEDES, waiting.id)} <= set(
        of(workspace, item)
    )
    doubted = history.commit(f"Measure it\n\nBecause.\n\nPremise-Invalidated: {item}")
    assert standing(open_workspace(history), item) == Verdict(
        Standing.CAUTION, StandingReason.QUESTIONED, doubted
    )


def test_a_premise_that_no_longer_holds_is_cited(history: Builder, open_workspace: Open) -> None:
    history.write("pyproject.toml", 'dependencies = ["requests >= 2.31"]\n').commit("Depend")
    made = Ledger()
    item = made.decide(
        "Vendor the retry code",
        body="It is small.\n\n- Premise: dependency requests < 3\n- Premise: what people like\n",
    )
    approved(history, made)
    assert standing(open_workspace(history), item).reason is StandingReason.APPROVED
    changed = history.write("pyproject.toml", 'dependencies = ["requests >= 3.1"]\n').commit("Up")
    history.write("other.txt", "x").commit("Other")
    for _ in range(2):
        assert standing(open_workspace(history), item) == Verdict(
            Standing.CAUTION, StandingReason.PREMISE_BROKEN, changed
        )


def test_what_a_decision_governs_is_gone_with_the_commit_that_took_it(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    item = made.decide("Queue deliveries", paths=["mill/**"])
    approved(history, made)
    assert standing(open_workspace(history), item).reason is StandingReason.APPROVED
    history.write("mill/a.py", "x\n").commit("Build it")
    gone = history.remove("mill/a.py").commit("Tear it down")
    assert standing(open_workspace(history), item) == Verdict(
        Standing.CAUTION, StandingReason.ORPHANED, gone
    )
    assert of(open_workspace(history), item) == [(Treatment.ORPHANED, gone)]


def test_governing_says_how_decisions_stand(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    made.decide("Keep sessions in SQLite", paths=["src/session/**"])
    approved(history, made)
    (one,) = governing(open_workspace(history), INSIDERS, Asked("sessions sqlite")).decisions
    assert (one.standing, one.standing_reason) == (Standing.IN_FORCE, StandingReason.APPROVED)


def test_hidden_commits_are_in_no_treatment(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    history.write("mill.py", "grind()\n")
    added = history.commit("Grind wheat")
    hidden = (
        history.remove("mill.py")
        .write("secret/why.md", "words\n")
        .commit(f"Revert it\n\nThis reverts commit {added}.")
    )
    workspace = open_workspace(history)
    everyone = Audience()
    with treatments(workspace, everyone, patience=None) as treated:
        assert treated.verdict(added).by == hidden
    rules = Readership(rules=(PathRule("secret/**", Sensitivity.RESTRICTED),))
    Readerships(Layout(places.data)).set(workspace.repository_id, rules)
    with treatments(workspace, everyone) as treated:
        assert treated.of(added) == ()
        assert treated.verdict(added).reason is StandingReason.UNTREATED
        assert treated.verdict(hidden).reason is StandingReason.NOT_IN_HISTORY
        assert treated.reverts() == ()
    with treatments(workspace, INSIDERS) as treated:
        assert treated.verdict(added).by == hidden
    history.remove("secret/why.md").commit("Say it no more")
    for audience, stale in ((INSIDERS, True), (everyone, False), (INSIDERS, True)):
        with treatments(open_workspace(history), audience) as treated:
            treated.look_at_files({hidden: ["secret/why.md"]})
            assert treated.files_gone(hidden) is stale


def test_what_may_be_shown_is_asked_once_for_all_that_treats_a_commit(
    history: Builder, open_workspace: Open, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = history.write("mill.py", "grind()\n").commit("Grind wheat")
    others = []
    for turn in range(6):
        cited = f"Add {turn}\n\nBecause of {first}."
        others.append(history.write(f"{turn}.txt", "x").commit(cited))
        history.write(f"{turn}.md", "y").commit(f"More {turn}\n\nFollows {others[-1]}.")
    workspace = open_workspace(history)
    rules = Readership(rules=(PathRule("secret/**", Sensitivity.RESTRICTED),))
    Readerships(Layout(places.data)).set(workspace.repository_id, rules)
    asked = 0

    def counted(repo: Repository, listing: bytes) -> Iterator[tuple[str, ...] | None]:
        nonlocal asked
        asked += 1
        yield from touched.touched(repo, listing)

    with treatments(workspace, Audience(), patience=None) as treated:
        monkeypatch.setattr("citator.service.treatment.touched", SimpleNamespace(touched=counted))
        assert {one.by for one in treated.counting(first)} == set(others)
        assert treated.verdict(first).reason is StandingReason.UNTREATED
        assert treated.verdict(others[0]).standing is Standing.IN_FORCE
    assert asked == 1


def test_nothing_is_in_force_where_history_was_not_read(
    history: Builder, open_workspace: Open
) -> None:
    with treatments(open_workspace(history)) as treated:
        assert treated.verdict(history.head()) == Verdict(
            Standing.UNASSESSED, StandingReason.NOT_READ
        )
    assert Treatments(None, None).of("x") == ()


def test_a_store_of_another_version_is_filled_with_the_next_question(
    history: Builder, open_workspace: Open
) -> None:
    workspace = open_workspace(history)
    update(workspace)
    assert is_kept(workspace)
    (workspace.place.derived / FILE).write_bytes(b"another version")
    assert not is_kept(workspace)
    assert not update(workspace).built
    assert is_kept(workspace)
    with treatments(workspace) as treated:
        assert treated.verdict(history.head()).reason is StandingReason.UNTREATED


def test_an_answer_says_where_treatments_were_not_read(
    history: Builder, open_workspace: Open
) -> None:
    question = Question("why does a queue keep deliveries?")
    off = HorizonFact(Limit.LEG_OFF, None, LEG)
    update(open_workspace(history))
    assert off not in investigate(open_workspace(history), question).answer.horizon.facts
    (open_workspace(history).place.derived / FILE).unlink()
    found = investigate(open_workspace(history), question).answer
    assert found.evidence
    assert off in found.horizon.facts
    assert {one.standing_reason for one in found.evidence if one.adr_status is None} == {
        StandingReason.NOT_READ
    }
