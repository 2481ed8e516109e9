"""Reading the content of files: exactly what is stored, or why not."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from pathlib import Path

import pytest

from citator.git.blobs import BlobReader, Unread
from citator.git.repository import discover, has_commit
from citator.git.trees import changed, entries
from citator.model.errors import StorageError, UsageError
from tests.support.builder import Builder

ABSENT = "1" * 40
PLENTY = 1 << 20


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    return Builder.init(tmp_path / "repo")


def stored(built: Builder, content: bytes) -> str:
    return built.raw_object("blob", content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"text\r\nCRLF\r\n",
        bytes(range(256)) * 40,
        b"1" * 40 + b" blob 5\n",
        "日本語 🚀".encode(),
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    ],
)
def test_a_blob_is_read_byte_for_byte(built: Builder, content: bytes) -> None:
    with BlobReader(discover(built.path)) as reader:
        assert reader.read(stored(built, content), PLENTY) == content


def test_no_filter_attribute_or_line_ending_setting_changes_a_byte(built: Builder) -> None:
    built.git("config", "core.autocrlf", "true")
    built.git("config", "filter.shout.smudge", "tr a-z A-Z")
    built.git("config", "diff.shout.textconv", "tr a-z A-Z")
    built.write(".gitattributes", "* text eol=crlf filter=shout diff=shout ident\n")
    built.write("a.md", b"$Id$ one\ntwo\n", mode="100644")
    built.checkout = False
    built.commit()
    with BlobReader(discover(built.path)) as reader:
        assert reader.read(built.resolve("HEAD:a.md"), PLENTY) == b"$Id$ one\ntwo\n"


def test_many_blobs_are_read_through_one_process(built: Builder) -> None:
    contents = [str(number).encode() * number for number in range(200)]
    ids = [stored(built, content) for content in contents[:50]] * 4
    with BlobReader(discover(built.path)) as reader:
        assert [reader.read(one, PLENTY) for one in ids] == contents[:50] * 4


def test_the_limit_is_in_bytes_and_inclusive(built: Builder) -> None:
    small, large = stored(built, b"12345"), stored(built, b"x" * 300_000)
    with BlobReader(discover(built.path)) as reader:
        assert reader.read(small, 5) == b"12345"
        assert reader.read(small, 4) is Unread.TOO_LARGE
        assert reader.read(large, 299_999) is Unread.TOO_LARGE
        assert reader.read(small, 5) == b"12345"
        assert reader.read(large, 300_000) == b"x" * 300_000


def test_what_is_absent_or_no_blob_is_missing(built: Builder) -> None:
    tip = built.write("a/b", "x").commit()
    blob = built.resolve("HEAD:a/b")
    with BlobReader(discover(built.path)) as reader:
        for other in (ABSENT, tip, built.resolve("HEAD:a")):
            assert reader.read(other, PLENTY) is Unread.MISSING
        assert reader.read(blob, PLENTY) == b"x"


@pytest.mark.parametrize("name", ["HEAD:a", ABSENT[:39], ABSENT + "\n" + ABSENT, "", "--batch"])
def test_only_whole_object_ids_are_taken(built: Builder, name: str) -> None:
    with BlobReader(discover(built.path)) as reader, pytest.raises(UsageError):
        reader.read(name, PLENTY)


def test_a_damaged_blob_costs_only_itself(built: Builder) -> None:
    before, damaged = stored(built, b"before"), stored(built, os.urandom(5000))
    empty, after = stored(built, b"empty"), stored(built, b"after")
    built.corrupt(damaged)
    built.object_file(empty).chmod(0o600)
    built.object_file(empty).write_bytes(b"")
    with BlobReader(discover(built.path)) as reader:
        assert reader.read(before, PLENTY) == b"before"
        assert reader.read(damaged, PLENTY) is Unread.CORRUPT
        assert reader.read(empty, PLENTY) in (Unread.CORRUPT, Unread.MISSING)
        assert reader.read(after, PLENTY) == b"after"


def test_a_blob_that_hashes_to_another_id_is_corrupt(built: Builder) -> None:
    honest = stored(built, b"what was signed")
    file = built.object_file(honest)
    file.chmod(0o600)
    file.write_bytes(zlib.compress(b"blob 15\0what was forged"))
    with BlobReader(discover(built.path)) as reader:
        assert reader.read(honest, PLENTY) is Unread.CORRUPT


def test_a_sha256_blob_is_read_and_checked(tmp_path: Path) -> None:
    built = Builder.init(tmp_path / "repo", object_format="sha256")
    one = stored(built, b"content")
    assert one == hashlib.sha256(b"blob 7\0content").hexdigest()
    with BlobReader(discover(built.path)) as reader:
        assert reader.read(one, PLENTY) == b"content"
        assert reader.read("1" * 64, PLENTY) is Unread.MISSING
        with pytest.raises(UsageError):
            reader.read(ABSENT, PLENTY)


def test_a_replaced_blob_is_read_as_it_was(built: Builder) -> None:
    real, false = stored(built, b"real"), stored(built, b"false")
    built.replace(real, false)
    assert built.git("cat-file", "blob", real) == b"false"
    with BlobReader(discover(built.path)) as reader:
        assert reader.read(real, PLENTY) == b"real"


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("filter", ["blob:none", "tree:0"])
def test_in_a_partial_clone_what_is_here_is_read_and_the_rest_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filter: str, object_format: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    origin = Builder.init(tmp_path / "origin", object_format=object_format)
    old = origin.write("old", "fetched").commit()
    blob = origin.resolve("HEAD:old")
    clone = origin.clone(tmp_path / "clone", filter=filter)
    tip = origin.write("new", "promised").commit()
    promised = origin.resolve("HEAD:new")
    clone.git("fetch", "-q", "origin")
    repo = discover(clone.path)
    assert repo.partial
    with BlobReader(repo) as reader:
        assert reader.read(promised, PLENTY) is Unread.MISSING
        assert reader.read(blob, PLENTY) == b"fetched"
        assert reader.read("1" * len(blob), PLENTY) is Unread.MISSING
    assert has_commit(repo, tip) and not has_commit(repo, "1" * len(tip))
    if filter == "blob:none":
        assert [(e.path, e.size) for e in entries(repo, tip)] == [("new", None), ("old", 7)]
        ((before, after),) = changed(repo, old, tip)
        assert before is None and after is not None and after.size is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clone", "origin"]


def test_without_a_temporary_folder_a_partial_clone_cannot_be_read(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built.write("a", "x").commit()
    clone = built.clone(tmp_path / "clone", filter="blob:none", checkout=False)
    repo = discover(clone.path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with BlobReader(repo) as reader, pytest.raises(StorageError) as raised:
        reader.read(ABSENT, PLENTY)
    assert raised.value.code == "no_temporary_folder"


def test_reading_again_after_the_end_works_and_ending_twice_does_not_hurt(built: Builder) -> None:
    one = stored(built, b"x")
    reader = BlobReader(discover(built.path))
    assert reader.read(one, PLENTY) == b"x"
    reader.close()
    reader.close()
    assert reader.read(one, PLENTY) == b"x"
    reader.close()
