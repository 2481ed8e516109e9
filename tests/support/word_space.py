"""The installed word space, its tables made once a test session and shared between workers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citator.index.wordspace import WordSpace


def cache_of_session(factory: pytest.TempPathFactory) -> Path:
    """The directory where this session keeps the tables."""
    base = factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "word-space"


def word_space(factory: pytest.TempPathFactory) -> WordSpace:
    """A word space over the session's tables."""
    return WordSpace(cache_of_session(factory))
