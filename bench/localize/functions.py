"""Fits what functions are worth, and measures it: the same loss as for files, over functions.

Candidates are all functions of a tree with an opinion; one feature beside the opinions is how
far ahead the function's file is (the logarithm of its share, from a fit that never saw its
repository). Gold: the innermost functions around the lines that were changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bench.localize.collect import feature_file
from bench.localize.fit import Array, Instance, fit, folds_of
from bench.localize.metrics import Placed

from citator.locate import fusion
from citator.locate.functions import NAMES

L2 = 0.01
NEAR = 400


def sets_of(
    instances: Sequence[Instance], scores: Mapping[str, Array], scratch: Path
) -> dict[str, tuple[Array, Array]]:
    """By instance: features (n, 1 + opinions) of every function, and the gold ones."""
    found = {}
    for one in instances:
        with np.load(feature_file(scratch, one.name), allow_pickle=False) as kept:
            if "function_gold" not in kept or not kept["function_gold"].any():
                continue
            files, opinions = kept["function_files"], kept["function_opinions"].astype(float)
            is_gold = kept["function_gold"]
        shares = np.log(1e-6 + 1 / (1 + np.exp(-fusion.logits_of(scores[one.name]))))
        x = np.concatenate([shares[files][:, None] / 3, opinions], axis=1)
        found[one.name] = x, np.flatnonzero(is_gold)
    return found


def _near(x: Array, gold: Array) -> tuple[Array, Array]:
    """The gold functions and the nearest :data:`NEAR` others: enough to fit to."""
    near = np.argsort(-(x[:, 0] + 0.5 * x[:, 1] + 0.3 * x[:, 3]), kind="stable")[:NEAR]
    return x[np.concatenate([gold, near[~np.isin(near, gold)]])], np.arange(len(gold))


def evaluate(
    instances: Sequence[Instance], scores: Mapping[str, Array], scratch: Path
) -> list[Placed]:
    """Where the gold functions stand, held out by repository."""
    sets = sets_of(instances, scores, scratch)
    folds = folds_of(instances)
    repos = {one.name: one.repo for one in instances}
    found: list[Placed] = []
    for fold in sorted({folds[repos[name]] for name in sets}):
        weights = fit([_near(*sets[name]) for name in sets if folds[repos[name]] != fold], L2)
        for name, (x, gold) in sets.items():
            if folds[repos[name]] == fold:
                every = x @ weights
                places = tuple(sorted(int((every > every[g]).sum()) + 1 for g in gold))
                found.append(Placed(name, repos[name], places, len(gold), 0.0))
    return found


def weights_of(
    instances: Sequence[Instance], scores: Mapping[str, Array], scratch: Path
) -> dict[str, Any]:
    """The weights to ship: of the opinions alone, as the file is settled before."""
    sets = sets_of(instances, scores, scratch)
    weights = fit([_near(*one) for one in sets.values()], L2)
    return {name: round(float(w), 4) for name, w in zip(NAMES, weights[1:], strict=True)}
