"""Which commits are worth a note: rules that can be told in a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.team.capture import Captured, Rule, captured
from citator.team.notes import NoteKind

WHY = ["", "The pool was exhausted on every deployment, because sessions leak."]
CODE = ("src/a.py", "src/b.py", "src/c.py")


@pytest.mark.parametrize(
    ("subject", "body", "paths", "expected"),
    [
        ("feat(api)!: Return ids as text", [], CODE, ("decision-hint", Rule.BREAKING)),
        ("chore: x", ["", "BREAKING CHANGE: no more 3.10 here"], CODE, None),
        ("fix: x", ["", "BREAKING CHANGE: no"], CODE, ("decision-hint", Rule.BREAKING)),
        ("Replace the ORM with plain SQL", WHY, CODE, ("decision-hint", Rule.CHOICE)),
        ("refactor(db): migrate sessions", WHY, CODE[:1], ("decision-hint", Rule.CHOICE)),
        ("Replace the ORM with plain SQL", [], CODE, None),
        ("Displace nothing, replacement of words", WHY, CODE[:1], None),
        ('Revert "Add the cache"', ["", "This reverts commit 0123456789a."], CODE, None),
        ("Bring sessions back", [*WHY, "This reverts commit 0123456789a."], CODE,
         ("avoid", Rule.REVERT)),
        ("revert(cache): add it", WHY, CODE, ("avoid", Rule.REVERT)),
        ("Roll back the cache", WHY, CODE, ("avoid", Rule.REVERT)),
        ("Undo button in the editor", WHY, CODE[:1], None),
        ("fix(pool): close sessions", WHY, CODE, ("pattern", Rule.WIDE)),
        ("fix(pool): close sessions", WHY, CODE[:2], None),
        ("fix(pool): close sessions", WHY, (*CODE[:2], "tests/test_a.py"), None),
        ("fix(pool): close sessions", ["", "Signed-off-by: A Person <a@example.org>"], CODE, None),
        ("docs(readme): replace the picture", WHY, CODE, None),
        ("Replace the picture", WHY, ("docs/a.md", "README.md"), None),
        ("Replace the runner", WHY, (".github/workflows/ci.yml", ".travis.yml"), None),
        ("Bump requests from 2.0 to 3.0", WHY, CODE, None),
        ("chore(deps): bump x", WHY, CODE, None),
        ("Drop Python 3.8", WHY, ("pyproject.toml",), ("decision-hint", Rule.CHOICE)),
        ("", WHY, CODE, None),
    ],
)  # fmt: skip
def test_the_rules(
    subject: str, body: list[str], paths: tuple[str, ...], expected: tuple[str, Rule] | None
) -> None:
    found = captured(subject, body, paths, 1)
    assert (found and (found.kind, found.rule)) == expected


def test_the_note_says_the_subject_without_its_type() -> None:
    found = captured("feat(api)!: Return ids as text", [], CODE, 1)
    assert found == Captured(NoteKind.DECISION_HINT, Rule.BREAKING, "Return ids as text")


def test_a_merge_is_none() -> None:
    assert captured("Replace the ORM with plain SQL", WHY, CODE, 2) is None


@given(st.text(max_size=300), st.lists(st.text(max_size=80), max_size=8))
def test_no_message_breaks_a_rule(subject: str, body: list[str]) -> None:
    found = captured(subject, body, CODE, 1)
    assert found is None or found.text in subject
