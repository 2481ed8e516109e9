"""What a client says to its hook, as values. It is somebody else's: bounded, and never trusted.

- Not JSON, not an object, a field of another type: as if it were not there.
- A path counts where it lies in the work tree, links resolved, and outside ``.git``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from citator.store.hook_files import token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, Final

MAX_BYTES: Final = 16 << 20
MOST_PATHS: Final = 20
_NAMES: Final = ("file_path", "notebook_path", "path", "filePath", "target_file")
_PATCHES: Final = ("command", "input", "patch")
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", re.M)


class Asked:
    """``conversation`` is the client's id of it where that is a plain token, else "";
    ``folder`` where it stands; ``paths`` what it is about to edit, as it names them."""

    __slots__ = ("conversation", "folder", "paths")

    def __init__(
        self, conversation: str = "", folder: str = "", paths: tuple[str, ...] = ()
    ) -> None:
        self.conversation, self.folder, self.paths = conversation, folder, paths


def asked(stream: IO[bytes]) -> Asked:
    """What is said on ``stream``."""
    raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        return Asked()
    try:
        said = json.loads(raw)
    except (ValueError, RecursionError):
        return Asked()
    if not isinstance(said, dict):
        return Asked()
    folders = said.get("workspace_roots")
    first = folders[0] if isinstance(folders, list) and folders else None
    return Asked(
        token(said.get("session_id")) or token(said.get("conversation_id")),
        _text(said.get("cwd")) or _text(first),
        tuple(dict.fromkeys(_paths(said.get("tool_input"))))[:MOST_PATHS],
    )


def _paths(given: Any) -> Iterator[str]:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = {"input": given}
    if not isinstance(given, Mapping):
        return
    yield from filter(None, (_text(given.get(name)) for name in _NAMES))
    for name in _PATCHES:
        text = given.get(name)
        if isinstance(text, str) and "*** Begin Patch" in text:
            yield from filter(None, map(_text, _PATCHED.findall(text)))


def _text(value: object) -> str:
    """A path of ordinary length that the system can be asked for, else ""."""
    if not isinstance(value, str) or not 0 < len(value) <= 4096 or "\0" in value:
        return ""
    try:
        os.fsencode(value)
    except UnicodeEncodeError:  # half of a pair, as JSON may spell it
        return ""
    return value


def inside(path: str, folder: Path, top: Path) -> str | None:
    """``path``, named from ``folder``, as git names it from ``top``; None where it is outside."""
    whole = folder / path
    real = Path(os.path.realpath(whole.parent), whole.name)
    if real.is_symlink() or whole.name in ("", "..", "."):
        return None
    try:
        steps = real.relative_to(top).parts
    except ValueError:
        return None
    if not steps or ".git" in (step.casefold() for step in steps):
        return None
    return "/".join(steps)
