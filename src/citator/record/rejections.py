"""Which standing rejections speak against a proposal: equality of folded forms, never likeness.

- A rejection speaks where the proposal says its value (title and ruling, each as a whole) or where
  the title holds it as whole words, about a kind and about paths that both are about.
- A rejection without a kind or a scope is about all; so is a proposal that states none.
- Whether two path patterns can hold one path is decided pattern against pattern, on the safe side:
  a character class meets any character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from citator.model.record import ItemKind, Rejected
from citator.model.visibility import Audience, may_disclose
from citator.record.folding import folded
from citator.record.migration import Migration

# Scripts that put no space between words: ideographs and hiragana, Thai, Lao, Burmese, Khmer.
_UNSPACED: Final = re.compile(
    "[\u3005-\u3007\u3041-\u309f\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17ff]"
)
_KATAKANA: Final = re.compile("[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]")
_TOKEN: Final = re.compile(r"\\(.)|(\[[!^]?.[^\]]*\])|([*?])|(.)", re.DOTALL)
_ANY: Final = "any"
_MANY: Final = "**"
_Token = TypeVar("_Token")


def told_no(
    rejections: Iterable[Rejected],
    audience: Audience | None,
    *,
    values: Sequence[str],
    kind: ItemKind | None,
    paths: Sequence[str],
) -> tuple[Rejected, ...]:
    """The rejections that speak against a proposal, oldest first.

    ``values`` are what it asserts, its title first (:func:`value_of`); ``paths`` its path patterns,
    empty for everywhere. Only what ``audience`` may know of is looked at; None looks at all, for
    whoever approves.
    """
    spoken = [folded(value) for value in values]
    found = {
        one.id: one
        for one in rejections
        if (audience is None or may_know(one, audience))
        and (one.kind is None or kind is None or one.kind is kind)
        and _says(one.folded, spoken)
        and may_meet(one.scope, paths)
    }
    return tuple(sorted(found.values(), key=lambda one: (one.at, one.id)))


def may_know(rejected: Rejected, audience: Audience) -> bool:
    """Whether an audience may know of a rejection."""
    return may_disclose(rejected.sensitivity, rejected.tenant, rejected.groups, audience)


def value_of(migration: Migration) -> tuple[str, ...]:
    """What a proposal asserts: the title and the ruling of the text it lands, if it lands one."""
    revision = migration.revision
    return () if revision is None else (revision.values["title"], revision.values["ruling"])


def _says(rejected: str, spoken: Sequence[str]) -> bool:
    """Whether a proposal, in folded forms, says a rejected value."""
    if not rejected:  # of nothing but marks nothing is left, and nothing contains it
        return False
    return rejected in spoken or (bool(spoken) and holds_words(spoken[0], rejected))


def holds_words(text: str, words: str) -> bool:
    """Whether folded ``text`` holds folded ``words`` from the start of a word to the end of one."""
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        if _is_border(text, at) and _is_border(text, end) and not _is_one_ideograph(words):
            return True
        at = text.find(words, at + 1)
    return False


def _is_one_ideograph(words: str) -> bool:
    """One ideograph is a part of many words: alone it is looked for only as a whole title."""
    return len(words) == 1 and _UNSPACED.match(words) is not None


def _is_border(text: str, at: int) -> bool:
    """Whether no word goes on from before ``at`` to behind it."""
    if at in (0, len(text)):
        return True
    before, after = text[at - 1], text[at]
    if unicodedata.category(after).startswith("M"):
        return False
    if _UNSPACED.match(before) or _UNSPACED.match(after):
        return True
    if bool(_KATAKANA.match(before)) is not bool(_KATAKANA.match(after)):
        return True
    return not (_is_of_word(before) and _is_of_word(after))


def _is_of_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def may_meet(scope: Sequence[str], paths: Sequence[str]) -> bool:
    """Whether some path can be held by both lists of patterns; an empty list holds every path."""
    if not scope or not paths:
        return True
    ours, theirs = [_segments(one) for one in scope], [_segments(one) for one in paths]
    return any(_meet(one, other, _segments_meet, _MANY) for one in ours for other in theirs)


def _segments(pattern: str) -> list[str]:
    """The segments of a pattern; what covers all below it ends in ``**``."""
    segments = [one for one in pattern.removeprefix("./").split("/") if one]
    last = _characters(segments[-1]) if segments else []
    covers = pattern.endswith("/") or not {"*", _ANY} & set(last)
    return [*segments, _MANY] if covers else segments


def _segments_meet(one: str, other: str) -> bool:
    if one == other:
        return True
    return _meet(_characters(one), _characters(other), _characters_meet, "*")


def _characters(segment: str) -> list[str]:
    """A segment as literal characters, stars, and ``_ANY`` for every other wildcard."""
    found: list[str] = []
    for escaped, klass, wild, literal in _TOKEN.findall(segment):
        if wild:
            found.append("*" if wild == "*" else _ANY)
        else:
            found.append(_ANY if klass else f"={escaped or literal}")
    return found


def _characters_meet(one: str, other: str) -> bool:
    return _ANY in (one, other) or one == other


def _meet(
    one: Sequence[_Token],
    other: Sequence[_Token],
    same: Callable[[_Token, _Token], bool],
    many: _Token,
) -> bool:
    """Whether two patterns share a text. ``many`` stands for any number of tokens, or none."""
    reached = {0}  # how much of ``other`` can be done when ``one`` is done so far
    for token in [*one, None]:
        reached = _past_many(reached, other, many)
        if token is None:
            return len(other) in reached
        if token == many:
            reached = set(range(min(reached), len(other) + 1))
            continue
        following = set()
        for at in reached:
            if at < len(other) and other[at] == many:
                following.add(at)
            elif at < len(other) and same(token, other[at]):
                following.add(at + 1)
        if not following:
            return False
        reached = following
    return False


def _past_many(reached: set[int], other: Sequence[_Token], many: _Token) -> set[int]:
    found = set(reached)
    for at in reached:
        while at < len(other) and other[at] == many:
            at += 1
            found.add(at)
    return found
