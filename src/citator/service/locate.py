"""An issue → the files to touch: ranked, each with reasons, functions and a confidence.

- The files are those of the work tree, uncommitted changes included; the past is HEAD's.
- What travels are paths (percent-encoded where not plain), names that are plain, commit ids,
  the asker's own words and numbers. No text of a file or a message does.
- Without a repository, or without commits, the signals that need them are off, and that is said;
  so is the past where some of the history is not for whom it is answered.
- A file that is hidden from an audience takes no part, and is not counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from citator.index.code.building import CodeIndex, Member, Parts, members_of
from citator.index.code.kinds import MAX_BYTES, State
from citator.index.code.parsing import facts_of
from citator.index.code.snapshot import snapshot_of
from citator.index.code.words import Words
from citator.index.nothing import NothingSeen
from citator.locate.functions import Functions
from citator.locate.fusion import shipped
from citator.locate.issue import Issue, read_issue
from citator.locate.protocol import Scene
from citator.locate.rank import Ranked, rank
from citator.locate.reasons import Reason, Reasons
from citator.model.errors import RefusedError, UsageError
from citator.model.horizon import Horizon, HorizonFact, Limit
from citator.model.plain import is_plain, shown_path
from citator.model.ruling import Governing
from citator.model.visibility import Audience
from citator.service.bearing import bearing_on
from citator.service.horizon import Seen, horizon_of
from citator.service.readership import mask_of
from citator.service.reading_plan import Calibrated, ReadingPlan, calibration_of
from citator.service.record_view import audience_of
from citator.service.workspace import Workspace

MAX_LIMIT = 100
_MOST_FILES = 100_000

Progress = Callable[[int, int], None]
Answered = tuple["Located", list[str]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked: ``text`` the issue, ``limit`` files, ``functions`` a file at most,
    ``tests`` whether tests may be answers, ``under`` folders or files that all answers are in."""

    text: str
    limit: int = 10
    functions: int = 3
    tests: bool = False
    under: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LocatedFunction:
    """A definition: its name where it is plain, whether it is a type, first and last line."""

    name: str | None
    is_type: bool
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LocatedFile:
    """An answer: ``confidence`` 0 to 1, ``state`` how the file could be read. ``decisions`` are
    the items whose scope holds it, ``rejections`` the ids of those that are about it."""

    path: str
    confidence: float
    why: tuple[Reason, ...]
    functions: tuple[LocatedFunction, ...]
    state: str
    decisions: tuple[str, ...] = ()
    rejections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Located:
    """The answer. ``considered`` files took part, ``uncommitted`` of them not as committed;
    ``record`` is what stands about the files that are named; ``plan`` how far to read, where the
    confidences are of this repository's own curve (``calibration``)."""

    files: tuple[LocatedFile, ...]
    considered: int
    uncommitted: int
    signals_off: tuple[str, ...]
    horizon: Horizon
    record: Governing = field(default_factory=Governing)
    plan: ReadingPlan | None = None
    calibration: Calibrated = Calibrated.NO


def locate(
    workspace: Workspace,
    wanted: Wanted,
    progress: Progress | None = None,
    audience: Audience | None = None,
) -> Located:
    """Rank the files of a repository that ``audience`` (None: whom the operator granted) may see.

    Raises UsageError for an empty issue, GitRefusedError, StorageError.
    """
    words = Words()
    issue = _read(wanted, words)
    commit = workspace.head.commit
    mask = mask_of(workspace, audience)
    with CodeIndex(workspace.repository, workspace.place.derived / "code", words) as index:
        parts = index.parts(commit, mask.covers)
        chosen = [group for group in _chosen(parts, wanted) if group]
        known = commit is not None and not mask.hides
        pasts = index.past(chosen, commit) if commit is not None and known else [None] * len(chosen)
        scenes = tuple(
            Scene(index.snapshot(group, progress), past)
            for group, past in zip(chosen, pasts, strict=True)
        )
    off = () if any(one.past is not None and len(one.past.ids) for one in scenes) else ("history",)
    seen = Seen(NothingSeen(), mask) if mask.everything else None
    horizon = horizon_of(workspace, None, off, seen)
    if parts.too_large:
        horizon = horizon.having([HorizonFact(Limit.TOO_LARGE, parts.too_large)])
    found = _answer(issue, scenes, wanted, parts.uncommitted, off, horizon)
    located = _with_record(workspace, audience or audience_of(workspace), found)
    as_measured = not (off or wanted.tests or wanted.under)
    return _calibrated(located, *calibration_of(workspace, audience)) if as_measured else located


def _calibrated(located: Located, state: Calibrated, plan: ReadingPlan | None) -> Located:
    """The answer, its confidences by the curve of this repository where there is one."""
    if plan is None:
        return replace(located, calibration=state)
    files = tuple(
        replace(one, confidence=round(plan.corrected(one.confidence), 3)) for one in located.files
    )
    return replace(located, files=files, plan=plan, calibration=state)


def _with_record(workspace: Workspace, audience: Audience, found: Answered) -> Located:
    """The answer, with what the record says of each file by its scopes."""
    located, paths = found
    borne = bearing_on(workspace, audience, paths)
    facts = [HorizonFact(Limit.RECORD_UNREADABLE, None, code) for code in borne.record.facts]
    files = tuple(
        replace(one, decisions=decisions, rejections=rejections)
        for one, decisions, rejections in zip(
            located.files, borne.decisions, borne.rejections, strict=True
        )
    )
    horizon = located.horizon.having(facts)
    return replace(located, files=files, record=borne.record, horizon=horizon)


def locate_in_folder(folder: Path, wanted: Wanted) -> Located:
    """Rank the files of a folder that is in no repository: nothing is kept, history is off."""
    words = Words()
    issue = _read(wanted, words)
    walked = list(_walked(folder))
    parts = members_of([(path, "", False) for path, _ in walked], 0, 0)
    place = dict(walked)
    scenes: list[Scene] = []
    for group in _chosen(parts, wanted):
        pairs = []
        for one in group:
            with suppress(OSError):
                pairs.append((one.path, facts_of(place[one.path].read_bytes(), one.path, words)))
        if pairs:
            scenes.append(Scene(snapshot_of(pairs, words), None))
    off = ("history",)
    horizon = Horizon(None, None, (HorizonFact(Limit.LEG_OFF, None, "history"),))
    return _answer(issue, tuple(scenes), wanted, 0, off, horizon)[0]


def _read(wanted: Wanted, words: Words) -> Issue:
    if not wanted.text.strip():
        raise UsageError("empty_issue", "the issue has no words", "give its title and its text")
    return read_issue(wanted.text, words)


def _chosen(parts: Parts, wanted: Wanted) -> tuple[list[Member], list[Member]]:
    """Sources, and what stands behind them; those under the folders that were asked for."""
    source, other = parts.groups(tests=wanted.tests)
    if not wanted.under:
        return source, other
    folders = tuple(f"{one.removeprefix('./').strip('/')}/" for one in wanted.under)
    if not {"/", "./"}.isdisjoint(folders):
        return source, other
    inside = [
        [one for one in group if f"{one.path}/".startswith(folders)] for group in (source, other)
    ]
    return inside[0], inside[1]


def _walked(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files of a folder that are no links, hidden folders left out."""
    count = 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for name in sorted(names):
            path = Path(root, name)
            with suppress(OSError):
                if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_BYTES:
                    yield path.relative_to(folder).as_posix(), path
                    count += 1
            if count >= _MOST_FILES:
                raise RefusedError(
                    "folder_too_large",
                    "that folder holds more files than are read outside a repository",
                    "name a smaller folder with --root",
                )


def _answer(
    issue: Issue,
    scenes: tuple[Scene, ...],
    wanted: Wanted,
    uncommitted: int,
    off: tuple[str, ...],
    horizon: Horizon,
) -> Answered:
    """The answer, and the paths of its files as git has them."""
    limit = max(1, min(wanted.limit, MAX_LIMIT))
    model = shipped()
    ranked = rank(issue, scenes, model, limit) if scenes else []
    reasons = [Reasons(issue, scene) for scene in scenes]
    functions = [Functions(issue, scene, model.functions) for scene in scenes]
    located = Located(
        files=tuple(
            _file(one, scenes[one.scene], reasons[one.scene], functions[one.scene], wanted)
            for one in ranked
        ),
        considered=sum(scene.size for scene in scenes),
        uncommitted=uncommitted,
        signals_off=off,
        horizon=horizon,
    )
    return located, [scenes[one.scene].code.paths[one.file] for one in ranked]


def _file(
    one: Ranked, scene: Scene, reasons: Reasons, functions: Functions, wanted: Wanted
) -> LocatedFile:
    path = scene.code.paths[one.file]
    return LocatedFile(
        path=shown_path(path),
        confidence=round(one.confidence, 3),
        why=reasons.of(one.file, one.heard),
        functions=_functions(functions, one.file, wanted.functions),
        state=scene.code.states[one.file] or State.READ.value,
    )


def _functions(functions: Functions, file: int, limit: int) -> tuple[LocatedFunction, ...]:
    return tuple(
        LocatedFunction(
            name=place.name if is_plain(place.name) else None,
            is_type=place.kind.name == "TYPE",
            first=place.first,
            last=place.last,
        )
        for place in functions.best(file, limit)
    )


__all__: Sequence[str] = (
    "Located",
    "LocatedFile",
    "LocatedFunction",
    "Wanted",
    "locate",
    "locate_in_folder",
)
