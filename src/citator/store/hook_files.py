"""What hooks read and leave, with the standard library alone: they start for every edit.

    <place>/derived/hooks/<tree>.sqlite   what may be said in one work tree: disposable
    <place>/derived/hooks/fired/          one small file for each client and event: when it last was
    <place>/derived/hooks/told/           what a conversation was told already
    <place>/local/hooks/                  what happened and is not taken in yet: one file each

- No git is run: the repository is found as git finds it, from its own files, each read bounded.
- A table says for which HEAD it was made, and for which state of what may be shown at all (the
  :func:`key`): what was withdrawn, removed or hidden since changes one of the two, so that whoever
  reads it can tell, whatever wrote.
- A table is replaced whole, and read without a lock.
- Nothing that is slow to load: ``dataclasses`` and ``typing`` alone take a quarter of a start.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

FOLDER: Final = "hooks"
FORMAT: Final = 1
HEADER: Final = ""
PLACE_DIGITS: Final = 12
MOST_FILES: Final = 2_000
MOST_SPOOLED: Final = 1_000
SOON_SECONDS: Final = 30
_PACKED: Final = 32 << 20
_TABLE: Final = "create table said (path text primary key, said text not null) without rowid"
_ID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
UNREADABLE: Final = (sqlite3.Error, OSError, ValueError, KeyError, TypeError)
_STORES: Final = ("notes", "sessions")
_TRUST: Final = ("audience.json", "ledgers.json", "pins", "readership.json", "words.json")


class Tree:
    """A work tree: its top folder, its git directory, and the one that its worktrees share."""

    __slots__ = ("common_dir", "git_dir", "top")

    def __init__(self, top: Path, git_dir: Path, common_dir: Path) -> None:
        self.top, self.git_dir, self.common_dir = top, git_dir, common_dir


class Header:
    """For what a table was made: ``head`` and ``key`` then, when (Unix seconds), the brief."""

    __slots__ = ("brief", "head", "key", "made")

    def __init__(self, head: str, key: str, made: int, brief: str) -> None:
        self.head, self.key, self.made, self.brief = head, key, made, brief


def tree_of(start: Path) -> Tree | None:
    """The work tree that holds ``start``; None where there is none."""
    folder = Path(os.path.realpath(start))
    with suppress(OSError, ValueError):
        device = folder.stat().st_dev
        for one in (folder, *folder.parents):
            if one.stat().st_dev != device:
                return None
            git_dir = _git_dir(one / ".git")
            if git_dir is not None:
                shared = _line(git_dir / "commondir")
                common = git_dir if shared is None else Path(os.path.realpath(git_dir / shared))
                return Tree(one, git_dir, common)
    return None


def _git_dir(link: Path) -> Path | None:
    """The git directory that ``.git`` is or names."""
    if not link.is_dir():
        said = _line(link)
        if said is None or not said.startswith("gitdir: "):
            return None
        link = link.parent / said.removeprefix("gitdir: ")
    return Path(os.path.realpath(link)) if (link / "HEAD").is_file() else None


def _line(path: Path) -> str | None:
    """The one line of a small file; None where there is none."""
    try:
        with path.open("rb") as file:
            raw = file.read(4096)
    except OSError:
        return None
    return os.fsdecode(raw.rstrip(b"\r\n")) if b"\0" not in raw else None


def head_of(tree: Tree) -> str | None:
    """The commit at HEAD as the files say it; None where they do not (another kind of store)."""
    said = _line(tree.git_dir / "HEAD") or ""
    name = said.removeprefix("ref: ").strip()
    if said == name:
        return name if _ID.fullmatch(name) else None
    if not name.startswith("refs/") or ".." in name or "\\" in name:
        return None
    loose = _line(tree.common_dir / name)
    if loose is not None:
        return loose if _ID.fullmatch(loose) else None
    with suppress(OSError), (tree.common_dir / "packed-refs").open("rb") as file:
        found = re.search(rb"^([0-9a-f]{40,64}) %b\r?$" % re.escape(os.fsencode(name)),
                          file.read(_PACKED), re.MULTILINE)  # fmt: skip
        if found:
            return found[1].decode()
    return None


def data_directory(environ: Mapping[str, str], system: str) -> Path | None:
    """The data directory of this user, as the command finds it; None where there is none yet.

    macOS has two, by the version of what names it for the command: the first that is there.
    """
    said = environ.get("CITATOR_DATA_DIR")
    if said:
        return Path(os.path.normpath(Path(said).expanduser().absolute()))
    shared = Path(environ.get("XDG_DATA_HOME", ""))
    bases = [shared] if shared.is_absolute() and system != "win32" else []
    with suppress(RuntimeError):
        home = Path.home()
        if system == "win32":
            bases.append(Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local"))
        elif system == "darwin":
            bases.append(home / "Library" / "Application Support")
        elif not bases:
            bases.append(home / ".local" / "share")
    return next((base / "citator" for base in bases if (base / "citator").is_dir()), None)


def place_of(data: Path, common_dir: Path) -> Path | None:
    """The directory of the clone at ``common_dir``, where it is registered and still current."""
    digest = hashlib.sha256(os.fsencode(common_dir)).hexdigest()[:PLACE_DIGITS]
    for place in sorted(data.glob(f"*-{digest}")):
        if not place.is_symlink():
            with suppress(OSError, ValueError, AttributeError):
                said = json.loads((place / "repository.json").read_bytes())
                if said.get("current") is True and said.get("common_dir") == str(common_dir):
                    return place
    return None


def key(data: Path, place: Path) -> str:
    """A digest of what decides what may be shown: trust, readership and what was remembered, by
    the sizes and times of its files. Raises OSError."""
    said = [str(FORMAT)]
    looked_at = [data / "trust" / one for one in _TRUST]
    looked_at += [place / "local" / one / "journal" for one in _STORES]
    looked_at += [place / "local" / "brief.json"]
    for path in _files(looked_at):
        facts = path.stat()
        said.append(f"{path} {facts.st_size} {facts.st_mtime_ns}")
    return hashlib.sha256("\n".join(said).encode("utf-8", "surrogateescape")).hexdigest()


def _files(looked_at: Iterable[Path]) -> Iterator[Path]:
    """The files, and those in the folders, of ``looked_at``; locks and half of a write are none."""
    count = 0
    for one in looked_at:
        try:
            found = sorted(one.iterdir()) if one.is_dir() else None
        except FileNotFoundError:
            continue
        if found is None:
            if one.exists():
                yield one
            continue
        for path in found:
            count += 1
            if count > MOST_FILES:
                raise OSError("too many files")
            if path.name != "lock" and not path.name.startswith("."):
                yield path


# -- the table


def folder_of(place: Path) -> Path:
    """Where the tables of a clone lie, with what else is disposable."""
    return place / "derived" / FOLDER


def table_of(place: Path, tree: Tree) -> Path:
    """The table of one work tree."""
    return folder_of(place) / f"{_digest(os.fsencode(tree.git_dir))}.sqlite"


def written(path: Path, tree: Tree, header: Header, said: Mapping[str, str]) -> None:
    """Make a table at ``path``, which is not there. Raises sqlite3.Error."""
    facts = {
        "v": FORMAT, "tree": str(tree.git_dir), "head": header.head, "key": header.key,
        "made": header.made, "brief": header.brief,
    }  # fmt: skip
    rows = [(HEADER, json.dumps(facts)), *said.items()]
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma synchronous=off")
        db.execute(_TABLE)
        db.executemany("insert into said values (?, ?)", rows)
        db.commit()


class Table:
    """An open table, read only."""

    def __init__(self, path: Path) -> None:
        """Raises sqlite3.Error, OSError."""
        if not path.is_file():
            raise FileNotFoundError(path)
        self._db = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def said(self, path: str) -> str | None:
        """What is kept under ``path``."""
        query = "select said from said where path = ?"
        row = self._db.execute(query, (path,)).fetchone()
        return None if row is None else str(row[0])

    def header(self, tree: Tree) -> Header | None:
        """For what it was made; None where that is not ``tree``. Raises ValueError, KeyError."""
        found = json.loads(self.said(HEADER) or "{}")
        if found.get("v") != FORMAT or found.get("tree") != str(tree.git_dir):
            return None
        return Header(
            str(found["head"]), str(found["key"]), int(found["made"]), str(found["brief"])
        )


def at_folder(path: str) -> str:
    """The name under which a table keeps what holds for a new file beside ``path``."""
    folder, _, name = path.rpartition("/")
    ending = name.rpartition(".")[2] if "." in name[1:] else ""
    return f"{folder}/\0{ending}" if folder else f"\0{ending}"


def destroy(place: Path) -> None:
    """Take the tables of a clone away, of all its work trees. One that cannot be is read no more:
    whoever calls changed what it was made for."""
    for path in folder_of(place).glob("*.sqlite"):
        with suppress(OSError):
            path.unlink()


# -- what happened


def note_fired(place: Path, client: str, event: str, spoke: bool) -> None:
    """Keep that a hook was here, now: the file's own time. Raises OSError."""
    folder = folder_of(place) / "fired"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / f"{client}.{event}").write_bytes(b"spoke\n" if spoke else b"silent\n")


def last_fired(place: Path, client: str, event: str) -> float | None:
    """When that hook was last here, in Unix seconds; None for never."""
    try:
        return (folder_of(place) / "fired" / f"{client}.{event}").stat().st_mtime
    except OSError:
        return None


def first_time(place: Path, conversation: str, path: str, said: str) -> bool:
    """Whether this is told to a conversation for the first time; "" is none, and told always."""
    if not conversation:
        return True
    folder = folder_of(place) / "told" / _digest(conversation.encode())
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    raw = f"{path}\0{said}".encode("utf-8", "surrogateescape")
    try:
        os.close(os.open(folder / _digest(raw), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def forget_told(place: Path, conversation: str) -> None:
    """A conversation that starts again, or lost what it read, is told everything again."""
    folder = folder_of(place) / "told" / _digest(conversation.encode())
    with suppress(OSError):
        for one in folder.iterdir():
            one.unlink()


def spool(place: Path, tree: Tree, facts: Mapping[str, Any], moment: float) -> bool:
    """Keep what happened in a work tree until it is taken in. False where somebody is about to: an
    event of the last :data:`SOON_SECONDS` is not taken in yet, and whoever does looks once more
    after it. ``moment`` is Unix seconds. Raises OSError."""
    folder = place / "local" / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    whose = _digest(os.fsencode(tree.git_dir))
    name = f"{whose}.{time.time_ns()}-{os.getpid()}"
    if sum(1 for _ in folder.iterdir()) < MOST_SPOOLED:
        part = folder / f".{name}"
        part.write_bytes(json.dumps(dict(facts)).encode("ascii"))
        part.replace(folder / f"{name}.json")
    for other in folder.glob(f"{whose}.*.json"):
        with suppress(OSError):
            if other.stem != name and moment - other.stat().st_mtime < SOON_SECONDS:
                return False
    return True


def spooled(place: Path) -> list[tuple[Path, dict[str, Any]]]:
    """What is not taken in yet, oldest first; of what is no object, {}."""
    found = []
    folder = place / "local" / FOLDER
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        facts: Any = None
        with suppress(OSError, ValueError, RecursionError), path.open("rb") as file:
            facts = json.loads(file.read(65_536))
        found.append((path, facts if isinstance(facts, dict) else {}))
    return found


def token(value: object) -> str:
    """``value`` where it is a plain token, else ""."""
    return value if isinstance(value, str) and _TOKEN.fullmatch(value) else ""


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:16]
