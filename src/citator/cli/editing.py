"""A person's editor, on a file of ours.

- ``VISUAL`` before ``EDITOR``; where neither is set, what this kind of system has, and that only
  at a terminal: in a pipe it would wait for nobody.
- The file is kept where something went wrong with it, and its place told; otherwise it is taken
  away again.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from citator.model.errors import RefusedError
from citator.model.inert import inert_line
from citator.store.files import guarded, make_directory, write_atomically

OPTIONS = "say it all: --title, --ruling and --body-file FILE"
USUAL = ("sensible-editor", "nano", "vim", "vi")


def edited(
    text: str, path: Path, environ: Mapping[str, str] = os.environ, otherwise: str = OPTIONS
) -> str:
    """What a person makes of ``text``, edited in the new file ``path`` (which stays).
    ``otherwise`` is what they can do without an editor.

    Raises RefusedError where there is no editor, or it fails; StorageError.
    """
    from citator.cli.signing import at_a_terminal

    command = editor(environ, otherwise)
    if not (environ.get("VISUAL") or environ.get("EDITOR") or at_a_terminal()):
        raise _no_editor("nobody is at a terminal here to write", otherwise)
    make_directory(path.parent)
    write_atomically(path, text.encode())
    try:
        done = subprocess.run([*command, str(path)], check=False)
    except OSError:
        path.unlink(missing_ok=True)
        raise _no_editor("the editor could not be started", otherwise) from None
    with guarded():
        try:
            kept = path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            kept = ""
        except UnicodeDecodeError:
            raise RefusedError(
                "template_unreadable",
                "what was saved is not UTF-8; nothing was changed",
                f"it is kept at {inert_line(str(path))}",
            ) from None
    if done.returncode != 0:
        if kept == text:
            path.unlink(missing_ok=True)
        raise RefusedError(
            "editor_failed",
            "the editor did not end well; nothing was changed",
            f"what you wrote is kept at {inert_line(str(path))}"
            if kept != text
            else "run it again, or name another editor in EDITOR",
        )
    return kept


def editor(environ: Mapping[str, str], otherwise: str = OPTIONS) -> list[str]:
    """The command that edits a file. Raises RefusedError."""
    named = environ.get("VISUAL") or environ.get("EDITOR")
    if named:
        words = [named] if Path(named).is_file() else shlex.split(named, posix=os.name != "nt")
        if words:
            return words
    if os.name == "nt":
        return ["notepad.exe"]
    for name in USUAL:
        found = shutil.which(name, path=environ.get("PATH"))
        if found and environ.get("TERM", "dumb") != "dumb":
            return [found]
    raise _no_editor("there is no editor to write in", otherwise)


def _no_editor(what: str, otherwise: str) -> RefusedError:
    return RefusedError(
        "no_editor",
        f"{what}; nothing was changed",
        f"name one in EDITOR, or {otherwise}",
    )
