"""Reads the stored form of a commit, however odd.

- Headers end at the first empty line; what follows is the message, whole, NUL bytes included.
- A missing or broken name, address or date is empty or None, never a made-up value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from citator.git.decoding import codec, decoded
from citator.git.records import RawCommit
from citator.model.document import Person

LAST_SECOND: Final = 253_402_300_799  # of the year 9999
_SINGLE: Final = frozenset({b"tree", b"author", b"committer", b"encoding"})


@dataclass(frozen=True, slots=True)
class Touch:
    """Who touched a commit and when, and whether the name had to be guessed."""

    person: Person
    time: int | None
    guessed: bool


def commit_of(
    object_id: str, content: bytes, paths: tuple[str, ...] | None, *, cut: bool = False
) -> RawCommit:
    """The commit that ``content`` (a commit object without its header) stores."""
    head, _, message = content.partition(b"\n\n")
    single: dict[bytes, bytes] = {}
    parents = []
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif key in _SINGLE:
            single.setdefault(key, value)
    encoding = codec(single.get(b"encoding"))
    text, guessed = decoded(message, encoding)
    author = touch_of(single.get(b"author", b""), encoding)
    committer = touch_of(single.get(b"committer", b""), encoding)
    return RawCommit(
        object_id=object_id,
        tree=single.get(b"tree", b"").decode("ascii", "replace"),
        parents=tuple(parents),
        author=author.person,
        authored_at=author.time,
        committer=committer.person,
        committed_at=committer.time,
        message=text,
        guessed=guessed or author.guessed or committer.guessed,
        paths=paths,
        cut=cut,
    )


def touch_of(line: bytes, encoding: str | None) -> Touch:
    """Name, address and time of an ``author`` or ``committer`` line, as far as it states them.

    The address ends at the first ``>``, the time follows the last: as git reads them.
    """
    before, _, after = line.partition(b"<")
    name, name_guessed = decoded(before.strip(), encoding)
    email, email_guessed = decoded(after.partition(b">")[0].strip(), encoding)
    return Touch(Person(name, email), _time(line), name_guessed or email_guessed)


def _time(line: bytes) -> int | None:
    _, closing, rest = line.rpartition(b">")
    words = rest.split(maxsplit=1)
    if not closing or not words or not words[0].isdigit() or len(words[0]) > 12:
        return None
    seconds = int(words[0])
    return seconds if seconds <= LAST_SECOND else None


def signed_part(content: bytes) -> tuple[str | None, bytes]:
    """The SSH signature that a commit carries, if any, and the bytes that it is over.

    ``content`` is the commit object without its header. Signatures of all kinds are no part of what
    is signed; one of another kind than SSH's is none here.
    """
    head, blank, message = content.partition(b"\n\n")
    kept: list[bytes] = []
    signature: list[bytes] = []
    into: list[bytes] | None = None
    for line in head.split(b"\n"):
        if into is not None and line.startswith(b" "):
            into.append(line[1:])
            continue
        key, _, value = line.partition(b" ")
        into = None
        if key in (b"gpgsig", b"gpgsig-sha256"):
            into = signature if not signature else []
            into.append(value)
        else:
            kept.append(line)
    armored = b"\n".join(signature).decode("ascii", "replace")
    found = armored if armored.startswith("-----BEGIN SSH SIGNATURE-----") else None
    if found is not None and not found.endswith("\n"):
        found += "\n"
    return found, b"\n".join(kept) + blank + message
