"""Ranked passages → the places of an answer.

- At most so many passages a document: one long file cannot fill an answer. The best passage of
  a document decides where the document first stands; the others stand where their own score
  puts them, so that a second passage never costs another document its place.
- The same text at two paths counts once.
- An answer is a window of the ranking; what does not fit is cut from its bottom, and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from citator.index.protocol import Row


def places(ranked: Iterable[Row], per_document: int) -> Iterator[Row]:
    """The rows that get a place, in the order given (best first)."""
    seen: set[str] = set()
    taken: Counter[str] = Counter()
    for row in ranked:
        if row.ref in seen or taken[row.object_id] >= per_document:
            continue
        seen.add(row.ref)
        taken[row.object_id] += 1
        yield row
