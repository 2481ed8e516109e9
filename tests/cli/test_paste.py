"""A line offered for pasting is what it looks like, or is not offered."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from citator.cli.paste import command_line, read_line, root_words, short_ref
from citator.model.reference import DocumentKind, make_ref

REF = make_ref(DocumentKind.COMMIT, "0" * 40, (1, 2), "text", "v")
NASTY = 'why $(touch owned) `id` "it\'s" !! ; & | > x ~ *'


def test_a_short_reference_is_hexadecimal() -> None:
    assert short_ref(REF) == REF[len("commit:v1:") :][:12]
    assert set(short_ref(REF)) <= set("0123456789abcdef")


def test_where_the_caller_stands_there_is_no_root_to_repeat() -> None:
    assert read_line(REF, Path()) == f"citator read {short_ref(REF)}"
    assert root_words(Path("a b")) == ["--root", "a b"]


@pytest.mark.skipif(os.name == "nt", reason="quotes for the shell of POSIX")
def test_the_shell_gets_exactly_the_words(tmp_path: Path) -> None:
    line = command_line("printf", "%s", NASTY)
    assert line is not None
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode() == NASTY
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("word", ["a\nb", "a\x1b[2Jb", "a\u202eb", "a\u200bb", "a\udcffb", "\t"])
def test_a_line_that_would_not_be_what_it_looks_like_is_not_offered(word: str) -> None:
    assert command_line("citator", "ask", word) is None
    assert "..." in read_line(REF, Path(word))
