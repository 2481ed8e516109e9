"""Names that people use for decisions and migrations: an id, a unique prefix of one, an alias.

What is not there and what this person may not see are one answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from citator.model.errors import CitatorError, NotFoundError, UsageError
from citator.record.migration import Migration
from citator.service.desk import Desk

SHORTEST = 6
T = TypeVar("T")


def item_named(desks: Sequence[Desk], name: str) -> tuple[Desk, str]:
    """The decision of that name, and the ledger that holds it.

    Raises NotFoundError, and UsageError where several have the prefix.
    """
    found = [
        (desk, item) for desk in desks for item in _matching(name, items_of(desk), aliases_of(desk))
    ]
    return _only(found, "unknown_item", "no decision here has that id, prefix or alias")


def migration_named(desks: Sequence[Desk], name: str) -> tuple[Desk, Migration]:
    """The migration of that id or prefix; or the one proposal about the decision of that name."""
    found = [
        (desk, one)
        for desk in desks
        for one in desk.migrations
        if one.id in _matching(name, (one.id,), {})
    ]
    if not found:
        found = [
            (desk, one.migration)
            for desk in desks
            for item in _matching(name, items_of(desk), aliases_of(desk))
            for one in desk.record.proposals
            if item in items_in(one.migration)
        ]
    return _only(found, "unknown_proposal", "no proposal here has that id, or is about that")


def items_of(desk: Desk) -> list[str]:
    """Every decision of a ledger: those that stand, and those that proposals would create."""
    created = {
        operation.values["item"]
        for migration in desk.migrations
        for operation in migration.operations
        if operation.name == "create_item"
    }
    return sorted(created | set(desk.basis.items))


def aliases_of(desk: Desk) -> dict[str, str]:
    """The aliases that stand, and those that proposals would give."""
    proposed = {
        operation.values["alias"]: str(operation.values["item"])
        for one in desk.record.proposals
        for operation in one.migration.operations
        if operation.name == "add_alias"
    }
    return {**proposed, **desk.basis.aliases}


def items_in(migration: Migration) -> list[str]:
    """The decisions that a migration creates or acts on, each once."""
    found: dict[str, None] = {}
    for operation in migration.operations:
        if operation.name == "create_item":
            found[operation.values["item"]] = None
        found.update(dict.fromkeys(operation.items))
    return list(found)


def _matching(name: str, ids: Iterable[str], aliases: dict[str, str]) -> list[str]:
    if name in aliases:
        return [aliases[name]]
    wanted = name.upper()
    if len(wanted) < SHORTEST:
        return []
    return [one for one in ids if one.startswith(wanted)]


def _only(found: list[T], code: str, what: str) -> T:
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFoundError(code, what, "citator decisions list shows what there is")
    raise _ambiguous()


def _ambiguous() -> CitatorError:
    return UsageError(
        "ambiguous_name",
        "several here have that name",
        "give more characters of the id: citator decisions list shows them",
    )
