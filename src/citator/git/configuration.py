"""What the repository's configuration says of its remotes: what was left out of the clone, and
where one of them is.

Values are the repository's words: they are compared, never shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from citator.git.refusals import refusal
from citator.git.runner import Git

_KEYS: Final = r"^(remote\..*\.(promisor|partialclonefilter|fetch)|extensions\.partialclone)$"
_FALSE: Final = frozenset({b"false", b"no", b"off", b"0", b""})
_PLAIN_FILTER: Final = re.compile(rb"blob:none|tree:[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class Remotes:
    """``partial``: a remote promised objects that are not here; ``filter``: which, if plain.

    ``narrow``: every remote that is fetched from is fetched branch by branch.
    """

    partial: bool
    filter: str | None
    narrow: bool


def remotes(git: Git) -> Remotes:
    """Read the remotes' configuration. One process."""
    outcome = git.attempt("config", "-z", "--get-regexp", _KEYS)
    if outcome.code not in (0, 1):  # 1: nothing matched
        raise refusal(outcome.complaint)
    partial, kind, refspecs = False, None, []
    for record in outcome.output.split(b"\0")[:-1]:
        key, separator, value = record.partition(b"\n")
        if key.endswith(b".fetch"):
            refspecs.append(value)
        elif key.endswith(b".partialclonefilter"):
            kind = value.decode() if _PLAIN_FILTER.fullmatch(value) else None
        elif not separator or value.lower() not in _FALSE:
            partial = True
    narrow = bool(refspecs) and not any(b"*" in refspec for refspec in refspecs)
    return Remotes(partial, kind if partial else None, narrow)


def remote_named(git: Git, branch: str | None, asked: str | None) -> tuple[str, str] | None:
    """The name and address of a remote that is configured: the one that was asked for, else the
    one ``branch`` follows, ``origin``, or the only one; None where there is none."""
    outcome = git.attempt("config", "-z", "--get-regexp", r"^(remote|branch)\..*")
    said: dict[str, str] = {}
    for record in outcome.output.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        key, _, value = record.partition("\n")
        said.setdefault(key, value)
    names = {
        key.removeprefix("remote.").removesuffix(end)
        for key in said
        for end in (".url", ".pushurl")
        if key.startswith("remote.") and key.endswith(end)
    }
    followed = said.get(f"branch.{branch}.remote") if branch else None
    wanted = [asked] if asked is not None else [followed, "origin", *names]
    for name in wanted if asked is not None or len(names) == 1 else wanted[:2]:
        if name is not None and name in names:
            address = said.get(f"remote.{name}.pushurl") or said.get(f"remote.{name}.url")
            return (name, address) if address else None
    return None
