"""Lines one by one → runs of lines that are of one commit, as they travel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from citator.model.docket import DocketLines, Passed, Relation
from citator.model.plain import shown_path
from citator.search.docket.walk import Origin
from citator.service.docket_commits import Commits
from citator.service.docket_lines import Traced

FORM = "uncommitted_form"


def grouped(
    lines: Sequence[Traced], path: str, commits: Commits, missing: bool
) -> list[DocketLines]:
    """Runs of lines of one commit that came to it by the same way. Blank lines between are of
    the run."""
    found: list[DocketLines] = []
    for one in lines:
        made = _line(one, path, commits, missing)
        last = found[-1] if found else None
        if last is not None and _key(last) == _key(made):
            found[-1] = replace(last, last=made.last)
        else:
            found.append(made)
    return found


def _key(one: DocketLines) -> tuple[object, ...]:
    ways = tuple((passed.commit, passed.what) for passed in one.passed)
    return one.relation, one.commit, one.there_path, ways, one.others


def _line(one: Traced, path: str, commits: Commits, missing: bool) -> DocketLines:
    where = shown_path(path)
    if not one.origins:
        return DocketLines(where, one.line, one.line, Relation.UNCOMMITTED)
    own, *others = one.origins
    if not commits.in_view(own.commit) or commits.hidden(own.path):
        return DocketLines(where, one.line, one.line, Relation.NOT_IN_VIEW)
    return DocketLines(
        path=where,
        first=one.line,
        last=one.line,
        relation=_relation(own, missing),
        commit=own.commit,
        there_path=shown_path(own.path),
        there_line=own.line,
        passed=tuple(_passed(own, one.form, where, commits)),
        others=tuple(other.commit for other in others if commits.in_view(other.commit)),
    )


def _relation(own: Origin, missing: bool) -> Relation:
    if own.edge or (missing and not own.ended):
        return Relation.AT_OR_BEFORE
    return Relation.INTRODUCED if own.ended else Relation.UNFINISHED


def _passed(own: Origin, form: bool, where: str, commits: Commits) -> Iterable[Passed]:
    if form:
        yield Passed(None, FORM, where)
    for one in own.skipped:
        if commits.in_view(one.commit) and not commits.hidden(one.path):
            yield Passed(one.commit, one.skip.value, shown_path(one.path))
