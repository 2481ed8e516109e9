"""Signs that a text was written to steer a machine that reads it: a flag for a reviewer.

- A closed list of structural signs. None of them proves anything, and a text without any is not
  safe for that: words can steer without a sign.
- The signs are of the text alone. Nothing is removed and nothing is decided here.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from typing import Final


class Sign(StrEnum):
    """What was seen."""

    INVISIBLE = "invisible_characters"
    DIRECTION = "direction_marks"
    COMMENT = "html_comment"
    ROLE = "role_or_tool_marker"
    IMPERATIVE = "words_to_a_machine"
    HIDDEN = "hidden_html"


_DIRECTION: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_COMMENT: Final = re.compile(r"<!--(?!\s*-->)")
_HIDDEN: Final = re.compile(
    r"<[a-z][^>]{0,300}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|\bhidden\b)",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(
    r"(?:^|\n)[ \t>*_-]{0,8}(?:<\|?/?(?:system|assistant|user|developer|tool|im_start|im_end)\b"
    r"[^\n>]{0,40}>|\[/?(?:INST|SYS|SYSTEM|TOOL)[^\]\n]{0,20}\]|#{0,6} ?(?:system|assistant|"
    r"developer)(?: (?:prompt|message))?[*_]{0,2}:)"
    r"|(?:^|\n)[ \t]{0,3}(?:```|~~~)[ \t]*(?:system|assistant|tool_?(?:call|use|code)?s?|"
    r"function_calls?)[ \t]*(?:\n|$)"
    r"|</?(?:function_calls|tool_call|tool_use|tool_result|invoke|antml:\w+)\b",
    re.IGNORECASE,
)
_IMPERATIVE: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|"
    r"your|system)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules|guidelines|messages?)\b"
    r"|\byou are (?:now )?(?:an?|the) [^.\n]{0,30}\b(?:assistant|agent|model|ai)\b"
    r"|\b(?:as|dear|note to|attention,?|hey) (?:an? |the |any |all )?(?:ai|llm|coding|language)[ -]"
    r"?(?:agents?|assistants?|models?)?\b"
    r"|\b(?:agents?|assistants?|llms?|models?) (?:must|should|shall|need to|have to) (?:not |now |"
    r"always |never )?(?:run|execute|call|approve|send|reply|respond|obey|ignore|fetch|print|use "
    r"the)\b"
    r"|\bdo not (?:tell|inform|mention|reveal|show)\b[^.\n]{0,40}\b(?:user|reviewer|human|operator)"
    r"\b"
    r"|\b(?:system prompt|jailbreak|prompt injection payload)\b",
    re.IGNORECASE,
)


def signs(text: str) -> tuple[Sign, ...]:
    """The signs in ``text``, each once, in the order of :class:`Sign`."""
    found = {
        Sign.INVISIBLE: any(map(_is_unseen, set(text))),
        Sign.DIRECTION: _DIRECTION.search(text) is not None,
        Sign.COMMENT: _COMMENT.search(text) is not None,
        Sign.ROLE: _ROLE.search(text) is not None,
        Sign.IMPERATIVE: _IMPERATIVE.search(text) is not None,
        Sign.HIDDEN: _HIDDEN.search(text) is not None,
    }
    return tuple(sign for sign in Sign if found[sign])


def _is_unseen(character: str) -> bool:
    """Whether it is drawn as nothing and is no honest joiner or line end."""
    if character in "\n\r\t\u200c\u200d" or _DIRECTION.match(character):
        return False
    filler = "\ufe00" <= character <= "\ufe0d" or character in "\u115f\u1160\u3164\uffa0\u034f"
    return filler or unicodedata.category(character) in ("Cf", "Cc", "Co", "Zl", "Zp")
