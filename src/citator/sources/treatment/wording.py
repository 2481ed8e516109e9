"""The words with which commits speak of earlier ones: verbs, targets, and where a list ends.

- Every pattern is anchored where it is tried and bounded in length: a message cannot make it slow.
- What is quoted, fenced, indented or marked up was said by somebody else and is not read as said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from citator.sources.treatment.names import MAX_TITLE, Name, Naming, title_of

MAX_TARGETS: Final = 40

_ADVERB = (
    r"(?:also|just|simply|basically|fully|completely|entirely|essentially|effectively|manually|"
    r"therefore|temporarily|thus|hereby|actually|now|automatically|automated)"
)
_PARTLY = r"(?:partial(?:ly)?|partly|mostly|largely)"
_VERB = (
    rf"(?P<part>{_PARTLY}\s+)?(?:{_ADVERB}\s+)?(?P<part2>{_PARTLY}\s+)?"
    r"(?P<verb>revert(?:s|ed|ing)?|rev(?=:?\s)|back(?:s|ed|ing)?[ -]?out|undo(?:es|ing)?|undid|"
    r"roll(?:s|ed|ing)?[ -]?back|"
    r"(?P<again>re-?appl(?:y|ies|ied|ying)|re-?land(?:s|ed|ing)?|re-?commit(?:s|ted|ting)?|"
    r"re-?instat(?:e|es|ed|ing)|un-?revert(?:s|ed|ing)?|re-?introduc(?:e|es|ed|ing)|"
    r"re-?merge(?:s|d)?|redo(?:es|ing)?|restor(?:e|es|ed|ing)|bring(?:s|ing)?[ -]back))"
    r"(?![\w-])"
)
SUBJECT: Final = re.compile(_VERB, re.I)
# A statement: what this commit does, not what another did.
STATEMENT: Final = re.compile(
    r"(?:(?:and|so|thus|hence|instead|but|then|now|also|oops|for now|additionally|this means)"
    r"[, ]+){0,2}"
    r"(?:(?:this|we|i|it|let's|let us|the)\s+)?"
    r"(?:is\s+(?:basically\s+|essentially\s+)?(?:a|an)\s+(?:full\s+|manual\s+)?)?"
    r"(?:(?:commit|change|patch|pr|pull request|cl|mr|diff|changeset|branch)\s+)?" + _VERB,
    re.I,
)
# Words between the verb and what is named.
_FILLER: Final = re.compile(
    r"(?::\s*|of\s+|from\s+|in\s+|to\s+(?=(?:the\s+)?(?:changes?|commit)\b)|"
    r"the\s+|these\s+|those\s+|following\s+|all\s+|both\s+|my\s+|our\s+|previous\s+|"
    r"(?P<some>parts?\s+of\s+|a\s+part\s+of\s+|some\s+of\s+|most\s+of\s+|half\s+of\s+|bits\s+of\s+|"
    r"portions?\s+of\s+|a\s+portion\s+of\s+|(?:a|one)\s+change\s+(?:from|in|made\s+in)\s+|"
    r"(?:unintentional|unintended|accidental)\s+changes?\s+(?:from|in|made\s+in)\s+)|"
    r"changes?\s+|commits?\s+|(?:changeset|revision)s?\s+(?![0-9]{1,8}(?![0-9a-f]))|merges?\s+|patch(?:es)?\s+|sha:?\s+|"
    r"made\s+|introduced\s+|by\s+|pull\s+requests?\s+(?=[#0-9!])|prs?\s+|mrs?\s+|"
    r"(?P<undone>revert(?:s|ing|al)?\s+(?:of\s+)?(?!\")))",
    re.I,
)
_ELSEWHERE: Final = re.compile(r"(?:in|by|with|on)\s", re.I)
_TITLE_QUOTES: Final = '"\u201c\u00ab'
_TO: Final = re.compile(r"(?:back\s+)?to\b(?!\s+(?:the\s+)?changes?\b)", re.I)
_ID = r"(?P<id>[0-9a-f]{7,64})(?![\w-])(?!\.\w)"
_URL = (
    r"https?://[\w.-]{1,100}/[\w./-]{1,120}?/(?:commits?/(?P<url_id>[0-9a-f]{7,64})|"
    r"(?:pull|pulls|merge_requests|pull-requests)/(?P<url_number>[1-9][0-9]{0,8}))(?![\w-])"
)
_TARGET: Final = re.compile(
    r"(?:\[?`?<?)?(?:(?:commit|changeset|sha|pr|prs|mr|pull request|pull|merge request)\s+)?(?:"
    rf"{_URL}"
    r"|(?:[\w.-]{1,60}/[\w.-]{1,100})?(?:#{1,2}|!)(?P<number>[1-9][0-9]{0,8})(?![\w-])"
    r"|gh-(?P<gh>[1-9][0-9]{0,8})(?![\w-])"
    r"|(?:r|\[|(?:changeset|revision|rev)\s)(?P<revision>[1-9][0-9]{0,7})\]?(?![\w-])"
    rf"|#?{_ID}"
    r")(?:\]|`|>)?(?:\s*\([^()\n]{0,200}\))?",
    re.I,
)
_NUMBER_ALONE: Final = re.compile(r"(?:pr|pull request|mr)\s+(?P<number>[1-9][0-9]{0,8})\b", re.I)
_SEPARATOR: Final = re.compile(
    r"\s*(?:,\s*(?:and\s+|&\s*)?|and\s+|&\s*|;\s*|\+\s*|\s)\s*(?:also\s+)?(?:the\s+)?"
)
_BETWEEN_TITLES: Final = re.compile(r"\"\s*(?:,|and|&|,\s*and)\s*\"")
_QUOTES: Final = {'"': '"', "\u201c": "\u201d", "`": "`", "'": "'", "\u00ab": "\u00bb"}
_DIGITS: Final = 12
_SHORTEST_TITLE: Final = 12
_PREFIX: Final = re.compile(
    r"(?:\[[^\]\n]{1,60}\]|\([^)\n]{1,40}\)|"
    r"(?:(?:refs?|fixe[sd]|fix|closes?d?|issue|see|related to)\s+)?(?:#|gh-|bpo-)[0-9]+"
    r"(?:,?\s*(?:refs\s+)?#[0-9]+){0,4}\s*(?:--|:|-|\u2013|\u2014)|"
    r"(?:[A-Za-z0-9_./,+&-]{1,40}(?:\([^)\n]{1,60}\))?(?:,\s|\s&\s)?){1,4}!?(?::|\s--)|"
    r"[^\w\s\"'(\[]{1,4}|:[a-z_0-9]{1,40}:)\s*",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What follows a verb: ``targets`` (each with its names, the best first), whether a part alone
    is meant, whether a revert is undone; ``listed`` says that a list is announced, ``loose`` that
    the quotation marks are those of code or around one word, ``elsewhere`` that it was done in or
    to what follows; ``quoted`` is the one title that was quoted."""

    targets: tuple[tuple[Name, ...], ...]
    part: bool = False
    undone: bool = False
    listed: bool = False
    loose: bool = False
    elsewhere: bool = False
    quoted: str = ""


def unprefixed(subject: str) -> str:
    """A subject without the tags, types and tickets in front of a verb."""
    for _ in range(5):
        if SUBJECT.match(subject):
            break
        match = _PREFIX.match(subject)
        if match is None or match.end() == len(subject):
            break
        subject = subject[match.end() :]
    return subject


def spoken(text: str, at: int, *, titles: bool) -> Spoken:
    """What ``text`` names from ``at`` on. With ``titles`` a quoted title is a target too."""
    part = undone = False
    while at < len(text) and text[at] in " \t:":
        at += 1
    if _TO.match(text, at):
        return Spoken((), elsewhere=True)
    elsewhere = _ELSEWHERE.match(text, at) is not None
    for _ in range(8):
        if titles and text[at : at + 1] in _QUOTES:
            break
        match = _FILLER.match(text, at)
        if match is None:
            break
        part = part or match["some"] is not None
        undone = undone or match["undone"] is not None
        at = match.end()
    if titles and (quoted := _quoted(text, at)):
        inner = text[at + 1 :].rpartition(_QUOTES[text[at]])[0]
        first = inner.partition(_QUOTES[text[at]])[0]
        loose = text[at] not in _TITLE_QUOTES or " " not in first
        only = inner if len(quoted) == 1 else ""
        return Spoken(quoted, part, undone, loose=loose, quoted=only)
    found = tuple(_listed(text, at))
    rest = text[at:].strip()
    return Spoken(
        found, part, undone, not found and (rest == "" or rest.endswith(":")), elsewhere=elsewhere
    )


def leading(text: str) -> tuple[Name, ...]:
    """The target at the start of a line of a list; () where it starts otherwise."""
    match = _TARGET.match(text)
    return _names(match, digits_too=True) if match else ()


def targets_in(text: str) -> Iterator[tuple[int, tuple[Name, ...]]]:
    """Every target that is named anywhere, and where."""
    for match in _ANYWHERE.finditer(text):
        names = _names(match)
        if names:
            yield match.start(), names


_ANYWHERE: Final = re.compile(
    rf"{_URL}"
    r"|(?<![\w/.@#-])(?P<id>[0-9a-f]{7,64})(?![\w@-])(?!\.\w)"
    r"|(?<![\w/&#-])#(?P<number>[1-9][0-9]{0,8})(?![\w-])"
    r"|(?<![\w/-])r(?P<revision>[1-9][0-9]{2,7})(?![\w-])"
    r"|(?<![\w/-])GH-(?P<gh>[1-9][0-9]{0,8})(?![\w-])"
)


def _listed(text: str, at: int) -> Iterator[tuple[Name, ...]]:
    for _ in range(MAX_TARGETS):
        match = _TARGET.match(text, at) or _NUMBER_ALONE.match(text, at)
        if match is None or not (names := _names(match, digits_too=True)):
            return
        yield names
        separator = _SEPARATOR.match(text, match.end())
        if separator is None:
            return
        at = separator.end()


def _names(match: re.Match[str], *, digits_too: bool = False) -> tuple[Name, ...]:
    """The name that was matched. Decimal digits alone are an id only where one is expected."""
    groups = match.groupdict()
    digits = groups.get("id") or groups.get("url_id")
    if digits is not None:
        digits = digits.lower()
        if digits.isdigit() and len(digits) < _DIGITS and not digits_too:
            return ()
        return (Name(Naming.ID, digits),)
    if groups.get("revision") is not None:
        return (Name(Naming.REVISION, groups["revision"]),)
    number = groups.get("number") or groups.get("url_number") or groups.get("gh")
    return (Name(Naming.CHANGE, number),) if number else ()


def _quoted(text: str, at: int) -> tuple[tuple[Name, ...], ...]:
    """The titles quoted at ``at``: of nested quotes the outermost."""
    closing = _QUOTES.get(text[at : at + 1])
    if closing is None:
        return ()
    end = text.rfind(closing, at + 1)
    inner = text[at + 1 : end] if end > at else text[at + 1 : at + 1 + MAX_TITLE]
    parts = _BETWEEN_TITLES.split(inner) if closing == '"' else [inner]
    if len(parts) > 1 and inner.count('"') == 2 * (len(parts) - 1):
        return tuple(filter(None, map(title_names, parts)))
    names = title_names(inner)
    first = inner.partition(closing)[0]
    if len(first) >= _SHORTEST_TITLE and first != inner and not SUBJECT.match(first):
        names = tuple(dict.fromkeys((*names, *title_names(first))))
    return (names,) if names else ()


_NUMBER_AT_END: Final = re.compile(r"\((?:#|!)([1-9][0-9]{0,8})\)\s*$")
_MERGE_OF: Final = re.compile(r"(?:Merge pull request|Auto merge of|Merge) #([1-9][0-9]{0,8})\b")


def title_names(title: str) -> tuple[Name, ...]:
    """The names in a quoted title: the number that its squash or merge gave it, then itself."""
    found = []
    number = _NUMBER_AT_END.search(title[-40:]) or _MERGE_OF.match(title)
    if number is not None:
        found.append(Name(Naming.CHANGE, number[1]))
    own = title_of(title)
    return (*found, own) if own is not None else tuple(found)
