"""What earlier commits say of files: by their words, by the ids and the tickets an issue names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from citator.git import history
from citator.git.repository import discover
from citator.index.code import past as pasts
from citator.index.code.parsing import facts_of
from citator.index.code.snapshot import snapshot_of
from citator.index.code.words import Words
from citator.locate.issue import read_issue
from citator.locate.protocol import Scene
from citator.locate.reasons import Cause, Reason, Reasons
from citator.locate.signals import NAMES, table_of
from citator.service.reason_wording import sentence
from tests.support.builder import Builder

FILES = ("barn.py", "field.py", "mill.py")


@pytest.fixture
def farm(tmp_path: Path) -> Builder:
    builder = Builder.init(tmp_path / "farm")
    builder.write("barn.py", "1").write("field.py", "1").write("mill.py", "1").commit("Begin")
    builder.write("mill.py", "2").commit("Flour is too coarse (#417)")
    builder.write("barn.py", "2").commit("Let the roof hold the rain")
    return builder


def scene_of(farm: Builder, words: Words) -> Scene:
    tip = farm.resolve("HEAD")
    segment = pasts.segment_of(history.commits(discover(farm.path), tip), words)
    view = pasts.view_of(segment, [tip], FILES)
    members = [(path, facts_of(b"x = 1\n", path, words)) for path in FILES]
    return Scene(snapshot_of(members, words), view)


def opinion(farm: Builder, text: str, signal: str) -> dict[str, float]:
    words = Words()
    scene = scene_of(farm, words)
    column = table_of(read_issue(text, words), scene)[:, NAMES.index(signal)]
    return dict(zip(FILES, column.tolist(), strict=True))


@pytest.mark.parametrize("signal", ["hp", "hpt"])
def test_a_file_is_found_by_what_its_changes_were_called(farm: Builder, signal: str) -> None:
    found = opinion(farm, "coarse flour", signal)
    assert found["mill.py"] > found["barn.py"] == found["field.py"] == 0


def test_a_commit_that_is_named_points_at_its_files(farm: Builder) -> None:
    found = opinion(farm, f"wet since {farm.resolve('HEAD')[:9]}", "h_ref")
    assert found == {"barn.py": 1.0, "field.py": 0.0, "mill.py": 0.0}


def test_a_ticket_that_is_named_points_at_the_files_of_its_commits(farm: Builder) -> None:
    assert opinion(farm, "like #417, but finer", "h_ticket")["mill.py"] == 1.0
    assert not any(opinion(farm, "417 sacks", "h_ticket").values())


def test_what_an_issue_refers_to_is_said(farm: Builder) -> None:
    words = Words()
    reasons = Reasons(read_issue("like #417, but finer", words), scene_of(farm, words))
    told = reasons.of(FILES.index("mill.py"), frozenset())[0]
    assert told == Reason(Cause.REFERS, (farm.resolve("HEAD^")[:10],), (1,))
    assert sentence(told) == f"touched by {told.tokens[0]}, which the issue refers to"
    assert Cause.REFERS not in {
        one.cause for one in reasons.of(FILES.index("barn.py"), frozenset())
    }


def test_a_short_issue_is_an_occasion_of_its_own(farm: Builder) -> None:
    assert set(opinion(farm, "x", "brief").values()) == {1.0}
    assert set(opinion(farm, "x" * 600, "brief").values()) == {0.0}


def test_without_history_nothing_is_said() -> None:
    words = Words()
    scene = Scene(snapshot_of([("a.py", facts_of(b"x", "a.py", words))], words), None)
    table = table_of(read_issue("since 1a2b3c4d, see #12", words), scene)
    columns = [NAMES.index(one) for one in ("hp", "hpt", "h_ref", "h_ticket")]
    assert not np.any(table[:, columns])
