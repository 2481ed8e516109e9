"""Questions in a corpus's own words about things that never were: is that still so?

    python -m bench.data.check_unanswerable --mirrors CLONES bench/data/unanswerable/*.jsonl

A row states what was checked: ``never_together`` lists patterns (case ignored, each starting at
a word's edge) that no one commit message, merges included, and no paragraph of Markdown at
``at_commit`` holds all of. Where the list has one pattern, the thing never occurs at all.
``known_words`` says that each of its patterns does occur somewhere: a system that abstains only
from words it never saw answers those questions. A row without a repository is a foreign
question, for any corpus of software, and is not checked.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.data.mirror import Mirror, find_clone
from bench.data.questions import read_rows

_PARAGRAPH = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Finding:
    """A row that does not hold: ``together`` texts hold all its patterns, or a flag is wrong."""

    id: str
    together: int
    known_words_should_be: bool


def texts(mirror: Mirror) -> list[str]:
    """Every commit message, and every paragraph of Markdown in the tree of the tip."""
    messages = mirror.git("log", "-z", "--format=tformat:%B", mirror.tip).split("\0")
    return [message.casefold() for message in messages] + list(_paragraphs(mirror))


def _paragraphs(mirror: Mirror) -> Iterator[str]:
    listed = mirror.git("ls-tree", "-r", "-z", mirror.tip).split("\0")
    for entry in filter(None, listed):
        facts, path = entry.split("\t", 1)
        mode, _, oid = facts.split()
        if mode.startswith("100") and path.lower().endswith((".md", ".markdown")):
            for paragraph in _PARAGRAPH.split(mirror.git("cat-file", "blob", oid)):
                yield paragraph.casefold()


def examine(rows: Sequence[Mapping[str, object]], corpus: Sequence[str]) -> Iterator[Finding]:
    """The rows that do not hold over ``corpus``."""
    for row in rows:
        named = row["never_together"]
        assert isinstance(named, list)
        patterns = [re.compile(rf"\b(?:{pattern})", re.DOTALL) for pattern in named]
        together = corpus
        known = True
        for pattern in patterns:
            known = known and any(pattern.search(text) for text in corpus)
            together = [text for text in together if pattern.search(text)]
        if together or known != row["known_words"]:
            yield Finding(str(row["id"]), len(together), known)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every row that does not hold; exit 1 where there is one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--mirrors", type=Path, required=True)
    options = parser.parse_args(arguments)
    rows = [row for path in options.sets for row in read_rows(path) if row["repo"]]
    by_corpus: dict[tuple[str, str], list[dict[str, object]]] = defaultdict(list)
    for row in rows:
        by_corpus[str(row["repo"]), str(row["at_commit"])].append(row)
    wrong = 0
    for (repo, at), here in sorted(by_corpus.items()):
        git_dir = find_clone(options.mirrors, repo)
        if git_dir is None:
            print(f"{repo}: no clone, not checked")
            continue
        for finding in examine(here, texts(Mirror(repo, git_dir, at))):
            wrong += 1
            print(
                f"{finding.id}: {finding.together} texts hold it all; "
                f"known_words {finding.known_words_should_be}"
            )
        print(f"{repo}: {len(here)} questions checked")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
