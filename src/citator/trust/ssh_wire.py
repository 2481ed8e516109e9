"""SSH's binary encoding (RFC 4251, section 5), read strictly.

- A length is believed only as far as there are bytes; a reader ends exactly where its bytes end.
- A number has one spelling: positive, without a needless leading zero.
"""

from __future__ import annotations


class WireError(ValueError):
    """The bytes are not in the form asked for. Never leaves this package."""


class Reader:
    """Takes one value after the other from ``data``. Every method raises WireError."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def raw(self, count: int) -> bytes:
        """The next ``count`` bytes."""
        taken = self._data[self._at : self._at + count]
        if len(taken) != count:
            raise WireError
        self._at += count
        return taken

    def byte(self) -> int:
        """One byte, 0 to 255."""
        return self.raw(1)[0]

    def uint32(self) -> int:
        """Four bytes, most significant first."""
        return int.from_bytes(self.raw(4), "big")

    def string(self) -> bytes:
        """Bytes behind their length."""
        return self.raw(self.uint32())

    def text(self) -> str:
        """A string of printable ASCII."""
        taken = self.string()
        if not all(0x20 <= byte < 0x7F for byte in taken):
            raise WireError
        return taken.decode("ascii")

    def positive(self) -> int:
        """A positive number (mpint) in its shortest form."""
        taken = self.string()
        if not taken or taken[0] >= 0x80:
            raise WireError
        if taken[0] == 0 and (len(taken) == 1 or taken[1] < 0x80):
            raise WireError
        return int.from_bytes(taken, "big")

    def end(self) -> None:
        """Nothing may be left."""
        if self._at != len(self._data):
            raise WireError


def string(data: bytes) -> bytes:
    """``data`` behind its length."""
    return len(data).to_bytes(4, "big") + data


def positive(number: int) -> bytes:
    """A positive number as an mpint."""
    return string(number.to_bytes(number.bit_length() // 8 + 1, "big"))
