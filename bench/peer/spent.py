"""What a step cost, measured alike for the peer and for us. Standard library alone."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU seconds (children too) and wall seconds of one step."""

    cpu: float
    wall: float


def timed(step: Callable[[], Result]) -> tuple[Result, Spent]:
    """Run ``step`` and say what it cost."""
    cpu, wall = _cpu(), time.perf_counter()
    result = step()
    return result, Spent(round(_cpu() - cpu, 6), round(time.perf_counter() - wall, 6))


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
