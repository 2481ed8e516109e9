"""What one HEAD has of the treatments that are kept, less what an audience is not for.

- A treatment is there where HEAD has both of its ends; what HEAD has not is as if it never was.
- The latest comes first: by moment, which follows ancestry, then by id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final

from citator.index.treatment_store import WHOLE_ID, Row, StoredEdge, TreatmentStore, edge_of, has
from citator.model.errors import StorageError
from citator.model.treatment import Edge, Facts, Standing, Treatment, counting, standing_of
from citator.sources.treatment.names import Name, Naming

Shown = Callable[[Iterable[str]], frozenset[str]]
# How many commits are asked for together before any of them is looked at.
MAX_AHEAD: Final = 1_000
_DECIDING: Final = (Treatment.REVERTS, Treatment.SUPERSEDES, Treatment.REJECTS)


class CommitTreatments:
    """The treatments that a tip has.

    ``mask`` is what HEAD has; ``protected`` what the protected branch has, where that is other;
    ``shown`` gives of commits those that may be shown, None for all. Closes the store.
    """

    def __init__(
        self,
        store: TreatmentStore,
        mask: bytes,
        protected: bytes | None = None,
        shown: Shown | None = None,
    ) -> None:
        self._store = store
        self._mask = mask
        self._protected = protected
        self._shown = shown
        self._rows: dict[int, Row | None] = {}
        self._ahead: set[int] = set()

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def has(self, commit: str) -> bool:
        """Whether HEAD has a commit that may be shown."""
        return self._number(commit) is not None

    def look_ahead(self, commits: Iterable[str]) -> None:
        """Ask at once which of these, and of all that treats them or that they treat, may be shown:
        asked one by one, each would cost a process."""
        if self._shown is None:
            return
        asked = [one for one in commits if len(one) in WHOLE_ID]
        waiting = [row for row in self._store.rows(asked).values() if row not in self._ahead]
        found = set(waiting)
        while waiting and len(found) < MAX_AHEAD:
            row = waiting.pop()
            self._ahead.add(row)
            near = {one.by for one in self._store.edges_of(row)}
            near |= {one.of for one in self._store.edges_by(row) if one.of is not None}
            new = {one for one in near if has(self._mask, one)} - found - self._ahead
            found |= new
            waiting += new
        rows = (self._row(one) for one in found)
        self._shown([row.id for row in rows if row is not None])

    def of(self, treated: str) -> list[Edge]:
        """What treats a commit, or what is named otherwise (a decision), the latest first."""
        row = self._number(treated)
        if row is not None:
            found = self._store.edges_of(row)
        elif len(treated) in WHOLE_ID and self._store.rows([treated]):
            return []  # a commit that HEAD has not, or that may not be shown
        else:
            found = self._store.edges_claiming(treated)
        return self._seen(found, self._mask)

    def by(self, treating: str) -> list[Edge]:
        """What a commit treats, in its own order; what may not be shown was not found."""
        row = self._number(treating)
        if row is None:
            return []
        return self._seen(self._store.edges_by(row), self._mask, latest_first=False)

    def all(self, treatments: Sequence[Treatment]) -> list[Edge]:
        """Every treatment of these kinds that was resolved, the latest first."""
        return self._seen(self._store.edges_with(treatments), self._mask)

    def day(self, commit: str) -> str:
        """The day of a commit (``YYYY-MM-DD``), "" where that is not known."""
        row = self._number(commit)
        found = None if row is None else self._row(row)
        return "" if found is None else found.day

    def watches(self, commit: str) -> tuple[str, ...]:
        """What a commit says that it rests on, or until when it holds."""
        row = self._number(commit)
        return () if row is None else self._store.watches(row)

    def kept(self, tip: str, text: str) -> tuple[str, str | None] | None:
        """What was seen of something that is watched, if that was kept."""
        return self._store.observed(tip, text)

    def keep(self, tip: str, text: str, state: str, by: str | None) -> None:
        """Keep what was seen. Where it cannot be, it is looked at again."""
        with suppress(StorageError), self._store.writing():
            self._store.keep_observed(tip, text, state, by)

    def keep_all(self, tip: str, seen: Iterable[tuple[str, str]]) -> None:
        """Keep what was seen of several at once."""
        with suppress(StorageError), self._store.writing():
            for text, state in seen:
                self._store.keep_observed(tip, text, state, None)

    def shows(self, commit: str) -> bool:
        """Whether a commit may be named."""
        return self._shown is None or commit in self._shown([commit])

    def numbered(self, change: int) -> str | None:
        """The latest commit of the change with this number."""
        found = self._store.named(Name(Naming.CHANGE, str(change)))
        return next((one.id for one in found if self.has(one.id)), None)

    def elsewhere(self, commit: str) -> tuple[Edge, ...]:
        """What ended a commit on the protected branch, and is not in HEAD."""
        row = self._number(commit)
        if self._protected is None or row is None:
            return ()
        protected = self._protected

        def of(treated: str) -> list[Edge]:
            rows = self._store.rows([treated])
            found = [edge for one in rows.values() for edge in self._store.edges_of(one)]
            return self._seen(found, protected)

        verdict = standing_of(Facts(), counting(commit, of))
        if verdict.standing is not Standing.NOT_IN_FORCE:
            return ()
        return tuple(
            one
            for one in of(commit)
            if one.by == verdict.by and one.treatment in _DECIDING and not self.has(one.by)
        )

    def _number(self, commit: str) -> int | None:
        if len(commit) not in WHOLE_ID:
            return None
        row = self._store.rows([commit]).get(commit)
        if row is None or not has(self._mask, row):
            return None
        self.look_ahead([commit])
        if self._shown is not None and commit not in self._shown([commit]):
            return None
        return row

    def _row(self, number: int) -> Row | None:
        if number not in self._rows:
            self._rows[number] = self._store.commit(number)
        return self._rows[number]

    def _seen(
        self, edges: Iterable[StoredEdge], mask: bytes, *, latest_first: bool = True
    ) -> list[Edge]:
        pairs: list[tuple[Row, Row | None, StoredEdge]] = []
        for one in edges:
            by = self._row(one.by) if has(mask, one.by) else None
            of = None if one.of is None else self._row(one.of)
            if by is None or (one.of is not None and not has(mask, one.of)):
                continue
            pairs.append((by, of, one))
        if self._shown is not None:
            ends = {row.id for by, of, _ in pairs for row in (by, of) if row is not None}
            shown = self._shown(ends)
            pairs = [
                (by, of, one)
                for by, of, one in pairs
                if by.id in shown and (of is None or of.id in shown)
            ]
        if latest_first:
            pairs.sort(key=lambda pair: (-pair[0].moment, pair[0].id))
        return [edge_of(one, by, of) for by, of, one in pairs]
