"""The shelf of skills on this machine: quarantine, approvals, the active set, and those we ship.

    trust/skills/kept/<digest>            a packed folder: whole, never on the disk as programs
    trust/skills/approvals/<digest>.json  who signed it
    trust/skills.json                     keys that count, the ceiling, the active set, two before

- A skill is served only where its bytes are those of its name, a signature over exactly them
  verifies, and the key is trusted for skills here (rules 3 and 5). All of it is looked at anew each
  time: editing a byte ends it.
- Ours are read-only beside the code, signed by a one-time key whose public half lies there too.
- Their order is the operator's; of ours, that of the signed list. No text takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from citator.model.errors import CitatorError
from citator.store import files
from citator.store.layout import Layout
from citator.trust import canonical
from citator.trust.canonical import CanonicalError
from citator.trust.errors import SkillRefusedError, StatementRefusedError
from citator.trust.keys import PublicKey, parse_public_key
from citator.trust.owned import read_owned, require_owned_directories
from citator.trust.owned_json import OwnedJson, damaged
from citator.trust.pins import is_label
from citator.trust.skill_folder import MAX_PACKED, Skill, read_folder, unpacked
from citator.trust.skill_statement import (
    MAX_BYTES,
    SkillApproval,
    approval_from,
    parse_approval,
    signer_of,
)

VERSION: Final = 1
FOLDER: Final = "skills"
SHIPPED: Final = Path(__file__).parent.parent / "shipped"
SHIPPED_LABEL: Final = "citator"
CEILING: Final = 3
MOST_CEILING: Final = 16
MOST_KEPT: Final = 64
MOST_ACTIVE: Final = 32
MOST_KEYS: Final = 32
SETS_KEPT: Final = 3
MAX_LIST: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What the operator said: ``keys`` by label, how many skills a task is told of at most, and the
    ``sets`` of digests in their order, the active one first. None for a set: those that this
    version ships, whichever they are.
    """

    keys: tuple[tuple[str, PublicKey], ...] = ()
    ceiling: int = CEILING
    sets: tuple[tuple[str, ...] | None, ...] = (None,)


@dataclass(frozen=True)
class Served:
    """A skill whose approval holds: ``by`` is the label of the key that signed it."""

    skill: Skill
    approval: SkillApproval
    by: str
    shipped: bool


@dataclass(frozen=True)
class Active:
    """The active set in its order, and what of it does not hold: (digest, code)."""

    skills: tuple[Served, ...]
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Shelf:
    """The skills of one data directory."""

    layout: Layout
    shipped_in: Path = field(default=SHIPPED)

    @cached_property
    def shipped(self) -> dict[str, tuple[Skill, SkillApproval]]:
        """Ours by digest, in the signed list's order, as they lie there. Not yet verified."""
        try:
            data = (self.shipped_in / "skills.json").read_bytes()
            listed = canonical.decode(data.strip(), MAX_LIST)["skills"]
            approvals = [approval_from(one) for one in listed]
        except (OSError, CanonicalError, KeyError, TypeError, CitatorError):
            return {}
        found = {}
        for one in approvals:
            try:
                skill = read_folder(self.shipped_in / FOLDER / one.statement.skill)
            except CitatorError:
                continue
            found[one.statement.digest] = (skill, one)
        return found

    @cached_property
    def shipped_keys(self) -> tuple[tuple[str, PublicKey], ...]:
        """The public half that ours are signed with; none where there is none to read."""
        try:
            text = (self.shipped_in / "key.pub").read_text(encoding="ascii").strip()
            return ((SHIPPED_LABEL, parse_public_key(text)),)
        except (OSError, ValueError, CitatorError):
            return ()

    def kept(self) -> tuple[str, ...]:
        """The digests in quarantine, in order."""
        try:
            names = [path.name for path in self._at("kept").iterdir()]
        except OSError:
            return ()
        return tuple(sorted(filter(canonical.is_digest, names)))

    def keep(self, skill: Skill) -> bool:
        """Put it into quarantine, also in place of what is damaged there. Whether that was needed.

        Raises SkillRefusedError.
        """
        try:
            self.read(skill.digest)
            return False
        except CitatorError:
            pass
        if len(self.kept()) >= MOST_KEPT:
            raise SkillRefusedError(
                "too_many_skills",
                f"{MOST_KEPT} skills are kept already",
                "take one away: citator skills remove NAME",
            )
        self._write("kept", skill.digest, skill.packed)
        return True

    def read(self, digest: str) -> Skill:
        """The skill of ``digest``. Raises SkillRefusedError, PinRefusedError, and
        StatementRefusedError ``skill_changed`` where its bytes are others.
        """
        if digest in self.shipped:
            skill = self.shipped[digest][0]
        else:
            data = read_owned(self._at("kept") / digest, self._above("kept"), MAX_PACKED)
            if data is None:
                raise SkillRefusedError(
                    "unknown_skill", "no such skill is kept here", "see: citator skills list"
                )
            skill = unpacked(data)
        if skill.digest != digest:
            raise _changed()
        return skill

    def approval(self, digest: str) -> SkillApproval | None:
        """Its approval, not yet checked. Raises StatementRefusedError, PinRefusedError."""
        if digest in self.shipped:
            return self.shipped[digest][1]
        path = self._at("approvals") / f"{digest}.json"
        data = read_owned(path, self._above("approvals"), MAX_BYTES)
        return None if data is None else parse_approval(data)

    def keep_approval(self, approval: SkillApproval) -> None:
        """Keep it in place of an earlier one. For a person's command alone."""
        self._write("approvals", f"{approval.statement.digest}.json", approval.to_bytes())

    def remove(self, digest: str) -> None:
        """Take a skill and its approval away for good."""
        with files.guarded():
            (self._at("approvals") / f"{digest}.json").unlink(missing_ok=True)
            (self._at("kept") / digest).unlink(missing_ok=True)

    def served(self, digest: str, keys: Sequence[tuple[str, PublicKey]]) -> Served:
        """The skill of ``digest``, where all that serving needs holds. Raises CitatorError."""
        skill = self.read(digest)
        approval = self.approval(digest)
        if approval is None:
            raise StatementRefusedError(
                "skill_not_approved", "nobody approved that skill", "citator skills approve NAME"
            )
        ours = digest in self.shipped
        by = signer_of(approval, skill, self.shipped_keys if ours else keys)
        return Served(skill, approval, by, ours)

    def active(self) -> Active:
        """The active set, verified. Raises nothing for what does not hold: it is told."""
        try:
            said = self.arrangement()
        except CitatorError as error:
            return Active((), (("0" * 64, error.code),))
        found: list[Served] = []
        refused: list[tuple[str, str]] = []
        for digest in self.order(said):
            try:
                found.append(self.served(digest, said.keys))
            except CitatorError as error:
                refused.append((digest, error.code))
        return Active(tuple(found), tuple(refused))

    def order(self, said: Arrangement) -> tuple[str, ...]:
        """The digests of the active set, in its order."""
        return tuple(self.shipped) if said.sets[0] is None else said.sets[0]

    def arrangement(self) -> Arrangement:
        """What the operator said. Raises PinRefusedError, StorageError."""
        parts = self._json().read()
        return Arrangement() if parts is None else _arrangement(parts)

    def arrange(self, said: Arrangement) -> None:
        """Say it, durably and at once. For a person's command alone."""
        keys = [{"label": label, "key": key.text} for label, key in said.keys]
        sets = [None if one is None else list(one) for one in said.sets[:SETS_KEPT]]
        self._json().write({"keys": keys, "ceiling": said.ceiling, "sets": sets})

    def _json(self) -> OwnedJson:
        return OwnedJson(self.layout, "skills", frozenset({"keys", "ceiling", "sets"}), VERSION)

    def _at(self, kind: str) -> Path:
        return self.layout.trust / FOLDER / kind

    def _above(self, kind: str) -> tuple[Path, ...]:
        home = self.layout.trust / FOLDER
        return (self.layout.data, self.layout.trust, home, home / kind)

    def _write(self, kind: str, name: str, data: bytes) -> None:
        files.make_directory(self._at(kind))
        with files.guarded():
            require_owned_directories(self._above(kind))
        files.write_atomically(self._at(kind) / name, data)


def _arrangement(parts: dict[str, Any]) -> Arrangement:
    keys, ceiling, sets = parts["keys"], parts["ceiling"], parts["sets"]
    if type(ceiling) is not int or not 0 <= ceiling <= MOST_CEILING:
        raise damaged("skills")
    if not isinstance(keys, list) or not isinstance(sets, list) or not 0 < len(sets) <= SETS_KEPT:
        raise damaged("skills")
    for one in sets:
        if one is None:
            continue
        if not isinstance(one, list) or not all(map(canonical.is_digest, one)):
            raise damaged("skills")
    try:
        said = [canonical.require_keys(one, frozenset({"label", "key"})) for one in keys]
        found = tuple((one["label"], parse_public_key(str(one["key"]))) for one in said)
    except (CanonicalError, CitatorError):
        raise damaged("skills") from None
    if len(found) > MOST_KEYS or not all(isinstance(n, str) and is_label(n) for n, _ in found):
        raise damaged("skills")
    return Arrangement(found, ceiling, tuple(None if one is None else tuple(one) for one in sets))


def _changed() -> StatementRefusedError:
    return StatementRefusedError(
        "skill_changed",
        "the skill is not what was kept under its digest: a byte of it changed",
        "ingest it again from where it came, and approve what you read",
    )
