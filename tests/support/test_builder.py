"""The builder builds what its words say: other tests stand on it."""

from __future__ import annotations

from pathlib import Path

from tests.support.builder import Builder, contents_of


def test_ids_are_the_same_on_every_machine(tmp_path: Path) -> None:
    first = Builder.init(tmp_path / "one").write("a.txt", "one\n").commit("First\n\nBecause.")
    again = Builder.init(tmp_path / "two").write("a.txt", "one\n").commit("First\n\nBecause.")
    assert first == again == "b24d297550def6efb997c049b199f7309387d2c1"


def test_the_work_tree_equals_head_after_a_commit(tmp_path: Path) -> None:
    built = Builder.init(tmp_path)
    built.write("a b/ü.txt", "x").write("gone", "y").commit()
    built.remove("gone").commit()
    assert built.git("status", "--porcelain") == b""
    assert (tmp_path / "a b" / "ü.txt").read_text() == "x"
    assert not (tmp_path / "gone").exists()


def test_a_declared_encoding_is_written_in_it(tmp_path: Path) -> None:
    built = Builder.init(tmp_path)
    built.commit("Café", author="Zoé <z@example.org>", encoding="ISO-8859-1")
    raw = built.git("cat-file", "commit", "HEAD")
    assert b"author Zo\xe9 <z@example.org>" in raw
    assert b"\nencoding ISO-8859-1\n\nCaf\xe9\n" in raw


def test_branches_merge_as_an_octopus(tmp_path: Path) -> None:
    built = Builder.init(tmp_path)
    built.commit("root")
    tips = []
    for name in ("left", "right"):
        built.switch(name, create=True).write(name, name)
        tips.append(built.commit(name))
        built.switch("main")
    base = built.write("middle", "m").commit("middle")
    built.merge("left", "right", message="Octopus")
    assert built.git("rev-list", "--parents", "-1", "HEAD").decode().split()[1:] == [base, *tips]


def test_an_amended_commit_keeps_parents_and_files(tmp_path: Path) -> None:
    built = Builder.init(tmp_path)
    root = built.write("a", "1").commit("root")
    built.write("b", "2").commit("secnod")
    amended = built.write("c", "3").amend("second")
    assert built.resolve("HEAD^") == root
    assert built.git("ls-tree", "--name-only", amended) == b"a\nb\nc\n"
    assert built.git("log", "-1", "--format=%B", amended).strip() == b"second"


def test_many_commits_come_in_one_stream(tmp_path: Path) -> None:
    built = Builder.init(tmp_path, bare=True)
    built.commit("root")
    built.many(30)
    assert built.git("rev-list", "--count", "HEAD") == b"31\n"


def test_contents_of_sees_a_changed_byte(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one")
    before = contents_of(tmp_path)
    assert contents_of(tmp_path) == before
    (tmp_path / "f").write_bytes(b"two")
    assert contents_of(tmp_path) != before
