"""Fits the fusion, tells what it is worth on repositories it never saw, writes its weights.

    python -m bench.localize.fit --scratch DIR [--write] [--report OUT] SET.jsonl …

- Softmax cross-entropy over the candidates of an instance, its gold files sharing the belief;
  L2; Newton's method (the loss is convex: no seed, no learning rate).
- Every figure is leave-one-repository-out (small ones several at once): the weights that order
  an instance were fitted on other repositories alone, and so was the curve of its confidence.
- ``--write`` fits on everything and replaces ``src/citator/locate/weights.json``.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bench.localize.collect import feature_file
from bench.localize.metrics import Placed, calibration, figures
from bench.localize.mirrors import rows_of

from citator.locate import fusion

Array = np.ndarray[Any, np.dtype[Any]]
L2 = 0.02
RIVALS = 150
MANY = 5
FOLDS = 6
FEATURES = (
    "r:bm25f", "r:bm25f_title", "r:bm25f_code", "r:f_path", "r:f_def", "r:ch_max",
    "r:ch_top3", "r:ch_title", "r:m_path", "r:m_trace", "x:m_trace_last", "r:m_module",
    "r:m_import", "r:m_sym", "r:m_sym_code", "r:m_sym_title", "r:m_qual", "r:m_base",
    "r:m_base_title", "r:h_sim", "r:h_simmax", "r:h_sim_fix", "r:ht_sim", "r:ht_simmax",
    "k:ht_sim", "r:h_last", "r:h_1y", "r:h_fix", "r:loglen", "x:aux", "x:is_init",
    "x:migration", "x:vendored", "r:ppr_imp", "r:ppr_co", "r:indeg", "k:bm25f", "k:h_sim",
    "k:ppr_co", "k:ppr_imp", "k:ch_top3", "k:ch_max", "r:f_code", "r:f_prose", "r:f_str",
    "k:m_sym", "k:f_def", "k:f_path", "k:bm25f_title",
)  # fmt: skip


@dataclass(frozen=True)
class Instance:
    """One instance: opinions on its candidates, and which were changed."""

    name: str
    repo: str
    table: Array
    gold: Array
    golds: int
    paths: tuple[str, ...]
    spent: float


def load(sets: Sequence[Path], scratch: Path) -> list[Instance]:
    """Everything that was collected."""
    found = []
    for row in rows_of(sets):
        file = feature_file(scratch, row["instance_id"])
        if file.exists():
            with np.load(file, allow_pickle=False) as kept:
                table = kept["table"].astype(float)
                paths = tuple(str(kept["paths"]).split("\n"))
                spent = float(kept["spent"])
                one = Instance(
                    row["instance_id"], row["repo"], table, kept["gold"],
                    len(row["gold_files"]), paths, spent,
                )  # fmt: skip
            found.append(one)
    return found


def fit(sets: Sequence[tuple[Array, Array]], l2: float = L2, start: Array | None = None) -> Array:
    """The weights (f,) for (features (n, f), gold) pairs, those without gold left out.

    ``start`` only saves steps: the loss has one minimum.
    """
    usable = [_narrowed(x, gold) for x, gold in sets if len(gold)]
    width = usable[0][0].shape[1]
    weights = np.zeros(width) if start is None else start
    value = _loss(usable, weights, l2)
    for _ in range(30):
        gradient, hessian = l2 * weights, l2 * np.eye(width)
        for x, gold in usable:
            p = _softmax(x @ weights)
            mean = p @ x
            gradient += (mean - x[gold].mean(axis=0)) / len(usable)
            hessian += ((x * p[:, None]).T @ x - np.outer(mean, mean)) / len(usable)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while (tried := _loss(usable, weights - size * step, l2)) > value and size > 1e-4:
            size /= 2
        weights = weights - size * step
        if value - tried < 1e-6:
            break
        value = tried
    return weights


def _narrowed(x: Array, gold: Array) -> tuple[Array, Array]:
    """The gold files and the :data:`RIVALS` candidates with the strongest opinions: the rest have
    no share of the softmax worth a step."""
    if len(x) <= RIVALS:
        return x, gold
    rivals = np.argsort(-x.sum(axis=1), kind="stable")[:RIVALS]
    kept = np.concatenate([gold, rivals[~np.isin(rivals, gold)]])
    return x[kept], np.arange(len(gold))


def _loss(usable: Sequence[tuple[Array, Array]], weights: Array, l2: float) -> float:
    total = 0.0
    for x, gold in usable:
        scores = x @ weights
        top = scores.max()
        total += float(np.log(np.exp(scores - top).sum()) + top - scores[gold].mean())
    return total / len(usable) + l2 / 2 * float(weights @ weights)


def _softmax(scores: Array) -> Array:
    p: Array = np.exp(scores - scores.max())
    return p / float(p.sum())


def curve(pairs: Sequence[tuple[Array, Array]]) -> tuple[float, float]:
    """Slope and offset from the logit of a share to how often such a file was changed, fitted on
    the ten best files of each (scores, gold)."""
    logits: list[float] = []
    right: list[float] = []
    for scores, gold in pairs:
        best = np.argsort(-scores, kind="stable")[:10]
        logits += fusion.logits_of(scores)[best].tolist()
        right += np.isin(best, gold).astype(float).tolist()
    x = np.stack([np.array(logits), np.ones(len(logits))], axis=1)
    y = np.array(right)
    w = np.array([1.0, 0.0])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ w))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(2)
        step = np.linalg.solve(hessian, x.T @ (p - y))
        w = w - np.clip(step, -1, 1)
    return float(w[0]), float(w[1])


def held_out(
    instances: Sequence[Instance], names: Sequence[str], l2: float = L2
) -> dict[str, Array]:
    """For each instance: the scores of its candidates by a fit without its repository."""
    features = {one.name: fusion.features_of(one.table, tuple(names)) for one in instances}
    start = fit([(features[one.name], one.gold) for one in instances], l2)
    folds = folds_of(instances)
    found = {}
    for fold in sorted(set(folds.values())):
        rest = [(features[one.name], one.gold) for one in instances if folds[one.repo] != fold]
        weights = fit(rest, l2, start)
        for one in instances:
            if folds[one.repo] == fold:
                found[one.name] = features[one.name] @ weights
    return found


def folds_of(instances: Sequence[Instance]) -> dict[str, str]:
    """The fold of each repository: its own where it has :data:`MANY` instances or more, else one
    of a few that leave out several small repositories at once."""
    counts = Counter(one.repo for one in instances)
    return {
        repo: repo if counts[repo] > MANY else f"small {zlib.crc32(repo.encode()) % FOLDS}"
        for repo in counts
    }


def placed(one: Instance, scores: Array, line: tuple[float, float] = (1.0, 0.0)) -> Placed:
    """Where the gold of an instance stands: ties count against us, but for other gold."""
    places = []
    for g in one.gold:
        equals = [int(other) for other in np.flatnonzero(scores == scores[g]) if other != g]
        apart = [other for other in equals if other not in one.gold]
        places.append(int((scores > scores[g]).sum()) + len(apart) + 1)
    logit = line[0] * float(fusion.logits_of(scores).max()) + line[1]
    confidence = 1 / (1 + np.exp(-logit))
    return Placed(one.name, one.repo, tuple(sorted(places)), one.golds, float(confidence))


def evaluate(instances: Sequence[Instance], names: Sequence[str], l2: float = L2) -> list[Placed]:
    """All instances, held out by repository: weights, and the curve of confidence too."""
    scores = held_out(instances, names, l2)
    folds = folds_of(instances)
    lines = {
        fold: curve([(scores[one.name], one.gold) for one in instances if folds[one.repo] != fold])
        for fold in sorted(set(folds.values()))
    }
    return [placed(one, scores[one.name], lines[folds[one.repo]]) for one in instances]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--write", action="store_true")
    said = parser.parse_args()
    instances = load(said.sets, said.scratch)
    known = {row["instance_id"]: file.stem for file in said.sets for row in rows_of([file])}
    every = evaluate(instances, FEATURES)
    for split in dict.fromkeys(known.values()):
        part = [one for one in every if known[one.instance] == split]
        print(split, json.dumps(figures(part)), json.dumps(calibration(part)) if part else "")
    if said.write:
        from bench.localize.functions import weights_of

        features = [fusion.features_of(one.table, FEATURES) for one in instances]
        weights = fit([(x, one.gold) for x, one in zip(features, instances, strict=True)])
        scores = held_out(instances, FEATURES)
        slope, offset = curve([(scores[one.name], one.gold) for one in instances])
        model = {
            "fitted_on": {
                "instances": len(instances),
                "repositories": len({o.repo for o in instances}),
            },
            "l2": L2,
            "slope": round(slope, 4),
            "offset": round(offset, 4),
            "functions": weights_of(instances, scores, said.scratch),
            "weights": {
                name: round(float(w), 4) for name, w in zip(FEATURES, weights, strict=True)
            },
        }
        target = Path("src/citator/locate/weights.json")
        target.write_text(json.dumps(model, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
