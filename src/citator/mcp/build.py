"""Brings one index up to date and prepares its other legs, in a process that a server may end.

A process and not a thread: building would hold the interpreter that answers questions. It runs
at low priority, says nothing, and ends when its standard input does, that is, however its
server ended. An index that was not finished is never served.

    python -P -m citator.mcp.build REPOSITORY DATA CONFIG
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from secrets import token_bytes


def main(arguments: list[str]) -> int:
    """Build, and return the exit code of the error that stopped it, or 0."""
    from citator.model.errors import CitatorError
    from citator.model.trace import Level, tell, told_to
    from citator.service.event_log import EventLog, level_of
    from citator.service.hooks_table import freshen
    from citator.service.index_history import update
    from citator.service.prepare import prepare
    from citator.service.proposing import Moment
    from citator.service.workspace import Places, Workspace
    from citator.threads import use_one_thread

    use_one_thread(os.environ)
    start, data, config = (Path(argument) for argument in arguments)
    threading.Thread(target=_end_with_input, name="citator-lifeline", daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(10)
    log = EventLog(level_of(os.environ), lambda: data, time.time, time.monotonic, "background")
    with told_to(log):
        try:
            workspace = Workspace.open(start, Places(data, config))
            update(workspace)
            freshen(workspace, Moment(time.time_ns() // 1_000_000, token_bytes))
            prepare(workspace)
        except CitatorError as error:
            tell("failed", Level.ERROR, code=error.code, exit=int(error.exit_code))
            return int(error.exit_code)
    return 0


def _end_with_input() -> None:
    while os.read(0, 1024):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
