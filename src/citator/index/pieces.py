"""Text → pieces of a SentencePiece unigram vocabulary, exactly as its own library cuts it.

- Normalisation is the model's own table (NFKC with its additions): longest match first.
- Runs of spaces count once, none at either end; every word is led by ``▁``.
- Of all segmentations the most probable wins; of two equal ones the one with the earlier start.
- All tables are flat arrays, so that a process maps them instead of building them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

UNKNOWN, BEGIN, END = 0, 1, 2

_SPACE = "▁"
_NO_PIECE = -1
_SLOT_BITS = 19
_CHARACTER_BITS = 21
_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
_UNKNOWN_PENALTY = 10.0
_WORST = -1e38


class Segmenter:
    """Cuts text into piece ids with tables that :func:`tables` made."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._normaliser = _Normaliser(arrays["charsmap_units"], arrays["charsmap_text"])
        self._keys = arrays["trie_keys"].data
        self._children = arrays["trie_children"].data
        self._pieces = arrays["trie_pieces"].data
        self._scores = arrays["piece_scores"].data
        self._unknown_score = float(arrays["piece_scores"].min()) - _UNKNOWN_PENALTY

    def ids(self, text: str) -> list[int]:
        """Piece ids of ``text``; ``[UNKNOWN]`` where nothing is left of it."""
        return [piece for _, _, piece in self._best_path(text)[1]] or [UNKNOWN]

    def cut(self, text: str) -> list[str]:
        """``text``, normalised, in its pieces, without the mark that leads a word."""
        normal, path = self._best_path(text)
        return [part for start, end, _ in path if (part := normal[start:end].strip(_SPACE))]

    def _best_path(self, text: str) -> tuple[str, list[tuple[int, int, int]]]:
        normal = self._normaliser.normalised(text)
        scores = self._scores
        best = [0.0] + [_WORST] * len(normal)
        came: list[tuple[int, int, int]] = [(0, 0, 0)] * (len(normal) + 1)
        for start in range(len(normal)):
            before = best[start]
            single = False
            for end, piece in self._pieces_at(normal, start):
                single = single or end == start + 1
                score = before + scores[piece]
                if score > best[end]:
                    best[end] = score
                    came[end] = (start, end, piece)
            if not single and before + self._unknown_score > best[start + 1]:
                best[start + 1] = before + self._unknown_score
                came[start + 1] = (start, start + 1, UNKNOWN)
        path = []
        at = len(normal)
        while at > 0:
            path.append(came[at])
            at = came[at][0]
        path.reverse()
        return normal, path

    def _pieces_at(self, text: str, start: int) -> Iterator[tuple[int, int]]:
        """(end, piece id) of every piece that begins at ``start``, shortest first."""
        keys, children, pieces = self._keys, self._children, self._pieces
        mask = len(keys) - 1
        node = 0
        for at in range(start, len(text)):
            key = (node << _CHARACTER_BITS | ord(text[at])) + 1
            slot = (key * _GOLDEN & _WORD) >> (64 - _SLOT_BITS)
            while (found := keys[slot]) != key:
                if not found:
                    return
                slot = (slot + 1) & mask
            node = children[slot]
            piece = pieces[node]
            if piece != _NO_PIECE:
                yield at + 1, piece


class _Normaliser:
    """The model's character map: a double array over UTF-8 bytes, and replacement texts."""

    def __init__(self, units: Array, text: Array) -> None:
        self._units = units.data
        self._text = bytes(text)
        self._ascii = {
            code: replacement.decode()
            for code in range(128)
            if (replacement := self._longest(bytes([code]), 0)[1]) is not None
        }

    def normalised(self, text: str) -> str:
        """``text`` mapped, its spaces collapsed and marked, ready to be cut."""
        mapped = text.translate(self._ascii) if text.isascii() else self._mapped(text)
        words = [word for word in mapped.split(" ") if word]
        return _SPACE + _SPACE.join(words) if words else ""

    def _mapped(self, text: str) -> str:
        raw = text.encode("utf-8", "replace")
        out = bytearray()
        at = 0
        while at < len(raw):
            length, replacement = self._longest(raw, at)
            if replacement is None:
                length = _character_length(raw[at])
                replacement = raw[at : at + length]
            out += replacement
            at += length
        return out.decode("utf-8", "replace")

    def _longest(self, raw: bytes, start: int) -> tuple[int, bytes | None]:
        """Length and replacement of the longest key that begins at ``start``, if any."""
        units = self._units
        length, value = 0, -1
        node = _offset(units[0])
        for at in range(start, len(raw)):
            node ^= raw[at]
            if node >= len(units):
                break
            unit = units[node]
            if unit & 0x800000FF != raw[at]:
                break
            node ^= _offset(unit)
            if unit & 0x100:
                length, value = at + 1 - start, units[node] & 0x7FFFFFFF
        if not 0 <= value < len(self._text):
            return 0, None
        return length, self._text[value : self._text.index(b"\0", value)]


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


def _character_length(lead: int) -> int:
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def tables(model: bytes) -> dict[str, Array]:
    """The flat arrays of a SentencePiece model file. Raises ValueError where it is not one.

    ``trie_keys``/``trie_children`` are an open hash of (node, character) → node;
    ``trie_pieces`` is the piece that ends at a node, or -1.
    """
    import numpy as np

    top = _fields(model)
    pieces = [_piece(raw) for raw in top.get(1, [])]
    charsmap = _first_bytes(_fields(_first_bytes(top, 3)), 2)
    size = int.from_bytes(charsmap[:4], "little")
    if not pieces or size % 4 or not 4 <= size <= len(charsmap) - 4:
        raise ValueError("not the model that was expected")
    keys, children, ends = _trie([text for text, _ in pieces])
    return {
        "trie_keys": keys,
        "trie_children": children,
        "trie_pieces": ends,
        "piece_scores": np.array([score for _, score in pieces], np.float32),
        "charsmap_units": np.frombuffer(charsmap, "<u4", size // 4, 4).astype(np.uint32),
        "charsmap_text": np.frombuffer(charsmap, np.uint8, offset=4 + size),
    }


def _trie(pieces: Sequence[str]) -> tuple[Array, Array, Array]:
    import numpy as np

    nodes = {"": 0}
    for piece in pieces:
        for end in range(1, len(piece) + 1):
            nodes.setdefault(piece[:end], len(nodes))
    ends = np.full(len(nodes), _NO_PIECE, np.int32)
    for number, piece in enumerate(pieces):
        ends[nodes[piece]] = number
    slots = 1 << _SLOT_BITS
    if len(nodes) > slots * 3 // 4:
        raise ValueError("a larger vocabulary than was expected")
    keys = [0] * slots
    children = [0] * slots
    for text, node in nodes.items():
        if not node:
            continue
        key = (nodes[text[:-1]] << _CHARACTER_BITS | ord(text[-1])) + 1
        slot = (key * _GOLDEN & _WORD) >> (64 - _SLOT_BITS)
        while keys[slot]:
            slot = (slot + 1) & (slots - 1)
        keys[slot], children[slot] = key, node
    return np.array(keys, np.uint64), np.array(children, np.int32), ends


def _piece(raw: bytes) -> tuple[str, float]:
    import struct

    fields = _fields(raw)
    score = _first_bytes(fields, 2)
    text = _first_bytes(fields, 1).decode("utf-8")
    return text, struct.unpack("<f", score)[0] if len(score) == 4 else 0.0


def _first_bytes(fields: Mapping[int, Sequence[bytes]], number: int) -> bytes:
    found = fields.get(number)
    return found[0] if found else b""


def _fields(raw: bytes) -> dict[int, list[bytes]]:
    """Length-delimited and fixed 32-bit fields of one protocol-buffer message, by number."""
    found: dict[int, list[bytes]] = {}
    at = 0
    while at < len(raw):
        key, at = _varint(raw, at)
        kind = key & 7
        if kind == 0:
            _, at = _varint(raw, at)
            continue
        if kind == 2:
            length, at = _varint(raw, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError("not a message")
        if at + length > len(raw):
            raise ValueError("cut short")
        found.setdefault(key >> 3, []).append(raw[at : at + length])
        at += length
    return found


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(raw) and shift < 64:
        byte = raw[at]
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return value, at
    raise ValueError("cut short")
