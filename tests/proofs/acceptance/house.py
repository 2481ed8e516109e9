"""One repository with a record, its person and its agent: what the acceptance tests are about.

The agent has the real MCP handler and nothing else; every call opens it anew. The person writes
ledger files and signs them. The operator grants.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citator.model.visibility import Audience
from citator.record.approvals import Approval
from citator.service.index_history import update
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.trust.grants import Grants
from citator.trust.pins import Pins
from tests.support.approving import Person, files, pin
from tests.support.builder import Builder
from tests.support.handler import Handler
from tests.support.record import Ledger

ADA = Person()
WHY = """Keep sessions out of the request path

Reading a session for each request cost nine milliseconds, so we should use redis or a file;
somebody has to measure before anything is decided."""
PROSE = "# Rooms\n\nThe cellar floods each spring, so nothing that matters is kept in the cellar.\n"


@dataclass
class House:
    """See above."""

    builder: Builder
    places: Places
    ledger: Ledger = field(default_factory=Ledger)
    rejections: list[Approval] = field(default_factory=list)

    @classmethod
    def at(cls, folder: Path) -> House:
        """A house with a little history, a pinned root and an index."""
        places = Places(folder / "data", folder / "config", lambda size: b"k" * size)
        places.data.mkdir(mode=0o700, parents=True)
        Pins(Layout(places.data)).write(pin(ADA))
        builder = Builder.init(folder / "repo")
        builder.write("src/session.py", "x = 1\n").commit(WHY)
        builder.write("docs/rooms.md", PROSE).commit("Describe the rooms")
        made = cls(builder, places)
        made.ledger.decide("Log in plain text", ruling="Logs are plain text", paths=["log/**"])
        made.land()
        return made

    @property
    def workspace(self) -> Workspace:
        return Workspace.open(self.builder.path, self.places)

    # -- the person

    def land(self, *unsigned: str) -> str:
        """Commit the ledger, signed, but for the migrations named, which are proposals."""
        made = self.ledger.migrations
        landed = [one for one in made if one.id not in unsigned]
        approvals = [ADA.says(one) for one in landed] + self.rejections
        waiting = [one for one in made if one.id in unsigned]
        for one in files(landed, waiting, approvals):
            assert one.content is not None
            self.builder.write(f".citator/{one.path}", one.content)
        commit = self.builder.commit("Land")
        self.index()
        return commit

    def reject(self, value: str, reason: str = "it was tried") -> None:
        """Sign a rejection of ``value``; the branch that proposed it is closed."""
        closed = Ledger(minted=40_000 + len(self.rejections))
        closed.decide(value)
        self.rejections.append(ADA.rejects(closed.migrations[-1], value, reason=reason))
        self.land()

    # -- the operator

    def grant(self, audience: Audience) -> None:
        """What the machine serves."""
        Grants(Layout(self.places.data)).write(audience)

    def index(self, *, fresh: bool = False) -> None:
        """What the background builder does."""
        update(self.workspace, fresh=fresh)

    def lose_what_is_derived(self) -> None:
        """Delete all that can be made again, and make it again."""
        shutil.rmtree(self.workspace.place.derived)
        self.index()

    # -- the agent

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool, or its typed error."""
        with Handler(self.builder.path, self.places) as server:
            result = server.open("modern").call(tool, **arguments)
        if result.get("isError"):
            found = json.loads(result["content"][0]["text"])
        else:
            found = result["structuredContent"]
        assert isinstance(found, dict)
        return found

    def rulings(self, task: str, **more: Any) -> list[str]:
        """The rulings that a task brings."""
        found = self.call("investigate_work", task=task, **more)
        return [one["ruling"] for one in found.get("decisions", []) if "ruling" in one]

    def refs(self, task: str) -> list[str]:
        """The references of decisions that a task brings."""
        found = self.call("investigate_work", task=task)
        return [one["ref"] for one in found.get("decisions", [])]

    def read(self, *refs: str) -> list[dict[str, Any]]:
        """The items of read_evidence."""
        items: list[dict[str, Any]] = self.call("read_evidence", refs=list(refs))["items"]
        return items

    def propose(self, title: str, **more: Any) -> dict[str, Any]:
        """The reply to a proposal."""
        said = {"title": title, "ruling": title, "body": f"{title}, because it is simple.", **more}
        return self.call("propose_decision", **said)

    @property
    def tree(self) -> set[str]:
        """Every file of the ledger in the working tree."""
        root = self.builder.path / ".citator"
        return {str(one.relative_to(root)) for one in root.rglob("*") if one.is_file()}
