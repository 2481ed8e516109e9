"""One verdict for one tree: property tests are not timed and draw the same examples every run."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True, database=None)
settings.load_profile("house")
