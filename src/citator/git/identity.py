"""Who works here: the name and address that git would write into a commit."""

from __future__ import annotations

from typing import Final

from citator.git.records import Repository
from citator.git.runner import Git

MAX_CHARACTERS: Final = 200


def person(repo: Repository) -> str | None:
    """``Name <address>`` as configured, the name alone where there is no address; None: neither.

    A claim, like every author: whoever can write the configuration can write this.
    """
    name, email = (_configured(repo, key) for key in ("user.name", "user.email"))
    if name is None:
        return None
    return f"{name} <{email}>" if email else name


def _configured(repo: Repository, key: str) -> str | None:
    found = Git.of(repo).attempt("config", "--get", key)
    text = " ".join(found.output.decode("utf-8", "replace").split())
    printable = "".join(one for one in text if one.isprintable() and one not in "<>")
    return printable[:MAX_CHARACTERS] or None if found.code == 0 else None
