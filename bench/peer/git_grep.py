"""What people do today: ``git log --grep`` with the words of the question.

- ``all``: commits whose message holds every content word (``-i --all-match``), newest first.
- ``most``: as a patient person would go on: all words, then all but one, and so on; newest first
  within each. That is more than git's ``--grep`` alone can rank, and generous on purpose.

Words match as git matches them: anywhere in the message, case ignored. Question words and words
under three letters are left out, as a person would.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_WORD = re.compile(r"[^\W_][\w.-]*[^\W_]|[^\W_]")
_QUESTION_WORDS = """
    about after all and any are because been but can could decide decided did does for from had
    has have how instead into its not our should than that the their them then there these they
    this those was were what when where which while who whom whose why will with would you
    por que qué como cómo cuando para una uno las los del warum wie was wann und der die das den
    ist sind pourquoi comment quand les des une est sont quoi porque quando com não por
"""
_LEFT_OUT = frozenset(_QUESTION_WORDS.split())


def content_words(question: str) -> list[str]:
    """The words a person would type, each once."""
    found = dict.fromkeys(_WORD.findall(question.casefold()))
    return [word for word in found if len(word) > 2 and word not in _LEFT_OUT]


def ranked(question: str, messages: Mapping[str, str], rule: str) -> list[str]:
    """Commit ids by ``rule``; ``messages`` are casefolded, by id, newest first."""
    words = content_words(question)
    counts = {oid: sum(word in text for word in words) for oid, text in messages.items()}
    if rule == "all":
        return [oid for oid, count in counts.items() if words and count == len(words)]
    matching: Sequence[str] = [oid for oid, count in counts.items() if count]
    return sorted(matching, key=lambda oid: -counts[oid])
