"""Lines that projects wrote for their users → the commits behind them, told apart by structure.

    python -m bench.data.changelog_to_commit --mirrors CLONES --out sets/ [git cargo ...]

Five histories that played no part in making the product. A release note is written after the
change, mostly by somebody else, in a user's words; it names the change by a number or by the tip
of its branch, and those are taken out of the question. The notes themselves are not in the
corpus: a set is asked of commits only.

- git/git, release notes: ``(merge 1a2b3c topic …)`` names the tip of a branch; the one commit
  that the branch brought in is the answer (branches of several commits are left out).
- rust-lang/cargo, python-poetry/poetry, prometheus/prometheus, changelogs: the number of the
  one change an entry names.
- BurntSushi/ripgrep, changelog: the number of the one issue an entry names, closed by one commit.

An entry that says the subject over again (four words in five) is left out: it asks for itself.
No more than 300 a history, chosen by a digest of their ids.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.data.building import MANIFESTS, Found, finish, options_of
from bench.data.changes import Change, Numbers, answer_of, brought_in
from bench.data.explained import Explained
from bench.data.mirror import History, Mirror, open_mirror, subject_of
from bench.data.overlap import words
from bench.data.questions import MIN_WORDS, clean

MOST = 300
SAME = 0.8

_BULLET = re.compile(r"^\s*[-*]\s+")
_NUMBER = re.compile(r"#(\d+)\b")
_TIP = re.compile(r"\(merge ([0-9a-f]{7,40})\b[^)]*\)\.?")
_TAG = re.compile(r"^(?:\[[A-Z_]+\]\s*)+|^(?:BUG|FEATURE|MISC|PERF)\s*:\s*")


@dataclass(frozen=True, slots=True)
class Source:
    """Where one project keeps its notes, and what a note names."""

    repo: str
    path: str
    names: str


SOURCES: Mapping[str, Source] = {
    "git": Source("git/git", "Documentation/RelNotes", "tip"),
    "cargo": Source("rust-lang/cargo", "doc/book/src/CHANGELOG.md", "change"),
    "poetry": Source("python-poetry/poetry", "CHANGELOG.md", "change"),
    "prometheus": Source("prometheus/prometheus", "CHANGELOG.md", "change"),
    "ripgrep": Source("BurntSushi/ripgrep", "CHANGELOG.md", "issue"),
}


def notes(mirror: Mirror, path: str) -> Iterator[str]:
    """Every bulleted entry of the file, or of the files in the folder, at the pinned commit."""
    listed = mirror.git("ls-tree", "-r", "-z", "--name-only", mirror.tip, "--", path)
    for name in filter(None, listed.split("\0")):
        yield from entries(mirror.git("cat-file", "blob", f"{mirror.tip}:{name}"))


def entries(text: str) -> Iterator[str]:
    """Bulleted entries, each with the indented lines that continue it, as one line."""
    entry: list[str] = []
    for line in [*text.splitlines(), ""]:
        continues = bool(entry) and line[:1].isspace() and not _BULLET.match(line)
        if continues and line.strip():
            entry.append(line.strip())
            continue
        if entry:
            yield " ".join(entry)
        entry = [_BULLET.sub("", line).strip()] if _BULLET.match(line) else []


def named(entry: str, what: str) -> str | None:
    """The one number or branch tip that the entry names, else None."""
    found = set((_TIP if what == "tip" else _NUMBER).findall(entry))
    return found.pop() if len(found) == 1 else None


def question(entry: str) -> str | None:
    """The entry without what names its answer; None where it says too little."""
    text = _TAG.sub("", clean(_TAG.sub("", _TIP.sub("", entry))))
    return text if len(text.split()) > MIN_WORDS else None


def lookup(history: History, what: str) -> Callable[[str], Change | None]:
    """How this project's notes lead to a change."""
    if what == "tip":
        return Tips(history).change
    numbers = Numbers(history)
    by = numbers.change if what == "change" else numbers.closing
    return lambda name: by(int(name))


class Tips:
    """Which merge brought in the branch that ended in a commit."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._merge_of: dict[str, list[str]] = {}
        for oid, raw in history.commits.items():
            if len(raw.parents) == 2:
                self._merge_of.setdefault(raw.parents[1], []).append(oid)

    def change(self, tip: str) -> Change | None:
        """The branch with this (abbreviated) tip, where it is one commit and merged first once."""
        whole = [oid for oid in self._merge_of if oid.startswith(tip)]
        if len(whole) != 1:
            return None
        merges = self._merge_of[whole[0]]
        for merge in reversed(merges):
            commits = brought_in(self._history, merge)
            if commits == (whole[0],):
                return Change("tip", commits, tuple(merges))
        return None


def questions_of(
    source: Source, name: str, history: History, tally: Counter[str]
) -> Iterator[Found]:
    """The questions of one project; ``tally`` counts what became of the other entries."""
    to_change, kept, seen = lookup(history, source.names), Explained(history), set[str]()
    for entry in notes(history.mirror, source.path):
        number, query = named(entry, source.names), question(entry)
        if number is None or query is None or number in seen:
            tally["names not one change"] += 1
            continue
        seen.add(number)
        change = to_change(number)
        answer = None if change is None else answer_of(change, change.commits, kept)
        if change is None or answer is None:
            tally["no match" if change is None else "no reason given"] += 1
        elif any(says_again(query, history, oid) for oid in (*change.commits, *change.around)):
            tally["the subject over again"] += 1
        else:
            yield Found(f"{name}-{number[:10]}", query, change.how, answer)


def says_again(query: str, history: History, oid: str) -> bool:
    """Whether four in five of the words of both are the same."""
    asked, subject = set(words(query)), set(words(clean(subject_of(history.commits[oid]))))
    return len(asked & subject) >= SAME * max(1, len(asked | subject))


def chosen(found: Sequence[Found]) -> list[Found]:
    """At most 300, by a digest of their ids: no eye, no order of time."""
    return sorted(found, key=lambda one: hashlib.sha256(one.id.encode()).hexdigest())[:MOST]


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the set of each named project that has a clone."""
    options, pins = options_of(__doc__, "changelogs", arguments, inputs="*")
    for name in options.inputs or SOURCES:
        source = SOURCES[name]
        mirror = open_mirror(options.mirrors, source.repo, pins)
        if mirror is None:
            print(f"{name}: no clone")
            continue
        history, tally = History(mirror), Counter[str]()
        found = chosen(list(questions_of(source, name, history, tally)))
        pins[source.repo] = mirror.tip
        file = f"changelog-{name}.jsonl"
        here = replace(options, out=options.out / file, manifest=MANIFESTS / file)
        here.write(finish(history, found, tally), pins, tally)
    return 0


if __name__ == "__main__":
    sys.exit(main())
