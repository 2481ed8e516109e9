"""Opinions → one score a file: a linear model over how each opinion compares, and its softmax.

- An opinion takes part as its share of the best (``r:``), as its place in the order (``k:``,
  one over the rank) or as it is (``x:``): so it means the same in every repository.
- A confidence is how often a file with such a share of the softmax was really changed: a
  logistic curve fitted on repositories that the weights had not seen.
- Weights are data (``weights.json``), written by ``bench/localize/fit.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any

from citator.locate.signals import NAMES

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Model:
    """Weights by feature (``r:bm25f``), the curve from a share's logit to a confidence, and the
    weights of opinions on functions."""

    weights: dict[str, float]
    slope: float = 1.0
    offset: float = 0.0
    functions: Mapping[str, float] = field(default_factory=dict)

    def scores(self, table: Array) -> Array:
        """(n,) from opinions (n, len(NAMES))."""
        import numpy as np

        features = features_of(table, tuple(self.weights))
        scores: Array = features @ np.array(list(self.weights.values()))
        return scores

    def confidences(self, scores: Array) -> Array:
        """(n,) how likely each file is to be one that is changed, 0 to 1."""
        import numpy as np

        if not len(scores):
            return scores
        logits = logits_of(scores)
        confidences: Array = 1.0 / (1.0 + np.exp(-(self.slope * logits + self.offset)))
        return confidences


def logits_of(scores: Array) -> Array:
    """(n,) the logit of each score's share of the softmax, within ±21."""
    import numpy as np

    powers = np.exp(scores - scores.max())
    shares = np.clip(powers / powers.sum(), 1e-9, 1 - 1e-9)
    logits: Array = np.log(shares / (1 - shares))
    return logits


def features_of(table: Array, names: tuple[str, ...]) -> Array:
    """(n, len(names)): the features a model asks for."""
    import numpy as np

    features = np.empty((len(table), len(names)))
    for column, name in enumerate(names):
        form, _, signal = name.partition(":")
        opinion = table[:, NAMES.index(signal)]
        if form == "r":
            opinion = opinion / max(float(opinion.max(initial=0.0)), 1e-12)
        elif form == "k":
            opinion = _places(opinion)
        features[:, column] = opinion
    return features


def _places(opinion: Array) -> Array:
    """One over the rank; zero where there is no opinion; equals share the better rank."""
    import numpy as np

    ascending = np.sort(opinion)
    above = len(opinion) - np.searchsorted(ascending, opinion, "right")
    return np.where(opinion > 0, 1.0 / (1.0 + above), 0.0)


def shipped() -> Model:
    """The model that comes with the package."""
    said = json.loads((resources.files(__package__) / "weights.json").read_text("utf-8"))
    weights = {str(name): float(weight) for name, weight in said["weights"].items()}
    functions = {str(name): float(weight) for name, weight in said["functions"].items()}
    return Model(weights, float(said["slope"]), float(said["offset"]), functions)
