"""Answers as plain objects for the wire: references and facts, and texts only where asked for.

- An evidence row carries the fields listed here and no others: none of them holds words of the
  repository (rule 1). ``unless_stated`` says once what every row would repeat.
- The horizon is always there; a detail that is not plain does not travel.
- Texts are fenced. What does not fit is cut from the bottom and said, never silently.
- Bytes are counted as they are sent: a result holds its object twice, once as structured content
  and once as text, because clients read one or the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from citator.mcp.claimed import claim_rows
from citator.mcp.definitions import compact
from citator.mcp.rows import fitted
from citator.model.document import ReviewFinding, Stated
from citator.model.domain import Applied, Authority, Intent
from citator.model.evidence import (
    Answer,
    ClaimState,
    Evidence,
    ReadItem,
    ReviewEvidence,
)
from citator.model.fence import fenced
from citator.model.horizon import Horizon, HorizonFact
from citator.model.inert import inert_line
from citator.model.plain import is_plain
from citator.model.record import Sensitivity
from citator.model.ruling import DecisionEvidence, Governing, RejectionNotice
from citator.model.treatment import Standing

if TYPE_CHECKING:
    from citator.service.conflicts import Notice
    from citator.service.predicted import PredictedFile
    from citator.service.propose_decision import Reply
    from citator.service.skill_dispatch import Dispatched, NamedSkill

ROWS_BYTES: Final = 8_000  # 2,000 tokens: what a model reads of an answer without texts
FILES_BYTES: Final = 1_200  # 300 tokens: files that are likely concerned
SKILLS_BYTES: Final = 400  # 100 tokens: procedures for the task
SKILL_DIGITS: Final = len("skill:") + 12
RECORD_BYTES: Final = 2_800  # 700 tokens: decisions and rejections
RESULT_BYTES: Final = 32_000  # 8,000 tokens: a whole result, both of its copies
TEXT_CHARACTERS: Final = 8_000
SHORTEST_TEXT: Final = 120
MOST_LINES: Final = 400
WORDS_SHOWN: Final = 8
SOURCES_SHOWN: Final = 8
GAPS_SHOWN: Final = 4
FINDINGS_SHOWN: Final = 4
WORD_CHARACTERS: Final = 40
REJECTION_DIGITS: Final = 16
COMMIT_DIGITS: Final = 12
DATE_CHARACTERS: Final = 10
NOTHING: Final = Governing()

_DEFAULTS: Final = {
    "standing": Standing.IN_FORCE.value,
    "claim_state": ClaimState.UNKNOWN.value,
}
NEXT: Final = {
    "draft": "Its author is not done with it.",
    "proposed": "A person reviews it and signs it, or not. Go on without relying on it.",
    "told_no": "Do something else. Only where something changed: say what, in `because`.",
    "unknown": "No proposal here has that id.",
}
READ_TODO: Final = {
    "malformed_ref": "Give a ref as it was returned, or at least six of its hexadecimal digits.",
    "unknown_ref": "Ask investigate_work again: this commit cannot see such a ref.",
    "ambiguous_ref": "Give more digits of the ref.",
    "damaged": "Run `citator index build --fresh`: the index is derived and can be rebuilt.",
    "no_room": "Read this ref in a call of its own.",
}


def answer_object(
    answer: Answer,
    texts: Sequence[ReadItem],
    secret: bytes,
    record: Governing = NOTHING,
    files: Sequence[PredictedFile] = (),
    policy: Applied | None = None,
    skills: Dispatched | None = None,
    claims: Sequence[Notice] = (),
) -> dict[str, Any]:
    """One answer with the texts that were asked for, at most RESULT_BYTES on the wire."""
    found: dict[str, Any] = {"status": answer.status.value}
    if answer.abstained is not None:
        found["abstained"] = answer.abstained.value
    found.update(record_object(record))
    found["evidence"] = [evidence_row(item) for item in answer.evidence]
    if answer.evidence:
        found["unless_stated"] = dict(_DEFAULTS)
    if files:
        found["files"] = file_rows(files)
    found.update(claim_rows(claims))
    if policy is not None:
        found["policy"] = policy_row(policy, abstained=answer.abstained is not None)
    if skills is not None:
        found.update(skills_object(skills))
    if answer.left_out:
        found["left_out"] = answer.left_out
    if answer.cursor is not None:
        found["cursor"] = answer.cursor
    if answer.unknown_words:
        found["unknown_words"] = _words(answer.unknown_words)
    found["horizon"] = horizon_row(answer.horizon)
    if texts:
        found["texts"] = []
        fill(found, "texts", texts, secret)
    return found


def policy_row(policy: Applied, *, abstained: bool) -> dict[str, Any]:
    """What a task is about and what no policy here covers. The sources that apply where there is
    no evidence from them, and otherwise those that are not of this repository."""
    found: dict[str, Any] = {"domain": policy.task.domain.value, "rule": policy.task.rule}
    if policy.task.intent is not Intent.UNCLEAR:
        found["intent"] = policy.task.intent.value
    sources = policy.sources if abstained else policy.elsewhere
    if sources:
        found["sources"] = list(sources[:SOURCES_SHOWN])
    if policy.gaps:
        found["gaps"] = [f"{one.kind}:{one.of}" for one in policy.gaps[:GAPS_SHOWN]]
    return found


def fitting(
    answer: Answer,
    record: Governing = NOTHING,
    files: Sequence[PredictedFile] = (),
    policy: Applied | None = None,
    skills: Dispatched | None = None,
    claims: Sequence[Notice] = (),
) -> int:
    """How many of the best rows fit the budget of an answer: at least one, if there is one."""
    bare = replace(answer, evidence=())
    empty = answer_object(bare, (), b"", record, files, policy, skills, claims)
    return fitted(map(evidence_row, answer.evidence), ROWS_BYTES - len(compact(empty).encode()))


def file_rows(files: Iterable[PredictedFile]) -> list[dict[str, Any]]:
    """The files that are likely concerned: plain tokens alone, at most FILES_BYTES."""
    rows = [_file_row(one) for one in files]
    return rows[: fitted(rows, FILES_BYTES, least=0)]


def _file_row(one: PredictedFile) -> dict[str, Any]:
    row: dict[str, Any] = {"path": one.path, "confidence": one.confidence}
    row["why"] = one.why.cause.value
    if one.why.tokens:
        row["tokens"] = list(one.why.tokens)
    return row


def skills_object(dispatched: Dispatched) -> dict[str, Any]:
    """The skills for a task, at most SKILLS_BYTES of them; what is cut is counted."""
    rows = [_skill_row(one) for one in dispatched.skills]
    rows = rows[: fitted(rows, SKILLS_BYTES, least=0)]
    left_out = dispatched.left_out + len(dispatched.skills) - len(rows)
    found: dict[str, Any] = {"skills": rows} if rows else {}
    if left_out:
        found["skills_left_out"] = left_out
    if dispatched.refused:
        found["skills_refused"] = dispatched.refused
    return found


def _skill_row(one: NamedSkill) -> dict[str, Any]:
    row: dict[str, Any] = {"skill": one.name, "ref": one.ref.replace("v1:", "")[:SKILL_DIGITS]}
    row["by"] = one.by
    if one.permissions:
        row["permissions"] = list(one.permissions)
    return row


def record_object(record: Governing) -> dict[str, Any]:
    """What the record says, rejections first, at most RECORD_BYTES; what is cut is counted."""
    found: dict[str, Any] = {}
    rows = [("rejections", rejection_row(one)) for one in record.rejections]
    rows += [("decisions", decision_row(one)) for one in record.decisions]
    kept = fitted((row for _, row in rows), RECORD_BYTES)
    for key, row in rows[:kept]:
        found.setdefault(key, []).append(row)
    left_out = record.left_out + len(rows) - kept
    if left_out:
        found["decisions_left_out"] = left_out
    return found


def rejection_row(one: RejectionNotice) -> dict[str, Any]:
    """A rejection: *told no on DATE*, and the signed reason."""
    row: dict[str, Any] = {"rejection": one.rejection[:REJECTION_DIGITS], "told_no_on": one.date}
    if one.kind is not None:
        row["kind"] = one.kind.value
    if one.reason is not None:
        row["reason"] = one.reason
    return row


def decision_row(one: DecisionEvidence) -> dict[str, Any]:
    """A decision; its ruling where a pinned key signed it."""
    row: dict[str, Any] = {
        "ref": one.ref,
        "item": one.item,
        "kind": one.kind.value,
        "status": one.status.value,
        "signature": one.signature,
        "landed": one.landed,
        "valid_from": one.valid_from[:DATE_CHARACTERS],
    }
    if one.valid_to is not None:
        row["valid_to"] = one.valid_to[:DATE_CHARACTERS]
    if one.sensitivity is not Sensitivity.INTERNAL:
        row["sensitivity"] = one.sensitivity.value
    if one.standing in (Standing.CAUTION, Standing.NOT_IN_FORCE):
        row.update(_standing(one))
    if one.claim_state is not ClaimState.UNKNOWN:
        row["claim_state"] = one.claim_state.value
    if one.ruling is not None:
        row["ruling"] = one.ruling
    if one.governs:
        row["governs"] = True
    if one.brought_by is not None:
        row["brought_by"] = one.brought_by
    row["characters"] = one.characters
    if one.matched:
        row["matched"] = _words(one.matched)
    return row


def reply_object(reply: Reply) -> dict[str, Any]:
    """How a proposal stands, and what a person does next."""
    found: dict[str, Any] = {"status": reply.status}
    if reply.id is not None:
        found["id"] = reply.id
    if reply.items:
        found["items"] = list(reply.items)
    if reply.digest is not None:
        found["digest"] = reply.digest
    if reply.flags:
        found["flags"] = list(reply.flags)
    if reply.rejection is not None:
        found["rejections"] = [rejection_row(reply.rejection)]
    if reply.status in NEXT:
        found["next"] = NEXT[reply.status]
    return found


def reading_object(
    items: Sequence[ReadItem], secret: bytes, start: int | None, max_lines: int
) -> dict[str, Any]:
    """What was read from line ``start`` on (None: the first cited), at most RESULT_BYTES."""
    found: dict[str, Any] = {"items": []}
    fill(found, "items", items, secret, start, max_lines)
    return found


def _window(item: ReadItem, start: int | None, max_lines: int) -> ReadItem:
    """At most ``max_lines`` lines of ``item`` from line ``start`` on.

    A start outside the cited lines reads from the nearest line that is inside.
    """
    if item.lines is None:
        return item
    first, last = item.lines
    begin = first if start is None else min(max(start, first), last)
    lines = item.text.split("\n")[begin - first :]
    kept = lines[:max_lines]
    return replace(
        item,
        text="\n".join(kept),
        lines=(begin, begin + len(kept) - 1),
        truncated=item.truncated or len(kept) < len(lines),
    )


def evidence_row(item: Evidence) -> dict[str, Any]:
    """What is told of one item; what is absent is left out."""
    row: dict[str, Any] = {"ref": item.ref, "kind": item.kind.value, "locator": item.locator}
    if item.date is not None:
        row["date"] = item.date
    if item.author is not None:
        row["author"] = item.author
    row["lines"] = list(item.lines)
    row["characters"] = item.characters
    row["matched"] = _words(item.matched)
    if item.adr_status is not None:
        row["adr_status"] = item.adr_status.value
    if item.redactions:
        row["redactions"] = item.redactions
    if item.review is not None:
        row["review"] = _review(item.review)
    if item.stated is not None:
        row["stated"] = _stated(item.stated)
    row.update(_standing(item))
    if item.claim_state is not ClaimState.UNKNOWN:
        row["claim_state"] = item.claim_state.value
    if item.authority != Authority.NOT_ASSESSED:
        row["authority"] = item.authority
    return row


def _standing(one: Evidence | DecisionEvidence) -> dict[str, str]:
    """How it stands, where that is not what is said once for all: why, and what to cite for it."""
    if one.standing is Standing.IN_FORCE and one.standing_by is None:
        return {}
    row = {"standing": one.standing.value}
    if one.standing is not Standing.UNASSESSED:
        row["standing_reason"] = one.standing_reason.value
    if one.standing_by is not None:
        row["standing_by"] = one.standing_by
    return row


def _review(review: ReviewEvidence) -> dict[str, Any]:
    """A thread by what it is about and how it stands; what is absent is left out."""
    told: dict[str, Any] = {
        "state": review.state.value,
        "change": review.change,
        "issue": review.issue,
        "path": review.path,
        "line": review.line,
    }
    told = {key: value for key, value in told.items() if value is not None}
    if review.commits:
        told["commits"] = list(review.commits)
    return told


def _stated(stated: Stated) -> dict[str, Any]:
    """What the trailers of a commit state; what is absent is left out."""
    told: dict[str, Any] = {
        "findings": [_finding(one) for one in stated.findings[:FINDINGS_SHOWN]],
        "reviewed_by": list(stated.reviewed_by),
        "fixes": list(stated.fixes),
        "issues": list(stated.issues),
        "reverts": list(stated.reverts),
    }
    return {key: value for key, value in told.items() if value}


def _finding(one: ReviewFinding) -> dict[str, Any]:
    told: dict[str, Any] = {"reviewer": one.reviewer.value, "severity": one.severity.value}
    return told if one.count == 1 else {**told, "count": one.count}


def _words(words: Iterable[str]) -> list[str]:
    """Words of the asker, bounded and inert; the last says how many more there are."""
    shown = list(words)
    listed = [inert_line(word)[:WORD_CHARACTERS] for word in shown[:WORDS_SHOWN]]
    if len(shown) > WORDS_SHOWN:
        listed.append(f"+{len(shown) - WORDS_SHOWN}")
    return listed


def horizon_row(horizon: Horizon) -> dict[str, Any]:
    """What the answer could and could not see."""
    found: dict[str, Any] = {"complete": horizon.complete, "head": horizon.head}
    if horizon.indexed != horizon.head:
        found["indexed"] = horizon.indexed
    if horizon.facts:
        found["facts"] = [_limit(fact) for fact in horizon.facts]
    return found


def _limit(fact: HorizonFact) -> dict[str, Any]:
    found: dict[str, Any] = {"limit": fact.limit.value}
    if fact.count is not None:
        found["count"] = fact.count
    if fact.detail is not None and is_plain(fact.detail):
        found["detail"] = fact.detail
    return found


def fill(
    found: dict[str, Any],
    key: str,
    items: Sequence[ReadItem],
    secret: bytes,
    start: int | None = None,
    max_lines: int = MOST_LINES,
) -> None:
    """Add ``items`` to the list at ``key``, first come first served, within RESULT_BYTES."""
    for at, item in enumerate(items):
        later = [_told(other, "no_room") for other in items[at + 1 :]]
        for candidate in _shrinking(_window(item, start, max_lines)):
            served = _served(candidate, secret, item.lines)
            if size({**found, key: [*found[key], served, *later]}) <= RESULT_BYTES:
                break
        else:
            served = _told(item, "no_room")
        found[key].append(served)


def size(found: dict[str, Any]) -> int:
    """The bytes that ``found`` costs in a result: as structured content and as a JSON string."""
    once = compact(found)
    return len(once.encode()) + len(compact(once).encode())


def _shrinking(item: ReadItem) -> Iterable[ReadItem]:
    """``item`` whole, then with ever less of its text, cut at a line where there is one."""
    if item.problem is not None:
        yield item
        return
    characters = min(len(item.text), TEXT_CHARACTERS)
    while characters >= min(SHORTEST_TEXT, len(item.text)):
        yield _cut(item, characters)
        if characters == 0:
            return
        characters = characters * 3 // 4


def _cut(item: ReadItem, characters: int) -> ReadItem:
    if characters >= len(item.text) or item.lines is None:
        return item
    text = item.text[: characters + 1]
    at = text.rfind("\n")
    text = text[:at] if at > 0 else text[:characters]
    first = item.lines[0]
    return replace(item, text=text, lines=(first, first + text.count("\n")), truncated=True)


def _served(item: ReadItem, secret: bytes, cited: tuple[int, int] | None) -> dict[str, Any]:
    if item.problem is not None:
        return _told(item, item.problem)
    found: dict[str, Any] = {"ref": item.ref}
    if item.locator is not None:
        found["locator"] = item.locator
    if item.lines is not None:
        found["lines"] = list(item.lines)
    if item.truncated:
        found["truncated"] = True
        if item.lines is not None and cited is not None and item.lines[1] < cited[1]:
            found["next_start"] = item.lines[1] + 1
    if item.redactions:
        found["redactions"] = item.redactions
    found["text"] = fenced(item.text, secret, procedure=item.procedure)
    return found


def _told(item: ReadItem, problem: str) -> dict[str, Any]:
    found = {"ref": inert_line(item.ref), "problem": problem}
    if problem in READ_TODO:
        found["todo"] = READ_TODO[problem]
    return found
