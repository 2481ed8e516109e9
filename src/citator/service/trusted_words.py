"""The words of commits that the operator trusts: one bounded, inert line of why, like a ruling.

Where nothing was said this costs one look at the data directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from citator.git.commit_objects import commit_of, signed_part
from citator.git.objects import ObjectReader, Unread
from citator.model.inert import inert_line
from citator.model.record import RULING_CHARACTERS
from citator.service import journal
from citator.service.journal import Event
from citator.service.proposing import Moment
from citator.service.workspace import Workspace

if TYPE_CHECKING:
    from citator.trust.words import WordTrust

COMMIT_BYTES: Final = 1 << 20
_FILE: Final = "words.json"
_REVERTS: Final = re.compile(r"(?:This reverts commit|Reverts) [^\n]{0,200}")


def trusted(workspace: Workspace) -> WordTrust | None:
    """Whose words travel, None where nobody's do. Raises StorageError."""
    if not (workspace.layout.trust / _FILE).exists():
        return None
    from citator.trust.words import Words

    return Words(workspace.layout).relied_on(workspace.repository_id)


def trust_words(workspace: Workspace, said: WordTrust | None, moment: Moment) -> None:
    """Say whose do from now on. For a person's command alone."""
    from citator.trust.words import Words

    Words(workspace.layout).set(workspace.repository_id, said)
    journal.note(workspace, Event.WORDS_TRUSTED, moment.text)


def reasons(workspace: Workspace, commits: Iterable[str]) -> dict[str, str]:
    """Why, in the words of those of ``commits`` that are trusted and say so."""
    said = trusted(workspace)
    if said is None:
        return {}
    from citator.sources.commits import document_of

    found: dict[str, str] = {}
    with ObjectReader(workspace.repository) as objects:
        for commit in commits:
            read = objects.read(commit, COMMIT_BYTES)
            if isinstance(read, Unread) or not said.covers(*signed_part(read.content)):
                continue
            document = document_of(commit_of(commit, read.content, ()))
            body = "" if document is None else document.text.partition("\n")[2]
            words = " ".join(_REVERTS.sub("", body).split())
            if words:
                found[commit] = inert_line(words)[:RULING_CHARACTERS]
    return found
