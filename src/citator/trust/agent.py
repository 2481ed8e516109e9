"""Keys that a person has at hand: public halves in a folder, and what the agent holds.

Private keys are not read. A file that is no key that counts is passed over.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from citator.trust.errors import KeyRefusedError
from citator.trust.keys import MAX_TEXT, PublicKey, parse_public_key

AGENT_SECONDS = 10
MAX_FILES = 100


@dataclass(frozen=True, slots=True)
class Held:
    """A public key and where it was found. ``file`` is None where only the agent has it.

    ``comment`` is what stands behind the key: its owner's words, or anybody's.
    """

    key: PublicKey
    source: str
    file: Path | None = None
    comment: str = ""


def in_folder(folder: Path) -> list[Held]:
    """The keys of the ``*.pub`` files in ``folder``, by name."""
    try:
        names = sorted(one for one in folder.iterdir() if one.suffix == ".pub")[:MAX_FILES]
    except OSError:
        return []
    return [held for name in names if (held := of_file(name)) is not None]


def of_file(path: Path) -> Held | None:
    """The key in a public key file, or in the one beside a private key; None: there is none."""
    for one in (path, path.with_name(f"{path.name}.pub")):
        try:
            with one.open("rb") as file:
                text = file.read(MAX_TEXT).decode("utf-8", "replace")
            found = of_line(text, one.name)
        except OSError:
            continue
        if found is not None:
            return Held(found.key, found.source, one, found.comment)
    return None


def of_line(text: str, source: str) -> Held | None:
    """The key on one line, with its comment."""
    line = text.strip()
    try:
        key = parse_public_key(line)
    except KeyRefusedError:
        return None
    return Held(key, source, None, " ".join(line.split()[2:]))


def in_agent(ssh_keygen: Path, environment: Mapping[str, str]) -> list[Held]:
    """The keys that the agent holds, as the ``ssh-add`` beside ``ssh_keygen`` lists them."""
    program = ssh_keygen.with_name(ssh_keygen.name.replace("ssh-keygen", "ssh-add"))
    if "SSH_AUTH_SOCK" not in environment or not program.is_file():
        return []
    try:
        done = subprocess.run(
            [str(program), "-L"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=AGENT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = done.stdout.decode("utf-8", "replace").splitlines()[:MAX_FILES]
    return [held for line in lines if (held := of_line(line, "ssh-agent")) is not None]


def distinct(held: Iterable[Held]) -> list[Held]:
    """Each key once: the first place where it was found."""
    found: dict[bytes, Held] = {}
    for one in held:
        found.setdefault(one.key.blob, one)
    return list(found.values())
