"""What the product is installed with: checks the locks, and writes the list of licences.

``python scripts/supply.py``         the locks are whole and agree, or ends with 1
``python scripts/supply.py --write`` writes docs/reference/licences.md too

- Every locked package has an exact version and at least one SHA-256, and names no address.
- What ``pyproject.toml`` asks for is locked, in a version that it allows; whatever is installed
  here finds its own needs locked too. What is locked to run is locked alike to develop.
- A licence is what the installed package states of itself; of one that no machine of ours installs
  (another platform's), what stands in ELSEWHERE.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs/reference/licences.md"
ELSEWHERE: Final = {"httpx2-jsfetch": "BSD-3-Clause", "pywin32": "PSF-2.0"}
NAMED: Final = {
    "MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
_PIN: Final = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)(?: ; ([^\\]+?))? \\")
_HASH: Final = re.compile(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?")
HEAD: Final = """# Licences

Citator is under the Apache License 2.0 (`LICENSE`). An installation brings the packages below, in
the versions of `requirements/run.txt`, each under its own licence, as the package itself states it.
Written by `python scripts/supply.py --write`; a test holds the two together.

| package | version | licence | where |
|---|---|---|---|
"""


def pins(name: str) -> dict[str, tuple[str, str, int]]:
    """Of each package of a lock: version, marker and the number of its hashes.

    Ends the process at a line that is none of a lock.
    """
    found: dict[str, tuple[str, str, int]] = {}
    current = ""
    for line in (ROOT / "requirements" / name).read_text("utf-8").splitlines():
        pin = _PIN.fullmatch(line)
        if pin is not None:
            current = canonicalize_name(pin[1])
            found[current] = (pin[2], pin[3] or "", 0)
        elif _HASH.fullmatch(line) and current:
            version, marker, hashes = found[current]
            found[current] = (version, marker, hashes + 1)
        else:
            raise SystemExit(f"supply: {name} holds a line that is none of a lock: {line[:60]}")
    return found


def wrong() -> Iterator[str]:
    """What is wrong with the locks."""
    run, dev = pins("run.txt"), pins("dev.txt")
    for name, locked in (("run.txt", run), ("dev.txt", dev)):
        yield from (f"{name}: {one} has no hash" for one, pin in locked.items() if not pin[2])
    yield from (f"dev.txt: {one} is not as in run.txt" for one in run if dev.get(one) != run[one])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    asked = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    yield from (f"run.txt: {one}" for one in _missing(asked, run))
    yield from (f"dev.txt: {one}" for one in _missing(project["dependency-groups"]["dev"], dev))
    for name, locked in (("run.txt", run), ("dev.txt", dev)):
        for one in locked:
            yield from (f"{name}, for {one}: {text}" for text in _missing(_needs(one), locked))


def _needs(package: str) -> list[str]:
    try:
        return metadata.requires(package) or []
    except metadata.PackageNotFoundError:
        return []


def _missing(asked: list[str], locked: dict[str, tuple[str, str, int]]) -> Iterator[str]:
    for text in asked:
        wanted = Requirement(text)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        pin = locked.get(canonicalize_name(wanted.name))
        if pin is None:
            yield f"{wanted.name} is not locked"
        elif not wanted.specifier.contains(pin[0], prereleases=True):
            yield f"{wanted.name} is locked at {pin[0]}, which is not {wanted.specifier}"


def licence(package: str) -> str:
    """The licence that a package states; ELSEWHERE's where it is not installed."""
    try:
        said = metadata.metadata(package)
    except metadata.PackageNotFoundError:
        return ELSEWHERE[package]
    if "License-Expression" in said:
        return said["License-Expression"]
    kinds = [
        line.rpartition(" :: ")[2]
        for line in said.get_all("Classifier") or []
        if line.startswith("License :: OSI Approved")
    ]
    return " AND ".join(NAMED.get(one, one) for one in kinds) or _said(said)


def _said(package: metadata.PackageMetadata) -> str:
    return next(iter(package.get_all("License") or []), "unknown")


def page() -> str:
    """The list of licences."""
    rows = [
        f"| {name} | {version} | {licence(name)} | {_place(marker)} |\n"
        for name, (version, marker, _) in pins("run.txt").items()
    ]
    return HEAD + "".join(rows)


def _place(marker: str) -> str:
    return f"`{marker.replace(chr(39), chr(34))}`" if marker else "everywhere"


if __name__ == "__main__":
    for one in (found := list(wrong())):
        print(f"supply: {one}", file=sys.stderr)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), "utf-8")
    raise SystemExit(bool(found))
