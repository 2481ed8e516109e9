"""The operator's grant: what an audience on this machine may see at most.

- Kept outside every repository: a repository cannot widen who sees it, and a request can only
  narrow.
- No file: everything up to *internal* that is approved. A file that cannot be relied on: nothing
  above *public*, and nothing unapproved.
"""

from __future__ import annotations

from typing import Final

from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.store.layout import Layout
from citator.trust.errors import PinRefusedError
from citator.trust.owned_json import OwnedJson, damaged

VERSION: Final = 1
LEAST: Final = Audience(ceiling=Sensitivity.PUBLIC)
_KEYS: Final = frozenset({"ceiling", "unapproved", "tenant", "groups"})


class Grants:
    """The grant of one data directory."""

    def __init__(self, layout: Layout) -> None:
        self._file = OwnedJson(layout, "audience", _KEYS, VERSION)

    def read(self) -> Audience:
        """The audience that is served here. Raises PinRefusedError, StorageError."""
        parts = self._file.read()
        if parts is None:
            return Audience()
        tenant, groups, unapproved = parts["tenant"], parts["groups"], parts["unapproved"]
        named = isinstance(groups, list) and all(isinstance(one, str) for one in groups)
        if not named or not isinstance(unapproved, bool) or not isinstance(tenant, str | None):
            raise damaged()
        try:
            return Audience(Sensitivity(parts["ceiling"]), unapproved, tenant, tuple(groups))
        except ValueError:
            raise damaged() from None

    def relied_on(self) -> Audience:
        """The same; the least of all where it cannot be relied on."""
        try:
            return self.read()
        except PinRefusedError:
            return LEAST

    def write(self, audience: Audience) -> None:
        """Grant, durably. For a person's command alone. Raises PinRefusedError, StorageError."""
        self._file.write(
            {
                "ceiling": audience.ceiling.value,
                "unapproved": audience.unapproved,
                "tenant": audience.tenant,
                "groups": sorted(audience.groups),
            }
        )
