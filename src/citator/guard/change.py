"""An intended change: each file as it was and as it would be, and what is new in it.

- What counts as added is what neither the file had before nor another file of the change loses: a
  line that moves is not new. White space at the end of a line is of no account.
- A patch is laid over the file that it is for; where it does not fit, its own lines are all that is
  known, and names that need whole files are not read from it.
- Binary files, and files that are too large, change by their path alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from citator.formats.patch import FilePatch, Patch
from citator.sources.removals import dependencies
from citator.sources.removals.marks import significant

MAX_FILE: Final = 1 << 20
MAX_ADDED: Final = 60_000

Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Dependency:
    """One that a manifest or lock file names and did not name before. ``line`` 0: unknown."""

    ecosystem: str
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file. A path is None where there is no file on that side; a content is None where there
    is none, or none that is text. ``added`` and ``removed`` are numbered lines, from 1;
    ``dependencies`` are those that are new, by name, where the file is whole."""

    old_path: str | None
    new_path: str | None
    old: bytes | None = None
    new: bytes | None = None
    added: tuple[Line, ...] = ()
    removed: tuple[Line, ...] = ()
    whole: bool = True
    dependencies: tuple[Dependency, ...] = ()

    @property
    def path(self) -> str:
        """Where it is, or was."""
        return self.new_path or self.old_path or ""


@dataclass(frozen=True, slots=True)
class Change:
    """What would change. ``unread`` are files of which only the path is known, against what they
    are; ``cut`` says that more was given than is looked at."""

    files: tuple[FileChange, ...] = ()
    unread: int = 0
    cut: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that is touched, both ends of a rename, sorted."""
        ends = {one for file in self.files for one in (file.old_path, file.new_path) if one}
        return tuple(sorted(ends))


def changed(files: Iterable[FileChange], unread: int = 0, *, cut: bool = False) -> Change:
    """A change of files, with what moves between them taken out of what is new.

    Manifests are read here and once: every decision and rejection is held against what they name.
    """
    known = list(files)
    moved = {text for one in known for _, line in one.removed if (text := significant(line))}
    left = MAX_ADDED
    settled = []
    for one in known:
        added = tuple(line for line in one.added if significant(line[1]) not in moved)
        kept = replace(one, added=added[: max(left, 0)])
        settled.append(replace(kept, dependencies=tuple(_new_dependencies(kept))))
        left -= len(added)
    return Change(tuple(settled), unread, cut or left < 0)


def _new_dependencies(file: FileChange) -> Iterable[Dependency]:
    path = file.new_path
    if path is None or not file.whole:
        return
    after = dependencies.named_in(path, file.new)
    before = dependencies.named_in(path, file.old)
    if after is None or before is None:
        return
    for name in sorted(after.names - before.names):
        line = next((at for at, text in file.added if name in text.lower()), 0)
        yield Dependency(after.ecosystem, name, line)


def named(path: str) -> FileChange:
    """A file that somebody means to touch: nothing is known but where it is."""
    return FileChange(path, path, whole=False)


def compared(
    old_path: str | None, new_path: str | None, old: bytes | None, new: bytes | None
) -> FileChange:
    """A file as it was and as it would be."""
    before, after = _text(old), _text(new)
    if (old is not None and before is None) or (new is not None and after is None):
        return FileChange(old_path, new_path, whole=False)
    first, second = _lines(before), _lines(after)
    return FileChange(
        old_path,
        new_path,
        before,
        after,
        tuple(_beyond(second, first)),
        tuple(_beyond(first, second)),
    )


def _text(content: bytes | None) -> bytes | None:
    """``content`` where it is text of a size that is looked at."""
    if content is None or len(content) > MAX_FILE or b"\0" in content[:8192]:
        return None
    return content


def _lines(content: bytes | None) -> list[str]:
    if not content:
        return []
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    return [line.rstrip() for line in (lines[:-1] if not lines[-1] else lines)]


def _beyond(these: Sequence[str], those: Sequence[str]) -> Iterable[Line]:
    """The lines that ``these`` has more often than ``those``: the last ones of each kind."""
    more = Counter(these)
    more.subtract(Counter(those))
    found = []
    for at in range(len(these), 0, -1):
        line = these[at - 1]
        if more[line] > 0:
            more[line] -= 1
            found.append((at, line))
    return reversed(found)


def of_patch(patch: Patch, read: Callable[[str], bytes | None]) -> Change:
    """The change that a patch makes. ``read`` gives the content of a path as it stands."""
    files = [_patched(one, read) for one in patch.files]
    return changed(files, patch.unread, cut=patch.cut)


def _patched(one: FilePatch, read: Callable[[str], bytes | None]) -> FileChange:
    if one.binary:
        return FileChange(one.old_path, one.new_path, whole=False)
    old = read(one.old_path) if one.old_path is not None else b""
    laid = None if old is None else _laid(_lines(old), one)
    if old is None or laid is None:
        return _alone(one)
    new = "\n".join([*laid, ""]).encode("utf-8", "surrogateescape")
    return compared(
        one.old_path,
        one.new_path,
        old if one.old_path is not None else None,
        new if one.new_path is not None else None,
    )


def _laid(lines: list[str], one: FilePatch) -> list[str] | None:
    """The lines with the patch over them; None where it is for other lines."""
    made: list[str] = []
    at = 0
    for hunk in one.hunks:
        before = [text.rstrip() for sign, text in hunk.lines if sign != "+"]
        start = hunk.old - 1 if before else hunk.old
        if start < at or lines[start : start + len(before)] != before:
            return None
        made += lines[at:start]
        made += [text.rstrip() for sign, text in hunk.lines if sign != "-"]
        at = start + len(before)
    return made + lines[at:]


def _alone(one: FilePatch) -> FileChange:
    """What a patch says of a file by itself."""
    added, removed = (
        tuple((at, text.rstrip()) for at, text in one.numbered(sign)) for sign in "+-"
    )
    return FileChange(one.old_path, one.new_path, added=added, removed=removed, whole=False)
