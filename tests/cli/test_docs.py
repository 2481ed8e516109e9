"""The reference pages name exactly what the command has."""

from __future__ import annotations

import dataclasses
import re
from enum import StrEnum
from pathlib import Path

import click
import pytest

from citator.cli.border import INTERRUPTED, PIPE_CLOSED
from citator.cli.completion import entry_of, walk
from citator.cli.tree import citator
from citator.index.protocol import GenerationInfo
from citator.model.document import Reviewer, ReviewFinding, Severity, Stated, ThreadState
from citator.model.errors import ExitCode
from citator.model.evidence import (
    AbstainReason,
    Answer,
    Evidence,
    ReadItem,
    ReviewEvidence,
    Status,
)
from citator.model.horizon import Horizon, HorizonFact
from citator.service.doctor import Check
from citator.service.findings import FindingKind
from citator.service.forget import Belonging
from citator.service.index_history import IndexStatus, UpdateReport
from citator.service.research import Researched
from citator.service.skills import Listed
from citator.trust.skill_advice import Advice, Advised

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def quoted(page: str) -> set[str]:
    """Everything that stands between backticks on a page."""
    return set(re.findall(r"`([^`]+)`", (REFERENCE / page).read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "form",
    [
        Answer,
        Evidence,
        ReviewEvidence,
        ReviewFinding,
        Stated,
        ReadItem,
        Horizon,
        HorizonFact,
        Check,
        Belonging,
        IndexStatus,
        UpdateReport,
        GenerationInfo,
        Listed,
        Advised,
        Researched,
    ],
)
def test_every_key_of_the_json_is_documented(form: type) -> None:
    keys = {field.name for field in dataclasses.fields(form)}
    assert keys - quoted("json.md") == set()


@pytest.mark.parametrize(
    "vocabulary", [AbstainReason, FindingKind, Status, ThreadState, Reviewer, Severity, Advice]
)
def test_every_word_of_a_closed_vocabulary_is_documented(vocabulary: type[StrEnum]) -> None:
    assert {member.value for member in vocabulary} - quoted("json.md") == set()


def test_every_command_and_every_option_of_its_own_is_documented() -> None:
    page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    for entry in walk(entry_of(citator, click.Context(citator), ())):
        if entry.path and not entry.children:
            assert f"`{' '.join(entry.path)}" in page
        for name, _ in entry.options:
            assert name in page


def test_every_exit_code_is_documented() -> None:
    page = (REFERENCE / "exit-codes.md").read_text(encoding="utf-8")
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    assert listed == {*map(int, ExitCode), INTERRUPTED, PIPE_CLOSED}
