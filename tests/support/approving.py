"""A person with a key: signs statements as ``ssh-keygen -Y sign`` would, in this process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from citator.model.record import ItemKind
from citator.record.approvals import Approval
from citator.record.folding import folded
from citator.record.ledger import Ledger as Files
from citator.record.ledger import LedgerFile, identity_file, read
from citator.record.migration import Migration
from citator.trust.pins import Approver, Pin
from citator.trust.policy import Policy
from citator.trust.statement import RejectedValue, Statement, Verdict
from tests.support.keys import SigningKey, ed25519_key

RECORD = "a1" * 32
OTHER_RECORD = "b2" * 32
TIME = "2026-03-02T10:00:00Z"
SOLO = Policy("main", author_may_approve=True)
TEAM = Policy("main", author_may_approve=False)


@dataclass
class Person:
    """Somebody who may approve, or would like to."""

    label: str = "ada"
    key: SigningKey = field(default_factory=ed25519_key)

    @property
    def approver(self) -> Approver:
        """As a pin names them."""
        return Approver(self.label, self.key.public)

    def says(self, migration: Migration, **changes: Any) -> Approval:
        """A signed approval of ``migration``; ``changes`` replace parts of the statement."""
        parts: dict[str, Any] = {
            "record": RECORD,
            "migration": migration.id,
            "digest": migration.digest,
            "verdict": Verdict.APPROVE,
            "reason": "",
            "policy": SOLO.digest,
            "time": TIME,
            **changes,
        }
        statement = Statement(**parts)
        return Approval(statement, self.key.sign(statement.to_bytes()))

    def rejects(
        self,
        migration: Migration,
        value: str,
        *,
        verdict: Verdict = Verdict.REJECT,
        kind: ItemKind | None = None,
        scope: tuple[str, ...] = (),
        **changes: Any,
    ) -> Approval:
        """A signed rejection of a value that ``migration`` proposed."""
        rejected = RejectedValue(folded(value), scope, kind)
        given = {"reason": "we tried it", **changes}
        return self.says(migration, verdict=verdict, rejected=rejected, **given)


def pin(*people: Person, policy: Policy = SOLO, record: str = RECORD) -> Pin:
    """The root that a person pinned."""
    return Pin(record, tuple(one.approver for one in people), policy, TIME)


def files(
    landed: Iterable[Migration] = (),
    proposals: Iterable[Migration] = (),
    approvals: Iterable[Approval] = (),
    record: str = RECORD,
) -> list[LedgerFile]:
    """The files of a ledger."""
    made = [LedgerFile("ledger.yaml", identity_file(record))]
    made += [LedgerFile(f"record/{one.file_name()}", one.render()) for one in landed]
    made += [LedgerFile(f"proposals/{one.file_name()}", one.render()) for one in proposals]
    for number, one in enumerate(approvals):
        made.append(LedgerFile(f"approvals/{number:04}.yaml", one.render()))
    return made


def ledger(*args: Any, **settings: Any) -> Files:
    """The ledger that :func:`files` make up."""
    return read(files(*args, **settings))
