"""Fits the fusion, tells what it is worth on repositories it never saw, writes its weights.

    python -m bench.localize.fit --scratch DIR [--write] [--report OUT] SET.jsonl …

- Softmax cross-entropy over the candidates of an instance, its gold files sharing the belief;
  L2; Newton's method (the loss is convex: no seed, no learning rate).
- A repository counts by the .7th power of its instances: a third of them are of one.
- Every figure is leave-one-repository-out (small ones several at once): the weights that order
  an instance were fitted on other repositories alone, and so was the curve of its confidence.
- An instance that stands in several of the sets counts once, for the first.
- ``--write`` fits on everything and replaces the weights of files in
  ``src/citator/locate/weights.json``; those of functions stay (``functions.py``).
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
L2 = 0.006
EVEN = 0.3
RIVALS = 400
MANY = 5
FOLDS = 6
MAIN = (
    "bm25f", "bm25f_title", "ch_max", "h_sim", "ht_sim", "m_sym", "m_sym_title", "f_path", "f_def",
    "hp", "m_path", "ppr_co",
)  # fmt: skip
FEATURES = (
    "r:bm25f", "r:bm25f_title", "r:bm25f_code", "r:f_path", "r:f_def", "r:ch_max",
    "r:ch_top3", "r:ch_title", "r:m_path", "r:m_trace", "x:m_trace_last", "r:m_module",
    "r:m_import", "r:m_sym", "r:m_sym_code", "r:m_sym_title", "r:m_qual", "r:m_base",
    "r:m_base_title", "r:h_sim", "r:h_simmax", "r:h_sim_fix", "r:ht_sim", "r:ht_simmax",
    "k:ht_sim", "r:h_last", "r:h_1y", "r:h_fix", "r:loglen", "x:aux", "x:is_init",
    "x:migration", "x:vendored", "r:ppr_imp", "r:ppr_co", "r:indeg", "k:bm25f", "k:h_sim",
    "k:ppr_co", "k:ppr_imp", "k:ch_top3", "k:ch_max", "r:f_code", "r:f_prose", "r:f_str",
    "k:m_sym", "k:f_def", "k:f_path", "k:bm25f_title", "r:hp", "r:hpt", "r:h_ref", "r:h_ticket",
    "r:fn", "r:fn_named", "r:fn_both", "k:fn", "k:fn_named", "k:fn_both",
    "r:n_next", "r:n_folder", "r:n_used",
    *(
        f"r:{signal}|{occasion}"
        for occasion in ("m_trace", "m_path", "brief")
        for signal in MAIN
        if signal != occasion
    ),
    *(f"r:{one}*{other}" for n, one in enumerate(MAIN) for other in MAIN[n:]),
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
    for row in {one["instance_id"]: one for one in reversed(rows_of(sets))}.values():
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


def splits_of(sets: Sequence[Path]) -> dict[str, str]:
    """The set that each instance counts for."""
    return {row["instance_id"]: file.stem for file in reversed(sets) for row in rows_of([file])}


def fit(
    sets: Sequence[tuple[Array, Array]],
    l2: float = L2,
    start: Array | None = None,
    worths: Sequence[float] = (),
) -> Array:
    """The weights (f,) for (features (n, f), gold) pairs, those without gold left out.

    ``worths``: how much each pair counts. ``start`` only saves steps: the loss has one minimum.
    """
    every = zip(sets, worths or [1.0] * len(sets), strict=True)
    counted = [(*_narrowed(x, gold), worth) for (x, gold), worth in every if len(gold)]
    total = sum(worth for _, _, worth in counted)
    usable = [(x, gold, worth / total) for x, gold, worth in counted]
    width = usable[0][0].shape[1]
    weights = np.zeros(width) if start is None else start
    value = _loss(usable, weights, l2)
    for _ in range(30):
        gradient, hessian = l2 * weights, l2 * np.eye(width)
        for x, gold, worth in usable:
            p = _softmax(x @ weights)
            mean = p @ x
            gradient += worth * (mean - x[gold].mean(axis=0))
            near = p > 1e-4
            bent = x[near] * np.sqrt(p[near])[:, None]
            hessian += worth * (bent.T @ bent - np.outer(mean, mean))
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while (tried := _loss(usable, weights - size * step, l2)) > value and size > 1e-4:
            size /= 2
        weights = weights - size * step
        if value - tried < 1e-5:
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


def _loss(usable: Sequence[tuple[Array, Array, float]], weights: Array, l2: float) -> float:
    total = 0.0
    for x, gold, worth in usable:
        scores = x @ weights
        top = scores.max()
        total += worth * float(np.log(np.exp(scores - top).sum()) + top - scores[gold].mean())
    return total + l2 / 2 * float(weights @ weights)


def _softmax(scores: Array) -> Array:
    p: Array = np.exp(scores - scores.max())
    return p / float(p.sum())


def curves(pairs: Sequence[tuple[Array, Array]]) -> fusion.Model:
    """The curves of confidence, fitted on the best files of each (scores, gold)."""
    leads: list[Array] = []
    right: list[Array] = []
    for scores, gold in pairs:
        best = np.argsort(-scores, kind="stable")[: fusion.LEADERS]
        leads.append(fusion.leads_of(np.sort(scores)[::-1])[: len(best)])
        right.append(np.isin(best, gold).astype(float))
    first = _logistic(np.array([one[0] for one in leads]), np.array([one[0] for one in right]))
    later = _logistic(
        np.concatenate([x[1:] for x in leads]), np.concatenate([y[1:] for y in right])
    )
    return fusion.Model({}, first, later)


def _logistic(x: Array, y: Array) -> fusion.Curve:
    w = np.array([1.0, 0.0, 0.0])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ w))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(3)
        w = w - np.clip(np.linalg.solve(hessian, x.T @ (p - y) + 1e-3 * w), -1, 1)
    return float(w[0]), float(w[1]), float(w[2])


def held_out(
    instances: Sequence[Instance], names: Sequence[str], l2: float = L2
) -> dict[str, Array]:
    """For each instance: the scores of its candidates by a fit without its repository."""
    features = {one.name: fusion.features_of(one.table, tuple(names)) for one in instances}
    sets = {one.name: _narrowed(features[one.name], one.gold) for one in instances}
    worths = worths_of(instances)
    start = fit(list(sets.values()), l2, None, worths)
    folds = folds_of(instances)
    found = {}
    for fold in sorted(set(folds.values())):
        rest = [n for n, one in enumerate(instances) if folds[one.repo] != fold]
        of = [sets[instances[n].name] for n in rest]
        weights = fit(of, l2, start, [worths[n] for n in rest])
        for one in instances:
            if folds[one.repo] == fold:
                found[one.name] = features[one.name] @ weights
    return found


def worths_of(instances: Sequence[Instance]) -> list[float]:
    """How much each instance counts in a fit."""
    counts = Counter(one.repo for one in instances)
    return [counts[one.repo] ** -EVEN for one in instances]


def folds_of(instances: Sequence[Instance]) -> dict[str, str]:
    """The fold of each repository: its own where it has :data:`MANY` instances or more, else one
    of a few that leave out several small repositories at once."""
    counts = Counter(one.repo for one in instances)
    return {
        repo: repo if counts[repo] > MANY else f"small {zlib.crc32(repo.encode()) % FOLDS}"
        for repo in counts
    }


def placed(one: Instance, scores: Array, model: fusion.Model | None = None) -> Placed:
    """Where the gold of an instance stands: ties count against us, but for other gold."""
    places = []
    for g in one.gold:
        equals = [int(other) for other in np.flatnonzero(scores == scores[g]) if other != g]
        apart = [other for other in equals if other not in one.gold]
        places.append(int((scores > scores[g]).sum()) + len(apart) + 1)
    confidence = 0.0 if model is None else float(model.confidences(scores).max())
    return Placed(one.name, one.repo, tuple(sorted(places)), one.golds, confidence)


def evaluate(instances: Sequence[Instance], names: Sequence[str], l2: float = L2) -> list[Placed]:
    """All instances, held out by repository: weights, and the curves of confidence too."""
    return judged(instances, held_out(instances, names, l2))


def judged(instances: Sequence[Instance], scores: dict[str, Array]) -> list[Placed]:
    """Where the gold stands by ``scores``, with confidences of curves that never saw it."""
    folds = folds_of(instances)
    models = {
        fold: curves([(scores[one.name], one.gold) for one in instances if folds[one.repo] != fold])
        for fold in sorted(set(folds.values()))
    }
    return [placed(one, scores[one.name], models[folds[one.repo]]) for one in instances]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--scratch", required=True, type=Path)
    parser.add_argument("--write", action="store_true")
    said = parser.parse_args()
    instances = load(said.sets, said.scratch)
    known = splits_of(said.sets)
    scores = held_out(instances, FEATURES)
    every = judged(instances, scores)
    for split in dict.fromkeys(known.values()):
        part = [one for one in every if known[one.instance] == split]
        print(split, json.dumps(figures(part)), json.dumps(calibration(part)) if part else "")
    if said.write:
        features = [fusion.features_of(one.table, FEATURES) for one in instances]
        sets = [(x, one.gold) for x, one in zip(features, instances, strict=True)]
        weights = fit(sets, L2, None, worths_of(instances))
        lines = curves([(scores[one.name], one.gold) for one in instances])
        target = Path("src/citator/locate/weights.json")
        model = {
            "fitted_on": {
                "instances": len(instances),
                "repositories": len({o.repo for o in instances}),
            },
            "l2": L2,
            "first": [round(one, 4) for one in lines.first],
            "later": [round(one, 4) for one in lines.later],
            "functions": json.loads(target.read_text("utf-8"))["functions"],
            "weights": {
                name: round(float(w), 4) for name, w in zip(FEATURES, weights, strict=True)
            },
        }
        target.write_text(json.dumps(model, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
