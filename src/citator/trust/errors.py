"""What this package refuses, and under which code.

    RefusedError
    ├── KeyRefusedError        1  not a key that can approve anything here
    ├── PolicyRefusedError     1  not a policy, or one that asks for nothing
    ├── SkillRefusedError      1  not a folder that can be a skill
    └── SigningRefusedError    1  nothing was signed: no program, no key, no consent
    IntegrityError
    ├── SignatureRefusedError  4  not a signature over these bytes for this purpose
    ├── StatementRefusedError  4  not the statement that was asked for, byte for byte
    ├── PinRefusedError        4  a pin that cannot be relied on, so that nothing counts
    └── PackRefusedError       4  a policy pack that is not loaded

None repeats a word of what it was given: keys, signatures and statements come from anybody.
"""

from __future__ import annotations

from typing import Final

from citator.model.domain import GapKind
from citator.model.errors import IntegrityError, RefusedError


class KeyRefusedError(RefusedError):
    """Not a key that can approve anything here."""


class PolicyRefusedError(RefusedError):
    """Not a policy, or one that asks for nothing."""


class SkillRefusedError(RefusedError):
    """Not a folder that can be a skill."""


class SigningRefusedError(RefusedError):
    """Nothing was signed."""


class SignatureRefusedError(IntegrityError):
    """Not a signature over these bytes for this purpose."""


class StatementRefusedError(IntegrityError):
    """Not the statement that was asked for, byte for byte."""


class PinRefusedError(IntegrityError):
    """A pin that cannot be relied on: nothing counts under it."""


_TODO: Final = {
    GapKind.UNSIGNED: "ask whoever gave it to you for what was signed, or: citator policy sign",
    GapKind.UNTRUSTED_KEY: "if you know whose it is, pin the root it names: citator policy add",
    GapKind.TAMPERED: "ask whoever gave it to you for what was signed",
    GapKind.WRONG_NAMESPACE: "ask whoever gave it to you for what was signed",
    GapKind.ROLLED_BACK: "ask whoever gave it to you for the newest",
    GapKind.NOT_ADDED: "look at it, and let it count: citator policy add FOLDER",
    GapKind.EXPIRED: "ask whoever signed it for the next one",
    GapKind.NOT_YET_VALID: "set the clock of this machine",
    GapKind.TOO_NEW: "upgrade citator",
}


class PackRefusedError(IntegrityError):
    """A policy pack, its manifest or a root that is not loaded. ``kind`` is the gap it leaves."""

    def __init__(self, kind: GapKind, what: str, todo: str = "") -> None:
        todo = todo or _TODO.get(kind, "write it as docs/explanation/policy-packs.md says")
        super().__init__(f"pack_{kind.value}", what, todo)
        self.kind = kind
