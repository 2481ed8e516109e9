"""The tools, one module each: what a client is told (``DEFINITION``) and what is done (``work``).

- To add one: a module here, with its name in :data:`TOOLS` where it is to be listed, and what
  ``tests/mcp/test_definitions.py`` then asks for (the lock, the golden lists, the instructions).
- A module is of the standard library until its ``work`` is called: the list of tools is asked for
  before anything has to be imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Final

from citator.mcp.tools import (
    check_change,
    finish_work,
    get_brief,
    investigate_work,
    locate_files,
    propose_decision,
    read_evidence,
    remember,
    start_work,
    why,
)

TOOLS: Final[Mapping[str, ModuleType]] = {
    "investigate_work": investigate_work,
    "read_evidence": read_evidence,
    "why": why,
    "locate_files": locate_files,
    "check_change": check_change,
    "propose_decision": propose_decision,
    "remember": remember,
    "get_brief": get_brief,
    "start_work": start_work,
    "finish_work": finish_work,
}
EVIDENCE: Final = ("investigate_work", "read_evidence")
