"""The figures of the benchmark: those of ``citator eval locate``, in the form that reports hold."""

from collections.abc import Sequence

from citator.service.measures import Placed, curve, expected_error, wilson

__all__ = ["Placed", "calibration", "figures", "wilson"]


def figures(placed: Sequence[Placed]) -> dict[str, float]:
    """The figures of a set in percent, with ``n``, as reports hold them."""
    n = len(placed)
    if not n:
        return {"n": 0}
    found: dict[str, float] = {"n": n}
    for k in (1, 3, 5, 10, 20):
        found[f"hit@{k}"] = 100 * sum(one.hit(k) for one in placed) / n
    for k in (5, 10):
        found[f"acc@{k}"] = 100 * sum(one.strict(k) for one in placed) / n
    found["recall@10"] = 100 * sum(one.recall(10) for one in placed) / n
    found["map@10"] = 100 * sum(one.precision(10) for one in placed) / n
    found["mrr"] = 100 * sum(one.reciprocal() for one in placed) / n
    return {name: round(value, 1) for name, value in found.items()}


def calibration(placed: Sequence[Placed]) -> dict[str, float]:
    """The expected calibration error of the first file's confidence, and Hit@1 of the most
    confident 30 %."""
    sure = [one.confidence for one in placed]
    right = [bool(one.hit(1)) for one in placed]
    best = sorted(range(len(sure)), key=lambda i: -sure[i])[: max(1, round(0.3 * len(sure)))]
    return {
        "ece": round(expected_error(curve(sure, right)), 3),
        "top30_hit@1": round(100 * sum(right[i] for i in best) / len(best), 1),
    }
