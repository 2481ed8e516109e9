"""Earlier commits that read like the issue, and how lately and how often files changed.

- ``h_sim``: the 200 commits whose messages are nearest (BM25), each giving its files the cube
  of its nearness, less where it touched many or long ago; ``h_simmax`` the best single one;
  ``h_sim_fix`` those that mend something alone; ``ht_*`` ask with the title of the issue alone,
  which is written like the subject of a commit.
- ``hp``, ``hpt`` (by the title): everything that was ever said of a file, as one text: the
  messages of the commits that touched it, each less where it touched many or long ago (BM25). A
  file that is named by another word than its own is found by what its changes were called.
- ``h_last``: how lately a file changed; ``h_1y``, ``h_fix``: how often, in a year and to mend.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citator.index.code.past import PastView
from citator.locate.issue import Issue
from citator.locate.protocol import Scene
from citator.locate.words_signal import asked

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_NEAREST = 200
_YEAR = 365 * 86400.0
_FADES = 4.0
_K1, _B = 2.0, 0.9
_PROFILE_B = 0.75
_CELLS = 2_000_000


class PastSignal:
    """History."""

    names = (
        *("h_sim", "h_simmax", "h_sim_fix", "ht_sim", "ht_simmax", "h_last", "h_1y", "h_fix"),
        *("hp", "hpt"),
    )

    def score(self, issue: Issue, scene: Scene) -> Array:
        """See the module. Zeros where there is no history."""
        import numpy as np

        found = np.zeros((scene.size, len(self.names)))
        past = scene.past
        if past is None or not len(past.times) or not len(past.commits):
            return found
        age = (past.times.max() - past.times) / _YEAR
        of = past.commits
        for column, weights in ((0, issue.weights), (3, issue.title_weights)):
            near, nearness = nearest(weights, past)
            worth = np.zeros(len(past.times))
            worth[near] = nearness
            spread = worth**3 / (1.0 + age / _FADES) / np.sqrt(np.maximum(past.touched, 1))
            found[:, column] = np.bincount(past.files, spread[of], scene.size)
            np.maximum.at(found[:, column + 1], past.files, (worth / past.touched**0.25)[of])
            if column == 0:
                found[:, 2] = np.bincount(past.files, (spread * past.fixes)[of], scene.size)
        found[:, 5:8] = _activity(scene, past, age)
        found[:, 8:] = _profiles(issue, scene, past, age)
        return found


def nearest(weights: dict[int, float], past: PastView) -> tuple[Array, Array]:
    """The commits nearest to the words of ``weights``, and how near: at most one."""
    import numpy as np

    query = asked(past.messages, len(past.times), weights)
    docs = past.messages.docs[query.index]
    tf = past.messages.counts[query.index].astype(np.float32)
    mean = max(float(past.lengths.mean()), 1.0)
    norm = _K1 * (1 - _B + _B * past.lengths[docs] / mean)
    gain = (query.weights * query.idf)[query.which] * tf / (tf + norm)
    scores = np.bincount(docs, gain, len(past.times))
    count = min(_NEAREST, len(scores))
    near = np.argpartition(-scores, count - 1)[:count]
    near = near[np.lexsort((near, -scores[near]))]
    best = scores[near[0]] if len(near) else 0.0
    return (near, scores[near] / best) if best > 0 else (near[:0], scores[:0])


@dataclass(frozen=True, slots=True)
class _Changes:
    """The files of each commit one after the other, with where those of a commit start; what a
    commit is worth to a file; how much was said of each file."""

    files: Array
    starts: Array
    worth: Array
    lengths: Array


def _changes(scene: Scene, past: PastView, age: Array) -> _Changes:
    import numpy as np

    kept: _Changes | None = scene.stash.get("changes of files")
    if kept is None:
        worth = 1.0 / np.sqrt(np.maximum(past.touched, 1)) / (1.0 + age / _FADES)
        order = np.argsort(past.commits, kind="stable")
        starts = np.searchsorted(past.commits[order], np.arange(len(past.times) + 1))
        said = (past.lengths * worth)[past.commits]
        lengths = np.bincount(past.files, said, scene.size)
        kept = _Changes(past.files[order], starts, worth, lengths)
        scene.stash["changes of files"] = kept
    return kept


def _profiles(issue: Issue, scene: Scene, past: PastView, age: Array) -> Array:
    """(n, 2): how well what was said of each file meets the issue, and its title."""
    import numpy as np

    changes, n = _changes(scene, past, age), scene.size
    query = asked(past.messages, len(past.times), issue.weights)
    commits = past.messages.docs[query.index]
    said = past.messages.counts[query.index] * changes.worth[commits]
    sizes = changes.starts[commits + 1] - changes.starts[commits]
    of = np.repeat(np.arange(len(commits)), sizes)
    first = np.repeat(changes.starts[commits] - np.cumsum(sizes) + sizes, sizes)
    files = changes.files[first + np.arange(len(of))]
    which, files, said = _summed(query.which[of], files, said[of], n)
    df = np.bincount(which, minlength=len(query.weights))
    idf = np.log1p((n - df + 0.5) / (df + 0.5))[which]
    mean = max(float(changes.lengths[changes.lengths > 0].mean()), 1e-9)
    norm = _K1 * (1 - _PROFILE_B + _PROFILE_B * changes.lengths / mean)
    gain = idf * said / (said + norm[files])
    titled = np.array([issue.title_weights.get(number, 0.0) for number in issue.weights])
    columns = [np.bincount(files, gain * own[which], n) for own in (query.weights, titled)]
    found: Array = np.stack(columns, axis=1)
    return found


def _summed(which: Array, files: Array, said: Array, n: int) -> tuple[Array, Array, Array]:
    """``said`` added up by (``which``, ascending; file of n), :data:`_CELLS` pairs at a time."""
    import numpy as np

    step = max(1, _CELLS // max(n, 1))
    terms = int(which[-1]) + 1 if len(which) else 0
    pairs: list[Array] = [np.empty(0, np.int64)]
    sums: list[Array] = [np.empty(0)]
    for low in range(0, terms, step):
        first, last = np.searchsorted(which, (low, low + step))
        cells = (which[first:last] - low) * n + files[first:last]
        table = np.bincount(cells, said[first:last])
        hit = np.flatnonzero(table)
        pairs.append(hit + low * n)
        sums.append(table[hit])
    every = np.concatenate(pairs)
    return every // n, every % n, np.concatenate(sums)


def _activity(scene: Scene, past: PastView, age: Array) -> Array:
    import numpy as np

    kept: Array | None = scene.stash.get("activity")
    if kept is None:
        kept = np.zeros((scene.size, 3))
        of = past.commits
        np.maximum.at(kept[:, 0], past.files, (1.0 / (1.0 + age))[of])
        kept[:, 1] = np.log1p(np.bincount(past.files, (age <= 1.0)[of], scene.size))
        fixes = (past.fixes / (1.0 + age))[of]
        kept[:, 2] = np.log1p(np.bincount(past.files, fixes, scene.size))
        scene.stash["activity"] = kept
    return kept
