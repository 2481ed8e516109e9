"""``citator locate``: text, file or standard input; at most 400 tokens for ten files."""

from __future__ import annotations

from pathlib import Path

import pytest

from citator.service.reason_wording import NOTHING_SAID
from citator.store.layout import Layout
from citator.trust.pins import Pins
from tests.cli.process import Home
from tests.support.approving import Person, files, pin
from tests.support.builder import Builder
from tests.support.record import Ledger

ADA = Person()


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    builder = Builder.init(tmp_path / "farm")
    for number in range(30):
        path = f"farm/machinery/harvesting/equipment_{number:02}.py"
        builder.write(path, f"def reap_wheat_{number}(wheat):\n    return wheat\n")
    builder.commit("Start the farm")
    builder.write("farm/mill.py", "def grind():\n    pass\n").commit("Grind wheat in a mill")
    return builder.path


def test_ten_files_are_at_most_400_tokens(home: Home, farm: Path) -> None:
    done = home.run("locate", "reap wheat with the harvesting equipment", "--root", farm)
    assert done.code == 0
    assert [line[:3] for line in done.out.splitlines() if line[0].isdigit()][-1] == "10."
    assert len(done.out.encode()) / 4 <= 400


def test_a_file_and_standard_input_hold_the_same_issue(
    home: Home, farm: Path, tmp_path: Path
) -> None:
    issue = tmp_path / "issue.md"
    issue.write_text("grind wheat\n\nThe mill stands still.\n")
    by_file = home.run("locate", issue, "--root", farm, "--json").object
    by_text = home.run("locate", issue.read_text(), "--root", farm, "--json").object
    assert by_file == by_text
    assert by_file["files"][0]["path"] == "farm/mill.py"
    assert by_file["files"][0]["functions"] == [
        {"name": "grind", "is_type": False, "first": 1, "last": 2}
    ]


def test_a_folder_that_is_no_repository_answers_without_history(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "loose"
    folder.mkdir()
    (folder / "mill.py").write_text("def grind():\n    pass\n")
    done = home.run("locate", "grind", "--root", folder)
    assert done.code == 0
    assert "Off: history." in done.out


def test_what_governs_a_file_is_quoted_within_the_400_tokens(home: Home, farm: Path) -> None:
    builder, made = Builder(farm), Ledger()
    for number in range(5):
        words = f"Keep harvesting apart from milling, {number} " + "and weigh wheat " * 14
        made.decide(f"Decide {number}", ruling=words.strip(), paths=["farm/machinery/**"])
    said = [ADA.says(one) for one in made.migrations]
    for one in files(made.migrations, approvals=said):
        assert one.content is not None
        builder.write(f".citator/{one.path}", one.content)
    builder.commit("Land decisions")
    data = home.path / "data"
    data.mkdir(mode=0o700, parents=True)
    Pins(Layout(data)).write(pin(ADA))

    issue = "reap wheat with the harvesting equipment"
    short = home.run("locate", issue, "--root", farm)
    assert len(short.out.encode()) / 4 <= 400
    lines = [line for line in short.out.splitlines() if line.startswith("Decision ")]
    assert len(lines) == 5
    assert lines[0].endswith("(approved, signature: key) governs 1, 2, 3, 4, 5, 6, 7, 8, 9, 10.")

    full = home.run("locate", issue, "--root", farm, "--detail")
    assert "    > Keep harvesting apart from milling, 0 and weigh wheat" in full.out
    found = home.run("locate", issue, "--root", farm, "--json").object
    assert found["files"][0]["decisions"] == [one["item"] for one in found["decisions"]]


def test_answers_are_held_to_every_folder_that_is_named(home: Home, farm: Path) -> None:
    places = ("--under", "farm/mill.py", "--under", "./farm/machinery/harvesting/")
    found = home.run("locate", "grind wheat", "--root", farm, *places, "--limit", "100", "--json")
    assert len(found.object["files"]) == 31
    found = home.run("locate", "grind wheat", "--root", farm, *places[:2], "--json")
    assert [one["path"] for one in found.object["files"]] == ["farm/mill.py"]


def test_nothing_to_name_is_not_found(home: Home, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert home.run("locate", "grind", "--root", tmp_path / "empty").code == 3


def test_an_issue_of_nothing_here_has_no_answer(home: Home, farm: Path) -> None:
    done = home.run("locate", "zebra quagga", "--root", farm)
    assert (done.code, done.out.splitlines()) == (3, [NOTHING_SAID])
    done = home.run("locate", "zebra quagga", "--root", farm, "--json")
    assert (done.code, done.object["files"], done.object["considered"]) == (3, [], 31)
    assert home.run("locate", "zebra wheat", "--root", farm).code == 0
