"""What a task is about and what is wanted of it: by words of a fixed list, never by a document.

- The rules are data (``domains.json``): words with weights, by domain and language. The domain
  with the greatest weight has it, and the answer names which rule that was.
- What speaks of this project (*we*, *why was*, a commit's id) and what speaks of code count
  together against every other domain: a word of law in a question about the project's own history
  makes it no question of law. On a tie the project has it.
- A task that no rule knows is ``general``, by ``nothing``. Nothing is refused here.
- Time is bounded by the length of the task, whatever it holds.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final

from citator.model.domain import Domain, Intent, Task

MAX_CHARACTERS: Final = 4_096
MOST_WORDS: Final = 4  # of one rule
SHORTEST_BEGINNING: Final = 3
LONGEST_BEGINNING: Final = 24
ENOUGH: Final = 3  # for a domain that no project is about by itself
SOME: Final = 2  # for the project and its code
CODE: Final = "code"
CODE_WEIGHT: Final = 3
ANCHOR_WEIGHT: Final = 4
OWN: Final = (Domain.PROJECT_MEMORY, Domain.PROGRAMMING)
INTENTS: Final = tuple(one for one in Intent if one is not Intent.UNCLEAR)

_WORD = re.compile(r"\w+")
_CAMEL = re.compile(r"[a-z][A-Z]|_")
_CODE_SIGN = re.compile(
    r"`|::|\(\)|=>|->|==|\{\}|(?<!\S)--[a-z]|[\w-]/[\w-]+\.\w|\w\.(?:py|rs|js|ts|go|rb|c|h|cc|java|kt|md|sh|toml|json|ya?ml)\b"
)
_COMMIT = re.compile(
    r"(?<!\w)(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}(?!\w)|(?<!\w)#\d{1,7}(?!\w)"
)


@dataclass(frozen=True)
class Rules:
    """Words → what they count for: (domain, weight, language). ``beginnings`` are of whole words;
    ``pieces`` are looked for anywhere, for languages that put no space between words."""

    words: Mapping[str, tuple[tuple[Domain, int, str], ...]]
    beginnings: Mapping[str, tuple[tuple[Domain, int, str], ...]]
    pieces: tuple[tuple[str, Domain, int, str], ...]
    intents: Mapping[str, Intent]
    intent_beginnings: Mapping[str, Intent]
    intent_pieces: tuple[tuple[str, Intent], ...]


@dataclass
class _Tally:
    weight: int = 0
    rules: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    matched: list[str] = field(default_factory=list)

    def add(self, word: str, weight: int, language: str) -> None:
        self.weight += weight
        self.rules[language] += weight
        self.matched.append(word)

    @property
    def language(self) -> str:
        return max(sorted(self.rules), key=lambda one: self.rules[one])


def classify(text: str, rules: Rules | None = None) -> Task:
    """What ``text`` (its first 4,096 characters) is about."""
    known = rules or shipped_rules()
    text = text[:MAX_CHARACTERS]
    plain = normalised(text)
    tallies = _tallies(text, plain, known)
    intent = _intent(plain, known)
    own = sum(tallies[one].weight for one in OWN)
    others = [one for one in Domain if one not in (*OWN, Domain.GENERAL)]
    best = max(others, key=lambda one: tallies[one].weight)
    if tallies[best].weight >= ENOUGH and tallies[best].weight > own:
        return _task(best, intent, tallies[best])
    also = best if tallies[best].weight >= ENOUGH else None
    memory, programming = (tallies[one] for one in OWN)
    if memory.weight >= SOME:
        return _task(Domain.PROJECT_MEMORY, intent, memory, also)
    if own >= SOME and programming.weight:
        return _task(Domain.PROGRAMMING, intent, programming, also)
    return Task(Domain.GENERAL, intent, "nothing")


def _task(domain: Domain, intent: Intent, tally: _Tally, also: Domain | None = None) -> Task:
    matched = tuple(dict.fromkeys(tally.matched))
    return Task(domain, intent, f"{domain}.{tally.language}", matched, also)


def _tallies(text: str, plain: str, rules: Rules) -> dict[Domain, _Tally]:
    found: dict[Domain, _Tally] = {one: _Tally() for one in Domain}
    for word, entries in _hits(plain, rules):
        for domain, weight, language in entries:
            found[domain].add(word, weight, language)
    for piece, domain, weight, language in rules.pieces:
        if piece in plain:
            found[domain].add(piece, weight, language)
    if _CODE_SIGN.search(text) or any(map(_CAMEL.search, _WORD.findall(text))):
        found[Domain.PROGRAMMING].add(CODE, CODE_WEIGHT, CODE)
    anchor = _COMMIT.search(text)
    if anchor is not None:
        found[Domain.PROJECT_MEMORY].add(anchor[0], ANCHOR_WEIGHT, CODE)
    return found


def _hits(plain: str, rules: Rules) -> Iterator[tuple[str, tuple[tuple[Domain, int, str], ...]]]:
    """The longest rule at each word, and what it counts for; each word of a task counts once."""
    words, seen = _WORD.findall(plain), set[str]()
    at = 0
    while at < len(words):
        for count in range(min(MOST_WORDS, len(words) - at), 0, -1):
            name = " ".join(words[at : at + count])
            entries = rules.words.get(name) or _begun(name, rules.beginnings)
            if entries:
                if name not in seen:
                    seen.add(name)
                    yield name, entries
                break
        at += count


def _begun(name: str, beginnings: Mapping[str, Any]) -> Any:
    spaces = name.count(" ")
    for length in range(min(len(name), LONGEST_BEGINNING), SHORTEST_BEGINNING - 1, -1):
        begun = name[:length]
        if begun in beginnings and begun.count(" ") == spaces:
            return beginnings[begun]
    return None


def _intent(plain: str, rules: Rules) -> Intent:
    found: set[Intent] = set()
    words = _WORD.findall(plain)
    for at in range(len(words)):
        for count in range(1, MOST_WORDS + 1):
            name = " ".join(words[at : at + count])
            one = rules.intents.get(name) or _begun(name, rules.intent_beginnings)
            if one is not None:
                found.add(one)
    found |= {one for piece, one in rules.intent_pieces if piece in plain}
    order = (
        Intent.EXPLAIN,
        Intent.CHOOSE,
        Intent.FIND,
        Intent.LEARN,
        Intent.OPERATE,
        Intent.CHANGE,
    )
    return next((one for one in order if one in found), Intent.UNCLEAR)


def normalised(text: str) -> str:
    """``text`` in lower case and without accents, as the rules are written."""
    bare = (one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return unicodedata.normalize("NFKC", "".join(bare)).casefold()


def shipped_rules() -> Rules:
    """The rules of the package."""
    data = json.loads((files("citator.search") / "domains.json").read_text("utf-8"))
    return rules_of(data)


def rules_of(data: Mapping[str, Any]) -> Rules:
    """Rules from their form as data."""
    words: dict[str, list[tuple[Domain, int, str]]] = defaultdict(list)
    beginnings: dict[str, list[tuple[Domain, int, str]]] = defaultdict(list)
    pieces: list[tuple[str, Domain, int, str]] = []
    for name, languages in data["domains"].items():
        domain = Domain(name)
        for language, weights in languages.items():
            for weight, listed in weights.items():
                for term in listed.split(", "):
                    if language == "zh":
                        pieces.append((term, domain, int(weight), language))
                    elif term.endswith("-"):
                        beginnings[term[:-1]].append((domain, int(weight), language))
                    else:
                        words[term].append((domain, int(weight), language))
    intents: dict[str, Intent] = {}
    intent_beginnings: dict[str, Intent] = {}
    intent_pieces: list[tuple[str, Intent]] = []
    for name, spoken in data["intents"].items():
        for language, listed in spoken.items():
            for term in listed.split(", "):
                if language == "zh":
                    intent_pieces.append((term, Intent(name)))
                elif term.endswith("-"):
                    intent_beginnings.setdefault(term[:-1], Intent(name))
                else:
                    intents.setdefault(term, Intent(name))
    return Rules(
        {name: _once(entries) for name, entries in words.items()},
        {name: _once(entries) for name, entries in beginnings.items()},
        tuple(pieces),
        intents,
        intent_beginnings,
        tuple(intent_pieces),
    )


def _once(entries: list[tuple[Domain, int, str]]) -> tuple[tuple[Domain, int, str], ...]:
    """One entry a domain, the heaviest: a word that is spelled alike in five languages is one."""
    best: dict[Domain, tuple[Domain, int, str]] = {}
    for one in entries:
        if one[0] not in best or one[1] > best[one[0]][1]:
            best[one[0]] = one
    return tuple(best.values())
