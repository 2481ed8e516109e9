"""What hooks may say, worked out beforehand: of each file of HEAD what bears on it, and the brief.

- Of a file: what governs it, what was rejected there, what is refused, what was taken back; by
  reference, and with the words of what a pinned key signed, for whom the operator granted.
- A file or commit that this machine's audience may not see is in no line.
- A table holds no longer than the HEAD it was made for and the state of what may be shown: the
  reader compares both (:mod:`citator.store.hook_files`). What takes a text back takes the bytes.
- Of a second ledger nothing is worked out beforehand: it can change without anything here that
  would tell. Where there is one the record has no line and the brief waits to be asked for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from citator.formats.globs import usable
from citator.git import trees
from citator.index.removals import Removals
from citator.model.errors import CitatorError, StorageError
from citator.model.plain import is_plain, shown_path
from citator.model.record import RecordStatus
from citator.model.treatment import Standing
from citator.record.outcome import refuse_of
from citator.service import removed
from citator.service.brief import brief
from citator.service.governing import Chosen, evidence, notice
from citator.service.kept_views import RecordView
from citator.service.proposing import Moment
from citator.service.readership import Mask, mask_of
from citator.service.record_view import audience_of, verified, view_of
from citator.service.treatment import treatments
from citator.service.workspace import Workspace
from citator.sources.removals.causes import Cause
from citator.store import files, hook_files
from citator.store.hook_files import Header, Tree
from citator.trust.ledgers import SecondLedgers

MOST_LINES: Final = 6
MOST_TAKEN_BACK: Final = 2
_NEW: Final = "zq0-new"

Line = tuple[str, str | None]
About = Callable[[str], list[Line]]


def refresh(workspace: Workspace, moment: Moment) -> bool:
    """Make the table of this work tree; False where there is none to make, or it was made already.

    Raises GitRefusedError, StorageError, IntegrityError.
    """
    tree, head = tree_of(workspace), workspace.head.commit
    if tree is None or head is None:
        return False
    place = workspace.place.directory
    key = _key(workspace)  # before anything is read: what changes meanwhile makes it of then
    made = moment.milliseconds // 1000
    said = dict(_said(workspace, head, moment))
    header = Header(head, key, made, _brief(workspace, moment))
    path = hook_files.table_of(place, tree)
    files.make_directory(path.parent)
    new = path.with_name(f".{path.name}.{os.getpid()}{files.UNFINISHED}")
    with files.guarded():
        try:
            hook_files.written(new, tree, header, said)
            new.chmod(0o600)
            new.replace(path)
        finally:
            with suppress(OSError):
                new.unlink()
    return True


def freshen(workspace: Workspace, moment: Moment) -> bool:
    """Make the table where a hook was here before and it is not of now. No failure of it reaches
    the caller, whose work it is not."""
    try:
        place = workspace.layout.known(workspace.repository.common_dir)
        if place is None or not hook_files.folder_of(place.directory).is_dir():
            return False
        return not is_fresh(workspace) and refresh(workspace, moment)
    except (CitatorError, OSError, ValueError):
        return False


def is_fresh(workspace: Workspace) -> bool:
    """Whether the table here is of this HEAD and of what may be shown now."""
    tree = tree_of(workspace)
    if tree is None:
        return False
    path = hook_files.table_of(workspace.place.directory, tree)
    with suppress(*hook_files.UNREADABLE):
        with hook_files.Table(path) as table:
            found = table.header(tree)
        return (
            found is not None
            and found.head == workspace.head.commit
            and found.key == _key(workspace)
        )
    return False


def tree_of(workspace: Workspace) -> Tree | None:
    """The work tree as hooks name it; None where there is none."""
    found = workspace.repository
    if found.worktree is None:
        return None
    return Tree(found.worktree, found.git_dir, found.common_dir)


def _key(workspace: Workspace) -> str:
    with files.guarded():
        return hook_files.key(workspace.layout.data, workspace.place.directory)


def _brief(workspace: Workspace, moment: Moment) -> str:
    """The brief as it is served; "" where it cannot be made now."""
    with suppress(CitatorError):
        if not _has_second_ledger(workspace):
            return brief(workspace, moment).text
    return ""


def _has_second_ledger(workspace: Workspace) -> bool:
    return SecondLedgers(workspace.layout).of(workspace.repository_id) is not None


def _said(workspace: Workspace, head: str, moment: Moment) -> Iterator[tuple[str, str]]:
    """Each file of HEAD, and each kind of new file beside one, that there is something about."""
    mask = mask_of(workspace)
    if mask.everything:
        return
    view = None
    if not _has_second_ledger(workspace):
        view = view_of(workspace, audience_of(workspace))
    try:
        of_record = _of_record(workspace, view, moment)
        back = _taken_back(workspace, head, mask)
        beside: set[str] = set()
        for entry in trees.entries(workspace.repository, head):
            if entry.kind != "blob" or mask.covers(entry.path):
                continue
            beside.add(hook_files.at_folder(entry.path))
            lines = [*of_record(entry.path), *back.get(entry.path, ())]
            if lines:
                yield entry.path, _row(shown_path(entry.path), lines)
        for name in sorted(beside):
            folder, _, ending = name.partition("\0")
            path = f"{folder}{_NEW}.{ending}" if ending else f"{folder}{_NEW}"
            lines = [] if mask.covers(path) else of_record(path)
            if lines:
                yield name, _row(f"new file in {shown_path(folder or './')}", lines)
    finally:
        if view is not None:
            view.partition.close()


def _row(about: str, lines: list[Line]) -> str:
    return json.dumps([about, lines[:MOST_LINES]])


def _of_record(workspace: Workspace, view: RecordView | None, moment: Moment) -> About:
    """What the record says of a path: rejections first, then decisions in force."""
    if view is None:
        return lambda _: []
    stones = []
    for one in sorted(view.rejections, key=lambda each: (each.at, each.id), reverse=True):
        told = notice(one)
        line = f"rejected {told.rejection[:12]} {told.date}"
        stones.append((usable(one.scope), (line, told.reason)))
    decided = _decided(workspace, view, moment.text)

    def about(path: str) -> list[Line]:
        found = [line for scope, line in stones if any(one.fullmatch(path) for one in scope)]
        for number in view.partition.governing(path):
            found += decided.get(number, ())
        return found

    return about


def _decided(workspace: Workspace, view: RecordView, now: str) -> dict[int, list[Line]]:
    """The lines of each decision in force that has a scope, by its number."""
    texts = [one for one in view.partition.all() if one.current and one.paths]
    texts = [one for one in texts if one.status is RecordStatus.APPROVED]
    if not texts:
        return {}
    held = verified(workspace, view, [one.revision for one in texts])
    lines: dict[int, list[Line]] = {}
    with treatments(workspace, audience_of(workspace), now, view=view) as treated:
        for text in texts:
            there = held.get(text.revision)
            if there is None:
                continue
            found = evidence(view, Chosen(text, governs=True), there, treated)
            if found.standing is Standing.NOT_IN_FORCE:
                continue
            words = f"decision {found.item} {found.standing.value} {found.ref[:24]}"
            lines[text.number] = [(words, found.ruling)]
            values = there.revision.values if there.revision is not None else {}
            refuse = refuse_of(values) if text.revision in view.refusing else None
            if refuse is not None:
                names = [*refuse.packages, *refuse.imports]
                told = " ".join(one for one in names if is_plain(one))[:100]
                lines[text.number].append((f"refuses {told or 'what it lists'}", None))
    return lines


def _taken_back(workspace: Workspace, head: str, mask: Mask) -> dict[str, list[Line]]:
    """The newest reverts that took something out of each file, where history was read for them."""
    lines: dict[str, list[Line]] = {}
    with suppress(StorageError), Removals(workspace.place.derived) as removals:
        view = removals.view(head)
        if view is None and not removed.is_late(workspace):
            view = removals.bring_up(workspace.repository, head)
        if view is None:
            return {}
        seen = removals.without(view, mask.covers_any) if mask.hides else view
        for path, commit, at in removals.took(seen, Cause.REVERT):
            mine = lines.setdefault(path, [])
            day = datetime.fromtimestamp(at, UTC).date() if 0 <= at < 1 << 37 else "undated"
            line = (f"reverted by {commit[:12]} {day}", None)
            if len(mine) < MOST_TAKEN_BACK and line not in mine:
                mine.append(line)
    return lines
