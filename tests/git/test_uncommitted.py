"""The files of a work tree as they are now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citator.git.repository import discover
from citator.git.uncommitted import (
    WorkFile,
    blob_id,
    differing,
    read_work_file,
    work_files,
)
from tests.support.builder import Builder


@pytest.fixture
def farm(tmp_path: Path) -> Builder:
    builder = Builder.init(tmp_path / "farm")
    builder.write("field.py", "sow\n").write("barn.py", "keep\n").symlink("link.py", "barn.py")
    builder.write(".gitignore", "*.log\n").commit("Start")
    return builder


def listed(builder: Builder) -> dict[str, WorkFile]:
    return {one.path: one for one in work_files(discover(builder.path))}


def test_what_is_committed_has_the_id_of_its_blob(farm: Builder) -> None:
    found = listed(farm)
    assert sorted(found) == [".gitignore", "barn.py", "field.py"]
    assert found["field.py"] == WorkFile("field.py", farm.resolve("HEAD:field.py"), True)


def test_changes_additions_and_removals_count(farm: Builder) -> None:
    (farm.path / "field.py").write_bytes(b"reap\n")
    (farm.path / "mill.py").write_bytes(b"grind\n")
    (farm.path / "noise.log").write_bytes(b"noise\n")
    (farm.path / "barn.py").unlink()
    found = listed(farm)
    repo = discover(farm.path)
    assert sorted(found) == [".gitignore", "field.py", "mill.py"]
    assert found["field.py"] == WorkFile("field.py", blob_id(repo, b"reap\n"), False)
    assert found["mill.py"] == WorkFile("mill.py", blob_id(repo, b"grind\n"), False)
    assert read_work_file(repo, "field.py") == b"reap\n"


def test_a_change_of_equal_size_and_time_right_after_the_index_is_seen(farm: Builder) -> None:
    file = farm.path / "field.py"
    index = (farm.path / ".git" / "index").stat().st_mtime_ns
    farm.git("add", "field.py")
    file.write_bytes(b"mow\n")
    os.utime(file, ns=(index + 10**9, index + 10**9))
    assert not listed(farm)["field.py"].stored


def test_staged_content_that_was_not_committed_counts(farm: Builder) -> None:
    (farm.path / "field.py").write_bytes(b"reap\n")
    farm.git("add", "field.py")
    found = listed(farm)["field.py"]
    assert found.object_id == farm.resolve(":field.py")


def test_a_filter_of_the_repository_is_not_run(farm: Builder, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    farm.git("config", "filter.spy.clean", f"touch {ran.as_posix()} && cat")
    (farm.path / ".gitattributes").write_bytes(b"*.py filter=spy\n")
    (farm.path / "field.py").write_bytes(b"other\n")
    assert "field.py" in listed(farm)
    assert not ran.exists()


def test_a_name_that_is_no_text_is_listed(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "odd")
    builder.write("a b\tc.py", "x\n").commit("Start")
    assert list(listed(builder)) == ["a b\tc.py"]


def test_a_bare_repository_has_no_work_tree(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "bare.git", bare=True)
    builder.write("a.py", "x\n").commit("Start")
    assert work_files(discover(builder.path)) == []


def test_what_is_gone_is_told_and_not_what_a_sparse_checkout_leaves_out(tmp_path: Path) -> None:
    built = Builder.init(tmp_path / "repo")
    built.write("in/a.py", "a\n").write("in/b.py", "b\n").write("out/c.py", "c\n").commit("Add")
    built.git("sparse-checkout", "set", "--cone", "in")
    assert not (built.path / "out/c.py").exists()
    (built.path / "in/a.py").unlink()
    (built.path / "in/new.py").write_text("new\n")
    loose, gone = differing(discover(built.path))
    assert ([one.path for one in loose], gone) == (["in/new.py"], ["in/a.py"])
