"""``import theurian``: a Theurian record (its migrations and bodies) → drafts.

- A body is read only where its file lies in the record's folder and has the digest that the
  migration pins; one that has not is told, and its text is not imported.
- Proposals that had not landed there come in after what had.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Final

from citator.formats.ruling import ruling_of
from citator.formats.theurian import Change, NotTheurianError, Source, parse
from citator.model.errors import UsageError
from citator.model.record import RULING_CHARACTERS
from citator.record.importing.theurian import Body, Folding
from citator.service.import_files import plain_text, read_directory, read_file
from citator.service.importing import Reading

MAX_BYTES: Final = 4 * 1024 * 1024
FOLDER: Final = ".theurian"
MARKDOWN: Final = "text/markdown"


def read(folder: Path) -> Reading:
    """The record in ``folder``: a ``.theurian``, or what holds one.

    Raises UsageError where there is none, RefusedError where it is too large.
    """
    base = folder / FOLDER if (folder / FOLDER).is_dir() else folder
    if not (base / "migrations").is_dir():
        raise UsageError(
            "no_theurian_record",
            "there is no Theurian record in that directory",
            "name the directory that holds `.theurian`, or that directory itself",
        )
    skipped: list[tuple[str, str]] = []
    landed = _sources(base, "migrations", skipped)
    proposed: list[Source] = []
    for name in ("proposals", "proposals-local"):
        if (base / name).is_dir():
            proposed += _sources(base, name, skipped)
    folding = Folding(_bodies(base, [*landed, *proposed], skipped))
    folding.fold(landed, proposed)
    drafts, unusable = folding.drafts()
    read_count = len(landed) + len(proposed) + len(skipped)
    return Reading(tuple(drafts), read_count, (*skipped, *unusable))


def _sources(base: Path, name: str, skipped: list[tuple[str, str]]) -> list[Source]:
    found = []
    for file in read_directory(base / name, (".yaml", ".yml"), MAX_BYTES):
        path = f"{name}/{file.path}"
        text = file.text
        if text is None:
            skipped.append((path, file.problem or "not_utf8"))
            continue
        try:
            found.append(parse(text, path.rpartition("/")[0]))
        except NotTheurianError as error:
            skipped.append((path, str(error)))
    return found


def _bodies(
    base: Path, sources: Sequence[Source], skipped: list[tuple[str, str]]
) -> dict[tuple[str, str], Body]:
    found: dict[tuple[str, str], Body] = {}
    for source in sources:
        for change in source.changes:
            if change.name != "upsertRevision":
                continue
            name = change.text("contentFile")
            content = _content(base, source, change)
            if isinstance(content, str):
                skipped.append((name, content))
                continue
            try:
                found[source.id, name] = _body(plain_text(content), change)
            except UnicodeDecodeError:
                skipped.append((name, "not_utf8"))
    return found


def _content(base: Path, source: Source, change: Change) -> bytes | str:
    """The bytes of a body with the digest that is pinned, or a code that says why not."""
    named = change.text("contentFile")
    problem = "body_missing"
    for name in _candidates(base, source.folder, named):
        file = read_file(base, name, MAX_BYTES)
        if file.content is None:
            problem = file.problem if file.problem != "unreadable" else problem
        elif hashlib.sha256(file.content).hexdigest() == change.text("contentSha256").lower():
            return file.content
        else:
            problem = "digest_mismatch"
    return problem


def _candidates(base: Path, folder: str, named: str) -> list[str]:
    """Where a body may lie: as named from its migration; with a proposal, anywhere beside it."""
    direct = normpath(f"{folder}/{named}")
    if not folder.startswith("proposals"):
        return [direct]
    wanted = PurePosixPath(named).name
    beside = [
        f"{folder}/{path.relative_to(base / folder).as_posix()}"
        for path in sorted((base / folder).rglob("*"))
        if path.name == wanted
    ]
    moved = normpath(f"migrations/{named}")
    return [*beside, direct, moved]


def _body(text: str, change: Change) -> Body:
    """A body with the ruling that can be cut from it. What is not Markdown stands as code."""
    text = text.replace("\0", "\ufffd")
    kind = change.metadata.get("contentType", MARKDOWN)
    if kind != MARKDOWN:
        fence = "`" * max(3, 1 + max(map(len, _ticks(text)), default=0))
        return f"{fence}\n{text.rstrip()}\n{fence}\n", False, ""
    ruling = ruling_of(text, RULING_CHARACTERS)
    return text, bool(ruling), ruling


def _ticks(text: str) -> list[str]:
    return re.findall("`{3,}", text)
