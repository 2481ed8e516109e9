"""What dockets keep under ``derived/docket``: one small file a question, the newest kept.

Deleting any of it costs time alone. What cannot be read, or is not what was written, is made anew;
a full disk costs the next question time, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import Any, Final

from citator.model.errors import StorageError
from citator.service.workspace import Workspace
from citator.store.files import keep_newest, make_directory, write_atomically

FOLDER: Final = "docket"
FORMAT: Final = 1
FILES: Final = 600


class Kept:
    """The file of one question, which ``key`` (any text) names."""

    def __init__(self, workspace: Workspace, key: str) -> None:
        self._folder = workspace.place.derived / FOLDER
        named = f"{FORMAT}\0{key}".encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(named).hexdigest()
        self._file = self._folder / f"{digest[:32]}.json"

    def read(self) -> dict[str, Any] | None:
        """What was kept, None where there is nothing that can be read."""
        try:
            found = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def write(self, value: dict[str, Any]) -> None:
        """Keep it."""
        text = json.dumps(value, separators=(",", ":")).encode("utf-8", "surrogatepass")
        with suppress(StorageError, OSError):
            make_directory(self._folder)
            write_atomically(self._file, text)
            keep_newest(self._folder, "*.json", FILES)
