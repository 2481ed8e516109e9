"""One verdict for one tree: property tests are not timed and draw the same examples every run.

A proof that this machine could not run is named at the end, in red.
"""

from __future__ import annotations

import pytest
from hypothesis import settings

NOT_PROVED = "NOT PROVED"

settings.register_profile("house", deadline=None, derandomize=True, database=None)
settings.load_profile("house")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which proofs were skipped: their reasons begin with NOT_PROVED."""
    skipped = [report.longrepr for report in terminalreporter.getreports("skipped")]
    reasons = {one[2].partition(": ")[2] for one in skipped if isinstance(one, tuple)}
    for reason in sorted(reason for reason in reasons if reason.startswith(NOT_PROVED)):
        terminalreporter.write_line(reason, red=True, bold=True)
