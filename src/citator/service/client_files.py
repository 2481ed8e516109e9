"""The configuration files of clients on the disk: read whole, replaced whole, never lost.

- A link is followed only where its end stays inside the folder that the file belongs to, and
  never into ``.git``; what it points at is replaced, the link stays.
- Before a file is replaced its bytes are kept beside it under a name that was free; its
  permissions and its byte order mark stay. A file that changed meanwhile is left alone.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citator.model.errors import RefusedError, StorageError
from citator.model.inert import inert_line
from citator.store import files

MAX_BYTES: Final = 64 * 1024 * 1024
BACKUP: Final = ".citator-backup-"
SHARED: Final = 0o644
OWN: Final = 0o600

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file as it was read. ``data`` is None where there is none yet.

    ``target`` is where its bytes are, behind any link; ``mode`` its permissions.
    """

    path: Path
    target: Path
    text: str
    data: bytes | None = None
    bom: bool = False
    mode: int | None = None

    def encoded(self, text: str, *, bom: bool) -> bytes:
        """The bytes of ``text`` in this file. Raises RefusedError."""
        try:
            return (_BOM if self.bom and bom else b"") + text.encode("utf-8")
        except UnicodeEncodeError:
            raise RefusedError(
                "path_not_utf8",
                "the path of this repository or of this program is not valid UTF-8",
                "a client's configuration cannot hold it; use a path that is",
            ) from None


def read_config(path: Path, base: Path) -> ConfigFile:
    """The file at ``path``, which must stay inside ``base``. Raises RefusedError."""
    target = _target(path, base)
    try:
        facts = target.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ConfigFile(path, target, "")
    except OSError as error:
        raise _refused(path, "config_unreadable", "cannot be read", _why(error)) from None
    if not stat.S_ISREG(facts.st_mode):
        raise _refused(path, "config_not_a_file", "is not a file", "look at what is there")
    if facts.st_size > MAX_BYTES:
        raise _refused(path, "config_too_large", "is too large to edit", "look at what is there")
    try:
        data = target.read_bytes()
    except OSError as error:
        raise _refused(path, "config_unreadable", "cannot be read", _why(error)) from None
    bom = data.startswith(_BOM)
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refused(
            path,
            "config_not_utf8",
            f"is not UTF-8 (line {line}), so it was not touched",
            "save it as UTF-8 and run the same command again",
        ) from None
    return ConfigFile(path, target, text, data, bom, stat.S_IMODE(facts.st_mode))


def replace_config(file: ConfigFile, data: bytes, *, shared: bool) -> Path | None:
    """Write ``data`` and return where the old bytes are kept, None where there were none.

    ``shared``: a new file gets the permissions of a project's file, not its owner's alone.
    Raises RefusedError where the file is no longer what was read, and StorageError.
    """
    with _writing(file.path):
        if shared:
            file.target.parent.mkdir(parents=True, exist_ok=True)
        else:
            files.make_directory(file.target.parent)
        backup = None if file.data is None else _keep(file)
        try:
            _require_unchanged(file)
            mode = file.mode if file.mode is not None else (SHARED if shared else OWN)
            files.write_atomically(file.target, data, mode)
        except BaseException:
            if backup is not None:
                with suppress(OSError):
                    backup.unlink()
            raise
    return backup


def remove_config(file: ConfigFile) -> None:
    """Take the file away: for whoever knows that it holds nothing of anybody else's.

    Raises RefusedError where it is no longer what was read, and StorageError.
    """
    with _writing(file.path):
        _require_unchanged(file)
        file.target.unlink()


def _target(path: Path, base: Path) -> Path:
    """Where the bytes are. Raises RefusedError where that is outside ``base`` or in ``.git``."""
    target = Path(os.path.realpath(path))
    try:
        steps = target.relative_to(os.path.realpath(base)).parts
    except ValueError:
        raise _refused(
            path,
            "config_link_outside",
            "is a link that leads out of the folder it belongs to",
            "replace the link with a file, or put the entry there yourself",
        ) from None
    if ".git" in (step.casefold() for step in steps):
        raise _refused(
            path, "config_link_outside", "is a link into .git", "replace the link with a file"
        )
    return target


def _keep(file: ConfigFile) -> Path:
    """A copy beside the file, under a new name, with the same permissions."""
    assert file.data is not None
    number = 1
    while True:
        copy = file.target.with_name(f"{file.target.name}{BACKUP}{number}")
        try:
            descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, OWN)
        except FileExistsError:
            number += 1
            continue
        with os.fdopen(descriptor, "wb") as out:
            out.write(file.data)
            out.flush()
            os.fsync(out.fileno())
        if file.mode is not None and os.name == "posix":
            copy.chmod(file.mode)
        return copy


def _require_unchanged(file: ConfigFile) -> None:
    try:
        now: bytes | None = file.target.read_bytes()
    except FileNotFoundError:
        now = None
    if now != file.data:
        raise _refused(
            file.path,
            "config_changed",
            "was changed by another program meanwhile",
            "run the same command again",
        )


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """A failing disk in the words of this file, not of the data directory."""
    try:
        yield
    except StorageError as error:
        raise StorageError(
            "config_not_written",
            f"{inert_line(str(path))} could not be written ({error.code})",
            "see whether you may write there and whether the disk is full; it is as it was",
        ) from error
    except OSError as error:
        raise StorageError(
            "config_not_written",
            f"{inert_line(str(path))} could not be written ({_why(error)})",
            "see whether you may write there and whether the disk is full; it is as it was",
        ) from error


def _why(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, "unknown")


def _refused(path: Path, code: str, what: str, todo: str) -> RefusedError:
    return RefusedError(code, f"{inert_line(str(path))} {what}", todo)


_BINARY = getattr(os, "O_BINARY", 0)
