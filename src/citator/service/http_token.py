"""The token that a client of the HTTP server must show.

- It is made once from entropy and lies in one file that its owner alone can read; a file that
  others can read is refused, not repaired: who read it cannot be made to forget.
- It is compared in constant time, and never printed: only where it lies.
- A new one counts at once, also for a server that already runs.
"""

from __future__ import annotations

import base64
import hmac
import os
import re
import stat
from pathlib import Path
from typing import Final

from citator.model.errors import CitatorError, IntegrityError, RefusedError
from citator.service.workspace import Places
from citator.store import files, stamp

TOKEN_BYTES: Final = 32
_WRITTEN: Final = re.compile(rb"[A-Za-z0-9_-]{43}\n?")
ROTATE: Final = "`citator serve --rotate-token` makes a new one"

_State = tuple[int, int, int]


def token_path(places: Places) -> Path:
    """Where the token lies, whether or not it is there yet."""
    return places.data / "http-token"


def ensure(places: Places) -> Path:
    """Make the token unless there is one; where it lies.

    Raises StorageError, RefusedError where others can read it, IntegrityError where it is none.
    """
    path = token_path(places)
    stamp.bring_up(places.data)
    if not os.path.lexists(path):
        files.create_once(path, _made(places))
    require_sound(path)
    return path


def require_sound(path: Path) -> None:
    """Raises RefusedError where others can read the token, IntegrityError where it is none."""
    _read(path)


def rotate(places: Places) -> Path:
    """Put a new token in the place of the old, which counts no longer. Raises StorageError."""
    path = token_path(places)
    stamp.bring_up(places.data)
    files.write_atomically(path, _made(places))
    return path


def _made(places: Places) -> bytes:
    return base64.urlsafe_b64encode(places.entropy(TOKEN_BYTES)).rstrip(b"=") + b"\n"


def _read(path: Path) -> bytes:
    """The token. Raises RefusedError, IntegrityError, StorageError."""
    with files.guarded():
        facts = path.lstat()
        private = os.name != "posix" or not stat.S_IMODE(facts.st_mode) & 0o077
        if not stat.S_ISREG(facts.st_mode) or not private:
            raise RefusedError(
                "token_not_private",
                "the file `http-token` in the data directory is not its owner's alone",
                f"somebody else may know it: {ROTATE}",
            )
        with path.open("rb") as file:
            written = file.read(TOKEN_BYTES * 4)
    if _WRITTEN.fullmatch(written) is None:
        raise IntegrityError(
            "token_damaged",
            "the file `http-token` in the data directory is not what was written there",
            ROTATE,
        )
    return written.rstrip(b"\n")


class Doorkeeper:
    """Says whether a token that was shown is the one in the file ``path``, as it is now."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state: _State | None = None
        self._token = b""

    def accepts(self, shown: bytes) -> bool:
        """Whether ``shown`` is the token. Nothing is while there is no readable one."""
        try:
            facts = self._path.lstat()
            state = (facts.st_ino, facts.st_mtime_ns, facts.st_mode)
            if state != self._state:
                self._token = _read(self._path)
                self._state = state
        except (OSError, CitatorError):
            self._state = None
            return False
        return hmac.compare_digest(shown, self._token)
