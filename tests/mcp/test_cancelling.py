"""A call that its client gives up is stopped, with the git it started, and the next is served."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.conftest import CACHE_QUESTION, Indexed
from tests.mcp.processes import is_running
from tests.mcp.serving import ERAS, PATIENCE, Era, Server

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="stands a shell script in for git")
pytestmark = posix_only

CALL = {"name": "investigate_work", "arguments": {"task": CACHE_QUESTION}}


REF = "0" * 12
READ = {"uri": f"citator://evidence/{REF}"}
COMPLETE = {
    "ref": {"type": "ref/resource", "uri": "citator://evidence/{ref}"},
    "argument": {"name": "ref", "value": REF},
}
REQUESTS = [("tools/call", CALL), ("resources/read", READ), ("completion/complete", COMPLETE)]


class SlowGit:
    """A git in front of the real one that hangs for as long as ``folder/hang`` exists."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._hang = folder / "hang"
        self._pid = folder / "pid"
        script = folder / "git"
        script.write_text(
            "#!/bin/sh\n"
            f"if [ -e '{self._hang}' ]; then echo $$ > '{self._pid}.new'\n"
            f"mv '{self._pid}.new' '{self._pid}'; exec sleep 1000; fi\n"
            f"exec '{shutil.which('git')}' \"$@\"\n"
        )
        script.chmod(0o755)
        self.environment = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}

    def hang(self) -> None:
        self._pid.unlink(missing_ok=True)
        self._hang.touch()

    def work(self) -> None:
        self._hang.unlink()

    def hanging(self) -> int:
        """The process that hangs, once there is one."""
        limit = time.monotonic() + PATIENCE
        while not self._pid.exists():
            assert time.monotonic() < limit, "git was never started"
            time.sleep(0.01)
        return int(self._pid.read_text())


def wait_for_the_end_of(pid: int) -> None:
    limit = time.monotonic() + PATIENCE
    while is_running(pid):
        assert time.monotonic() < limit, "git still runs"
        time.sleep(0.01)


@pytest.mark.parametrize(("method", "params"), REQUESTS, ids=[method for method, _ in REQUESTS])
@pytest.mark.parametrize("era", ERAS)
def test_a_cancelled_call_ends_its_git_and_is_never_answered(
    indexed: Indexed, tmp_path: Path, era: Era, method: str, params: dict[str, Any]
) -> None:
    git = SlowGit(tmp_path / "tools")
    with Server(indexed.root, indexed.home, git.environment) as server:
        speaker = server.open(era)
        assert speaker.ask("tools/call", CALL)["result"]["structuredContent"]["evidence"]
        git.hang()
        number = speaker.request(method, params)
        pid = git.hanging()
        server.send({"method": "notifications/cancelled", "params": {"requestId": number}})
        wait_for_the_end_of(pid)
        git.work()
        # The next message is the next answer: nothing was said about the cancelled call.
        assert speaker.ask("tools/call", CALL)["result"]["structuredContent"]["evidence"]
        assert server.leave() == 0
    assert number not in [json.loads(line)["id"] for line in server.heard.splitlines()]
    assert server.complaints == ""


def test_a_server_that_ends_during_a_call_leaves_no_process(
    indexed: Indexed, tmp_path: Path
) -> None:
    git = SlowGit(tmp_path / "tools")
    with Server(indexed.root, indexed.home, git.environment) as server:
        speaker = server.open("modern")
        git.hang()
        speaker.request("tools/call", CALL)
        pid = git.hanging()
        assert server.leave() == 0
        wait_for_the_end_of(pid)
