"""A made-up git history of any length, the same bytes every time: for size, never for quality.

Every commit explains itself in two paragraphs and touches two files. Words follow a long-tailed
distribution over a fixed vocabulary, because an index of three words a thousand times over
flatters whoever skips common ones. Written through ``git fast-import`` in one go.
"""

from __future__ import annotations

import itertools
import json
import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

EPOCH = 1_600_000_000
SEED = 7
VOCABULARY = 20_000
BODY_WORDS = 110
QUESTIONS = 12
FOLDERS = 40

_ONSETS = ("b", "br", "c", "d", "f", "g", "gr", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "v")
_RIMES = ("a", "an", "e", "el", "er", "i", "in", "o", "on", "or", "u", "un")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words, the commonest first, and how often each comes (summed up, for drawing)."""

    words: tuple[str, ...]
    cumulative: tuple[float, ...]


def vocabulary() -> Vocabulary:
    """Distinct pronounceable words; the n-th is drawn in proportion to 1 / (n + 2.7)."""
    syllables = [onset + rime for onset, rime in itertools.product(_ONSETS, _RIMES)]
    pairs = ["".join(pair) for pair in itertools.product(syllables, repeat=2)]
    random.Random(SEED).shuffle(pairs)
    words = tuple(pairs[:VOCABULARY])
    return Vocabulary(words, tuple(itertools.accumulate(1 / (n + 3.7) for n in range(len(words)))))


def make(path: Path, commits: int) -> str:
    """A bare repository at ``path`` with ``commits`` commits; the id of the last one."""
    _git(path.parent, "init", "-q", "--bare", "--initial-branch=main", path.name)
    stream = b"".join(_stream(commits))
    _git(path, "fast-import", "--quiet", feed=stream)
    return _git(path, "rev-parse", "main").decode().strip()


def questions(commits: int, at_commit: str) -> list[dict[str, object]]:
    """Questions of six words, each taken from one commit; answers are not recorded."""
    chance = random.Random(SEED + commits)
    rows: list[dict[str, object]] = []
    for number in range(QUESTIONS):
        words = message(chance.randrange(commits), vocabulary()).split()
        query = "why did we " + " ".join(chance.sample(words, 6))
        rows.append(
            {"id": f"s{number:02}", "language": "en", "at_commit": at_commit, "query": query}
        )
    return rows


def write_questions(path: Path, rows: Sequence[dict[str, object]]) -> None:
    """One object a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def message(number: int, words: Vocabulary) -> str:
    """The message of the commit with this number: a subject and two paragraphs."""
    chance = random.Random(SEED * 1_000_003 + number)
    drawn = chance.choices(words.words, cum_weights=words.cumulative, k=BODY_WORDS)
    subject = " ".join(drawn[:6]).capitalize()
    first = " ".join(drawn[6:60]).capitalize()
    second = " ".join(drawn[60:]).capitalize()
    return f"{subject}\n\n{first}.\n\n{second}.\n"


def _stream(commits: int) -> Iterator[bytes]:
    words = vocabulary()
    for number in range(commits):
        text = message(number, words).encode()
        when = f"{EPOCH + number * 600} +0000"
        yield f"commit refs/heads/main\nmark :{number + 1}\n".encode()
        yield f"committer Ada Example <ada@example.org> {when}\n".encode()
        yield b"data %d\n%s\n" % (len(text), text)
        for folder in (number % FOLDERS, (number * 7 + 3) % FOLDERS):
            content = f"{number}\n".encode()
            yield f"M 100644 inline src/part{folder:02}/file{number % 50:02}.py\n".encode()
            yield b"data %d\n%s\n" % (len(content), content)


def _git(directory: Path, *arguments: str, feed: bytes | None = None) -> bytes:
    directory.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["git", *arguments], cwd=directory, input=feed, capture_output=True, check=True
    )
    return done.stdout
