"""Two repositories never see each other's notes, nor do two clones of one: in one data directory,
through every way that a note is told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from citator.model.errors import NotFoundError
from citator.service import notes
from citator.service.notes import Draft
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace
from citator.team.notes import Channel
from tests.support.builder import Builder

NOW = Moment(1_772_000_000_000, lambda size: b"e" * size)
SECRET = "The zanzibar rollout broke carts"


def repository(folder: Path, name: str) -> Builder:
    builder = Builder.init(folder / name)
    builder.write("a.txt", name)
    builder.commit(f"Begin {name}")
    return builder


def told(workspace: Workspace) -> tuple[set[str], int, int]:
    """What of the note can be noticed from a repository: texts, counts, and what is alike."""
    found = notes.listing(workspace, NOW, everything=True)
    searched = notes.listing(workspace, NOW, words_of="zanzibar")
    alike = notes.add(workspace, Draft("The zanzibar rollout broke"), Channel.TYPED, NOW)
    notes.remove(workspace, alike.note.id, Channel.TYPED, NOW)
    texts = {one.text for one in (*found.notes, *searched.notes, *notes.earned(workspace, NOW))}
    return texts, found.left_out, len(alike.similar)


def test_another_repository_and_another_clone_see_nothing_of_a_note(tmp_path: Path) -> None:
    places = Places(tmp_path / "data", tmp_path / "config", lambda size: b"k" * size)
    ours = repository(tmp_path, "ours")
    other = repository(tmp_path, "other")
    clone = ours.clone(tmp_path / "clone")
    at_ours, at_other, at_clone = (Workspace.open(one.path, places) for one in (ours, other, clone))
    note = notes.add(at_ours, Draft(SECRET), Channel.TYPED, NOW).note
    assert told(at_ours) == ({SECRET}, 0, 1)
    for workspace in (at_other, at_clone):
        assert told(workspace) == (set(), 0, 0)
        with pytest.raises(NotFoundError):
            notes.show(workspace, note.id, NOW)
    assert told(at_ours) == ({SECRET}, 0, 1)
