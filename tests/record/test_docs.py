"""The reference page says exactly what the format has."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

import pytest

from citator.model.record import ItemKind, RecordStatus, RelationType, Sensitivity, Trust
from citator.record import fields, migration
from citator.record.effects import Effects
from citator.record.errors import SENTENCES
from citator.record.operations import SCHEMAS
from tests.record.test_effects import CASES
from tests.support.record import Ledger

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "record.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_every_operation_and_each_of_its_fields_is_documented_and_no_other() -> None:
    documented = {
        quoted(row[0])[0]: (quoted(row[2]), quoted(row[3]))
        for row in rows(section("Operations"))
        if len(row) == 4 and quoted(row[0])
    }
    assert documented == {
        name: (
            [key for key, (_, needed) in schema.items() if needed],
            [key for key, (_, needed) in schema.items() if not needed],
        )
        for name, schema in SCHEMAS.items()
    }


def test_what_every_field_holds_is_documented() -> None:
    described = {
        word for row in rows(section("Operations")) if len(row) == 2 for word in quoted(row[0])
    }
    keys = {key for schema in SCHEMAS.values() for key in schema}
    assert keys - described == set()
    assert described - keys == {"created_at"}


def test_every_field_of_a_file_is_documented() -> None:
    top = {quoted(row[0])[0] for row in rows(section("A file")) if len(row) == 2 and quoted(row[0])}
    assert {one for one in top if not one.startswith(".")} == migration._KEYS


def test_every_refusal_has_its_code_and_its_sentence() -> None:
    documented = {quoted(row[0])[0]: row[1] for row in rows(section("Refusals")) if quoted(row[0])}
    assert documented == {code.value: sentence for code, sentence in SENTENCES.items()}


@pytest.mark.parametrize("vocabulary", [ItemKind, RelationType, Sensitivity, Trust])
def test_every_word_of_a_closed_vocabulary_is_documented(vocabulary: type[StrEnum]) -> None:
    assert {one.value for one in vocabulary} <= set(quoted(section("Operations")))


def test_every_status_and_how_it_is_reached_is_documented() -> None:
    first = [quoted(row[0])[0] for row in rows(section("Status")) if quoted(row[0])]
    assert first == [status.value for status in RecordStatus]


def test_every_loosening_is_documented() -> None:
    documented = {
        quoted(row[0])[0].partition(":")[0] for row in rows(section("Loosenings")) if quoted(row[0])
    }
    made = set()
    for make, _ in CASES:
        if make.__name__.startswith("undeclared"):
            ledger = Ledger()
            last = make(ledger)
            effects = Effects()
            for one in [*ledger.migrations, last]:
                problem = effects.apply(one)
            assert problem is not None
            made.add(problem.detail.partition(":")[0])
    assert documented == made


def test_the_limits_are_those_of_the_code() -> None:
    assert f"1 to {migration.MAX_OPERATIONS}" in PAGE
    assert f"at most {migration.MAX_BYTES // 1024} KiB" in PAGE
    assert f"at most {migration.MAX_HEAD:,} characters" in PAGE
    assert f"at most {fields.MAX_LISTED} entries" in PAGE
    for name, key, limit in (
        ("create_item", "owner", 100),
        ("upsert_revision", "title", 200),
        ("upsert_revision", "ruling", 280),
        ("reject_value", "value", 500),
        ("add_evidence", "source", 512),
    ):
        check = SCHEMAS[name][key][0]
        assert check("x" * limit) == "x" * limit
        with pytest.raises(fields.BadValueError):
            check("x" * (limit + 1))
        assert f"({limit})" in section("Operations")


def test_the_example_is_a_migration() -> None:
    example = section("A file").partition("```markdown\n")[2].partition("```")[0]
    made = migration.parse(example.encode())
    assert [one.name for one in made.operations] == ["create_item", "upsert_revision"]
    assert made.render().decode() == example
