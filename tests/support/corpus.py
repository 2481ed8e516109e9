"""Makes documents without git, for tests of what comes after the sources."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence

from citator.index.protocol import Batch, DocumentKey, ViewChange
from citator.model.document import AdrStatus, Document, Passage, Person
from citator.model.horizon import HorizonFact
from citator.model.reference import DocumentKind, make_ref

VERSIONS = "test"
ADA = Person("Ada Author", "ada@example.org")


def object_id(name: object) -> str:
    """A commit or blob id that is a function of ``name``."""
    return hashlib.sha1(repr(name).encode("utf-8", "surrogatepass")).hexdigest()


def _passages(kind: DocumentKind, identity: str, texts: Sequence[str]) -> tuple[Passage, ...]:
    made, line = [], 1
    for text in texts:
        end = line + text.count("\n")
        made.append(Passage(line, end, text, make_ref(kind, identity, (line, end), text, VERSIONS)))
        line = end + 2
    return tuple(made)


def commit(
    name: object, subject: str, *texts: str, paths: Sequence[str] = (), when: int | None = 1000
) -> Document:
    """A commit whose passages are ``texts``."""
    identity = object_id(name)
    return Document(
        kind=DocumentKind.COMMIT,
        object_id=identity,
        subject=subject,
        text="\n\n".join(texts),
        passages=_passages(DocumentKind.COMMIT, identity, texts),
        paths=tuple(paths),
        author=ADA,
        authored_at=when,
        committed_at=when,
    )


def markdown(path: str, subject: str, *texts: str, status: AdrStatus | None = None) -> Document:
    """A Markdown blob at ``path`` whose passages are ``texts``; its id is that of its text."""
    identity = object_id((subject, texts))
    return Document(
        kind=DocumentKind.MARKDOWN,
        object_id=identity,
        subject=subject,
        text="\n\n".join(texts),
        passages=_passages(DocumentKind.MARKDOWN, identity, texts),
        path=path,
        adr_status=status,
    )


def key_of(document: Document) -> DocumentKey:
    """The key under which an index holds a document."""
    return DocumentKey(document.kind, document.object_id, document.path or "")


def batch(
    tip: str | None,
    documents: Iterable[Document],
    *,
    base: str | None = None,
    removed: Iterable[Document] = (),
    added: Iterable[Document] | None = None,
    facts: Callable[[], tuple[HorizonFact, ...]] = tuple,
    fresh: bool = False,
) -> Batch:
    """A build of ``documents``, which its tip sees in addition to what ``base`` saw."""
    new = list(documents)
    seen = new if added is None else list(added)
    change = ViewChange(base, [key_of(one) for one in seen], [key_of(one) for one in removed])
    return Batch(tip, new, change, facts, fresh=fresh)
