"""Register a repository, index it, and show three findings of its own history."""

from __future__ import annotations

from dataclasses import dataclass

from citator.git.records import Head
from citator.index.protocol import View
from citator.model.evidence import Evidence
from citator.model.horizon import Horizon
from citator.service import findings
from citator.service.evidence import evidence_of
from citator.service.findings import Finding, FindingKind
from citator.service.horizon import Seen, horizon_of
from citator.service.index_history import Progress, update
from citator.service.opened import opened
from citator.service.readership import mask_of
from citator.service.treatment import Treatments, treatments
from citator.service.workspace import Workspace, require_commits

# Below this share of explained commits, a history is said to record what and not why.
FEW_REASONS = 0.2


@dataclass(frozen=True, slots=True)
class CitedFinding:
    """A finding with the evidence that shows it; ``count`` is how many later commits cite it."""

    kind: FindingKind
    evidence: Evidence
    count: int


@dataclass(frozen=True, slots=True)
class InitReport:
    """What a first run found. ``few_reasons``: this history says what changed, seldom why."""

    repository_id: str
    head: Head
    commits: int
    explained: int
    documents: int
    passages: int
    few_reasons: bool
    findings: tuple[CitedFinding, ...]
    horizon: Horizon


def initialise(workspace: Workspace, progress: Progress | None = None) -> InitReport:
    """Index the history where needed and pick three findings. Raises as ``update`` does."""
    require_commits(workspace)
    report = update(workspace, progress=progress)
    mask = mask_of(workspace)
    with opened(workspace, mask) as (snapshot, view):
        statistics = view.statistics
        # How often a commit is cited counts commits that are hidden, too.
        kept = () if mask.hides else findings.saved(workspace.place.derived)
        with treatments(workspace) as treated:
            found = tuple(
                cited for finding in kept if (cited := _cited(view, finding, treated)) is not None
            )
        horizon = horizon_of(workspace, snapshot, seen=Seen(view, mask))
    return InitReport(
        repository_id=workspace.repository_id,
        head=workspace.head,
        commits=report.examined,
        explained=report.explained,
        documents=statistics.documents,
        passages=statistics.passages,
        few_reasons=report.explained < report.examined * FEW_REASONS,
        findings=found,
        horizon=horizon,
    )


def _cited(view: View, finding: Finding, treated: Treatments) -> CitedFinding | None:
    rows = view.find_object(finding.object_id, limit=1)
    if not rows:
        return None
    return CitedFinding(finding.kind, evidence_of(rows[0], (), treated), finding.count)
