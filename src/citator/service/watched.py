"""What decisions rest on and what they govern, looked at in HEAD's tree, and kept until HEAD moves.

- A premise is broken only where that is seen. A file that is hidden from an audience is not seen.
- A commit is stale where nothing is left of what it did to files, or something that it names is
  another. Of a page or a decision it is what they name. What was not looked at is not known.
- What is kept is kept under a digest: the paths and premises of a decision are its words.
- What a decision governs is gone where nothing is left of it and a commit took it away: what never
  was there is not gone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from citator.formats.globs import compiled
from citator.git import trees
from citator.git.records import Repository
from citator.model.premise import MANIFESTS, Observed, Premise, PremiseKind, premise_of
from citator.model.treatment import Edge, edge_from

if TYPE_CHECKING:
    from citator.index.treatment_view import CommitTreatments
    from citator.service.readership import Mask
    from citator.service.spoken_since import Speaks

MOST_LOOKS: Final = 2
_Look = Callable[[], tuple[Observed, str | None]]


class Watch:
    """Looks for one audience at one HEAD."""

    def __init__(self, repo: Repository, head: str, commits: CommitTreatments, mask: Mask) -> None:
        self._repo = repo
        self._head = head
        self._commits = commits
        self._mask = mask
        self._touched: dict[str, bool] = {}
        self._looks = MOST_LOOKS
        self._links: tuple[Edge, ...] | None = None

    def broken(self, text: str, now: str | None) -> tuple[bool, str | None]:
        """Whether a premise is seen to be broken, and by which commit, if that is known."""
        premise = premise_of(text)
        if premise is None or self._hides(premise):
            return False, None
        if premise.kind is PremiseKind.DATE:
            return now is not None and now[:10] >= premise.value, None

        def look() -> tuple[Observed, str | None]:
            from citator.sources.treatment.premises import observed  # few decisions have any

            return observed(self._repo, self._head, premise)

        return self._seen(_kept_as(text), look)

    def gone(self, paths: Sequence[str]) -> tuple[bool, str | None]:
        """Whether nothing is left of what these globs hold, and which commit took the last."""

        def look() -> tuple[Observed, str | None]:
            from citator.sources.treatment.premises import removed_by

            globs = [compiled(one) for one in paths]
            for entry in trees.entries(self._repo, self._head):
                if self._mask.covers(entry.path):
                    continue
                if any(one.fullmatch(entry.path) for one in globs):
                    return Observed.HOLDS, None
            by = removed_by(self._repo, self._head, tuple(paths))
            seen = by is not None and self._commits.shows(by)
            return Observed.BROKEN if seen else Observed.HOLDS, by

        return self._seen(self._key(f"scope {' '.join(sorted(paths))}"), look)

    def links(self) -> tuple[Edge, ...]:
        """How the decision records of HEAD's tree treat each other."""
        if self._links is None:
            text = f"records {self._mask.id if self._mask.hides else ''}"
            kept = self._commits.kept(self._head, text)
            if kept is None:
                from citator.sources.treatment.records import edges_among, records_of

                found = edges_among(records_of(self._repo, self._head, self._mask.covers))
                kept = json.dumps([asdict(one) for one in dict.fromkeys(found)]), None
                self._commits.keep(self._head, text, *kept)
            self._links = tuple(edge_from(one) for one in json.loads(kept[0]))
        return self._links

    def look_at_files(self, touched: Mapping[str, Sequence[str]]) -> None:
        """See of commits at once whether anything is left of what they did to files."""
        new: dict[str, list[str]] = {}
        for commit, paths in touched.items():
            kept = self._commits.kept(self._head, self._key(f"left {commit}"))
            if kept is None:
                new[commit] = [one for one in paths if not self._mask.covers(one)]
            else:
                self._touched[commit] = kept[0] == Observed.BROKEN.value
        if new:
            from citator.sources.treatment.drift import nothing_left

            found = nothing_left(self._repo, self._head, new)
            self._touched |= found
            self._keep_all({f"left {commit}": gone for commit, gone in found.items()})

    def files_gone(self, commit: str) -> bool:
        """Whether of a commit that was looked at nothing is left of what it did to files."""
        return self._touched.get(commit, False)

    def names_changed(self, subject: str, spoken: Speaks | None = None) -> bool:
        """Whether it was seen, and kept, that something which ``subject`` names has changed. Where
        nobody looked, a few looks at what it has ``spoken`` of are taken here."""
        kept = self._commits.kept(self._head, self._key(f"names {subject}"))
        if kept is None and spoken is not None and self._looks > 0:
            from citator.service.spoken_since import differs

            self._looks -= 1
            changed = differs(self._repo, self._head, spoken(self._repo, self._head), self._mask)
            self.keep_changed(subject, changed=changed)
            return changed
        return kept is not None and kept[0] == Observed.BROKEN.value

    def keep_changed(self, subject: str, *, changed: bool) -> None:
        """Keep whether that was seen: never what it names."""
        self._keep_all({f"names {subject}": changed})

    def _keep_all(self, seen: Mapping[str, bool]) -> None:
        states = {True: Observed.BROKEN.value, False: Observed.NOT_OBSERVED.value}
        rows = [(self._key(text), states[changed]) for text, changed in seen.items()]
        self._commits.keep_all(self._head, rows)

    def _key(self, text: str) -> str:
        """What is kept of ``text`` for this audience is kept under."""
        hidden = f"{self._mask.id} " if self._mask.hides else ""
        return _kept_as(f"{hidden}{text}")

    def _hides(self, premise: Premise) -> bool:
        """Whether a file that would have to be looked at is hidden."""
        if premise.path:
            return self._mask.covers(premise.path)
        return self._mask.hides and any(map(self._mask.covers, MANIFESTS))

    def _seen(self, key: str, look: _Look) -> tuple[bool, str | None]:
        kept = self._commits.kept(self._head, key)
        if kept is None:
            found, by = look()
            self._commits.keep(self._head, key, found.value, by)
            kept = found.value, by
        state, by = kept
        shown = by is not None and self._commits.shows(by)
        return state == Observed.BROKEN.value, by if shown else None


def _kept_as(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
