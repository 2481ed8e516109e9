"""Whether what a decision rests on still is so, at one commit, and which commit changed it.

- Only what a tree holds is looked at: nothing is run, resolved or fetched.
- A version is the first number that a line of a manifest gives beside the name. Where none is
  given, or several files disagree, that is not observed.
- Who changed it is looked for among the latest changes of the file; further back nobody is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile
from typing import Final

from citator.formats.globs import compiled
from citator.git.blobs import BlobReader
from citator.git.records import Repository
from citator.git.runner import Git, checked_id, is_id
from citator.git.trees import entries
from citator.model.errors import CitatorError
from citator.model.premise import MANIFESTS, Observed, Premise, PremiseKind

MAX_BYTES: Final = 2 << 20
MAX_BACK: Final = 60


def observed(repo: Repository, commit: str, premise: Premise) -> tuple[Observed, str | None]:
    """What ``commit`` shows of a premise that is no date, and, where it is broken, the commit that
    changed it (None: not found among the latest changes).

    Raises GitRefusedError only where git itself fails.
    """
    paths = (premise.path,) if premise.path else MANIFESTS
    with BlobReader(repo) as reader:
        state = _at(repo, commit, premise, paths, reader)
        if state is not Observed.BROKEN:
            return state, None
        return state, _changed_by(
            repo, commit, paths, lambda one: _at(repo, one, premise, paths, reader)
        )


def _at(
    repo: Repository, commit: str, premise: Premise, paths: tuple[str, ...], reader: BlobReader
) -> Observed:
    try:
        found = list(entries(repo, commit, paths))
    except CitatorError:
        return Observed.NOT_OBSERVED
    if premise.kind is PremiseKind.FILE:
        there = bool(found)  # a file, or what a folder of that name holds
        return Observed.HOLDS if there is premise.wanted else Observed.BROKEN
    texts = []
    for entry in found:
        content = reader.read(entry.object_id, MAX_BYTES) if entry.kind == "blob" else None
        if isinstance(content, bytes):
            texts.append(content.decode("utf-8", "replace"))
    if premise.kind is PremiseKind.FLAG:
        return _flag(premise, texts)
    return _dependency(premise, texts)


def _flag(premise: Premise, texts: list[str]) -> Observed:
    """A line ``key = value``, ``key: value`` or ``"key": "value"``."""
    if not texts:
        return Observed.NOT_OBSERVED
    key = re.escape(premise.name)
    line = re.compile(rf"^[ \t]*[\"']?{key}[\"']?[ \t]*[:=][ \t]*[\"']?([^\"'\s,;#]*)", re.M)
    values = {match[1] for text in texts for match in line.finditer(text)}
    if not values:
        return Observed.BROKEN
    if len(values) > 1:
        return Observed.NOT_OBSERVED
    return Observed.HOLDS if values == {premise.value} else Observed.BROKEN


def _dependency(premise: Premise, texts: list[str]) -> Observed:
    if not texts:
        return Observed.NOT_OBSERVED
    name = re.escape(premise.name)
    there = any(
        re.search(rf"(?<![\w./@-]){name}(?![\w.@-]|/)", text, re.IGNORECASE) for text in texts
    )
    if not premise.op or not there:
        return Observed.HOLDS if there is premise.wanted else Observed.BROKEN
    wide = re.compile(rf"(?<![\w./@-]){name}(?![\w.@-]|/)[^\n\d]{{0,40}}(\d+(?:\.\d+)*)", re.I)
    versions = {match[1] for text in texts for match in wide.finditer(text)}
    if len(versions) != 1:
        return Observed.NOT_OBSERVED
    return Observed.HOLDS if _compares(versions.pop(), premise) else Observed.BROKEN


def _compares(version: str, premise: Premise) -> bool:
    one, other = _parts(version), _parts(premise.value)
    size = max(len(one), len(other))
    first = one + (0,) * (size - len(one))
    second = other + (0,) * (size - len(other))
    return {
        "<": first < second,
        "<=": first <= second,
        ">": first > second,
        ">=": first >= second,
        "==": first == second,
    }[premise.op]


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(one[:9]) for one in version.split(".")[:6])


def _changed_by(
    repo: Repository, tip: str, paths: tuple[str, ...], state: Callable[[str], Observed]
) -> str | None:
    """The commit since which it is broken, among the latest that changed one of ``paths``."""
    checked_id(repo, tip)
    listed = Git.of(repo).run("rev-list", f"--max-count={MAX_BACK}", tip, "--", *paths)
    last: str | None = None
    for commit in listed.decode().split():
        if state(commit) is not Observed.BROKEN:
            return last
        last = commit
    return last if last is not None and len(listed.split()) < MAX_BACK else None


def removed_by(repo: Repository, tip: str, patterns: tuple[str, ...]) -> str | None:
    """The latest commit, among those that took files away where these globs begin, that took one
    they match; None where none did."""
    checked_id(repo, tip)
    globs = [compiled(one) for one in patterns]
    starts = sorted({_fixed(one) for one in patterns})
    options = ("-z", "--format=%H", "--name-only", "--diff-filter=D", "--no-renames")
    found = Git.of(repo).run(
        *("log", f"--max-count={MAX_BACK}", *options, tip, "--", *([] if "" in starts else starts))
    )
    commit: str | None = None
    for token in found.decode("utf-8", "surrogateescape").split("\0"):
        text = token.strip("\n")
        if is_id(repo, text):
            commit = text
        elif text and any(one.fullmatch(text) for one in globs):
            return commit
    return None


def _fixed(pattern: str) -> str:
    """The folder that a glob is surely in, "" for the top."""
    parts = pattern.split("/")
    return "/".join(takewhile(lambda part: not set(part) & set("*?[\\"), parts))
