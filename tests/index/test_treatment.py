"""Treatment by ancestry, read from real histories: what was reverted, by what, how attested."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from citator.git import repository
from citator.index.treatment_mining import mask_at, opened
from citator.index.treatment_view import CommitTreatments
from citator.model.treatment import (
    Attested,
    Edge,
    Facts,
    Rule,
    Standing,
    StandingReason,
    Treatment,
    Verdict,
    counting,
    standing_of,
)
from tests.support.builder import Builder


@pytest.fixture
def repo(tmp_path: Path) -> Builder:
    made = Builder.init(tmp_path / "repo")
    made.write("base.txt", "base\n").commit("Begin")
    return made


@contextmanager
def treated(builder: Builder, store: Path, tip: str | None = None) -> Iterator[CommitTreatments]:
    found = repository.discover(builder.path)
    kept = opened(found, store)
    try:
        mask = mask_at(found, kept, tip or builder.head())
        assert mask is not None
        yield CommitTreatments(kept, mask)
    finally:
        kept.close()


def verdict(treatments: CommitTreatments, commit: str) -> Verdict:
    return standing_of(Facts(), counting(commit, treatments.of))


def add(builder: Builder, name: str, message: str, lines: int = 4) -> str:
    return builder.write(name, "".join(f"{name} {n}\n" for n in range(lines))).commit(message)


def reverted(target: str, title: str) -> str:
    return f'Revert "{title}"\n\nThis reverts commit {target}.\n\nIt broke the build.'


def edges(treatments: CommitTreatments, commit: str) -> list[tuple[Treatment, str, Rule, Attested]]:
    return [(one.treatment, one.by, one.rule, one.strength) for one in treatments.of(commit)]


def test_a_revert_is_found_and_confirmed_by_its_lines(repo: Builder, tmp_path: Path) -> None:
    added = add(repo, "a.txt", "Add a")
    revert = repo.remove("a.txt").commit(reverted(added, "Add a"))
    with treated(repo, tmp_path / "t") as found:
        (edge,) = found.of(added)
        assert edge == Edge(
            Treatment.REVERTS,
            revert,
            added,
            added,
            Rule.REVERT_SENTENCE,
            Attested.FULL_SHA,
            "2024-01-01",
            confirmed=True,
        )
        assert found.by(revert) == [edge]
        assert verdict(found, added) == Verdict(
            Standing.NOT_IN_FORCE, StandingReason.REVERTED, revert
        )
        assert verdict(found, revert).standing is Standing.IN_FORCE


def test_nested_reverts_stand_by_parity_over_the_graph(repo: Builder, tmp_path: Path) -> None:
    added = add(repo, "a.txt", "Add a")
    first = repo.remove("a.txt").commit(reverted(added, "Add a"))
    second = add(repo, "a.txt", reverted(first, 'Revert "Add a"'))
    with treated(repo, tmp_path / "t") as found:
        assert edges(found, added)[0] == (
            Treatment.REINSTATES,
            second,
            Rule.REVERT_OF_REVERT,
            Attested.FULL_SHA,
        )
        assert verdict(found, added) == Verdict(
            Standing.IN_FORCE, StandingReason.REINSTATED, second
        )
        assert verdict(found, first).by == second
    third = repo.remove("a.txt").commit(reverted(second, 'Revert "Revert "Add a""'))
    with treated(repo, tmp_path / "t") as found:
        assert verdict(found, added) == Verdict(
            Standing.NOT_IN_FORCE, StandingReason.REVERTED, first
        )
        assert verdict(found, second).by == third


def test_a_reapplication_without_ids_is_found_by_its_title(repo: Builder, tmp_path: Path) -> None:
    added = add(repo, "a.txt", "Add a")
    revert = repo.remove("a.txt").commit('Revert "Add a"')
    again = add(repo, "a.txt", 'Reapply "Add a"')
    with treated(repo, tmp_path / "t") as found:
        assert edges(found, added) == [
            (Treatment.REINSTATES, again, Rule.REAPPLY, Attested.QUOTED_TITLE),
            (Treatment.REVERTS, revert, Rule.REVERT_TITLE, Attested.QUOTED_TITLE),
        ]
        assert verdict(found, added).standing is Standing.IN_FORCE
    taken = repo.remove("a.txt").commit('Revert "Reapply "Add a""')
    with treated(repo, tmp_path / "t") as found:
        assert verdict(found, again).by == taken
        assert verdict(found, added).by == revert


def test_numbers_name_changes_and_several_at_once(repo: Builder, tmp_path: Path) -> None:
    one = add(repo, "a.txt", "Add a (#11)")
    two = add(repo, "b.txt", "Add b (#12)")
    revert = repo.remove("a.txt").remove("b.txt").commit("Revert PR #11 and #12 (#19)")
    with treated(repo, tmp_path / "t") as found:
        for commit in (one, two):
            assert edges(found, commit) == [
                (Treatment.REVERTS, revert, Rule.REVERT_CHANGE, Attested.PULL_REQUEST)
            ]
            assert verdict(found, commit).by == revert


def test_a_claim_in_the_shape_of_a_published_gold_set(repo: Builder, tmp_path: Path) -> None:
    """Two true pairs, a revert of what is no commit, and words that only speak of reverts."""
    noise = add(repo, "n.txt", "[x] Make the revert checker quiet")
    one = add(repo, "a.txt", "[a] Teach the pass a case")
    two = add(repo, "b.txt", "[b] Fold the loads")
    first = repo.remove("a.txt").commit(
        f'Revert "[a] Teach the pass a case"\n\nThis reverts commit {one}.'
    )
    made_up = repo.commit(
        'Revert "[c] Never was"\n\nThis reverts commit edd1835500000000000000000000000000000000.'
    )
    second = repo.remove("b.txt").commit(
        f'Revert "[b] Fold the loads"\n\nThis reverts commit {two}.\n\nBots were red.'
    )
    with treated(repo, tmp_path / "t") as found:
        pairs = {(one.by, one.of) for one in found.all([Treatment.REVERTS])}
        assert pairs == {(first, one), (second, two)}
        (claimed,) = found.by(made_up)
        assert (claimed.of, claimed.claimed) == (None, "edd1835500000000000000000000000000000000")
        assert found.of(noise) == []


def test_a_mention_in_a_squash_changes_no_standing(repo: Builder, tmp_path: Path) -> None:
    added = add(repo, "a.txt", "Add a")
    squash = add(
        repo, "b.txt", f"Rework (#9)\n\n* Add b\n\n* Revert it\n\nThis reverts commit {added}.\n"
    )
    with treated(repo, tmp_path / "t") as found:
        assert edges(found, added) == [
            (Treatment.REVERTS, squash, Rule.MENTION, Attested.BODY_MENTION)
        ]
        assert verdict(found, added).reason is StandingReason.UNTREATED


def test_a_mention_whose_lines_are_the_inverse_is_structure(repo: Builder, tmp_path: Path) -> None:
    added = add(repo, "a.txt", "Add a")
    squash = (
        repo.remove("a.txt")
        .write("b.txt", "b\n")
        .commit(f"Rework (#9)\n\n* Add b\n\n* Revert it\n\nThis reverts commit {added}.\n")
    )
    with treated(repo, tmp_path / "t") as found:
        assert edges(found, added)[0][3] is Attested.STRUCTURE
        assert verdict(found, added).by == squash


def test_a_part_that_is_reverted_limits(repo: Builder, tmp_path: Path) -> None:
    repo.write("a.txt", "a\n" * 3).write("b.txt", "".join(f"b{n}\n" for n in range(9)))
    added = repo.commit("Add a and b")
    by_words = repo.write("a.txt", "").commit(f"Partially revert {added}")
    with treated(repo, tmp_path / "t") as found:
        (edge,) = found.of(added)
        assert (edge.treatment, edge.part, edge.by) == (Treatment.LIMITS, True, by_words)
        assert verdict(found, added) == Verdict(Standing.CAUTION, StandingReason.LIMITED, by_words)


def test_a_whole_revert_of_a_part_limits_too(repo: Builder, tmp_path: Path) -> None:
    repo.write("a.txt", "a\n" * 2).write("b.txt", "".join(f"b{n}\n" for n in range(9)))
    added = repo.commit("Add a and b")
    repo.remove("a.txt").commit(reverted(added, "Add a and b"))
    with treated(repo, tmp_path / "t") as found:
        assert verdict(found, added).reason is StandingReason.LIMITED


def test_a_revert_with_conflicts_is_one_and_a_change_log_is_not_counted(
    repo: Builder, tmp_path: Path
) -> None:
    repo.write("CHANGES.md", "".join(f"line {n}\n" for n in range(30)))
    repo.write("a.txt", "".join(f"a{n}\n" for n in range(8)))
    added = repo.commit("Add a")
    repo.write("a.txt", "".join(f"{'a' if n < 3 else 'other'}{n}\n" for n in range(8)))
    repo.commit("Change most of a")
    revert = repo.remove("a.txt").commit(reverted(added, "Add a"))
    with treated(repo, tmp_path / "t") as found:
        assert verdict(found, added).by == revert


def test_a_revert_quotes_a_title_without_the_prefix_of_both(repo: Builder, tmp_path: Path) -> None:
    added = add(repo, "a.txt", "time: shard the timer (#6)")
    revert = repo.remove("a.txt").commit('time: revert "shard the timer" (#8)')
    with treated(repo, tmp_path / "t") as found:
        assert verdict(found, added).by == revert


def test_a_merge_of_which_a_part_was_reverted_is_limited_throughout(
    repo: Builder, tmp_path: Path
) -> None:
    repo.switch("side", create=True)
    small, large = add(repo, "a.txt", "Add a", 2), add(repo, "b.txt", "Add b", 9)
    repo.switch("main")
    merge = repo.merge("side", message="Merge pull request #7 from x/side\n\nAdd both")
    repo.remove("a.txt").commit(f"Revert a part\n\nThis reverts commit {merge}.")
    with treated(repo, tmp_path / "t") as found:
        for commit in (merge, small, large):
            assert verdict(found, commit).reason is StandingReason.LIMITED


def test_a_merge_that_is_reverted_takes_what_it_brought(repo: Builder, tmp_path: Path) -> None:
    repo.switch("side", create=True)
    inner = [add(repo, "a.txt", "Add a"), add(repo, "b.txt", "Add b")]
    repo.switch("main")
    add(repo, "c.txt", "Add c")
    merge = repo.merge("side", message="Merge pull request #7 from x/side\n\nAdd both")
    revert = (
        repo.remove("a.txt")
        .remove("b.txt")
        .commit(
            'Revert "Merge pull request #7 from x/side"\n\n'
            f"This reverts commit {merge}, reversing\nchanges made to {inner[0]}."
        )
    )
    with treated(repo, tmp_path / "t") as found:
        assert verdict(found, merge).by == revert
        for commit in inner:
            assert (Treatment.REVERTS, revert, Rule.REVERT_MERGE, Attested.STRUCTURE) in edges(
                found, commit
            )
            assert verdict(found, commit).by == revert


def test_treatment_is_by_ancestry_of_the_head_that_is_looked_at(
    repo: Builder, tmp_path: Path
) -> None:
    added = add(repo, "a.txt", "Add a")
    repo.switch("other", create=True)
    revert = repo.remove("a.txt").commit(reverted(added, "Add a"))
    repo.switch("main")
    add(repo, "c.txt", "Add c")
    for _ in range(2):
        with treated(repo, tmp_path / "t") as found:
            assert found.of(added) == []
            assert not found.has(revert)
        with treated(repo, tmp_path / "t", revert) as found:
            assert verdict(found, added).by == revert


def test_a_picked_commit_stands_for_the_one_it_was_picked_from(
    repo: Builder, tmp_path: Path
) -> None:
    repo.switch("dev", create=True)
    origin = add(repo, "a.txt", "Add a")
    repo.switch("main")
    add(repo, "c.txt", "Add c")
    picked = add(repo, "a.txt", f"Add a\n\n(cherry picked from commit {origin})")
    revert = repo.remove("a.txt").commit(f"Take it out\n\nThis reverts commit {origin}.")
    with treated(repo, tmp_path / "t") as found:
        assert verdict(found, picked).by == revert


def test_a_proposal_merged_and_reverted_cites_what_forbids_it(
    repo: Builder, tmp_path: Path
) -> None:
    """Merged, then reverted by number for what a decision record says."""
    merged = add(repo, "integration.py", "Add an integration with its own schema (#1493)")
    revert = repo.remove("integration.py").commit(
        'Revert "Add an integration with its own schema" (#1501)\n\n'
        "Reverts some/repo#1493: it is against ADR-0007."
    )
    with treated(repo, tmp_path / "t") as found:
        assert verdict(found, merged) == Verdict(
            Standing.NOT_IN_FORCE, StandingReason.REVERTED, revert
        )
        assert [one.by for one in found.of("ADR-7")] == [revert]


def test_a_number_of_another_repository_is_not_followed(repo: Builder, tmp_path: Path) -> None:
    other = add(repo, "a.txt", "Add a (#12)")
    meant = add(repo, "b.txt", "Add b (#15)")
    revert = repo.remove("b.txt").commit('Revert "Add b" (#16)\n\nReverts another/place#12')
    with treated(repo, tmp_path / "t") as found:
        assert found.of(other) == []
        assert verdict(found, meant).by == revert


def test_an_ambiguous_beginning_of_an_id_names_nothing(repo: Builder, tmp_path: Path) -> None:
    added = add(repo, "a.txt", "Add a")
    with treated(repo, tmp_path / "t"):
        pass
    revert = repo.remove("a.txt").commit(f"Revert {added[:8]}")
    with treated(repo, tmp_path / "t") as found:
        assert found.of(added)[0].strength is Attested.SHORT_SHA
        assert verdict(found, added).by == revert


def test_increments_in_any_steps_say_what_a_fresh_pass_says(repo: Builder, tmp_path: Path) -> None:
    steps: list[str] = []
    added = add(repo, "a.txt", "Add a (#1)")
    steps.append(added)
    repo.switch("side", create=True)
    steps.append(add(repo, "b.txt", "Add b"))
    repo.switch("main")
    steps.append(repo.remove("a.txt").commit('Revert "Add a (#1)" (#2)'))
    repo.merge("side", message="Merge pull request #3 from x/side\n\nAdd b")
    steps.append(repo.head())
    steps.append(add(repo, "a.txt", f"Bring back\n\nThis reverts commit {steps[2]}."))
    steps.append(repo.remove("b.txt").commit(f"Revert #3\n\nSee {added} and #1."))
    for tip in steps:
        with treated(repo, tmp_path / "steps", tip):
            pass
    with (
        treated(repo, tmp_path / "steps") as slowly,
        treated(repo, tmp_path / "fresh") as at_once,
    ):
        for commit in steps:
            assert slowly.of(commit) == at_once.of(commit)
            assert slowly.by(commit) == at_once.by(commit)
        assert verdict(slowly, added).standing is Standing.IN_FORCE
        assert verdict(slowly, steps[1]).by == steps[-1]


def test_a_damaged_store_is_filled_again(repo: Builder, tmp_path: Path) -> None:
    added = add(repo, "a.txt", "Add a")
    repo.remove("a.txt").commit(reverted(added, "Add a"))
    store = tmp_path / "t"
    with treated(repo, store):
        pass
    store.write_bytes(b"not a database" * 400)
    with treated(repo, store) as found:
        assert verdict(found, added).reason is StandingReason.REVERTED


def test_what_would_take_long_is_left_unread(repo: Builder, tmp_path: Path) -> None:
    found = repository.discover(repo.path)
    with opened(found, tmp_path / "t") as store:
        assert mask_at(found, store, repo.head(), most=5) is None
        assert mask_at(found, store, repo.head()) is not None
    repo.many(4)
    with opened(found, tmp_path / "t") as store:
        assert mask_at(found, store, repo.head(), most=3) is None
        assert mask_at(found, store, repo.head(), most=4) is not None


def test_ids_of_either_length_are_read(tmp_path: Path) -> None:
    repo = Builder.init(tmp_path / "long", object_format="sha256")
    added = add(repo, "a.txt", "Add a")
    revert = repo.remove("a.txt").commit(reverted(added, "Add a"))
    with treated(repo, tmp_path / "t") as found:
        assert len(revert) == 64
        assert found.of(added)[0].strength is Attested.FULL_SHA


def test_a_clone_without_contents_observes_nothing_and_claims_what_is_claimed(
    repo: Builder, tmp_path: Path
) -> None:
    added = add(repo, "a.txt", "Add a")
    revert = repo.remove("a.txt").commit(reverted(added, "Add a"))
    partial = repo.clone(tmp_path / "partial", filter="blob:none", bare=True)
    with treated(partial, tmp_path / "t") as found:
        (edge,) = found.of(added)
        assert (edge.treatment, edge.by, edge.confirmed) == (Treatment.REVERTS, revert, None)


def test_a_shallow_clone_knows_what_lies_in_it_and_reads_again_when_it_is_deepened(
    repo: Builder, tmp_path: Path
) -> None:
    added = add(repo, "a.txt", "Add a")
    repo.write("b.txt", "b\n").commit("Add b")
    revert = repo.remove("a.txt").commit(reverted(added, "Add a"))
    shallow = repo.clone(tmp_path / "shallow", depth=2)
    with treated(shallow, tmp_path / "t", revert) as found:
        assert [one.of for one in found.by(revert)] == [None]
    shallow.git("fetch", "-q", "--unshallow")
    with treated(shallow, tmp_path / "t", revert) as found:
        assert verdict(found, added).by == revert
