"""An issue against a small tree: each signal points where it should, and the order follows."""

from __future__ import annotations

import numpy as np
import pytest

from citator.index.code.parsing import facts_of
from citator.index.code.snapshot import snapshot_of
from citator.index.code.words import Words
from citator.locate.functions import Functions
from citator.locate.fusion import Model, features_of, shipped
from citator.locate.issue import read_issue
from citator.locate.protocol import Scene
from citator.locate.rank import rank
from citator.locate.reasons import Cause, Reason, Reasons
from citator.locate.signals import NAMES, table_of
from citator.service.reason_wording import sentence

TREE = {
    "farm/__init__.py": "",
    "farm/barn.py": "from farm.field import Field\n\ndef keep(grain):\n    return grain\n",
    "farm/field.py": (
        "class Field:\n    '''Rows of wheat.'''\n\n    def sow(self):\n        pass\n\n"
        "    def reap_wheat(self):\n        raise ValueError('no wheat to reap')\n"
    ),
    "farm/mill.py": "from farm.barn import keep\n\ndef grind(stone):\n    return stone\n",
}


@pytest.fixture(scope="module")
def words() -> Words:
    return Words()


@pytest.fixture(scope="module")
def scene(words: Words) -> Scene:
    members = [(path, facts_of(text.encode(), path, words)) for path, text in TREE.items()]
    return Scene(snapshot_of(members, words), None)


def best(scene: Scene, words: Words, text: str, signal: str) -> str:
    column = table_of(read_issue(text, words), scene)[:, NAMES.index(signal)]
    assert column.max() > 0
    return scene.code.paths[int(column.argmax())]


@pytest.mark.parametrize(
    ("signal", "text"),
    [
        ("bm25f", "reaping wheat"),
        ("bm25f_title", "reaping wheat\nnothing"),
        ("f_def", "reap_wheat"),
        ("f_path", "field"),
        ("f_prose", "rows"),
        ("f_str", "no wheat"),
        ("ch_max", "reaping wheat"),
        ("fn", "reaping wheat"),
        ("fn_named", "reap_wheat reaps no wheat"),
        ("fn_both", "reaping wheat"),
        ("m_path", "see farm/field.py"),
        ("m_trace_last", 'it fails\n  File "/x/farm/field.py", line 8, in reap_wheat'),
        ("m_module", "use farm.field.Field"),
        ("m_import", "```\nfrom farm.field import Field\n```"),
        ("m_sym", "reap_wheat"),
        ("m_qual", "Field.reap_wheat"),
        ("m_base", "the field"),
        ("ppr_imp", "reaping wheat"),
    ],
)
def test_a_signal_points_at_the_file(scene: Scene, words: Words, signal: str, text: str) -> None:
    assert best(scene, words, text, signal) == "farm/field.py"


def test_imports_carry_an_opinion_to_their_neighbours(scene: Scene, words: Words) -> None:
    table = table_of(read_issue("reaping wheat", words), scene)
    spread = dict(zip(scene.code.paths, table[:, NAMES.index("ppr_imp")], strict=True))
    assert spread["farm/barn.py"] > spread["farm/mill.py"] > 0
    assert spread["farm/__init__.py"] == 0


def test_the_shipped_model_ranks_the_file_first(scene: Scene, words: Words) -> None:
    issue = read_issue("reap_wheat raises ValueError", words)
    ranked = rank(issue, (scene,), shipped(), 2)
    assert scene.code.paths[ranked[0].file] == "farm/field.py"
    assert ranked[0].confidence > ranked[1].confidence > 0


def test_confidences_follow_the_order_within_zero_and_one(scene: Scene, words: Words) -> None:
    ranked = rank(read_issue("grain", words), (scene,), shipped(), 10)
    found = [one.confidence for one in ranked]
    assert found == sorted(found, reverse=True)
    assert 0 < found[-1] <= found[0] < 1


def test_functions_are_those_the_issue_points_at(scene: Scene, words: Words) -> None:
    issue = read_issue("no wheat to reap", words)
    places = Functions(issue, scene, shipped().functions).best(
        scene.code.paths.index("farm/field.py"), 1
    )
    assert [(one.name, one.first, one.last) for one in places] == [("Field.reap_wheat", 7, 8)]


def test_reasons_are_codes_with_plain_tokens(scene: Scene, words: Words) -> None:
    text = 'it fails in reap_wheat\n  File "/x/farm/field.py", line 8, in reap_wheat'
    reasons = told(scene, words, text)["farm/field.py"]
    assert (reasons[0].cause, reasons[0].numbers) == (Cause.TRACEBACK, (1, 1))


def told(scene: Scene, words: Words, text: str) -> dict[str, tuple[Reason, ...]]:
    """The files that are named for an issue, and why."""
    issue = read_issue(text, words)
    reasons, ranked = Reasons(issue, scene), rank(issue, (scene,), shipped(), 10)
    return {scene.code.paths[one.file]: reasons.of(one.file, one.heard) for one in ranked}


def test_an_issue_that_says_nothing_known_has_no_answer(scene: Scene, words: Words) -> None:
    assert rank(read_issue("zzz qqq", words), (scene,), shipped(), 10) == []
    assert next(iter(told(scene, words, "zzz qqq stone"))) == "farm/mill.py"


def test_a_file_that_nothing_points_at_is_no_answer(scene: Scene, words: Words) -> None:
    found = told(scene, words, "reaping wheat")
    assert "farm/__init__.py" not in found
    assert found["farm/barn.py"] == found["farm/mill.py"] == (Reason(Cause.IMPORTS),)


@pytest.mark.parametrize(
    ("heard", "cause"),
    [
        ("m_module ppr_imp", Cause.PATH),
        ("fn ppr_imp", Cause.WORDS),
        ("hp ppr_co", Cause.SAID),
        ("ppr_co", Cause.IMPORTS),
    ],
)
def test_the_least_reason_is_of_what_pointed_there(
    scene: Scene, words: Words, heard: str, cause: Cause
) -> None:
    reasons = Reasons(read_issue("zzz", words), scene)
    assert reasons.of(0, frozenset(heard.split())) == (Reason(cause),)
    assert (
        sentence(Reason(cause))
        == {
            Cause.PATH: "named in the issue",
            Cause.WORDS: "says words of the issue",
            Cause.SAID: "its past changes were told in words of the issue",
            Cause.IMPORTS: "near the others by imports or past changes",
        }[cause]
    )


def test_an_empty_tree_has_no_answer(words: Words) -> None:
    empty = Scene(snapshot_of([], words), None)
    assert rank(read_issue("wheat", words), (empty,), shipped(), 10) == []


def test_features_compare_with_the_best_and_by_place() -> None:
    table = np.zeros((3, len(NAMES)))
    table[:, NAMES.index("bm25f")] = [4.0, 2.0, 0.0]
    found = features_of(table, ("r:bm25f", "k:bm25f", "x:bm25f"))
    assert found.tolist() == [[1, 1, 4], [0.5, 0.5, 2], [0, 0, 0]]


def test_a_model_is_a_sum_of_weighted_features() -> None:
    table = np.zeros((2, len(NAMES)))
    table[:, NAMES.index("m_path")] = [0.0, 1.0]
    assert Model({"r:m_path": 2.0}).scores(table).tolist() == [0.0, 2.0]


def test_a_weight_of_an_occasion_counts_only_on_it() -> None:
    table = np.zeros((2, len(NAMES)))
    table[:, NAMES.index("bm25f")] = [4.0, 2.0]
    model = Model({"r:bm25f": 1.0, "r:bm25f|m_trace": 2.0})
    assert model.scores(table).tolist() == [1.0, 0.5]
    table[1, NAMES.index("m_trace")] = 1.0
    assert model.scores(table).tolist() == [3.0, 1.5]
    assert features_of(table, ("r:bm25f|m_path",)).tolist() == [[0.0], [0.0]]


def test_what_two_kinds_of_evidence_agree_on_is_their_product() -> None:
    table = np.zeros((2, len(NAMES)))
    table[:, NAMES.index("bm25f")] = [4.0, 2.0]
    table[:, NAMES.index("hp")] = [1.0, 2.0]
    assert Model({"r:bm25f*hp": 1.0}).scores(table).tolist() == [0.5, 0.5]


def test_a_confidence_follows_the_lead_over_the_best_other() -> None:
    model = Model({}, first=(1.0, 0.0, 0.0), later=(1.0, 0.0, -1.0))
    ahead = model.confidences(np.array([0.0, 3.0, 1.0]))
    level = model.confidences(np.array([2.9, 3.0]))
    assert ahead[1] == pytest.approx(1 / (1 + np.exp(-2.0)))
    assert ahead.tolist() == [ahead[0], ahead[1], ahead[2]] and ahead[1] > ahead[2] > ahead[0]
    assert ahead[1] > level[1]


def test_no_file_is_surer_than_a_better_one() -> None:
    model = Model({}, first=(1.0, 0.0, -3.0), later=(0.0, 0.0, 2.0))
    assert len(set(model.confidences(np.array([1.0, 1.1, 0.5])).tolist())) == 1
