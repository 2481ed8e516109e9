"""What a commit says, whatever bytes it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from citator.git.history import commits
from citator.git.records import RawCommit
from citator.git.repository import discover
from citator.model.document import Person
from citator.model.horizon import HorizonFact, Limit
from tests.support.builder import EPOCH, Builder


def walked(built: Builder, tip: str | None = None, without: Sequence[str] = ()) -> list[RawCommit]:
    return list(commits(discover(built.path), tip or built.head(), without))


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    return Builder.init(tmp_path / "repo")


# -- what a commit says


def test_a_commit_is_told_whole(built: Builder) -> None:
    root = built.write("a.txt", "1").commit("Root")
    tip = (
        built.write("b/c.txt", "2")
        .write("a.txt", "3")
        .commit("Subject\n\nBody of\n  two lines.\n\nKey: value", author="Zoé <zoe@example.org>")
    )
    first, second = walked(built)
    assert (first.object_id, first.parents, first.paths) == (root, (), ("a.txt",))
    assert second == RawCommit(
        object_id=tip,
        tree=built.resolve("HEAD^{tree}"),
        parents=(root,),
        author=Person("Zoé", "zoe@example.org"),
        authored_at=EPOCH + 120,
        committer=Person("Cal Committer", "cal@example.org"),
        committed_at=EPOCH + 120,
        message="Subject\n\nBody of\n  two lines.\n\nKey: value\n",
        guessed=False,
        paths=("a.txt", "b/c.txt"),
    )


def test_an_empty_message_and_an_empty_commit_are_commits(built: Builder) -> None:
    built.write("a", "1").commit("")
    built.commit("Nothing changed")
    first, second = walked(built)
    assert (first.message, first.paths) == ("", ("a",))
    assert (second.message, second.paths) == ("Nothing changed\n", ())


def test_a_message_is_not_cleaned_and_keeps_what_comes_after_a_nul(built: Builder) -> None:
    message = b"\n\n  indented\t\r\n\n\n# no comment\x00after\n\ntrailing  \n\n"
    built.commit(message)
    assert walked(built)[0].message == message.decode()


@pytest.mark.parametrize(
    "text",
    [
        "変更の理由\n\n古い方法は遅すぎた。",
        "🚀 launch 👩‍🚀\n\n🇪🇸",
        "שלום and مرحبا",
        "bidi \u202e override \u2066 isolate \U000e0041 tag",
        "esc \x1b[31m bell \x07 delete \x7f carriage\rreturn",
        "commit 1111111111111111111111111111111111111111\ntree 2\n\nauthor <x> 1 +0000",
    ],
)
def test_any_unicode_comes_through_unchanged(built: Builder, text: str) -> None:
    built.commit(text)
    (only,) = walked(built)
    assert (only.message, only.guessed) == (text + "\n", False)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("ISO-8859-1", "café"),
        ("ISO8859-15", "10 €"),
        ("windows-1252", "“quoted” – €"),
        ("latin-1", "naïve"),
        ("Shift_JIS", "日本語"),
        ("EUC-JP", "日本語"),
        ("GB18030", "中文"),
        ("KOI8-R", "русский"),
        ("utf-8", "ünïcode"),
    ],
)
def test_a_declared_encoding_is_obeyed(built: Builder, encoding: str, text: str) -> None:
    codec = {"ISO8859-15": "iso-8859-15"}.get(encoding, encoding)
    who = f"{text} <someone@example.org>".encode(codec)
    built.commit(f"{text}\n\n{text}".encode(codec), author=who, encoding=encoding)
    (only,) = walked(built)
    assert (only.message, only.guessed) == (f"{text}\n\n{text}", False)
    assert only.author == Person(text, "someone@example.org")


def test_a_raw_latin_byte_without_a_header_is_a_labelled_guess(built: Builder) -> None:
    built.commit(b"caf\xe9 subject\n", author=b"Ren\xe9 <rene@example.org>")
    (only,) = walked(built)
    assert only.message == "café subject\n"
    assert only.author.name == "René"
    assert only.guessed


def test_a_guess_is_told_where_only_the_author_needed_one(built: Builder) -> None:
    built.commit(b"plain\n", author=b"Ren\xe9 <rene@example.org>")
    assert walked(built)[0].guessed


def test_a_guess_is_told_where_only_the_committer_needed_one(built: Builder) -> None:
    built.commit(b"plain\n", committer=b"Ren\xe9 <rene@example.org>")
    (only,) = walked(built)
    assert (only.committer.name, only.guessed) == ("René", True)


def test_a_message_of_two_encodings_reads_right_in_both_parts(built: Builder) -> None:
    built.commit("größe in UTF-8, ".encode() + b"gr\xf6\xdfe in Latin-1, \x93quoted\x94\n")
    (only,) = walked(built)
    assert only.message == "größe in UTF-8, größe in Latin-1, “quoted”\n"
    assert only.guessed


@pytest.mark.parametrize("encoding", ["no-such-encoding", "zip", "unicode_escape", "idna"])
def test_an_unknown_or_unsafe_encoding_name_falls_back_to_utf8(
    built: Builder, encoding: str
) -> None:
    built.commit(b"plain \\x41", encoding=encoding)
    built.commit("größe".encode(), encoding=encoding)
    plain, odd = walked(built)
    assert (plain.message, plain.guessed) == ("plain \\x41", False)
    assert (odd.message, odd.guessed) == ("größe", True)


def test_a_message_that_is_not_in_its_declared_encoding_is_a_guess(built: Builder) -> None:
    built.commit(b"caf\xe9", encoding="UTF-8")
    (only,) = walked(built)
    assert (only.message, only.guessed) == ("café", True)


def test_no_text_holds_a_lone_surrogate(built: Builder) -> None:
    every_byte = bytes(range(1, 256))
    built.commit(every_byte + b"\xed\xa0\x80", author=b"N\xff\x81 <\xfe>")
    (only,) = walked(built)
    (only.message + only.author.name + only.author.email).encode("utf-8")
    assert only.guessed


# -- odd headers


def raw(tree: str, author: bytes, *more: bytes, message: bytes = b"m\n") -> bytes:
    committer = b"committer C <c@x> 1700000000 +0000"
    head = [b"tree " + tree.encode(), b"author " + author, committer, *more]
    return b"\n".join(head) + b"\n\n" + message


@pytest.mark.parametrize(
    ("line", "person", "time"),
    [
        (b" <a@x> 1700000000 +0000", Person("", "a@x"), 1_700_000_000),
        (b"<a@x> 1700000000 +0000", Person("", "a@x"), 1_700_000_000),
        (b"A <> 1700000000 -1130", Person("A", ""), 1_700_000_000),
        (b"A <a@x> soon", Person("A", "a@x"), None),
        (b"A <a@x>", Person("A", "a@x"), None),
        (b"A <a@x> 0 +0000", Person("A", "a@x"), 0),
        (b"A <a@x> -5 +0000", Person("A", "a@x"), None),
        (b"A <a@x> 253402300799 +0000", Person("A", "a@x"), 253_402_300_799),
        (b"A <a@x> 253402300800 +0000", Person("A", "a@x"), None),
        (b"A <a@x> " + b"9" * 5000 + b" +0000", Person("A", "a@x"), None),
        (b"A <a <b@x> c> 1700000000 +0000", Person("A", "a <b@x"), 1_700_000_000),
        (
            b"no address at all 1700000000 +0000",
            Person("no address at all 1700000000 +0000", ""),
            None,
        ),
        (b"1700000000 +0000", Person("1700000000 +0000", ""), None),
        (b"", Person("", ""), None),
    ],
)
def test_a_broken_author_line_gives_what_it_states_and_no_more(
    built: Builder, line: bytes, person: Person, time: int | None
) -> None:
    built.write("a", "x").commit()
    tree = built.resolve("HEAD^{tree}")
    tip = built.raw_commit(raw(tree, line))
    (only,) = walked(built, tip)
    assert (only.author, only.authored_at) == (person, time)
    assert (only.committer, only.committed_at) == (Person("C", "c@x"), 1_700_000_000)


def test_of_a_repeated_header_the_first_counts(built: Builder) -> None:
    built.write("a", "x").commit()
    more = (b"author Second <s@x> 9 +0000", b"encoding KOI8-R", b"encoding UTF-8")
    content = raw(built.resolve("HEAD^{tree}"), b"A <a@x> 5 +0000", *more, message=b"\xc1")
    (only,) = walked(built, built.raw_commit(content))
    assert (only.author, only.authored_at) == (Person("A", "a@x"), 5)
    assert (only.message, only.guessed) == ("а", False)


def test_signatures_and_merged_tags_are_not_the_message(built: Builder) -> None:
    built.write("a", "x").commit()
    signature = (
        b"gpgsig -----BEGIN-----\n \n author Evil <e@x> 1 +0000\n encoding zip\n -----END-----"
    )
    content = raw(built.resolve("HEAD^{tree}"), b"A <a@x> 5 +0000", signature, message=b"real\n")
    (only,) = walked(built, built.raw_commit(content))
    assert (only.author.name, only.message, only.guessed) == ("A", "real\n", False)


def test_a_commit_that_ends_with_its_headers_has_an_empty_message(built: Builder) -> None:
    built.write("a", "x").commit()
    content = raw(built.resolve("HEAD^{tree}"), b"A <a@x> 5 +0000")[: -len(b"\nm\n")]
    assert walked(built, built.raw_commit(content))[0].message == ""


def test_a_giant_message_is_cut_and_that_is_told(built: Builder) -> None:
    huge = built.commit(b"Huge\n\n" + b"x" * (5 << 20))
    built.commit("After")
    walk = commits(discover(built.path), built.head())
    first, second = walk
    assert first.cut and not second.cut
    assert first.message.startswith("Huge\n\nxxx")
    assert (4 << 20) - 1000 < len(first.message) <= 4 << 20
    assert second.message == "After\n"
    assert walk.facts == (HorizonFact(Limit.CUT_LONG, 1, huge),)
