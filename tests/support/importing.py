"""A directory to import from, and what an import left in a working tree."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from pathlib import Path

from citator.record import ledger
from citator.record.importing.draft import Origin
from citator.record.migration import Migration
from citator.record.replay import replay
from citator.record.state import RecordState
from citator.service.importing import ImportReport, Reading, Request, carry_out
from citator.service.proposing import Moment
from citator.service.workspace import Workspace

START = 1_772_000_000_000


def put(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write ``files`` below ``folder``."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


_runs = count(1)


def moment() -> Moment:
    """A moment of its own for each call; chance from a counter."""
    run = next(_runs)
    drawn = count(run << 32)
    return Moment(START + run * 100_000, lambda size: next(drawn).to_bytes(size, "big"))


def imported(
    workspace: Workspace,
    origin: Origin,
    reading: Reading,
    *,
    dry_run: bool = False,
) -> ImportReport:
    """What an import by Ada reports."""
    return carry_out(workspace, origin, reading, Request("Ada", moment(), dry_run))


def proposals(root: Path) -> list[Migration]:
    """The proposals in the working tree at ``root``, by id."""
    found = ledger.in_folder(root / ".citator")
    assert found.problems == ()
    assert found.landed == {}
    return [found.proposals[key] for key in sorted(found.proposals)]


def would_be(root: Path) -> RecordState:
    """The state that the proposals at ``root`` would make, all of them accepted; none refused."""
    state = replay(proposals(root))
    assert state.refused == ()
    assert state.contested == ()
    return state
