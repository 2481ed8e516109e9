"""``import`` and ``export``, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citator.cli.import_ import WORDS
from citator.formats.steering import Sign
from citator.record.importing.plan import Outcome
from citator.service.importing import Held
from tests.cli.process import Home
from tests.support.builder import Builder
from tests.support.importing import proposals, put
from tests.support.review_exports import graph, graph_pull, graph_thread

RECORD = """# 1. Put slow calls on a queue

## Status

Accepted

## Decision

We put every slow call on a queue that survives a restart.
"""
JSON = Path(__file__).parents[2] / "docs/reference/json.md"


@pytest.fixture
def repository(tmp_path: Path) -> Builder:
    builder = Builder.init(tmp_path / "repo")
    builder.write("docs/adr/0001-queue.md", RECORD)
    builder.commit("Record why there is a queue\n\nCalls were slow.")
    builder.git("config", "user.name", "Ada")
    builder.git("config", "user.email", "ada@example.org")
    return builder


def test_records_are_proposed_once_and_told(home: Home, repository: Builder) -> None:
    root = repository.path
    dry = home.run("import", "adr", root / "docs/adr", "--dry-run", "--root", root)
    assert dry.code == 0, dry.err
    assert "* docs/adr/0001-queue.md: proposed" in dry.out
    assert "Nothing was written" in dry.out
    assert not (root / ".citator").exists()
    done = home.run("import", "adr", root / "docs/adr", "--json", "--root", root).object
    assert set(done) == {"written", "read", "counts", "lines", "skipped", "collisions"}
    assert set(done["lines"][0]) == {"source", "outcome", "id", "detail", "flags", "derived"}
    assert done["counts"] == {"proposed": 1}
    (proposal,) = proposals(root)
    assert proposal.id == done["lines"][0]["id"]
    assert proposal.author == "Ada <ada@example.org>"
    again = home.run("import", "adr", root / "docs/adr", "--root", root)
    assert again.out == "1 read: 1 there already.\n"


def test_a_hostile_name_of_a_file_cannot_steer_the_terminal(
    home: Home, repository: Builder, tmp_path: Path
) -> None:
    folder = put(tmp_path / "adr", {"0001-\x1b[31m\u202e.md": RECORD})
    told = home.run("import", "adr", folder, "--dry-run", "--root", repository.path)
    assert "\x1b" not in told.out
    assert "\u202e" not in told.out
    shown = home.run("import", "adr", folder, "--dry-run", "--json", "--root", repository.path)
    assert shown.object["lines"][0]["source"] == "0001-%1B%5B31m%E2%80%AE.md"


def test_what_is_held_back_ends_with_code_1(
    home: Home, repository: Builder, tmp_path: Path
) -> None:
    folder = put(tmp_path / "b", {"a.md": "---\ntype: x\n---\n\nSomething that was decided.\n"})
    root = repository.path
    held = home.run("import", "okf", folder, "--sensitivity", "restricted", "--root", root)
    assert held.code == 1
    assert "citator trust ledger PATH" in held.out


def test_a_theurian_record_that_is_none_is_a_usage_error(
    home: Home, repository: Builder, tmp_path: Path
) -> None:
    told = home.run("import", "theurian", tmp_path, "--root", repository.path)
    assert told.code == 2
    assert "no Theurian record" in told.err


def test_reviews_are_kept_and_proposed_on_request(
    home: Home, repository: Builder, tmp_path: Path
) -> None:
    export = json.dumps(graph(graph_pull(7, graph_thread("Never drop the last message."))))
    folder = put(tmp_path / "e", {"threads.json": export})
    root = repository.path
    done = home.run("import", "reviews", folder, "--propose", "--json", "--root", root).object
    assert set(done) == {
        *("written", "files", "changes", "threads", "joined", "new", "changed", "same"),
        *("unknown", "redactions", "states", "flags", "proposals"),
    }
    assert done["states"] == {"resolved": 2}
    assert done["proposals"]["counts"] == {}
    told = home.run("import", "reviews", folder, "--root", root)
    assert "2 threads: 2 resolved." in told.out
    assert "0 of 1 changes and issues have commits here." in told.out
    assert "0 new, 0 changed, 2 as they were." in told.out


def test_a_review_is_kept_proposed_asked_for_and_read_from_beginning_to_end(
    home: Home, repository: Builder, tmp_path: Path
) -> None:
    root = repository.path
    repository.switch("topic", create=True)
    repository.clock = 1_704_070_800
    fix = repository.write("src/app.py", "x = 3\n").commit("Keep the last message\n\nAs asked.")
    repository.switch("main")
    repository.merge("topic", message="Merge pull request #7 from ada/topic\n\nTitle")
    said = "Never drop the last message of a batch when the receiver closes early."
    export = json.dumps(graph(graph_pull(7, graph_thread(said, "Done."))))
    folder = put(tmp_path / "e", {"threads.json": export})
    done = home.run(
        "import", "reviews", folder, "--local", "--propose", "--owner", "core", "--json",
        "--root", root,
    ).object  # fmt: skip
    assert (done["joined"], done["proposals"]["counts"]) == (1, {"proposed": 1})
    assert not (root / ".citator/reviews").exists()
    (proposal,) = proposals(root)
    cited = proposal.render().decode()
    assert f"commit:{fix}" in cited
    assert "review:github:#7:500" in cited
    question = "may the last message of a batch be dropped when the receiver closes"
    answer = home.run("ask", question, "--json", "--root", root)
    (found,) = [one for one in answer.object["evidence"] if one["kind"] == "review"][:1]
    assert found["locator"].startswith("local/reviews/github/change-7/")
    assert found["review"] == {
        "state": "resolved",
        "change": 7,
        "issue": None,
        "path": "src/app.py",
        "line": 7,
        "commits": found["review"]["commits"],
    }
    assert fix in found["review"]["commits"]
    assert "receiver closes early" not in answer.out
    assert said in home.run("read", found["ref"], "--root", root).out
    assert [one["id"] for one in home.run(
        "decisions", "list", "--json", "--root", root
    ).object["decisions"]] == []  # fmt: skip


def test_exports_say_where_and_how_many(home: Home, repository: Builder, tmp_path: Path) -> None:
    root = repository.path
    for kind, target in (("okf", "bundle"), ("madr", "files"), ("html", "page.html")):
        done = home.run("export", kind, tmp_path / target, "--json", "--root", root).object
        assert set(done) == {"path", "decisions", "digest", "pinned", "problems"}
        assert (done["decisions"], done["pinned"], done["problems"]) == (0, False, 0)
        assert (done["digest"] is None) == (kind == "html")
    assert (tmp_path / "bundle/index.md").is_file()
    put(tmp_path / "mine", {"notes.txt": "mine"})
    told = home.run("export", "okf", tmp_path / "mine", "--root", root)
    assert told.code == 1
    assert (tmp_path / "mine/notes.txt").read_text() == "mine"
    page = home.run("export", "html", tmp_path / "page.html", "--title", "Mine", "--root", root)
    assert "0 decisions written" in page.out
    assert "Nobody pinned the root" in page.out
    assert "<title>Mine</title>" in (tmp_path / "page.html").read_text()


def test_every_outcome_and_flag_has_its_words_and_its_place_on_the_page() -> None:
    outcomes = {one.value for one in (*Outcome, *Held)}
    assert set(WORDS) == outcomes
    page = JSON.read_text(encoding="utf-8")
    words = {*outcomes, *(sign.value for sign in Sign)}
    assert {one for one in words if f"`{one}`" not in page} == set()
