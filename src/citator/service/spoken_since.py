"""What became of the symbols and dependencies that a commit, a page or a decision names.

- A commit speaks of the tree it made, a page of the one that its latest text was written in, a
  decision of the one it landed in. One that landed nowhere here is not observed.
- What is hidden from the audience is not looked at, and no commit is named that it may not know.
- Whether anything changed is kept until HEAD moves, without the names. An answer looks there; where
  nobody looked before it looks at a few names of a few itself, and of the rest it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from citator.git.blobs import BlobReader
from citator.git.objects import ObjectReader, StoredObject
from citator.git.records import Repository
from citator.git.runner import Git, is_id, within
from citator.model.premise import PremiseKind, premise_of
from citator.model.spoken import MAX_NAMES, names_in
from citator.model.treatment import DriftState, SymbolDrift
from citator.sources.redaction import redact

if TYPE_CHECKING:
    from citator.service.kept_views import RecordView
    from citator.service.readership import Mask

LANDED_ELSEWHERE: Final = "landed_elsewhere"
QUICK_NAMES: Final = 3
QUICK_SECONDS: Final = 0.06
_MAX_TEXT: Final = 1 << 20
_SECONDS: Final = 3.0
_CHANGED: Final = frozenset({DriftState.CHANGED, DriftState.MOVED, DriftState.GONE})


@dataclass(frozen=True, slots=True)
class Spoken:
    """The names, and the commit whose tree they are of (None: not known). ``touched`` are the
    files to look into first. ``revision`` is of a decision alone: what its state is kept under."""

    names: tuple[str, ...]
    then: str | None
    touched: tuple[str, ...] = ()
    revision: str | None = None


Speaks = Callable[[Repository, str], Spoken]
"""Says, of a repository and a tip, what something speaks of."""


def by_commit(repo: Repository, commit: str, touched: Sequence[str]) -> Spoken:
    """What a commit's message names."""
    with ObjectReader(repo) as objects:
        found = objects.read(commit, _MAX_TEXT)
    if not isinstance(found, StoredObject):
        return Spoken((), None)
    _, _, message = found.content.partition(b"\n\n")
    return Spoken(_names(message.decode("utf-8", "replace")), commit, tuple(touched))


def by_page(repo: Repository, tip: str, blob: str, path: str, seconds: float = _SECONDS) -> Spoken:
    """What a page names."""
    with BlobReader(repo) as reader:
        content = reader.read(blob, _MAX_TEXT)
    if not isinstance(content, bytes):
        return Spoken((), None)
    then = _first(repo, ("rev-list", "-n1", tip, "--", path), seconds)
    return Spoken(_names(content.decode("utf-8", "replace")), then)


def by_decision(
    repo: Repository, tip: str, item: str, view: RecordView, seconds: float = _SECONDS
) -> Spoken:
    """What a decision's current text and its premises name."""
    texts = [view.partition.read(number) for number in view.partition.named(item)]
    text = next((one for one in texts if one.item == item and one.current), None)
    if text is None:
        return Spoken((), None)
    known = view.items.get(item)
    premises = [premise_of(one) for one in (known.premises if known else ())]
    named = [one.name for one in premises if one and one.kind is PremiseKind.DEPENDENCY]
    names = (*named, *_names(f"{text.title}\n{text.ruling}\n{text.text}"))
    proof = None if text.revision in view.outside else view.proofs.get(text.revision)
    then = None
    if names and proof is not None:
        then = _landing(repo, tip, proof.migration, seconds)
    return Spoken(tuple(dict.fromkeys(names))[:MAX_NAMES], then, revision=text.revision)


def since(
    repo: Repository, tip: str, spoken: Spoken, mask: Mask, shows: Callable[[str], bool]
) -> tuple[SymbolDrift, ...]:
    """What became of what is spoken of. ``shows`` says of a commit whether it may be named."""
    if not spoken.names:
        return ()
    if spoken.then is None:
        return tuple(
            SymbolDrift(one, DriftState.NOT_OBSERVED, why=LANDED_ELSEWHERE) for one in spoken.names
        )
    from citator.index.symbol_drift import Symbols  # grammars are loaded where they are wanted

    with Symbols(repo, tip, mask.covers) as symbols:
        found = symbols.since(spoken.then, spoken.names, spoken.touched)
    return tuple(one if one.by is None or shows(one.by) else replace(one, by=None) for one in found)


def differs(repo: Repository, tip: str, spoken: Spoken, mask: Mask) -> bool:
    """Whether one of the first few names is seen to be another than it was: for an answer, which
    cannot look long. False says nothing: it may not have been seen."""
    if not spoken.names or spoken.then is None:
        return False
    from citator.index.symbol_drift import Symbols  # grammars are loaded where they are wanted

    then = spoken.then
    with Symbols(repo, tip, mask.covers, QUICK_SECONDS) as symbols:
        for name in spoken.names[:QUICK_NAMES]:
            seen = symbols.differs(then, name, spoken.touched)
            if seen is not False:
                return seen is True
    return False


def anything_changed(found: Sequence[SymbolDrift]) -> bool:
    """Whether any of them is seen to be another than it was, or to be elsewhere."""
    return any(one.state in _CHANGED for one in found)


def _names(text: str) -> tuple[str, ...]:
    return names_in(redact(text[:_MAX_TEXT])[0])


def _landing(repo: Repository, tip: str, migration: str, seconds: float) -> str | None:
    """The commit that brought the file of a migration (its path below the ledger's folder)."""
    options = ("--format=%H", "--diff-filter=A", "--no-renames", "-n1")
    return _first(repo, ("log", *options, tip, "--", f".citator/{migration}"), seconds)


def _first(repo: Repository, command: Sequence[str], seconds: float) -> str | None:
    said, code = within(Git.of(repo), command, seconds)
    found = said.decode("ascii", "replace").strip()
    return found if code == 0 and is_id(repo, found) else None
