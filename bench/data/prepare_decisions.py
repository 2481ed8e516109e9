"""The judged decisions as `bench/decisions` reads them, from a clone of theurian (Apache-2.0).

    python -m bench.data.prepare_decisions --clone CLONE --out decisions/ [--at COMMIT]

Nothing is fetched: clone https://github.com/theurian/theurian first, at any state that has
``tests/fixtures/eval`` (from September 2026 on). Written are ``manifest.yaml``, ``queries.yaml``,
``judgements.yaml`` and the bodies, under ``knowledge/`` and ``adr/``. The corpus calls an item
visible or withheld by the migration that makes it, and says how it ends in its last revision.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from bench.data.mirror import git

FOLDER = "tests/fixtures/eval"


@dataclass
class Told:
    """What the migrations say of one item."""

    name: str
    kind: str
    sensitivity: str
    withheld: bool
    status: str = "draft"
    adr: str | None = None
    bodies: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fixture:
    """The evaluation folder of a clone at a commit."""

    git_dir: Path
    commit: str

    def text(self, path: str) -> str:
        """One file."""
        return git(self.git_dir, "show", f"{self.commit}:{FOLDER}/{path}")

    def yaml(self, path: str) -> Any:
        """One file, parsed."""
        return yaml.safe_load(self.text(path))

    def operations(self) -> Iterator[tuple[Mapping[str, Any], bool]]:
        """Every operation in the order of the manifest, and whether it is withheld."""
        for row in self.yaml("manifest.yaml")["migrations"]:
            migration = self.yaml(f"migrations/{row['file']}")
            for operation in migration["operations"]:
                yield operation, row["plane"] == "withheld"


def items(fixture: Fixture) -> dict[str, Told]:
    """Every item as its migrations leave it."""
    found: dict[str, Told] = {}
    for one, withheld in fixture.operations():
        name = one.get("itemId", "")
        if one["op"] == "createItem":
            found[name] = Told(name, one["kind"], one.get("sensitivity", "internal"), withheld)
        elif one["op"] == "upsertRevision":
            told, metadata = found[name], one["metadata"]
            told.status = metadata["status"]
            told.bodies.append(str(PurePosixPath("migrations") / one["contentFile"]))
            for anchor in metadata.get("sourceAnchors", ()):
                path = str(anchor.get("filePath", ""))
                told.adr = PurePosixPath(path).name if path.startswith("docs/adr/") else told.adr
        elif one["op"] == "deprecateItem":
            found[name].status = "deprecated"
        elif one["op"] == "changeSensitivity":
            found[name].sensitivity = one["sensitivity"]
    return found


def manifest(told: Mapping[str, Told]) -> dict[str, Any]:
    """The table of items."""
    visible = [one for one in told.values() if not one.withheld]
    return {
        "visibleItems": {
            "adrSnapshots": [{"itemId": one.name, "adr": one.adr} for one in visible if one.adr],
            "originals": [
                {"itemId": one.name, "kind": one.kind, "finalStatus": one.status}
                for one in visible
                if not one.adr
            ],
        },
        "withheldItems": [
            {
                "itemId": one.name,
                "kind": one.kind,
                "finalStatus": one.status,
                "sensitivity": one.sensitivity,
            }
            for one in told.values()
            if one.withheld
        ],
    }


def judgements(fixture: Fixture) -> dict[str, Any]:
    """The judgements, items by their names alone."""
    rows = []
    for one in fixture.yaml("judgements.yaml")["judgements"]:
        named = {
            key: [item["itemId"] for item in one[key]]
            for key in ("relevant", "forbidden")
            if key in one
        }
        rows.append({"queryId": one["queryId"], **named})
        if one.get("expectAbstention"):
            rows[-1]["expectAbstention"] = True
    return {"judgements": rows}


def write(fixture: Fixture, out: Path) -> int:
    """Write the folder; how many bodies it has."""
    told = items(fixture)
    bodies = 0
    for one in told.values():
        for body in one.bodies:
            parts = [part for part in PurePosixPath(body).parts if part not in ("migrations", "..")]
            path = out.joinpath("adr", one.adr) if one.adr else out.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fixture.text("/".join(parts)), "utf-8")
            bodies += 1
    for name, value in (
        ("manifest.yaml", manifest(told)),
        ("queries.yaml", fixture.yaml("queries.yaml")),
        ("judgements.yaml", judgements(fixture)),
    ):
        text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
        (out / name).write_text(text, "utf-8")
    return bodies


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--clone", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--at", default="HEAD")
    options = parser.parse_args()
    git_dir = options.clone / ".git" if (options.clone / ".git").is_dir() else options.clone
    print(write(Fixture(git_dir, options.at), options.out), "bodies")


if __name__ == "__main__":
    main()
