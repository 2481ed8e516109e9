"""What a record leaves open, and proofs that nothing speaks of something."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citator.model.errors import UsageError
from citator.model.horizon import Limit
from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.service import guard_log
from citator.service.guard_log import Shown
from citator.service.prove_absent import Proof, Verdict, prove_absent
from citator.service.survey import Matter, Open, survey
from citator.service.workspace import Places
from citator.store.layout import Layout
from citator.trust.pins import Pins
from citator.trust.readership import PathRule, Readership, Readerships
from tests.service.test_record import ADA, approved, put
from tests.service.test_record import Open as Opening
from tests.support.approving import pin
from tests.support.builder import Builder
from tests.support.record import Ledger

NOW = datetime(2026, 6, 1, tzinfo=UTC)
EVERYONE = Audience()
INSIDER = Audience(Sensitivity.RESTRICTED, unapproved=True)
Survey = Callable[..., list[Open]]


@pytest.fixture
def built(tmp_path: Path, places: Places) -> Builder:
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA))
    builder = Builder.init(tmp_path / "repo")
    builder.write("src/a.py", "a = 1\n").write("db/b.py", "b = 1\n").write("docs/x.md", "# Ferry\n")
    builder.commit("Begin the ferry\n\nBecause walking around the lake took hours.")
    return builder


@pytest.fixture
def surveyed(built: Builder, open_workspace: Opening) -> Survey:
    def run(audience: Audience = EVERYONE, days: int = 30) -> list[Open]:
        return list(survey(open_workspace(built), audience, NOW, days).open)

    return run


def test_an_empty_record_of_a_quiet_repository_leaves_nothing_open(surveyed: Survey) -> None:
    assert surveyed() == []


def test_decisions_that_lost_their_paths_or_never_had_any_or_end_soon(
    built: Builder, surveyed: Survey
) -> None:
    made = Ledger()
    gone = made.decide("Gone", paths=["old/**", "older/**"])
    lost = made.decide("Nowhere")
    ends = made.decide("Soon", paths=["src/**"], valid_to="2026-06-20T00:00:00Z")
    made.decide("Later", paths=["src/**"], valid_to="2026-09-20T00:00:00Z")
    approved(built, made)
    assert surveyed() == [
        Open(Matter.PATHS_GONE, gone, 2),
        Open(Matter.UNREACHABLE, lost),
        Open(Matter.EXPIRING, ends, date="2026-06-20"),
    ]
    assert [one.matter for one in surveyed(days=200)].count(Matter.EXPIRING) == 2


def test_what_a_retired_decision_governed_and_nothing_does_now(
    built: Builder, surveyed: Survey
) -> None:
    made = Ledger()
    old = made.decide("Old", paths=["src/**", "db/**"])
    made.add({"op": "deprecate_item", "item": old, "reason": "it is over"})
    made.decide("New", paths=["db/**"])
    approved(built, made)
    assert surveyed(INSIDER) == [Open(Matter.UNGOVERNED, old, 1, path="src/a.py")]
    assert surveyed() == []


def test_a_proposal_that_files_stand_under_is_shown_to_who_may_see_it(
    built: Builder, surveyed: Survey
) -> None:
    made = Ledger()
    item = made.decide("Proposed", paths=["src/**"])
    put(built, made.migrations)
    built.commit("Land it unsigned")
    assert surveyed() == []
    assert surveyed(INSIDER) == [Open(Matter.UNAPPROVED, item, 1, path="src/a.py")]


def test_files_that_change_much_without_a_decision(
    built: Builder, surveyed: Survey, open_workspace: Opening, places: Places
) -> None:
    for number in range(9):
        built.write("src/a.py", f"a = {number}\n").write("db/b.py", f"b = {number}\n")
        built.write("docs/x.md", f"# Ferry {number}\n").commit(f"Change {number}")
    assert surveyed() == [Open(Matter.HOT, "db/b.py", 10), Open(Matter.HOT, "src/a.py", 10)]
    made = Ledger()
    made.decide("Govern", paths=["src/**"])
    approved(built, made)
    assert surveyed() == [Open(Matter.HOT, "db/b.py", 10)]
    rules = (PathRule("src/**", Sensitivity.RESTRICTED),)
    workspace = open_workspace(built)
    Readerships(Layout(places.data)).set(workspace.repository_id, Readership(rules=rules))
    assert [one for one in surveyed() if one.matter is Matter.HOT] == []


def test_findings_that_withdrew_themselves(
    built: Builder, surveyed: Survey, open_workspace: Opening
) -> None:
    workspace = open_workspace(built)
    for base in "abc":
        shown = [Shown("0" * 12, "resurrection", "f" * 40, mined=True)]
        guard_log.note_shown(workspace, guard_log.tallies(workspace), shown, base * 40, "now")
    assert surveyed() == [Open(Matter.WITHDRAWN, "0" * 12, 3)]


def proof(built: Builder, opening: Opening, text: str, at: str | None = None) -> Proof:
    return prove_absent(opening(built), text, at, EVERYONE)


def test_absence_is_proved_by_reading_all_and_by_a_control_that_is_found(
    built: Builder, open_workspace: Opening
) -> None:
    found = proof(built, open_workspace, "we never decided on a bridge")
    assert (found.verdict, found.words) == (Verdict.ABSENT, ("bridge",))
    assert (found.covered.commits, found.covered.documents, found.covered.decisions) == (1, 1, 0)
    assert (found.control, found.control_words) == (built.head(), ("because", "walking"))
    assert found.horizon.complete


@pytest.mark.parametrize("text", ["ferry", "a FERRY", "walking-around the lake", "wаlking"])
def test_what_something_speaks_of_is_not_absent(
    built: Builder, open_workspace: Opening, text: str
) -> None:
    found = proof(built, open_workspace, text)
    assert (found.verdict, built.head() in found.found) == (Verdict.FOUND, True)


def test_a_decision_speaks_too_and_an_earlier_commit_does_not_know_it(
    built: Builder, open_workspace: Opening
) -> None:
    before = built.head()
    made = Ledger()
    item = made.decide("Build a bridge", paths=["src/**"])
    approved(built, made)
    assert item in proof(built, open_workspace, "bridge").found
    assert proof(built, open_workspace, "bridge", before).verdict is Verdict.ABSENT


def test_what_is_hidden_is_neither_read_nor_counted(
    built: Builder, open_workspace: Opening, places: Places
) -> None:
    built.write("secret/x.md", "# A tunnel\n").commit("Dig a tunnel\n\nBecause of the storm there.")
    assert proof(built, open_workspace, "tunnel").verdict is Verdict.FOUND
    rules = (PathRule("secret/**", Sensitivity.RESTRICTED),)
    workspace = open_workspace(built)
    Readerships(Layout(places.data)).set(workspace.repository_id, Readership(rules=rules))
    found = proof(built, open_workspace, "tunnel")
    assert (found.verdict, found.covered.commits) == (Verdict.ABSENT, 1)


def test_without_a_control_nothing_is_proved_and_a_shallow_clone_says_its_edge(
    tmp_path: Path, places: Places, open_workspace: Opening
) -> None:
    short = Builder.init(tmp_path / "short")
    short.commit("wip")
    assert proof(short, open_workspace, "bridge").verdict is Verdict.UNPROVED
    with pytest.raises(UsageError, match="no word"):
        proof(short, open_workspace, " ?! ")
    deep = Builder.init(tmp_path / "deep")
    for number in range(3):
        deep.write("a.txt", f"{number}\n").commit(f"Explain something further, number {number}")
    shallow = deep.clone(tmp_path / "shallow", depth=1)
    found = proof(shallow, open_workspace, "bridge")
    assert found.verdict is Verdict.ABSENT
    assert Limit.SHALLOW in {one.limit for one in found.horizon.facts}
