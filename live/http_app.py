"""The product's MCP server over Streamable HTTP, for the conformance suite alone.

Only the transport is the SDK's plain one; server, tools, validation and errors are the product's
own factory, so what the suite finds here holds for stdio as well.

    python -m live.http_app REPOSITORY DATA PORT
"""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import uvicorn

from citator.mcp.desk import Desk
from citator.mcp.keeper import Keeper
from citator.mcp.server import Service, make_server
from citator.service.workspace import Places


def main(root: Path, data: Path, port: int) -> None:
    """Serve ``root`` at ``http://127.0.0.1:PORT/mcp`` until the process is ended."""
    places = Places(data, data / "config")
    limiter = anyio.CapacityLimiter(5)
    desk = Desk(root, places)
    keeper = Keeper(desk.is_behind, [sys.executable, "-c", ""], lambda _: None, limiter)
    server = make_server(Service(desk, keeper, limiter, "evidence", debug=False))
    app = server.streamable_http_app(host="127.0.0.1")
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
