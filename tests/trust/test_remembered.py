"""What the root changed is remembered: the first sight counts, and damage counts as no pin."""

from __future__ import annotations

from pathlib import Path

import pytest

from citator.store.layout import Layout
from citator.trust.errors import PinRefusedError
from citator.trust.remembered import Memory, Remembered

RECORD = "a1" * 32
FIRST = Remembered({"record//A.md": "one"}, {"A": ("c3" * 32,)})


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    return Layout(data)


def test_nothing_is_remembered_until_something_is_added(layout: Layout) -> None:
    memory = Memory(layout, RECORD)

    assert memory.read() == Remembered()
    memory.add(FIRST)
    assert memory.read() == FIRST
    assert Memory(layout, "b2" * 32).read() == Remembered()


def test_what_was_seen_first_counts_and_nothing_is_forgotten(layout: Layout) -> None:
    memory = Memory(layout, RECORD)
    memory.add(FIRST)
    later = Remembered({"record//A.md": "other", "record//B.md": "two"}, {"A": ("d4" * 32,)})

    memory.add(later)

    assert memory.read() == Remembered(
        {"record//A.md": "one", "record//B.md": "two"}, {"A": ("c3" * 32,)}
    )


@pytest.mark.parametrize(
    "content",
    [
        "{}",
        "no JSON",
        '{"before":{},"files":{"a":1},"record":"RECORD","version":1}',
        '{"before":{"A":["x"]},"files":{},"record":"RECORD","version":1}',
        '{"before":{},"files":{},"record":"OTHER","version":1}',
        '{"before":{},"files":{},"record":"RECORD","version":2}',
    ],
)
def test_what_was_not_written_here_counts_for_nothing(layout: Layout, content: str) -> None:
    memory = Memory(layout, RECORD)
    memory.add(FIRST)
    written = content.replace("RECORD", RECORD).replace("OTHER", "b2" * 32)
    (layout.trust / f"remembered-{RECORD}.json").write_text(written)

    with pytest.raises(PinRefusedError):
        memory.read()
