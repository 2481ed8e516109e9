from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from citator.service import findings
from citator.service.findings import Finding, FindingKind
from citator.service.initialise import initialise
from citator.service.workspace import Workspace
from tests.support.builder import Builder

Open = Callable[[Builder], Workspace]


def test_a_first_run_cites_a_revert_a_removal_and_the_most_cited(
    history: Builder, open_workspace: Open
) -> None:
    cached, removed = history.resolve("HEAD~3"), history.resolve("HEAD~2")
    for number in range(3):
        history.commit(f"Follow {number}\n\nAs decided in #11, the parser keeps its digest keys.")
    target = history.head()
    reverted = history.commit(
        f'Revert "Follow 2"\n\nThis reverts commit {target}.\n\n'
        "It broke the nightly import, because the importer writes its digests in upper case and\n"
        "nothing folds them; the change can come back once they are folded everywhere."
    )
    report = initialise(open_workspace(history))
    found = {finding.kind: finding for finding in report.findings}
    assert found[FindingKind.REVERT].evidence.object_id == reverted
    assert found[FindingKind.REMOVAL].evidence.object_id == removed
    assert found[FindingKind.MOST_CITED].evidence.object_id == cached
    assert found[FindingKind.MOST_CITED].count == 4
    assert not report.few_reasons


def test_a_history_without_reasons_is_told_so(tmp_path: Path, open_workspace: Open) -> None:
    builder = Builder.init(tmp_path / "mute")
    for number in range(9):
        builder.commit(f"change {number}")
    builder.commit("One with a reason\n\nThis one says why, because somebody asked for it.")
    report = initialise(open_workspace(builder))
    assert (report.commits, report.explained) == (10, 1)
    assert report.few_reasons


def test_findings_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    assert findings.saved(tmp_path) == ()
    (tmp_path / "findings.json").write_text("[[1]]")
    assert findings.saved(tmp_path) == ()


def test_an_increment_keeps_what_it_did_not_better(tmp_path: Path) -> None:
    findings.save(tmp_path, [Finding(FindingKind.MOST_CITED, "a" * 40, 5)], fresh=True)
    findings.save(tmp_path, [Finding(FindingKind.MOST_CITED, "b" * 40, 2)], fresh=False)
    assert findings.saved(tmp_path) == (Finding(FindingKind.MOST_CITED, "a" * 40, 5),)
    findings.save(tmp_path, [Finding(FindingKind.MOST_CITED, "b" * 40, 2)], fresh=True)
    assert findings.saved(tmp_path) == (Finding(FindingKind.MOST_CITED, "b" * 40, 2),)
