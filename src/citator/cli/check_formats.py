"""The findings of a check as sentences, and in the forms that reviews of code read: annotations of
GitHub Actions and SARIF 2.1.0. Our words and plain tokens; a ruling is signed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from citator import __version__
from citator.model.inert import inert_line
from citator.service.check_findings import Checked, Finding, FindingKind, RemovalNotice

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHORT = 12
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_THINGS: Mapping[str, str] = {
    "lines": "lines that were removed",
    "file": "a file that was removed",
    "symbol": "a definition that was removed",
    "dependency": "a dependency that was removed",
    "key": "a setting that was removed",
    "flag": "an option that was removed",
}
_CAUSES: Mapping[str, str] = {
    "revert": "reverted by",
    "stated": "removed by",
    "explained": "dropped by",
}
RULES: Mapping[FindingKind, str] = {
    FindingKind.REFUSED: "An approved decision refuses this",
    FindingKind.REJECTED: "A person rejected this",
    FindingKind.RESURRECTION: "This brings back what was removed",
    FindingKind.GOVERNED: "An approved decision governs this file",
    FindingKind.CLAIMED: "Somebody else claims this file",
    FindingKind.CALLERS: "Files that name a function whose signature changes",
    FindingKind.PARTNER: "A file that usually changes along",
}


def headline(one: Finding) -> str:
    """What was found, in one sentence of ours."""
    if one.kind is FindingKind.REFUSED:
        return f"refused by decision {one.subject}: {one.predicate or 'predicate'}"
    if one.rejection is not None:
        known = one.rejection.rejection[:_SHORT]
        return f"told no on {one.rejection.date} (rejection {known})"
    if one.decision is not None:
        return f"governed by decision {one.decision.item} ({one.decision.status.value})"
    if one.removal is not None:
        return removed(one.removal)
    if one.claim is not None:
        from citator.cli.claims import notice_phrase

        return notice_phrase(one.claim)
    if one.partner is not None:
        from citator.service.cochange import sentence

        return sentence(one.partner)
    named = one.name or "a function"
    return f"the signature of {named} changes; also named in {', '.join(one.callers)}"


def removed(one: RemovalNotice) -> str:
    """What left, and how."""
    thing = _THINGS[one.what]
    name = f" ({one.name})" if one.name is not None else ""
    share = f", {round(100 * one.share)}% of them" if one.what == "lines" else ""
    more = f", and {one.also} more of it" if one.also else ""
    why = "; its reason is on record" if one.reason is not None else ""
    by = f"{_CAUSES[one.cause]} commit {one.commit[:_SHORT]}"
    return f"brings back {thing}{name}{share}{more}: {by} on {one.date or 'an unknown day'}{why}"


def words_of(one: Finding) -> str | None:
    """The words that travel with it: a signed ruling, the reason of a rejection, or that of a
    commit which the operator trusts."""
    if one.decision is not None:
        return one.decision.ruling
    if one.rejection is not None:
        return one.rejection.reason
    return one.removal.says if one.removal is not None else None


def github_lines(found: Checked) -> Iterator[str]:
    """One workflow command a finding."""
    for one in found.findings:
        level = "error" if one.blocks else "notice" if _is_quiet(one) else "warning"
        place = "" if one.path is None else f"file={_property(one.path)}"
        place += f",line={one.line}" if one.path is not None and one.line else ""
        title = f"{',' if place else ''}title={_property(f'citator {one.kind.value}')}"
        yield f"::{level} {place}{title}::{_message(f'{_said(one)} [{one.id}]')}"


def _is_quiet(one: Finding) -> bool:
    quiet = (FindingKind.GOVERNED, FindingKind.CLAIMED, FindingKind.PARTNER, FindingKind.CALLERS)
    return one.kind in quiet


def _said(one: Finding) -> str:
    words = words_of(one)
    said = headline(one)
    return said if words is None else f"{said}: “{inert_line(words)}”"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def sarif(found: Checked) -> dict[str, Any]:
    """The answer as one SARIF log."""
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "citator",
                        "version": __version__,
                        "rules": [
                            {"id": kind.value, "shortDescription": {"text": text}}
                            for kind, text in RULES.items()
                        ],
                    }
                },
                "results": [_result(one) for one in found.findings],
                "properties": {"base": found.base, "complete": found.horizon.complete},
            }
        ],
    }


def _result(one: Finding) -> dict[str, Any]:
    level = "error" if one.blocks else "note" if _is_quiet(one) else "warning"
    result: dict[str, Any] = {
        "ruleId": one.kind.value,
        "level": level,
        "message": {"text": _said(one)},
        "partialFingerprints": {"citatorFinding/v1": one.id},
    }
    if one.path is not None:
        place: dict[str, Any] = {"artifactLocation": {"uri": one.path}}
        if one.line:
            place["region"] = {"startLine": one.line}
        result["locations"] = [{"physicalLocation": place}]
    return result
