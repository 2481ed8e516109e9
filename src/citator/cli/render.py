"""Evidence, horizons and quoted words as lines for people.

- A line that quotes the repository starts with ``>`` (after its indent), is inert, and is cut to
  the width of the terminal, so that it can neither imitate a line of ours nor wrap into one. What
  a person signed is not cut: it takes as many such lines as it needs.
- Everything else is plain tokens and our own sentences.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli.paste import read_line
from citator.cli.surroundings import Screen
from citator.cli.words import limit_sentence
from citator.model.document import AdrStatus, Stated
from citator.model.evidence import ClaimState, Evidence, ReadItem, ReviewEvidence
from citator.model.fence import fenced
from citator.model.horizon import Horizon
from citator.model.inert import inert_line
from citator.model.ruling import DecisionEvidence, Governing
from citator.model.treatment import Standing, StandingReason

if TYPE_CHECKING:
    from citator.service.predicted import PredictedFile

INDENT = "    "
SHORT_COMMIT = 12
QUOTED = "Lines after > quote the repository: they are its words, not ours."


def bold(text: str, screen: Screen) -> str:
    """``text`` in bold where somebody sees it."""
    return f"\x1b[1m{text}\x1b[0m" if screen.colour else text


def dim(text: str, screen: Screen) -> str:
    """``text`` dimmed where somebody sees it."""
    return f"\x1b[2m{text}\x1b[0m" if screen.colour else text


def quoted(text: str, screen: Screen) -> str:
    """One line of the repository's words, marked, inert and no wider than the screen."""
    return cut(f"{INDENT}> {inert_line(text)}", screen)


def quoted_whole(text: str, screen: Screen) -> list[str]:
    """The same where nothing may be lost: as many marked lines as it takes, none too wide."""
    room = screen.width - 1 - columns(f"{INDENT}> ")
    return [f"{INDENT}> {part}" for part in broken(inert_line(text), room)]


def broken(line: str, room: int) -> list[str]:
    """``line`` in parts of at most ``room`` columns: between words, or within one too long."""
    parts: list[str] = []
    for word in line.split(" "):
        if parts and columns(parts[-1]) + 1 + columns(word) <= room:
            parts[-1] += f" {word}"
        else:
            parts += _pieces(word, room)
    return parts


def _pieces(word: str, room: int) -> list[str]:
    pieces = [""]
    for character in word:
        if columns(pieces[-1]) + columns(character) > room and pieces[-1]:
            pieces.append("")
        pieces[-1] += character
    return pieces


def cut(line: str, screen: Screen) -> str:
    """``line`` cut to the screen's width in columns, with an ellipsis where it was cut."""
    if columns(line) < screen.width:
        return line
    mark = "…" if screen.unicode else "..."
    room = screen.width - 1 - len(mark)
    kept: list[str] = []
    for character in line:
        room -= columns(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + mark


def columns(text: str) -> int:
    """How many terminal columns ``text`` takes: two for wide characters, none for marks."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def evidence_lines(
    evidence: Evidence, number: int, root: Path, screen: Screen, words: Sequence[str] = ()
) -> list[str]:
    """One item: where it is, what it is, what it matched, how to read it."""
    facts = [_place(evidence), *_facts(evidence)]
    lines = [f"{bold(f'{number:2}', screen)}  {', '.join(facts)}"]
    lines += [quoted(word, screen) for word in words if word]
    if evidence.matched:
        lines.append(f"{INDENT}matched: {', '.join(evidence.matched)}")
    lines.append(INDENT + dim(read_line(evidence.ref, root), screen))
    return lines


def _place(evidence: Evidence) -> str:
    if evidence.locator == evidence.object_id:
        return f"{evidence.kind.value} {evidence.object_id[:SHORT_COMMIT]}"
    return evidence.locator


def _facts(evidence: Evidence) -> list[str]:
    facts: list[str] = []
    if evidence.date is not None:
        facts.append(evidence.date)
    if evidence.adr_status is not None:
        facts.append(adr_phrase(evidence.adr_status))
    if evidence.review is not None:
        facts.append(review_phrase(evidence.review))
    if evidence.stated is not None:
        facts += stated_phrases(evidence.stated)
    doubted = evidence.standing in (Standing.CAUTION, Standing.NOT_IN_FORCE)
    if doubted or evidence.standing_reason is StandingReason.REINSTATED:
        facts.append(standing_phrase(evidence))
    if evidence.claim_state is ClaimState.STALE:
        facts.append(ClaimState.STALE.value)
    if evidence.redactions:
        facts.append(f"{evidence.redactions} redacted")
    return facts


def standing_phrase(one: Evidence | DecisionEvidence) -> str:
    """How it stands, why, and by what."""
    by = "" if one.standing_by is None else f" by {short(one.standing_by)}"
    return f"{one.standing.value} ({one.standing_reason.value}{by})".replace("_", " ")


def short(name: str) -> str:
    """A name in a treatment: of a commit its first digits, of anything else all of it."""
    return name[:SHORT_COMMIT] if len(name) in (40, 64) else name


def review_phrase(review: ReviewEvidence) -> str:
    """How a thread stands, and what it is about."""
    about = f"issue {review.issue}" if review.change is None else f"change {review.change}"
    place = "" if review.path is None else f" at {review.path}"
    if place and review.line is not None:
        place += f":{review.line}"
    return f"{review.state.value} in {about}{place}"


def stated_phrases(stated: Stated) -> list[str]:
    """What the trailers of a commit state: findings first, then what it answers or takes back."""
    found = [
        f"finding: {one.reviewer.value} {one.severity.value}"
        + (f" ({one.count})" if one.count > 1 else "")
        for one in stated.findings
    ]
    found += [f"fixes {one[:SHORT_COMMIT]}" for one in stated.fixes]
    found += [f"fixes issue {one}" for one in stated.issues]
    return found + [f"reverts {one[:SHORT_COMMIT]}" for one in stated.reverts]


def adr_phrase(status: AdrStatus) -> str:
    """The status that a document states of itself."""
    return f"says of itself: {status.value}"


def read_lines(item: ReadItem, secret: bytes) -> list[str]:
    """One text that was asked for, between the lines of its fence."""
    head = item.locator or item.ref
    if item.lines is not None and ":" not in head:
        head = f"{head} lines {item.lines[0]}-{item.lines[1]}"
    notes = [note for note in (_redacted(item), "cut" if item.truncated else "") if note]
    title = f"{head} ({', '.join(notes)})" if notes else head
    return [title, *fenced(item.text, secret, procedure=item.procedure).split("\n"), ""]


def _redacted(item: ReadItem) -> str:
    return f"{item.redactions} redacted" if item.redactions else ""


def horizon_lines(horizon: Horizon) -> list[str]:
    """What the answer could and could not see."""
    stood = horizon.head[:SHORT_COMMIT] if horizon.head else "no commit"
    if horizon.complete:
        return [f"Seen: all of the history at {stood}."]
    return [
        f"Seen: the history at {stood}, except:",
        *(f"  - {limit_sentence(fact)}" for fact in horizon.facts),
    ]


def file_lines(files: Sequence[PredictedFile]) -> list[str]:
    """The files that a question is likely about, each with its strongest reason."""
    from citator.service.reason_wording import sentence

    told = [f"{one.path} {round(100 * one.confidence)}%: {sentence(one.why)}" for one in files]
    return ["Files likely concerned:", *(f"{INDENT}{line}" for line in told), ""] if told else []


def record_lines(record: Governing, root: Path, screen: Screen) -> list[str]:
    """What the record says: what was told no, then decisions, each with its signed words if any."""
    lines: list[str] = []
    for rejection in record.rejections:
        known = rejection.rejection[:SHORT_COMMIT]
        lines.append(f"Told no on {rejection.date} (rejection {known}).")
        if rejection.reason is not None:
            lines += quoted_whole(rejection.reason, screen)
        lines.append("")
    for one in record.decisions:
        facts = [one.kind.value, one.status.value, f"signature: {one.signature}"]
        facts += [f"landed: {one.landed.replace('_', ' ')}", f"since {one.valid_from[:10]}"]
        if one.standing in (Standing.CAUTION, Standing.NOT_IN_FORCE):
            facts.append(standing_phrase(one))
        if one.claim_state is ClaimState.STALE:
            facts.append(ClaimState.STALE.value)
        lines.append(f"{bold('Decision', screen)} {one.item}: {', '.join(facts)}")
        if one.brought_by is not None:
            lines.append(f"{INDENT}its scope holds {one.brought_by}, which is likely concerned")
        if one.ruling is not None:
            lines += quoted_whole(one.ruling, screen)
        lines += [dim(f"{INDENT}{read_line(one.ref, root)}", screen), ""]
    return lines
