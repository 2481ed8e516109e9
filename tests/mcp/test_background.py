"""The index is brought up to date beside the server: never inside a call, never after its end."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from citator.service.workspace import Places, Workspace
from citator.store import locks
from tests.mcp.conftest import CACHE_QUESTION, build, explained
from tests.mcp.serving import PATIENCE, Home, Server, Speaker
from tests.support.builder import Builder, contents_of

NEW = "Sign the release archives\n\nAn unsigned archive was swapped on a mirror, so each is signed."


def until(speaker: Speaker, task: str, ready: Any) -> dict[str, Any]:
    """Ask until ``ready`` says yes to the result of a call; the result."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        result = speaker.call("investigate_work", task=task)
        if ready(result):
            return result
        time.sleep(0.1)
    raise AssertionError("never ready")


def limits(result: dict[str, Any]) -> dict[str, Any]:
    facts = result["structuredContent"]["horizon"].get("facts", [])
    return {fact["limit"]: fact.get("count") for fact in facts}


def index_lock(root: Path, home: Home) -> Path:
    place = Workspace.open(root, Places(home.data, home.config)).place
    place.index.mkdir(parents=True, exist_ok=True)
    return place.index / "lock"


def test_a_repository_that_was_never_indexed_is_indexed_while_calls_say_so(
    tmp_path: Path,
) -> None:
    builder, commits = explained(tmp_path / "repository")
    home = Home.under(tmp_path)
    with locks.exclusive(index_lock(builder.path, home)), Server(builder.path, home) as server:
        speaker = server.open("modern")
        for tool, arguments in (
            ("investigate_work", {"task": CACHE_QUESTION}),
            ("read_evidence", {"refs": ["abcdef"]}),
        ):
            assert speaker.failure(tool, **arguments)["code"] in (
                "index_being_built",
                "index_not_built",  # after a first build that found the lock taken
            )
    with Server(builder.path, home) as server:
        speaker = server.open("modern")
        result = until(speaker, CACHE_QUESTION, lambda found: not found.get("isError"))
    assert result["structuredContent"]["evidence"][0]["locator"] == commits["cache"]


def test_an_index_behind_head_answers_says_so_and_catches_up(tmp_path: Path) -> None:
    builder, commits = explained(tmp_path / "repository")
    home = Home.under(tmp_path)
    build(builder.path, home)
    new = builder.commit(NEW)
    before = contents_of(builder.path)
    with Server(builder.path, home) as server:
        speaker = server.open("modern")
        with locks.exclusive(index_lock(builder.path, home)):
            result = speaker.call("investigate_work", task=CACHE_QUESTION)
            assert not result.get("isError"), result
            assert result["structuredContent"]["evidence"][0]["locator"] == commits["cache"]
            assert limits(result) == {"index_behind": 1}
        result = until(
            speaker,
            "why is it that each of the release archives is now signed?",
            lambda found: not limits(found),
        )
        assert result["structuredContent"]["evidence"][0]["locator"] == new
        assert server.leave() == 0
    assert contents_of(builder.path) == before


def test_two_servers_of_one_repository_that_was_never_indexed_both_come_to_answer(
    tmp_path: Path,
) -> None:
    builder, commits = explained(tmp_path / "repository")
    home = Home.under(tmp_path)
    with Server(builder.path, home) as one, Server(builder.path, home) as other:
        for speaker in (one.open("modern"), other.open("legacy")):
            result = until(speaker, CACHE_QUESTION, lambda found: not found.get("isError"))
            assert result["structuredContent"]["evidence"][0]["locator"] == commits["cache"]
        assert (one.complaints, other.complaints) == ("", "")


def test_a_build_ends_with_the_input_of_its_server(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "repository", checkout=False)
    builder.many(200)
    home = Home.under(tmp_path)
    arguments = [str(builder.path), str(home.data), str(home.config)]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "citator.mcp.build", *arguments],
        stdin=subprocess.PIPE,
        env=home.environment(),
    )
    process.communicate(timeout=PATIENCE)  # closes its input at once
    assert process.returncode == 1
    # Positive control: the same build with its input open ends well, and is served.
    with subprocess.Popen(process.args, stdin=subprocess.PIPE, env=home.environment()) as again:
        assert again.wait(PATIENCE) == 0
    with Server(builder.path, home) as server:
        found = server.open("modern").answer(
            "investigate_work", task="why was the change number 199 made?"
        )
    assert found["evidence"]


def test_nothing_is_imported_from_the_directory_a_client_stands_in(tmp_path: Path) -> None:
    builder, commits = explained(tmp_path / "repository")
    trap, home, sprung = builder.path, Home.under(tmp_path), tmp_path / "sprung"
    for name in ("citator", "yaml", "json", "numpy", "tantivy", "mcp"):
        (trap / f"{name}.py").write_text(f"open({str(sprung)!r}, 'w')\nraise SystemExit(3)\n")
    with Server(trap, home, folder=trap) as server:
        speaker = server.open("modern")
        result = until(speaker, CACHE_QUESTION, lambda found: not found.get("isError"))
        assert result["structuredContent"]["evidence"][0]["locator"] == commits["cache"]
    assert not sprung.exists()
    # Positive control: the trap works where Python is not told to leave it alone.
    command = [sys.executable, "-m", "citator.mcp.build"]
    subprocess.run(command, cwd=trap, env=home.environment(), check=False)
    assert sprung.exists()
