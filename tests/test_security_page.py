"""The page of threats: each has a row, and every test that a row names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/explanation/security.md").read_text("utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)
THREATS = (
    "search", "read", "brief", "hook", "web", "log", "terminal escapes", "poisoned memory",
    "definition that changes", "confused deputy", "path traversal", "archive bomb", "backtracks",
    "YAML bomb", "oversized", "git options and arguments", "configuration that runs programs",
    "link", "hostile file name", "query language", "forged reference",
)  # fmt: skip


@pytest.mark.parametrize(("file", "name"), sorted(set(NAMED)), ids=lambda one: one)
def test_a_test_that_the_page_names_exists(file: str, name: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    assert not name or f"\ndef {name}(" in text


def test_every_threat_has_a_row_and_every_row_a_test() -> None:
    table = PAGE.split("## Threat by threat\n")[1].split("\n## ")[0].split("\n\n")[0:2]
    rows = [line for line in "\n".join(table).splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 35
    for row in rows:
        threat, _, held = row.strip("| ").split(" | ")
        assert re.search(r"`tests/[\w/]+\.py::\w+`", held), threat
    told = " ".join(row.split(" | ")[0] for row in rows)
    assert [one for one in THREATS if one not in told] == []
