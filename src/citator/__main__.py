"""The ``citator`` command: the one place that knows both faces, which do not know each other."""

from __future__ import annotations

import os
import sys
from typing import Any

from citator.threads import use_one_thread


def main() -> None:
    """Run the command line and exit with its code."""
    use_one_thread(os.environ)
    try:
        from citator.cli.main import run

        code = run(sys.argv[1:], _serve)
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def _serve(*arguments: Any, **options: Any) -> Any:
    """The MCP face, imported when somebody serves; over HTTP where there is a port."""
    from citator.mcp.serve import serve, serve_over_http

    return serve_over_http(*arguments, **options) if options else serve(*arguments)


if __name__ == "__main__":
    main()
