"""Hooks say what the table holds where it is of now, references where it is not, else nothing."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from citator.cli.surroundings import places
from citator.service import hooks_table, notes
from citator.service.notes import Draft
from citator.store import hook_files
from citator.store.layout import Layout
from citator.team.notes import Channel
from citator.trust.pins import Pins
from tests.hooks.conftest import NOW, RULING
from tests.hooks.speaking import Speaker


def table(speaker: Speaker) -> Path:
    (path,) = speaker.data.glob("*/derived/hooks/*.sqlite")
    return path


def test_an_edit_is_told_what_governs_the_file_and_what_a_key_signed(reader: Speaker) -> None:
    said = reader.edits("src/cart.py")
    head, about, line = said.split("\n")
    assert (head, about) == ("citator: on record here", "src/cart.py:")
    assert line.startswith("- decision ") and " in_force decision:v1:" in line
    assert line.endswith(f": {json.dumps(RULING)}")


def test_a_file_about_which_nothing_is_known_is_met_with_silence(reader: Speaker) -> None:
    assert reader.edits("README.md") == ""
    assert reader.edits("src/cart.py") != ""


def test_a_new_file_is_told_what_holds_beside_it(reader: Speaker) -> None:
    said = reader.edits("src/basket.py")
    assert "new file in src/:" in said and RULING in said
    assert reader.edits("docs/basket.py") == ""


def test_a_conversation_is_told_once_and_again_when_it_begins_again(reader: Speaker) -> None:
    assert reader.edits("src/cart.py") and not reader.edits("src/cart.py")
    assert reader.edits("src/cart.py", session_id="s-2")
    assert reader.says("session-start", source="compact")
    assert reader.edits("src/cart.py")


def test_a_conversation_without_a_plain_name_is_told_always(reader: Speaker) -> None:
    for name in ("../../x", 7, None, "a b", "x" * 65):
        assert reader.edits("src/cart.py", session_id=name) != ""
        assert reader.edits("src/cart.py", session_id=name) != ""


def test_a_session_begins_with_the_brief(reader: Speaker) -> None:
    said = reader.says("session-start")
    assert said.startswith(f"citator brief of {NOW.text[:16]}Z\n") and "branch: {name: main" in said


@pytest.mark.parametrize(
    ("client", "event", "shape"),
    [
        ("claude-code", "session-start", ["hookSpecificOutput", "SessionStart"]),
        ("codex", "before-edit", ["hookSpecificOutput", "PreToolUse"]),
        ("cursor", "session-start", ["additional_context", None]),
        ("cursor", "before-edit", ["additional_context", None]),
    ],
)
def test_each_client_gets_the_shape_it_reads(
    reader: Speaker, client: str, event: str, shape: list[str | None]
) -> None:
    given = {"cwd": str(reader.folder), "tool_input": {"path": "src/cart.py"}}
    form = json.loads(reader.raw(event, json.dumps(given).encode(), client))
    inner = form.get("hookSpecificOutput", {})
    assert [*form, inner.get("hookEventName")] == shape


@pytest.mark.parametrize("event", ["pre-compact", "session-end", "after-commit"])
def test_an_event_whose_answer_no_client_reads_is_silent(reader: Speaker, event: str) -> None:
    for client in ("claude-code", "codex", "cursor", "git"):
        assert reader.raw(event, b"{}", client) == ""


def test_a_patch_names_the_files_it_changes(reader: Speaker) -> None:
    patch = "*** Begin Patch\n*** Update File: src/cart.py\n@@\n-a\n+b\n*** End Patch\n"
    for given in ({"command": patch}, {"input": patch}, patch):
        assert RULING in reader.says("before-edit", "codex", tool_input=given, session_id="")


def test_after_a_commit_only_references_are_said_and_of_which_commit(speaker: Speaker) -> None:
    clone = speaker.clone
    before = clone.head()
    clone.write("README.md", "# More\n")
    clone.commit("Say more")
    said = speaker.edits("src/cart.py")
    assert said.startswith(f"citator: on record here as of {before[:12]}, not of HEAD\n")
    assert RULING not in said and "- decision " in said
    start = speaker.says("session-start")
    assert before[:12] in start and "get_brief" in start and "branch" not in start


def test_a_day_later_the_brief_waits_to_be_asked_for(speaker: Speaker) -> None:
    speaker.now += 25 * 3600
    assert "get_brief has the present one" in speaker.says("session-start")


def test_what_may_be_shown_has_changed_so_nothing_is(speaker: Speaker) -> None:
    workspace = speaker.workspace
    note = notes.add(workspace, Draft("Carts expire"), Channel.TYPED, NOW).note
    assert speaker.edits("src/cart.py") == speaker.says("session-start") == ""
    hooks_table.refresh(workspace, NOW)
    assert speaker.edits("src/cart.py") and "Carts expire" in speaker.says("session-start")
    notes.remove(workspace, note.id, Channel.TYPED, NOW)
    assert speaker.says("session-start") == "" and not list(
        speaker.data.glob("*/derived/hooks/*.sqlite")
    )


def test_a_root_that_is_trusted_no_more_ends_its_words(speaker: Speaker) -> None:
    assert RULING in speaker.edits("src/cart.py")
    for path in Pins(Layout(speaker.data))._layout.trust.glob("pins/*"):
        path.unlink()
    assert speaker.edits("src/cart.py", session_id="s-3") == ""


def test_each_work_tree_has_a_table_of_its_own(speaker: Speaker, tmp_path: Path) -> None:
    speaker.clone.git("worktree", "add", "-q", str(tmp_path / "other"), "HEAD~1")
    speaker.folder = tmp_path / "other"
    assert speaker.edits("src/cart.py") == ""
    hooks_table.refresh(speaker.workspace, NOW)
    assert speaker.edits("src/cart.py") == ""  # no decision had landed there
    assert "detached: true" in speaker.says("session-start")
    speaker.folder = speaker.clone.path
    assert RULING in speaker.edits("src/cart.py")


HOSTILE: list[bytes] = [
    b"", b"{", b"[1]", b"7", b"null", b'"x"', b"\xff\xfe", b"{" * 100_000, b"[" * 1_000_000,
    b'{"tool_input": 7}', b'{"tool_input": {"file_path": ["src/cart.py"]}}',
    b'{"tool_input": {"file_path": "src/cart.py\\u0000"}}', b'{"cwd": 3}',
    b'{"tool_input": {"file_path": "../../etc/passwd"}}', b'{"workspace_roots": {}}',
    b'{"tool_input": {"file_path": "/etc/passwd"}}', b'{"tool_input": {"file_path": ""}}',
    b'{"tool_input": {"file_path": ".git/config"}}', b'{"cwd": "/nowhere/at/all"}',
    b'{"tool_input": {"file_path": "src/../.GIT/config"}}', b'{"tool_input": {"path": "."}}',
    b'{"tool_input": {"command": "*** Begin Patch\\n*** Update File: /etc/passwd"}}',
    b'{"tool_input": {"file_path": "\\ud800"}}', b'{"tool_input": "' + b"x" * 20_000_000 + b'"}',
]  # fmt: skip


def test_whatever_a_client_says_an_edit_of_nothing_here_is_silent(reader: Speaker) -> None:
    for said in HOSTILE:
        assert reader.raw("before-edit", said) == "", said[:80]
    assert reader.edits("src/cart.py") != ""


def test_a_link_leads_nowhere(speaker: Speaker, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (speaker.folder / "src" / "out").symlink_to(tmp_path / "out")
    (speaker.folder / "src" / "link.py").symlink_to(tmp_path / "out" / "x.py")
    (tmp_path / "in").symlink_to(speaker.folder / "src")
    assert speaker.edits("src/out/cart.py") == speaker.edits("src/link.py") == ""
    assert RULING in speaker.edits(tmp_path / "in" / "cart.py")


@pytest.mark.parametrize("how", ["missing", "corrupt", "empty", "cut", "a folder", "another form"])
def test_a_table_that_cannot_be_read_is_silence(speaker: Speaker, how: str) -> None:
    path = table(speaker)
    raw = path.read_bytes()
    path.unlink()
    if how == "corrupt":
        path.write_bytes(b"x" * 8192)
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(raw[:3000])
    elif how == "a folder":
        path.mkdir()
    elif how == "another form":
        with closing(sqlite3.connect(path)) as db:
            db.execute("create table said (path text, said blob)")
            db.execute("insert into said values ('', x'00')")
            db.commit()
    assert speaker.edits("src/cart.py") == speaker.says("session-start") == ""


def test_a_locked_table_is_read(reader: Speaker) -> None:
    with closing(sqlite3.connect(table(reader))) as db:
        db.execute("begin exclusive")
        assert RULING in reader.edits("src/cart.py")


def test_a_table_of_another_work_tree_says_nothing(speaker: Speaker, tmp_path: Path) -> None:
    speaker.clone.git("worktree", "add", "-q", str(tmp_path / "other"), "HEAD")
    ours = table(speaker)
    tree = hook_files.tree_of(tmp_path / "other")
    assert tree is not None
    shutil.copy(ours, hook_files.table_of(ours.parents[2], tree))
    speaker.folder = tmp_path / "other"
    assert speaker.edits("src/cart.py") == ""


def test_the_files_say_what_git_says(speaker: Speaker, tmp_path: Path) -> None:
    clone = speaker.clone
    clone.git("worktree", "add", "-q", "-b", "side/one", str(tmp_path / "other"), "HEAD~1")
    for folder in (clone.path, clone.path / "src", tmp_path / "other"):
        for pack in (False, True):
            if pack:
                clone.git("pack-refs", "--all")
            tree = hook_files.tree_of(folder)
            assert tree is not None
            asked = ("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "HEAD")
            said = subprocess.run(
                ["git", *asked], cwd=folder, capture_output=True, text=True, check=True
            ).stdout.split()
            assert [str(tree.git_dir), str(tree.common_dir), hook_files.head_of(tree)] == said
    assert hook_files.tree_of(tmp_path) is None


def test_a_hook_that_fails_leaves_with_zero_and_says_nothing(
    reader: Speaker, tmp_path: Path
) -> None:
    environ = {**os.environ, "CITATOR_DATA_DIR": str(reader.data)}
    for words in ([], ["x"], ["before-edit"], ["before-edit", "--client", "me"], ["--help"]):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "citator.hooks", *words],
            input=b"\xff{", cwd=tmp_path, env=environ, capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_hook_imports_next_to_nothing() -> None:
    code = (
        "import sys, citator.hooks.__main__;"
        "print(*sorted(one for one in sys.modules if one.startswith('citator')));"
        "heavy = 'click numpy yaml tantivy pydantic subprocess typing dataclasses'.split();"
        "print(sorted({*heavy} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    ours, heavy = done.stdout.splitlines()
    assert ours == (
        "citator citator.hooks citator.hooks.__main__ citator.hooks.answers citator.hooks.asked "
        "citator.store citator.store.hook_files"
    )
    assert heavy == "[]"


def test_what_happened_waits_until_it_is_taken_in(speaker: Speaker) -> None:
    speaker.says("session-end", reason="exit")
    speaker.raw("after-commit", b"", "git")
    (place,) = (one for one in speaker.data.iterdir() if (one / "derived").is_dir())
    found = [facts for _, facts in hook_files.spooled(place)]
    assert [(one["event"], one["session"]) for one in found] == [
        ("session-end", "s-1"),
        ("after-commit", ""),
    ]
    assert hook_files.last_fired(place, "git", "after-commit") is not None
    assert hook_files.last_fired(place, "git", "session-end") is None


def test_eight_at_once_lose_nothing(reader: Speaker) -> None:
    place = reader.workspace.place.directory
    for path, _ in hook_files.spooled(place):
        path.unlink()
    environ = {**os.environ, "CITATOR_DATA_DIR": str(reader.data)}
    code = (
        "import io, os, sys, time; from citator.hooks import __main__ as hook;"
        "hook._start = lambda here: None;"
        "[hook.answer(['after-commit', '--client', 'git'], io.BytesIO(), os.environ, time.time())"
        " for _ in range(25)]"
    )
    started = [
        subprocess.Popen([sys.executable, "-P", "-c", code], cwd=reader.folder, env=environ)
        for _ in range(8)
    ]
    assert [one.wait() for one in started] == [0] * 8
    found = [facts for _, facts in hook_files.spooled(place)]
    assert len(found) == 200 and all(one["event"] == "after-commit" for one in found)


@pytest.mark.skipif(sys.platform == "win32", reason="the home is told by a variable here")
def test_the_data_directory_is_the_one_that_the_command_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for said in ({}, {"XDG_DATA_HOME": str(tmp_path / "shared")}, {"CITATOR_DATA_DIR": "~/own"}):
        for name in ("XDG_DATA_HOME", "CITATOR_DATA_DIR"):
            monkeypatch.delenv(name, raising=False)
        for name, value in said.items():
            monkeypatch.setenv(name, value)
        here = places().data
        here.mkdir(parents=True)
        assert hook_files.data_directory(os.environ, sys.platform) == here
    shutil.rmtree(tmp_path)
    monkeypatch.delenv("CITATOR_DATA_DIR")
    assert hook_files.data_directory(os.environ, sys.platform) is None
