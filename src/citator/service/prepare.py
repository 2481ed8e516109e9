"""What makes later questions quicker or better, done when there is time: never in a question.

The code of HEAD is made ready for questions, and what left the history for checks of changes; the
words of the corpus are embedded for questions in other languages; passages are encoded for the
vector leg unless the configuration says no, or the index is large and it does not say yes. All go
on where they were interrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from citator.model.errors import CitatorError
from citator.model.stop import checkpoint
from citator.service import predicted, removed
from citator.service.index_history import current_generation
from citator.service.legs import fill_vectors, fill_words
from citator.service.workspace import Workspace

STEP = 256

# Encoding takes about seven milliseconds a passage: two minutes of one core for so many.
UNASKED_PASSAGES = 20_000

Progress = Callable[[int, int | None], None]


def prepare(workspace: Workspace, progress: Progress | None = None) -> None:
    """Prepare the code, the word space, then the vectors if they are on. A leg that cannot be, is
    not.

    ``progress`` gets (passages encoded, of how many). Raises Stopped.
    """
    if workspace.head.commit is None:
        return
    with suppress(CitatorError):
        predicted.prepare(workspace)
    checkpoint()
    with suppress(CitatorError):
        removed.prepare(workspace)
    checkpoint()
    settings = workspace.config.retrieval
    if settings.expansion:
        _until_nothing_is_left(lambda: fill_words(workspace))
    if settings.vectors or (settings.vectors is None and _is_moderate(workspace)):
        prepare_vectors(workspace, progress)


def _is_moderate(workspace: Workspace) -> bool:
    current = current_generation(workspace)
    return current is not None and current.passages <= UNASKED_PASSAGES


def prepare_vectors(workspace: Workspace, progress: Progress | None = None) -> None:
    """Encode every passage of HEAD that is not encoded yet, in steps that each are kept."""
    total: int | None = None

    def step() -> int:
        nonlocal total
        left = fill_vectors(workspace, STEP)
        total = left + STEP if total is None else total
        if progress is not None:
            progress(total - left, total)
        return left

    _until_nothing_is_left(step)


def _until_nothing_is_left(step: Callable[[], int]) -> None:
    before: int | None = None
    while True:
        checkpoint()
        try:
            left = step()
        except CitatorError:
            checkpoint()
            return
        if left == 0 or left == before:
            return
        before = left
