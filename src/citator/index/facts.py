"""The horizon of a build on disk: one file beside the manifest, read only when asked for."""

from __future__ import annotations

import json
from pathlib import Path

from citator.index.damage import damaged
from citator.model.horizon import HorizonFact, Limit
from citator.store import files

NAME = "facts.json"


def write(folder: Path, found: tuple[HorizonFact, ...]) -> None:
    """Write the facts of a build."""
    said = [[fact.limit, fact.count, fact.detail] for fact in found]
    with files.guarded():
        files.write_durably(folder / NAME, json.dumps(said, indent=0).encode("ascii"))


def read(folder: Path) -> tuple[HorizonFact, ...]:
    """The facts of a generation. Raises IntegrityError."""
    try:
        said = json.loads((folder / NAME).read_bytes())
        return tuple(HorizonFact(Limit(limit), count, detail) for limit, count, detail in said)
    except (OSError, ValueError, TypeError) as error:
        raise damaged("its horizon cannot be read") from error
