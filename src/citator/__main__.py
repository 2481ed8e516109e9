"""The ``citator`` command: the one place that knows both faces, which do not know each other."""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping
from typing import Any

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def main() -> None:
    """Run the command line and exit with its code."""
    use_one_thread(os.environ)
    try:
        from citator.cli.main import run

        code = run(sys.argv[1:], _serve)
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def use_one_thread(environ: MutableMapping[str, str]) -> None:
    """Keep numerical libraries to one thread, unless somebody asked for more.

    They read this when they are loaded. Our matrices are small: a second thread spins for
    longer than it works, and takes five times the CPU on a busy machine.
    """
    for name in _THREADS:
        environ.setdefault(name, "1")


def _serve(*arguments: Any, **options: Any) -> Any:
    """The MCP face, imported when somebody serves; over HTTP where there is a port."""
    from citator.mcp.serve import serve, serve_over_http

    return serve_over_http(*arguments, **options) if options else serve(*arguments)


if __name__ == "__main__":
    main()
