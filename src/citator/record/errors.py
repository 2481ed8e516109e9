"""Why a migration is refused: closed codes, each with its sentence. No word of a file is in one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from citator.model.errors import CitatorError, ExitCode


class Refusal(StrEnum):
    """Why a migration has no effect. The value is the stable code."""

    UNREADABLE = "unreadable"
    VERSION = "version"
    FIELD = "field"
    UNKNOWN_FIELD = "unknown_field"
    UNKNOWN_OPERATION = "unknown_operation"
    TOO_LARGE = "too_large"
    REPEATED_ID = "repeated_id"
    MISSING_BASE = "missing_base"
    MISSING_ITEM = "missing_item"
    ITEM_EXISTS = "item_exists"
    CIRCULAR = "circular"
    SUPERSEDES_CYCLE = "supersedes_cycle"
    SELF_RELATION = "self_relation"
    TRANSITION = "transition"
    RETIRED_ITEM = "retired_item"
    NO_TEXT = "no_text"
    UNDECLARED_LOOSENING = "undeclared_loosening"
    ALIAS_TAKEN = "alias_taken"
    NOTHING_TO_REMOVE = "nothing_to_remove"
    GOVERNANCE_MIXED = "governance_mixed"
    DEPENDS_ON_REFUSED = "depends_on_refused"


SENTENCES: dict[Refusal, str] = {
    Refusal.UNREADABLE: "the file is not a migration: front matter between `---` lines, then text",
    Refusal.VERSION: "the migration says a format version that this release does not know",
    Refusal.FIELD: "a field holds what it may not hold",
    Refusal.UNKNOWN_FIELD: "a field is none of this format's",
    Refusal.UNKNOWN_OPERATION: "an operation is none of this format's",
    Refusal.TOO_LARGE: "the file is larger than a migration may be",
    Refusal.REPEATED_ID: "two different files carry the same migration id",
    Refusal.MISSING_BASE: "it builds on a state that no accepted migration made",
    Refusal.MISSING_ITEM: "it names an item that no accepted migration created",
    Refusal.ITEM_EXISTS: "it creates an item that exists",
    Refusal.CIRCULAR: "it and another migration each need the other first",
    Refusal.SUPERSEDES_CYCLE: "a decision would supersede itself, through others or directly",
    Refusal.SELF_RELATION: "an item cannot be related to itself",
    Refusal.TRANSITION: "the item's status does not allow this",
    Refusal.RETIRED_ITEM: "the item is retired: restore it first, in words that are approved",
    Refusal.NO_TEXT: "the item has no text to act on",
    Refusal.UNDECLARED_LOOSENING: "it loosens something without saying so under `loosens`",
    Refusal.ALIAS_TAKEN: "the alias already names another item",
    Refusal.NOTHING_TO_REMOVE: "it removes what is not there",
    Refusal.GOVERNANCE_MIXED: "approvers and policy change in a migration of their own",
    Refusal.DEPENDS_ON_REFUSED: "it builds on a migration that was refused",
}


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One refused migration: its id (or its blob's), why, and a plain detail."""

    migration: str
    refusal: Refusal
    detail: str = ""

    @property
    def sentence(self) -> str:
        """The reason in words, the detail after it."""
        text = SENTENCES[self.refusal]
        return f"{text} ({self.detail})" if self.detail else text


class MigrationError(CitatorError):
    """A file is not an acceptable migration. ``refusal`` and ``detail`` say why."""

    exit_code = ExitCode.REFUSED

    def __init__(self, refusal: Refusal, detail: str = "") -> None:
        text = SENTENCES[refusal]
        super().__init__(
            f"migration_{refusal.value}",
            f"{text} ({detail})" if detail else text,
            "see `docs/reference/record.md` for the format",
        )
        self.refusal = refusal
        self.detail = detail
