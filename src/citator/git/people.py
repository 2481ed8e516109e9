"""Who made which commit, by the names and addresses that ``.mailmap`` joins, as the tip has it.

Other people's names are the repository's words: whoever shows them makes them inert.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from citator.git.records import Repository
from citator.git.runner import Git, checked_id, ended
from citator.model.document import Person

_FORM: Final = "--format=%H%x00%aE%x00%aN"


def authors(
    repo: Repository, tip: str, only: Sequence[str] | None = None
) -> Iterator[tuple[str, Person]]:
    """The author of each commit that ``tip`` has, in no order, or of those in ``only`` (ids or
    hexadecimal beginnings of such). Raises GitRefusedError."""
    if only is not None and not only:
        return
    mailmap = f"mailmap.blob={checked_id(repo, tip)}:.mailmap"
    command: tuple[str, ...] = ("log", _FORM, "--no-patch", tip, "--")
    if only is not None:
        command = ("log", _FORM, "--no-patch", "--no-walk=unsorted", "--ignore-missing", "--stdin")
    feed = "".join(f"{one}\n" for one in only or ()).encode()
    with Git.of(repo, "-c", mailmap).start(*command, feed=feed) as child:
        for line in child.stdout:
            commit, _, rest = line.decode("utf-8", "replace").rstrip("\n").partition("\0")
            email, _, name = rest.partition("\0")
            yield commit, Person(name, email)
        ended(child)
