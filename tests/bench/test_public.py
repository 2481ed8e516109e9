"""Public issues: asked in a clone that ends at the parent of the fix; no text is kept."""

from __future__ import annotations

import json
from pathlib import Path

from bench.localize.public import CASES, cloned, git, tried

from tests.support.builder import Builder


def test_history_ends_at_the_parent_and_what_a_mirror_lacks_is_not_missed(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "mirror" / "repo")
    builder.write("lease.py", "def renew(worker): return worker\n").write("clock.py", "X = 1\n")
    builder.write("large.bin", "l" * 50)
    parent = builder.commit("Begin")
    builder.write("lease.py", "def renew(worker): return 2\n").commit("Renew the lease in time")
    mirror = builder.git_dir()
    large = git(mirror, "rev-parse", "HEAD:large.bin").strip()
    (mirror / "objects" / large[:2] / large[2:]).unlink()
    clone = cloned(mirror, parent, tmp_path / "clone")
    assert git(clone, "log", "--all", "--format=%H").split() == [parent]
    assert git(clone, "status", "--porcelain") == ""
    text = tmp_path / "o+n.txt"
    text.write_text("A worker does not renew\n\nrenew(worker) gives nothing", "utf-8")
    found = tried({"gold": ["lease.py", "gone.py"]}, text, clone, tmp_path / "data")
    assert found["places"] == [1, None]
    assert (found["commits"], found["files"], found["first"]) == (1, 3, "lease.py")
    assert 0 < found["tokens"] < 400


def test_the_cases_are_five_repositories_of_as_many_languages() -> None:
    cases = json.loads(CASES.read_text("utf-8"))
    assert len({one["repo"] for one in cases}) == len({one["language"] for one in cases}) == 5
    assert all(1 <= len(one["gold"]) <= 5 for one in cases)
    assert not any("text" in one or "title" in one for one in cases)
