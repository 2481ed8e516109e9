"""``why``: a docket within its bytes, plain tokens alone, over both eras."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from citator.mcp.answers import ROWS_BYTES
from citator.mcp.definitions import compact
from citator.mcp.docketed import docket_object
from citator.model.docket import (
    Docket,
    DocketCommit,
    DocketLines,
    DocketPlace,
    Passed,
    Relation,
    Role,
    Shape,
)
from citator.model.horizon import Horizon
from citator.model.reference import Ref
from citator.model.treatment import NOT_READ
from tests.mcp.conftest import build
from tests.mcp.serving import Home, Server, Speaker
from tests.support.builder import Builder

WHY = "\n\nBecause ledgers overflowed; ZEBRA words of the author stay behind."


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Builder, Home]:
    folder = tmp_path_factory.mktemp("farm")
    built = Builder.init(folder / "repository")
    built.write("barn.py", "def keep(grain): return store(grain, where='barn')\n")
    built.commit(f"Keep ZEBRA grain (#7){WHY}")
    built.write("barn.py", 'def keep(grain):\n    return store(grain, where="barn")\n')
    built.commit("Format ZEBRA")
    home = Home.under(folder)
    build(built.path, home)
    return built, home


@pytest.fixture(scope="module", params=["legacy", "modern"])
def speaker(farm: tuple[Builder, Home], request: pytest.FixtureRequest) -> Iterator[Speaker]:
    with Server(farm[0].path, farm[1]) as server:
        yield server.open(request.param)


def test_lines_have_their_commit_and_what_was_passed(
    speaker: Speaker, farm: tuple[Builder, Home]
) -> None:
    formatted, made = farm[0].git("rev-list", "HEAD").decode().split()
    found = speaker.answer("why", target="barn.py:2")
    (commit,) = found["docket"].pop("commits")
    assert found["docket"] == {
        "shape": "lines",
        "path": "barn.py",
        "lines": [
            {
                "at": "barn.py:2",
                "commit": made[:12],
                "there": "barn.py:1",
                "passed": [f"{formatted[:12]} format"],
            }
        ],
    }
    assert (commit["commit"], commit["role"], commit["changes"]) == (made[:12], "behaviour", [7])
    read = speaker.answer("read_evidence", refs=[commit["ref"]])
    assert "ZEBRA" in read["items"][0]["text"]
    assert "ZEBRA" not in compact(found)


def test_what_is_not_there_is_unknown(speaker: Speaker) -> None:
    assert speaker.failure("why", target="barn.py:90")["code"] == "unknown_ref"
    assert speaker.failure("why", target=" ")["code"] == "empty_target"
    assert speaker.failure("why", target="x", loud=1)["code"] == "invalid_arguments"
    found = speaker.answer("why", target="why do zeppelins moor at the hangar?")
    assert found["docket"]["abstained"]


def test_a_large_docket_fits_and_says_what_was_left_out() -> None:
    passed = tuple(Passed(f"{one:040x}", "format", "src/x.py") for one in range(20))
    commits = tuple(
        DocketCommit(
            *(f"{one:040x}", Role.BEHAVIOUR, "2026-01-01", 1, 1),
            *(Ref(f"commit:v1:{one:064x}"), (one,), None, NOT_READ, ()),
        )
        for one in range(50)
    )
    docket = Docket(
        Shape.SYMBOL,
        Horizon(None, None),
        path="x" * 60,
        lines=tuple(
            DocketLines("src/x.py", one, one, Relation.INTRODUCED, f"{one:040x}", "y.py", 1, passed)
            for one in range(1, 300)
        ),
        commits=commits,
        callers=tuple(DocketPlace("src/x.py", one, one, "name") for one in range(90)),
    )
    made = docket_object(docket)
    assert len(compact(made).encode()) <= ROWS_BYTES
    assert made["docket"]["left_out"] > 400
    assert made["docket"]["lines"][0]["at"] == "src/x.py:1"
