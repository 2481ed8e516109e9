"""How later history treated what is asked for, as HEAD has it and for whom the operator granted.

- Treatment is by ancestry: what counts is what this HEAD has. What the protected branch alone has
  is reason for caution, and is said.
- What is kept of it under ``derived/`` is followed up to HEAD; where that would take long, nothing
  is said: ``unassessed``, because it was not read.
- Commits that the audience is not for are in no edge, no standing and no count; of decisions, what
  its own view of the record holds.
- A commit can give reason to doubt a decision. Only the record can end it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from citator.git import touched
from citator.git.revisions import tip_of
from citator.model.document import AdrStatus
from citator.model.errors import StorageError
from citator.model.record import RecordStatus
from citator.model.treatment import (
    DECIDING,
    NOT_READ,
    Attested,
    Edge,
    Facts,
    Rule,
    Standing,
    StandingReason,
    Treatment,
    Verdict,
    counting,
    standing_of,
)
from citator.model.visibility import Audience
from citator.service.readership import Mask, mask_of
from citator.service.watched import Watch
from citator.service.workspace import Workspace

if TYPE_CHECKING:
    from citator.index.treatment_view import CommitTreatments
    from citator.record.treatment import ItemFacts
    from citator.service.kept_views import RecordView
    from citator.service.spoken_since import Speaks

LEG: Final = "treatment"
# More commits than these that were not read yet are left to `citator index`.
PATIENCE: Final = 2_000
_ITEM: Final = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_UNDOING: Final = (Treatment.REVERTS, Treatment.LIMITS)
MAIN: Final = ("main", "master", "trunk")
EXPIRES: Final = "expires "
NO_RULING: Final = Verdict(Standing.UNASSESSED, StandingReason.NO_RULING)


class Treatments:
    """The treatments that HEAD has. Ids are of commits (whole), decisions (items) or blobs.

    Use it as a context manager, in one thread.
    """

    def __init__(
        self,
        commits: CommitTreatments | None,
        view: RecordView | None,
        now: str | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._commits = commits
        self._view = view
        self._now = now
        self._watch = watch

    def __enter__(self) -> Treatments:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what was opened."""
        if self._commits is not None:
            self._commits.close()

    @property
    def read(self) -> bool:
        """Whether the history was read up to HEAD."""
        return self._commits is not None

    def of(self, treated: str) -> tuple[Edge, ...]:
        """What treats it, newest first: also what does not count any more."""
        found = list(self._commits.of(treated)) if self._commits is not None else []
        said = [one for one in self._said if one.of == treated]
        said += self._seen_of(treated)
        if said:
            found = sorted([*said, *found], key=lambda one: one.date, reverse=True)
        return tuple(found)

    def _seen_of(self, treated: str) -> Iterable[Edge]:
        """The commits that broke what a decision rests on, or took away what it governs."""
        known = None if self._view is None else self._view.items.get(treated)
        if known is None or self._commits is None:
            return
        facts = self._facts_of(known)
        for by, treatment, rule in (
            (facts.broken_by, Treatment.QUESTIONS, Rule.PREMISE),
            (facts.gone_by, Treatment.ORPHANED, Rule.SCOPE_GONE),
        ):
            if by is not None:
                day = self._commits.day(by)
                yield Edge(treatment, by, treated, treated, rule, Attested.STRUCTURE, day)

    def by(self, treating: str) -> tuple[Edge, ...]:
        """What it treats, as it claims: also what was not found."""
        found = list(self._commits.by(treating)) if self._commits is not None else []
        return (*found, *(one for one in self._said if one.by == treating))

    def counting(self, treated: str) -> tuple[Edge, ...]:
        """Those of :meth:`of` whose treating commit or record itself stands."""
        return counting(treated, self.of, self._not_approved)

    def verdict(self, treated: str) -> Verdict:
        """How a commit or a decision stands."""
        if _ITEM.fullmatch(treated):
            return self.decision(treated)
        if self._commits is None:
            return NOT_READ
        if not self._commits.has(treated):
            return Verdict(Standing.UNASSESSED, StandingReason.NOT_IN_HISTORY)
        facts = Facts(elsewhere=self._commits.elsewhere(treated))
        watched = self._commits.watches(treated)
        return self._judged(treated, self._watched(facts, watched) if watched else facts)

    def decision(self, item: str) -> Verdict:
        """How a decision stands, as far as the audience may know of it."""
        known = None if self._view is None else self._view.items.get(item)
        if known is None:
            return Verdict(Standing.UNASSESSED, StandingReason.NOT_IN_HISTORY)
        return self._judged(item, self._facts_of(known))

    def _facts_of(self, known: ItemFacts) -> Facts:
        """What is known of a decision, with what is seen of what it rests on and governs."""
        facts = self._watched(known.facts, known.premises)
        if self._watch is not None and known.paths and facts.status is RecordStatus.APPROVED:
            gone, by = self._watch.gone(known.paths)
            facts = replace(facts, gone=gone, gone_by=by)
        return facts

    def _watched(self, facts: Facts, watched: Sequence[str]) -> Facts:
        """The facts, with what is seen of what the thing rests on."""
        for text in watched:
            if text.startswith(EXPIRES):
                facts = replace(facts, valid_to=text.removeprefix(EXPIRES))
            elif not facts.broken and self._watch is not None:
                broken, by = self._watch.broken(text, self._now)
                facts = replace(facts, broken=broken, broken_by=by)
        return facts

    def stated(self, blob: str, status: AdrStatus | None) -> Verdict:
        """How an architecture decision record stands by what such records say of themselves and of
        each other; other Markdown rules nothing."""
        if status is None:
            return NO_RULING
        by = next((one.by for one in self.of(blob) if one.treatment is Treatment.SUPERSEDES), None)
        return self._judged(blob, Facts(adr_status=status, superseded_by=by))

    def numbered(self, change: int) -> str | None:
        """The latest commit that HEAD has of the change with this number."""
        return None if self._commits is None else self._commits.numbered(change)

    def prepare(self) -> None:
        """Look now at what the first question after a change of HEAD would look at."""
        if self._watch is not None:
            self._watch.links()

    def look_at_files(self, touched: Mapping[str, Sequence[str]]) -> None:
        """See of commits at once whether anything is left of what they did to files."""
        if self._watch is not None:
            self._watch.look_at_files(touched)

    def files_gone(self, commit: str) -> bool:
        """Whether nothing is left at HEAD of what a commit that was looked at did to files."""
        return self._watch is not None and self._watch.files_gone(commit)

    def look_ahead(self, commits: Iterable[str]) -> None:
        """Ask at once what may be shown of all that has to do with these commits."""
        if self._commits is not None:
            self._commits.look_ahead(commits)

    def shows(self, commit: str) -> bool:
        """Whether HEAD has a commit that may be named."""
        return self._commits is not None and self._commits.has(commit)

    def names_changed(self, subject: str, spoken: Speaks | None = None) -> bool:
        """Whether it was seen at this HEAD that something which ``subject`` names has changed:
        kept, or looked at now, where ``spoken`` says what that is and there are looks left."""
        return self._watch is not None and self._watch.names_changed(subject, spoken)

    def keep_changed(self, subject: str, *, changed: bool) -> None:
        """Keep that this was seen, or was not."""
        if self._watch is not None:
            self._watch.keep_changed(subject, changed=changed)

    def reverts(self) -> tuple[Edge, ...]:
        """Every revert and partial revert that was resolved, newest first."""
        return () if self._commits is None else tuple(self._commits.all(_UNDOING))

    def _judged(self, treated: str, facts: Facts) -> Verdict:
        found = self.counting(treated)
        if _ITEM.fullmatch(treated):
            found = tuple(map(_of_record_alone, found))
        return standing_of(facts, found, self._now)

    @cached_property
    def _said(self) -> Sequence[Edge]:
        """What decisions say of each other: those of the record, and those that are pages."""
        found = () if self._view is None else self._view.edges
        return (*found, *(() if self._watch is None else self._watch.links()))

    @cached_property
    def _not_approved(self) -> frozenset[str]:
        """What treats decisions and is no approved decision itself."""
        if self._view is None:
            return frozenset()
        return frozenset(
            one.by
            for one in self._view.edges
            if one.by not in self._view.items
            or self._view.items[one.by].status is not RecordStatus.APPROVED
        )


def _of_record_alone(one: Edge) -> Edge:
    """What a commit does to a decision: it may question it, nothing more."""
    if one.treatment in DECIDING and one.rule is not Rule.RELATION:
        return replace(one, strength=Attested.BODY_MENTION)
    return one


def treatments(
    workspace: Workspace,
    audience: Audience | None = None,
    now: str | None = None,
    *,
    view: RecordView | None = None,
    patience: int | None = PATIENCE,
) -> Treatments:
    """The treatments that HEAD has, for ``audience`` (None: whom the operator granted).

    ``now`` is a time (RFC 3339, UTC) or a day against which validity is held; ``view`` is what the
    record shows that audience (None: the record takes no part). With ``patience`` None all that
    was not read yet is read now. Raises GitRefusedError.
    """
    mask = mask_of(workspace, audience)
    head = workspace.head.commit
    if head is None or mask.everything:
        return Treatments(None, view, now)
    commits = _commits(workspace, head, mask, patience)
    watch = None if commits is None else Watch(workspace.repository, head, commits, mask)
    return Treatments(commits, view, now, watch)


def _commits(
    workspace: Workspace, head: str, mask: Mask, patience: int | None
) -> CommitTreatments | None:
    from citator.index.treatment_mining import mask_at, opened
    from citator.index.treatment_store import FILE
    from citator.index.treatment_view import CommitTreatments

    try:
        store = opened(workspace.repository, workspace.place.derived / FILE)
    except StorageError:
        return None
    try:
        seen = mask_at(workspace.repository, store, head, patience)
        if seen is None:
            store.close()
            return None
        tip = _protected_tip(workspace, head)
        protected = None if tip is None else mask_at(workspace.repository, store, tip, PATIENCE)
    except StorageError:
        store.close()
        return None
    except BaseException:
        store.close()
        raise
    shown = _Shown(workspace, mask) if mask.hides else None
    return CommitTreatments(store, seen, protected, shown)


def _protected_tip(workspace: Workspace, head: str) -> str | None:
    """The commit of the protected branch, as a remote last had it or here; None if it is HEAD."""
    names = [workspace.config.protected_branch] if workspace.config.protected_branch else MAIN
    tip = tip_of(workspace.repository, [one for one in names if one])
    return None if tip == head else tip


class _Shown:
    """Which commits may be shown: none that touches what is hidden, or may do so."""

    def __init__(self, workspace: Workspace, mask: Mask) -> None:
        self._repo = workspace.repository
        self._mask = mask
        self._known: dict[str, bool] = {}

    def __call__(self, commits: Iterable[str]) -> frozenset[str]:
        wanted = list(dict.fromkeys(commits))
        new = [one for one in wanted if one not in self._known]
        if new:
            listing = "".join(f"{one}\n" for one in new).encode()
            for commit, paths in zip(new, touched.touched(self._repo, listing), strict=True):
                hidden = paths is None or self._repo.shallow or any(map(self._mask.covers, paths))
                self._known[commit] = not hidden
        return frozenset(one for one in wanted if self._known[one])


def is_kept(workspace: Workspace) -> bool:
    """Whether treatments of this clone were ever read by this version, or cannot be kept."""
    from citator.index.treatment_mining import opened
    from citator.index.treatment_store import FILE

    try:
        with opened(workspace.repository, workspace.place.derived / FILE) as store:
            return bool(store.heads())
    except StorageError:
        return True


def bring_up(workspace: Workspace) -> None:
    """Read what HEAD has and was not read yet; nothing where it cannot be kept."""
    with treatments(workspace, patience=None) as treated:
        treated.prepare()
