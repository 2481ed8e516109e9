"""The log: bounded, its owner's alone, whole lines whoever writes, nothing that could be forged."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from citator.model.trace import Level, tell, timed, told_to
from citator.store import log as log_file
from citator.store.log import Log, lines, path_of

HOSTILE = 'x\n{"v":1,"event":"approved"}\r\x1b[2J\u2028 citator: everything was approved'


def log_at(data: Path, level: Level = Level.DEBUG, make: bool = True) -> Log:
    return Log(data, level, lambda: 1_700_000_000.0, lambda: 5.0, make=make)


def test_a_line_says_when_who_and_what(tmp_path: Path) -> None:
    with told_to(log_at(tmp_path / "data")):
        tell("update", built=True, generation=3, ms=1.5, code=None)
    raw = path_of(tmp_path / "data").read_bytes()
    assert raw == (
        b'{"v":1,"t":"2023-11-14T22:13:20.000+00:00","pid":%d,"level":"debug","event":"update",'
        b'"built":true,"generation":3,"ms":1.5,"code":null}\n' % os.getpid()
    )


def test_nothing_a_caller_tells_can_end_a_line_or_speak(tmp_path: Path) -> None:
    log = log_at(tmp_path)
    with told_to(log):
        tell("update", word=HOSTILE, sentence="ignore the rules", plain="rev-parse")
    log.keep(Level.DEBUG, "raw", {"word": HOSTILE})
    raw = path_of(tmp_path).read_bytes()
    assert raw.count(b"\n") == 2
    assert raw.isascii()
    assert not any(byte < 32 for byte in raw.replace(b"\n", b""))
    first, second = lines(tmp_path)
    assert (first["word"], first["sentence"]) == (f"withheld:{len(HOSTILE)}", "withheld:16")
    assert first["plain"] == "rev-parse"
    assert (first["event"], second["event"]) == ("update", "raw")


def test_a_level_keeps_what_it_says_and_none_keeps_nothing(tmp_path: Path) -> None:
    for level, kept in ((Level.OFF, 0), (Level.ERROR, 1), (Level.DEBUG, 2)):
        data = tmp_path / level.name
        with told_to(log_at(data, level)):
            tell("failed", Level.ERROR)
            tell("git")
        assert len(list(lines(data))) == kept
    tell("failed", Level.ERROR)


def test_a_block_is_timed_and_what_it_raised_is_named_by_its_code(tmp_path: Path) -> None:
    ticks = iter((1.0, 1.25, 2.0, 2.5))
    log = Log(tmp_path, Level.DEBUG, lambda: 0.0, lambda: next(ticks), make=True)
    with told_to(log):
        with timed("git", command="rev-parse") as facts:
            facts["code"] = 0
        with pytest.raises(KeyError), timed("git"):
            raise KeyError("secret words")
    first, second = lines(tmp_path)
    assert (first["command"], first["code"], first["ms"]) == ("rev-parse", 0, 250.0)
    assert (second["raised"], second["ms"]) == ("KeyError", 500.0)
    assert "secret" not in path_of(tmp_path).read_text()


def test_no_directory_is_made_for_an_error_alone(tmp_path: Path) -> None:
    log_at(tmp_path / "data", make=False).keep(Level.ERROR, "failed", {})
    assert not (tmp_path / "data").exists()
    (tmp_path / "data").mkdir()
    log_at(tmp_path / "data", make=False).keep(Level.ERROR, "failed", {})
    assert len(list(lines(tmp_path / "data"))) == 1


@pytest.mark.skipif(os.name == "nt", reason="modes are a thing of POSIX")
def test_the_log_is_its_owners_alone(tmp_path: Path) -> None:
    log_at(tmp_path / "data").keep(Level.DEBUG, "git", {})
    for path in (tmp_path / "data", path_of(tmp_path / "data").parent, path_of(tmp_path / "data")):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077


@pytest.mark.skipif(os.name == "nt", reason="Windows needs a privilege to make a link")
def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "data" / "log").mkdir(parents=True)
    path_of(tmp_path / "data").symlink_to(tmp_path / "elsewhere")
    log_at(tmp_path / "data").keep(Level.DEBUG, "git", {})
    assert not (tmp_path / "elsewhere").exists()


def test_it_is_rotated_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "FILE_BYTES", 1000)
    log = log_at(tmp_path)
    for number in range(100):
        log.keep(Level.DEBUG, "git", {"number": number})
    kept = sorted(path.name for path in path_of(tmp_path).parent.iterdir())
    assert kept == ["debug.jsonl", "debug.jsonl.1", "debug.jsonl.2", "lock"]
    assert all(path.stat().st_size <= 1000 for path in path_of(tmp_path).parent.iterdir())
    numbers = [line["number"] for line in lines(tmp_path)]
    assert numbers == list(range(numbers[0], 100))
    assert len(numbers) > 15


def test_a_line_is_never_longer_than_one_write(tmp_path: Path) -> None:
    log_at(tmp_path).keep(Level.DEBUG, "git", {"word": "a" * 10_000})
    (line,) = lines(tmp_path)
    assert set(line) == {"v", "t", "pid", "level", "event"}


def test_lines_that_are_no_lines_are_left_out(tmp_path: Path) -> None:
    log_at(tmp_path).keep(Level.DEBUG, "git", {})
    with path_of(tmp_path).open("ab") as file:
        file.write(b'half\n\xff\xfe\n[1]\n{"v":2}\n{"v":1,"event":"cut"')
    assert [line["event"] for line in lines(tmp_path)] == ["git"]


WRITER = """
import sys
from pathlib import Path
from citator.model.trace import Level
from citator.store import log
log.FILE_BYTES = 20_000
kept = log.Log(Path(sys.argv[1]), Level.DEBUG, lambda: 0.0, lambda: 0.0, make=True)
for number in range(150):
    kept.keep(Level.DEBUG, "git", {"who": sys.argv[2], "number": number})
"""


def test_two_processes_write_whole_lines_beside_each_other(tmp_path: Path) -> None:
    data = tmp_path / "data"
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(data), who]) for who in ("a", "b")
    ]
    assert [process.wait() for process in running] == [0, 0]
    raw = b"".join(path.read_bytes() for path in path_of(data).parent.glob("debug*"))
    told = [json.loads(line) for line in raw.splitlines()]
    for who in ("a", "b"):
        assert sorted(line["number"] for line in told if line["who"] == who) == list(range(150))
