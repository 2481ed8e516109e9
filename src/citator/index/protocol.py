"""What the layers above may ask of an index, in plain types; every engine passes one contract.

- An index is append-only: a build adds documents and makes a new *generation*; a reader keeps
  the generation it opened.
- A *view* is what one HEAD can see of a snapshot. Queries, counts and statistics are over the
  view alone, so an index that also holds other branches answers as one that never did.
- Order is total: (score descending, reference ascending).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from citator.model.document import AdrStatus, Document, Person, ReviewFacts, Stated
from citator.model.horizon import HorizonFact
from citator.model.reference import DocumentKind, Ref


class DocumentKey(NamedTuple):
    """What identifies a document in an index. ``path`` is empty for a commit."""

    kind: DocumentKind
    object_id: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One stored passage with the facts of its document. Words in it are the repository's.

    Of the commits of a thread the first three are kept.
    """

    ordinal: int
    document: int
    ref: Ref
    kind: DocumentKind
    object_id: str
    path: str
    start: int
    end: int
    subject: str
    text: str
    paths: tuple[str, ...] = ()
    author: Person | None = None
    authored_at: int | None = None
    adr_status: AdrStatus | None = None
    redactions: int = 0
    review: ReviewFacts | None = None
    stated: Stated | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that matched. ``score`` is the engine's own and means nothing outside a query.

    ``terms`` are those of the query that the passage holds, in the query's order.
    """

    ordinal: int
    score: float
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of a view: passages, documents, and mean terms a passage per field."""

    passages: int
    documents: int
    mean_length: float


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """A query term (already analysed) with its weight."""

    term: str
    weight: float = 1.0


class View(Protocol):
    """What one HEAD sees of a snapshot."""

    @property
    def statistics(self) -> Statistics: ...

    def document_frequency(self, term: str) -> int:
        """Visible passages that hold the analysed ``term`` in any field."""

    def candidates(self, terms: Sequence[WeightedTerm], limit: int) -> list[Candidate]:
        """The best ``limit`` visible passages by (score descending, reference ascending)."""

    def rows(self, ordinals: Sequence[int]) -> list[Row]:
        """Stored passages in the order asked for; an ordinal outside the view is a KeyError."""

    def find_ref(self, kind: DocumentKind | None, prefix: str, limit: int = 2) -> list[Row]:
        """Visible passages whose reference digest starts with ``prefix``, by reference."""

    def find_object(self, prefix: str, limit: int = 50) -> list[Row]:
        """Visible passages of commits or blobs whose id starts with ``prefix``."""

    def find_path(self, path: str, limit: int = 50) -> list[Row]:
        """Visible passages of the Markdown at ``path`` and of commits that touched it."""

    def passages_of(self, document: int) -> list[Row]:
        """All visible passages of one document, in line order."""

    def scan(self) -> Iterator[Row]:
        """Every visible passage in ordinal order (for statistics, probes and vectors)."""


class Snapshot(Protocol):
    """One immutable generation, open for reading. Close it, or use it as a context manager."""

    @property
    def generation(self) -> int: ...

    @property
    def tip(self) -> str | None:
        """The commit this generation was built for."""

    @property
    def facts(self) -> tuple[HorizonFact, ...]:
        """What the build could not read."""

    def view(self, tip: str, load: Callable[[], ViewChange] | None = None) -> View | None:
        """The view of ``tip``: from the cache, else made from ``load()`` and cached.

        None where it is neither cached nor loadable.
        """

    def cached_views(self) -> tuple[str, ...]:
        """Tips whose views are cached, newest first."""

    def words(self) -> Iterator[tuple[str, int]]:
        """Whole lower-case words of the corpus (unstemmed) with how often they stand in it."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ViewChange:
    """How the view of a tip differs from that of ``base`` (None: from nothing)."""

    base: str | None
    added: Iterable[DocumentKey]
    removed: Iterable[DocumentKey] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """One build: what to add, for which tip, and what that tip sees.

    ``documents`` are read once, in the order given, which must be a function of the tip alone.
    ``fresh`` starts from an empty index instead of the current generation. ``facts`` is called
    after the last document was read: only then is it known what could not be.
    """

    tip: str | None
    documents: Iterable[Document]
    change: ViewChange
    facts: Callable[[], tuple[HorizonFact, ...]]
    fresh: bool = False
    details: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GenerationInfo:
    """A generation on disk. ``number`` only grows."""

    number: int
    tip: str | None
    documents: int
    passages: int
    bytes: int
    current: bool
    versions: str
    details: dict[str, int]


class HistoryIndex(Protocol):
    """A repository's history index: one directory, one writer at a time, many readers."""

    def open(self) -> Snapshot | None:
        """The current generation, or None where nothing was built.

        Raises IntegrityError where it is damaged (the remedy is a rebuild: it is derived).
        """

    def build(self, batch: Batch, progress: Callable[[int], None] | None = None) -> GenerationInfo:
        """Write a new generation and promote it. Raises LockedError, StorageError."""

    def holds(self, key: DocumentKey) -> bool:
        """Whether the current generation has this document already."""

    def generations(self) -> list[GenerationInfo]:
        """Those on disk, oldest first: the current one and up to two to roll back to."""

    def promote(self, number: int) -> GenerationInfo:
        """Make a generation current. Raises NotFoundError."""

    def rollback(self) -> GenerationInfo:
        """Make the one before the current current. Raises NotFoundError."""
