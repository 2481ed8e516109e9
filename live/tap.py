"""Stands in for ``citator`` and notes what passes between a client and the server.

Every command but ``serve`` is the product's own, in this process, so that ``clients write`` names
this file. ``serve`` starts the product as a child and copies both directions byte for byte,
each line also into ``heard.jsonl`` beside this file: ``["to" or "from", line]``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

NOTES = Path(__file__).resolve().with_name("heard.jsonl")
LOCK = threading.Lock()


def copy(source: IO[bytes], target: IO[bytes], direction: str) -> None:
    """Copy lines until the source ends or nobody reads them; then end the target, too."""
    try:
        for line in source:
            with LOCK, NOTES.open("a", encoding="utf-8") as notes:
                notes.write(json.dumps([direction, line.decode("utf-8", "replace")]) + "\n")
            target.write(line)
            target.flush()
    except OSError:
        pass
    finally:
        target.close()


def tapped(arguments: list[str]) -> int:
    """Run ``citator ARGUMENTS`` between the two copies; its exit code."""
    command = [sys.executable, "-P", "-m", "citator", *arguments]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None and child.stdout is not None
    asking = (os.fdopen(os.dup(0), "rb"), child.stdin, "to")
    threading.Thread(target=copy, args=asking, daemon=True).start()
    copy(child.stdout, os.fdopen(os.dup(1), "wb"), "from")
    return child.wait()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        os._exit(tapped(sys.argv[1:]))
    from citator.__main__ import main

    main()
