"""Opinions → one score a file: a linear model over how each opinion compares, and its softmax.

- An opinion takes part as its share of the best (``r:``), as its place in the order (``k:``,
  one over the rank) or as it is (``x:``): so it means the same in every repository.
- Two shares may be multiplied (``r:bm25f*hp``): what two kinds of evidence agree on counts for
  more, or less, than what each says.
- A weight may belong to an occasion (``r:bm25f|m_trace``): it is added only where the issue gives
  the signal behind the bar an opinion at all, as when there is a traceback.
- A confidence is how often a file that leads so far was really changed: a logistic curve over
  how far its score is from the best other and from the mean of the ten best, one for the first
  file and one for those after it, fitted on repositories that the weights had not seen.
- Weights are data (``weights.json``), written by ``bench/localize/fit.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any

from citator.locate.signals import NAMES

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

LEADERS = 10
_FARTHEST = 6.0
Curve = tuple[float, float, float]


@dataclass(frozen=True)
class Model:
    """Weights by feature; the curves of confidence of the first file and of those after it (by the
    lead over the best other, over the mean of the best, and a constant); the weights of opinions
    on functions."""

    weights: dict[str, float]
    first: Curve = (1.0, 0.0, 0.0)
    later: Curve = (1.0, 0.0, 0.0)
    functions: Mapping[str, float] = field(default_factory=dict)

    def scores(self, table: Array) -> Array:
        """(n,) from opinions (n, len(NAMES))."""
        import numpy as np

        scores = np.zeros(len(table))
        features = Features(table)
        for name, weight in self.weights.items():
            feature, _, signal = name.partition("|")
            if features.occurs(signal):
                scores += weight * features.of(feature)
        return scores

    def confidences(self, scores: Array) -> Array:
        """(n,) how likely each file is to be one that is changed, 0 to 1; none above a better."""
        import numpy as np

        if not len(scores):
            return scores
        order = np.argsort(-scores, kind="stable")
        leads = leads_of(scores[order])
        logits = leads @ np.array(self.later)
        logits[0] = leads[0] @ np.array(self.first)
        falling = np.minimum.accumulate(1.0 / (1.0 + np.exp(-np.clip(logits, -21, 21))))
        confidences = np.empty(len(scores))
        confidences[order] = falling
        return confidences


def leads_of(descending: Array) -> Array:
    """(n, 3): how far each score is from the best other, from the mean of the
    :data:`LEADERS` best, and one."""
    import numpy as np

    leads = np.ones((len(descending), 3))
    second = descending[1] if len(descending) > 1 else descending[0] - _FARTHEST
    leads[:, 0] = descending - descending[0]
    leads[0, 0] = descending[0] - second
    leads[:, 0] = np.clip(leads[:, 0], -_FARTHEST, _FARTHEST)
    leads[:, 1] = descending - descending[:LEADERS].mean()
    return leads


class Features:
    """The features of one table of opinions, each form of an opinion computed once."""

    def __init__(self, table: Array) -> None:
        self._table = table
        self._known: dict[str, Array] = {}

    def occurs(self, signal: str) -> bool:
        """Whether any file has an opinion by ``signal``; yes where there is none to ask for."""
        return not signal or bool(self._opinion(signal).any())

    def of(self, name: str) -> Array:
        """(n,) one feature, without its occasion."""
        form, _, signal = name.partition(":")
        one, _, other = signal.partition("*")
        if other:
            joint: Array = self.of(f"{form}:{one}") * self.of(f"{form}:{other}")
            return joint
        if name not in self._known:
            opinion = self._opinion(signal)
            if form == "r":
                opinion = opinion / max(float(opinion.max(initial=0.0)), 1e-12)
            elif form == "k":
                opinion = _places(opinion)
            self._known[name] = opinion
        return self._known[name]

    def _opinion(self, signal: str) -> Array:
        opinion: Array = self._table[:, NAMES.index(signal)]
        return opinion


def features_of(table: Array, names: tuple[str, ...]) -> Array:
    """(n, len(names)): the features a model asks for, zero where their occasion is not given."""
    import numpy as np

    features = Features(table)
    found = np.zeros((len(table), len(names)))
    for column, name in enumerate(names):
        feature, _, signal = name.partition("|")
        if features.occurs(signal):
            found[:, column] = features.of(feature)
    return found


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
    return Model(weights, _curve(said["first"]), _curve(said["later"]), functions)


def _curve(said: Sequence[float]) -> Curve:
    best, mean, constant = said
    return float(best), float(mean), float(constant)
