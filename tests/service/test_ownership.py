"""Whose work a path is: by recent changes, without bots, joined as the repository asks."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from citator.cli.survey import lines
from citator.formats.codeowners import parse
from citator.model.docket import Owner
from citator.model.document import Person, author_number
from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.service.ownership import owners_of
from citator.service.survey import survey
from citator.service.workspace import Places
from citator.store.layout import Layout
from citator.trust.readership import PathRule, Readership, Readerships
from tests.service.test_record import Open
from tests.support.builder import EPOCH, Builder

YEAR = 365 * 86_400
ADA = Person("Ada", "ada@example.org")
BO = Person("Bo", "bo@example.org")
HOME = Person("Bo at home", "bo@home.example")
BOT = Person("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com")


def said(person: Person) -> str:
    return f"{person.name} <{person.email}>"


@pytest.fixture
def mill(tmp_path: Path) -> Builder:
    """Ada built it and left; Bo, under two addresses, works on it since; a bot touches it most."""
    built = Builder.init(tmp_path / "mill")
    for number in range(12):
        built.write("mill/wheel.py", f"a = {number}\n")
        built.commit("Turn", date=EPOCH + number, author=said(ADA))
    for number in range(8):
        built.write("mill/wheel.py", f"b = {number}\n")
        who = HOME if number % 2 else BO
        built.commit("Turn", date=EPOCH + 2 * YEAR + number, author=said(who))
    for number in range(30):
        built.write("mill/wheel.py", f"c = {number}\n")
        built.commit("Bump", date=EPOCH + 2 * YEAR + 100 + number, author=said(BOT))
    built.write(".mailmap", f"Bo <{BO.email}> <{HOME.email}>\n")
    built.write("CODEOWNERS", "* @org/all\n/mill/ @org/millers ops@example.org\n/mill/x.py\n")
    built.commit("Say who", date=EPOCH + 2 * YEAR + 500, author=said(BO))
    return built


def test_recent_work_weighs_more_and_bots_weigh_nothing(
    mill: Builder, open_workspace: Open
) -> None:
    found = owners_of(open_workspace(mill), ["mill", "mill/wheel.py"], EPOCH + 2 * YEAR)
    folder, file = found.paths
    assert (folder.path, file.path) == ("mill", "mill/wheel.py")
    assert (folder.changes, folder.factor) == (20, 1)
    assert folder.owners == file.owners
    assert folder.owners == (
        Owner(author_number(BO), 0.73, 8, "2025-12-31"),
        Owner(author_number(ADA), 0.27, 12, "2024-01-01"),
    )
    assert {one.name for one in found.people.values()} == {"Ada", "Bo"}
    assert folder.declared == ("@org/millers", "ops@example.org")


def test_the_survey_names_folders_that_rest_on_one_and_numbers_for_others(
    mill: Builder, open_workspace: Open, places: Places
) -> None:
    now = datetime.fromtimestamp(EPOCH + 2 * YEAR, UTC)
    workspace = open_workspace(mill)
    (one,) = survey(workspace, Audience(), now, 30).owned.paths
    assert (one.path, one.factor, one.owners[0].author) == ("mill", 1, author_number(BO))
    rules = (PathRule("mill/**", Sensitivity.RESTRICTED),)
    Readerships(Layout(places.data)).set(workspace.repository_id, Readership(rules=rules))
    assert survey(workspace, Audience(), now, 30).owned.paths == ()


def test_the_command_names_nobody_where_no_person_watches(
    mill: Builder, open_workspace: Open
) -> None:
    now = datetime.fromtimestamp(EPOCH + 2 * YEAR, UTC)
    found = survey(open_workspace(mill), Audience(), now, 30)
    told, seen = ("\n".join(lines(found, names=names)) for names in (False, True))
    assert f"mill: author {author_number(BO)}, 73% of 20 changes, last 2025-12-31" in told
    assert "Bo" not in told and "mill: Bo, 73%" in seen


def test_code_owners_are_those_of_the_last_pattern_that_matches() -> None:
    rules = parse(
        b"# who\n*.py @py # all\ndocs/ @docs\n/src/core @core a@b.c\n/src/core/free.py\n"
        b"**/deep @deep\n[Section]\n!no @never\n/a\\ b.txt @spaced\n"
    )
    assert rules.of("x/a.py") == ("@py",)
    assert rules.of("docs/x.md") == rules.of("a/docs/x.md") == ("@docs",)
    assert rules.of("src/core") == rules.of("src/core/a.py") == ("@core", "a@b.c")
    assert (rules.of("src/core/free.py"), rules.of("LICENSE")) == ((), ())
    assert rules.of("p/deep/q.txt") == ("@deep",)
    assert rules.of("a b.txt") == ("@spaced",)
