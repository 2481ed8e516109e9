"""The gate: whether an audience may see a document. Nothing else decides visibility (rule 2).

- Both questions are asked before indexing: what does not pass is in no index of that audience.
- A request can narrow an audience, never widen it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

from citator.model.record import RecordStatus, Sensitivity

SECOND_FLOOR = Sensitivity.CONFIDENTIAL
_SURFACED = frozenset({RecordStatus.APPROVED})
_UNAPPROVED = frozenset({RecordStatus.DRAFT, RecordStatus.PROPOSED})


@dataclass(frozen=True, slots=True)
class Audience:
    """The operator's grant.

    ``ceiling`` is the highest sensitivity shown; ``unapproved`` adds drafts and proposals;
    ``tenant`` and ``groups`` are those the audience belongs to.
    """

    ceiling: Sensitivity = Sensitivity.INTERNAL
    unapproved: bool = False
    tenant: str | None = None
    groups: tuple[str, ...] = ()

    def narrowed(
        self, ceiling: Sensitivity | None = None, unapproved: bool | None = None
    ) -> Audience:
        """This audience with less: a wish for more is not granted."""
        lower = self.ceiling if ceiling is None else min(ceiling, self.ceiling, key=_rank)
        fewer = self.unapproved and unapproved is not False
        return Audience(lower, fewer, self.tenant, self.groups)

    @property
    def id(self) -> str:
        """A digest of the grant: 16 hexadecimal digits."""
        grant = [self.ceiling.value, str(self.unapproved), self.tenant or "", *sorted(self.groups)]
        return hashlib.sha256("\0".join(grant).encode()).hexdigest()[:16]


def may_surface(status: RecordStatus, audience: Audience) -> bool:
    """Whether text of this status is shown at all: retired and rejected text never is."""
    return status in _SURFACED or (audience.unapproved and status in _UNAPPROVED)


def may_disclose(
    sensitivity: Sensitivity,
    tenant: str | None,
    groups: Collection[str],
    audience: Audience,
) -> bool:
    """Whether something of this sensitivity, tenant and these groups is the audience's to see.

    What names a tenant is for that tenant alone; what names groups is for members of any of them.
    """
    return (
        sensitivity.rank <= audience.ceiling.rank
        and (tenant is None or tenant == audience.tenant)
        and (not groups or any(group in audience.groups for group in groups))
    )


def may_open_second(audience: Audience) -> bool:
    """Whether there is a second ledger at all for an audience: whatever its files say, what lies
    in it is confidential at least. For others it is not even looked for: no fact, no work."""
    return may_disclose(SECOND_FLOOR, None, (), audience)


def _rank(sensitivity: Sensitivity) -> int:
    return sensitivity.rank
