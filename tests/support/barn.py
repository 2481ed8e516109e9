"""A file of code that the histories of dockets begin with, and what a formatter makes of it."""

BARN = """\
def keep(grain, limit=40, where='barn'):
    if limit > 40: raise ValueError('the barn holds forty sacks')
    return store(grain, limit=limit, where=where, label="winter supply")


def sweep(floor):
    return floor
"""
# The first function alone.
FORMATTED = """\
def keep(
    grain,
    limit=40,
    where="barn",
):
    if limit > 40:
        raise ValueError("the barn holds forty sacks")
    return store(
        grain,
        limit=limit,
        where=where,
        label="winter supply",
    )
"""
