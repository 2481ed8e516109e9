"""What a commit claims to do to earlier ones, read from its message alone.

- A claim names its target in one or more ways; which commit that is, if any, is found elsewhere.
- A statement (*this reverts …*) is read as one. What is only spoken of (*which was reverted in …*)
  is a citation, and a message that a squash repeats is a mention: neither decides anything.
- A title without quotation marks is a target only where a commit has exactly that title.
- Nothing here keeps words: a title travels as a digest, everything else is a number or an id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from citator.formats.trailers import CHERRY_PICK_KEY, find_trailers
from citator.model.document import Strength, Trailer
from citator.model.premise import MAX_PREMISES, premises_in
from citator.model.treatment import Rule, Treatment
from citator.sources.treatment.items import MAX_CHARACTERS, Item, items_of
from citator.sources.treatment.names import Name, Naming, names_of, title_of, titles
from citator.sources.treatment.wording import (
    STATEMENT,
    SUBJECT,
    leading,
    spoken,
    targets_in,
    unprefixed,
)

VERSION: Final = "c3"
MAX_CITED: Final = 20
MAX_CLAIMS: Final = 60


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim. ``names`` are ways to name one target, the best first; () where it has none.

    ``tentative``: it is a claim only where the target is found. ``part``: of a part, as the words
    say. ``mention``: said in a message that a squash repeats.
    """

    treatment: Treatment
    names: tuple[Name, ...]
    rule: Rule
    part: bool = False
    mention: bool = False
    tentative: bool = False


# What a message must hold (in lower case) for more than its citations to be looked at.
_ACTS: Final = (
    "revert", "rev:", "back out", "backed out", "backs out", "backing out", "backout", "backed-out",
    "undo", "undid", "roll back", "rollback", "rolled back", "rolls back", "rolling back",
    "reappl", "re-appl", "reland", "re-land", "recommit", "re-commit", "reinstat", "re-instat",
    "reintroduc", "re-introduc", "remerge", "re-merge", "redo", "restor", "bring back",
)  # fmt: skip
_MENTION: Final = re.compile(
    r"(?:[0-9a-f]{7}|#[0-9]|!\s?[0-9]|GH-[0-9]|ADR|\br[0-9]{3}|[0-9A-HJKMNP-TV-Z]{26})"
)
_TRAILERS: Final = {
    "Reverts": Treatment.REVERTS,
    "Reinstates": Treatment.REINSTATES,
    "Supersedes": Treatment.SUPERSEDES,
    "Deprecates": Treatment.SUPERSEDES,
    "Amends": Treatment.LIMITS,
    "Premise-Invalidated": Treatment.QUESTIONS,
    "Fixes": Treatment.FIXES,
    "Implements": Treatment.IMPLEMENTS,
    "Accepted": Treatment.FOLLOWS,
    "Declined": Treatment.REJECTS,
    "Alternative-Rejected": Treatment.REJECTS,
    "Ruled-out": Treatment.REJECTS,
    "Refs": Treatment.CITES,
    "References": Treatment.CITES,
    "See-also": Treatment.CITES,
}
# These reject an alternative that the commit itself weighed, not what they may name beside it.
_OWN: Final = frozenset({"Declined", "Alternative-Rejected", "Ruled-out"})
_DECISION: Final = re.compile(r"(?<![0-9A-Za-z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Za-z])")
_ADR: Final = re.compile(r"(?<![\w-])ADR[- ]?0{0,4}([1-9][0-9]{0,4})(?![\w-])", re.I)
_BEFORE: Final = (
    (Treatment.FOLLOWS, re.compile(r"(?:follow(?:s|ing)?[ -]?up (?:to|of|on|for|from)|"
                                   r"as decided in|according to|per|following|follows) ?$", re.I)),
    (Treatment.IMPLEMENTS, re.compile(r"implement(?:s|ing|ed|ation of)? ?$", re.I)),
    (Treatment.FIXES, re.compile(r"(?:(?:regress(?:ion|ed)|broken|broke|introduced|bug|fallout)"
                                 r"(?: introduced| caused)? (?:in|by|from|since|with)|"
                                 r"fix(?:es|ed|ing|up)?(?: up)?(?: (?:for|of|to|after))?)"
                                 r"(?: (?:commit|pr|the))? ?$", re.I)),
)  # fmt: skip
_EXPIRES: Final = re.compile(r"^Expires: (\d{4}-\d\d-\d\d)\s*$", re.MULTILINE | re.IGNORECASE)
_WINDOW: Final = 48
_SENTENCE_END: Final = re.compile(
    r"(?:[.;:!?)]|\s-{1,2}|\u2014)\s+(?=\S)|"
    r",\s+(?=(?:so|and|thus)\b|(?:(?:partially|partly|effectively|essentially)\s)?revert)|"
    r"\((?=(?:this|partial|part|re|back|un))",
    re.I,
)
_CONVENTIONAL: Final = re.compile(r"(?:revert|rev)(?:\([^)\n]{1,60}\))?!?:\s+(?=\S)", re.I)


def claims_of(message: str) -> tuple[Claim, ...]:
    """What the commit with this message claims, in the order of the message. Usually nothing."""
    lowered = message.lower()
    acts = any(word in lowered for word in _ACTS)
    cites = _MENTION.search(message) is not None
    trailing = "-" in message or ": " in message
    if not (acts or cites or trailing):
        return ()
    message = message[:MAX_CHARACTERS].replace("\r\n", "\n")
    found: list[Claim] = []
    if acts:
        found += _acts(message)
    if trailing and "\n\n" in message:
        trailers = find_trailers(message.split("\n")).trailers
        found += _of_trailers(trailers)
    if cites:
        found += _citations(message, found)
    once = {(one.treatment, one.names[:1] or one): one for one in reversed(found)}
    return tuple(reversed(once.values()))[:MAX_CLAIMS]


def watches_of(message: str) -> tuple[str, ...]:
    """What a commit says that it rests on (``Premise:``), and until when it holds (``Expires:``),
    as far as that can be checked: canonical premises, and ``expires 2027-01-31``."""
    if "remise:" not in message and "xpires:" not in message:
        return ()
    found = [one.text for one in premises_in(message)]
    found += [f"expires {match[1]}" for match in _EXPIRES.finditer(message[:MAX_CHARACTERS])]
    return tuple(dict.fromkeys(found))[:MAX_PREMISES]


def _acts(message: str) -> list[Claim]:
    subject = titles(message)[-1]
    first = _of_subject(subject)
    _, _, body = message.partition("\n\n")
    is_act = bool(first) or SUBJECT.match(unprefixed(subject)) is not None
    items = list(items_of(body))
    if not is_act:
        items.insert(0, Item(subject, bulleted=False, squashed=False))
    said = _of_items(items, is_act)
    same = [one for one in said if first and one.treatment is first[0].treatment]
    others = [one for one in said if one not in same]
    for index, claim in enumerate(first[: len(same)]):
        one = same[index]
        same[index] = replace(
            one,
            names=tuple(dict.fromkeys((*one.names, *claim.names))),
            part=one.part or claim.part,
            mention=False,
        )
    return [*same, *first[len(same) :], *others]


def _of_subject(subject: str) -> list[Claim]:
    conventional = _CONVENTIONAL.match(subject)
    rest = unprefixed(subject)
    match = SUBJECT.match(rest)
    if match is None:
        return []
    told = spoken(rest, match.end(), titles=True)
    treatment = _treatment(again=bool(match["again"]), undone=told.undone)
    part = bool(match["part"] or match["part2"]) or told.part
    if told.targets:
        before = subject[: len(subject) - len(rest)]
        return [
            Claim(
                treatment,
                _with_prefix(one, told.quoted, before),
                _rule(treatment, one),
                part,
                tentative=told.loose,
            )
            for one in told.targets
        ]
    if told.elsewhere:
        return []
    if conventional is not None:
        title = title_of(subject[conventional.end() :])
        return [Claim(treatment, (title,), Rule.REVERT_TYPE, tentative=True)] if title else []
    title = title_of(rest[match.end() :].lstrip(" :"))
    if title is None or told.undone:
        return []
    return [Claim(treatment, (title,), _rule(treatment, (title,)), part, tentative=True)]


def _with_prefix(names: tuple[Name, ...], quoted: str, before: str) -> tuple[Name, ...]:
    """The names, and the quoted title with the prefix that stands before the verb: of two changes
    to one part the second quotes the first without it."""
    longer = title_of(before + quoted) if quoted and before else None
    return names if longer is None else (*names, longer)


def _treatment(*, again: bool, undone: bool) -> Treatment:
    return Treatment.REINSTATES if again != undone else Treatment.REVERTS


def _rule(treatment: Treatment, names: Sequence[Name]) -> Rule:
    if treatment is Treatment.REINSTATES:
        return Rule.REAPPLY
    if names[0].naming is Naming.ID:
        return Rule.REVERT_SENTENCE
    if len(names) == 1 and names[0].naming is not Naming.TITLE:
        return Rule.REVERT_CHANGE
    return Rule.REVERT_TITLE


def _of_items(items: Sequence[Item], is_act: bool) -> list[Claim]:
    found: list[Claim] = []
    announced: Claim | None = None
    for item in items:
        if announced is not None:
            listed = leading(item.text)
            if listed:
                found.append(replace(announced, names=listed))
                continue
            announced = None
        for claim in _of_item(item, is_act):
            if claim.names:
                found.append(claim)
            else:
                announced = claim
    return found


def _of_item(item: Item, is_act: bool) -> Iterator[Claim]:
    """The statements of one item; one without names announces a list."""
    text = item.text
    starts = [0, *(match.end() for match in _SENTENCE_END.finditer(text))][:200]
    for start in starts:
        match = STATEMENT.match(text, start)
        if match is None:
            continue
        told = spoken(text, match.end(), titles=False)
        if told.elsewhere and match["verb"].lower().endswith(("ed", "back", "out", "undid")):
            continue
        if not told.targets and not told.listed:
            continue
        treatment = _treatment(again=bool(match["again"]), undone=told.undone)
        part = bool(match["part"] or match["part2"]) or told.part
        mention = item.squashed and not is_act
        if told.listed:
            yield Claim(treatment, (), Rule.REVERT_SENTENCE, part, mention)
        for one in told.targets:
            rule = Rule.MENTION if mention else _rule(treatment, one)
            yield Claim(treatment, one, rule, part, mention)


def _of_trailers(trailers: Sequence[Trailer]) -> Iterator[Claim]:
    for trailer in trailers:
        if trailer.key == CHERRY_PICK_KEY:
            yield Claim(
                Treatment.FOLLOWS, (Name(Naming.ID, trailer.value),), Rule.PICKED, tentative=True
            )
            continue
        treatment = _TRAILERS.get(trailer.key)
        if treatment is None:
            continue
        mention = trailer.strength is Strength.WEAK
        if trailer.key in _OWN:
            yield Claim(treatment, (), Rule.TRAILER, mention=mention)
            continue
        named = [(at, names) for at, names in targets_in(trailer.value)]
        named += [(match.start(), (name,)) for match, name in _records(trailer.value)]
        numbers_alone = trailer.key in ("Fixes", "Refs", "References", "See-also")
        for _, names in sorted(named, key=lambda one: one[0])[:MAX_CITED]:
            tentative = numbers_alone and names[0].naming is Naming.CHANGE
            yield Claim(treatment, names, Rule.TRAILER, mention=mention, tentative=tentative)


def _records(text: str) -> Iterator[tuple[re.Match[str], Name]]:
    for match in _DECISION.finditer(text):
        yield match, Name(Naming.DECISION, match[0])
    for match in _ADR.finditer(text):
        yield match, Name(Naming.ADR, match[1])


def _citations(message: str, found: Sequence[Claim]) -> Iterator[Claim]:
    """What is spoken of and not claimed otherwise, the first of each."""
    said = {name for claim in found for name in claim.names}
    own = {name for name in names_of(message) if name.naming is not Naming.TITLE}
    count = 0
    text = message if "\n>" not in message else re.sub(r"(?m)^>.*$", "", message)
    named = [(at, names[0]) for at, names in targets_in(text)]
    named += [(match.start(), name) for match, name in _records(text)]
    for at, name in sorted(named, key=lambda one: one[0]):
        if name in said or name in own:
            continue
        said.add(name)
        before = text[max(0, at - _WINDOW) : at].replace("\n", " ")
        if before.endswith("reversing changes made to "):
            continue
        treatment = next(
            (one for one, pattern in _BEFORE if pattern.search(before)), Treatment.CITES
        )
        yield Claim(treatment, (name,), Rule.MENTION, tentative=True)
        count += 1
        if count >= MAX_CITED:
            return
