"""A question as typed → what it names and the words it is about.

- Nothing is refused: any language, any vocabulary, any length (the first ``MAX_TEXT``
  characters and ``MAX_WORDS`` words are read).
- What is named exactly (a reference, a commit, a path, an issue, a phrase in quotation marks)
  is kept apart from the words; a word is what the asker typed, so that it can be said again.
- Whether a run of hexadecimal digits is an object id is for the index to say, not for its form:
  ``defaced`` is one too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from citator.index.analysis import Analyser
from citator.search.stop_words import ENGLISH, JOINING, plain_form, stop_words

MAX_TEXT = 4096
MAX_WORDS = 48
MAX_JOINING = 12
MAX_NAMED = 4

_REF = re.compile(r"(?<![\w:])(?:commit|markdown|decision):(?:v1:)?[0-9a-f]{6,64}(?![\w:])")
_HEX = re.compile(r"(?<![\w./#:-])[0-9a-fA-F]{4,64}(?![\w/-])")
_KEY = re.compile(r"(?<![\w&/])(?:#\d{1,9}|[A-Z][A-Z0-9]{1,9}-\d{1,9})(?![\w-])")
_PATH = re.compile(
    r"(?<![\w:/.@+-])(?:(?:\./)?[\w.@+-]*(?:/[\w.@+-]+)+|[\w@+-]+(?:\.[\w@+-]+)*\.[A-Za-z]\w{0,9})"
)
_QUOTED = re.compile(r'"([^"\n]{3,200})"|“([^”\n]{3,200})”|«\s?([^»\n]{3,200}?)\s?»')
# Scripts without spaces write the words that ask onto the others.
_ASKING = re.compile(
    "为什么|為什麼|为何|為何|怎么|怎麼|怎样|如何|什么|什麼|なぜ|どうして|どのように|なに|何故|왜|어떻게|ทำไม|อย่างไร"
)
_HYPHENATED = re.compile(r"(?<![\w-])([^\W\d_]+)-([^\W\d_]+)(?![\w-])")
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[a-fA-F]")


@dataclass(frozen=True, slots=True)
class Word:
    """One of the asker's words and its terms (an identifier's whole first, then its parts)."""

    text: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What a question names exactly, and the words it is about.

    ``joining`` words stand between the others; ``joined`` are words that the asker wrote with a
    hyphen, written as one: both help to order and are never missed. ``hashes`` are lower-case
    runs that could be object ids. ``spoken`` is the text as it is read for words.
    """

    spoken: str
    words: tuple[Word, ...] = ()
    joining: tuple[Word, ...] = ()
    joined: tuple[Word, ...] = ()
    refs: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()

    @property
    def asks_nothing(self) -> bool:
        """Whether there is nothing to look for."""
        return not (self.words or self.refs or self.paths)


def parse(text: str, analyser: Analyser) -> Question:
    """Read ``text`` (any text) with the index's own analyser."""
    text = text[:MAX_TEXT]
    spoken = _ASKING.sub(" ", text)
    content, joining = _words(spoken, analyser)
    return Question(
        spoken=spoken,
        words=content,
        joining=joining,
        joined=_joined(text, analyser),
        refs=_named(_REF.findall(text)),
        hashes=_named(run.lower() for run in _HEX.findall(text) if _could_be_id(run)),
        paths=_named(path.removeprefix("./") for path in _PATH.findall(text.replace("\\", "/"))),
        keys=_named(_KEY.findall(text)),
        quoted=_named(" ".join("".join(groups).split()) for groups in _QUOTED.findall(text)),
    )


def _words(text: str, analyser: Analyser) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """The content words, and those that join them, each once."""
    found: dict[tuple[str, ...], Word] = {}
    for written, terms in analyser.words(text):
        if terms:
            found.setdefault(terms, Word(written, terms))
    plain = {word: plain_form(word.text) for word in found.values()}
    stops = stop_words(plain.values())
    content = [word for word in plain if plain[word] not in stops]
    joins = JOINING if stops is ENGLISH else frozenset()
    joining = [word for word in plain if plain[word] in joins]
    return tuple(content[:MAX_WORDS]), tuple(joining[:MAX_JOINING])


def _joined(text: str, analyser: Analyser) -> tuple[Word, ...]:
    joined: dict[tuple[str, ...], Word] = {}
    for match in _HYPHENATED.finditer(text):
        terms = tuple(analyser.terms(match[1] + match[2]))
        if len(terms) == 1:
            joined.setdefault(terms, Word(match[0], terms))
    return tuple(joined.values())[:MAX_NAMED]


def _could_be_id(run: str) -> bool:
    """Seven digits can be an id; fewer only where they are neither a number nor a plain word."""
    return len(run) >= 7 or bool(_DIGIT.search(run) and _LETTER.search(run))


def _named(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))[:MAX_NAMED]
