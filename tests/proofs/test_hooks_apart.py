"""What hooks say: of this repository alone, to whom it is for, and no word of who writes in it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from citator.model.record import Sensitivity
from citator.service import hooks, hooks_table, notes, sessions, trust
from citator.service.notes import Draft
from citator.service.workspace import Places, Workspace
from citator.store import hook_files
from citator.team.notes import Channel
from citator.trust.readership import PathRule, Readership
from tests.hooks.conftest import NOW, RULING, made
from tests.hooks.speaking import Speaker
from tests.support.builder import Builder
from tests.support.surfaces import attacked, leaked, steering_in

SECRET = "The zanzibar rollout broke carts"


def beside(speaker: Speaker, builder: Builder) -> Speaker:
    """The same user in another repository; its table is made, too."""
    other = Speaker(builder, speaker.data, builder.path, speaker.now)
    assert hooks_table.refresh(other.workspace, NOW)
    return other


def everything(speaker: Speaker) -> str:
    """What a client there is told at every event, about every file."""
    paths = ["src/cart.py", "src/new.py", "README.md", str(speaker.folder / "src" / "cart.py")]
    said = [speaker.edits(path, session_id="") for path in paths]
    return "\n".join([*said, speaker.says("session-start"), speaker.says("pre-compact")])


def test_another_repository_and_another_clone_are_told_nothing_of_it(tmp_path: Path) -> None:
    ours = made(tmp_path)
    notes.add(ours.workspace, Draft(SECRET, paths=("src/cart.py",)), Channel.TYPED, NOW)
    sessions.save(ours.workspace, sessions.Draft(next="Moor at dusk"), Channel.TYPED, NOW)
    hooks_table.refresh(ours.workspace, NOW)
    for words in (SECRET, RULING, "Moor at dusk"):
        assert words in everything(ours)
    strange = Builder.init(tmp_path / "strange")
    strange.write("src/cart.py", "x").write("README.md", "x")
    strange.commit("Begin elsewhere")
    other, clone = beside(ours, strange), beside(ours, ours.clone.clone(tmp_path / "clone"))
    assert "branch: {name: main" in everything(other)
    for words in (SECRET, RULING, "Moor at dusk"):
        assert words not in everything(other)
    for words in (SECRET, "Moor at dusk"):
        assert words not in everything(clone)
    # A file of ours, named from there, is told by none of the two.
    assert other.edits(ours.folder / "src" / "cart.py") == ""
    # Nor by a table that was carried over.
    (theirs,) = [
        hook_files.table_of(each.workspace.place.directory, tree)
        for each in (other,)
        if (tree := hooks_table.tree_of(each.workspace)) is not None
    ]
    tree = hooks_table.tree_of(ours.workspace)
    assert tree is not None
    shutil.copy(hook_files.table_of(ours.workspace.place.directory, tree), theirs)
    assert everything(other).strip() == ""
    assert RULING in everything(ours)


def test_what_an_audience_is_not_for_is_said_no_more_and_its_bytes_are_gone(tmp_path: Path) -> None:
    ours = made(tmp_path)
    assert RULING in everything(ours)
    rules = (PathRule("src/**", Sensitivity.RESTRICTED),)
    trust.set_readership(ours.workspace, Readership(Sensitivity.INTERNAL, rules), NOW)
    folder = hook_files.folder_of(ours.workspace.place.directory)
    assert everything(ours).strip() == "" and list(folder.glob("*.sqlite")) == []
    hooks.work(ours.workspace, NOW)
    (path,) = folder.glob("*.sqlite")
    with closing(sqlite3.connect(path)) as db:
        kept = "".join(str(row) for row in db.execute("select * from said"))
    assert "src/cart.py" not in kept and RULING not in kept and "branch" in everything(ours)


@pytest.mark.long
def test_no_word_of_an_attacker_reaches_an_agent_by_a_hook(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    repository = attacked(tmp_path / "repository").builder
    places = Places(tmp_path / "data", tmp_path / "config", lambda size: b"k" * size)
    workspace = Workspace.open(repository.path, places)
    tree = hooks_table.tree_of(workspace)
    assert tree is not None
    left = {"event": "after-commit", "tree": str(tree.top), "head": workspace.head.commit}
    assert hook_files.spool(workspace.place.directory, tree, left, 0.0)
    assert hooks.work(workspace, NOW).table
    speaker = Speaker(repository, places.data, repository.path, NOW.milliseconds // 1000)
    said = [speaker.says("session-start")]
    with closing(sqlite3.connect(hook_files.table_of(workspace.place.directory, tree))) as db:
        for (path,) in db.execute("select path from said where path != ''").fetchall():
            said.append(speaker.edits(path.replace("\0", "new."), session_id=""))
    text = "\n".join(said)
    assert "recent:" in text
    assert leaked(text) == [] and steering_in(text) == []
