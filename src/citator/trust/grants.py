"""The operator's grant: what an audience on this machine may see at most.

- Kept outside every repository, in ``trust/audience.json``, owner-only: a repository cannot widen
  who sees it, and a request can only narrow.
- No file: everything up to *internal* that is approved. A file that cannot be relied on: nothing
  above *public*, and nothing unapproved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.store import files
from citator.store.layout import Layout
from citator.trust import canonical
from citator.trust.canonical import CanonicalError
from citator.trust.errors import PinRefusedError
from citator.trust.owned import read_owned, require_owned_directories

VERSION: Final = 1
MAX_BYTES: Final = 65_536
LEAST: Final = Audience(ceiling=Sensitivity.PUBLIC)
_KEYS: Final = frozenset({"version", "ceiling", "unapproved", "tenant", "groups"})


class Grants:
    """The grant of one data directory."""

    def __init__(self, layout: Layout) -> None:
        self._directories = (layout.data, layout.data / "trust")
        self._path = layout.data / "trust" / "audience.json"

    def read(self) -> Audience:
        """The audience that is served here. Raises PinRefusedError, StorageError."""
        data = read_owned(self._path, self._directories, MAX_BYTES)
        if data is None:
            return Audience()
        try:
            return _read(canonical.decode(data, MAX_BYTES))
        except (CanonicalError, ValueError):
            raise PinRefusedError(
                "grant_damaged",
                "what was granted is not what `citator trust audience` wrote",
                "say it again with `citator trust audience`",
            ) from None

    def relied_on(self) -> Audience:
        """The same; the least of all where it cannot be relied on."""
        try:
            return self.read()
        except PinRefusedError:
            return LEAST

    def write(self, audience: Audience) -> None:
        """Grant, durably. For a person's command alone. Raises PinRefusedError, StorageError."""
        files.make_directory(self._directories[1])
        with files.guarded():
            require_owned_directories(self._directories)
        files.write_atomically(self._path, canonical.encode(_dict_of(audience)))


def _dict_of(audience: Audience) -> dict[str, object]:
    return {
        "version": VERSION,
        "ceiling": audience.ceiling.value,
        "unapproved": audience.unapproved,
        "tenant": audience.tenant,
        "groups": sorted(audience.groups),
    }


def _read(value: Mapping[str, Any]) -> Audience:
    parts = canonical.require_keys(value, _KEYS)
    tenant, groups = parts["tenant"], parts["groups"]
    named = isinstance(groups, list) and all(isinstance(one, str) for one in groups)
    if parts["version"] != VERSION or not isinstance(parts["unapproved"], bool) or not named:
        raise CanonicalError
    if tenant is not None and not isinstance(tenant, str):
        raise CanonicalError
    return Audience(Sensitivity(parts["ceiling"]), parts["unapproved"], tenant, tuple(groups))
