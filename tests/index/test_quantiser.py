"""Bytes for numbers: how far off a number and a cosine may be."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from citator.index.quantiser import quantised, restored

Array = np.ndarray[Any, np.dtype[Any]]

seeds = st.integers(0, 2**32 - 1)


def unit_vectors(seed: int, count: int, dimension: int, spread: float) -> Array:
    """Random unit vectors; a greater ``spread`` puts more of their length into few numbers."""
    random = np.random.default_rng(seed)
    raw = random.standard_normal((count, dimension)) ** 3 * random.random(dimension) ** spread
    made: Array = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    return made.astype(np.float32)


@given(seed=seeds, dimension=st.sampled_from([2, 64, 384, 512]), spread=st.floats(0, 8))
def test_a_number_is_off_by_at_most_half_a_step(seed: int, dimension: int, spread: float) -> None:
    vectors = unit_vectors(seed, 5, dimension, spread)
    rows, scales = quantised(vectors)
    off = np.abs(restored(rows, scales) - vectors)
    assert (off <= scales[:, None] * 0.5001).all()
    assert np.abs(rows).max() == 127


@given(seed=seeds, dimension=st.sampled_from([64, 384, 512]), spread=st.floats(0, 8))
def test_a_cosine_is_off_by_less_than_two_hundredths(
    seed: int, dimension: int, spread: float
) -> None:
    vectors = unit_vectors(seed, 20, dimension, spread)
    questions = unit_vectors(seed + 1, 4, dimension, spread)
    found = restored(*quantised(vectors)) @ questions.T
    assert np.abs(found - vectors @ questions.T).max() < 0.02


def test_rows_of_zeros_and_of_no_numbers_become_zeros() -> None:
    vectors = np.array([[0, 0], [np.nan, 1], [np.inf, 0], [1, -0.5]], np.float32)
    rows, scales = quantised(vectors)
    assert rows.tolist() == [[0, 0], [0, 0], [0, 0], [127, -64]]
    assert scales[:3].tolist() == [0, 0, 0]
    assert quantised(np.empty((0, 3), np.float32))[0].shape == (0, 3)
