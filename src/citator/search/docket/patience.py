"""How long an answer may take: a moment that was set, and a clock that was passed in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Patience:
    """Until when, by ``clock`` (seconds, of any beginning)."""

    until: float
    clock: Callable[[], float] = field(repr=False)

    @classmethod
    def of(cls, seconds: float, clock: Callable[[], float]) -> Patience:
        """So many seconds from now on."""
        return cls(clock() + seconds, clock)

    @property
    def left(self) -> float:
        """Seconds, never below 0."""
        return max(0.0, self.until - self.clock())

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return self.left <= 0
