"""A history indexed at one commit, for measuring: the product's own path, without a face.

- The corpus is what the sources keep of the non-merge commits that the commit reaches; Markdown
  is left out, because the sets ask for commits.
- Everything is written under a scratch directory; a second run opens what the first built, as
  long as splitter, redactor and analyser are the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench.data.mirror import find_clone

from citator.git.history import commits
from citator.git.repository import discover
from citator.index.analysis import Analyser
from citator.index.history import TantivyHistory
from citator.index.protocol import Batch, DocumentKey, Snapshot, View, ViewChange
from citator.model.document import Document
from citator.search.abstention import Calibration, calibrate
from citator.search.induction import Inducer
from citator.search.search import VectorLeg
from citator.sources.commits import document_of


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where a corpus comes from."""

    clones: Path
    scratch: Path
    repository: str
    commit: str

    @property
    def name(self) -> str:
        """A directory name of its own."""
        return f"{self.repository.replace('/', '+')}-{self.commit[:12]}"


class Lab:
    """One corpus, opened: its view, its calibration, and the legs that can be put on it."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.analyser = Analyser()
        self.snapshot = self._opened()
        view = self.snapshot.view(corpus.commit)
        assert view is not None
        self.view: View = view

    @property
    def folder(self) -> Path:
        return self.corpus.scratch / self.corpus.name

    def _opened(self) -> Snapshot:
        index = TantivyHistory(self.folder / "index")
        found = index.open()
        if found is not None:
            return found
        keys: list[DocumentKey] = []
        tip = self.corpus.commit
        index.build(Batch(tip, self._documents(keys), ViewChange(None, keys), tuple, fresh=True))
        built = index.open()
        assert built is not None
        return built

    def _documents(self, keys: list[DocumentKey]) -> Iterator[Document]:
        clone = find_clone(self.corpus.clones, self.corpus.repository)
        if clone is None:
            raise SystemExit(f"no clone of {self.corpus.repository} under {self.corpus.clones}")
        with commits(discover(clone), self.corpus.commit) as walk:
            for raw in walk:
                document = None if len(raw.parents) > 1 else document_of(raw)
                if document is not None:
                    keys.append(DocumentKey(document.kind, document.object_id))
                    yield document

    def close(self) -> None:
        """Let the index go."""
        self.snapshot.close()

    @cached_property
    def calibration(self) -> Calibration:
        """That of the view."""
        return calibrate(self.view, self.analyser)

    @cached_property
    def ids(self) -> frozenset[str]:
        """The commits that are documents here."""
        return frozenset(row.object_id for row in self.view.scan())


class Legs:
    """The optional legs over a lab: words of other languages, and vectors of one encoder."""

    def __init__(self, lab: Lab, encoder: str, *, foreign: bool = True) -> None:
        """``foreign`` says whether questions in other languages will come."""
        from citator.index import encoders, vectors
        from citator.index.lexicon import Lexicon
        from citator.index.wordspace import WordSpace
        from citator.search.function_words import FUNCTION_WORDS

        space = WordSpace(lab.corpus.scratch / "wordspace")
        lexicon = Lexicon(lab.folder / "lexicon", space, sorted(FUNCTION_WORDS))
        while foreign and lexicon.fill(lab.snapshot):
            pass
        self.expander = Inducer(space, lexicon, lab.snapshot, lab.analyser.terms)
        self.vectors: VectorLeg | None = None
        self.encoder_id: str | None = None
        self.lexical_weight: float | None = None
        if encoder == "none":
            return
        made = encoders.E5Encoder() if encoder == "e5" else encoders.UseEncoder(space)
        store, view = lab.folder / f"vectors-{encoder}.sqlite", lab.corpus.commit
        passages = lab.view.statistics.passages
        if vectors.open_leg(store, view, passages, made) is None:
            vectors.fill(store, view, passages, lab.view.scan(), made)
        self.vectors = vectors.open_leg(store, view, passages, made)
        self.encoder_id = made.contract.id
        self.lexical_weight = made.contract.lexical_weight


def cpu_ms() -> float:
    """CPU time of this process, in milliseconds."""
    return time.process_time() * 1000


def one_thread() -> None:
    """Keep numerical libraries to one thread: call before they are imported."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
