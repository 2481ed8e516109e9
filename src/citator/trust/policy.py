"""The policy: what counts as approved, for each kind and sensitivity of decision.

- A floor that holds for everything, and rules that raise it for a kind, from a sensitivity up, or
  both. The strictest of all that match is asked for: a rule can only tighten, and the order of
  rules is of no account.
- Whether an author may approve their own proposal is said, never assumed: a solo maintainer must,
  a team's default is no.
- Whether what a decision refuses blocks a change (``refuse``) is off unless it is said; where it is
  not said, it is not written: policies from before have the digest they had.
- A policy is a value with one spelling and a digest, which every statement of approval names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citator.model.plain import is_plain
from citator.model.record import ItemKind, Sensitivity
from citator.trust import canonical
from citator.trust.assurance import Landed, Signature, Threshold
from citator.trust.canonical import CanonicalError
from citator.trust.errors import PolicyRefusedError

VERSION = 1
MAX_RULES = 200

_KEYS = frozenset({"version", "protected_branch", "author_may_approve", "floor", "rules"})
_MAY = frozenset({"refuse"})
_RULE_KEYS = frozenset({"kind", "sensitivity", "threshold"})
_THRESHOLD_KEYS = frozenset({"signature", "approvers", "landed"})


@dataclass(frozen=True, slots=True)
class Rule:
    """A threshold for one ``kind`` (None: every kind), from ``sensitivity`` up."""

    threshold: Threshold
    kind: ItemKind | None = None
    sensitivity: Sensitivity = Sensitivity.PUBLIC

    def matches(self, kind: ItemKind, sensitivity: Sensitivity) -> bool:
        """Whether the rule is about a decision of this kind and sensitivity."""
        return self.kind in (None, kind) and sensitivity.rank >= self.sensitivity.rank


@dataclass(frozen=True, slots=True)
class Policy:
    """What counts as approved. ``protected_branch`` is a plain branch name such as ``main``."""

    protected_branch: str
    author_may_approve: bool
    floor: Threshold = field(default_factory=Threshold)
    rules: tuple[Rule, ...] = ()
    refuse: bool = False

    def __post_init__(self) -> None:
        if not is_plain(self.protected_branch) or self.protected_branch.startswith("-"):
            raise _refused("the protected branch's name is not a plain name")
        if len(self.rules) > MAX_RULES:
            raise _refused(f"there are more than {MAX_RULES} rules")

    def needed(self, kind: ItemKind, sensitivity: Sensitivity) -> Threshold:
        """What a decision of this kind and sensitivity has to reach."""
        needed = self.floor
        for rule in self.rules:
            if rule.matches(kind, sensitivity):
                needed = needed.stricter(rule.threshold)
        return needed

    @property
    def strictest(self) -> Threshold:
        """What a change of the policy or of its approvers has to reach: the most it asks anywhere.

        Less would let those who may decide little decide who may decide all.
        """
        needed = self.floor
        for rule in self.rules:
            needed = needed.stricter(rule.threshold)
        return needed

    def to_dict(self) -> dict[str, object]:
        """The closed form that :func:`parse_policy` reads."""
        return {
            "version": VERSION,
            "protected_branch": self.protected_branch,
            "author_may_approve": self.author_may_approve,
            **({"refuse": True} if self.refuse else {}),
            "floor": _threshold_to_dict(self.floor),
            "rules": [
                {
                    "kind": None if rule.kind is None else rule.kind.value,
                    "sensitivity": rule.sensitivity.value,
                    "threshold": _threshold_to_dict(rule.threshold),
                }
                for rule in self.rules
            ],
        }

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical form, in hexadecimal digits."""
        return canonical.digest(canonical.encode(self.to_dict()))


def parse_policy(value: Mapping[str, object]) -> Policy:
    """The policy that ``value`` (from JSON or YAML) says. Raises PolicyRefusedError."""
    try:
        return _read(value)
    except CanonicalError:
        raise _refused("a part of the policy is missing, unknown or not of its form") from None


def _read(value: object) -> Policy:
    said = _MAY & value.keys() if isinstance(value, dict) else frozenset[str]()
    parts = canonical.require_keys(value, _KEYS | said)
    branch, author = parts["protected_branch"], parts["author_may_approve"]
    rules, refuse = parts["rules"], parts.get("refuse", False)
    _require(_is_whole(parts["version"]) and parts["version"] == VERSION)
    _require(isinstance(branch, str) and isinstance(author, bool) and isinstance(rules, list))
    _require(refuse is True or "refuse" not in parts)
    return Policy(branch, author, _threshold(parts["floor"]), tuple(map(_rule, rules)), refuse)


def _rule(value: object) -> Rule:
    parts = canonical.require_keys(value, _RULE_KEYS)
    kind = parts["kind"]
    try:
        return Rule(
            _threshold(parts["threshold"]),
            None if kind is None else ItemKind(kind),
            Sensitivity(parts["sensitivity"]),
        )
    except ValueError:
        raise CanonicalError from None


def _threshold(value: object) -> Threshold:
    parts = canonical.require_keys(value, _THRESHOLD_KEYS)
    signature, landed = Signature.named(parts["signature"]), Landed.named(parts["landed"])
    if signature is None or landed is None or not _is_whole(parts["approvers"]):
        raise CanonicalError
    return Threshold(signature, parts["approvers"], landed)


def _threshold_to_dict(threshold: Threshold) -> dict[str, Any]:
    return {
        "signature": threshold.signature.value,
        "approvers": threshold.approvers,
        "landed": threshold.landed.value,
    }


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _require(right: bool) -> None:
    if not right:
        raise CanonicalError


def _refused(what: str) -> PolicyRefusedError:
    return PolicyRefusedError(
        "policy_malformed", what, "see docs/reference/policy.md for the form of a policy"
    )
