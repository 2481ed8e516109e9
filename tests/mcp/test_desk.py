"""The tools as work: what does not fit is continued, and what cannot be built is not behind."""

from __future__ import annotations

from pathlib import Path

from citator.mcp.answers import ROWS_BYTES
from citator.mcp.definitions import compact
from citator.mcp.desk import Desk
from citator.service.workspace import Places
from tests.mcp.conftest import build, explained
from tests.mcp.serving import Home
from tests.support.builder import Builder


def desk_of(root: Path, home: Home) -> Desk:
    return Desk(root, Places(home.data, home.config))


def test_rows_that_do_not_fit_come_on_the_next_page_and_none_comes_twice(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "repository")
    folder = "/".join(["documents-about-the-same-thing-in-a-folder-of-a-long-name"] * 3)
    for number in range(20):
        builder.write(
            f"{folder}/{number}.md",
            "# Why the outlet valve is shut\n\nThe pressure sensor of the cooling pump shut the "
            f"outlet valve before the filter, because of reason number {number}.\n",
        )
    builder.commit("Add documents")
    home = Home.under(tmp_path)
    build(builder.path, home)
    desk = desk_of(builder.path, home)
    seen: list[str] = []
    cursor, pages = None, 0
    while pages == 0 or cursor:
        arguments = {
            "task": "why did the pressure sensor of the cooling pump shut the outlet valve?",
            "limit": 20,
            "read": 0,
            "cursor": cursor,
            **dict.fromkeys(("paths", "kinds", "as_of", "at", "you_can")),
        }
        found = desk.work("investigate_work", arguments)
        assert len(compact(found).encode()) <= ROWS_BYTES
        rows = [row["ref"] for row in found["evidence"]]
        assert found["status"] == ("partial" if "cursor" in found else "complete")
        assert found.get("left_out", 0) == 20 - len(seen) - len(rows)
        seen += rows
        cursor, pages = found.get("cursor"), pages + 1
    assert pages > 1
    assert (len(seen), len(set(seen))) == (20, 20)


def test_an_index_is_behind_until_it_is_built_and_again_when_head_moves(tmp_path: Path) -> None:
    builder, _ = explained(tmp_path / "repository")
    home = Home.under(tmp_path)
    desk = desk_of(builder.path, home)
    assert desk.is_behind()
    build(builder.path, home)
    assert not desk.is_behind()
    builder.commit("Change it again\n\nBecause the first change was not enough for the others.")
    assert desk.is_behind()


def test_where_nothing_can_be_built_nothing_is_behind(tmp_path: Path) -> None:
    home = Home.under(tmp_path)
    (tmp_path / "plain").mkdir()
    Builder.init(tmp_path / "empty")
    assert not desk_of(tmp_path / "plain", home).is_behind()
    assert not desk_of(tmp_path / "empty", home).is_behind()
