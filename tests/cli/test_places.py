"""Starts where there is no repository, no home, no right to write, or a newer version's data."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from citator.cli import main
from citator.git import surroundings
from tests.cli.process import COMMAND, Finished, Home
from tests.cli.test_ask import contents
from tests.cli.test_terminal import at_terminal
from tests.support import old_data

posix = pytest.mark.skipif(os.name == "nt", reason="users and modes are a thing of POSIX")


def run(environment: dict[str, str], *words: str | Path, cwd: Path | None = None) -> Finished:
    """Run with exactly this environment besides what Python and git need."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    done = subprocess.run(
        [*COMMAND, *map(str, words)],
        cwd=cwd,
        env=kept | environment,
        capture_output=True,
        check=False,
        text=True,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("start", ["home", "top"])
def test_where_there_is_no_repository_the_known_ones_are_named(
    start: str, home: Home, ferry: Path, tmp_path: Path
) -> None:
    assert home.run("index", "build", "--root", ferry).code == 0
    place = tmp_path if start == "home" else Path(tmp_path.anchor)
    told = home.run("ask", "why", cwd=place, HOME=str(tmp_path))
    assert told.code == 2
    assert told.err.startswith("citator: there is no git repository here\n")
    assert f"  Registered here: {ferry.as_posix()}. `--root PATH` names one.\n" in told.err


def test_a_home_that_is_a_repository_is_refused_until_it_is_named(
    home: Home, tmp_path: Path
) -> None:
    mine = old_data.history(tmp_path / "mine").path
    user = str(mine)
    told = home.run("ask", "why", "--json", cwd=mine, HOME=user, USERPROFILE=user)
    assert (told.code, told.object["error"]["code"]) == (2, "home_repository")
    assert not (home.path / "data").exists()
    assert home.run("index", "build", "--root", mine, HOME=user, USERPROFILE=user).code == 0
    assert home.run("ask", old_data.QUESTION, cwd=mine, HOME=user, USERPROFILE=user).code == 0


UNKNOWN_USER = """
import pwd
import sys

def unknown(uid):
    raise KeyError(uid)

pwd.getpwuid = unknown
sys.argv[0] = "citator"
from citator.__main__ import main
main()
"""


@posix
def test_a_user_without_a_home_directory_is_told_what_to_set(tmp_path: Path) -> None:
    repository = old_data.history(tmp_path / "repo").path
    words = ["ask", old_data.QUESTION, "--root", str(repository)]
    command = [sys.executable, "-c", UNKNOWN_USER, *words]
    kept = {"PATH": os.environ["PATH"]}
    done = subprocess.run(command, env=kept, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "CITATOR_DATA_DIR" in done.stderr
    given = {"CITATOR_DATA_DIR": str(tmp_path / "d"), "CITATOR_CONFIG_DIR": str(tmp_path / "c")}
    done = subprocess.run(command, env=kept | given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_users_repository_ends_with_five_and_gits_own_remedy(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = old_data.history(tmp_path / "repo").path
    assumed = {**surroundings.FIXED, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    monkeypatch.setattr(surroundings, "FIXED", assumed)
    for name, value in home.environment().items():
        monkeypatch.setenv(name, value)
    words = ["ask", old_data.QUESTION, "--root", str(repository)]
    assert main.run(words, lambda: None) == 5
    told = capsys.readouterr()
    assert told.out == ""
    assert f"git config --global --add safe.directory {repository}" in told.err
    settings = tmp_path / "gitconfig"
    settings.write_text(f"[safe]\n\tdirectory = {repository.as_posix()}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert main.run(words, lambda: None) == 0


@posix
def test_a_place_that_cannot_be_written_is_an_error_that_says_what_to_set(tmp_path: Path) -> None:
    repository = old_data.history(tmp_path / "repo").path
    (tmp_path / "home").write_bytes(b"not a directory")
    told = run({"HOME": str(tmp_path / "home")}, "ask", "why", "--root", repository)
    assert (told.code, told.out) == (1, "")
    assert "CITATOR_DATA_DIR" in told.err


def test_a_newer_versions_data_end_with_four_and_stay(home: Home, tmp_path: Path) -> None:
    repository = old_data.history(tmp_path / "repo").path
    data = home.path / "data"
    old_data.unpack("613a3a2", data, repository / ".git")
    (data / "format.json").write_text(json.dumps({"format": 99, "citator": "7.0.0"}))
    before = contents(data)
    for words in (
        ("ask", old_data.QUESTION), ("read", "abcdef"), ("init",), ("index", "build"),
        ("index", "build", "--fresh"), ("index", "status"), ("index", "rollback"), ("forget",),
        ("forget", "--yes"), ("serve", "--http", "--port", "0"),
    ):  # fmt: skip
        told = home.run(*words, "--root", repository, CITATOR_LOG="debug")
        assert told.code == 4, (words, told.err)
        assert "written by a newer version of citator (7.0.0)" in told.err
    assert home.run("serve", "--rotate-token").code == 4
    told = home.run("doctor", "--root", repository)
    assert told.code == 1
    assert "!!  data format: " in told.out
    assert contents(data) == before


@posix
def test_a_person_is_told_that_an_older_index_is_made_again(home: Home, tmp_path: Path) -> None:
    repository = old_data.history(tmp_path / "repo").path
    old_data.unpack("4f6a0b5", home.path / "data", repository / ".git")
    shutil.rmtree(home.path / "data" / "shared", ignore_errors=True)
    command = [*COMMAND, "index", "build", "--root", str(repository)]
    told = at_terminal(command, home.environment(TERM="xterm"))
    remade = "citator: the index here was made by another version of citator; making it again\n"
    assert (told.code, told.out.count(remade)) == (0, 1)
    assert remade not in at_terminal(command, home.environment(TERM="xterm")).out
    old_data.unpack("4f6a0b5", tmp_path / "quiet" / "data", repository / ".git")
    quiet = Home(tmp_path / "quiet").run("index", "build", "--root", repository)
    assert (quiet.code, quiet.err) == (0, "")
