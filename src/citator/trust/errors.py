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


class PackRefusedError(IntegrityError):
    """A policy pack, its manifest or a root that is not loaded. ``kind`` is the gap it leaves."""

    def __init__(self, kind: GapKind, what: str, todo: str = "") -> None:
        super().__init__(f"pack_{kind.value}", what, todo or "see: citator policy verify --help")
        self.kind = kind
