"""The optional legs of a search, each off rather than in the way.

A leg that cannot run (its model is not installed, its tables cannot be written, its words are
not all embedded yet) leaves the lexical answer as it is, and the horizon names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citator.index.analysis import Analyser
from citator.index.protocol import Snapshot, View
from citator.model.errors import CitatorError
from citator.model.stop import Stopped
from citator.search.induction import Frequencies, Inducer, Induction
from citator.service.opened import opened
from citator.service.readership import UNMASKED
from citator.service.workspace import Workspace

if TYPE_CHECKING:
    from citator.index.encoders import Encoder
    from citator.index.lexicon import Lexicon
    from citator.index.wordspace import WordSpace
    from citator.search.search import Expander, VectorLeg

WORDS_LEG = "other_languages"
VECTORS_LEG = "vectors"


class Expansion:
    """An expander that is never in the way; ``off`` says whether it failed or was not ready."""

    def __init__(self, inner: Expander) -> None:
        self._inner = inner
        self.off = False

    def induce(self, question: str, view: Frequencies) -> Induction:
        """What the inner expander says; nothing where it cannot."""
        try:
            found = self._inner.induce(question, view)
        except Stopped:
            raise
        except CitatorError:
            self.off = True
            return Induction()
        self.off = found.words_left > 0
        return found


class Vectors:
    """The vector leg, never in the way; opened when it is asked for."""

    def __init__(self, inner: VectorLeg) -> None:
        self._inner = inner
        self.off = False

    @property
    def lexical_weight(self) -> float:
        """What the lexical leg counts beside this one; all where this one fell out."""
        return 1.0 if self.off else self._inner.lexical_weight

    def nearest(self, question: str, view: View, limit: int) -> Sequence[tuple[int, float]]:
        """What the inner leg says; nothing where it cannot."""
        try:
            return self._inner.nearest(question, view, limit)
        except Stopped:
            raise
        except CitatorError:
            self.off = True
            return ()


def wants_vectors(workspace: Workspace) -> bool:
    """Whether an answer should come with the vector leg: as configured, else if it was filled."""
    asked = workspace.config.retrieval.vectors
    return workspace.place.vectors.exists() if asked is None else asked


def vectors(workspace: Workspace, snapshot: Snapshot, view: View) -> Vectors | None:
    """The vector leg over ``view``, or None where it is off."""
    from citator.index.vectors import open_leg

    try:
        leg = open_leg(
            workspace.place.vectors,
            view_name(workspace, snapshot),
            view.statistics.passages,
            encoder(workspace),
        )
    except CitatorError:
        return None
    return None if leg is None else Vectors(leg)


def fill_vectors(workspace: Workspace, budget: int | None = None) -> int:
    """Encode at most ``budget`` passages of HEAD's view; how many are left to encode.

    Raises LockedError where another process does, ModelMissing, StorageError, Stopped.
    """
    from citator.index.vectors import fill

    with opened(workspace, UNMASKED) as (snapshot, view):
        name, count = view_name(workspace, snapshot), view.statistics.passages
        path, model = workspace.place.vectors, encoder(workspace)
        return fill(path, name, count, view.scan(), model, budget).left


def fill_words(workspace: Workspace) -> int:
    """Embed words of the corpus that are not yet; how many are left. Raises as above."""
    with opened(workspace, UNMASKED) as (snapshot, _):
        return _lexicon(workspace, _space(workspace)).fill(snapshot)


def view_name(workspace: Workspace, snapshot: Snapshot) -> str:
    """What the vectors of this HEAD over this generation are kept under."""
    return f"{snapshot.generation}-{workspace.head.commit}"


def encoder(workspace: Workspace) -> Encoder:
    """The best sentence encoder that is installed: the extra, else the word space."""
    from citator.index.encoders import E5Encoder, UseEncoder
    from citator.index.use_tables import ModelMissing

    try:
        return E5Encoder()
    except ModelMissing:
        return UseEncoder(_space(workspace))


def expansion(workspace: Workspace, snapshot: Snapshot, analyser: Analyser) -> Expansion:
    """Lexicon induction over the words of ``snapshot``; opens nothing until it is needed."""
    space = _space(workspace)
    return Expansion(Inducer(space, _lexicon(workspace, space), snapshot, analyser.terms))


def _space(workspace: Workspace) -> WordSpace:
    from citator.index.wordspace import WordSpace

    return WordSpace(workspace.layout.shared / "wordspace")


def _lexicon(workspace: Workspace, space: WordSpace) -> Lexicon:
    from citator.index.lexicon import Lexicon
    from citator.search.function_words import FUNCTION_WORDS

    return Lexicon(workspace.place.lexicon, space, sorted(FUNCTION_WORDS))
