"""Which commits are documents: the product's own rule, so that every answer can be served.

A fix whose message gives no reason is no answer to "why", and one that only points elsewhere
(``Closes #57``) is a poor one: such questions are left out of every set and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bench.data.mirror import History

from citator.sources.commits import CommitTally, document_of


class Explained:
    """The commits of one history that explain themselves."""

    def __init__(self, history: History) -> None:
        self._history = history

    def among(self, oids: Iterable[str]) -> list[str]:
        """Those of ``oids`` that the product keeps for a reason they give, in the order given."""
        return [oid for oid in oids if self._gives_reason(oid)]

    def messages(self) -> Iterator[str]:
        """The messages of all commits that are documents, merges included."""
        for raw in self._history.commits.values():
            if document_of(raw) is not None:
                yield raw.message

    def _gives_reason(self, oid: str) -> bool:
        tally = CommitTally()
        return tally.read(self._history.commits[oid]) is not None and not tally.pointed
