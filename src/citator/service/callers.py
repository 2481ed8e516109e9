"""Who calls the functions of which a change touches the signature, at the base of the change.

- git finds the lines that hold the name; the facts of those files (kept, or parsed now) tell a call
  from a mention and one definition of a name from another. Hidden files take no part.
- Bounded: of a name, files beyond :data:`MAX_FILES` take no part; of all, those beyond
  :data:`MAX_PARSED` that were not parsed before are told by the name alone, where that is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from citator.git import trees
from citator.git.blobs import BlobReader
from citator.git.intended import lines_holding
from citator.guard.signatures import Called, Changed, Holder, callers, candidates
from citator.model.errors import StorageError
from citator.service.readership import Mask
from citator.service.workspace import Workspace, require_commits
from citator.sources.removals.marks import definition

if TYPE_CHECKING:
    from citator.index.code.facts import FileFacts

MAX_FILES: Final = 40
MAX_PARSED: Final = 16
MAX_BYTES: Final = 512 << 10

Lines = Mapping[str, Sequence[tuple[str, str]]]


def known_callers(
    base: Workspace,
    signatures: Sequence[Changed],
    lines: Lines,
    touched: frozenset[str],
    mask: Mask,
) -> list[Called]:
    """The callers of ``signatures``. ``lines``: the (path, text) of the base that hold each name
    which is distinctive; of the others they are looked for here."""
    plain = [one.name for one in signatures if not one.distinctive]
    more: Lines = {}
    if plain:
        texts = [f"{name}(" for name in plain] + [f"{name} (" for name in plain]
        more = lines_holding(base.repository, require_commits(base), texts, mask.covers)
    wanted = {}
    for one in signatures:
        held = lines.get(one.name, ()) if one.distinctive else _joined(one.name, more)
        files = candidates(one, held)
        wanted[one.name] = dict(sorted(files.items(), key=_defining(one.name))[:MAX_FILES])
    paths = {path for files in wanted.values() for path in files}
    own = [one.path for one in signatures]
    facts = _facts(base, [*own, *sorted(paths - set(own))])
    made = []
    for one in signatures:
        files = {one.path: (), **wanted[one.name]}
        known = {path: _holder(path, texts, facts.get(path)) for path, texts in files.items()}
        found = callers(one, known, touched)
        if found is not None:
            made.append(found)
    return made


def _defining(name: str) -> Callable[[tuple[str, tuple[str, ...]]], tuple[bool, str]]:
    """An order in which the files that define a name come first."""
    return lambda one: (not any(definition(text) == name for text in one[1]), one[0])


def _joined(name: str, lines: Lines) -> list[tuple[str, str]]:
    return [*lines.get(f"{name}(", ()), *lines.get(f"{name} (", ())]


def _holder(path: str, texts: tuple[str, ...], facts: FileFacts | None) -> Holder:
    from citator.index.code.kinds import State

    if facts is None or facts.state is not State.READ or not facts.language:
        return Holder(path, texts)
    return Holder(
        *(path, texts, facts.language),
        *(frozenset(facts.names), frozenset(facts.calls), facts.imports),
    )


def _facts(base: Workspace, paths: Sequence[str]) -> dict[str, FileFacts]:
    """What is known of these files at the base: kept, or parsed."""
    from citator.index.code.languages import ending_of
    from citator.index.code.parsing import facts_of
    from citator.index.code.store import FactStore
    from citator.index.code.words import Words

    entries = trees.entries(base.repository, require_commits(base), paths)
    found = [one for one in entries if one.kind == "blob"]
    keys = {one.path: (one.object_id, ending_of(one.path)) for one in found}
    kept: dict[tuple[str, str], FileFacts] = {}
    store_path = base.place.derived / "code" / "facts.sqlite"
    with suppress(StorageError), FactStore(store_path) as store:
        kept.update(store.read(keys.values()))
    words = Words()
    new: dict[tuple[str, str], FileFacts] = {}
    with BlobReader(base.repository) as blobs:
        for path, key in keys.items():
            if key not in kept and len(new) < MAX_PARSED:
                content = blobs.read(key[0], MAX_BYTES)
                if isinstance(content, bytes):
                    kept[key] = new[key] = facts_of(content, path, words)
    if new:
        with suppress(StorageError), FactStore(store_path) as store:
            store.write(list(new.items()))
    return {path: kept[key] for path, key in keys.items() if key in kept}
