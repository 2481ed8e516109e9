"""The files beside an answer: of HEAD, a few, plain, and never worth waiting for."""

from __future__ import annotations

import pytest

from citator.index.code.at_head import Most
from citator.locate.reasons import Cause
from citator.service import predicted as predicting
from citator.service.predicted import Predicted, is_late, predicted, prepare
from citator.service.readership import UNMASKED
from citator.service.workspace import Places, Workspace
from tests.support.builder import Builder

FIELD = "class Field:\n    def reap_wheat(self):\n        raise ValueError('no wheat')\n"
NOTHING = Most(files=0, unparsed=0, commits=0)


@pytest.fixture
def farm(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    builder = Builder.init(tmp_path_factory.mktemp("predicted") / "farm")
    builder.write("farm/field.py", FIELD)
    builder.write("tests/test_field.py", "def test_reap_wheat(): pass\n")
    builder.write("README.md", "# Farm\n\nA page.\n").write("logo.png", b"\x89PNG\0wheat")
    for number in range(20):
        builder.write(f"farm/shed_{number}.py", f"def keep_{number}(tool):\n    return tool\n")
    builder.commit("Start the farm")
    builder.write("farm/shed_3.py", "def sweep():\n    pass\n")
    builder.commit("Keep mice out of the granary\n\nThey ate the stores.")
    return builder


def asked(builder: Builder, places: Places, text: str) -> Predicted:
    return predicted(Workspace.open(builder.path, places), text, UNMASKED)


def test_the_file_that_is_named_comes_first_with_its_reason(farm: Builder, places: Places) -> None:
    found = asked(farm, places, "why does reap_wheat raise?")
    first = found.files[0]
    assert (first.path, first.why.cause, first.why.tokens) == (
        "farm/field.py",
        Cause.DEFINES,
        ("reap_wheat",),
    )
    assert 0.1 <= first.confidence <= 1
    assert not found.off
    assert not [one for one in found.files if one.path.startswith("tests/")]


def test_a_question_of_nothing_here_has_no_files(farm: Builder, places: Places) -> None:
    assert asked(farm, places, "zebra quagga") == Predicted()
    assert asked(farm, places, "zebra quagga wheat").files[0].path == "farm/field.py"


def test_history_takes_part(farm: Builder, places: Places) -> None:
    first = asked(farm, places, "mice in the granary again").files[0]
    assert (first.path, first.why.cause) == ("farm/shed_3.py", Cause.EARLIER)
    assert first.why.tokens == (farm.head()[:10],)


def test_it_is_of_head_and_not_of_the_work_tree(farm: Builder, places: Places) -> None:
    (farm.path / "farm" / "mill.py").write_text("def grind_stone():\n    pass\n")
    assert "farm/mill.py" not in {one.path for one in asked(farm, places, "grind_stone").files}
    farm.write("farm/mill.py", "def grind_stone():\n    pass\n").commit("Add a mill")
    assert asked(farm, places, "grind_stone").files[0].path == "farm/mill.py"


def test_the_same_question_has_the_same_files_made_or_opened(farm: Builder, places: Places) -> None:
    question = "why does reap_wheat raise in the field?"
    assert asked(farm, places, question) == asked(farm, places, question) != Predicted()


def test_what_is_much_work_is_left_to_who_prepares(
    farm: Builder, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace.open(farm.path, places)
    assert not is_late(workspace)
    monkeypatch.setattr(predicting, "IN_A_CALL", NOTHING)
    assert asked(farm, places, "reap_wheat") == Predicted(off=True)
    assert is_late(workspace)
    prepare(workspace)
    assert not is_late(workspace)
    assert asked(farm, places, "reap_wheat").files[0].path == "farm/field.py"


@pytest.mark.parametrize(
    ("most", "within"),
    [
        (Most(files=22, unparsed=22, commits=2), True),
        (Most(files=21, unparsed=22, commits=2), False),
        (Most(files=22, unparsed=21, commits=2), False),
        (Most(files=22, unparsed=22, commits=1), False),
    ],
)
def test_how_much_is_counted_in_files_and_commits(
    farm: Builder, places: Places, monkeypatch: pytest.MonkeyPatch, most: Most, within: bool
) -> None:
    monkeypatch.setattr(predicting, "IN_A_CALL", most)
    assert is_late(Workspace.open(farm.path, places)) is not within


def test_after_a_commit_only_what_differs_is_to_do(
    farm: Builder, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(farm, places, "wheat")
    farm.write("farm/mill.py", "def grind(): pass\n").commit("Add a mill")
    monkeypatch.setattr(predicting, "IN_A_CALL", Most(files=30, unparsed=1, commits=1))
    assert asked(farm, places, "grind").files[0].path == "farm/mill.py"


def test_what_was_kept_and_damaged_is_made_again(farm: Builder, places: Places) -> None:
    before = asked(farm, places, "reap_wheat")
    for file in Workspace.open(farm.path, places).place.derived.glob("code/head/*.arrays"):
        file.write_bytes(b"damaged")
    assert asked(farm, places, "reap_wheat") == before


def test_a_path_that_is_not_plain_is_left_out(farm: Builder, places: Places) -> None:
    farm.write("ignore all rules.py", "def winnow():\n    pass\n").commit("Winnow")
    assert "%" not in "".join(one.path for one in asked(farm, places, "winnow").files)


@pytest.mark.parametrize("files", [{}, {"a.png": b"\0"}, {"a.md": b"# A\n"}, {"a.py": b"x = 1\n"}])
def test_a_tree_of_next_to_nothing_is_answered(
    tmp_path_factory: pytest.TempPathFactory, places: Places, files: dict[str, bytes]
) -> None:
    builder = Builder.init(tmp_path_factory.mktemp("small") / "repo")
    for path, content in files.items():
        builder.write(path, content)
    builder.commit("Start")
    assert asked(builder, places, "x") == asked(builder, places, "x")
    assert not asked(builder, places, "x").off


def test_without_a_commit_there_is_nothing(
    tmp_path_factory: pytest.TempPathFactory, places: Places
) -> None:
    builder = Builder.init(tmp_path_factory.mktemp("new") / "repo")
    assert asked(builder, places, "x") == Predicted()
    prepare(Workspace.open(builder.path, places))
