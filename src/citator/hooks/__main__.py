"""``citator-hook EVENT --client CLIENT``: what a client or git starts at an event of its own.

- Exit code 0 whatever happens, and nothing on standard error: a hook that fails is silent.
- The standard library, one table opened read-only, no git. What takes longer is left to a process
  that goes on by itself.
- What the table holds is said where it was made for this HEAD and for what may be shown now. For
  another HEAD references alone are said, with the commit they are of; else nothing is.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from citator.hooks.answers import CLIENTS, EVENTS, shaped
from citator.hooks.asked import Asked, asked, inside
from citator.store import hook_files as kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Final

MOST_CHARACTERS: Final = 2_000
FRESH_SECONDS: Final = 24 * 3600
_AGAIN_SECONDS: Final = 30


class Here:
    """Where a hook is, and when (Unix seconds)."""

    __slots__ = ("data", "folder", "now", "place", "tree")

    def __init__(self, data: Path, place: Path, tree: kept.Tree, folder: Path, now: float) -> None:
        self.data, self.place, self.tree = data, place, tree
        self.folder, self.now = folder, now


def main() -> None:
    """Answer one event, and leave with 0."""
    with suppress(BaseException):
        said = answer(sys.argv[1:], sys.stdin.buffer, os.environ, time.time())
        sys.stdout.buffer.write(said.encode("utf-8"))
        sys.stdout.buffer.flush()
    os._exit(0)


def answer(
    arguments: Sequence[str], stream: IO[bytes], environ: Mapping[str, str], now: float
) -> str:
    """What to print for an event."""
    event, *options = [*arguments, ""]
    client = options[1] if options[:1] == ["--client"] and len(options) > 1 else ""
    if event not in EVENTS or client not in CLIENTS:
        return ""
    said = Asked() if client == "git" else asked(stream)
    folder = Path(said.folder or environ.get("CLAUDE_PROJECT_DIR") or Path.cwd())
    data, tree = kept.data_directory(environ, sys.platform), kept.tree_of(folder)
    place = None if data is None or tree is None else kept.place_of(data, tree.common_dir)
    if data is None or tree is None or place is None:
        return ""
    here = Here(data, place, tree, folder, now)
    text = ""
    with suppress(Exception):
        text = _said(event, client, said, here)
    out = shaped(client, event, text)
    with suppress(OSError):
        kept.note_fired(place, client, event, bool(out))
    return out


def _said(event: str, client: str, said: Asked, here: Here) -> str:
    if event in ("after-commit", "session-end"):
        _leave(event, client, said, here)
        return ""
    if event == "before-edit":
        return _lines(said, here)
    if said.conversation:
        kept.forget_told(here.place, said.conversation)
    return _brief(here)


def _brief(here: Here) -> str:
    opened = _opened(here)
    if opened is None:
        return ""
    table, header = opened
    table.close()
    made = time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(header.made))
    if not header.brief:
        return ""
    if header.head != kept.head_of(here.tree) or here.now - header.made > FRESH_SECONDS:
        _refresh(here)
        return f"citator: a brief of {made} at {header.head[:12]}; get_brief has the present one"
    return f"citator brief of {made}\n{header.brief}"[:8000]


def _lines(said: Asked, here: Here) -> str:
    found = [inside(path, here.folder, here.tree.top) for path in said.paths]
    paths = [path for path in found if path is not None]
    if not paths:
        return ""
    opened = _opened(here)
    if opened is None:
        return ""
    table, header = opened
    present = header.head == kept.head_of(here.tree)
    with table:
        told = [_about(table, path, present) for path in paths]
    if not present:
        _refresh(here)
    text = "\n".join(
        one
        for path, one in zip(paths, told, strict=True)
        if one and kept.first_time(here.place, said.conversation, path, one)
    )
    if not text:
        return ""
    source = "" if present else f" as of {header.head[:12]}, not of HEAD"
    return f"citator: on record here{source}\n{text}"[:MOST_CHARACTERS]


def _opened(here: Here) -> tuple[kept.Table, kept.Header] | None:
    """The table, where it can be read and was made for what may be shown now; else it is to be
    made anew. The caller closes it."""
    table = None
    with suppress(*kept.UNREADABLE):
        table = kept.Table(kept.table_of(here.place, here.tree))
        header = table.header(here.tree)
        if header is not None and header.key == kept.key(here.data, here.place):
            return table, header
    if table is not None:
        table.close()
    _refresh(here)
    return None


def _about(table: kept.Table, path: str, present: bool) -> str:
    """The lines about a file, also where it is new; without signed words for another HEAD."""
    raw = table.said(path) or table.said(kept.at_folder(path))
    if raw is None:
        return ""
    about, lines = json.loads(raw)
    said = [f"- {line}: {json.dumps(words)}" if words and present else f"- {line}"
            for line, words in lines]  # fmt: skip
    return "\n".join([f"{about}:", *said])


def _leave(event: str, client: str, said: Asked, here: Here) -> None:
    """Keep what happened, and start what takes it in: a rebase makes many commits at once."""
    facts = {
        "event": event, "client": client, "session": said.conversation,
        "at": int(here.now), "head": kept.head_of(here.tree), "tree": str(here.tree.top),
    }  # fmt: skip
    if kept.spool(here.place, here.tree, facts, here.now):
        _start(here)


def _refresh(here: Here) -> None:
    """Have the table made anew for the next time; not again at once where that was asked."""
    mark = kept.folder_of(here.place) / "asked"
    with suppress(OSError):
        if here.now - mark.stat().st_mtime < _AGAIN_SECONDS:
            return
    mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark.write_bytes(b"")
    _start(here)


def _start(here: Here) -> None:
    """A process of its own that takes in what is left, and outlives whoever started this one."""
    command = [sys.executable, "-P", "-m", "citator", "hooks", "work", "--root", str(here.tree.top)]
    if sys.platform == "win32":
        import subprocess

        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        none = subprocess.DEVNULL
        subprocess.Popen(command, stdin=none, stdout=none, stderr=none, creationflags=flags)
        return
    null = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_RDWR, 0) for at in range(3)]
    try:
        os.posix_spawn(command[0], command, os.environ, file_actions=null, setsid=True)
    except NotImplementedError:
        os.posix_spawn(command[0], command, os.environ, file_actions=null, setpgroup=0)


if __name__ == "__main__":
    main()
