"""The text of an issue → what it says: words with weights, and what it names.

- The first line is the title. Fenced and prompted lines are code; the rest is prose. Comments of
  templates and addresses of pages are no part of it.
- Headings, and what stands under one about versions, are of the form that was filled in: no part.
- A word counts twice in the title and half in code; repeats count by their logarithm.
- Every limit is on our side: a text of any length is read up to :data:`MAX_CHARACTERS`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citator.locate.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from citator.index.code.words import Words

MAX_CHARACTERS = 60_000
MOST_FRAMES = 100
_MOST_REFERENCES = 40
_TITLE, _PROSE, _CODE = 2.0, 1.0, 0.5
_ADDRESS = re.compile(r"https?://\S+")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\. |In \[\d+\]:|Out\[\d+\]:|\$ )")
_INDENTED = re.compile(r"^(?: {4}|\t)")
_HEADING = re.compile(r"^\s{0,3}(?:#{2,6}\s+\S.{0,80}|\*\*[^*]{1,80}\*\*:?|__[^_]{1,80}__:?)\s*$")
_OF_MACHINE = re.compile(
    r"\b(?:versions?|environment|system info\w*|operating system|platform)\b", re.I
)
_VERSION = re.compile(
    r"^[\s*-]{0,20}[\w .()-]{1,40}[:\s]\s{0,20}v?\d{1,9}(?:\.\w{1,40}){1,4}\S{0,30}\s*$"
)
_SPAN = re.compile(r"``?([^`\n]{1,200})``?")
_PYTHON_FRAME = re.compile(r'File "([^"\n]{1,300})", line (\d+)(?:, in (\S+))?')
_FIRST = re.compile(r"most recent call first", re.I)
_LAST = re.compile(r"most recent call last", re.I)
_CAUSE = re.compile(r"^\s{0,40}(?:Caused by:|\[cause\]:)", re.M)
_KNOWN_ENDINGS = (
    "py pyi pyx js jsx mjs cjs ts tsx go rs java c h cc cpp hpp cs rb php kt kts html css toml cfg"
    " ini yaml yml json txt rst md sh"
)
_ENDINGS = frozenset(_KNOWN_ENDINGS.split())
_TOKEN = re.compile(r"([\w./\\~@+-]{3,300})(?::(\d{1,7}))?")
_DOTTED = re.compile(r"(?<![\w.])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*){1,7})")
_IMPORT = re.compile(
    r"^[^\w\n]{0,12}(?:from\s+([\w.]{1,200})\s+import\s+\(?([\w ,.*]+)"
    r"|import\s+([\w.]+(?:\s*,\s*[\w.]+)*))",
    re.M,
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,63}")
_COMMIT = re.compile(r"(?<!\w)(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40}(?!\w)")
_TICKET = re.compile(r"(?:#|ticket/|issues/|pull/|gh-)(\d{2,6})\b")
_LOOKS_NAMED = re.compile(r"_|[a-z][A-Z]|[A-Z]{2,}[a-z]|\d[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a traceback, as written: a path, a line, a function where it says one."""

    path: str
    line: int
    function: str | None


@dataclass(frozen=True)
class Issue:
    """What an issue says. Weights by term number; names by how much they count.

    ``commits``: starts of ids; ``tickets``: the term numbers of the numbers of others;
    ``length`` in characters; ``frames`` innermost first.
    """

    title: str
    weights: dict[int, float]
    title_weights: dict[int, float]
    written: dict[int, str]
    paths: tuple[str, ...]
    frames: tuple[Frame, ...]
    dotted: dict[str, float]
    imports: tuple[tuple[str, tuple[str, ...]], ...]
    names: dict[str, float]
    code_names: frozenset[str]
    title_names: frozenset[str]
    code_words: dict[int, float]
    commits: tuple[str, ...]
    tickets: tuple[int, ...]
    length: int


def read_issue(text: str, words: Words) -> Issue:
    """What ``text`` says."""
    cleaned = _uncommented(text[:MAX_CHARACTERS].replace("\r\n", "\n"))
    found_paths = tuple(dict.fromkeys(path for path, _ in _tokens(cleaned) if _is_file(path)))
    commits = dict.fromkeys(_COMMIT.findall(cleaned))
    tickets = dict.fromkeys(_TICKET.findall(cleaned))
    cleaned = _ADDRESS.sub(" ", cleaned)
    title, prose, code = _parts(cleaned)
    parts = ((title, _TITLE), (prose, _PROSE), (code, _CODE))
    weights: dict[int, float] = {}
    written: dict[int, str] = {}
    for part, weight in parts:
        for word, numbers in words.words(part):
            if word.lower() in STOP_WORDS:
                continue
            for number in numbers:
                weights[number] = weights.get(number, 0.0) + weight
                written.setdefault(number, word)
    titled = _logarithmic(_sums(title, words))
    spans = " ".join(_SPAN.findall(cleaned))
    return Issue(
        title=title,
        weights=_logarithmic(weights),
        title_weights=titled,
        written=written,
        paths=found_paths + tuple(path for path, _ in _tokens(prose) if _is_folder(path)),
        frames=_frames(cleaned)[:MOST_FRAMES],
        dotted=_dotted(parts),
        imports=_imports(cleaned),
        names=_names(title, prose, code, spans),
        code_names=frozenset(_IDENTIFIER.findall(spans)) | frozenset(_IDENTIFIER.findall(code)),
        title_names=frozenset(_IDENTIFIER.findall(title)),
        code_words=_logarithmic(_sums(code + " " + spans, words)),
        commits=tuple(commits)[:_MOST_REFERENCES],
        tickets=tuple(n for one in list(tickets)[:_MOST_REFERENCES] for n in words.numbers(one)),
        length=len(text),
    )


def _uncommented(text: str) -> str:
    """``text`` without the comments of a template. Linear, whatever is left open."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start)
        kept.append(text[at:start])
        if end < 0:
            at = len(text)
            break
        at = end + 3
    return " ".join([*kept, text[at:]])


def _tokens(text: str) -> list[tuple[str, int]]:
    """What could be paths, with the line that follows (0: none)."""
    found = []
    for match in _TOKEN.finditer(text):
        path = match[1].replace("\\", "/").strip(".-/+") or "-"
        found.append((path, int(match[2] or 0)))
    return found


def _is_file(path: str) -> bool:
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return bool(stem and dot) and ending.lower() in _ENDINGS and "@" not in path


def _is_folder(path: str) -> bool:
    return 2 <= path.count("/") + 1 <= 9 and "." not in path and not path.startswith("~")


def _sums(text: str, words: Words) -> dict[int, float]:
    sums: dict[int, float] = {}
    for word, numbers in words.words(text):
        if word.lower() not in STOP_WORDS:
            for number in numbers:
                sums[number] = sums.get(number, 0.0) + 1.0
    return sums


def _logarithmic(weights: dict[int, float]) -> dict[int, float]:
    return {number: math.log1p(weight) for number, weight in weights.items()}


def _parts(text: str) -> tuple[str, str, str]:
    """Title, prose and code."""
    lines = text.strip().split("\n")
    prose: list[str] = []
    code: list[str] = []
    fenced = machine = False
    for line in lines[1:]:
        if not fenced and _HEADING.match(line):
            named = bool(_LOOKS_NAMED.search(line.strip("_* ")))
            machine = not named and bool(_OF_MACHINE.search(line))
            prose += [line] * named
        elif _FENCE.match(line):
            fenced = not fenced
        elif machine or _VERSION.match(line):
            continue
        elif fenced or _PROMPT.match(line) or _INDENTED.match(line):
            code.append(line)
        else:
            prose.append(line)
    return lines[0], "\n".join(prose), "\n".join(code)


def _frames(text: str) -> tuple[Frame, ...]:
    """The frames of tracebacks, the innermost first: as they stand, or the other way where they
    say so (Python always does). What caused an error stands before it."""
    found = [
        Frame(match[1].replace("\\", "/"), int(match[2][:9]), match[3])
        for match in _PYTHON_FRAME.finditer(text)
    ]
    last = _LAST.search(text) is not None or bool(found and not _FIRST.search(text))
    if not found:
        for part in reversed(_CAUSE.split(text)):
            found += [Frame(path, at, None) for path, at in _tokens(part) if at and _is_file(path)]
    return tuple(reversed(found) if last else found)


def _dotted(parts: tuple[tuple[str, float], ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for part, weight in parts:
        for match in _DOTTED.finditer(part):
            found[match[1]] = max(found.get(match[1], 0.0), weight)
    return found


def _imports(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: list[tuple[str, tuple[str, ...]]] = []
    for module, names, plain in _IMPORT.findall(text):
        if module:
            found.append((module, tuple(_IDENTIFIER.findall(names))))
        else:
            found += [(one.strip(), ()) for one in plain.split(",")]
    return tuple(dict.fromkeys(found))


def _names(title: str, prose: str, code: str, spans: str) -> dict[str, float]:
    """Identifiers that may be names of definitions, by how much they count."""
    found: dict[str, float] = {}

    def add(text: str, weight: float, plain: float) -> None:
        for name in _IDENTIFIER.findall(text):
            worth = weight if _LOOKS_NAMED.search(name) else plain
            if name.lower() not in STOP_WORDS:
                found[name] = found.get(name, 0.0) + worth

    add(title, 2.0, 1.0)
    add(prose, 1.0, 0.25)
    add(spans, 1.0, 1.0)
    add(code, 0.5, 0.35)
    return {name: math.log1p(weight) for name, weight in found.items()}
