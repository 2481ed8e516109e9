"""What of the history an audience is not for: decided before a view is made, never after ranking.

- A *mask* is what the operator said of this repository, held against one audience's ceiling. Where
  nothing was said, or the audience is not below it, the mask hides nothing and nothing is done.
- Below the repository's own readership all is hidden. Below that of a path: Markdown there, review
  threads there, about it or naming a commit that is hidden, and commits that touch it. What could
  not be told is hidden too: a commit whose paths cannot be read, a thread that could not.
- The masked view is made once for a HEAD and kept with the others. The first question after a
  change reads the whole view for it.
- What is known of the vocabulary as a whole is not asked for a mask that hides, whatever it hides.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from citator.formats.config import PATH as CONFIG_PATH
from citator.formats.globs import compiled
from citator.git import history, repository, trees
from citator.index.nothing import NothingSeen
from citator.index.protocol import DocumentKey, Row, Snapshot, View, ViewChange
from citator.model.errors import NotFoundError
from citator.model.horizon import HorizonFact
from citator.model.reference import DocumentKind
from citator.model.visibility import Audience, may_disclose
from citator.service.workspace import Workspace

if TYPE_CHECKING:
    from citator.trust.readership import Readership

CALIBRATION_LEG: Final = "calibration"
# Part of a kept view's name: another way to choose what is hidden is another number.
_CHOICE: Final = "1"
_FILE: Final = ("trust", "readership.json")
_OBJECT_ID: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{40}(?:[0-9a-f]{24})?(?![0-9a-f])")


@dataclass(frozen=True, slots=True)
class Mask:
    """What is hidden: everything, or what lies at a path that one of ``patterns`` matches."""

    everything: bool = False
    patterns: tuple[re.Pattern[str], ...] = ()

    @property
    def hides(self) -> bool:
        """Whether it may hide anything: True also where nothing here matches."""
        return self.everything or bool(self.patterns)

    @property
    def id(self) -> str:
        """A digest of what it hides: 16 hexadecimal digits."""
        said = [_CHOICE, str(self.everything), *(one.pattern for one in self.patterns)]
        return hashlib.sha256("\0".join(said).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def covers(self, path: str) -> bool:
        """Whether what lies at ``path`` is hidden."""
        return self.everything or any(one.fullmatch(path) for one in self.patterns)

    def covers_any(self, paths: Iterable[str] | None) -> bool:
        """Whether one of ``paths`` is hidden: so is a commit that touched them. None: unknown, and
        hidden."""
        return paths is None or any(map(self.covers, paths))


UNMASKED: Final = Mask()


def mask_of(workspace: Workspace, audience: Audience | None = None) -> Mask:
    """What is hidden from ``audience`` (None: whom the operator granted). Raises StorageError."""
    if not _was_said(workspace):
        return UNMASKED
    from citator.trust.grants import Grants
    from citator.trust.readership import Readerships

    said = Readerships(workspace.layout).relied_on(workspace.repository_id)
    if said is None:
        return UNMASKED
    return against(said, audience or Grants(workspace.layout).relied_on())


def _was_said(workspace: Workspace) -> bool:
    """Whether there may be a grant: one look, so that all others pay nothing for it."""
    try:
        os.lstat(workspace.layout.data.joinpath(*_FILE))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def against(said: Readership, audience: Audience) -> Mask:
    """What a readership hides from an audience."""
    if not may_disclose(said.sensitivity, None, (), audience):
        return Mask(everything=True)
    globs = {
        one.glob for one in said.rules if not may_disclose(one.sensitivity, None, (), audience)
    }
    return Mask(patterns=tuple(map(compiled, sorted(globs))))


def masked(
    workspace: Workspace, snapshot: Snapshot, view: View, head: str, mask: Mask
) -> View | None:
    """What ``mask`` leaves of ``view``, the view of ``head``; None where it cannot be made."""
    if not mask.hides:
        return view
    if mask.everything:
        return NothingSeen()

    def load() -> ViewChange:
        return ViewChange(head, (), withheld(workspace, view, head, mask))

    return snapshot.view(f"{head} {mask.id}", load)


def withheld(workspace: Workspace, view: View, head: str, mask: Mask) -> list[DocumentKey]:
    """The documents of ``view`` that a mask of paths hides, each once."""
    hidden = {
        object_id
        for object_id, paths in history.touches(workspace.repository, head)
        if mask.covers_any(paths)
    }
    found = {
        DocumentKey(row.kind, row.object_id, row.path)
        for row in view.scan()
        if _hides(mask, row, hidden)
    }
    return sorted(found)


def _hides(mask: Mask, row: Row, hidden: set[str]) -> bool:
    """Whether a passage's document is hidden; of a thread every passage is looked at."""
    if row.kind is DocumentKind.COMMIT:
        return row.object_id in hidden
    if mask.covers(row.path):
        return True
    if row.review is None:
        return False
    about = row.review.path
    if about is not None and mask.covers(about.removeprefix("./").lstrip("/")):
        return True
    named = {*row.review.commits, *_OBJECT_ID.findall(row.text)}
    return not named.isdisjoint(hidden)


def told(
    workspace: Workspace, view: View, snapshot: Snapshot, mask: Mask
) -> tuple[HorizonFact, ...]:
    """The facts of ``snapshot`` that are about what ``mask`` leaves.

    ``view`` is the masked one. Facts about threads are left out: what such a thread is about is
    not known.
    """
    if not mask.hides:
        return snapshot.facts
    if mask.everything:
        return ()
    facts = snapshot.facts
    files: set[str] = set()
    if any(fact.detail is not None for fact in facts):
        files = _files_left(workspace, snapshot.tip, mask)

    def is_left(fact: HorizonFact) -> bool:
        if fact.detail is None:
            return not mask.covers(CONFIG_PATH)
        if _OBJECT_ID.fullmatch(fact.detail):
            return bool(view.find_object(fact.detail, 1))
        return fact.detail in files

    return tuple(filter(is_left, facts))


def _files_left(workspace: Workspace, tip: str | None, mask: Mask) -> set[str]:
    """The names that facts have for the files of ``tip`` which are not hidden."""
    from citator.service.reading import item_of  # it reads every kind of source: not for all
    from citator.sources.reviews import is_review

    repo = workspace.repository
    if tip is None or not repository.has_commit(repo, tip):
        return set()
    left: set[str] = set()
    with suppress(NotFoundError):
        for entry in trees.entries(repo, tip):
            apart = entry.kind not in ("blob", "commit")
            if not (apart or is_review(entry.path) or mask.covers(entry.path)):
                left.add(item_of(entry.object_id, entry.path))
    return left


def commits_behind(workspace: Workspace, indexed: str, head: str, mask: Mask) -> int:
    """How many commits ``head`` has, ``indexed`` has not, and a mask of paths does not hide."""
    walked = history.touches(workspace.repository, head, (indexed,))
    return sum(not mask.covers_any(paths) for _, paths in walked)
