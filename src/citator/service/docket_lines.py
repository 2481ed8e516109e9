"""Lines as they are now → the commits that gave them their behaviour, kept and continued.

- What is new in the work tree is said to be uncommitted; where it only changed the form of a
  committed line, the line is that of the commit.
- A finished walk is kept by path, blob and lines, and holds while no commit of HEAD has touched the
  file since; an unfinished one is kept too, and goes on from where it was when more is asked for.
- Kept under ``derived/``: deleting it costs time alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from citator.git.blame import Hunk, stood_at
from citator.git.object_view import object_git
from citator.git.runner import within
from citator.git.uncommitted import read_work_file
from citator.model.errors import NotFoundError
from citator.search.docket import steps, tokens
from citator.search.docket.past_files import PastFiles
from citator.search.docket.patience import Patience
from citator.search.docket.steps import Change, Skip
from citator.search.docket.tokens import Tokens
from citator.search.docket.walk import Origin, Place, Skipped, Walk
from citator.service.docket_kept import Kept
from citator.service.workspace import Workspace, require_commits

IGNORE_FILE: Final = ".git-blame-ignore-revs"
FORMAT: Final = f"d1.{tokens.VERSION}.{steps.VERSION}"
MAX_LINES: Final = 400
_ID: Final = re.compile(rb"^([0-9a-f]{64}|[0-9a-f]{40})\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Traced:
    """One line as it is now. ``origins``: newest first, empty where it is not committed;
    ``form`` says that its present form is not committed."""

    line: int
    origins: tuple[Origin, ...]
    form: bool = False


@dataclass(frozen=True, slots=True)
class Traces:
    """The lines that were asked for; whether all walks ended, whether an object was missing."""

    lines: tuple[Traced, ...]
    ended: bool
    missing: bool


class Lines:
    """One file as it stands now and at HEAD."""

    def __init__(self, workspace: Workspace, files: PastFiles, path: str) -> None:
        self._workspace = workspace
        self._files = files
        self.path = path
        self.head = require_commits(workspace)
        self.blob = files.blob(self.head, path)
        self._committed = files.tokens(self.blob, path)
        found = workspace.repository
        content = None if found.worktree is None else read_work_file(found, path)
        self.now = self._committed if content is None else Tokens(content, path)
        if content is not None and self._committed and content == self._committed.content:
            self.now = self._committed

    @property
    def count(self) -> int:
        """How many lines there are now."""
        if self.now is None:
            return 0
        return len(self.now.lines) - (self.now.lines[-1] == b"")

    def traced(self, first: int, last: int, patience: Patience, more: bool) -> Traces:
        """Walk back from lines ``first`` to ``last``, at most :data:`MAX_LINES` of them.

        Raises NotFoundError where there are no such lines.
        """
        if self.now is None and self.blob is not None and self._workspace.repository.partial:
            return Traces((), ended=True, missing=True)
        last = min(last, self.count, first + MAX_LINES - 1)
        if first > last:
            raise NotFoundError(
                "unknown_ref", "there is no such line", "see how many lines the file has now"
            )
        asked = range(first, last + 1)
        worded = [line for line in asked if self.now is not None and self.now.line(line).strip()]
        starts, forms = self._committed_places(worded or asked)
        committed = {line: places for line, places in starts.items() if places}
        origins, missing = self._walked(committed, patience, more) if committed else ({}, False)
        traced = [Traced(line, origins.get(line, ()), line in forms) for line in starts]
        ended = all(one.ended for found in origins.values() for one in found)
        return Traces(tuple(traced), ended, missing)

    def defined(self, line: int, name: str, patience: Patience) -> Origin | None:
        """Where the definition began whose name stands on a line: its tokens up to the name.

        None where the line is not committed as it stands, or does not hold the name.
        """
        if self.now is None or self.now is not self._committed:
            return None
        texts = [one.text for one in self.now.between(line, line) if not one.comment]
        if name.encode() not in texts:
            return None
        part = 0, texts.index(name.encode()) + 1
        found, _ = self._walked({line: (line,)}, patience, False, part)
        return found[line][0] if found.get(line) else None

    def at_head(self, first: int, last: int) -> tuple[int, int] | None:
        """Where lines of now stand at HEAD; None where none of them does."""
        last = min(last, self.count)
        places = self._committed_places(range(first, last + 1))[0].values()
        found = [line for lines in places for line in lines]
        return (min(found), max(found)) if found else None

    def _committed_places(
        self, lines: Iterable[int]
    ) -> tuple[dict[int, tuple[int, ...]], set[int]]:
        """Where lines stand at HEAD, and which of them have another form now."""
        if self.now is None or self._committed is None:
            return dict.fromkeys(lines, ()), set()
        if self.now is self._committed:
            return {line: (line,) for line in lines}, set()
        hunks = differing(self._committed.lines, self.now.lines)
        change = Change(self._committed, self.now, hunks)
        places: dict[int, tuple[int, ...]] = {}
        forms = set()
        for line in lines:
            if any(one.new <= line < one.new + one.new_count for one in hunks):
                stood = change.before(line)
                places[line] = () if stood is None else stood.lines
                if stood is not None:
                    forms.add(line)
            else:
                places[line] = (stood_at(hunks, line),)
        return places, forms

    def _walked(
        self,
        places: Mapping[int, tuple[int, ...]],
        patience: Patience,
        more: bool,
        part: tuple[int, int] | None = None,
    ) -> tuple[dict[int, tuple[Origin, ...]], bool]:
        ignored = self._ignored()
        asked = [FORMAT, self.path, self.blob, sorted(places.items()), part, sorted(ignored)]
        kept = _KeptWalks(self._workspace, self.path, json.dumps(asked))
        known = kept.read(self.head, patience)
        if known is not None and not (more and _is_open(known)):
            return known, False
        starts: dict[int, Sequence[Place]] = {}
        done: dict[int, tuple[Origin, ...]] = {}
        for line, stands in places.items():
            before = () if known is None else known.get(line, ())
            done[line] = tuple(one for one in before if one.ended)
            starts[line] = [
                Place(one.commit, one.path, one.line, one.skipped, one.part)
                for one in before
                if not one.ended
            ]
            if not before:
                new = (self.head, self.path)
                starts[line] = [Place(*new, stand, (), part) for stand in stands]
        with Walk(self._workspace.repository, ignored, self._files) as walk:
            walked = walk.back(starts, patience)
        merged = {
            line: tuple(sorted((*done[line], *found), key=lambda one: -(one.at or 0)))
            for line, found in walked.origins.items()
        }
        if not walked.missing:
            kept.write(self.head, merged)
        return merged, walked.missing

    def _ignored(self) -> frozenset[str]:
        """The commits that the repository asks blame to ignore: whole ids, at HEAD."""
        listed = self._files.tokens(self._files.blob(self.head, IGNORE_FILE), IGNORE_FILE)
        if listed is None:
            return frozenset()
        return frozenset(one.decode() for one in _ID.findall(listed.content))


class _KeptWalks:
    """The walks of some lines, as they were kept."""

    def __init__(self, workspace: Workspace, path: str, key: str) -> None:
        self._workspace = workspace
        self._path = path
        self._kept = Kept(workspace, key)

    def read(self, head: str, patience: Patience) -> dict[int, tuple[Origin, ...]] | None:
        """What was found before, where it still holds at ``head``."""
        kept = self._kept.read()
        try:
            if kept is None or not self._holds(str(kept["at"]), head, patience):
                return None
            return {
                int(line): tuple(_origin(one) for one in found)
                for line, found in kept["lines"].items()
            }
        except (ValueError, TypeError, KeyError, AttributeError):
            return None

    def _holds(self, at: str, head: str, patience: Patience) -> bool:
        """Whether nothing that HEAD has gained since touched the file, and nothing was lost."""
        if at == head:
            return True
        since = ("rev-list", "-n1", head, f"^{at}", "--", self._path)
        lost = ("rev-list", "-n1", at, f"^{head}", "--")
        with object_git(self._workspace.repository) as git:
            for command in (lost, since):
                said, code = within(git, command, patience.left)
                if code != 0 or said.strip():
                    return False
        return True

    def write(self, head: str, found: Mapping[int, tuple[Origin, ...]]) -> None:
        """Keep what was found."""
        lines = {str(line): [asdict(one) for one in origins] for line, origins in found.items()}
        self._kept.write({"at": head, "lines": lines})


def _origin(kept: dict[str, Any]) -> Origin:
    skipped = tuple(
        Skipped(str(one["commit"]), Skip(one["skip"]), str(one["path"]), int(one["line"]))
        for one in kept["skipped"]
    )
    return Origin(
        commit=str(kept["commit"]),
        path=str(kept["path"]),
        line=int(kept["line"]),
        at=None if kept["at"] is None else int(kept["at"]),
        skipped=skipped,
        edge=kept["edge"] is True,
        ended=kept["ended"] is True,
        part=None if kept["part"] is None else (int(kept["part"][0]), int(kept["part"][1])),
    )


def _is_open(known: Mapping[int, tuple[Origin, ...]]) -> bool:
    return any(not one.ended for found in known.values() for one in found)


def differing(old: Sequence[bytes], new: Sequence[bytes]) -> list[Hunk]:
    """The hunks between two lists of lines."""
    low = 0
    while low < min(len(old), len(new)) and old[low] == new[low]:
        low += 1
    high = 0
    while high < min(len(old), len(new)) - low and old[-1 - high] == new[-1 - high]:
        high += 1
    olds, news = old[low : len(old) - high], new[low : len(new) - high]
    found = []
    for tag, a, b, c, d in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if tag != "equal":
            starts = low + a + (b > a), low + c + (d > c)
            found.append(Hunk(starts[0], b - a, starts[1], d - c))
    return found
