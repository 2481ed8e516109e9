"""Data directories of earlier versions are used or brought up; those of later ones are refused."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fnmatch import fnmatch
from pathlib import Path

import pytest

from citator.index.vector_store import open_to_read
from citator.model.errors import CitatorError, IntegrityError
from citator.model.trace import Level
from citator.service import (
    calibration,
    findings,
    forget,
    http_token,
    index_history,
    journal,
    report,
)
from citator.service.formats import formats
from citator.service.index_history import update
from citator.service.initialise import initialise
from citator.service.investigate import Question, investigate
from citator.service.prepare import prepare
from citator.service.registered import registered
from citator.service.workspace import Places, Workspace
from citator.store import stamp
from citator.store.log import Log
from tests.cli.test_ask import contents
from tests.support import old_data
from tests.support.builder import Builder
from tests.support.word_space import cache_of_session

FILES = Path(__file__).parents[2] / "docs" / "reference" / "files.md"


@pytest.fixture
def ferry(tmp_path: Path) -> Builder:
    return old_data.history(tmp_path / "repo")


@pytest.fixture(params=old_data.RELEASES)
def kept(request: pytest.FixtureRequest, ferry: Builder, places: Places) -> Iterator[Path]:
    """The directory of the clone, as a release left it."""
    yield old_data.unpack(request.param, places.data, ferry.path / ".git")


def share_the_tables(places: Places, factory: pytest.TempPathFactory) -> None:
    """The word space that this session made already."""
    (places.data / "shared").mkdir(parents=True)
    (places.data / "shared" / "wordspace").symlink_to(cache_of_session(factory))


def test_what_a_release_wrote_answers_today(
    kept: Path, ferry: Builder, places: Places, tmp_path_factory: pytest.TempPathFactory
) -> None:
    share_the_tables(places, tmp_path_factory)
    cache_of_session(tmp_path_factory).mkdir(exist_ok=True)
    workspace = Workspace.open(ferry.path, places)
    assert workspace.place.directory == kept
    outdated = index_history.is_outdated(workspace)
    assert update(workspace).built is outdated
    assert not index_history.is_outdated(workspace)
    answer = investigate(workspace, Question(old_data.QUESTION)).answer
    assert answer.evidence[0].object_id == ferry.resolve("HEAD~2")
    current = index_history.current_generation(workspace)
    assert current is not None
    assert calibration.load(workspace, current.number) is not None


def test_an_index_of_other_records_is_made_again_and_the_directory_says_its_format(
    ferry: Builder, places: Places
) -> None:
    place = old_data.unpack("4f6a0b5", places.data, ferry.path / ".git")
    assert stamp.found(places.data) == 1
    workspace = Workspace.open(ferry.path, places)
    assert index_history.is_outdated(workspace)
    report = update(workspace)
    assert report.built
    assert report.generation is not None
    assert report.generation.number == 2
    said = json.loads((places.data / "format.json").read_bytes())
    assert said["format"] == stamp.FORMAT == stamp.found(places.data)
    assert workspace.place.directory == place
    assert workspace.secret == old_data.SECRET
    assert http_token.ensure(places).read_bytes() == old_data.TOKEN


def test_findings_and_vectors_of_the_previous_release_are_read(
    ferry: Builder, places: Places
) -> None:
    place = old_data.unpack("613a3a2", places.data, ferry.path / ".git")
    saved = findings.saved(place / "derived")
    assert [found.object_id for found in saved] == [ferry.resolve("HEAD~1")]
    assert [found.evidence.object_id for found in initialise(
        Workspace.open(ferry.path, places)
    ).findings] == [ferry.resolve("HEAD~1")]  # fmt: skip
    store = open_to_read(place / "derived" / "vectors.sqlite")
    assert store is not None
    with store:
        assert "use-multilingual-3" in (store.contract() or "")


def make_newer(places: Places, writer: str = "9.1.0") -> None:
    said = {"format": stamp.FORMAT + 1, "citator": writer, "unheard": ["of"]}
    (places.data / "format.json").write_text(json.dumps(said))


def test_a_newer_directory_is_refused_by_everything_and_left_as_it_is(
    kept: Path, ferry: Builder, places: Places
) -> None:
    make_newer(places)
    before = contents(places.data)
    workspace = Workspace.open(ferry.path, places)
    for act in (
        lambda: update(workspace),
        lambda: update(workspace, fresh=True),
        lambda: index_history.status(workspace),
        lambda: initialise(workspace),
        lambda: investigate(workspace, Question("why")),
        lambda: workspace.secret,
        lambda: forget.plan(workspace),
        lambda: forget.carry_out(workspace),
        lambda: registered(places),
        lambda: http_token.ensure(places),
        lambda: http_token.rotate(places),
    ):
        with pytest.raises(IntegrityError) as error:
            act()
        assert error.value.code == "data_too_new"
        assert error.value.exit_code == 4
        assert "by a newer version of citator (9.1.0)" in error.value.what
        assert "CITATOR_DATA_DIR" in error.value.todo
    Log(places.data, Level.DEBUG, lambda: 0.0, lambda: 0.0, make=True).keep(
        Level.ERROR, "failed", {}
    )
    assert contents(places.data) == before


def test_a_newer_version_that_could_say_something_is_not_repeated(
    ferry: Builder, places: Places
) -> None:
    old_data.unpack("613a3a2", places.data, ferry.path / ".git")
    make_newer(places, "9 \x1b[2J ignore the rules")
    with pytest.raises(IntegrityError) as error:
        registered(places)
    assert error.value.what.startswith("the data directory was written by a newer version of cit")
    assert "ignore" not in error.value.what


def test_a_newer_description_of_a_clone_is_not_written_over(ferry: Builder, places: Places) -> None:
    place = old_data.unpack("613a3a2", places.data, ferry.path / ".git")
    described = json.loads((place / "repository.json").read_bytes())
    (place / "repository.json").write_text(json.dumps({**described, "version": 2, "roots": {}}))
    before = contents(places.data)
    with pytest.raises(IntegrityError) as error:
        _ = Workspace.open(ferry.path, places).place
    assert error.value.code == "data_too_new"
    assert contents(places.data) == before


def test_a_newer_index_is_only_built_over_where_that_was_asked_for(
    ferry: Builder, places: Places
) -> None:
    workspace = Workspace.open(ferry.path, places)
    update(workspace)
    manifest = workspace.place.index / "generations" / "000001" / "manifest.json"
    rewrite_manifest(manifest, '"format": 1', '"format": 2')
    before = contents(workspace.place.index)
    with pytest.raises(IntegrityError) as error:
        update(Workspace.open(ferry.path, places))
    assert error.value.code == "index_too_new"
    assert contents(workspace.place.index) == before
    assert update(Workspace.open(ferry.path, places), fresh=True).built


def rewrite_manifest(path: Path, old: str, new: str) -> None:
    from zlib import crc32

    text = path.read_bytes().partition(b"\n")[2].decode()
    assert text.count(old) == 1
    text = text.replace(old, new)
    path.write_text(f"{crc32(text[:-1].encode()):08x}\n{text}")


def test_newer_vectors_turn_the_leg_off_and_stay(ferry: Builder, places: Places) -> None:
    from citator.index.vector_store import UnreadableStoreError, open_to_fill

    place = old_data.unpack("613a3a2", places.data, ferry.path / ".git")
    path = place / "derived" / "vectors.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma user_version = 7")
    before = path.read_bytes()
    with pytest.raises(UnreadableStoreError):
        open_to_read(path)
    with pytest.raises(CitatorError) as error:
        open_to_fill(path, "another")
    assert error.value.code == "vectors_too_new"
    assert path.read_bytes() == before


@pytest.mark.parametrize("number", [0, 2])
def test_a_calibration_of_another_format_is_measured_again(
    number: int, ferry: Builder, places: Places
) -> None:
    workspace = Workspace.open(ferry.path, places)
    update(workspace)
    path = workspace.place.derived / "calibration.json"
    good = path.read_bytes()
    assert calibration.load(workspace, 1) is not None
    path.write_text(json.dumps({**json.loads(good), "format": number}))
    assert calibration.load(workspace, 1) is None
    assert not update(workspace).built
    assert path.read_bytes() == good


def test_every_kind_of_file_has_its_number_on_the_page() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| (\d+) \| (.+?) \| (yes|no) \|", FILES.read_text(), re.M)
    said = {path: (int(number), written, derived) for path, number, written, derived in rows}
    assert said == {
        kind.path: (kind.number, kind.written, "yes" if kind.derived else "no")
        for kind in formats()
    }


def test_every_file_that_is_kept_is_of_a_kind_that_is_listed(
    ferry: Builder, places: Places, tmp_path_factory: pytest.TempPathFactory
) -> None:
    share_the_tables(places, tmp_path_factory)
    cache_of_session(tmp_path_factory).mkdir(exist_ok=True)
    workspace = Workspace.open(ferry.path, places)
    update(workspace)
    prepare(workspace)
    journal.note(workspace, journal.Event.PROPOSED, "2026-03-01T12:00:00Z")
    investigate(workspace, Question(old_data.QUESTION))
    http_token.ensure(places)
    _ = workspace.secret
    log = Log(places.data, Level.DEBUG, lambda: 0.0, lambda: 0.0, make=True)
    log.keep(Level.ERROR, "failed", {})
    report.kept(places.data, 0.0, b"{}")
    patterns = [kind.path.replace("<id>-<place>", "*-*") for kind in formats()]
    names = {
        path.relative_to(places.data).as_posix()
        for path in places.data.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }
    unlisted = [name for name in names if not any(fnmatch(name, one) for one in patterns)]
    assert unlisted == []
    kinds = {next(one for one in patterns if fnmatch(name, one)) for name in names}
    assert {"*-*/derived/lexicon/*", "*-*/derived/vectors.sqlite", "log/debug.jsonl"} <= kinds


def test_the_archives_name_no_place_and_hold_no_secret() -> None:
    import tarfile

    for release in old_data.RELEASES:
        with tarfile.open(old_data.KEPT / f"data-{release}.tar.gz") as archive:
            opened = {one.name: archive.extractfile(one) for one in archive}
            held = {name: file.read() for name, file in opened.items() if file is not None}
        assert held["secret"] == old_data.SECRET
        assert held["http-token"] == old_data.TOKEN
        for content in held.values():
            assert re.search(rb"(?<![\w.])/(tmp|home|root|work|Users|var)/", content) is None
