"""What is installed and what is released: locks, licences, the same bytes from every build."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import pytest
import yaml
from scripts import supply

WORKFLOW = supply.ROOT / ".github/workflows/release.yml"


def test_the_locks_are_whole_and_agree() -> None:
    assert list(supply.wrong()) == []
    assert len(supply.pins("run.txt")) > 40
    assert min(hashes for _, _, hashes in supply.pins("dev.txt").values()) >= 1


def test_a_lock_that_lacks_something_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = supply.pins

    def lacking(name: str) -> dict[str, tuple[str, str, int]]:
        found = whole(name)
        if name == "run.txt":
            del found["click"]
            found["numpy"] = ("1.0", "", 3)
            found["anyio"] = (found["anyio"][0], "", 0)
        return found

    monkeypatch.setattr(supply, "pins", lacking)
    told = list(supply.wrong())
    assert "run.txt: anyio has no hash" in told
    assert "run.txt: click is not locked" in told
    assert "run.txt: numpy is locked at 1.0, which is not >=2.0" in told


def test_the_list_of_licences_is_of_what_is_locked() -> None:
    rows = [line.split(" | ") for line in supply.PAGE.read_text("utf-8").splitlines()[8:]]
    listed = {name.removeprefix("| "): (version, said) for name, version, said, _ in rows}
    locked = supply.pins("run.txt")
    assert {name: version for name, (version, _) in listed.items()} == {
        name: version for name, (version, _, _) in locked.items()
    }
    assert all(said != "unknown" for _, said in listed.values())
    here = {one.name.lower().replace("_", "-"): one.version for one in metadata.distributions()}
    for name, (version, said) in listed.items():
        assert here.get(name, version) != version or supply.licence(name) == said, name


@pytest.mark.long
def test_two_builds_in_two_places_are_the_same_bytes() -> None:
    done = subprocess.run(
        [sys.executable, str(supply.ROOT / "scripts/wheel.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names = [line.split()[1] for line in done.stdout.splitlines()]
    assert [name.rpartition(".")[2] for name in names] == ["whl", "gz"]


def test_a_release_is_built_and_attested_with_as_few_rights_as_it_needs() -> None:
    text = WORKFLOW.read_text("utf-8")
    told = yaml.safe_load(text)
    assert told["permissions"] == {}
    jobs = told["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write", "attestations": "write"}
    assert jobs["build"]["permissions"] == {"contents": "read"}
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["environment"] == "release"
    for job in jobs.values():
        for step in job["steps"]:
            assert "${{ github.event" not in step.get("run", "")
            assert "secrets." not in str(step)
