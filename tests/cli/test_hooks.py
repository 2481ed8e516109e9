"""``hooks``, as a user meets it: nothing is written unsaid, and what was written fires."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.process import Finished, Home
from tests.support.builder import Builder, contents_of, environment

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
FOREIGN = b"#!/bin/sh\n# mine\necho ran >> ran.txt\nexit 3\n"


@dataclass(frozen=True)
class User:
    """A person with a home of their own and a repository that is indexed."""

    home: Home
    builder: Builder

    def __call__(self, *words: str | Path, cwd: Path | None = None) -> Finished:
        self.home.path.mkdir(exist_ok=True)
        folder = str(self.home.path)
        return self.home.run(
            *("hooks", *words), cwd=cwd or self.builder.path, HOME=folder, USERPROFILE=folder,
            CLAUDE_CONFIG_DIR="", CODEX_HOME="",
        )  # fmt: skip

    @property
    def hook(self) -> Path:
        return self.builder.path / ".git" / "hooks" / "post-commit"

    def commit(self, name: str) -> int:
        """Commit as a person does, with hooks; the exit code of git."""
        (self.builder.path / name).write_text("x\n")
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", "add", name], cwd=self.builder.path, check=True)
        return subprocess.run(
            ["git", *who, "commit", "-q", "-m", f"Add {name}"],
            cwd=self.builder.path,
            env=environment(CITATOR_DATA_DIR=str(self.home.path / "data")),
            check=False,
        ).returncode

    def fired(self) -> bool:
        """Whether git's hook was here."""
        (git,) = (one for one in self("status", "--json").object["hooks"] if one["client"] == "git")
        return any(one["at"] for one in git["fired"])


@pytest.fixture
def user(home: Home, tmp_path: Path) -> User:
    builder = Builder.init(tmp_path / "repo")
    builder.write("pump.md", "# Pump\n")
    builder.commit("Begin")
    made = User(home, builder)
    assert made("work").code == 0  # registers nothing
    assert home.run("index", "build", cwd=builder.path).code == 0
    return made


def test_what_was_installed_is_said_first_and_comes_out_again(user: User) -> None:
    before = contents_of(user.builder.path)
    names = ("claude-code", "codex", "cursor", "git", "agents-md")
    clients = [word for name in names for word in ("--client", name)]
    rehearsed = user("install", *clients, "--dry-run")
    assert rehearsed.code == 0 and rehearsed.out.count("Nothing was written (--dry-run).") == 5
    assert contents_of(user.builder.path) == before
    done = user("install", *clients)
    assert done.code == 0 and done.out.count("(new") == 5
    status = user("status", "--json").object["hooks"]
    assert sorted(one["client"] for one in status if one["events"]) == sorted(names[:4])
    for one in status:
        assert [each["event"] for each in one["fired"]] == one["events"]
    again = user("install", *clients, "--json").object["files"]
    assert [one["changed"] for one in again] == [False] * 5
    removed = user("uninstall", *clients, "--json").object["files"]
    assert [one["written"] for one in removed] == [True] * 5
    left = contents_of(user.builder.path)
    assert {name for name in {*left} ^ {*before} if left[name][1]} == set()  # folders of clients
    assert {name: left[name] for name in before} == before
    assert user("uninstall", *clients).out == "There was nothing of ours.\n"
    assert [one for one in user("status", "--json").object["hooks"] if one["events"]] == []


def test_hooks_that_were_there_before_the_index_have_something_to_say_after_it(
    home: Home, tmp_path: Path
) -> None:
    builder = Builder.init(tmp_path / "repo")
    builder.write("pump.md", "# Pump\n")
    builder.commit("Begin")
    user = User(home, builder)
    done = user("install", "--client", "claude-code")
    assert done.out.endswith("Hooks are silent here until: citator init\n")
    assert list(home.path.rglob("derived/hooks/*.sqlite")) == []
    assert home.run("init", cwd=builder.path).code == 0
    assert len(list(home.path.rglob("derived/hooks/*.sqlite"))) == 1


def test_every_key_of_the_json_is_documented(user: User) -> None:
    said = set(re.findall(r"`([a-z_]+)`", PAGE.read_text(encoding="utf-8")))
    made = user("install", "--client", "git", "--json").object["files"][0]
    status = user("status", "--json").object["hooks"]
    keys = {*made, *status[0], *status[-1]["fired"][0], *user("work", "--json").object}
    assert keys - said == set()


@pytest.mark.skipif(sys.platform == "win32", reason="a hook of a person, as POSIX runs it")
def test_git_runs_ours_and_then_what_was_there(user: User) -> None:
    user.hook.parent.mkdir(exist_ok=True)
    user.hook.write_bytes(FOREIGN)
    user.hook.chmod(0o751)
    assert user("install", "--client", "git").code == 0
    assert stat.S_IMODE(user.hook.stat().st_mode) == 0o751
    assert user.commit("a.txt") == 0 and user.fired()
    assert (user.builder.path / "ran.txt").read_text() == "ran\n"
    assert user("uninstall", "--client", "git").code == 0
    assert user.hook.read_bytes() == FOREIGN and stat.S_IMODE(user.hook.stat().st_mode) == 0o751


@pytest.mark.parametrize("how", ["a link", "not run", "python", "shared"])
def test_a_hook_that_is_not_ours_to_change_is_left_alone(
    user: User, how: str, tmp_path: Path
) -> None:
    user.hook.parent.mkdir(exist_ok=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "post-commit").write_bytes(FOREIGN)
    if how == "a link":
        user.hook.symlink_to(other / "post-commit")
    elif how == "shared":
        user.builder.git("config", "core.hooksPath", str(other))
    else:
        user.hook.write_bytes(FOREIGN if how == "not run" else b"#!/usr/bin/python\npass\n")
        user.hook.chmod(0o644 if how == "not run" else 0o755)
    before = contents_of(user.builder.path)
    done = user("install", "--client", "git")
    assert done.code == 1 and "citator.hooks after-commit --client git" in done.err
    assert contents_of(user.builder.path) == before
    assert (other / "post-commit").read_bytes() == FOREIGN


def test_the_folder_that_git_is_told_of_is_used_and_a_work_tree_has_the_same(
    user: User, tmp_path: Path
) -> None:
    user.builder.git("worktree", "add", "-q", str(tmp_path / "side"), "HEAD")
    assert user("install", "--client", "git", cwd=tmp_path / "side").code == 0
    assert user.hook.is_file() and user.commit("a.txt") == 0 and user.fired()
    user.builder.git("config", "core.hooksPath", ".hooks")
    done = user("install", "--client", "git", "--json").object["files"][0]
    assert Path(done["path"]) == user.builder.path / ".hooks" / "post-commit"
    assert done["in_repository"] is True


def test_doctor_says_when_each_was_last_here(user: User) -> None:
    assert user("install", "--client", "git", "--client", "claude-code").code == 0
    folder = {"HOME": str(user.home.path), "CLAUDE_CONFIG_DIR": ""}

    def said() -> dict[str, str]:
        checks = user.home.run("doctor", "--json", cwd=user.builder.path, **folder)
        return {one["name"]: one["detail"] for one in checks.object["checks"]}

    assert said()["hooks git"] == "after-commit never here yet"
    assert user.commit("a.txt") == 0
    assert re.fullmatch(r"after-commit 20\d\d-[-:0-9T]+Z", said()["hooks git"])
    assert "before-edit never here yet" in said()["hooks claude-code (project)"]


def test_a_person_s_own_settings_are_kept(user: User) -> None:
    path = user.builder.path / ".claude" / "settings.local.json"
    path.parent.mkdir()
    mine = '{\n    "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x"}]}]}\n}'
    path.write_text(mine)
    assert user("install", "--client", "claude-code").code == 0
    assert json.loads(path.read_text())["hooks"]["SessionStart"][0]["hooks"][0]["command"] == "x"
    assert user("uninstall", "--client", "claude-code").code == 0
    assert path.read_text() == mine


def test_a_session_plays_from_hook_to_hook(user: User) -> None:
    """The client's process, the worker it leaves behind, and the next session."""
    assert user("install", "--client", "claude-code").code == 0
    settings = json.loads(
        (user.builder.path / ".claude" / "settings.local.json").read_text(encoding="utf-8")
    )

    def hook(event: str) -> str:
        command = settings["hooks"][event][-1]["hooks"][0]["command"]
        given = {"session_id": "s", "cwd": str(user.builder.path), "hook_event_name": event}
        done = subprocess.run(
            command, shell=True, input=json.dumps(given).encode(), capture_output=True,
            env=user.home.environment(), cwd=user.home.path, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    assert "branch: {name: main}" in hook("SessionStart")
    (user.builder.path / "pump.md").write_text("# Siphon\n")
    assert hook("SessionEnd") == ""
    for _ in range(100):
        started = hook("SessionStart")
        if "not committed" in started:
            break
        time.sleep(0.2)
    assert "not committed: 1 changed, 1 new files" in started
    assert json.loads(started)["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert list((user.home.path / "data").glob("*/local/hooks/*")) == []
