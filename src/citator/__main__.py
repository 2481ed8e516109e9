"""The ``citator`` command: the one place that knows both faces, which do not know each other."""

from __future__ import annotations

import sys
from typing import Any


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        from citator.cli.main import run

        code = run(sys.argv[1:], _serve)
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def _serve(*arguments: Any, **options: Any) -> Any:
    """The MCP face, imported when somebody serves."""
    from citator.mcp.serve import serve

    return serve(*arguments, **options)


if __name__ == "__main__":
    main()
