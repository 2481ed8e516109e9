"""Files of commits as a walk needs them: read once, their tokens and differences kept for it.

- Bounded: no file over :data:`MAX_FILE` takes part, of a commit that touches many files only the
  likeliest are looked at for moved lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from citator.git import blame, trees
from citator.git.commit_objects import commit_of
from citator.git.objects import ObjectReader, StoredObject
from citator.git.records import RawCommit, Repository, TreeEntry
from citator.git.renames import renames, was_there
from citator.git.touched import touched
from citator.model.errors import CitatorError
from citator.search.docket.patience import Patience
from citator.search.docket.steps import Change
from citator.search.docket.tokens import Tokens

MAX_FILE: Final = 1 << 20
_MAX_COMMIT: Final = 1 << 20
_MAX_SOURCES: Final = 60
_MAX_READ: Final = 300
_MAX_RENAMES: Final = 6
_LOOKED_AT: Final = 8192
_WORD: Final = re.compile(rb"\w{4,}")

Source = tuple[str, Tokens, list[tuple[int, int]]]
Pairs = list[tuple[TreeEntry | None, TreeEntry | None]]


class PastFiles:
    """Commits, files and changes of one repository."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._objects = ObjectReader(repo)
        self._commits: dict[str, RawCommit | None] = {}
        self._blobs: dict[tuple[str, str], str | None] = {}
        self._tokens: dict[tuple[str, str], Tokens | None] = {}
        self._changes: dict[tuple[str, str, str, str], Change | None] = {}
        self._paths: dict[str, tuple[str, ...] | None] = {}
        self._pairs: dict[tuple[str, str], Pairs] = {}

    def close(self) -> None:
        """End what is held."""
        self._objects.close()

    def commit(self, commit: str) -> RawCommit | None:
        """A commit without its paths, None where it cannot be read."""
        if commit not in self._commits:
            found = self._objects.read(commit, _MAX_COMMIT)
            self._commits[commit] = None
            if isinstance(found, StoredObject) and found.kind == "commit":
                self._commits[commit] = commit_of(commit, found.content, None)
        return self._commits[commit]

    def blob(self, commit: str, path: str) -> str | None:
        """The id of the file at ``path`` in ``commit``, None where there is none."""
        key = commit, path
        if key not in self._blobs:
            self._blobs[key] = None
            with suppress(CitatorError):
                for entry in trees.entries(self._repo, commit, [path]):
                    if entry.path == path and entry.kind == "blob":
                        self._blobs[key] = entry.object_id
        return self._blobs[key]

    def tokens(self, blob: str | None, path: str) -> Tokens | None:
        """The tokens of a blob, None where it cannot be read or is no text."""
        if blob is None:
            return None
        key = blob, path
        if key not in self._tokens:
            found = self._objects.read(blob, MAX_FILE)
            self._tokens[key] = None
            if isinstance(found, StoredObject) and b"\0" not in found.content[:_LOOKED_AT]:
                self._tokens[key] = Tokens(found.content, path)
        return self._tokens[key]

    def change(
        self, parent: str, old_path: str, commit: str, path: str, patience: Patience
    ) -> Change | None:
        """How a file changed from a parent to a commit; None where it was not there before."""
        key = parent, old_path, commit, path
        if key not in self._changes:
            blobs = self.blob(parent, old_path), self.blob(commit, path)
            self._changes[key] = self._change(blobs, (old_path, path), patience)
        return self._changes[key]

    def _change(
        self, blobs: tuple[str | None, str | None], paths: tuple[str, str], patience: Patience
    ) -> Change | None:
        old, new = (self.tokens(*pair) for pair in zip(blobs, paths, strict=True))
        if old is None or new is None or blobs[0] is None or blobs[1] is None:
            return None
        hunks = blame.hunks(self._repo, blobs[0], blobs[1], patience.left)
        return None if hunks is None else Change(old, new, hunks)

    def addition(self, commit: str, path: str) -> Change | None:
        """The change that made a whole file."""
        new = self.tokens(self.blob(commit, path), path)
        if new is None:
            return None
        return Change(Tokens(b"", path), new, [blame.Hunk(0, 0, 1, len(new.lines))])

    def sources(
        self, parent: str, commit: str, path: str, new: Tokens, patience: Patience
    ) -> Callable[[int], Iterator[Source]]:
        """For a line of ``new``: the other files that may have lost it, and their lost lines."""

        def holding(line: int) -> Iterator[Source]:
            beside = (new.line(line + step) for step in (0, -1, 1, -2, 2, -3, 3))
            said = next((found for found in map(_WORD.findall, beside) if found), [])
            words = sorted(set(said), key=len, reverse=True)[:3]
            looked_at = 0
            for old, now in self._touched(parent, commit)[:_MAX_READ]:
                if patience.over or looked_at >= _MAX_SOURCES:
                    return
                if old is None or old.kind != "blob" or old.path == path or not words:
                    continue
                tokens = self.tokens(old.object_id, old.path)
                if tokens is None or any(word not in tokens.content for word in words):
                    continue
                looked_at += 1
                gone = self._gone(old, now, len(tokens.lines), patience)
                if gone:
                    yield old.path, tokens, gone

        return holding

    def paths(self, commit: str) -> tuple[str, ...] | None:
        """The files that a commit touched, against its first parent; None: it cannot be told."""
        return self.paths_of([commit])[0]

    def paths_of(self, commits: Sequence[str]) -> list[tuple[str, ...] | None]:
        """The same of several, each read once."""
        new = [one for one in dict.fromkeys(commits) if one not in self._paths]
        known = [(one, raw) for one, raw in ((one, self.commit(one)) for one in new) if raw]
        listing = "".join(f"{' '.join((one, *raw.parents[:1]))}\n" for one, raw in known)
        if known:
            found = touched(self._repo, listing.encode())
            self._paths.update(zip((one for one, _ in known), found, strict=True))
        return [self._paths.get(one) for one in commits]

    def _touched(self, parent: str, commit: str) -> Pairs:
        """The files that a commit touched, those that are gone first."""
        key = parent, commit
        if key not in self._pairs:
            found: Pairs = []
            with suppress(CitatorError):
                found = trees.changed(self._repo, parent, commit)
            self._pairs[key] = sorted(found, key=lambda pair: pair[1] is not None)
        return self._pairs[key]

    def _gone(
        self, old: TreeEntry, now: TreeEntry | None, lines: int, patience: Patience
    ) -> list[tuple[int, int]]:
        """The lines of a file that its change took away, first and last of each run."""
        if now is None:
            return [(1, lines)]
        if now.kind != "blob":
            return []
        hunks = blame.hunks(self._repo, old.object_id, now.object_id, patience.left) or []
        return [(one.old, one.old + one.old_count - 1) for one in hunks if one.old_count]

    def was_there(self, commit: str, path: str, patience: Patience) -> bool:
        """Whether a commit or an ancestor of it touched a path."""
        return was_there(self._repo, commit, path, patience.left)

    def renames(
        self, commit: str, path: str, until: str, patience: Patience
    ) -> list[tuple[str, str]]:
        """The commits, newest first, by which ``until`` became ``path``, each with the new name."""
        found: list[tuple[str, str]] = []
        while path != until and len(found) < _MAX_RENAMES and not patience.over:
            named = renames(self._repo, commit, path, patience.left)
            if named is None:
                break
            found.append((named.commit, path))
            commit, path = named.commit, named.old_path
        return found
