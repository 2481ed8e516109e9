"""What a commit, a page or a decision names: what became of it, and what that makes of a claim."""

from __future__ import annotations

import pytest

from citator.mcp.answers import decision_row
from citator.model.evidence import ClaimState
from citator.model.record import Sensitivity
from citator.model.treatment import DriftState, Standing, StandingReason, SymbolDrift, Treatment
from citator.model.visibility import Audience
from citator.service.governing import Asked, governing
from citator.service.index_history import update
from citator.service.investigate import Question, investigate
from citator.service.treatment_history import history_of
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.trust.pins import Pins
from citator.trust.readership import PathRule, Readership, Readerships
from tests.service.test_record import ADA, Open, approved
from tests.support.approving import pin
from tests.support.builder import Builder
from tests.support.record import Ledger

INSIDERS = Audience(Sensitivity.RESTRICTED)
MILL = "def grind(wheat):\n    return wheat\n\n\ndef sift(flour):\n    return flour\n"
WHY = "\n\nBecause `grind` and `sift` lost a third of the harvest every year, and `awk` did too."


@pytest.fixture(autouse=True)
def pinned(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citator.service.spoken_since.QUICK_SECONDS", 30.0)  # however busy it is
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA))


def claim_of(workspace: Workspace, commit: str) -> ClaimState:
    found = investigate(workspace, Question("why grind wheat in a mill?")).answer
    (state,) = [one.claim_state for one in found.evidence if one.object_id == commit]
    assert {one.standing for one in found.evidence if one.object_id == commit} == {
        Standing.IN_FORCE
    }
    return state


def test_a_claim_is_stale_once_what_it_names_was_seen_to_change(
    history: Builder, open_workspace: Open
) -> None:
    added = history.write("mill.py", MILL).commit(f"Grind wheat in a mill{WHY}")
    update(open_workspace(history))
    found = history_of(open_workspace(history), added)
    assert found.symbols == (
        SymbolDrift("grind", DriftState.HOLDS, "mill.py"),
        SymbolDrift("sift", DriftState.HOLDS, "mill.py"),
        SymbolDrift("awk", DriftState.NOT_OBSERVED, why="not_defined"),
    )
    assert found.claim_state is ClaimState.UNKNOWN
    assert claim_of(open_workspace(history), added) is ClaimState.UNKNOWN
    changed = history.write("mill.py", MILL.replace("return wheat", "return 0")).commit("Stop")
    update(open_workspace(history))
    assert claim_of(open_workspace(history), added) is ClaimState.STALE
    found = history_of(open_workspace(history), added)
    assert found.symbols[0] == SymbolDrift("grind", DriftState.CHANGED, "mill.py", changed)
    assert (found.claim_state, found.verdict.standing) == (ClaimState.STALE, Standing.IN_FORCE)
    assert claim_of(open_workspace(history), added) is ClaimState.STALE


def test_an_answer_looks_itself_at_what_is_named_in_other_files(
    history: Builder, open_workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.write("mill.py", MILL).write("requirements.txt", "numpy >= 2\n").commit("Build")
    named = "Grind wheat in a mill\n\nBecause `grind` lost a third of the harvest, as `numpy` said."
    added = history.write("notes.txt", "grind\n").commit(named)
    update(open_workspace(history))
    assert claim_of(open_workspace(history), added) is ClaimState.UNKNOWN
    history.write("other.py", "x = 1\n").write("requirements.txt", "numpy >= 3\n").commit("Raise")
    update(open_workspace(history))
    with monkeypatch.context() as patched:
        patched.setattr("citator.service.watched.MOST_LOOKS", 0)
        assert claim_of(open_workspace(history), added) is ClaimState.UNKNOWN  # nobody looked
    assert claim_of(open_workspace(history), added) is ClaimState.STALE
    history.write("requirements.txt", "numpy >= 2\n").remove("mill.py")
    history.write("lib/mill.py", MILL).commit("Move it")
    update(open_workspace(history))
    assert claim_of(open_workspace(history), added) is ClaimState.STALE
    monkeypatch.setattr("citator.service.watched.MOST_LOOKS", 0)
    assert claim_of(open_workspace(history), added) is ClaimState.STALE  # what was seen is kept


def test_what_a_commit_took_away_and_is_still_gone_is_not_stale(
    history: Builder, open_workspace: Open
) -> None:
    history.write("mill.py", MILL).commit("Build")
    removed = history.remove("mill.py").commit(f"Grind wheat in a mill no more{WHY}")
    update(open_workspace(history))
    assert claim_of(open_workspace(history), removed) is ClaimState.UNKNOWN
    assert history_of(open_workspace(history), removed).claim_state is ClaimState.UNKNOWN
    history.write("mill.py", MILL).commit("Back")
    update(open_workspace(history))
    assert claim_of(open_workspace(history), removed) is ClaimState.STALE


def test_a_governing_decision_says_that_what_it_names_has_changed(
    history: Builder, open_workspace: Open
) -> None:
    history.write("mill.py", MILL).commit("Build")
    made = Ledger()
    made.decide("Grind wheat", body="By `grind`.\n")
    approved(history, made)
    asked = Asked("grind wheat")
    update(open_workspace(history))
    (one,) = governing(open_workspace(history), INSIDERS, asked).decisions
    assert (one.standing, one.claim_state) == (Standing.IN_FORCE, ClaimState.UNKNOWN)
    history.write("mill.py", MILL.replace("return wheat", "return 0")).commit("Stop")
    update(open_workspace(history))
    (one,) = governing(open_workspace(history), INSIDERS, asked).decisions
    assert (one.standing, one.claim_state) == (Standing.IN_FORCE, ClaimState.STALE)
    assert decision_row(one)["claim_state"] == "stale"


def test_a_decision_speaks_of_the_tree_it_landed_in(history: Builder, open_workspace: Open) -> None:
    history.write("mill.py", MILL).write("requirements.txt", "numpy >= 2\n").commit("Build")
    made = Ledger()
    item = made.decide("Grind", body="By `grind`.\n\nPremise: dependency numpy\n")
    approved(history, made)
    changed = history.write("mill.py", MILL.replace("return wheat", "return 0")).commit("Stop")
    found = history_of(open_workspace(history), item)
    assert found.symbols == (
        SymbolDrift("numpy", DriftState.HOLDS, "requirements.txt", is_dependency=True),
        SymbolDrift("grind", DriftState.CHANGED, "mill.py", changed),
    )
    assert (found.verdict.standing, found.claim_state) == (Standing.IN_FORCE, ClaimState.STALE)


def test_what_the_audience_is_not_for_is_not_named(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    added = history.write("mill.py", MILL).commit(f"Grind wheat in a mill{WHY}")
    other = MILL.replace("return wheat", "return 0")
    hidden = history.write("mill.py", other).write("secret/a.md", "x").commit("Stop")
    workspace = open_workspace(history)
    assert history_of(workspace, added).symbols[0].by == hidden
    rules = Readership(rules=(PathRule("secret/**", Sensitivity.RESTRICTED),))
    Readerships(Layout(places.data)).set(workspace.repository_id, rules)
    found = history_of(workspace, added)
    assert (found.symbols[0].state, found.symbols[0].by) == (DriftState.CHANGED, None)
    assert (found.drift[0].state, found.drift[0].by) == (DriftState.CHANGED, None)


def test_a_page_is_asked_for_by_its_path_with_the_commits_that_cite_its_number(
    history: Builder, open_workspace: Open
) -> None:
    page = "# 12. Grind\n\n## Status\n\nAccepted\n\n## Decision\n\nCall `grind`.\n"
    history.write("mill.py", MILL).write("docs/adr/0012-grind.md", page).commit("Decide")
    cited = history.write("a.txt", "a").commit("Grind more\n\nAs decided in ADR-12.")
    ended = history.write("b.txt", "b").commit("Sift\n\nBecause.\n\nSupersedes: ADR-0012")
    history.write("c.txt", "c").commit("Other\n\nSee ADR-13.")
    found = history_of(open_workspace(history), "docs/adr/0012-grind.md")
    assert [(one.edge.treatment, one.edge.by) for one in found.treated] == [
        (Treatment.SUPERSEDES, ended),
        (Treatment.FOLLOWS, cited),
    ]
    assert found.verdict.reason is StandingReason.STATED_ACCEPTED
    assert found.symbols == (SymbolDrift("grind", DriftState.HOLDS, "mill.py"),)
    history.write("other/adr/0012-twin.md", page).commit("Twice")
    assert history_of(open_workspace(history), "docs/adr/0012-grind.md").treated == ()
