"""Our line in git's ``post-commit``: text to text.

- It stands first, after the line that names the shell, so that it runs whatever the rest does; it
  waits for nothing, hands nothing on, and cannot fail the hook.
- A hook that is no script of a shell is its author's: it is not touched.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from citator.clients.blocks import Block
from citator.clients.editing import NotEditableError, line_end_of

NAME: Final = "post-commit"
EVENT: Final = "after-commit"
BLOCK: Final = Block("# >>> citator hooks >>>", "# <<< citator hooks <<<")
_SHELL: Final = re.compile(r"#! ?(?:\S*/)?(?:env (?:-S ?)?)?(?:\S*/)?(?:ba|da|k|z|a)?sh\b[^\n]*\n?")
_START: Final = "#!/bin/sh\n"


def put(text: str, command: tuple[str, ...]) -> str:
    """``text`` with our line. Raises NotEditableError for what is no script of a shell."""
    first = _SHELL.match(text)
    if text and first is None:
        raise NotEditableError("it is no script of a shell", 1)
    if "\0" in text:
        raise NotEditableError("it is no text")
    text = text or _START
    at = len(first[0]) if first is not None else len(_START)
    if not text[:at].endswith("\n"):
        text, at = text + line_end_of(text), at + len(line_end_of(text))
    return BLOCK.put(text, line(command), after=at)


def line(command: tuple[str, ...]) -> str:
    """The line itself."""
    return f"{shlex.join(command)} </dev/null >/dev/null 2>&1 || :"


def remove(text: str) -> str:
    """``text`` without our line; "" where nothing but the name of a shell is left of it."""
    if BLOCK.inside(text) is None:
        return text
    left = BLOCK.remove(text)
    return "" if left == _START else left
