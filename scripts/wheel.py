"""Builds the wheel and the source archive twice and wants the same bytes: ``scripts/wheel.py OUT``.

- From two copies of the tree in two places, the second with other times, rights and a narrower
  umask: what a build may depend on is the content alone.
- Only with what is installed (``requirements/``): nothing is fetched.
- Prints each file with its SHA-256; ends with 1 where two builds differ.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT_FROM = ("src", "tests", "docs", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE",
              "ARCHITECTURE.md", ".gitignore")  # fmt: skip


def built(tree: Path, umask: int, time: int) -> dict[str, str]:
    """The files that a build of ``tree`` makes, each with its SHA-256."""
    for path in tree.rglob("*"):
        if not path.is_symlink():
            os.utime(path, (time, time))
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist"],
        cwd=tree,
        env={key: text for key, text in os.environ.items() if key != "SOURCE_DATE_EPOCH"},
        umask=umask,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"wheel: the build failed\n{done.stderr}")
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((tree / "dist").iterdir())
    }


def copied(root: Path, place: Path, *, narrow: bool) -> Path:
    """A copy of ``root``, without what building, testing and running left in it."""
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc", ".hypothesis", ".pytest_cache")
    for name in BUILT_FROM:
        source, target = root / name, place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=ignore, symlinks=True)
        else:
            shutil.copyfile(source, target)
    if narrow and os.name == "posix":
        for path in place.rglob("*"):
            if not path.is_symlink():
                path.chmod(0o700 if path.is_dir() else 0o600)
    return place


def main(out: Path | None) -> int:
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder) / "a", Path(folder) / "somewhere" / "else" / "b"
        copied(ROOT, first, narrow=False)
        copied(first, second, narrow=True)
        one = built(first, 0o022, 1_600_000_000)
        other = built(second, 0o077, 1_900_000_000)
        for name, digest in one.items():
            print(f"{digest}  {name}")
        if one != other:
            print("wheel: two builds of the same tree differ", file=sys.stderr)
            return 1
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            for path in (first / "dist").iterdir():
                shutil.copyfile(path, out / path.name)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
