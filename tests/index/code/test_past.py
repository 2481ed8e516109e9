"""What earlier commits said and touched, as one tip sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from citator.git import history
from citator.git.repository import discover
from citator.index.code import building
from citator.index.code import past as pasts
from citator.index.code.store import FactStore
from citator.index.code.words import Words, number_of
from tests.support.builder import Builder


@pytest.fixture
def farm(tmp_path: Path) -> Builder:
    builder = Builder.init(tmp_path / "farm")
    builder.write("field.py", "1").write("barn.py", "1").commit("Sow wheat")
    builder.branch("side")
    builder.write("field.py", "2").commit("Fix the wheat")
    builder.switch("side")
    builder.write("mill.py", "1").commit("Grind oats")
    return builder


def segment(builder: Builder, tip: str, *excluding: str) -> bytes:
    repo = discover(builder.path)
    return pasts.pack(pasts.segment_of(history.commits(repo, tip, excluding), Words()))


def test_only_ancestors_of_the_tip_take_part(farm: Builder) -> None:
    main, side = farm.resolve("main"), farm.resolve("side")
    past = pasts.joined([segment(farm, main), segment(farm, side, main)])
    view = pasts.view_of(past, [side], ["barn.py", "field.py", "mill.py"])
    assert [f"{one:016x}" for one in view.ids.tolist()] == [
        farm.resolve("side^")[:16],
        side[:16],
    ]
    pairs = list(zip(view.commits.tolist(), view.files.tolist(), strict=True))
    assert sorted(pairs) == [(0, 0), (0, 1), (1, 2)]
    assert view.messages.rows(view.messages.terms)[1].size > 0
    assert number_of("fix") not in view.messages.terms.tolist()


def test_an_empty_segment_changes_nothing(farm: Builder) -> None:
    main, side = farm.resolve("main"), farm.resolve("side")
    parts = [segment(farm, main), segment(farm, main, main), segment(farm, side, main)]
    with_empty, without = pasts.joined(parts), pasts.joined([parts[0], parts[2]])
    assert with_empty.path_ends.tolist() == without.path_ends.tolist() == [2, 3, 4]


def test_a_commit_that_was_read_twice_counts_once(farm: Builder) -> None:
    main = farm.resolve("main")
    past = pasts.joined([segment(farm, main), segment(farm, main)])
    assert past.ancestors([main]).tolist() == [True, True, False, False]


def test_a_merge_touches_what_it_brought(farm: Builder) -> None:
    farm.switch("main")
    merge = farm.merge("side", message="Merge the mill")
    past = pasts.joined([segment(farm, merge)])
    view = pasts.view_of(past, [merge], ["mill.py"])
    assert {f"{int(view.ids[one]):016x}" for one in view.commits.tolist()} == {
        farm.resolve("side")[:16],
        merge[:16],
    }


def test_a_moved_file_keeps_its_past(farm: Builder) -> None:
    farm.switch("main")
    farm.remove("field.py").write("src/field.py", "2").commit("Move the field")
    past = pasts.joined([segment(farm, farm.head())])
    view = pasts.view_of(past, [farm.head()], ["barn.py", "src/field.py"])
    assert view.files.tolist().count(1) == 4  # sown, mended, and the move as both of its places


def test_what_a_commit_changed_in_the_record_does_not_show(farm: Builder) -> None:
    base, tips = farm.head(), []
    for draft in ("", "A draft that not everybody may see.\n"):
        farm.git("checkout", "--quiet", "--detach", base)
        farm.write("plough.py", "depth = 3\n").write(".citator/config.yaml", f"# {draft}\n")
        if draft:
            farm.write(".citator/proposals/draft.md", draft)
        tips.append(farm.commit("Plough deeper"))
    without, with_draft = (pasts.joined([segment(farm, tip, base)]) for tip in tips)
    assert with_draft.paths.tolist() == without.paths.tolist() == [pasts.path_number("plough.py")]


def test_a_fix_is_told_by_its_message(farm: Builder) -> None:
    past = pasts.joined([segment(farm, farm.resolve("main"))])
    assert past.fixes.tolist() == [0, 1]


def test_a_damaged_segment_is_refused() -> None:
    with pytest.raises(ValueError, match="segment"):
        pasts.joined([b"garbage"])


def test_a_segment_joins_what_was_joined(farm: Builder) -> None:
    main, side = farm.resolve("main"), farm.resolve("side")
    parts = [segment(farm, main), segment(farm, side, main)]
    whole, grown = pasts.joined(parts), pasts.joined(parts[1:], pasts.joined(parts[:1]))
    for name in vars(whole):
        assert getattr(whole, name).tolist() == getattr(grown, name).tolist()


def test_many_small_segments_become_one(
    farm: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "_MANY", 3)
    farm.switch("main")
    tips = [farm.write("field.py", f"{turn} rows").commit(f"Sow {turn}") for turn in range(5)]
    with building.CodeIndex(discover(farm.path), tmp_path / "code", Words()) as index:
        past = [index.commits(tip) for tip in tips][-1]
    with FactStore(tmp_path / "code" / "facts.sqlite") as store:
        assert store.tips() == [tips[4], tips[3]]
        folded = pasts.joined(store.segments())
    assert folded.ids.tolist() == past.ids.tolist()
    assert past.ancestors(tips[-1:]).all()
