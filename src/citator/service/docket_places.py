"""Where a symbol or a text stands at HEAD: definitions, callers, tests.

- git finds the lines that hold the name; files that do are parsed then, so nothing has to be
  indexed before the first answer. Hidden files take no part.
- A caller is a line that calls the name in a file whose grammar saw such a call; which definition
  it calls is not resolved: names are compared, nothing else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from citator.git.pickaxe import Held, can_be_searched, holding
from citator.index.code.facts import DefinitionKind, FileFacts
from citator.index.code.kinds import is_test, stands_for_folder
from citator.index.code.parsing import facts_of
from citator.index.code.words import Words
from citator.model.docket import DocketPlace
from citator.model.plain import is_plain, shown_path
from citator.search.docket.patience import Patience
from citator.service.docket_commits import Commits
from citator.sources.removals.marks import is_prose

MAX_HELD: Final = 2_000
MAX_FILES: Final = 80
MAX_CALLERS: Final = 12
MAX_TESTS: Final = 6


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition that bears the name. ``path`` as git has it."""

    path: str
    first: int
    last: int
    name: str
    kind: DefinitionKind


@dataclass(frozen=True, slots=True)
class Named:
    """What is known of a name. ``held`` are the lines that hold it."""

    definitions: tuple[Definition, ...] = ()
    callers: tuple[DocketPlace, ...] = ()
    callers_left_out: int = 0
    tests: tuple[str, ...] = ()
    held: tuple[Held, ...] = ()


def held_lines(
    commits: Commits, text: str, patience: Patience, *, word: bool = False, path: str = ""
) -> list[Held]:
    """The visible lines at HEAD that hold a text, sources before tests and what describes them."""
    if not can_be_searched(text):
        return []
    paths = (path,) if path else ()
    repo = commits.workspace.repository
    found = holding(
        repo, commits.head, text, patience.left, paths=paths, word=word, most=commits.most(MAX_HELD)
    )
    seen = [one for one in found if not commits.hidden(one.path)][:MAX_HELD]
    return sorted(seen, key=lambda one: (_rank(one.path), one.path, one.line))


def _rank(path: str) -> int:
    from citator.index.code.languages import language_of

    return 2 * is_test(path) + (language_of(path) is None)


def named(commits: Commits, name: str, patience: Patience, path: str = "") -> Named:
    """The definitions of ``name`` (in ``path`` alone, where given), its callers and tests."""
    held = held_lines(commits, name, patience, word=True)
    lines: dict[str, list[int]] = defaultdict(list)
    for one in held:
        lines[one.path].append(one.line)
    words = Words()
    definitions: list[Definition] = []
    callers: list[DocketPlace] = []
    looked_at = list(dict.fromkeys([*([path] if path in lines else []), *lines]))[:MAX_FILES]
    for file in looked_at:
        if patience.over:
            break
        tokens = commits.files.tokens(commits.files.blob(commits.head, file), file)
        if tokens is None:
            continue
        facts = facts_of(tokens.content, file, words)
        own = definitions_in(facts, file, name)
        if not path or file == path:
            definitions += own
        if name in facts.calls:
            starts = {one.first for one in own}
            calling = [
                at for at in lines[file] if at not in starts and _calls(tokens.line(at), name)
            ]
            callers += _callers(facts, file, calling)
    callers.sort(key=lambda one: (is_test(one.path), one.path, one.first))
    tests = dict.fromkeys(shown_path(one.path) for one in held if holds_tests(one.path))
    definitions.sort(key=lambda one: (_rank(one.path), one.path, one.first))
    return Named(
        definitions=tuple(definitions),
        callers=tuple(callers[:MAX_CALLERS]),
        callers_left_out=max(0, len(callers) - MAX_CALLERS),
        tests=tuple(tests)[:MAX_TESTS],
        held=tuple(held),
    )


def holds_tests(path: str) -> bool:
    """Whether a path is of a test, and not of a text or of the file that only makes a folder."""
    return is_test(path) and not stands_for_folder(path) and not is_prose(path)


def definitions_in(facts: FileFacts, path: str, name: str) -> list[Definition]:
    """The definitions of a file that bear a name."""
    return [
        Definition(path, first, last, _qualified(facts, index), DefinitionKind(kind))
        for index, ((first, last), kind) in enumerate(
            zip(facts.spans.tolist(), facts.kinds.tolist(), strict=True)
        )
        if facts.names[index] == name
    ]


def _qualified(facts: FileFacts, index: int) -> str:
    names = [facts.names[index]]
    while (index := int(facts.parents[index])) >= 0:
        names.append(facts.names[index])
    return ".".join(reversed(names))


def _calls(line: bytes, name: str) -> bool:
    at = -1
    wanted = name.encode()
    while (at := line.find(wanted, at + 1)) >= 0:
        if re.match(rb"\s*(?:!|::<[^>]{0,80}>)?\s*[({]", line[at + len(wanted) :]):
            return True
    return False


def _callers(facts: FileFacts, path: str, lines: Sequence[int]) -> list[DocketPlace]:
    """The innermost definitions that hold these lines, each once; else the lines themselves."""
    found: dict[tuple[int, int, str | None], None] = {}
    spans: list[tuple[int, int]] = [(int(a), int(b)) for a, b in facts.spans.tolist()]
    for line in lines:
        inside = [i for i, (a, b) in enumerate(spans) if a <= line <= b and facts.kinds[i] != 2]
        if not inside:
            found[line, line, None] = None
            continue
        innermost = max(inside, key=lambda i: (spans[i][0], -spans[i][1]))
        name = _qualified(facts, innermost)
        found[(*spans[innermost], name if is_plain(name) else None)] = None
    return [DocketPlace(shown_path(path), first, last, name) for first, last, name in found]


def place_of(one: Definition) -> DocketPlace:
    """A definition as it travels."""
    return DocketPlace(
        shown_path(one.path), one.first, one.last, one.name if is_plain(one.name) else None
    )
