"""What a process holds, read from outside: memory, handles, threads, children. Linux only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Held:
    """One look at one process. Sizes in KiB; ``peak`` since it started.

    ``own`` is the part of ``resident`` that is no file's: an index that is open is mapped.
    """

    resident: int
    own: int
    peak: int
    handles: int
    threads: int
    children: int


def held_by(pid: int) -> Held:
    """What process ``pid`` holds now."""
    place = Path("/proc", str(pid))
    facts = dict(
        line.split(":", 1) for line in (place / "status").read_text().splitlines() if ":" in line
    )
    children = (place / "task" / str(pid) / "children").read_text().split()
    return Held(
        resident=int(facts["VmRSS"].split()[0]),
        own=int(facts["RssAnon"].split()[0]),
        peak=int(facts["VmHWM"].split()[0]),
        handles=len(os.listdir(place / "fd")),
        threads=int(facts["Threads"]),
        children=len(children),
    )


def processor_seconds(pid: int) -> float:
    """User and system seconds of ``pid`` and of the children it has collected."""
    fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def stored_in(data: Path) -> dict[str, int]:
    """Files, bytes and generations of an index below ``data``."""
    sizes = []
    for folder, _, names in os.walk(data):
        for name in names:
            try:
                sizes.append(Path(folder, name).stat().st_size)
            except OSError:  # it went while it was counted
                continue
    generations = list(data.glob("*/derived/**/generations/*"))
    return {"files": len(sizes), "bytes": sum(sizes), "generations": len(generations)}
