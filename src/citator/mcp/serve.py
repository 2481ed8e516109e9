"""``citator serve``: MCP over standard input and output, for one repository; or over HTTP.

The first line is answered before the server is imported (:mod:`citator.mcp.prelude`), so this
module imports next to nothing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from citator.mcp.definitions import PROFILES
from citator.mcp.prelude import Wire, open_connection, take_wire
from citator.model.errors import UsageError

if TYPE_CHECKING:
    from citator.service.workspace import Places

TYPED: Final = (
    "citator: this is an MCP server, and it waits for a client to speak. Put the command into the "
    "client's configuration instead of typing it; Ctrl-D ends it.\n"
)


def serve(start: Path, places: Places, profile: str = "all") -> NoReturn:
    """Serve the repository that holds ``start`` until the client leaves; ends the process.

    Raises UsageError for an unknown profile, or where there is no input or output. A missing or
    unreadable repository is no error here: each call says so, because a server that cannot start
    tells its user nothing.
    """
    _require(profile)
    _leave(_served(open_connection(_wire()), start, places, profile, _debug()))


def serve_over_http(
    root: Path | None, places: Places, profile: str, *, port: int, end_with_input: bool
) -> NoReturn:
    """Serve every registered repository, and ``root``, over HTTP; ends the process.

    Raises UsageError for an unknown profile, and what :func:`citator.mcp.http.serve_http` does.
    """
    _require(profile)
    from citator.mcp.http import Options, serve_http

    _leave(serve_http(places, Options(root, port, profile, _debug(), end_with_input)))


def _require(profile: str) -> None:
    if profile not in PROFILES:
        raise UsageError(
            "unknown_profile",
            "there is no such profile of tools",
            f"choose one of: {', '.join(PROFILES)}",
        )


def _debug() -> bool:
    return os.environ.get("CITATOR_DEBUG", "") not in ("", "0")


def _wire() -> Wire:
    try:
        if os.isatty(0):
            sys.stderr.write(TYPED)
        return take_wire()
    except OSError:
        raise UsageError(
            "no_streams",
            "standard input or standard output is closed",
            "let an MCP client start this command",
        ) from None


def _served(wire: Wire, start: Path, places: Places, profile: str, debug: bool) -> int:
    import anyio

    from citator.mcp.server import run

    try:
        anyio.run(run, wire, start, places, profile, debug)
    except KeyboardInterrupt:
        return 130
    return 0


def _leave(code: int) -> NoReturn:
    """End now: a thread that waits for a client or for the disk must not hold the process."""
    sys.stderr.flush()
    os._exit(code)
