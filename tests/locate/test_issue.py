"""What an issue says and names."""

from __future__ import annotations

import math

import pytest

from citator.index.code.words import Words, number_of
from citator.locate.issue import MOST_FRAMES, Frame, read_issue


def test_the_title_counts_twice_and_code_half() -> None:
    issue = read_issue("wheat\nbarley\n```\noats\n```\n", Words())
    assert issue.weights[number_of("wheat")] == math.log1p(2)
    assert issue.weights[number_of("barley")] == math.log1p(1)
    assert issue.weights[number_of("oat")] == math.log1p(0.5)
    assert issue.title_weights.keys() == {number_of("wheat")}


def test_repeats_count_by_their_logarithm() -> None:
    issue = read_issue("title\n" + "barley " * 9, Words())
    assert issue.weights[number_of("barley")] == math.log1p(9)


def test_template_comments_and_addresses_say_nothing() -> None:
    issue = read_issue("wheat\n<!-- describe the harvest -->\nhttps://barley.example/oats", Words())
    assert issue.weights.keys() == {number_of("wheat")}


PYTHON = 'x\nFile "/a/farm/field.py", line 12, in sow\nFile "/a/farm/barn.py", line 3, in keep\n'
JAVA = """x
java.lang.IllegalStateException: no wheat
\tat farm.Barn.keep(Barn.java:31)
\tat farm.Main.main(Main.java:4)
Caused by: java.io.IOException: no field
\tat farm.Field.sow(Field.kt:7)
\tat farm.Barn.keep(Barn.java:29)
"""


def test_the_innermost_frame_of_python_is_the_first() -> None:
    assert read_issue(PYTHON, Words()).frames == (
        Frame("/a/farm/barn.py", 3, "keep"),
        Frame("/a/farm/field.py", 12, "sow"),
    )


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("x\n at sow (src/field.js:2:3)\n at main (src/index.js:4:1)\n", "field.js index.js"),
        (JAVA, "Field.kt Barn.java Barn.java Main.java"),
        (JAVA.partition("Caused by")[0], "Barn.java Main.java"),
        ("Error: x\n at a (a.js:1:1)\n  [cause]: Error: y\n at b (b.js:2:2)\n", "b.js a.js"),
        ("x\nTraceback (most recent call last):\n 1: from a.rb:9\nb.rb:2: boom\n", "b.rb a.rb"),
        (f"Fatal error, most recent call first:\n{PYTHON}", "field.py barn.py"),
    ],
)
def test_the_innermost_frame_is_the_first_however_they_stand(text: str, paths: str) -> None:
    frames = read_issue(text, Words()).frames
    assert [frame.path.rpartition("/")[2] for frame in frames] == paths.split()


def test_paths_modules_imports_and_names_are_found() -> None:
    text = (
        "Field.sow fails\nsee `farm\\field.py` and farm.barn.Store\n```\nfrom farm import barn\n```"
    )
    issue = read_issue(text, Words())
    assert issue.paths == ("farm/field.py",)
    assert {"Field.sow", "farm.barn.Store"} <= issue.dotted.keys()
    assert issue.imports == (("farm", ("barn",)),)
    assert {"Field", "Store"} <= issue.names.keys()


def test_a_text_without_end_is_read_to_the_limit() -> None:
    issue = read_issue("a/b" * 200_000 + "`" * 5_000, Words())
    assert len(issue.frames) == 0


@pytest.mark.parametrize(
    "text",
    [
        "x\nfrom " + "." * 60_000,
        "x\n" + (" " * 900 + "y\n") * 60,
        "x\n" + " " * 50_000 + "y",
        "x\na:" + " " * 50_000 + "y",
        'x\n File "' * 6_000,
        "x\n" + "a.py:1 " * 8_000,
    ],
    ids=["dots", "lines of spaces", "one line of spaces", "version", "open frames", "frames"],
)
def test_no_text_takes_longer_than_its_length(text: str) -> None:
    assert len(read_issue(text, Words()).frames) <= MOST_FRAMES


def test_what_a_form_says_of_itself_and_of_the_machine_is_no_part() -> None:
    text = (
        "wheat\n### Expected result\nbarley\n**System version**\noats\n## What `reap_rye` does\n"
        "rye\nmill: 3.1.4\n"
    )
    words = Words()
    assert read_issue(text, words).weights.keys() == set(words.numbers("wheat barley reap_rye rye"))


def test_commits_and_tickets_are_known_by_their_shape() -> None:
    words = Words()
    text = "since 1a2b3c4d, not 1234567 nor deadbeef; see #417 and https://x.example/issues/88"
    issue = read_issue(text, words)
    assert issue.commits == ("1a2b3c4d",)
    assert issue.tickets == (number_of("417"), number_of("88"))
    assert len(read_issue("#12 " * 500 + "x" * 9, words).tickets) == 1
