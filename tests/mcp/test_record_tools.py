"""The record through the real server: what travels, what is proposed, and what is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citator.mcp.answers import RECORD_BYTES, record_object
from citator.mcp.definitions import compact
from citator.model.record import ItemKind, RecordStatus, Sensitivity
from citator.model.reference import Ref
from citator.model.ruling import DecisionEvidence, Governing, RejectionNotice
from citator.store.layout import Layout
from citator.trust.pins import Pins
from tests.mcp.conftest import build, explained
from tests.mcp.serving import Home, Server, Speaker
from tests.support.approving import Person, files, pin
from tests.support.builder import Builder
from tests.support.record import Ledger

ADA = Person()
RULING = "Passages are stored in one append-only file"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Builder, Home, str]:
    """A repository with a signed decision and a signed rejection, its root pinned."""
    folder = tmp_path_factory.mktemp("recorded")
    builder, _ = explained(folder / "repository")
    made = Ledger()
    item = made.decide(
        "Store passages in one file", ruling=RULING, paths=["src/store/**"], kind="architecture"
    )
    made.decide("Use Redis for passages")
    kept, rejected = made.migrations
    said = [ADA.says(kept), ADA.rejects(rejected, "Use Redis for passages")]
    for one in files([kept], approvals=said):
        assert one.content is not None
        builder.write(f".citator/{one.path}", one.content)
    builder.commit("Land a decision")
    builder.git("config", "user.name", "Bo")
    builder.git("config", "user.email", "bo@example.org")
    home = Home.under(folder)
    home.data.mkdir(mode=0o700, exist_ok=True)
    Pins(Layout(home.data)).write(pin(ADA))
    build(builder.path, home)
    return builder, home, item


@pytest.fixture(scope="module", params=["legacy", "modern"])
def speaker(
    recorded: tuple[Builder, Home, str], request: pytest.FixtureRequest
) -> Iterator[Speaker]:
    builder, home, _ = recorded
    with Server(builder.path, home) as server:
        yield server.open(request.param)


def test_a_signed_ruling_comes_before_the_evidence(
    speaker: Speaker, recorded: tuple[Builder, Home, str]
) -> None:
    found = speaker.answer("investigate_work", task="where are passages stored?")

    (row,) = found["decisions"]
    assert (row["item"], row["ruling"], row["kind"]) == (recorded[2], RULING, "architecture")
    assert (row["status"], row["signature"], row["landed"]) == ("approved", "key", "local_branch")
    assert list(found).index("decisions") < list(found).index("evidence")
    (read,) = speaker.answer("read_evidence", refs=[row["ref"]])["items"]
    assert RULING in read["text"]


def test_a_path_and_a_kind_choose(speaker: Speaker) -> None:
    def decisions(**given: Any) -> list[bool]:
        found = speaker.answer("investigate_work", task="something else", **given)
        return [one.get("governs", False) for one in found.get("decisions", ())]

    assert decisions(paths=["src/store/writer.py"]) == [True]
    assert decisions(paths=["src/other.py"]) == []
    assert decisions(paths=["src/store/writer.py"], kinds=["security"]) == []


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"kinds": ["nonsense"]}, "kinds"),
        ({"paths": []}, "paths"),
        ({"paths": "src"}, "paths"),
        ({"as_of": 3}, "as_of"),
    ],
)
def test_what_is_no_choice_is_refused(speaker: Speaker, given: dict[str, Any], field: str) -> None:
    refused = speaker.failure("investigate_work", task="x", **given)

    assert refused["code"] == "invalid_arguments" and field in refused["what"]


def test_what_was_rejected_is_told_first(speaker: Speaker) -> None:
    found = speaker.answer("investigate_work", task="let us use redis for the passages")

    (row,) = found["rejections"]
    assert row["told_no_on"] == "2026-03-02" and row["reason"] == "we tried it"
    assert list(found).index("rejections") < list(found).index("evidence")


def test_a_proposal_is_a_file_and_changes_nothing(
    speaker: Speaker, recorded: tuple[Builder, Home, str]
) -> None:
    builder, _, item = recorded
    made = speaker.answer(
        "propose_decision",
        title="Name files after their content",
        ruling="Files are named by the digest of their content",
        body="Names that say nothing cannot lie.",
        rejected=[{"value": "Name files by date", "reason": "two in a second"}],
        paths=["src/store/**"],
        supersedes=item,
    )

    assert made["status"] == "proposed" and len(made["digest"]) == 64
    (file,) = (builder.path / ".citator" / "proposals").glob(f"{made['id']}*.md")
    assert "Names that say nothing cannot lie." in file.read_text()
    assert speaker.answer("propose_decision", id=made["id"])["status"] == "proposed"
    found = speaker.answer("investigate_work", task="how are files named by content digest")
    assert made["items"][0] not in [one["item"] for one in found.get("decisions", ())]
    file.unlink()
    assert speaker.answer("propose_decision", id=made["id"]) == {
        "status": "unknown",
        "next": "No proposal here has that id.",
    }


def test_what_a_person_rejected_is_not_written_again_unless_something_changed(
    speaker: Speaker, recorded: tuple[Builder, Home, str]
) -> None:
    folder = recorded[0].path / ".citator" / "proposals"
    before = sorted(folder.glob("*")) if folder.exists() else []
    again = {"title": "USE  REDIS for passages", "ruling": "Redis it is", "body": "Fast."}

    told = speaker.answer("propose_decision", **again)
    assert told["status"] == "told_no"
    assert told["rejections"][0]["told_no_on"] == "2026-03-02"
    assert (sorted(folder.glob("*")) if folder.exists() else []) == before

    made = speaker.answer("propose_decision", because="we run one anyway now", **again)
    (file,) = folder.glob(f"{made['id']}*.md")
    assert "we run one anyway now" in file.read_text()
    file.unlink()


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"title": "x", "ruling": "y"},
        {"id": "01J9ZK4E3M8QW7X2V5T6R1N0PA", "title": "x"},
        {"title": "x", "ruling": "y", "body": "z", "status": "approved"},
        {"title": "x", "ruling": "y", "body": "z", "rejected": [{"value": "a"}]},
        {"title": "x", "ruling": "y", "body": "z", "rejected": ["a"]},
    ],
)
def test_a_malformed_proposal_is_refused(speaker: Speaker, given: dict[str, Any]) -> None:
    assert speaker.failure("propose_decision", **given)["code"] == "invalid_arguments"


def test_an_item_that_nobody_knows_is_one_answer(speaker: Speaker) -> None:
    given = {"title": "x", "ruling": "y", "body": "z", "revises": "01J9ZK4E3M8QW7X2V5T6R1N0PA"}

    assert speaker.failure("propose_decision", **given)["code"] == "unknown_ref"


def test_the_record_has_a_budget_and_says_what_it_left_out() -> None:
    decision = DecisionEvidence(
        Ref("decision:v1:" + "0" * 64),
        "01J9ZK4E3M8QW7X2V5T6R1N0PA",
        "01J9ZK4E3M8QW7X2V5T6R1N0PB",
        ItemKind.DECISION,
        RecordStatus.APPROVED,
        Sensitivity.INTERNAL,
        "key",
        "local_branch",
        (1, 9),
        300,
        "2026-03-01T00:00:00Z",
        ruling="r" * 280,
    )
    rejection = RejectionNotice("0" * 64, "x", "2026-03-01", None, "n" * 280)

    found = record_object(Governing((decision,) * 6, (rejection,) * 3, left_out=2))

    assert len(compact(found).encode()) < RECORD_BYTES + 100
    assert len(found["rejections"]) == 3
    assert found["decisions_left_out"] == 2 + 6 - len(found["decisions"])


def test_the_evidence_profile_writes_nothing(
    recorded: tuple[Builder, Home, str], tmp_path: Path
) -> None:
    builder, home, _ = recorded
    with Server(builder.path, home, options=("--profile", "evidence")) as server:
        speaker = server.open("modern")
        assert [one["name"] for one in speaker.ask("tools/list")["result"]["tools"]] == [
            "investigate_work",
            "read_evidence",
        ]
        called = {"name": "propose_decision", "arguments": {"title": "x"}}
        assert speaker.ask("tools/call", called)["error"]["message"] == "Unknown tool"
