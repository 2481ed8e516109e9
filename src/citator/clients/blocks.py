"""A block of ours in a text file, between two lines that say so: text to text.

Everything outside the two lines stays byte for byte, and taking the block out gives back what was
there before. Marks that do not pair are left to a person.
"""

from __future__ import annotations

from dataclasses import dataclass

from citator.clients.editing import NotEditableError, ended, line_end_of, line_of


@dataclass(frozen=True, slots=True)
class Block:
    """``begin`` and ``end`` are whole lines that stand nowhere else."""

    begin: str
    end: str

    def inside(self, text: str) -> str | None:
        """The block as it stands, with its marks; None where there is none."""
        span = self._span(text)
        return None if span is None else text[span[0] : span[1]]

    def put(self, text: str, body: str, *, after: int | None = None) -> str:
        """``text`` with the block: where it stands, else at ``after`` (a line's start), else at
        the end, after an empty line."""
        newline = line_end_of(text)
        whole = newline.join([self.begin, *body.splitlines(), self.end]) + newline
        span = self._span(text)
        if span is not None:
            return text[: span[0]] + whole + text[span[1] :]
        if after is not None:
            return text[:after] + whole + text[after:]
        return ended(text) + (newline if text else "") + whole

    def remove(self, text: str) -> str:
        """``text`` without the block, and without the empty line that it brought."""
        span = self._span(text)
        if span is None:
            return text
        before, after = text[: span[0]], text[span[1] :]
        for gap in ("\r\n\r\n", "\n\n"):
            if before.endswith(gap) and not after:
                before = before[: len(before) - len(gap) // 2]
                break
        return before + after

    def _span(self, text: str) -> tuple[int, int] | None:
        lines = text.splitlines(keepends=True)
        begins = [at for at, one in enumerate(lines) if one.rstrip("\r\n") == self.begin]
        ends = [at for at, one in enumerate(lines) if one.rstrip("\r\n") == self.end]
        if not begins and not ends:
            return None
        if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
            at = sum(map(len, lines[: (begins or ends)[0]]))
            raise NotEditableError("the marks of a block of ours do not pair", line_of(text, at))
        start = sum(map(len, lines[: begins[0]]))
        return start, start + sum(map(len, lines[begins[0] : ends[0] + 1]))
