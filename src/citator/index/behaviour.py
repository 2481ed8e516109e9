"""Which files hold behaviour of the product: what leaves or comes back there is worth telling."""

from __future__ import annotations

from citator.index.code.kinds import is_generated, is_test, is_vendored
from citator.model.record import is_of_record
from citator.sources.removals.marks import is_prose


def is_behaviour(path: str) -> bool:
    """Whether lines of a file are behaviour: not of tests, prose, what is generated or vendored,
    nor of the record, which is read by itself."""
    return not (
        is_test(path)
        or is_prose(path)
        or is_generated(path)
        or is_vendored(path)
        or is_of_record(path)
    )
