"""``doctor --report``: what helps, and nothing of the repository, its author or its user."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from citator.service.report import reduced
from tests.cli.process import Home
from tests.cli.test_ask import contents
from tests.support import old_data
from tests.support.builder import Builder

PLANTED = (
    "zqxbranch", "zqxsubject", "zqxbody", "zqxauthor", "zqxmail", "zqxpath", "zqxglob", "zqxkey",
    "zqxremote", "zqxpassword", "zqxtag", "zqxhome", "zqxuser", "zqxhost", "zqxfolder", "zqxfile",
)  # fmt: skip


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A repository that says something in every place an author or a user can fill."""
    builder = Builder.init(tmp_path / "zqxfolder", branch="zqxbranch")
    builder.write("zqxpath/zqxfile.md", "# zqxbody\n\nBecause zqxbody.\n")
    builder.write(
        ".citator/config.yaml",
        "include: ['zqxglob/**', '**']\nzqxkey: 1\nretrieval: {results: 9}\n",
    )
    builder.commit(
        "zqxsubject of it\n\nBecause zqxbody, and password = zqxpassword",
        author="zqxauthor <zqxmail@example.org>",
    )
    builder.tag("zqxtag")
    builder.git("remote", "add", "zqxremote", "https://zqxuser:zqxpassword@zqxhost.example/x.git")
    builder.git("config", "user.name", "zqxuser")
    return builder.path


def surrounded(home: Home, *words: str | Path, cwd: Path | None = None) -> Any:
    """Run as a user whose names are planted, too."""
    return home.run(
        *words,
        cwd=cwd,
        HOME=str(home.path / "zqxhome"),
        USER="zqxuser",
        LOGNAME="zqxuser",
        HOSTNAME="zqxhost",
        CITATOR_LOG="debug",
    )


def test_a_report_helps_and_holds_nothing_of_anybody(tmp_path: Path, planted: Path) -> None:
    home = Home(tmp_path / "zqxhome" / "zqxuser")
    assert surrounded(home, "index", "build", "--root", planted).code == 0
    assert surrounded(home, "index", "promote", "99", "--root", planted).code == 3
    assert surrounded(home, "ask", "zqxsubject", "zqxpath", cwd=planted).code == 0
    target = tmp_path / "report.json"
    done = surrounded(home, "doctor", "--report", target, cwd=planted)
    assert (done.code, done.out) == (0, f"Report written to {target}.\n")
    text = target.read_text(encoding="ascii")
    assert [word for word in PLANTED if word in text.lower()] == []
    assert str(tmp_path) not in text
    assert re.search(r'"[^"]*[/\\@][^"]*"', text) is None
    report = json.loads(text)
    assert report["report"] == 1
    assert report["system"]["versions"]["citator"]
    assert re.fullmatch(r"\d+\.\d+.*", report["system"]["versions"]["git"])
    assert report["data"]["format"] == 2
    assert report["data"]["repositories"] == 1
    assert report["repository"]["head"] == "branch"
    assert (report["index"]["documents"], report["index"]["behind"]) == (2, 0)
    assert report["settings"]["include"] == 2
    assert report["settings"]["results"] == 9
    assert report["index_limits"] == {"config_unreadable": 1}
    assert report["checks"]["index"] is True
    assert set(report["timings_ms"]) >= {"open", "index", "index_open", "checks"}
    assert all(took >= 0 for took in report["timings_ms"].values())
    (error,) = report["errors"]
    assert (error["code"], error["command"], error["exit"]) == ("no_such_generation", "index", 3)
    assert report["variables"] == ["CITATOR_DATA_DIR", "CITATOR_CONFIG_DIR", "CITATOR_LOG"]
    assert report["problems"] == []


def test_a_report_changes_nothing_else(tmp_path: Path, home: Home, planted: Path) -> None:
    assert home.run("index", "build", "--root", planted).code == 0
    before = contents(home.path), contents(planted)
    assert home.run("doctor", "--report", tmp_path / "r.json", "--root", planted).code == 0
    assert (contents(home.path), contents(planted)) == before


def test_without_a_name_it_is_kept_in_the_data_directory_and_never_written_over(
    home: Home, planted: Path
) -> None:
    paths = [
        home.run("doctor", "--report", "--json", "--root", planted).object["report"]
        for _ in range(3)
    ]
    assert len(set(paths)) == 3
    for path in map(Path, paths):
        assert path.parent == home.path / "data" / "reports"
        assert json.loads(path.read_text())["report"] == 1
        if os.name == "posix":
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077


def test_a_file_that_is_there_is_left_alone_until_that_is_said(
    tmp_path: Path, home: Home, planted: Path
) -> None:
    target = tmp_path / "mine.txt"
    target.write_text("mine")
    refused = home.run("doctor", "--report", target, "--root", planted)
    assert (refused.code, refused.out) == (1, "")
    assert "left as it is" in refused.err
    assert target.read_text() == "mine"
    done = home.run("doctor", "--report", target, "--overwrite", "--root", planted)
    assert done.code == 0
    assert json.loads(target.read_text())["report"] == 1
    assert home.run("doctor", "--overwrite", "--root", planted).code == 2
    nowhere = home.run("doctor", "--report", tmp_path / "none" / "x", "--root", planted)
    assert (nowhere.code, "could not be written there" in nowhere.err) == (1, True)


def test_it_is_shown_where_that_is_asked_for(home: Home, planted: Path) -> None:
    shown = home.run("doctor", "--report", "-", "--root", planted)
    assert json.loads(shown.out)["repository"]["registered"] is False
    assert home.run("doctor", "--report", "-", "--json", "--root", planted).object["report"] == 1
    assert not (home.path / "data").exists()


def test_what_fails_is_named_by_its_code_and_the_rest_is_there(home: Home, tmp_path: Path) -> None:
    nowhere = json.loads(home.run("doctor", "--report", "-", cwd=tmp_path).out)
    assert nowhere["problems"] == [{"step": "open", "code": "not_a_repository"}]
    assert nowhere["checks"]["repository"] is False
    repository = old_data.history(tmp_path / "repo").path
    old_data.unpack("613a3a2", home.path / "data", repository / ".git")
    (home.path / "data" / "format.json").write_text('{"format": 9, "citator": "9.0"}')
    before = contents(home.path)
    newer = json.loads(home.run("doctor", "--report", "-", "--root", repository).out)
    assert {problem["code"] for problem in newer["problems"]} == {"data_too_new"}
    assert newer["system"]["python"]
    assert contents(home.path) == before


def test_a_damaged_index_is_in_the_report(home: Home, tmp_path: Path) -> None:
    repository = old_data.history(tmp_path / "repo").path
    assert home.run("index", "build", "--root", repository).code == 0
    for file in (home.path / "data").rglob("generations/*/engine/*.*"):
        if file.is_file():
            file.write_bytes(bytes(byte ^ 0x5A for byte in file.read_bytes()))
    report = json.loads(home.run("doctor", "--report", "-", "--root", repository).out)
    assert {"step": "index_open", "code": "index_damaged"} in report["problems"]
    assert report["index"]["generation"] == 1


@pytest.mark.parametrize(
    "text", ["/home/ada", "C:\\Users\\ada", "ada@example.org", "https://u:p@h/x", "two words",
             "a\nb", "", "é", "x" * 65],
)  # fmt: skip
def test_the_last_look_withholds_what_is_not_one_short_word(text: str) -> None:
    assert reduced({"a": [text, {"b": text}], text: 1}) == {
        "a": ["withheld", {"b": "withheld"}], "withheld": 1,
    }  # fmt: skip
    kept = {"a": [1, 2.5, True, None, "c1.s1.r1", "2026-11-30T04:25:00Z"]}
    assert reduced(kept) == kept
