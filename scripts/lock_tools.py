"""Writes down what clients are told of the tools, after a definition was changed on purpose.

    python scripts/lock_tools.py

Renews ``src/citator/mcp/tools.lock`` and the golden lists of ``tests/mcp/golden/``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def main() -> None:
    """Write both."""
    from tests.mcp.serving import ERAS, Home, Server
    from tests.mcp.test_definitions import what_is_locked

    from citator import __version__

    lock = ROOT / "src" / "citator" / "mcp" / "tools.lock"
    lock.write_text(json.dumps(what_is_locked(), indent=2) + "\n", "utf-8")
    for era in ERAS:
        with TemporaryDirectory() as name, Server(Path(name), Home.under(Path(name))) as server:
            number = server.open(era).request("tools/list")
            line = server.line()
        line = line.replace(b'"id":%d' % number, b'"id":0')
        line = line.replace(__version__.encode(), b"@VERSION@")
        (ROOT / "tests" / "mcp" / "golden" / f"tools_list.{era}.json").write_bytes(line)


if __name__ == "__main__":
    main()
