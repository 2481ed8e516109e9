"""The files that a question is likely about, as a side of its answer: a few, or none.

- Of HEAD, like the rest of the answer; the work tree is for :mod:`citator.service.locate`.
- It never makes an answer wait: what is not ready and is more than little work is left to whoever
  prepares, and the answer says that it was off.
- Only plain paths, and reasons as closed codes with plain tokens. A file that is hidden from an
  audience takes no part; history takes none where some of it is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from citator.index.code.at_head import AtHead, Made, Most
from citator.index.code.words import Words
from citator.locate.fusion import shipped
from citator.locate.issue import read_issue
from citator.locate.protocol import Scene
from citator.locate.rank import rank
from citator.locate.reasons import Reason, Reasons
from citator.model.errors import CitatorError
from citator.model.plain import is_plain
from citator.service.readership import Mask, mask_of
from citator.service.reading_plan import ReadingPlan, plan_for
from citator.service.workspace import Workspace

FILES_LEG: Final = "files"
MOST_FILES: Final = 5
LEAST_CONFIDENCE: Final = 0.1
IN_A_CALL: Final = Most(files=10_000, unparsed=256, commits=1_000)
_LOOKED_AT: Final = 20


@dataclass(frozen=True, slots=True)
class PredictedFile:
    """A plain path, how likely it is one to touch (0 to 1), and the strongest reason. ``sure`` is
    how likely by the curve that is shipped."""

    path: str
    confidence: float
    why: Reason
    sure: float


@dataclass(frozen=True, slots=True)
class Predicted:
    """The files, best first; ``off`` where they could not be told now."""

    files: tuple[PredictedFile, ...] = ()
    off: bool = False


def predicted(
    workspace: Workspace,
    text: str,
    mask: Mask,
    limit: int = MOST_FILES,
    least: float = LEAST_CONFIDENCE,
) -> Predicted:
    """The files that ``text`` is likely about, at most ``limit`` that are at least so likely, of
    what ``mask`` leaves."""
    if workspace.head.commit is None or mask.everything or not text.strip() or limit < 1:
        return Predicted()
    code = _code(workspace, workspace.head.commit, mask)
    try:
        made = code.open() or (code.make() if code.is_within(IN_A_CALL) else None)
    except CitatorError:
        made = None
    if made is None:
        return Predicted(off=True)
    plan = None if mask.hides else plan_for(workspace)
    return Predicted(_ranked(text, made, limit, least, plan))


def prepare(workspace: Workspace) -> None:
    """Make what the next question needs, for whom the operator granted. Raises StorageError."""
    commit, mask = workspace.head.commit, mask_of(workspace)
    if commit is not None and not mask.everything:
        code = _code(workspace, commit, mask)
        if not code.is_made():
            code.make()


def is_late(workspace: Workspace) -> bool:
    """Whether there is something to prepare that no question does by itself."""
    commit, mask = workspace.head.commit, mask_of(workspace)
    if commit is None or mask.everything:
        return False
    code = _code(workspace, commit, mask)
    return not (code.is_made() or code.is_within(IN_A_CALL))


def _code(workspace: Workspace, commit: str, mask: Mask) -> AtHead:
    mark = mask.id if mask.hides else ""
    folder = workspace.place.derived / "code"
    return AtHead(workspace.repository, folder, commit, mask.covers, mark, not mask.hides)


def _ranked(
    text: str, made: Made, limit: int, least: float, plan: ReadingPlan | None
) -> tuple[PredictedFile, ...]:
    issue = read_issue(text, Words())
    scenes = tuple(Scene(code, past) for code, past in made if len(code.paths))
    if not scenes:
        return ()
    reasons: dict[int, Reasons] = {}
    found: list[PredictedFile] = []
    for one in rank(issue, scenes, shipped(), _LOOKED_AT):
        confidence = one.confidence if plan is None else plan.corrected(one.confidence)
        if confidence < least or len(found) == limit:
            break
        path = scenes[one.scene].code.paths[one.file]
        if is_plain(path):
            why = reasons.setdefault(one.scene, Reasons(issue, scenes[one.scene]))
            found.append(
                PredictedFile(
                    path,
                    round(confidence, 2),
                    why.of(one.file, one.heard, 1)[0],
                    round(one.confidence, 4),
                )
            )
    return tuple(found)
