"""Changes to a decision that stands: each is a proposal of its own, with its loosening said.

Nothing here takes effect: a person approves it like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citator.model.errors import NotFoundError, RefusedError, UsageError
from citator.model.record import RelationType, Sensitivity
from citator.service import proposing
from citator.service.decide import ToldNoError, told_of
from citator.service.desk import Desk, desks
from citator.service.naming import item_named
from citator.service.proposing import Moment, Proposed, Wording
from citator.service.workspace import Workspace
from citator.trust.grants import Grants

SHORT = 12


@dataclass(frozen=True, slots=True)
class Because:
    """Who proposes a change, and why."""

    author: str
    reason: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What a decision is filed under; None or empty: as it is."""

    sensitivity: Sensitivity | None = None
    owner: str | None = None
    aliases: tuple[str, ...] = ()
    without_aliases: tuple[str, ...] = ()


def deprecate(workspace: Workspace, name: str, because: Because, moment: Moment) -> Proposed:
    """Propose to retire a decision without a successor."""
    desk, item = _standing(workspace, name)
    operation = _with_reason({"op": "deprecate_item", "item": item}, because)
    return _proposed(desk, [operation], because, moment)


def restore(workspace: Workspace, name: str, because: Because, moment: Moment) -> Proposed:
    """Propose that a deprecated decision holds again: a loosening, and said so.

    Raises ToldNoError where its text was rejected since and no reason is given.
    """
    desk, item = _standing(workspace, name)
    _require_not_told(workspace, desk, item, because)
    operation = _with_reason({"op": "restore_item", "item": item}, because)
    return _proposed(desk, [operation], because, moment, f"restore_item:{item}")


def relate(
    workspace: Workspace,
    source: str,
    type: RelationType,
    target: str,
    because: Because,
    moment: Moment,
    *,
    remove: bool = False,
) -> Proposed:
    """Propose a relation between two decisions of one ledger, or its end."""
    desk, first = _standing(workspace, source)
    second = item_named([desk], target)[1]
    operation: dict[str, Any] = {
        "op": "remove_relation" if remove else "add_relation",
        "source": first,
        "type": type.value,
        "target": second,
    }
    if not remove and because.reason:
        operation["note"] = because.reason
    readmits = remove and type is RelationType.SUPERSEDES
    if readmits:
        _require_not_told(workspace, desk, second, because)
    loosens = [f"readmit:{second}"] if readmits else []
    return _proposed(desk, [operation], because, moment, *loosens)


def classify(
    workspace: Workspace, name: str, facts: Facts, because: Because, moment: Moment
) -> Proposed:
    """Propose another sensitivity, owner or alias. Raises UsageError where nothing was said."""
    desk, item = _standing(workspace, name)
    operations: list[Mapping[str, Any]] = []
    loosens = []
    if facts.sensitivity is not None:
        if not because.reason:
            raise UsageError(
                "usage", "a sensitivity changes for a reason", "say it: --because TEXT"
            )
        operations.append(
            {
                "op": "change_sensitivity",
                "item": item,
                "sensitivity": facts.sensitivity.value,
                "reason": because.reason,
            }
        )
        if facts.sensitivity.rank < desk.basis.items[item].sensitivity.rank:
            loosens.append(f"lower_sensitivity:{item}")
    if facts.owner is not None:
        operations.append({"op": "change_owner", "item": item, "owner": facts.owner})
    operations += [{"op": "add_alias", "alias": one, "item": item} for one in facts.aliases]
    operations += [
        {"op": "remove_alias", "alias": one, "item": item} for one in facts.without_aliases
    ]
    if not operations:
        raise UsageError(
            "usage", "nothing to change was named", "citator decisions classify --help"
        )
    return _proposed(desk, operations, because, moment, *loosens)


def lift(workspace: Workspace, name: str, because: Because, moment: Moment) -> Proposed:
    """Propose that a rejection which a migration states holds no more."""
    if len(name) >= 6:
        for desk in desks(workspace):
            found = [one for one in desk.basis.rejections if one.startswith(name.lower())]
            if len(found) == 1:
                operation = _with_reason({"op": "lift_rejection", "rejection": found[0]}, because)
                loosening = f"lift_rejection:{found[0]}"
                return _proposed(desk, [operation], because, moment, loosening)
    raise NotFoundError(
        "unknown_rejection",
        "no rejection that a migration states has that id",
        "citator decisions list --rejections shows them; one that was signed by itself: "
        "citator reject ID --lift",
    )


def _require_not_told(workspace: Workspace, desk: Desk, item: str, because: Because) -> None:
    """What comes back is held against what was rejected, as what is new is; a reason passes."""
    if because.reason:
        return
    spoken = told_of(desk, desk.basis.items[item], Grants(workspace.layout).relied_on())
    if spoken:
        raise ToldNoError(spoken[0])


def _standing(workspace: Workspace, name: str) -> tuple[Desk, str]:
    desk, item = item_named(desks(workspace), name)
    if item not in desk.basis.items:
        raise RefusedError(
            "only_proposed",
            "that decision is only proposed",
            "say no to the proposal instead (citator reject), or approve and apply it first",
        )
    return desk, item


def _with_reason(operation: dict[str, Any], because: Because) -> dict[str, Any]:
    if because.reason:
        operation["reason"] = because.reason
    return operation


def _proposed(
    desk: Desk,
    operations: list[Any] | list[dict[str, Any]],
    because: Because,
    moment: Moment,
    *loosens: str,
) -> Proposed:
    body = f"{because.reason}\n" if because.reason else ""
    return proposing.propose(
        desk, operations, Wording(because.author, body, tuple(loosens)), moment
    )
