"""When to abstain in this repository: measured once a generation, kept beside the index.

The file says its format; the first release did not, and wrote the first. What another format
says is not read: it is measured again.
"""

from __future__ import annotations

import json

from citator.index.analysis import Analyser
from citator.index.protocol import Snapshot, View
from citator.search.abstention import Calibration, calibrate
from citator.service.workspace import Workspace
from citator.store.files import write_atomically

FILE = "calibration.json"
FORMAT = 1


def save(workspace: Workspace, snapshot: Snapshot, view: View) -> None:
    """Measure what unrelated words find by chance, and keep it for this generation."""
    measured = calibrate(view, Analyser())
    kept = {
        "format": FORMAT,
        "generation": snapshot.generation,
        "base": measured.base,
        "slope": measured.slope,
    }
    write_atomically(workspace.place.derived / FILE, json.dumps(kept).encode("ascii"))


def load(workspace: Workspace, generation: int) -> Calibration | None:
    """What was measured for this generation; None where nothing was."""
    try:
        kept = json.loads((workspace.place.derived / FILE).read_bytes())
        if kept.get("format", 1) != FORMAT or kept["generation"] != generation:
            return None
        return Calibration(float(kept["base"]), float(kept["slope"]))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
