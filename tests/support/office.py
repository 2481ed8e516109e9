"""A person at a machine, deciding things: the use cases of the record on a real repository.

Keys sign in this process; ids and times come from a counter, so that every run is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from citator.model.errors import CitatorError, RefusedError
from citator.record.migration import Migration
from citator.record.state import RecordState
from citator.service import approve, changing, decide, decisions, land, trust
from citator.service.approve import Rejecting, Said
from citator.service.changing import Because
from citator.service.decide import Links, Manner
from citator.service.decision_template import Wish, with_text
from citator.service.desk import Desk, desks, repository_desk
from citator.service.land import Applied
from citator.service.proposing import Moment, Proposed
from citator.service.trust import Candidate, Rules
from citator.service.workspace import Places, Workspace
from citator.trust.agent import Held
from citator.trust.assurance import Signature
from citator.trust.keys import PublicKey
from citator.trust.pins import Approver, Pin
from citator.trust.signatures import verify
from citator.trust.statement import NAMESPACE
from tests.support.approving import Person
from tests.support.builder import Builder
from tests.support.keys import SigningKey

START = 1_772_000_000_000
AUTHOR = "Ada <ada@example.org>"
TODAY = "2026-06-01T00:00:00Z"


def ada() -> Person:
    """The person of this machine."""
    return Person("ada@example.org")


def refusal(action: Callable[[], object], kind: type[CitatorError] = RefusedError) -> str:
    """The code with which ``action`` is refused, in a sentence."""
    with pytest.raises(kind) as caught:
        action()
    assert caught.value.what
    return caught.value.code


@dataclass
class Office:
    """One clone, and who works in it."""

    builder: Builder
    places: Places
    person: Person = field(default_factory=ada)
    count: int = 0

    @property
    def workspace(self) -> Workspace:
        """The clone, as a new command finds it."""
        return Workspace.open(self.builder.path, self.places)

    @property
    def desk(self) -> Desk:
        """The repository's ledger in the working tree."""
        return repository_desk(self.workspace)

    @property
    def state(self) -> RecordState:
        """What counts in the working tree."""
        return self.desk.record.state

    @property
    def root(self) -> Path:
        """The ledger's folder."""
        return self.builder.path / ".citator"

    def moment(self) -> Moment:
        """A second later than the last."""
        self.count += 1
        number = self.count
        return Moment(START + number * 1_000, lambda size: number.to_bytes(size, "big"))

    def pin(self, *people: Person, rules: Rules | None = None, second: bool = False) -> Pin:
        """Pin these people (the one at this machine, if none) as the root."""
        desk = trust.desk_of(self.workspace, second=second)
        chosen = [
            Candidate(
                Approver(one.label, one.key.public, (one.label,) if "@" in one.label else ()),
                "a test",
            )
            for one in people or (self.person,)
        ]
        made = trust.plan(self.workspace, desk, chosen, rules or Rules(author_may_approve=True))
        return trust.pin(made, self.moment())

    def decide(self, title: str = "Keep sessions in SQLite", **said: Any) -> Proposed:
        """Propose; ``said`` are fields of the wish, of the links and of the manner."""
        body = said.pop("body", "The reasons, in full.")
        links = Links(tuple(said.pop("supersedes", ())), said.pop("revises", None))
        author = said.pop("author", AUTHOR)
        manner = Manner(author, said.pop("draft", False), said.pop("anyway", None))
        given = {"ruling": f"{title}.", "owner": "team", **said}
        wish = with_text(Wish(title, **given), body)
        return decide.decide(self.workspace, wish, links, manner, self.moment())

    def because(self, reason: str = "it changed") -> Because:
        """Why something changes."""
        return Because(AUTHOR, reason)

    def change(self, what: str, *names: Any, **said: Any) -> Proposed:
        """Propose one of the changes of ``service/changing.py``."""
        reason = self.because(said.pop("reason", "it changed"))
        done: Proposed = getattr(changing, what)(
            self.workspace, *names, reason, self.moment(), **said
        )
        return done

    def approve(self, name: str, by: Person | None = None) -> Said:
        """Look at a proposal and approve it."""
        who = by or self.person
        seen = approve.shown(self.workspace, name)
        moment = self.moment()
        statement = approve.approval(seen, moment)
        held = [Held(who.key.public, "a test")]
        return approve.sign(seen.desk, statement, seen.migration, held, signing(who.key), moment)

    def reject(self, name: str, by: Person | None = None, **said: Any) -> Said:
        """Look at a proposal and reject it."""
        who = by or self.person
        seen = approve.shown(self.workspace, name)
        moment = self.moment()
        rejecting = Rejecting(**{"reason": "we tried it", **said})
        statement = approve.rejection(seen, rejecting, moment)
        held = [Held(who.key.public, "a test")]
        return approve.sign(seen.desk, statement, seen.migration, held, signing(who.key), moment)

    def lift(self, name: str) -> Said:
        """Lift a rejection."""
        moment = self.moment()
        desk, statement = approve.lift(self.workspace, name, "we know better", moment)
        held = [Held(self.person.key.public, "a test")]
        return approve.sign(desk, statement, None, held, signing(self.person.key), moment)

    def apply(self, *names: str) -> Applied:
        """Land what was approved."""
        return land.apply(self.workspace, names, self.moment())

    def commit(self) -> str:
        """Commit the ledger as it lies in the tree."""
        self.builder.git("add", "-A", "-f", ".citator")
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        self.builder.git(*who, "commit", "-q", "-m", "Land decisions")
        return self.builder.head()

    def landed(self, title: str = "Keep sessions in SQLite", **said: Any) -> tuple[str, Migration]:
        """Decide, approve, apply and commit. The item's id, and the migration."""
        done = self.decide(title, **said)
        self.accept(done)
        return done.items[0], done.migration

    def accept(self, done: Proposed) -> Proposed:
        """Approve, apply and commit a proposal."""
        self.approve(done.migration.id)
        self.apply(done.migration.id)
        self.commit()
        return done

    def list(self, *, everything: bool = True, **wanted: Any) -> Sequence[decisions.Decision]:
        """The decisions, as the person of this machine sees them, or as others are served."""
        who = decisions.operator if everything else decisions.granted
        asked = decisions.Wanted(**wanted)
        return decisions.listing(self.workspace, who(self.workspace), asked, TODAY).decisions

    def both(self) -> tuple[Desk, ...]:
        """Every ledger."""
        return desks(self.workspace)


def signing(key: SigningKey, namespace: str = NAMESPACE) -> approve.Sign:
    """What signs with ``key``, in this process."""

    def sign(held: Held, message: bytes) -> tuple[str, PublicKey, Signature]:
        armored = key.sign(message, namespace)
        facts = verify(armored, message, namespace)
        return armored, facts.key, facts.strength

    return sign
