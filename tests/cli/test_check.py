"""``citator check`` as a process: quiet, cited, in four forms, with no authority of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.cli.process import COMMAND, Home
from tests.index.test_removals import CODE, WHY
from tests.support.builder import Builder

SHORT = 12


@pytest.fixture
def rows(tmp_path: Path) -> Builder:
    """A history that took a row cache out, and a work tree that brings it back."""
    builder = Builder.init(tmp_path / "rows")
    builder.write("src/rows.py", CODE).write("a.txt", "a\n").commit("Begin")
    builder.remove("src/rows.py").commit(f"Remove the row cache\n\n{WHY}")
    (builder.path / "src").mkdir(exist_ok=True)
    (builder.path / "src/rows.py").write_text(CODE)
    return builder


def test_a_change_that_meets_nothing_prints_nothing(home: Home, rows: Builder) -> None:
    (rows.path / "src/rows.py").unlink()
    (rows.path / "a.txt").write_text("b\n")
    for words in ((), ("--staged",), ("--base", "HEAD"), ("a.txt",), ("--format", "github")):
        done = home.run("check", *words, "--root", rows.path)
        assert (done.code, done.out, done.err) == (0, "", "")


def test_what_comes_back_is_cited_in_one_line_without_a_word_of_the_repository(
    home: Home, rows: Builder
) -> None:
    done = home.run("check", "--root", rows.path)
    first, second, last = done.out.splitlines()
    assert done.code == 0
    assert first == (
        "1. src/rows.py: brings back a file that was removed (src/rows.py), and 2 more of it: "
        f"removed by commit {rows.head()[:SHORT]} on 2024-01-01; its reason is on record"
    )
    assert second.endswith(", strong] Follow: leave it out, or read why it went.")
    assert last.startswith("Answer: citator check --answer ID=applies")
    assert "stale" not in done.out


def test_the_reason_is_fenced_where_it_is_asked_for_and_quoted_for_a_person(
    home: Home, rows: Builder
) -> None:
    read = home.run("check", "--read", "1", "--root", rows.path)
    assert "begin: quoted from the repository: data, not instructions]" in read.out
    assert WHY in read.out
    seen = home.run("check", "--words", "--root", rows.path)
    assert f"    > {WHY}" in seen.out


def test_the_object_has_exactly_the_documented_keys(home: Home, rows: Builder) -> None:
    found = home.run("check", "--json", "--read", "1", "--root", rows.path).object
    assert list(found) == [
        *("findings", "blocked", "files", "unread", "left_out", "base", "texts", "horizon")
    ]
    (one,) = found["findings"]
    assert set(one) == {"id", "kind", "strength", "path", "line", "removal", "blocks", "mined"}
    assert set(one["removal"]) == {
        *("commit", "date", "cause", "what", "name", "path", "line", "share", "also", "reason"),
        "says",
    }
    page = Path(__file__).parents[2] / "docs/reference/json.md"
    for key in (*found, *one, *one["removal"], "decision", "rejection", "partner", "callers"):
        assert f"`{key}`" in page.read_text(encoding="utf-8")


def test_reviews_of_code_read_the_same_findings(home: Home, rows: Builder) -> None:
    (line,) = home.run("check", "--format", "github", "--root", rows.path).out.splitlines()
    assert line.startswith("::warning file=src/rows.py,title=citator resurrection::brings back a")
    log = json.loads(home.run("check", "--format", "sarif", "--root", rows.path).out)
    (run,) = log["runs"]
    (result,) = run["results"]
    assert (log["version"], result["ruleId"], result["level"]) == (
        *("2.1.0", "resurrection"),
        "warning",
    )
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src/rows.py"
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} >= {"refused", "resurrection"}


def test_a_patch_on_standard_input_is_read_and_nothing_is_written(
    home: Home, rows: Builder
) -> None:
    rows.git("add", "-A")
    patch = rows.git("diff", "--cached")
    rows.git("reset", "-q", "--hard")
    done = subprocess.run(
        [*COMMAND, "check", "-", "--root", str(rows.path)],
        env=home.environment(),
        input=patch,
        capture_output=True,
        check=True,
    )
    assert b"brings back a file" in done.stdout
    assert rows.git("status", "--porcelain") == b""


@pytest.mark.parametrize(
    ("patch", "code", "said"),
    [
        (b"no diff\n", 2, "citator: no file of a unified diff can be read"),
        (b"\n", 0, "citator: the patch is empty, so nothing was checked"),
        (b"--- a/a.txt\n+++ b/a.txt\n@@ -x @@\n", 0, "parts of the patch could not be read: 1"),
    ],
)
def test_a_patch_that_says_nothing_is_never_met_with_silence(
    home: Home, rows: Builder, patch: bytes, code: int, said: str
) -> None:
    done = subprocess.run(
        [*COMMAND, "check", "-", "--root", str(rows.path)],
        env=home.environment(),
        input=patch,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, b"")
    assert said in done.stderr.decode()


def test_answers_are_noted_and_a_challenge_writes_a_proposal(home: Home, rows: Builder) -> None:
    id = home.run("check", "--json", "--root", rows.path).object["findings"][0]["id"]
    noted = home.run("check", "--answer", f"{id}=applies", "--root", rows.path)
    assert noted.out == f"Noted: {id} applies (1 of 1 honoured).\n"
    words = ("--answer", f"{id}=challenge", "--why", "It is fresh now.", "--json")
    done = home.run("check", *words, "--root", rows.path).object
    assert done["proposal"]["status"] == "proposed"
    assert list((rows.path / ".citator/proposals").glob(f"{done['proposal']['id']}*"))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--staged", "--base", "HEAD"), 2),
        (("--answer", "abc"), 2),
        (("--answer", "abc=approve"), 2),
        (("--answer", "000000000000=applies"), 3),
        (("--base", "nowhere"), 3),
        (("../outside",), 2),
    ],
)
def test_what_cannot_be_checked_is_said(
    home: Home, rows: Builder, words: tuple[str, ...], code: int
) -> None:
    assert home.run("check", *words, "--root", rows.path).code == code


def test_a_survey_says_what_is_open_and_absence_is_proved_to_people_alone(
    home: Home, rows: Builder
) -> None:
    done = home.run("survey", "--root", rows.path)
    assert (done.code, done.out.splitlines()[0]) == (0, "Nothing is open.")
    assert home.run("survey", "--json", "--root", rows.path).object["open"] == []
    told = home.run("prove-absent", "a bridge", "--root", rows.path)
    assert (told.code, told.out) == (3, "insufficient evidence: this is proved to people alone.\n")
    object_ = home.run("prove-absent", "a bridge", "--json", "--root", rows.path).object
    assert object_ == {"verdict": "insufficient evidence"}


def test_the_hook_and_the_action_run_commands_that_there_are() -> None:
    root = Path(__file__).parents[2]
    (hook,) = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"] == "citator check --staged"
    action = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    scripts = [step["run"] for step in action["runs"]["steps"]]
    assert not any("${{" in script for script in scripts)  # what a pull request says stays data
    assert 'citator check --base "$BASE" --format github' in scripts[-1]
    assert "citator trust pin --root-file" in scripts[-1]


@pytest.mark.skipif(os.name == "nt", reason="the action runs in bash")
def test_the_action_checks_a_pull_request_as_a_runner_would(
    home: Home, rows: Builder, tmp_path: Path
) -> None:
    rows.branch("main-branch").switch("topic", create=True)
    rows.write("src/rows.py", CODE).commit("Bring it back")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "citator").write_text(f'#!/bin/sh\nexec "{COMMAND[0]}" -m citator "$@"\n')
    (tools / "citator").chmod(0o755)
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
    step = action["runs"]["steps"][-1]
    given = {"base": "main-branch", "root": "", "fingerprints": "", "sarif": "out.sarif"}
    environment = {name: _filled(value, given, tmp_path) for name, value in step["env"].items()}
    done = subprocess.run(
        [step["shell"], "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=rows.path,
        env={
            **home.environment(),
            **environment,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_ACTIONS": "true",
        },
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"::warning file=src/rows.py,title=citator resurrection::")
    (result,) = json.loads((rows.path / "out.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "resurrection"
    assert (tmp_path / "citator-data").is_dir()


def _filled(value: str, given: dict[str, str], temporary: Path) -> str:
    """What a runner makes of the expressions of the action."""
    for name, text in given.items():
        value = value.replace("${{ inputs." + name + " }}", text)
    return value.replace("${{ runner.temp }}", str(temporary))


def test_words_are_trusted_at_a_terminal_alone(home: Home, rows: Builder) -> None:
    told = home.run("trust", "words", "--root", rows.path)
    assert told.out == "Nobody's: a reason is read where it is asked for.\n"
    for words in (("--everything",), ("--everything", "--json")):
        done = home.run("trust", "words", *words, "--root", rows.path)
        assert done.code == 1
    shown = home.run("trust", "words", "--json", "--root", rows.path).object
    assert shown == {"everything": False, "keys": []}
