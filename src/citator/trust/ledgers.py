"""Where the second ledger of a repository is: what its readers may not see, kept outside of it.

Said by a person's command, per repository id. A place that cannot be read back is no place: its
decisions are then absent, and told as a limit, never guessed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from citator.store.layout import Layout
from citator.trust.owned_json import OwnedJson, damaged

VERSION: Final = 1


class SecondLedgers:
    """The second ledgers of one data directory."""

    def __init__(self, layout: Layout) -> None:
        self._file = OwnedJson(layout, "ledgers", frozenset({"ledgers"}), VERSION)

    def of(self, repository: str) -> Path | None:
        """The directory that holds the second ledger of ``repository`` (its id).

        Raises PinRefusedError, StorageError.
        """
        place = self._all().get(repository)
        return None if place is None else Path(place)

    def set(self, repository: str, place: Path | None) -> None:
        """Say where it is (an absolute directory), or that there is none."""
        places = self._all()
        places.pop(repository, None)
        if place is not None:
            places[repository] = str(place)
        self._file.write({"ledgers": places})

    def _all(self) -> dict[str, str]:
        parts = self._file.read()
        places = {} if parts is None else parts["ledgers"]
        if not isinstance(places, dict) or not all(isinstance(one, str) for one in places.values()):
            raise damaged()
        return dict(places)
