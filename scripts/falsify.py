"""Break each rule on purpose and see its proof turn red.

Every entry of ``tests/proofs/mutations.toml`` names a file, the exact text to replace (it must
stand there exactly once), what to put in its place, and the test that must then fail. The
sources are changed in a temporary copy only. A proof that is red before its mutation, a mutation
that no longer applies, or one that its proof survives, is a failure of this script.

    python scripts/falsify.py [NAME …]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MUTATIONS = ROOT / "tests" / "proofs" / "mutations.toml"


@dataclass(frozen=True)
class Mutation:
    """One way to break one rule."""

    name: str
    rule: str
    file: str
    old: str
    new: str
    test: str


def mutations() -> list[Mutation]:
    """The committed mutations, in file order."""
    table = tomllib.loads(MUTATIONS.read_text(encoding="utf-8"))
    return [Mutation(name=name, **entry) for name, entry in table.items()]


def passes(tests: list[str], sources: Path) -> bool:
    """Whether ``tests`` pass against the package in ``sources``."""
    environment = {**os.environ, "PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.stderr.write(done.stdout.decode(errors="replace")[-2000:])
        raise SystemExit(f"falsify: pytest could not run {' '.join(tests)}")
    return done.returncode == 0


def survives(mutation: Mutation, sources: Path) -> bool | None:
    """Whether the proof stays green under the mutation; None where it does not apply."""
    path = sources / mutation.file.removeprefix("src/")
    before = path.read_text(encoding="utf-8")
    if before.count(mutation.old) != 1:
        return None
    path.write_text(before.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        return passes([mutation.test], sources)
    finally:
        path.write_text(before, encoding="utf-8")


def main(names: list[str]) -> int:
    """Run the named mutations, or all. Returns the number that failed to turn a proof red."""
    chosen = [m for m in mutations() if not names or m.name in names]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        sources = Path(scratch) / "src"
        shutil.copytree(ROOT / "src", sources, ignore=shutil.ignore_patterns("__pycache__"))
        if not passes(sorted({m.test for m in chosen}), sources):
            print("falsify: a proof is red before anything was broken")
            return 1
        for mutation in chosen:
            outcome = survives(mutation, sources)
            word = {None: "DOES NOT APPLY", True: "SURVIVED", False: "red, as it must be"}[outcome]
            print(f"{mutation.rule:>8}  {mutation.name}: {word}", flush=True)
            failed += outcome is not False
    print(f"{len(chosen) - failed} of {len(chosen)} mutations turned their proof red")
    return failed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
