"""A snapshot out of an earlier one: the rows of files that stay are moved, the others made anew.

- What comes out is, to the last bit, what :func:`snapshot_of` makes of all the files.
- A file stays where its path and its blob did, and its place among those that stay. Where fewer
  than two thirds do, everything is made anew.
- An earlier snapshot is looked for among those that are kept, newest first, and its checksums are
  verified: damage does not travel into later ones.
- Imports depend on all paths: where these changed, those are resolved again that end in a name by
  which a path that came or went could be found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from citator.index.code import kept, lookups
from citator.index.code.facts import FileFacts
from citator.index.code.imports import edges, found_by
from citator.index.code.kept import Sources
from citator.index.code.lookups import keys_of, parts_of
from citator.index.code.snapshot import CodeSnapshot, Postings, snapshot_of, table_of
from citator.index.code.words import Words
from citator.model.errors import IntegrityError

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

FactsOf = Callable[[Sequence[int]], list[FileFacts]]


class Rows(NamedTuple):
    """What stays: rows ``old`` of the earlier snapshot are rows ``new``; ``rest`` are the other
    rows. All ascending."""

    old: Array
    new: Array
    rest: Array


def snapshot_beside(
    folder: Path, members: Sequence[tuple[str, str]], facts_of: FactsOf, words: Words
) -> tuple[CodeSnapshot, Sources]:
    """The snapshot of ``members`` (path, blob), out of one in ``folder`` where one is near enough.

    ``facts_of`` gives the facts of some of them, by their place.
    """
    objects = tuple(one for _, one in members)
    if found := _nearest(folder, members):
        (before, sources), rows = found
        facts = facts_of(rows.rest.tolist())
        told = _woven_texts(sources.imports, rows, [_line(one) for one in facts])
        paths = tuple(path for path, _ in members)
        made = snapshot_of(
            [(paths[row], one) for row, one in zip(rows.rest.tolist(), facts, strict=True)], words
        )
        return renewed(before, made, rows, paths, told), Sources(objects, told)
    facts = facts_of(range(len(members)))
    pairs = [(path, one) for (path, _), one in zip(members, facts, strict=True)]
    return snapshot_of(pairs, words), Sources(objects, tuple(_line(one) for one in facts))


def _nearest(
    folder: Path, members: Sequence[tuple[str, str]]
) -> tuple[tuple[CodeSnapshot, Sources], Rows] | None:
    with suppress(OSError, IntegrityError):
        kept_ones = [(one.stat().st_mtime_ns, one) for one in folder.glob("*.code.arrays")]
        for _, path in sorted(kept_ones, reverse=True):
            with suppress(OSError, IntegrityError):
                before = kept.members_of(path)
                rows = staying(before, members)
                if before and 3 * len(rows.old) >= 2 * len(members):
                    return kept.load_whole(path), rows
    return None


def staying(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> Rows:
    """Which rows stay, in the order that most of them have."""
    import numpy as np

    place = {one: row for row, one in enumerate(before)}
    was = np.array([place.get(one, -1) for one in after], np.int64)
    new = np.flatnonzero(was >= 0)
    old = was[new]
    if len(old):
        later = old == np.minimum.accumulate(old[::-1])[::-1]
        sooner = old == np.maximum.accumulate(old)
        here = later if later.sum() >= sooner.sum() else sooner
        old, new = old[here], new[here]
    rest = np.ones(len(after), bool)
    rest[new] = False
    return Rows(old, new, np.flatnonzero(rest))


def renewed(
    before: CodeSnapshot,
    made: CodeSnapshot,
    rows: Rows,
    paths: tuple[str, ...],
    imports: Sequence[str],
) -> CodeSnapshot:
    """``before`` with the files of ``made`` in the rows that do not stay. ``imports``: one line
    of statements a file."""
    import numpy as np

    where = np.full(len(before.paths), -1, np.int64)
    where[rows.old] = rows.new
    defs = _Woven(where[before.def_files], rows.rest[made.def_files])
    chunks = _Woven(where[before.chunk_files], rows.rest[made.chunk_files])
    parents = defs.of(_moved(before.def_parents, defs.kept), _moved(made.def_parents, defs.added))
    names = defs.texts(before.names, made.names)
    def_names = defs.of(before.def_names, made.def_names)
    return CodeSnapshot(
        paths=paths,
        states=_woven_texts(before.states, rows, made.states),
        languages=_woven_texts(before.languages, rows, made.languages),
        lines=_woven(before.lines, rows, made.lines),
        files=_table(before.files, where, made.files, rows.rest),
        lengths=_woven(before.lengths, rows, made.lengths),
        chunks=_table(before.chunks, chunks.kept, made.chunks, chunks.added),
        chunk_files=chunks.files,
        chunk_lengths=chunks.of(before.chunk_lengths, made.chunk_lengths),
        def_files=defs.files,
        def_names=def_names,
        def_kinds=defs.of(before.def_kinds, made.def_kinds),
        def_parents=parents,
        def_spans=defs.of(before.def_spans, made.def_spans),
        names=names,
        imports=_imports(before, rows, paths, imports),
        by_name=lookups.names_of(def_names),
        ends=_lookup(before.ends, where, made.ends, rows.rest),
        stems=_lookup(before.stems, where, made.stems, rows.rest),
        traits=_woven(before.traits, rows, made.traits),
    )


class _Woven:
    """Rows that belong to files, some of them gone (file -1), and rows of other files among them.

    ``kept`` and ``added``: where each row is now, or -1; ``files``: that of each row.
    """

    def __init__(self, kept_files: Array, added_files: Array) -> None:
        import numpy as np

        self.here = kept_files >= 0
        files = kept_files[self.here]
        self.at = np.searchsorted(files, added_files)
        self.files: Array = np.insert(files, self.at, added_files).astype(np.int32)
        self.kept = np.full(len(kept_files), -1, np.int64)
        self.kept[self.here] = np.arange(len(files)) + np.searchsorted(added_files, files)
        self.added = np.arange(len(added_files)) + self.at

    def of(self, kept_ones: Array, added: Array) -> Array:
        """The rows of both."""
        import numpy as np

        rows: Array = np.insert(kept_ones[self.here], self.at, added, axis=0)
        return rows

    def texts(self, kept_ones: Sequence[str], added: Sequence[str]) -> tuple[str, ...]:
        """The same of texts."""
        return _inserted(list(compress(kept_ones, self.here.tolist())), self.at, added)


def _woven(kept_ones: Array, rows: Rows, added: Array) -> Array:
    import numpy as np

    woven: Array = np.insert(
        kept_ones[rows.old], np.searchsorted(rows.new, rows.rest), added, axis=0
    )
    return woven


def _woven_texts(kept_ones: Sequence[str], rows: Rows, added: Sequence[str]) -> tuple[str, ...]:
    import numpy as np

    staying_ones = [kept_ones[row] for row in rows.old.tolist()]
    return _inserted(staying_ones, np.searchsorted(rows.new, rows.rest), added)


def _inserted(texts: list[str], at: Array, added: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    last = 0
    for place, text in zip(at.tolist(), added, strict=True):
        found += texts[last:place]
        found.append(text)
        last = place
    return (*found, *texts[last:])


def _moved(parents: Array, where: Array) -> Array:
    import numpy as np

    return np.where(parents >= 0, where[parents], -1).astype(np.int32)


def _table(before: Postings, where: Array, made: Postings, added: Array) -> Postings:
    """The rows of both tables, docs numbered anew."""
    import numpy as np

    docs = where[before.docs]
    here = docs >= 0
    key = keys_of(np.repeat(before.terms, np.diff(before.starts))[here], docs[here])
    new = keys_of(np.repeat(made.terms, np.diff(made.starts)), added[made.docs])
    at = np.searchsorted(key, new)
    return table_of(
        np.insert(key, at, new), np.insert(before.counts[here], at, made.counts, axis=0)
    )


def _lookup(
    before: lookups.Lookup, where: Array, made: lookups.Lookup, added: Array
) -> lookups.Lookup:
    import numpy as np

    rows = where[before.rows]
    here = rows >= 0
    key = keys_of(before.numbers[here], rows[here])
    new = keys_of(made.numbers, added[made.rows])
    return lookups.Lookup(*parts_of(np.insert(key, np.searchsorted(key, new), new)))


def _imports(
    before: CodeSnapshot, rows: Rows, paths: tuple[str, ...], imports: Sequence[str]
) -> Array:
    """The edges of files that stay, and those of the others and of whom new paths could matter."""
    import numpy as np

    place = {path: row for row, path in enumerate(paths)}
    where = np.array([place.get(path, -1) for path in before.paths], np.int64)
    asked = set(rows.rest.tolist())
    if changed := place.keys() ^ set(before.paths):
        names = {"", ".", ".."}.union(*(found_by(path) for path in changed))
        for row, line in enumerate(imports):
            if line and not names.isdisjoint(one.rpartition("/")[2] for one in line.split("\n")):
                asked.add(row)
    told = [(row, imports[row].split("\n")) for row in sorted(asked) if imports[row]]
    found = np.array(edges(paths, told) if told else [], np.int32).reshape(-1, 2)
    stay = where[before.imports]
    stay = stay[(stay[:, 0] >= 0) & ~np.isin(stay[:, 0], sorted(asked))]
    both = np.concatenate([stay.astype(np.int32), found])
    edges_of_both: Array = both[np.lexsort((both[:, 1], both[:, 0]))]
    return edges_of_both


def _line(facts: FileFacts) -> str:
    return "\n".join(facts.imports)
