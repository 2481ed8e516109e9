"""What a decision said at a time: asserted validity, read from what its revisions state.

No clock is read: the time asked about is handed in. When a thing was recorded is another question:
that is the record at a commit.
"""

from __future__ import annotations

from citator.model.record import Item, Revision


def valid_at(item: Item, moment: str) -> Revision | None:
    """The revision of ``item`` that was current at ``moment`` (``2026-03-01T09:00:00Z``).

    The last of those that had begun by then; None before the first, and where that one had ended.
    """
    begun = [one for one in item.revisions if one.valid_from <= moment]
    if not begun:
        return None
    current = max(enumerate(begun), key=lambda pair: (pair[1].valid_from, pair[0]))[1]
    return None if has_ended(current, moment) else current


def has_ended(revision: Revision, moment: str) -> bool:
    """Whether a revision's validity was over at ``moment``."""
    return revision.valid_to is not None and revision.valid_to <= moment
