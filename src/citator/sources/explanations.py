"""Whether a commit message says why: what must remain of its body when routine is taken away.

- Taken away: trailers and sign-offs, thanks, bot footers and dependency dumps, the subject said
  again, templates of pull requests (headings, check boxes, comments), lists of files, diff
  statistics, conflict lists, CI switches, and words like ``fix`` and ``wip``.
- Two words that mean something are enough, or one in a sentence: when unsure, a body counts.
- A body that only points (``Closes #57``, ``See 1f8558f``, a link, ``This reverts commit …``) is
  kept too, as a *pointer*: what it answers is on record, elsewhere. It is counted apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from citator.formats.trailers import KNOWN_KEYS, REASON_KEYS, FoundTrailers
from citator.model.document import Person, Trailer


class Explanation(StrEnum):
    """What a message gives beside what was changed."""

    REASON = "reason"
    POINTER = "pointer"
    NONE = "none"


_ENOUGH = 2
# A sentence of so many words needs only one that means something.
_SENTENCE = 4
_MAX_LINES = 2_000

_ROUTINE = re.compile(
    r"(?i)[-=*_~]{3,}|#{1,6}(?:[ \t].*)?|[-*+] \[[ x]\].*|!\[[^\]]*\]\([^)]*\)|"
    r"\(cherry picked from commit .*|see merge request .*|git-svn-id: .*|"
    r"\W{0,6}(?:this (?:commit|pr|pull request|change) was )?(?:auto(?:matic(?:ally)?)?[- ]?)?"
    r"(?:generated|created|authored) (?:by|with|from|using)\b.*|"
    r"\d+ files? changed.*|.{1,200} \| +(?:\d+ [-+]*|bin .*)|"
    r"(?:\[[\w .:/+&,@'-]{1,60}\][ ,.;]*)+|conflicts:|"
    r"merged? (?:remote-tracking )?(?:branch(?:es)?|tag|commit)s? .*|"
    r"(?:create|delete|rename|copy) mode .*|(?:i have|i've) (?:read|followed|signed|added|run) .*|"
    r"signed[- ]off[- ]by.*|</?(?:details|summary|br|p|blockquote|ul|ol|table|tr|td|th)\b.*>"
)
_ATTRIBUTION = re.compile(
    r"(?i)(?:(?:many |big |special |with )?thanks?(?: you)?(?: go)?"
    r"(?: to(?! (?:the|this|that|a|an|our|its)\b))?(?! to)|(?:initial|original) "
    r"(?:patch|work|report)|(?:also )?(?:reported|suggested|patch|patched|reviewed|review|found|"
    r"spotted|noticed|based on (?:a |the |initial )?(?:patch|work)|contributed|submitted|authored|"
    r"co-?authored|pair(?:ed|ing)?)(?: and (?:patch|test|tests|review))? (?:by|from|with))\b"
    r"(?!.*\b(?:because|since|so that|otherwise|instead|when)\b)[^.;:]{0,160}[.!]*"
)
_BUMP = re.compile(r"(?i)bumps? (?:the )?\S.{0,300}? (?:from|group|to) ")
_BOT = re.compile(
    "dependabot|renovate|greenkeeper|pyup-bot|snyk-bot|scala-steward|pre-commit-ci|imgbot|"
    "allcontributors|depfu|mend-for-github"
)
_BOT_LINE = re.compile(
    r"(?i)[-*]? ?\[?(?:release notes|changelog|commits|upgrade guide|maintainer changes)\]?\(.*|"
    r"updated-dependencies:|sourced from .*|(?:dependabot will|you can trigger) .*|"
    r"(?:[-*] ?)?dependency-\w+:.*|update-type:.*|"
    r"this pr contains the following updates:|\|.*\|"
)
_FILE_LIST = re.compile(
    r"(?:[-*+] +)?(?:(?:[MADRCU?]{1,2}|modified|new file|deleted|renamed|added|changed|updated?|"
    r"creat(?:ed?)?|removed?|delete):?[ \t]+)?[`\"']?"
    r"(?:[\w.@+-]+/)*[\w.@+-]+(?:/|\.[A-Za-z][A-Za-z0-9]{0,9})[`\"']?(?:[,:;]|[ \t]*->.*)?",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"https?://\S+|(?:[\w.-]{1,100}/[\w.-]{1,100})?[#!][0-9]{1,9}\b|\bGH-[0-9]+\b|"
    r"\b[A-Z][A-Z0-9]{1,9}-[0-9]{1,9}(?:-[0-9]+)?\b|\b[0-9a-f]{7,64}\b(?<=[0-9a-f]{7})"
)
_MECHANICAL_KEYS = frozenset({"cherry-picked-from", "git-svn-id"})
_QUOTED_SUBJECT = re.compile(r"\(?[\"“'][^\"”]{1,300}[\"”']\)?")
_WORD = re.compile(r"[^\W\d_]{2,}")
# How a longer line begins that may be routine whatever stands around it.
_ROUTINE_STARTS = (
    *("see merge request ", "git-svn-id: ", "this ", "auto", "generated ", "created ", "authored "),
    *("merge", "create mode ", "delete mode ", "rename mode ", "copy mode ", "i have ", "i've "),
    *("signed", "sourced ", "dependabot ", "you can trigger "),
)
# How a sentence begins that may be routine.
_OPENINGS = (
    *("Also", "Authored", "Auto", "Based", "Big", "Bump", "Co", "Conflict", "Contributed", "Copy"),
    *("Create", "Delete", "Found", "Generated", "I ", "Initial", "Many", "Merge", "Noticed"),
    *("Original", "Pair", "Patch", "Rename", "Report", "Review", "See ", "Signed", "Sourced"),
    *("Special", "Spotted", "Submitted", "Suggest", "Thank", "This commit was", "This PR"),
    *("This change was", "This pull", "This reverts", "With thanks", "You can trigger"),
)
_WIDE = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BULLET = re.compile(r"(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+")
_SAME = re.compile(r"[\W_]+")
_NUMBER_SUFFIX = re.compile(r"\s*\(#[0-9]+\)\s*$")
_EMPTY_WORDS_TEXT = """
about actually adapt add added adding address addressed addresses addressing adds after again all
also an and another any applied apply are as at attempt back be been bit branch bug bugs build bump
by change changed changelog changelogs changes check chore ci clean cleaned cleaner cleaning cleanup
clippy close closed closes closing code comment commented comments commit commits committed
completed completes conflict conflicts copy couple do doc docs doctest doctests documentation done
each edit edits entry etc feedback few file files final fix fixed fixes fixing fixup fixups fmt
follow following followup for forgot format formatted formatting from further get got has have here
import imports improve improved in initial into is issue issues it it's its just last latest lint
linter linting lints little main make makes master me merge merged merges merging minor misc missed
missing mistake more move moved my new nit nits no not now of oh on one oops or other part per
polish pr progress pull push put ready ref refactor refactoring reference references refs related
remove removed removes rename renamed renames request resolve resolved resolves resolving revert
reverted reverting reverts review reviewed reviewer reviewers reviews rubocop run rustfmt same see
set sigh skip small so some spelling squash squashed state still stuff style suggestion suggestions
task temp test tested testing tests that the them these thing things this ticket to todo touch tweak
tweaks typo typos ugh up update updated updates updating use version versions via was we were
whitespace whoops wip with work works
"""
_EMPTY_WORDS = frozenset(_EMPTY_WORDS_TEXT.split())


def explanation(
    lines: Sequence[str], body: int, subject: str, trailers: FoundTrailers, author: Person
) -> Explanation:
    """What the message in ``lines`` gives from line index ``body`` on.

    ``subject`` is the title, ``trailers`` those of the whole message.
    """
    if any(_is_reason(trailer.key, trailer.value) for trailer in trailers.trailers):
        return Explanation.REASON
    if _is_bot(author.name) or _is_bot(author.email):
        return Explanation.NONE
    if _opens_with_reason(lines, body, subject, trailers.lines):
        return Explanation.REASON
    points = any(_points(trailer, lines[0]) for trailer in trailers.trailers)
    words = 0
    for item in _items(lines, body, trailers.lines):
        if _is_routine(item, subject):
            continue
        found, pointed = _words(item, lines[0])
        points = points or pointed
        words += found
        if words >= _ENOUGH:
            return Explanation.REASON
    return Explanation.POINTER if points else Explanation.NONE


def _is_bot(name: str) -> bool:
    may_be = "bot" in name or "renovate" in name or "steward" in name
    return may_be and _BOT.search(name.lower()) is not None


def _is_reason(key: str, value: str) -> bool:
    return key in REASON_KEYS and len(value.split()) >= _ENOUGH


def _opens_with_reason(
    lines: Sequence[str], body: int, subject: str, taken: frozenset[int]
) -> bool:
    """Whether the body begins with a sentence that no other rule has to look at.

    Most bodies that say why do, so most need nothing more.
    """
    line = lines[body]
    if len(line) < 24 or not line[0].isupper() or body in taken or line.startswith(_OPENINGS):
        return False
    following = lines[body + 1] if body + 1 < len(lines) else ""
    if len(line) + len(following) <= 2 * len(subject) + 20 and _SAME.sub("", subject[:24]) in (
        _SAME.sub("", line)
    ):
        return False
    words = [word for word in line.split() if word.isalpha()]
    return len(words) >= 5 and sum(word.lower() not in _EMPTY_WORDS for word in words) >= _ENOUGH


def _points(trailer: Trailer, title: str) -> bool:
    """Whether a line that only looks like a trailer (``See: https://…``) points somewhere."""
    key = trailer.key.lower()
    if key in KNOWN_KEYS or key.endswith("-by") or key in _MECHANICAL_KEYS:
        return False
    return _POINTER.fullmatch(trailer.value) is not None and trailer.value not in title


def _items(lines: Sequence[str], body: int, taken: frozenset[int]) -> Iterator[str]:
    """Paragraphs and list items of the body, joined to one line, without routine lines."""
    parts: list[str] = []
    skip_to: str | None = None
    shortlog = conflicts = False
    for index in range(body, min(len(lines), body + _MAX_LINES)):
        line = lines[index].strip()
        if skip_to is not None:
            skip_to = None if skip_to in line else skip_to
            continue
        if line.startswith("<!--"):
            skip_to = None if "-->" in line else "-->"
            continue
        if line.lower().startswith("<details"):
            skip_to = None if "</details>" in line else "</details>"
            continue
        indented = lines[index][:1] in (" ", "\t")
        shortlog = bool(line) and (
            (shortlog and indented) or (line[0] == "*" and line[-1] == ":" and len(line) < 120)
        )
        conflicts = line.lower() in ("conflicts:", "# conflicts:") or (conflicts and indented)
        bullet = _BULLET.match(line) if line and not line[0].isalpha() else None
        drop = not line or shortlog or conflicts or index in taken or _drops(line)
        if parts and (drop or bullet is not None):
            yield " ".join(parts)
            parts = []
        if not drop:
            parts.append(line[bullet.end() :] if bullet else line)
    if parts:
        yield " ".join(parts)


def _drops(line: str) -> bool:
    """Whether a line is routine whatever stands around it."""
    spaces = line.count(" ")
    if line[0].isalpha() and spaces > 3 and " | " not in line:
        return line.lower().startswith(_ROUTINE_STARTS) and _is_routine_line(line)
    return _is_routine_line(line) or (spaces < 6 and _FILE_LIST.fullmatch(line) is not None)


def _is_routine_line(line: str) -> bool:
    return _ROUTINE.fullmatch(line) is not None or _BOT_LINE.fullmatch(line) is not None


def _is_routine(item: str, subject: str) -> bool:
    """Whether a whole item is attribution, a bot's sentence or the subject once more."""
    if len(item) < 300 and (_ATTRIBUTION.fullmatch(item) or _BUMP.match(item)):
        return True
    return len(item) <= 2 * len(subject) + 20 and _repeats(item, subject)


def _repeats(item: str, subject: str) -> bool:
    said = _SAME.sub("", _NUMBER_SUFFIX.sub("", item)).casefold()
    title = _SAME.sub("", _NUMBER_SUFFIX.sub("", subject)).casefold()
    if not said or said in title:
        return True
    cut_off = subject.endswith(("...", "…")) and item.startswith(("...", "…"))
    return cut_off or (len(title) > 10 and said.startswith(title) and len(said) < len(title) + 8)


def _words(item: str, title: str) -> tuple[int, bool]:
    """How many words of an item mean something, and whether it points beyond its own title."""
    rest, pointed = item, False
    if _may_point(item):
        pointers = _POINTER.findall(item)
        if pointers:
            pointed = bool(set(pointers).difference(_POINTER.findall(title)))
            rest = _POINTER.sub(" ", item)
            rest = _QUOTED_SUBJECT.sub(" ", rest) if len(rest) < 400 else rest
    count = 0
    words = _WORD.findall(rest)
    for word in words:
        if word.isascii():
            count += word.lower() not in _EMPTY_WORDS
        else:
            count += len(word) // 2 if _WIDE.search(word) else 1
        if count >= _ENOUGH:
            return count, pointed
    return (_ENOUGH if count and len(words) >= _SENTENCE else count), pointed


def _may_point(item: str) -> bool:
    return any(map(str.isdigit, item)) or "://" in item
