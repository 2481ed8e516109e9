"""The optional legs of a search, each off rather than in the way.

A leg that cannot run (its model is not installed, its tables cannot be written, its words are
not all embedded yet) leaves the lexical answer as it is, and the horizon names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from citator.index.analysis import Analyser
from citator.index.protocol import Snapshot
from citator.model.errors import CitatorError
from citator.model.stop import Stopped
from citator.search.induction import Frequencies, Inducer, Induction
from citator.service.workspace import Workspace

if TYPE_CHECKING:
    from citator.search.search import Expander

WORDS_LEG = "other_languages"


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


def expansion(workspace: Workspace, snapshot: Snapshot, analyser: Analyser) -> Expansion:
    """Lexicon induction over the words of ``snapshot``; opens nothing until it is needed."""
    from citator.index.lexicon import Lexicon
    from citator.index.wordspace import WordSpace
    from citator.search.function_words import FUNCTION_WORDS

    space = WordSpace(workspace.layout.shared / "wordspace")
    lexicon = Lexicon(workspace.place.lexicon, space, sorted(FUNCTION_WORDS))
    return Expansion(Inducer(space, lexicon, snapshot, analyser.terms))
