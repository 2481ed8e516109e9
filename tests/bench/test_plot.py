"""The drawing of Hit@k: every repository that is large enough, well-formed, the same each time."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from bench.localize.plot import drawn

SPACE = "{http://www.w3.org/2000/svg}"


def figures(n: int) -> dict[str, float]:
    return {"n": n, "hit@1": 50.0, "hit@5": 75.0, "hit@10": 100.0}


REPORT: dict[str, Any] = {
    "splits": {"lite": figures(20)},
    "repositories": {
        "lite: a/<small>": figures(4),
        "lite: b/<&many>": figures(10),
        "lite: c/few": figures(6),
        "loc: d/other": figures(30),
    },
}


def test_the_rows_are_the_larger_repositories_of_the_set_and_the_whole_set() -> None:
    root = ElementTree.fromstring(drawn("lite", REPORT))
    texts = [one.text or "" for one in root.iter(f"{SPACE}text")]
    rows = [text for text in texts if text.endswith(")")]
    assert rows == ["b/<&many> (10)", "c/few (6)", "all (20)"]
    circles = [one.get("cx") for one in root.iter(f"{SPACE}circle")]
    assert circles[1:] == ["490.0"] * 3


def test_the_same_report_is_drawn_the_same() -> None:
    assert drawn("lite", REPORT) == drawn("lite", REPORT)
