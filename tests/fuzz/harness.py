"""What every fuzzing target is, and how its inputs are made.

- A target takes any bytes. It returns, or raises what it declares: everything else is a finding,
  and so is an answer that takes more processor time than a person would wait.
- Inputs are small files of our own (``corpus/<target>/``), changed by a seeded generator: the same
  seed makes the same inputs on every machine and every Python.
- Some changes repeat a piece until the bound of the target is reached: what grows faster than its
  input shows there.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CORPUS: Final = Path(__file__).parent / "corpus"
PATIENCE: Final = 10.0
BYTES: Final = (
    b"\0",
    b"\n",
    b"\r",
    b"\t",
    b" ",
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
)
TEXTS: Final = ("‮", "​", "\x1b[2J", "İ", "ß", "１", "\x85", " ", "🏁")
NUMBERS: Final = (b"0", b"-1", b"1e999", b"9" * 30, b"4294967296", b"NaN")
OPENING: Final = (
    b"[",
    b"{",
    b"(",
    b'"',
    b"'",
    b"`",
    b"- ",
    b"> ",
    b"a: ",
    b"*",
    b"_",
    b"#",
    b"<!--",
    b"\\",
)


@dataclass(frozen=True)
class Target:
    """One parser. ``most`` bounds its inputs in bytes, ``words`` are tokens that mean something."""

    name: str
    run: Callable[[bytes], object]
    declared: tuple[type[Exception], ...] = ()
    words: tuple[bytes, ...] = ()
    most: int = 8_192


class FindingError(AssertionError):
    """A target did what it may not; the message is ours, the input is with the caller."""


def corpus(target: Target) -> list[bytes]:
    """The kept inputs of ``target``, by name; at least one."""
    return [path.read_bytes() for path in sorted((CORPUS / target.name).iterdir())]


def tried(target: Target, data: bytes) -> float:
    """The processor seconds that ``data`` took. Raises FindingError."""
    begun = time.process_time()
    try:
        target.run(data)
    except target.declared:
        pass
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise FindingError(f"{target.name}: {type(error).__name__} is not declared") from error
    took = time.process_time() - begun
    if took > PATIENCE:
        raise FindingError(f"{target.name}: {took:.1f} s for {len(data)} bytes")
    return took


def inputs(target: Target, seeds: Sequence[bytes], seed: int) -> Iterator[bytes]:
    """Changed inputs without end: a function of the target's name, ``seeds`` and ``seed``."""
    chance = random.Random(f"{target.name}:{seed}")
    while True:
        yield mutated(chance.choice(seeds), seeds, target, chance)


def mutated(data: bytes, seeds: Sequence[bytes], target: Target, chance: random.Random) -> bytes:
    """``data`` after one to six changes, within the bound."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 6))):
        data = _CHANGES[chance.randrange(len(_CHANGES))](data, seeds, target, chance)
    return data[: target.most]


def _place(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.choice((1, 1, 2, 4, 8, 32, 128)))


def _flip(data: bytes, _: Sequence[bytes], __: Target, chance: random.Random) -> bytes:
    if not data:
        return b"\x80"
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def _cut(data: bytes, _: Sequence[bytes], __: Target, chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    return data[:start] + data[end:]


def _end(data: bytes, _: Sequence[bytes], __: Target, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _put(data: bytes, _: Sequence[bytes], target: Target, chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    kinds = (BYTES, tuple(one.encode() for one in TEXTS), NUMBERS, OPENING, target.words or BYTES)
    put = chance.choice(chance.choice(kinds))
    return data[:start] + put + data[start if chance.random() < 0.6 else end :]


def _repeat(data: bytes, _: Sequence[bytes], __: Target, chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 2, 8)) + data[end:]


def _swell(data: bytes, seeds: Sequence[bytes], target: Target, chance: random.Random) -> bytes:
    """A piece, or an opening, as often as the bound allows."""
    if chance.random() < 0.75:
        return _put(data, seeds, target, chance)
    start, end = _place(data, chance)
    piece = data[start:end] if chance.random() < 0.5 else chance.choice(OPENING + target.words)
    return data[:start] + piece * (target.most // max(1, len(piece))) + data[end:]


def _splice(data: bytes, seeds: Sequence[bytes], _: Target, chance: random.Random) -> bytes:
    other = chance.choice(seeds)
    start, end = _place(other, chance)
    at = chance.randrange(len(data) + 1)
    if chance.random() < 0.5:
        return data[:at] + other[start:]
    return data[:at] + other[start:end] + data[at:]


_CHANGES: Final = (_flip, _cut, _end, _put, _put, _repeat, _swell, _splice)
