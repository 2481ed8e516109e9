"""What every reader of git shares: it may be used in a ``with`` block, which closes it."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Has :meth:`close`; leaving a ``with`` block calls it."""

    __slots__ = ()

    def close(self) -> None:
        """End what is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
