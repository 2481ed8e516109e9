"""The Markdown of a tree: what is read, what is refused, and that both are told."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from citator.formats.config import Config
from citator.git.repository import discover
from citator.git.trees import entries
from citator.model.document import AdrStatus, Document
from citator.model.horizon import HorizonFact, Limit
from citator.model.reference import DocumentKind
from citator.sources.markdown import (
    MAX_BYTES,
    MAX_CHARACTERS,
    MarkdownSource,
    Trouble,
    decode,
    is_markdown,
)
from tests.sources.secrets import tokens
from tests.support.builder import Builder

PICK = random.Random(22)


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    return Builder.init(tmp_path / "repo", checkout=False)


def read(
    built: Builder, config: Config | None = None
) -> tuple[dict[str, Document], MarkdownSource]:
    built.commit()
    repo = discover(built.path)
    source = MarkdownSource(repo, config or Config())
    found = {str(one.path): one for one in source.documents(entries(repo, built.head()))}
    return found, source


def test_a_file_becomes_a_document(built: Builder) -> None:
    text = "# Pool\n\nBounded since (#12).\n"
    found, source = read(built.write("docs/pool.md", text))
    document = found["docs/pool.md"]
    (passage,) = document.passages
    assert document == Document(
        kind=DocumentKind.MARKDOWN,
        object_id=built.resolve("HEAD:docs/pool.md"),
        subject="Pool",
        text="# Pool\n\nBounded since (#12).",
        passages=(passage,),
        path="docs/pool.md",
        issue_keys=("#12",),
    )
    assert (passage.start, passage.end, passage.text) == (1, 3, document.text)
    assert source.facts == ()


def test_only_markdown_is_a_document_and_no_folder_vanishes_for_its_name(built: Builder) -> None:
    kept = [
        "README.MD",
        "archive/a.md",
        "generated/b.markdown",
        ".github/c.md",
        "personal/diary/d.md",
    ]
    left = ["a.mdx", "b.txt", "md", "docs/c.rst", ".citator/record/x.md", ".Citator/y.md"]
    for path in kept + left:
        built.write(path, "# Text\n")
    found, source = read(built)
    assert sorted(found) == sorted(kept)
    assert source.facts == ()


def test_the_configuration_selects(built: Builder) -> None:
    for path in ("README.md", "docs/a.md", "docs/private/b.md", "src/c.md"):
        built.write(path, "# Text\n")
    config = Config(include=("docs/**", "*.md"), exclude=("docs/private/",))
    found, source = read(built, config)
    assert sorted(found) == ["README.md", "docs/a.md"]
    assert source.selects("docs/x/y.md")
    assert not source.selects("docs/x/y.py")


def test_a_record_states_its_status(built: Builder) -> None:
    built.write(
        "adr/0007-pool.md",
        "---\nstatus: accepted\ndate: 2024-05-06\nsupersedes: 0003-queue.md\n---\n"
        "# Bound the pool\n",
    )
    document = read(built)[0]["adr/0007-pool.md"]
    assert document.adr_number == 7
    assert document.adr_status is AdrStatus.ACCEPTED
    assert document.adr_date == "2024-05-06"
    assert document.supersedes == ("adr/0003-queue.md",)
    assert document.subject == "Bound the pool"
    assert document.passages[0].start == 1


@pytest.mark.parametrize(
    ("content", "subject"),
    [
        ("---\ntitle: Stated\n---\n# Heading\n", "Stated"),
        ("Intro\n\n## Second\n\n# First\n", "First"),
        ("Heading\n===\n", "Heading"),
        ("No heading\n", "some-file"),
        ("#\n", "some-file"),
    ],
)
def test_the_subject_is_the_title_the_heading_or_the_name(
    built: Builder, content: str, subject: str
) -> None:
    assert read(built.write("d/some-file.md", content))[0]["d/some-file.md"].subject == subject


def test_links_are_never_followed(built: Builder) -> None:
    built.write("real.md", "# Real\n").symlink("inside.md", "real.md")
    built.symlink("outside.md", "../../etc/passwd").symlink("docs", "real.md")
    found, source = read(built)
    assert sorted(found) == ["real.md"]
    assert source.facts == (HorizonFact(Limit.SYMLINKS_NOT_FOLLOWED, 2),)


@pytest.mark.parametrize(
    "pointer",
    [
        "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 12\n",
        "version https://git-lfs.github.com/spec/v1\n<<<<<<< HEAD\n",
        "version https://hawser.github.com/spec/v1\n",
        "\ufeffversion https://git-lfs.github.com/spec/v1\r\noid\r\n",
    ],
)
def test_a_pointer_is_never_content(built: Builder, pointer: str) -> None:
    built.write("big.md", pointer).write("about.md", f"# LFS\n\n{pointer}")
    found, source = read(built)
    assert sorted(found) == ["about.md"]
    assert source.facts == (HorizonFact(Limit.LFS_POINTERS, 1),)


def test_marks_and_line_ends_do_not_matter(built: Builder) -> None:
    built.write("a.md", b"\xef\xbb\xbf---\r\ntitle: A\r\n---\r\n# H  \r\n\r\nText\r\n")
    built.write("b.md", "---\ntitle: A\n---\n# H\n\nText\n").write("c.md", "# H\r\rText\r")
    found, source = read(built)
    assert found["a.md"].text == found["b.md"].text == "---\ntitle: A\n---\n# H\n\nText"
    assert found["a.md"].subject == "A"
    assert found["c.md"].text == "# H\n\nText"
    assert source.facts == ()


def test_bytes_that_are_not_utf_8_are_guessed_and_told(built: Builder) -> None:
    built.write("latin.md", b"# Caf\xe9\n\nna\xc3\xafve\n").write(
        "wide.md", "# Wide\n".encode("utf-16")
    )
    built.write("stray.md", b"# Stray\n\none \0 byte\n" + b"text " * 100)
    found, source = read(built)
    assert found["latin.md"].text == "# Café\n\nnaïve"
    assert found["wide.md"].text == "# Wide"
    assert found["stray.md"].text.startswith("# Stray\n\none \ufffd byte\n")
    assert source.facts == (HorizonFact(Limit.INVALID_UTF8, 3),)


def test_a_binary_file_is_not_read_and_told(built: Builder) -> None:
    found, source = read(built.write("image.md", b"\x89PNG" + bytes(range(256)) * 40 + b"\0" * 999))
    assert found == {}
    assert source.facts == (HorizonFact(Limit.UNREADABLE_BLOBS, 1),)


@pytest.mark.parametrize("content", ["a: b: c", "Dear reader,\nwelcome", "a: *x"])
def test_front_matter_that_cannot_be_read_stays_text_and_is_told(
    built: Builder, content: str
) -> None:
    found, source = read(built.write("letter.md", f"---\n{content}\n---\n\n# Head\n\nText\n"))
    assert found["letter.md"].text == f"---\n{content}\n---\n\n# Head\n\nText"
    assert found["letter.md"].subject == "Head"
    assert source.facts == (HorizonFact(Limit.FRONT_MATTER_UNREADABLE, 1),)


def test_a_repeated_key_gives_no_status(built: Builder) -> None:
    text = "---\nstatus: rejected\nstatus: accepted\ndate: 2024-05-06\n---\n# T\n"
    found, source = read(built.write("adr/0001-x.md", text))
    assert found["adr/0001-x.md"].adr_status is None
    assert found["adr/0001-x.md"].adr_date == "2024-05-06"
    assert source.facts == (HorizonFact(Limit.FRONT_MATTER_UNREADABLE, 1),)


def test_a_giant_file_is_read_from_its_beginning_and_told(built: Builder) -> None:
    line = b"A line of a log that nobody reads to its end.\n"
    built.write("log.md", b"# Log\n\n" + line * 240_000)
    found, source = read(built)
    text = found["log.md"].text
    assert MAX_CHARACTERS - 100 < len(text) <= MAX_CHARACTERS
    assert text.endswith("to its end.")
    assert source.facts == (HorizonFact(Limit.CUT_LONG, 1),)


def test_a_file_beyond_all_bounds_is_told_and_not_read(built: Builder) -> None:
    found, source = read(built.write("huge.md", b"x" * (MAX_BYTES + 1)))
    assert found == {}
    assert source.facts == (HorizonFact(Limit.TOO_LARGE, 1),)


def test_a_cut_is_never_inside_a_character() -> None:
    decoded = decode("é".encode() * (5 * MAX_CHARACTERS))
    assert decoded.limits == (Limit.CUT_LONG,)
    assert set(decoded.text) == {"é"}


def test_a_missing_blob_is_told(built: Builder) -> None:
    built.write("kept.md", "# Kept\n").write("lost.md", "# Lost\n").commit()
    lost = built.resolve("HEAD:lost.md")
    found, source = read(built.lose(lost))
    assert sorted(found) == ["kept.md"]
    assert source.troubles == (Trouble("lost.md", lost, Limit.UNREADABLE_BLOBS),)


def test_an_empty_file_is_no_document_and_no_trouble(built: Builder) -> None:
    found, source = read(built.write("empty.md", "").write("blank.md", " \n\n\t\n"))
    assert found == {}
    assert source.facts == ()


def test_secrets_are_redacted(built: Builder) -> None:
    token = tokens(PICK)["gitlab_token"][0]
    built.write("a.md", f"---\ntitle: Use {token}\n---\n# Set {token}\n\npassword: hunter2\n")
    document = read(built)[0]["a.md"]
    assert token not in repr(document)
    assert document.redactions == 3
    assert document.subject == "Use [redacted:gitlab_token]"


def test_paths_of_any_bytes_are_kept(built: Builder) -> None:
    names = [b"caf\xe9.md", "日本.md".encode(), b'a "b"\t\n.md']
    for name in names:
        built.write(name, "Text\n")
    found, _ = read(built)
    expected = {name.decode("utf-8", "surrogateescape") for name in names}
    assert set(found) == expected
    assert found[names[0].decode("utf-8", "surrogateescape")].subject == "caf\ufffd"


def test_a_path_is_markdown_by_its_name_alone() -> None:
    assert is_markdown("a/B.Md")
    assert not is_markdown(".citator/record/a.md")
    assert is_markdown("sub/.citator/a.md")
