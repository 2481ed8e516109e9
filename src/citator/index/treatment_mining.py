"""Brings the store of treatments up to a commit: one pass over the messages that are new to it.

- Commits that any kept tip has were read before; a branch costs what it has and they have not.
- All of a pass is written at once, so that what is there is always whole.
- A history that was cut or replaced elsewhere reads otherwise: the store knows under which.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

from citator.git import history, repository
from citator.git.records import RawCommit, Repository
from citator.index.treatment_resolving import Ancestry, Resolver
from citator.index.treatment_store import Row, StoredEdge, TreatmentStore, mask_of
from citator.model.stop import checkpoint
from citator.model.treatment import Attested, Rule, Treatment
from citator.sources.treatment.claims import Claim, claims_of, watches_of
from citator.sources.treatment.names import Name, names_of
from citator.sources.treatment.structure import Pair, Undone, undone

_CHUNK: Final = 2_000
_WHOLE: Final = 0.5
_CHECKED: Final = frozenset({Treatment.REVERTS, Treatment.REINSTATES, Treatment.LIMITS})
_DERIVED: Final = frozenset({Rule.REVERT_MERGE, Rule.REVERT_OF_REVERT})


def opened(repo: Repository, path: Path) -> TreatmentStore:
    """The store of a repository. Raises StorageError."""
    return TreatmentStore(path, _contract(repo))


def _contract(repo: Repository) -> str:
    """What a kept row depends on beside the commits themselves: where the history is cut."""
    if not repo.shallow:
        return repo.object_format
    try:
        cut = (repo.common_dir / "shallow").read_bytes()
    except OSError:
        cut = b""
    return f"{repo.object_format} {hashlib.sha256(cut).hexdigest()}"


def mask_at(
    repo: Repository, store: TreatmentStore, tip: str, most: int | None = None
) -> bytes | None:
    """What ``tip`` has, read now where it is new; None where that is more than ``most`` commits.

    Raises StorageError, GitRefusedError.
    """
    kept = store.mask(tip)
    if kept is not None:
        return kept
    tips = repository.commits_here(repo, store.heads())
    if most is not None and (not tips or history.count_between(repo, tips[0], tip) > most):
        return None
    with store.writing():
        kept = store.mask(tip)  # another process may have been here
        if kept is not None:
            return kept
        _read(repo, store, tip, tips)
        mask = _mask(repo, store, tip, tips)
        store.keep_head(tip, mask)
    return mask


def _mask(repo: Repository, store: TreatmentStore, tip: str, tips: Sequence[str]) -> bytes:
    for base in tips:
        before = store.mask(base)
        if before is not None:
            removed, added = history.between(repo, base, tip)
            rows = store.rows(added)
            return mask_of(rows.values(), before, store.rows(removed).values())
    return mask_of(store.rows(history.reachable(repo, tip)).values())


def _read(repo: Repository, store: TreatmentStore, tip: str, tips: Sequence[str]) -> None:
    """Read the commits that ``tip`` has and none of ``tips`` has."""
    pass_ = _Pass(store)
    with history.messages(repo, tip, tips) as walk:
        while commits := list(islice(walk, _CHUNK)):
            checkpoint()
            pass_.take(commits)
    if not pass_.parents:
        return
    rows = store.rows(tips)
    known = {rows[one]: store.mask(one) or b"" for one in tips if one in rows}
    resolver = Resolver(store, Ancestry(repo, store, pass_.parents, pass_.moments, known))
    edges: list[StoredEdge] = []
    for by, claims in pass_.claims:
        edges += resolver.edges(by, claims)
    store.add_edges(_checked(repo, store, edges))


class _Pass:
    """What one pass reads: commits and names are written at once, claims wait for all of them."""

    def __init__(self, store: TreatmentStore) -> None:
        self._store = store
        self._last = store.last_row()
        self._rows: dict[str, int] = {}
        self.parents: dict[int, tuple[int, ...]] = {}
        self.moments: dict[int, int] = {}
        self.claims: list[tuple[Row, tuple[Claim, ...]]] = []

    def take(self, commits: Sequence[RawCommit]) -> None:
        """Take the next commits, parents first."""
        self._look_up(parent for one in commits for parent in one.parents)
        rows: list[tuple[Row, Sequence[int]]] = []
        names: list[tuple[Name, int]] = []
        watches: list[tuple[int, str]] = []
        for commit in commits:
            if commit.object_id in self._rows:
                continue
            parents = tuple(self._rows.get(one, 0) for one in commit.parents)
            self._last += 1
            moment = max(
                commit.committed_at or 0, *(self._moment(one) + 1 for one in parents if one), 0
            )
            row = Row(self._last, commit.object_id, moment, _day(commit.committed_at))
            self._rows[commit.object_id] = row.row
            self.parents[row.row] = parents
            self.moments[row.row] = moment
            rows.append((row, parents))
            names += [(name, row.row) for name in names_of(commit.message)]
            watches += [(row.row, text) for text in watches_of(commit.message)]
            if found := claims_of(commit.message):
                self.claims.append((row, found))
        self._store.add_commits(rows)
        self._store.add_names(names)
        self._store.add_watches(watches)

    def _look_up(self, ids: Iterable[str]) -> None:
        new = {one for one in ids if one not in self._rows}
        if self._last and new:
            self._rows.update(self._store.rows(new))

    def _moment(self, row: int) -> int:
        if row not in self.moments:
            one = self._store.commit(row)
            return 0 if one is None else one.moment
        return self.moments[row]


def _day(seconds: int | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _checked(
    repo: Repository, store: TreatmentStore, edges: Sequence[StoredEdge]
) -> list[StoredEdge]:
    """The edges, those that claim to undo something held against what was changed."""
    pairs: dict[int, Pair] = {}
    for index, one in enumerate(edges):
        if _is_checked(one) and one.of is not None:
            by, of = store.commit(one.by), store.commit(one.of)
            if by is not None and of is not None:
                pairs[index] = Pair(by.id, of.id, inverse=one.treatment is not Treatment.REINSTATES)
    measured = undone(repo, list(pairs.values()))
    found = list(edges)
    for index, pair in pairs.items():
        found[index] = _weighed(edges[index], measured.get(pair))
    claimed: dict[int, bool] = {}
    for one in found:
        if _is_checked(one):
            claimed[one.by] = claimed.get(one.by, True) and one.part
    return [
        _in_part(one) if one.rule in _DERIVED and claimed.get(one.by, False) else one
        for one in found
    ]


def _is_checked(one: StoredEdge) -> bool:
    """Whether it claims to undo, or to make again, lines of what it treats."""
    amends = one.rule is Rule.TRAILER and one.treatment is Treatment.LIMITS
    return one.treatment in _CHECKED and one.rule not in _DERIVED and not amends


def _weighed(one: StoredEdge, measured: Undone | None) -> StoredEdge:
    """An edge in the light of how much of the earlier change was undone, or made again."""
    if measured is None:
        return one
    if one.strength is Attested.BODY_MENTION:
        whole = measured.lines >= _WHOLE
        return replace(one, strength=Attested.STRUCTURE, confirmed=True) if whole else one
    one = replace(one, confirmed=measured.lines > 0)
    if one.treatment is Treatment.REVERTS and 0 < measured.files < _WHOLE:
        return _in_part(one)
    return one


def _in_part(one: StoredEdge) -> StoredEdge:
    """What follows of a part alone."""
    reverts = one.treatment is Treatment.REVERTS
    return replace(one, treatment=Treatment.LIMITS if reverts else one.treatment, part=True)
