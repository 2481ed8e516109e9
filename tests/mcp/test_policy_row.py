"""What a client is told of the policy: closed words, bounded, and never prose."""

from __future__ import annotations

from citator.mcp.answers import policy_row
from citator.mcp.definitions import compact
from citator.model.domain import Applied, Domain, Gap, GapKind, Intent, Task
from citator.model.plain import is_plain
from citator.trust.pack_format import is_id

LAW = Task(Domain.LAW, Intent.LEARN, "law.en", ("lease",))
SOURCES = ("acme.law/handbook", "acme.law/statutes")


def test_sources_are_told_where_there_is_no_evidence_and_otherwise_those_elsewhere() -> None:
    applied = Applied(LAW, SOURCES, SOURCES[1:])
    head = {"domain": "law", "rule": "law.en", "intent": "learn"}
    assert policy_row(applied, abstained=False) == {**head, "sources": ["acme.law/statutes"]}
    assert policy_row(applied, abstained=True) == {**head, "sources": [*SOURCES]}


def test_gaps_are_told_always_and_what_is_not_there_is_left_out() -> None:
    unclear = Task(Domain.GENERAL, Intent.UNCLEAR, "nothing")
    assert policy_row(Applied(unclear), abstained=True) == {"domain": "general", "rule": "nothing"}
    missing = Applied(LAW, gaps=(Gap(GapKind.NO_POLICY, "law"), Gap(GapKind.TAMPERED, "acme.law")))
    told = policy_row(missing, abstained=False)["gaps"]
    assert told == ["no_policy:law", "tampered:acme.law"]


def test_a_row_is_small_whatever_there_is() -> None:
    pack, source = f"{'p' * 24}.{'q' * 23}", f"{'r' * 24}.{'s' * 23}"
    assert is_id(pack)
    assert not is_id(f"{pack}q")
    many = tuple(f"{pack}/{source}" for _ in range(500))
    gaps = tuple(Gap(kind, pack) for kind in GapKind)
    row = policy_row(Applied(LAW, many, many, gaps), abstained=True)
    assert len(compact(row).encode()) <= 1_300
    assert all(map(is_plain, (*row["sources"], *row["gaps"])))
    assert all(is_plain(f"{one.kind}:{one.of}") for one in gaps)
