"""The comparison: both systems are given the same commits, and nothing but commits."""

from __future__ import annotations

import json
from pathlib import Path

from bench.data.mirror import git
from bench.peer.citator_run import commits_only, measure
from bench.peer.compare import costs, grep

from tests.support.builder import Builder

WHY = "\n\nTwo workers took the same job whenever the lease was shorter than the clock's drift.\n"


def test_markdown_is_switched_off_without_touching_the_clone_or_adding_a_document(
    tmp_path: Path,
) -> None:
    builder = Builder.init(tmp_path / "r")
    builder.write("README.md", "# Leases\n\nA lease is renewed by the worker.\n").commit("Begin")
    fix = builder.write("lease.py", "1").commit(f"Renew the lease before it ends{WHY}")
    row = {"id": "q", "language": "en", "query": "why are leases renewed", "at_commit": fix}
    repo = commits_only(builder.git_dir(), fix, tmp_path / "pin")
    assert git(repo, "rev-parse", "HEAD^").strip() == fix == builder.head()
    found = measure(repo, tmp_path / "data", [row])
    assert found["documents"] == 1
    assert found["legs"]["both"]["ranked"] == {"q/en": [fix]}
    assert found["bytes"] > 0
    assert "ranked" not in costs(found)["legs"]["both"]


def test_grep_sees_the_commits_with_a_body(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "r")
    builder.write("lease.py", "0").commit("Renew the lease")
    fix = builder.write("lease.py", "1").commit(f"Renew the lease before it ends{WHY}")
    path = tmp_path / "set.jsonl"
    row = {"id": "q", "language": "en", "query": "why renew the lease", "at_commit": fix}
    path.write_text(json.dumps(row) + "\n", "utf-8")
    assert grep(builder.git_dir(), [path]) == {
        "git log --grep, all": {"q/en": [fix]},
        "git log --grep, most": {"q/en": [fix]},
    }
