"""A skill as a folder (the open Agent Skills form), and as the one byte string that is signed.

- Read once, bounded in files, bytes and depth. Links, devices, pipes and names that are not plain
  refuse the whole folder; nothing in it is run, and nothing is skipped.
- Packed, it is every path, mode and byte of it, framed and in order. The digest is of that: what
  an agent can be shown has no other source.
- ``SKILL.md`` opens with front matter: ``name`` (the folder's own) and ``description``. What it
  declares to this product stands in ``metadata`` as words of closed grammars.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from citator.formats.front_matter import FrontMatter, read_front_matter
from citator.model.plain import is_plain
from citator.trust import canonical
from citator.trust.errors import SkillRefusedError

MAX_FILES: Final = 64
MAX_FILE: Final = 1 << 17
MAX_TOTAL: Final = 1 << 18
MAX_DEPTH: Final = 4
MAX_ENTRIES: Final = 256
MAX_PACKED: Final = MAX_TOTAL + MAX_FILES * 256
MAX_DESCRIPTION: Final = 1024
MAX_WORDS: Final = 16
ENTRY: Final = "SKILL.md"
PERMISSIONS: Final = ("network", "read", "run", "secrets", "write")

_HEAD: Final = b"citator-skill@v1\n"
NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_WORD: Final = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
_FRAME: Final = re.compile(rb"([^\x00\n]{1,200})\x00([x-])\x00(0|[1-9][0-9]{0,6})\n")
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True, slots=True)
class SkillFile:
    """One file: its path below the folder (plain, with slashes), mode and bytes."""

    path: str
    executable: bool
    content: bytes

    @property
    def text(self) -> str | None:
        """Its text, None where it is none."""
        try:
            return self.content.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            return None


@dataclass(frozen=True)
class Skill:
    """A whole folder. Making one that is no skill raises SkillRefusedError."""

    files: tuple[SkillFile, ...]

    def __post_init__(self) -> None:
        paths = [one.path for one in self.files]
        if len(paths) > MAX_FILES or sum(len(one.content) for one in self.files) > MAX_TOTAL:
            raise _refused("skill_too_large", "the skill holds more than a skill may")
        if not all(map(_is_safe, paths)) or paths != sorted(paths):
            raise _refused("skill_name_refused", "a file's name in the skill is not a plain one")
        if len({path.casefold() for path in paths}) != len(paths):
            raise _refused("skill_name_refused", "two names in the skill are one on some systems")
        if NAME.fullmatch(self.name) is None or len(self.name) > 64:
            raise _malformed("its `name` is not lowercase words with hyphens")
        if not 0 < len(self.description) <= MAX_DESCRIPTION:
            raise _malformed(f"its `description` has not 1 to {MAX_DESCRIPTION} characters")
        for words in (self.domains, self.intents, self.permissions):
            if not are_words(words):
                raise _malformed("what its `metadata` declares to citator is not plain words")
        if not set(self.permissions) <= set(PERMISSIONS):
            raise _malformed(f"its permissions are not of: {', '.join(PERMISSIONS)}")

    @cached_property
    def packed(self) -> bytes:
        """Every path, mode and byte."""
        frames = (
            b"%s\0%s\0%d\n%s"
            % (one.path.encode(), b"x" if one.executable else b"-", len(one.content), one.content)
            for one in self.files
        )
        return _HEAD + b"".join(frames)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all of it: what is approved, and the digits of its reference."""
        return canonical.digest(self.packed)

    @cached_property
    def fields(self) -> FrontMatter:
        """The front matter of ``SKILL.md``. Raises SkillRefusedError."""
        entry = next((one for one in self.files if one.path == ENTRY), None)
        if entry is None or entry.text is None:
            raise _malformed(f"it has no `{ENTRY}` that is text")
        found = read_front_matter(entry.text.split("\n"))
        if not found.lines or found.unreadable:
            raise _malformed(f"the front matter of its `{ENTRY}` cannot be read")
        return found

    @property
    def name(self) -> str:
        """What it is called: plain."""
        return self.fields.text("name") or ""

    @property
    def description(self) -> str:
        """What it says of itself. Its author's words."""
        return self.fields.text("description") or ""

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains that it declares, sorted."""
        return self._declared("citator-domains")

    @property
    def intents(self) -> tuple[str, ...]:
        """The intents that it declares, sorted; none: all."""
        return self._declared("citator-intents")

    @property
    def permissions(self) -> tuple[str, ...]:
        """What whoever follows it has to be able to do, of :data:`PERMISSIONS`, sorted."""
        return self._declared("citator-permissions")

    def _declared(self, key: str) -> tuple[str, ...]:
        metadata = self.fields.values.get("metadata")
        said = metadata.get(key) if isinstance(metadata, Mapping) else None
        return tuple(sorted(set(said.split()))) if isinstance(said, str) else ()


def are_words(words: tuple[str, ...]) -> bool:
    """Whether they are few, sorted, once each, and lowercase words."""
    return (
        len(words) <= MAX_WORDS
        and list(words) == sorted(set(words))
        and all(len(one) <= 40 and _WORD.fullmatch(one) for one in words)
    )


def unpacked(data: bytes) -> Skill:
    """The skill that was packed as ``data``, to the byte. Raises SkillRefusedError."""
    files: list[SkillFile] = []
    at = len(_HEAD)
    while at < len(data) and len(files) <= MAX_FILES:
        frame = _FRAME.match(data, at)
        if frame is None:
            break
        end = frame.end() + int(frame[3])
        path = frame[1].decode("ascii", "replace")
        files.append(SkillFile(path, frame[2] == b"x", data[frame.end() : end]))
        at = end
    skill = Skill(tuple(files))
    if skill.packed != data:
        raise _malformed("it is not what `citator skills ingest` kept")
    return skill


def read_folder(folder: Path) -> Skill:
    """The skill in ``folder``, whose name is its own. Raises SkillRefusedError."""
    try:
        if folder.is_symlink() or not folder.is_dir():
            raise _refused("skill_missing", f"no folder stands there (it is what holds `{ENTRY}`)")
        files = sorted(_files(folder), key=lambda one: one.path)
    except OSError:
        raise _refused("skill_unreadable", "the folder cannot be read whole") from None
    skill = Skill(tuple(files))
    if skill.name != folder.resolve().name:
        raise _malformed("its `name` is not that of its folder")
    return skill


def _files(folder: Path) -> Iterator[SkillFile]:
    seen = total = 0
    waiting = [(folder, 0)]
    while waiting:
        directory, depth = waiting.pop()
        with os.scandir(directory) as entries:
            for entry in entries:
                seen += 1
                if seen > MAX_ENTRIES or depth >= MAX_DEPTH:
                    raise _refused("skill_too_large", "the folder is too full or too deep")
                path = Path(entry.path)
                name = path.relative_to(folder).as_posix()
                if not _is_safe(name):
                    raise _refused("skill_name_refused", "a name in the folder is not a plain one")
                if entry.is_symlink():
                    raise _refused("skill_link", "a link stands in the folder")
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((path, depth + 1))
                    continue
                executable, content = _read(path, MAX_TOTAL - total)
                total += len(content)
                yield SkillFile(name, executable, content)


def _read(path: Path, room: int) -> tuple[bool, bytes]:
    """Mode and bytes of the very file that was opened."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise _refused("skill_special", "something that is no file stands in the folder")
    descriptor = os.open(path, _FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise _refused("skill_special", "something that is no file stands in the folder")
        limit = min(MAX_FILE, room)
        content = file.read(limit + 1)
    if len(content) > limit:
        raise _refused("skill_too_large", "the folder holds more than a skill may")
    return bool(facts.st_mode & 0o100) and os.name != "nt", content


def _is_safe(path: str) -> bool:
    parts = path.split("/")
    return is_plain(path) and ":" not in path and not {"", ".", ".."} & set(parts)


def _malformed(what: str) -> SkillRefusedError:
    return _refused("skill_malformed", f"that is no skill: {what}")


def _refused(code: str, what: str) -> SkillRefusedError:
    return SkillRefusedError(
        code,
        what,
        f"a skill is a folder of at most {MAX_FILES} plain files ({MAX_TOTAL >> 10} KiB) with a "
        f"`{ENTRY}`: docs/how-to/skills.md",
    )
