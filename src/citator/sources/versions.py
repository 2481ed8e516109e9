"""The versions that a reference covers: what cut, cleaned and redacted the served text.

Change a number when the same commit or blob would give another passage, and only then: every
reference changes with it and the index is built anew.
"""

from __future__ import annotations

CLEANER = "c1"
SPLITTER = "s1"
REDACTOR = "r1"

VERSIONS = f"{CLEANER}.{SPLITTER}.{REDACTOR}"
