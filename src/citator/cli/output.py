"""What leaves on standard output: valid UTF-8, ``\\n`` line ends, one JSON object a command.

- JSON is UTF-8 whatever the locale says; text in a narrower encoding shows what does not fit
  as a backslash escape. A lone surrogate (a byte that was not UTF-8) becomes a visible escape.
- What could steer a terminal stands in JSON as its escape: the value is the same.
- Nothing here decides what may be shown: the commands do.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from citator.model.errors import ExitCode
from citator.model.inert import inert, inert_json

_SURROGATE = re.compile("[\ud800-\udfff]")


def prepare_streams() -> None:
    """Make both streams unable to fail on a character; a pipe gets UTF-8 on every platform."""
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        stream.reconfigure(errors="backslashreplace", newline="\n")
        if not stream.isatty() and "PYTHONIOENCODING" not in os.environ:
            stream.reconfigure(encoding="utf-8")


def encodable(text: str) -> str:
    """``text`` with every lone surrogate as a visible ``\\u{dcXX}``."""
    return _SURROGATE.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", text)


def write_lines(lines: Iterable[str]) -> None:
    """Lines to standard output."""
    sys.stdout.write("".join(f"{encodable(line)}\n" for line in lines))


def write_told(form: Mapping[str, Any], line: str, as_json: bool) -> ExitCode:
    """What was done, as ``form`` or as ``line``; the exit code of that."""
    if as_json:
        write_json(form)
    else:
        write_lines([line])
    return ExitCode.OK


def write_json(value: Mapping[str, Any]) -> None:
    """One JSON object on one line to standard output, as UTF-8 bytes."""
    dumped = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = _SURROGATE.sub(lambda match: f"\\\\u{{{ord(match[0]):x}}}", dumped)
    text = f"{inert_json(text)}\n"
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
    else:
        buffer.write(text.encode("utf-8"))
        buffer.flush()


def plain(value: Any) -> Any:
    """A frozen value of the model as JSON knows it: dataclasses by field name, enums by value."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Path):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [plain(item) for item in value]
    raise TypeError(type(value).__name__)


def inert_words(value: Any) -> Any:
    """A value as JSON knows it, every text in it inert: for words of a record, whose reader may
    print what they hold. Names of files stay as they are: they are for opening.
    """
    if isinstance(value, str):
        return inert(value)
    if isinstance(value, Mapping):
        return {key: inert_words(item) for key, item in value.items()}
    if isinstance(value, list):
        return [inert_words(item) for item in value]
    return value


def flush() -> None:
    """Hand over what was written, so that a reader who left is noticed while it can be handled."""
    sys.stdout.flush()
    sys.stderr.flush()
