"""Commits of a docket: who may see them, and what is known of each.

- What lies in the record's folder is no code: it takes no part here.
- A commit is in view where HEAD has it and nothing that it touches is hidden from the audience;
  what is not in view is neither shown nor counted.
- Its number of a pull request is what its subject, or the merge that brought it, says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from citator.git.folders import is_ancestor
from citator.git.merges import brought_by
from citator.git.repository import edge
from citator.git.runner import is_id
from citator.index.analysis import Analyser
from citator.index.protocol import Row, View, WeightedTerm
from citator.model.docket import DocketCommit, Role
from citator.model.document import author_number
from citator.model.evidence import ClaimState, Evidence
from citator.model.record import is_of_record
from citator.model.reference import DocumentKind
from citator.search.docket.past_files import PastFiles
from citator.search.docket.patience import Patience
from citator.service.docket_kept import Kept
from citator.service.evidence import claim_state_of, evidence_of, iso_date
from citator.service.readership import Mask
from citator.service.treatment import Treatments
from citator.service.workspace import Workspace

MAX_REVIEWS: Final = 6
_CANDIDATES: Final = 60
_BEYOND: Final = 1_000
_OWN: Final = re.compile(r"\((?:#|!)([1-9]\d{0,8})\)\s*$")
_MERGES: Final = (
    re.compile(r"Merged? pull request #([1-9]\d{0,8})\b"),
    re.compile(r"^See merge request \S{0,200}!([1-9]\d{0,8})\s*$", re.MULTILINE),
)
_ROLES: Final = list(Role)
_BRINGS: Final = frozenset(
    {Role.DEFINED, Role.BEHAVIOUR, Role.ADDED_TEXT, Role.CHANGED_TEXT, Role.TOUCHED}
)


@dataclass
class Commits:
    """What is asked of commits while one docket is made."""

    workspace: Workspace
    files: PastFiles
    view: View
    mask: Mask
    treatments: Treatments
    head: str

    @cached_property
    def edge(self) -> frozenset[str]:
        """The commits at the edge of what this clone has."""
        return edge(self.workspace.repository)

    def most(self, number: int) -> int:
        """How many are looked for to have so many: what is hidden must not displace the rest."""
        return number * _BEYOND if self.mask.hides else number

    def hidden(self, path: str) -> bool:
        """Whether a path takes no part: it is not for this audience, or of the record."""
        return is_of_record(path) or self.mask.covers(path)

    def in_view(self, commit: str) -> bool:
        """Whether this audience may be shown a commit that HEAD has."""
        if not self.mask.hides:
            return True
        if self.mask.everything:
            return False
        paths = self.files.paths(commit)
        return paths is not None and not any(map(self.mask.covers, paths))

    def has(self, commit: str) -> bool:
        """Whether HEAD has a commit and it may be shown."""
        return is_ancestor(self.workspace.repository, commit, self.head) and self.in_view(commit)

    def fact(self, commit: str, role: Role, lines: int = 0) -> DocketCommit | None:
        """What is known of a commit; None where it cannot be read or is not in view."""
        raw = self.files.commit(commit)
        if raw is None or not self.in_view(commit):
            return None
        rows = self.view.find_object(commit, 1)
        row = rows[0] if rows else None
        return DocketCommit(
            commit=commit,
            role=role,
            date=iso_date(raw.committed_at if raw.authored_at is None else raw.authored_at),
            author=author_number(raw.author),
            lines=lines,
            ref=None if row is None else row.ref,
            changes=change_numbers(raw.message),
            stated=None if row is None else row.stated,
            verdict=self.treatments.verdict(commit),
            treatment=tuple(one for one in self.treatments.of(commit) if self._shown(one.by)),
        )

    def with_states(self, facts: Iterable[DocketCommit]) -> list[DocketCommit]:
        """The same, with what is known of whether what each says is still so."""
        known = list(facts)
        paths = {one.commit: self.files.paths(one.commit) or () for one in known}
        self.treatments.look_at_files(paths)
        made = []
        for one in known:
            rows = self.view.find_object(one.commit, 1)
            gone = self.treatments.files_gone(one.commit)
            state = ClaimState.STALE if gone else one.claim_state
            if rows and rows[0].kind is DocumentKind.COMMIT:
                state = claim_state_of(rows[0], one.verdict, self.treatments)
            made.append(replace(one, claim_state=state))
        return made

    def _shown(self, treating: str) -> bool:
        """Whether what treats something may be shown: the treatments know, but for paths."""
        return self.files.commit(treating) is None or self.in_view(treating)

    def facts(self, wanted: Iterable[tuple[str, Role, int]]) -> list[DocketCommit]:
        """Each commit once, in its nearest role; within a role those of most lines, or the newest,
        first. What a commit at the edge of a shallow clone brings may be of an older one."""
        best: dict[str, tuple[Role, int]] = {}
        for commit, role, lines in wanted:
            known = Role.AT_OR_BEFORE if role in _BRINGS and commit in self.edge else role
            before = best.get(commit, (known, 0))
            nearer = min(known, before[0], key=_ROLES.index)
            best[commit] = nearer, before[1] + lines

        def place(commit: str) -> tuple[int, int, int]:
            role, lines = best[commit]
            weight = lines if role in (Role.BEHAVIOUR, Role.AT_OR_BEFORE) else 0
            return _ROLES.index(role), -weight, -self.time(commit)

        order = sorted(best, key=place)
        found = (self.fact(commit, *best[commit]) for commit in order)
        return [one for one in found if one is not None]

    def time(self, commit: str) -> int:
        """When a commit was made, in Unix seconds; 0 where that is not known."""
        raw = self.files.commit(commit)
        return 0 if raw is None else raw.committed_at or 0

    def with_change(self, fact: DocketCommit, patience: Patience) -> DocketCommit:
        """The same, with the number that the merge names which brought it, where it has none."""
        if fact.changes or patience.over:
            return fact
        merge = self._merge(fact.commit, patience)
        raw = None if merge is None else self.files.commit(merge)
        if raw is None or len(raw.parents) < 2 or not self.in_view(raw.object_id):
            return fact
        return replace(fact, changes=change_numbers(raw.message))

    def _merge(self, commit: str, patience: Patience) -> str | None:
        """The merge that brought a commit, looked for once a HEAD."""
        kept = Kept(self.workspace, json.dumps(["merge", self.head, commit]))
        known = kept.read()
        if known is not None:
            merge = str(known.get("merge"))
            return merge if is_id(self.workspace.repository, merge) else None
        found = brought_by(self.workspace.repository, commit, self.head, patience.left)
        if not patience.over:
            kept.write({"merge": found})
        return found

    def reviews(self, commits: Iterable[DocketCommit], path: str | None) -> list[Evidence]:
        """The review threads of these commits or their changes, and of the path."""
        found: dict[str, Row] = {}
        analyser = Analyser()
        for one in commits:
            terms = [*analyser.terms(one.commit)]
            for number in one.changes:
                terms += analyser.terms(f"#{number}")
            weighted = [WeightedTerm(term) for term in dict.fromkeys(terms)]
            candidates = self.view.candidates(weighted, _CANDIDATES) if weighted else []
            for row in self.view.rows([candidate.ordinal for candidate in candidates]):
                if _is_about(row, one):
                    found.setdefault(row.object_id, row)
        if path is not None:
            for row in self.view.find_path(path, _CANDIDATES):
                if row.kind is DocumentKind.REVIEW:
                    found.setdefault(row.object_id, row)
        return [evidence_of(row, ()) for row in found.values()][:MAX_REVIEWS]


def _is_about(row: Row, commit: DocketCommit) -> bool:
    facts = row.review
    if row.kind is not DocumentKind.REVIEW or facts is None:
        return False
    return commit.commit in facts.commits or (facts.number in commit.changes and not facts.is_issue)


def change_numbers(message: str) -> tuple[int, ...]:
    """The numbers of the pull or merge requests that a message names as its own."""
    found = [_OWN.search(message.split("\n", 1)[0]), *(one.search(message) for one in _MERGES)]
    return tuple(dict.fromkeys(int(match[1]) for match in found if match is not None))
