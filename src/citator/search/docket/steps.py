"""One commit's change of a file → where a line of it stood before, if the commit only moved it,
formatted it or named its file anew.

- The tokens around the line are compared before and after. Where all of them are the same, the
  change is of form; where not, the tokens of the line must stand side by side before, in a run
  that is too long to be chance.
- A line that was only added is looked for among the lines that the commit took away: in this
  file, then in the other files that it touched. What was copied and stayed is not a move.
- Of a line that was cut out of a longer one only its own tokens are followed from there on.
- Names that a Python import binds are looked for in the imports of the file, wherever they stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from enum import StrEnum
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from citator.git.blame import Hunk
from citator.search.docket.tokens import Token, Tokens

if TYPE_CHECKING:
    from tree_sitter import Node

VERSION: Final = "s3"
NEAR_LINES: Final = 3
MAX_PRODUCT: Final = 6_000_000
MOVED_LETTERS: Final = 20
MOVED_AWAY_LETTERS: Final = 40
_MIN_LETTERS: Final = 8
_MIN_RUN: Final = 6
_IGNORED_SHARE: Final = 0.5


class Skip(StrEnum):
    """Why a commit is not the one that gave a line its behaviour."""

    WHITESPACE = "whitespace"
    FORMAT = "format"
    BESIDE = "beside"
    COMMENT = "comment"
    IMPORTS = "imports"
    MOVED = "moved"
    MOVED_BETWEEN = "moved_between_files"
    RENAMED = "renamed"
    IGNORED = "ignored_revision"


class Piece(NamedTuple):
    """A line (from 1), or a part of it: tokens ``part[0]`` to ``part[1]`` - 1 of its own."""

    line: int
    part: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Where it stood elsewhere, in a run of so many letters and digits."""

    letters: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Stood:
    """Where it stood before, and what the commit did to it."""

    skip: Skip
    pieces: tuple[Piece, ...]

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of that."""
        return tuple(one.line for one in self.pieces)


class Change:
    """A commit's change of one file, asked line by line; what is compared is compared once."""

    def __init__(self, old: Tokens, new: Tokens, hunks: Sequence[Hunk]) -> None:
        self.old, self.new, self.hunks = old, new, hunks
        self._compared: dict[tuple[Hunk, bool], _Compared] = {}

    def before(self, line: int, part: tuple[int, int] | None = None) -> Stood | None:
        """Where (a part of) line ``line`` of the new file stood; None: this change made it."""
        region = _region(self.hunks, line)
        if region is None:
            return None
        if not _own(self.new, line):
            return self._blank(region, line)
        asked = Piece(line, part)
        stood = self._in_place(region, asked) if region.old_count else None
        return stood or self._import(line) or self._moved(region, asked)

    def moved_from(self, old: Tokens, gone: Sequence[tuple[int, int]], asked: Piece) -> Run | None:
        """Where it stood in the lines ``gone`` of another file, and in how long a run."""
        region = _region(self.hunks, asked.line)
        if region is None:
            return None
        return self._run(region, asked, [old.between(*one) for one in gone], MOVED_AWAY_LETTERS)

    def _run(
        self, region: Hunk, asked: Piece, gone: Sequence[list[Token]], letters: int
    ) -> Run | None:
        added = self.new.between(region.new, region.new + region.new_count - 1)
        if any(token.line == asked.line and not token.comment for token in added):
            added, gone = _code(added), [_code(one) for one in gone]
        return _best_run(added, gone, _places(added, asked), letters)

    def nearest(self, line: int) -> tuple[int, ...]:
        """For a commit that is to be ignored: the line before that shares most with ``line``."""
        region = _region(self.hunks, line)
        asked = Counter(token.text for token in self.new.between(line, line))
        if region is None or not asked:
            return ()
        best, where = 0.0, 0
        for number in range(region.old, region.old + region.old_count):
            words = Counter(token.text for token in self.old.between(number, number))
            shared = (asked & words).total() / max(1, min(asked.total(), words.total()))
            if words.total() > 1 and shared > best:
                best, where = shared, number
        return (where,) if best >= _IGNORED_SHARE else ()

    def _blank(self, region: Hunk, line: int) -> Stood | None:
        """A line of nothing that is compared (a sign that a formatter set): as its neighbour."""
        if not self.new.line(line).strip():
            return None
        for number in (line - 1, line + 1):
            if _own(self.new, number) and region.new <= number < region.new + region.new_count:
                return self._in_place(region, Piece(number)) if region.old_count else None
        return None

    def _in_place(self, region: Hunk, asked: Piece) -> Stood | None:
        tokens = self.new.between(asked.line, asked.line)
        is_code = any(not token.comment for token in tokens)
        compared = self._comparison(region, is_code)
        places = _places(compared.news, asked)
        if compared.equal:
            pieces = _pieces(compared.olds, places)
        elif compared.too_large:
            pieces = self._same_line(region, asked.line)
        else:
            pieces = _pieces(compared.olds, compared.stood(places))
        if not pieces:
            return None
        if not compared.equal and compared.cuts(pieces, places):
            return Stood(Skip.BESIDE, pieces)
        commented = is_code and any(token.comment for token in tokens)
        return Stood(self._kind(asked.line, pieces, commented), pieces)

    def _comparison(self, region: Hunk, is_code: bool) -> _Compared:
        """What is said beside code does not change what it does: code is compared alone."""
        known = self._compared.get((region, is_code))
        if known is None:
            last = region.old + region.old_count - 1 + NEAR_LINES
            olds = self.old.between(region.old - NEAR_LINES, last)
            last = region.new + region.new_count - 1 + NEAR_LINES
            news = self.new.between(region.new - NEAR_LINES, last)
            if is_code:
                olds, news = _code(olds), _code(news)
            known = self._compared[region, is_code] = _Compared(olds, news)
        return known

    def _kind(self, line: int, stood: tuple[Piece, ...], commented: bool) -> Skip:
        before = b"".join(b"".join(self.old.line(one.line).split()) for one in stood)
        if before == b"".join(self.new.line(line).split()):
            return Skip.WHITESPACE
        if commented and len(stood) == 1 and stood[0].part is None:
            there = stood[0].line
            olds, news = self.old.between(there, there), self.new.between(line, line)
            if [one.text for one in olds] != [one.text for one in news]:
                return Skip.COMMENT
        return Skip.FORMAT

    def _same_line(self, region: Hunk, line: int) -> tuple[Piece, ...]:
        """For changes too large to align: the one old line that says the same."""
        wanted = [token.text for token in _own(self.new, line)]
        found = [
            Piece(number)
            for number in range(region.old, region.old + region.old_count)
            if [token.text for token in _own(self.old, number)] == wanted
        ]
        return tuple(found) if len(found) == 1 and _letters(wanted) >= _MIN_LETTERS else ()

    def _moved(self, region: Hunk, asked: Piece) -> Stood | None:
        """Within the file: among the lines that this change took away from it."""
        gone = [
            self.old.between(one.old, one.old + one.old_count - 1)
            for one in self.hunks
            if one.old_count
        ]
        found = self._run(region, asked, gone, MOVED_LETTERS)
        if found is None:
            return None
        end = region.old + region.old_count
        stayed = all(region.old <= one.line < end for one in found.pieces)
        kind = self._kind(asked.line, found.pieces, False) if stayed else Skip.MOVED
        return Stood(kind, found.pieces)

    def _import(self, line: int) -> Stood | None:
        """An import of Python: where the names were bound that are no longer bound there."""
        if not self.new.language == self.old.language == "python":
            return None
        wanted = [name for name, at in _bound(self.new) if at == line]
        if not wanted:
            return None
        gone = {
            name: at
            for name, at in _bound(self.old)
            if any(one.old <= at < one.old + one.old_count for one in self.hunks)
        }
        lines = [gone.get(name, 0) for name in wanted]
        return Stood(Skip.IMPORTS, tuple(map(Piece, sorted(set(lines))))) if all(lines) else None


class _Compared:
    """The tokens of a region, old and new, and which runs of them are the same."""

    def __init__(self, olds: list[Token], news: list[Token]) -> None:
        self.olds, self.news = olds, news
        self._texts = [token.text for token in olds], [token.text for token in news]
        self.equal = self._texts[0] == self._texts[1]
        self.too_large = len(olds) * len(news) > MAX_PRODUCT
        self._blocks: list[Match] | None = None

    def stood(self, places: list[int]) -> list[int]:
        """Where the new tokens at ``places`` are among the old ones, if side by side."""
        block = self._block(places)
        if block is None:
            return []
        letters = _letters(self._texts[1][place] for place in places)
        if block.size < _MIN_RUN and letters < _MIN_LETTERS:
            return []
        return [block.a + place - block.b for place in places]

    def cuts(self, pieces: tuple[Piece, ...], places: list[int]) -> bool:
        """Whether other parts of the old lines of ``pieces`` are not what they were."""
        block = self._block(places)
        if block is None:
            return False
        lines = {one.line for one in pieces if one.part is not None}
        kept = range(block.a, block.a + block.size)
        return any(
            token.line in lines and place not in kept and token.text != b","
            for place, token in enumerate(self.olds)
        )

    def _block(self, places: list[int]) -> Match | None:
        """The run of equal tokens that holds the new ones at ``places``."""
        if self._blocks is None:
            matcher = SequenceMatcher(None, *self._texts, autojunk=False)
            self._blocks = matcher.get_matching_blocks()
        if not places:
            return None
        return next(
            (one for one in self._blocks if one.b <= places[0] and places[-1] < one.b + one.size),
            None,
        )


def _region(hunks: Sequence[Hunk], line: int) -> Hunk | None:
    """The hunk that holds a new line, joined with its near neighbours."""
    at = next((i for i, one in enumerate(hunks) if one.new <= line < one.new + one.new_count), None)
    if at is None:
        return None
    low = high = at
    while low > 0 and _gap(hunks[low - 1], hunks[low]) <= NEAR_LINES:
        low -= 1
    while high + 1 < len(hunks) and _gap(hunks[high], hunks[high + 1]) <= NEAR_LINES:
        high += 1
    (old, new), (old_end, new_end) = _starts(hunks[low]), _ends(hunks[high])
    return Hunk(old, old_end - old, new, new_end - new)


def _gap(one: Hunk, other: Hunk) -> int:
    """How many lines stand unchanged between two hunks."""
    return _starts(other)[1] - _ends(one)[1]


def _starts(hunk: Hunk) -> tuple[int, int]:
    """The first lines that a hunk covers, old and new."""
    return hunk.old + (not hunk.old_count), hunk.new + (not hunk.new_count)


def _ends(hunk: Hunk) -> tuple[int, int]:
    old, new = _starts(hunk)
    return old + hunk.old_count, new + hunk.new_count


def _own(tokens: Tokens, line: int) -> list[Token]:
    """The tokens of a line: its code, or its comment where that is all there is."""
    found = tokens.between(line, line)
    return [token for token in found if not token.comment] or found


def _code(tokens: list[Token]) -> list[Token]:
    return [token for token in tokens if not token.comment]


def _letters(texts: Iterable[bytes]) -> int:
    return sum(sum(chr(byte).isalnum() for byte in text) for text in texts)


def _places(tokens: list[Token], asked: Piece) -> list[int]:
    """Which of ``tokens`` are asked about; a comma at the end only separates."""
    found = [i for i, token in enumerate(tokens) if token.line == asked.line]
    if asked.part is not None:
        found = found[slice(*asked.part)]
    return found[:-1] if len(found) > 1 and tokens[found[-1]].text == b"," else found


def _pieces(tokens: list[Token], places: list[int]) -> tuple[Piece, ...]:
    """The lines, or parts of them, that some of ``tokens`` are."""
    by_line: dict[int, list[int]] = {}
    for place in places:
        by_line.setdefault(tokens[place].line, []).append(place)
    found = []
    for line, own in sorted(by_line.items()):
        every = [i for i, token in enumerate(tokens) if token.line == line]
        part = every.index(own[0]), every.index(own[-1]) + 1
        whole = part[0] == 0 and part[1] >= len(every) - (tokens[every[-1]].text == b",")
        found.append(Piece(line, None if whole else part))
    return tuple(found)


def _best_run(
    added: list[Token], gone: Sequence[list[Token]], places: list[int], letters: int
) -> Run | None:
    """The longest run of ``added`` around ``places`` that stands in one of ``gone``."""
    texts = [token.text for token in added]
    if not places:
        return None
    first, last = places[0], places[-1] + 1
    best: Run | None = None
    for tokens in gone:
        there = [token.text for token in tokens]
        for start in _occurrences(there, texts[first:last]):
            end = start + last - first
            low = _shared(reversed(texts[:first]), reversed(there[:start]))
            high = _shared(iter(texts[last:]), iter(there[end:]))
            weight = _letters(texts[first - low : last + high])
            if weight >= letters and (best is None or weight > best.letters):
                best = Run(weight, _pieces(tokens, list(range(start, end))))
    return best


def _shared(one: Iterator[bytes], other: Iterator[bytes]) -> int:
    """How many tokens two sequences share from their beginning."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def _occurrences(there: list[bytes], wanted: list[bytes]) -> Iterator[int]:
    """Where ``wanted`` stands in ``there``."""
    rarest = wanted[0]
    for start in range(len(there) - len(wanted) + 1):
        if there[start] == rarest and there[start : start + len(wanted)] == wanted:
            yield start


def _bound(tokens: Tokens) -> Iterator[tuple[tuple[bytes, bytes], int]]:
    """Each (module, name) that the imports of a file bind, and its line."""
    pending: list[Node] = [] if tokens.root is None else [tokens.root]
    while pending:
        node = pending.pop()
        if node.type in ("import_statement", "import_from_statement"):
            module = node.child_by_field_name("module_name")
            start = b"" if module is None else module.text or b""
            for child in node.children_by_field_name("name"):
                yield (start, b" ".join((child.text or b"").split())), child.start_point[0] + 1
        elif node.type in _HOLDS_IMPORTS:
            pending.extend(reversed(node.children))


_HOLDS_IMPORTS: Final = frozenset(
    {
        *("module", "if_statement", "block", "try_statement", "except_clause", "else_clause"),
        *("function_definition", "class_definition", "decorated_definition", "with_statement"),
    }
)
