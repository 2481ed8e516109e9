"""A person's keys, and signing with them: this face's only door to OpenSSH.

- ``--key FILE`` alone, or else what lies in ``~/.ssh`` and what the agent holds.
- A key that the agent holds is used there, so that it asks for no passphrase twice; a private key
  is read by ssh-keygen alone.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli import surroundings
from citator.model.errors import CitatorError, RefusedError, UsageError

CONFIRMED = 8

if TYPE_CHECKING:
    from citator.service.approve import Sign
    from citator.service.desk import Desk
    from citator.service.workspace import Workspace
    from citator.trust.agent import Held
    from citator.trust.assurance import Signature
    from citator.trust.keys import PublicKey


def held_keys(desk: Desk, key: Path | None) -> list[Held]:
    """The keys to choose from: the one in ``key``, or all at hand."""
    return keys_at_hand(lambda: trees_at(desk), key)


def keys_at_hand(trees: Callable[[], Sequence[Path]], key: Path | None) -> list[Held]:
    """The same, where no program is started from ``trees``."""
    from citator.trust.agent import distinct, in_agent, in_folder

    if key is not None:
        return [held_in(key)]
    found: list[Held] = []
    home = surroundings.home()
    if home is not None:
        found += in_folder(home / ".ssh")
    with suppress(CitatorError):
        found += in_agent(ssh_keygen(trees()), surroundings.environment())
    return distinct(found)


def held_in(path: Path) -> Held:
    """The key of a file: the public half, or a private key with its public half beside it."""
    from citator.trust.agent import of_file

    found = of_file(path.expanduser().absolute())
    if found is None:
        raise UsageError(
            "no_such_key",
            "that file is no public key, and none lies beside it",
            "name the public key, such as ~/.ssh/id_ed25519.pub",
        )
    return found


def trees_of(workspace: Workspace, *more: Path) -> list[Path]:
    """The trees from which no program is started."""
    repository = workspace.repository
    worktree = [] if repository.worktree is None else [repository.worktree]
    return [repository.common_dir, *worktree, *more]


def trees_at(desk: Desk) -> list[Path]:
    """The same for a ledger: its own tree, too."""
    return trees_of(desk.home, desk.root, desk.workspace.repository.common_dir)


def trees_here(root: Path) -> list[Path]:
    """The same for whatever repository is at ``root``, if there is one."""
    from citator.git.repository import discover

    try:
        found = discover(root)
    except CitatorError:
        return []
    return [found.common_dir, *([found.worktree] if found.worktree else [])]


def ssh_keygen(trees: Sequence[Path]) -> Path:
    """Where ssh-keygen is, outside of ``trees``. Raises SigningRefusedError."""
    from citator.trust.signing import find_ssh_keygen

    return find_ssh_keygen(surroundings.environment(), Path.cwd(), trees)


@contextmanager
def signer(trees: Sequence[Path], namespace: str) -> Iterator[Sign]:
    """What signs with a held key. Raises SigningRefusedError when called, never before."""
    from citator.trust.agent import in_agent
    from citator.trust.signing import Keygen

    environment = surroundings.environment()
    with tempfile.TemporaryDirectory(prefix="citator-") as scratch:

        def sign(held: Held, message: bytes) -> tuple[str, PublicKey, Signature]:
            program = ssh_keygen(trees)
            in_use = {one.key.blob for one in in_agent(program, environment)}
            file = _file(held, held.key.blob in in_use, Path(scratch))
            signed = Keygen(program, environment, Path(scratch)).sign(file, message, namespace)
            return signed.armored, signed.facts.key, signed.facts.strength

        yield sign


def _file(held: Held, in_agent: bool, scratch: Path) -> Path:
    """The file that ssh-keygen is given: the public half where the agent signs."""
    if held.file is None or (in_agent and held.file.suffix != ".pub"):
        path = scratch / "key.pub"
        path.write_text(f"{held.key.text}\n", encoding="ascii")
        return path
    private = held.file.with_suffix("") if held.file.suffix == ".pub" else held.file
    return held.file if in_agent or not private.is_file() else private


def at_a_terminal() -> bool:
    """Whether a person can be asked and would see what they are asked."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(surroundings.is_terminal(stream) for stream in streams)


def typed(question: str, wanted: str, *, as_json: bool = False) -> bool:
    """Whether a person, asked at a terminal, types ``wanted``.

    Nobody is asked where there is no terminal, or where JSON is wanted: nothing was shown then.
    """
    if as_json or not at_a_terminal():
        return False
    sys.stdout.flush()
    sys.stderr.write(f"{question} ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() == wanted


def require_digest(
    wanted: str, named: str | None, doing: str, *, again: str, todo: str, as_json: bool = False
) -> None:
    """That a person typed how the digest of what was shown begins, or named all of it.

    ``again`` says where it is shown, ``todo`` how to agree. Raises RefusedError.
    """
    if named is not None:
        if named != wanted:
            raise RefusedError(
                "another_text",
                "that is not the digest of what stands there now; nothing was signed",
                again,
            )
        return
    sys.stdout.flush()
    question = f"To {doing}, type the first {CONFIRMED} digits of the digest:"
    if not typed(question, wanted[:CONFIRMED], as_json=as_json):
        raise not_agreed("nothing was signed, nothing was changed", todo)


def not_agreed(what: str, todo: str) -> RefusedError:
    """Nobody agreed, so nothing was done."""
    return RefusedError("not_agreed", what, todo)
