"""Reading patches: of git and of others, whole, quoted, cut, and hostile."""

from __future__ import annotations

import pytest

from citator.formats import patch as patches
from citator.formats.patch import FilePatch, Hunk, parse, safe_path

PLAIN = b"""diff --git a/src/a.py b/src/a.py
index 1111111..2222222 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,3 @@ def f():
 one
-two
+2
+three
"""


def test_a_patch_of_git_is_read_hunk_by_hunk() -> None:
    (one,) = parse(PLAIN).files
    assert (one.old_path, one.new_path, one.old_id, one.new_id) == (
        *("src/a.py", "src/a.py"),
        *("1111111", "2222222"),
    )
    assert one.hunks == [Hunk(1, 1, [(" ", "one"), ("-", "two"), ("+", "2"), ("+", "three")])]


def test_new_deleted_renamed_and_binary_files_are_told_apart() -> None:
    found = parse(
        b"diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n"
        b"@@ -0,0 +1 @@\n+x\n"
        b"diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n"
        b"@@ -1 +0,0 @@\n-x\n"
        b"diff --git a/one b/two\nsimilarity index 100%\nrename from one\nrename to two\n"
        b"diff --git a/p.png b/p.png\nindex 1111111..2222222\n"
        b"Binary files a/p.png and b/p.png differ\n"
        b"diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n"
    ).files
    assert [(one.old_path, one.new_path, one.binary) for one in found] == [
        *[(None, "new", False), ("old", None, False), ("one", "two", False)],
        *[("p.png", "p.png", True), ("mode", "mode", False)],
    ]


def test_quoted_names_are_unquoted_and_carriage_returns_belong_to_lines() -> None:
    (one,) = parse(
        b'diff --git "a/\\303\\244 \\"q\\"\\t.py" "b/\\303\\244 \\"q\\"\\t.py"\r\n'
        b'--- "a/\\303\\244 \\"q\\"\\t.py"\r\n+++ "b/\\303\\244 \\"q\\"\\t.py"\r\n'
        b"@@ -1 +1 @@\r\n-a\r\n+b\r\n"
    ).files
    assert one.new_path == 'ä "q"\t.py'
    assert one.hunks[0].lines == [("-", "a\r"), ("+", "b\r")]


def test_a_patch_of_plain_diff_inside_a_mail_is_read() -> None:
    mail = b"From: x\nSubject: y\n\n--- old/a.c\t2024-01-01\n+++ new/a.c\t2024-01-02\n"
    (one,) = parse(mail + b"@@ -3 +3 @@\n-x\n+y\n\\ No newline at end of file\n-- \n2.40\n").files
    assert (one.old_path, one.new_path, one.hunks[0].old) == ("old/a.c", "new/a.c", 3)


@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/passwd", "a/../b", ".git/config", "a/.GIT/x", "C:/x", "\\\\host\\x", "a//b", ""],
)
def test_a_path_outside_a_repository_is_no_path(path: str) -> None:
    assert safe_path(path) is None
    raw = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n".encode()
    assert parse(raw).files == () or path == "/etc/passwd"


def test_removed_lines_that_look_like_heads_stay_lines() -> None:
    (one,) = parse(
        b"diff --git a/x.sql b/x.sql\n--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n"
        b"--- a comment\n+++ another\n-b\n+c\n"
    ).files
    assert one.hunks[0].lines == [
        *[("-", "-- a comment"), ("+", "++ another"), ("-", "b"), ("+", "c")]
    ]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\0" * 100,
        b"@@ -1 +1 @@\n-a\n+b\n",
        b"diff --git ",
        b'diff --git "a/\\',
        b"--- a/x\n+++ b/x\n@@ -1,999999999 +1,999999999 @@\n+a\n",
        b"--- a/x\n+++ b/x\n@@ broken @@\n+a\n",
        b"diff --git a/x b/x\n" * 50,
        bytes(range(256)) * 40,
    ],
)
def test_what_is_no_patch_says_nothing_and_breaks_nothing(raw: bytes) -> None:
    found = parse(raw)
    assert all(isinstance(one, FilePatch) for one in found.files)
    assert sum(len(hunk.lines) for one in found.files for hunk in one.hunks) <= 2


def test_files_and_lines_beyond_the_bounds_are_cut_and_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(patches, "MAX_FILES", 2)
    assert len(parse(PLAIN * 3).files) == 2
    assert parse(PLAIN * 3).cut
    monkeypatch.setattr(patches, "MAX_LINES", 2)
    assert parse(PLAIN).cut
    assert not parse(b"").cut
