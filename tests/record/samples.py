"""One whole sample of every operation, and a strategy that makes migrations of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from citator.record import fields
from citator.record.migration import Migration
from citator.record.operations import GOVERNANCE, SCHEMAS, checked
from citator.record.printable import is_printable
from citator.trust.policy import Policy
from tests.support.keys import ed25519_key

ITEM = "01J9ZK4E3M8QW7X2V5T6R1N0PA"
OTHER = "01J9ZK4E3M8QW7X2V5T6R1N0PB"
THIRD = "01J9ZK4E3M8QW7X2V5T6R1N0PC"
DIGEST = "0123456789abcdef" * 4
COMMIT = "89abcdef" * 5

RELATION: dict[str, Any] = {"source": ITEM, "type": "supersedes", "target": OTHER}
SAMPLES: dict[str, dict[str, Any]] = {
    "create_item": {
        "item": ITEM,
        "kind": "architecture",
        "owner": 'Team "Sessions" & Søn',
        "sensitivity": "confidential",
        "tenant": "acme",
        "groups": ["ops", "security"],
    },
    "upsert_revision": {
        "item": ITEM,
        "title": "Keep sessions in SQLite: one file, no server",
        "ruling": "# セッションは SQLite に保存する — “one” file \\ no server",
        "trust": "reviewed",
        "labels": ["a.b", "sessions"],
        "paths": ["docs/session.md", "src/session/**"],
        "anchors": [
            {"commit": COMMIT, "path": "src/a.py", "lines": [1, 20]},
            {"blob": COMMIT, "uri": "https://example.org/x?y=z#1"},
        ],
        "refuse": {"packages": ["redis"], "patterns": ["os.environ[*SECRET"]},
        "valid_from": "2026-03-01T09:00:00Z",
        "valid_to": "2027-03-01T09:00:00Z",
    },
    "deprecate_item": {"item": ITEM, "reason": "yes"},
    "restore_item": {"item": ITEM, "reason": "null"},
    "add_relation": {**RELATION, "note": "- 1: [x]"},
    "remove_relation": RELATION,
    "add_alias": {"alias": "adr-0007", "item": ITEM},
    "remove_alias": {"alias": "adr-0007", "item": ITEM},
    "change_sensitivity": {"item": ITEM, "sensitivity": "public", "reason": "it is out"},
    "change_owner": {"item": ITEM, "owner": "core"},
    "register_specification": {
        "specification": OTHER,
        "item": ITEM,
        "uri": "docs/session.md",
        "format": "text/markdown",
    },
    "supersede_specification": {"specification": OTHER, "by": THIRD},
    "add_evidence": {
        "item": ITEM,
        "source": "commit:v1:abc",
        "description": "it was measured",
        "confidence": 80,
    },
    "remove_evidence": {"item": ITEM, "source": "commit:v1:abc"},
    "reject_value": {
        "value": "Use Redis",
        "reason": "one more server",
        "change": "a second host",
        "kind": "operations",
        "scope": ["src/session/**"],
        "sensitivity": "internal",
        "tenant": "acme",
        "groups": ["ops"],
    },
    "lift_rejection": {"rejection": DIGEST, "reason": "we run one now"},
    "set_approvers": {
        "approvers": [
            {"label": "ada", "key": ed25519_key(1).public.text, "emails": ["ada@example.org"]},
            {"label": "bob", "key": ed25519_key(2).public.text},
        ]
    },
    "set_policy": {"policy": Policy("main", author_may_approve=True).to_dict()},
}
assert SAMPLES.keys() == SCHEMAS.keys()


def sample(name: str, **changes: Any) -> dict[str, Any]:
    """The sample of an operation as front matter holds it; a change to None leaves a field out."""
    given = {"op": name, **SAMPLES[name], **changes}
    return {key: value for key, value in given.items() if value is not None}


line = st.text(
    st.characters(
        min_codepoint=32, max_codepoint=0x2FFFF, categories=["L", "M", "N", "P", "S", "Zs"]
    ),
    min_size=1,
    max_size=40,
).filter(lambda text: is_printable(text) and bool(text.strip()))
body = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)


@st.composite
def migrations(draw: st.DrawFn) -> Migration:
    """Any migration whose operations are samples, words and body any text."""
    governs = draw(st.booleans())
    names = sorted(GOVERNANCE if governs else SCHEMAS.keys() - GOVERNANCE)
    operations = []
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True)):
        raw = sample(name)
        for key in ("title", "ruling", "note", "reason", "owner", "value", "description"):
            if key in raw and draw(st.booleans()):
                raw[key] = draw(line)
        if draw(st.booleans()):
            raw["base"] = [DIGEST]
        operations.append(checked(raw, 1))
    slots = {one.slot: one for one in operations}
    text = draw(body).replace("\r\n", "\n").replace("\r", "\n")
    return Migration(
        ITEM,
        checked_line(draw(line)),
        "2026-03-01T09:00:00Z",
        tuple(slots.values()),
        text.strip("\n") + "\n" if text.strip() else "",
        tuple(
            draw(
                st.lists(st.sampled_from([f"readmit:{ITEM}", "change_policy"]), unique=True).map(
                    sorted
                )
            )
        ),
        draw(st.booleans()),
    )


def checked_line(value: str) -> str:
    """A text as a checked migration holds it."""
    found: str = fields.text(320)(value)
    return found
