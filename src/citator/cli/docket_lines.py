"""A docket as lines for people: plain tokens and our own sentences; quoted words after ``>``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from citator.cli import render
from citator.cli.paste import read_line
from citator.cli.surroundings import Screen
from citator.cli.words import ABSTENTIONS, counted
from citator.model.docket import (
    Docket,
    DocketCommit,
    DocketLines,
    DocketPlace,
    Ownership,
    Passed,
    Relation,
    Removal,
    Role,
)
from citator.model.document import Person
from citator.model.evidence import ClaimState
from citator.model.inert import inert_line
from citator.model.treatment import Edge, Standing

Subjects = dict[str, Sequence[str]]

MOST_PLACES = 20
MOST_OWNERS = 3
_MOST_NAME = 60

RELATIONS: dict[Relation, str] = {
    Relation.INTRODUCED: "since {commit}",
    Relation.AT_OR_BEFORE: "at or before {commit}, the edge of what this clone has",
    Relation.UNFINISHED: "at or before {commit}: time was over",
    Relation.UNCOMMITTED: "not committed yet",
    Relation.NOT_IN_VIEW: "of no commit that is in view",
}
ROLES: dict[Role, str] = {
    Role.NAMED: "",
    Role.DEFINED: "defined it first",
    Role.BEHAVIOUR: "gave it its behaviour",
    Role.AT_OR_BEFORE: "it is of this or an older one",
    Role.REMOVED: "took something away",
    Role.ADDED_TEXT: "brought it",
    Role.CHANGED_TEXT: "changed it",
    Role.TOUCHED: "touched it",
}
PASSED: dict[str, str] = {
    "whitespace": "changed its spacing",
    "format": "formatted it",
    "beside": "changed what stands beside it",
    "comment": "changed a comment beside it",
    "imports": "ordered imports",
    "moved": "moved it",
    "moved_between_files": "moved it here from another file",
    "renamed": "named the file anew",
    "ignored_revision": "is listed to be ignored",
    "uncommitted_form": "its present form is not committed",
}


def lines_of(
    docket: Docket,
    subjects: Subjects,
    root: Path,
    screen: Screen,
    people: Mapping[int, Person] | None = None,
) -> list[str]:
    """The whole docket. ``people`` are authors by number, for a person alone to read."""
    lines = [render.QUOTED, ""] if subjects else []
    lines += [_place(one) for one in docket.places]
    lines += [line for one in docket.lines[:MOST_PLACES] for line in _lines(one)]
    if len(docket.lines) > MOST_PLACES:
        more = counted(len(docket.lines) - MOST_PLACES, "more place")
        lines.append(f"  {more}: name fewer lines, or ask with --json.")
    lines += [_removal(one) for one in docket.removals]
    lines += [""] if docket.places or docket.lines or docket.removals else []
    for one in docket.commits:
        lines += [*_commit(one, subjects, root, screen), ""]
    if docket.commits_left_out:
        lines += [f"{counted(docket.commits_left_out, 'more commit')} left out.", ""]
    lines += render.record_lines(docket.record, root, screen)
    for title, items in (("Reviews", docket.reviews), ("Documents", docket.evidence)):
        if items:
            lines.append(f"{title}:")
        for number, item in enumerate(items, 1):
            words = list(subjects.get(item.ref, ()))
            lines += render.evidence_lines(item, number, root, screen, words)
    lines += _listed("Tests", docket.tests)
    lines += _listed(
        "Changes with", (f"{p.path} ({p.together} of {p.of})" for p in docket.partners)
    )
    if docket.ownership is not None:
        lines += _listed("Whose work", [_owned(docket.ownership, people or {})])
    lines += _listed("Called by", (_caller(one) for one in docket.callers))
    if docket.callers_left_out:
        lines.append(f"{counted(docket.callers_left_out, 'more caller')} left out.")
    if docket.abstained is not None:
        lines.append(f"No evidence: {ABSTENTIONS[docket.abstained]}.")
    elif docket.empty:
        lines.append("Nothing in this history bears on it.")
    if docket.unfinished:
        lines.append("Cut off by time: the same with --more goes on from there.")
    return lines + render.horizon_lines(docket.horizon)


def _place(one: DocketPlace) -> str:
    name = f" {one.name}" if one.name else ""
    span = f"{one.first}" if one.first == one.last else f"{one.first}-{one.last}"
    return f"At {one.path}:{span}{name}"


def _lines(one: DocketLines) -> list[str]:
    span = f"{one.first}" if one.first == one.last else f"{one.first}-{one.last}"
    told = RELATIONS[one.relation].format(commit=(one.commit or "")[: render.SHORT_COMMIT])
    there = ""
    if one.commit and (one.there_path, one.there_line) != (one.path, one.first):
        there = f", there {one.there_path}:{one.there_line}"
    lines = [f"  {one.path}:{span}  {told}{there}"]
    return lines + [f"{render.INDENT}passed: {_passed(passed)}" for passed in one.passed]


def _passed(one: Passed) -> str:
    told = PASSED[one.what]
    return told if one.commit is None else f"{one.commit[: render.SHORT_COMMIT]} {told}"


def _removal(one: Removal) -> str:
    commit = one.commit[: render.SHORT_COMMIT]
    if one.whole:
        now = f"; it is {one.now} since" if one.now else ""
        return f"  {one.path}  gone since {commit}, with {counted(one.lines, 'line')}{now}"
    instead = f", {one.instead} instead" if one.instead else ""
    return f"  {one.path}:{one.first}  {counted(one.lines, 'line')} gone since {commit}{instead}"


def _commit(one: DocketCommit, subjects: Subjects, root: Path, screen: Screen) -> list[str]:
    facts = [one.commit[: render.SHORT_COMMIT]]
    facts += [one.date] if one.date else []
    facts += [f"change {number}" for number in one.changes]
    facts += [ROLES[one.role]] if ROLES[one.role] else []
    facts += [f"{counted(one.lines, 'line')}"] if one.lines else []
    if one.verdict.standing is not Standing.UNASSESSED:
        facts.append(f"{one.verdict.standing.value} ({one.verdict.reason.value})")
    facts += [one.claim_state.value] if one.claim_state is ClaimState.STALE else []
    facts += render.stated_phrases(one.stated) if one.stated is not None else []
    lines = [f"{render.bold('commit', screen)} {', '.join(facts)}"]
    lines += [render.quoted(word, screen) for word in subjects.get(one.ref or "", ()) if word]
    lines += [f"{render.INDENT}{_edge(edge)}" for edge in one.treatment]
    if one.ref is None:
        return [*lines, f"{render.INDENT}it does not say why"]
    return [*lines, render.INDENT + render.dim(read_line(one.ref, root), screen)]


def _edge(edge: Edge) -> str:
    part = " a part of it" if edge.part else ""
    by = edge.by[: render.SHORT_COMMIT]
    return f"{edge.date} {by} {edge.treatment.value}{part} ({edge.strength.value})".strip()


def _owned(one: Ownership, people: Mapping[int, Person]) -> str:
    """Who holds most of the work: by name where the names are told, else by number."""
    told = []
    for owner in one.owners[:MOST_OWNERS]:
        person = people.get(owner.author)
        name = "" if person is None else inert_line(person.name)[:_MOST_NAME]
        told.append(f"{name or f'author {owner.author}'} {round(100 * owner.share)}%")
    said = f"{', '.join(told)} of {counted(one.changes, 'change')}" if told else "nobody in sight"
    return f"{said}; CODEOWNERS: {', '.join(one.declared)}" if one.declared else said


def _caller(one: DocketPlace) -> str:
    return f"{one.path}:{one.first}" + (f" {one.name}" if one.name else "")


def _listed(title: str, items: Iterable[str]) -> list[str]:
    found = list(items)
    return [f"{title}:", *(f"  {one}" for one in found)] if found else []
