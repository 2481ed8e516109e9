"""Looking at processes from outside."""

from __future__ import annotations

import os
import subprocess
import sys


def is_running(pid: int) -> bool:
    """Whether process ``pid`` exists: running, or ended and never collected (a zombie)."""
    if sys.platform == "win32":
        listed = subprocess.run(
            ["tasklist", "/FI", f"PID eq {pid}"], capture_output=True, check=True, text=True
        )
        return str(pid) in listed.stdout
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
