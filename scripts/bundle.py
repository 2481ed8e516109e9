"""Writes ``build/citator.mcpb``, an MCP bundle: the zip of ``plugins/mcpb``, the same bytes always.

python scripts/bundle.py [FILE]
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
FILES: Final = ("manifest.json", "pyproject.toml", "server.py")
_DAY: Final = (2024, 1, 1, 0, 0, 0)


def bundle(target: Path) -> None:
    """Write the bundle to ``target``."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for name in FILES:
            facts = zipfile.ZipInfo(name, _DAY)
            facts.compress_type = zipfile.ZIP_DEFLATED
            facts.external_attr = 0o644 << 16
            out.writestr(facts, (ROOT / "plugins" / "mcpb" / name).read_bytes())


if __name__ == "__main__":
    bundle(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "citator.mcpb")
