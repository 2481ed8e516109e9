"""Preparing the public data: rows from a server of our own, clones from folders of our own."""

from __future__ import annotations

import json
import threading
import urllib.parse
from collections.abc import Iterator, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from bench.localize import prepare
from bench.localize.mirrors import mirror_of
from bench.localize.prepare import PrepareError, Set, digest, gold_lines, prepare_mirrors

from tests.support.builder import Builder

PATCH = """diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -0,0 +1 @@
+first
@@ -4,5 +5,5 @@ def held():
 kept
-gone
-gone too
+came
 kept
+after
diff --git a/new.py b/new.py
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+whole
diff --git a/b.py b/b.py
--- a/b.py
+++ b/b.py
@@ -9 +9 @@
--- dashed
\\ No newline at end of file
+came
"""


class Rows(BaseHTTPRequestHandler):
    """Answers as the dataset server does, from the rows it was made with."""

    def __init__(self, rows: list[dict[str, Any]], *rest: Any) -> None:
        self.rows = rows
        super().__init__(*rest)

    def do_GET(self) -> None:
        asked = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        at, length = int(asked["offset"][0]), int(asked["length"][0])
        page = [{"row": row, "truncated_cells": []} for row in self.rows[at : at + length]]
        content = json.dumps({"rows": page, "num_rows_total": len(self.rows)}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def row(number: int, **other: object) -> dict[str, Any]:
    return {
        "instance_id": f"o__n-{number}", "repo": "o/n", "base_commit": f"{number:040x}",
        "problem_statement": "It breaks", "patch": PATCH, "created_at": "2024", **other,
    }  # fmt: skip


ROWS = [row(number) for number in range(250)]


@pytest.fixture
def source() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Rows, ROWS))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/rows"
    server.shutdown()
    server.server_close()
    thread.join()


def wanted(rows: list[Mapping[str, Any]] | list[dict[str, Any]]) -> Set:
    return Set("o/set", "set.jsonl", len(rows), digest(rows))


def test_a_set_is_read_page_by_page_and_left_when_it_is_there(tmp_path: Path, source: str) -> None:
    assert "250 rows" in prepare.prepare_set(wanted(ROWS), tmp_path, source)
    kept = [json.loads(line) for line in (tmp_path / "set.jsonl").read_text().splitlines()]
    assert [one["instance_id"] for one in kept] == [one["instance_id"] for one in ROWS]
    assert kept[0]["gold_files"] == ["a.py", "b.py"]
    assert "already there" in prepare.prepare_set(wanted(ROWS), tmp_path, "http://127.0.0.1:9/")


def test_what_is_in_another_set_is_left_out_and_gold_is_of_one_ending(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lite = Set("o/lite", "lite.jsonl", 2, digest(ROWS[:2]))
    (tmp_path / "lite.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ROWS[:2]))
    monkeypatch.setitem(prepare.SETS, "lite", lite)
    rest = Set("o/set", "set.jsonl", 248, digest(ROWS[2:]), "lite", "b.py")
    assert "248 rows" in prepare.prepare_set(rest, tmp_path, source)
    first = json.loads((tmp_path / "set.jsonl").read_text().splitlines()[0])
    assert (first["instance_id"], first["gold_files"]) == ("o__n-2", ["b.py"])
    assert first["gold_lines"] == {"b.py": [[9, 9]]}


def test_a_set_that_changed_is_not_written(tmp_path: Path, source: str) -> None:
    with pytest.raises(PrepareError, match="has changed: 250 rows of 249"):
        prepare.prepare_set(wanted(ROWS[:249]), tmp_path, source)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_cannot_be_reached_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(PrepareError, match=r"127\.0\.0\.1:9.* does not answer.*--source"):
        prepare.prepare_set(wanted(ROWS), tmp_path, "http://127.0.0.1:9/")


def test_gold_lines_are_those_of_the_base_version() -> None:
    assert gold_lines(PATCH) == {"a.py": [[1, 1], [5, 7]], "b.py": [[9, 9]]}


def test_gold_of_edited_functions_is_their_files_and_odd_rows_are_refused() -> None:
    told = prepare.instance_of(row(1, edit_functions=["b.py:f", "a.py:C.g", "b.py:h"]))
    assert (told["gold_files"], "gold_lines" in told) == (["a.py", "b.py"], False)
    with pytest.raises(PrepareError, match="names no repository and commit"):
        prepare.instance_of(row(1, repo="--upload-pack=x"))
    with pytest.raises(PrepareError, match="'patch'"):
        prepare.instance_of({name: value for name, value in row(1).items() if name != "patch"})


def test_mirrors_are_cloned_once_and_lost_commits_are_named(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "there" / "o" / "n")
    commit = builder.write("a.py", "1").commit("Begin")
    rows = [row(1, base_commit=commit), row(2, base_commit="0" * 40)]
    file = tmp_path / "set.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in rows), "utf-8")
    there = f"file://{tmp_path / 'there'}/"
    mirrors = tmp_path / "mirrors"
    assert prepare_mirrors([file], mirrors, [], there) == {"o/n": ["0" * 40]}
    assert prepare_mirrors([file], mirrors, [], "file:///nowhere/") == {"o/n": ["0" * 40]}
    assert mirror_of(rows[0], mirrors) == mirrors / "o+n" / "repo"
    with pytest.raises(PrepareError, match="no instance is of x/y"):
        prepare_mirrors([file], mirrors, ["x/y"], there)
    with pytest.raises(PrepareError, match=r"file:///nowhere/o/n cannot be cloned"):
        prepare_mirrors([file], tmp_path / "other", [], "file:///nowhere/")


def test_a_mirror_of_the_repository_itself_comes_before_a_fork(tmp_path: Path) -> None:
    for name in ("adamchainz+django", "django+django"):
        (tmp_path / name / "repo").mkdir(parents=True)
        found = mirror_of({"repo": "django/django"}, tmp_path)
        assert found == tmp_path / name / "repo"
