"""Draws questions from history whose right answer is a known commit.

    python -m bench.docket.draw_questions --mirrors MIRRORS --out QUESTIONS.json OWNER/NAME …

Commits of one parent, evenly spaced over a repository's newest 4,000, each giving at most one:

- *text*: it added a line of source, no test, with a quoted message of three words or more that HEAD
  holds once: asked is the message in quotation marks, as a person pastes an error.
- *symbol*: it added the definition of a name that HEAD still has: asked is the name.
- *gone*: it took the definition of a name away that HEAD holds nowhere: asked is the name.
- *prose*: it says why, in a subject of five words or more: asked is ``why`` and the subject without
  its numbers and names of code. The words are the author's: read this figure beside the others of
  its row, not beside those of people's questions.

What is kept of a question are a repository, a head, the commit, its kind, and where to read its
words again (path and line, or nothing): no word of a repository.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.docket.methods import git
from bench.localize.mirrors import mirror

from citator.index.code.facts import DefinitionKind
from citator.index.code.kinds import is_test
from citator.index.code.languages import language_of
from citator.index.code.parsing import facts_of
from citator.index.code.words import Words

NEWEST = 4_000
LOOKED_AT = 160
EACH = 3
MESSAGE = re.compile(r"\"([A-Z][^\"%{}\\]{15,90})\"|'([A-Z][^'%{}\\]{15,90})'")
NAME = re.compile(r"(?=.*(?:_|[a-z][A-Z]))[A-Za-z_]\w{7,40}")
_CODE = re.compile(r"`[^`]*`|\S*[_/(){}<>.#]\S*|\S*[a-z][A-Z]\S*|\d+")
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)", re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repos", nargs="+")
    parser.add_argument("--mirrors", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    said = parser.parse_args()
    found = [one for name in said.repos for one in drawn(mirror(said.mirrors, name), name)]
    lines = ",\n".join(f" {json.dumps(one)}" for one in found)
    said.out.write_text(f"[\n{lines}\n]\n", "utf-8")


def drawn(repo: Path, name: str) -> Iterator[dict[str, Any]]:
    """Up to three questions of each kind."""
    head = git(repo, "rev-parse", "HEAD").strip()
    commits = git(repo, "rev-list", "--no-merges", f"-n{NEWEST}", head).split()
    step = max(1, len(commits) // LOOKED_AT)
    left = dict.fromkeys(("text", "symbol", "gone", "prose"), EACH)
    words = Words()
    for commit in commits[::step]:
        for kind in sorted(left, key=lambda one: -left[one]):
            place = _KINDS[kind](repo, head, commit, words) if left[kind] else None
            if place is not None:
                left[kind] -= 1
                yield {"repo": name, "head": head, "kind": kind, "commit": commit, **place}
                break
        if not any(left.values()):
            return


def asked(repo: Path, row: dict[str, Any]) -> str:
    """The words of a question, read again from the repository."""
    if row["kind"] == "prose":
        return _prose(git(repo, "log", "-1", "--format=%s", row["commit"]).strip())
    rev = f"{row['commit']}~1" if row["kind"] == "gone" else row["commit"]
    content = git(repo, "show", f"{rev}:{row['path']}")
    if row["kind"] == "text":
        match = MESSAGE.search(content.split("\n")[row["line"] - 1])
        assert match is not None
        return f'"{match[1] or match[2]}"'
    facts = facts_of(content.encode(), row["path"], Words())
    spans = facts.spans.tolist()
    return next(
        name
        for name, (first, _) in zip(facts.names, spans, strict=True)
        if first == row["line"] and NAME.fullmatch(name)
    )


def _added(repo: Path, commit: str) -> Iterator[tuple[str, int, str]]:
    """The lines of source that a commit added: path, number, text."""
    yield from _changed(repo, commit, "+")


def _changed(repo: Path, commit: str, sign: str) -> Iterator[tuple[str, int, str]]:
    base = (f"{commit}~1", commit) if sign == "+" else (commit, f"{commit}~1")
    patch = git(repo, "diff", "-U0", "--no-renames", *base)
    path, number = "", 0
    for line in patch.split("\n"):
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else ""
        elif line.startswith("@@"):
            match = _HUNK.match(line)
            number = int(match[1]) if match else 0
        elif line.startswith("+"):
            if path and language_of(path) and not is_test(path):
                yield path, number, line[1:]
            number += 1


def _held(repo: Path, rev: str, text: str) -> int:

    command = ["git", "-C", str(repo), "grep", "-F", "-c", "-e", text, rev]
    done = subprocess.run(command, capture_output=True, check=False).stdout.decode(
        "utf-8", "replace"
    )
    return sum(int(line.rpartition(":")[2]) for line in done.split("\n") if line)


def _text(repo: Path, head: str, commit: str, words: Words) -> dict[str, Any] | None:
    del words
    for path, line, text in _added(repo, commit):
        match = MESSAGE.search(text)
        said = (match[1] or match[2]) if match else ""
        if (
            len(said.split()) >= 3
            and _held(repo, head, said) == 1
            and not _held(repo, f"{commit}~1", said)
        ):
            return {"path": path, "line": line}
    return None


def _symbol(repo: Path, head: str, commit: str, words: Words) -> dict[str, Any] | None:
    for path, line, name in _definitions(repo, commit, "+", words):
        if not _held(repo, f"{commit}~1", name) and 0 < _held(repo, head, name) <= 40:
            return {"path": path, "line": line}
    return None


def _gone(repo: Path, head: str, commit: str, words: Words) -> dict[str, Any] | None:
    for path, line, name in _definitions(repo, commit, "-", words):
        if not _held(repo, commit, name) and not _held(repo, head, name):
            return {"path": path, "line": line}
    return None


def _definitions(
    repo: Path, commit: str, sign: str, words: Words
) -> Iterator[tuple[str, int, str]]:
    """Names that a commit defined (or, backwards, that it took away), where they stood."""
    rev = commit if sign == "+" else f"{commit}~1"
    lines: dict[str, set[int]] = {}
    for path, number, _ in _changed(repo, commit, sign):
        lines.setdefault(path, set()).add(number)
    for path, numbers in list(lines.items())[:8]:
        facts = facts_of(git(repo, "show", f"{rev}:{path}").encode(), path, words)
        for name, (first, _), kind in zip(
            facts.names, facts.spans.tolist(), facts.kinds.tolist(), strict=True
        ):
            if first in numbers and kind != DefinitionKind.VALUE and NAME.fullmatch(name):
                yield path, first, name


def _is_prose(repo: Path, head: str, commit: str, words: Words) -> dict[str, Any] | None:
    del head, words
    said = git(repo, "log", "-1", "--format=%s%n%b", commit).strip()
    subject, _, body = said.partition("\n")
    return {} if len(_prose(subject).split()) >= 6 and len(body.split()) >= 12 else None


def _prose(subject: str) -> str:
    """A subject as a question without what names code."""
    subject = subject.rpartition(": ")[2]
    return "why " + " ".join(_CODE.sub(" ", subject).split()).lower()


_KINDS = {"text": _text, "symbol": _symbol, "gone": _gone, "prose": _is_prose}


if __name__ == "__main__":
    main()
