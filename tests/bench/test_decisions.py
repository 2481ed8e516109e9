"""The judged decisions: prepared from a clone, built as a record, asked in two worlds."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from bench.data.prepare_decisions import Fixture, write
from bench.decisions.corpus import load, queries
from bench.decisions.evaluate import report, written

from citator.model.record import RecordStatus, Sensitivity
from tests.support.builder import Builder

FOLDER = "tests/fixtures/eval"
TTL = "domain.session-token-ttl"
ITEMS = {
    # name: (bodies, status, sensitivity, plane)
    "architecture.one-writer": (["# One writer\n\nTwo updates.\n"], "approved", "public", 0),
    f"{TTL}-v1": (
        ["# Sessions (v1)\n\nA day.\n", "# Sessions (v1)\n\nOld.\n"],
        "superseded",
        "",
        0,
    ),
    f"{TTL}-v2": (["# Sessions (v2)\n\nHalf a day.\n"], "superseded", "", 0),
    TTL: (["# Sessions\n\nA session ends after one hour.\n"], "approved", "", 0),
    "testing.flaky": (["# Flaky tests\n\nThey wait in quarantine.\n"], "deprecated", "", 1),
    "domain.cache": (["# A credential cache\n\nNo.\n"], "rejected", "", 1),
    "domain.draft": (["# Session drafts\n\nA session could end sooner.\n"], "draft", "", 1),
    "security.vault": (["# The vault\n\nIt is downstairs.\n"], "approved", "restricted", 1),
}
QUERIES = [
    {"id": "q-one", "class": "exact", "query": "Why one writer?"},
    {"id": "q-ttl", "class": "superseded", "query": "When does a session end?"},
    {"id": "q-vault", "class": "unknown", "query": "Where is the vault?"},
    {"id": "q-off", "class": "unknown", "query": "Off?", "enabled": False},
]
JUDGEMENTS = [
    {"queryId": "q-one", "relevant": [{"itemId": "architecture.one-writer"}]},
    {
        "queryId": "q-ttl",
        "relevant": [{"itemId": TTL}],
        "forbidden": [{"itemId": f"{TTL}-v1"}, {"itemId": f"{TTL}-v2"}],
    },
    {"queryId": "q-vault", "expectAbstention": True, "forbidden": [{"itemId": "security.vault"}]},
]


def published(folder: Path) -> Fixture:
    """A clone in the published shape, with words of our own."""
    builder = Builder.init(folder)
    planes = []
    for number, (name, (bodies, status, sensitivity, withheld)) in enumerate(ITEMS.items()):
        kind = name.split(".")[0]
        operations: list[dict[str, object]] = [
            {"op": "createItem", "itemId": name, "kind": kind, "sensitivity": "internal"}
        ]
        for turn, body in enumerate(bodies):
            path = f"knowledge/{kind}/{name.split('.')[1]}.R{number}{turn}.md"
            builder.write(f"{FOLDER}/{path}", body)
            metadata: dict[str, object] = {"status": status, "sensitivity": sensitivity}
            if name == "architecture.one-writer":
                metadata["sourceAnchors"] = [{"filePath": "docs/adr/0001-one-writer.md"}]
            operations.append(
                {
                    "op": "upsertRevision",
                    "itemId": name,
                    "contentFile": f"../{path}",
                    "metadata": metadata,
                }
            )
        if sensitivity == "restricted":
            operations.append(
                {"op": "changeSensitivity", "itemId": name, "sensitivity": sensitivity}
            )
        file = f"M{number}.yaml"
        builder.write(f"{FOLDER}/migrations/{file}", yaml.safe_dump({"operations": operations}))
        planes.append({"file": file, "plane": "withheld" if withheld else "visible"})
    builder.write(f"{FOLDER}/manifest.yaml", yaml.safe_dump({"migrations": planes}))
    builder.write(f"{FOLDER}/queries.yaml", yaml.safe_dump({"queries": QUERIES}))
    builder.write(f"{FOLDER}/judgements.yaml", yaml.safe_dump({"judgements": JUDGEMENTS}))
    return Fixture(builder.git_dir(), builder.commit("The corpus"))


def test_what_is_prepared_becomes_a_record_with_every_status(tmp_path: Path) -> None:
    out = tmp_path / "decisions"
    assert write(published(tmp_path / "clone"), out) == 9
    assert [one.name for one in (out / "adr").iterdir()] == ["0001-one-writer.md"]
    corpus = load(out, full=True)
    state = corpus.state
    assert state.refused == ()
    stands = {corpus.names[item.id]: item for item in state.items.values()}
    assert {name: item.status for name, item in stands.items()} == {
        "architecture.one-writer": RecordStatus.APPROVED,
        f"{TTL}-v1": RecordStatus.SUPERSEDED,
        f"{TTL}-v2": RecordStatus.SUPERSEDED,
        TTL: RecordStatus.APPROVED,
        "testing.flaky": RecordStatus.DEPRECATED,
        "security.vault": RecordStatus.APPROVED,
    }
    assert stands["security.vault"].sensitivity is Sensitivity.RESTRICTED
    assert [one.status for one in corpus.waiting] == [RecordStatus.REJECTED, RecordStatus.DRAFT]
    clean = load(out, full=False)
    assert {name: corpus.ids[name] for name in clean.ids} == clean.ids
    assert [one.id for one in queries(out)] == ["q-one", "q-ttl", "q-vault"]


def test_the_report_says_the_same_of_both_worlds_and_is_the_same_bytes(tmp_path: Path) -> None:
    out = tmp_path / "decisions"
    write(published(tmp_path / "clone"), out)
    first, second = report(out), report(out)
    assert written(first) == written(second)
    assert json.loads(written(first)) == first
    assert first["corpus"]["full"]["partition"] == first["corpus"]["clean"]["partition"]
    overall = first["overall"]
    assert (overall["recall@1"], overall["mrr"], overall["abstention"]) == (1.0, 1.0, 1.0)
    assert (overall["superseded errors"], overall["equal"]) == (0, 3)
    assert first["control"]["texts"] == [3, 2]
    assert first["control"]["unapproved shown over full"] == 1
    assert first["control"]["equal"] == 2
