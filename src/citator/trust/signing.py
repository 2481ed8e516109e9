"""Signing a statement with the person's own key, through ``ssh-keygen -Y sign``.

- Private keys are never read here: the program asks for the passphrase at the terminal, speaks to
  the agent, or waits for the touch. This package holds no other way to sign.
- The program is looked for in absolute directories of PATH, never in the working directory and
  never inside the repository, by whatever links it is reached.
- The statement goes through a file in an owner-only directory, not through a pipe: with its input
  piped, ssh-keygen asks a program of the desktop for the passphrase and not the terminal.
- What comes back is verified before it is believed.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citator.store import files
from citator.trust.errors import SignatureRefusedError, SigningRefusedError
from citator.trust.signatures import MAX_ARMORED, SignatureFacts, verify

_STANDARD_ERROR: Final = 2
_STATEMENT = "statement"


@dataclass(frozen=True, slots=True)
class Signed:
    """A new signature in its text form (LF, ends with a line end), and its verified facts."""

    armored: str
    facts: SignatureFacts


@dataclass(frozen=True, slots=True)
class Keygen:
    """ssh-keygen: its absolute path, the environment it gets, and where it may put files.

    ``environment`` is the person's own (SSH_AUTH_SOCK, SSH_ASKPASS, HOME, TERM); ``scratch`` an
    existing directory that is the owner's alone.
    """

    program: Path
    environment: Mapping[str, str]
    scratch: Path

    def sign(self, key_file: Path, message: bytes, namespace: str) -> Signed:
        """Sign ``message`` with the private key ``key_file``, or with the agent's where that is
        a public key. Asks the person at the terminal as the key demands.

        Raises SigningRefusedError, StorageError.
        """
        if not key_file.is_absolute() or not key_file.is_file():
            raise _refused(
                "signing_key_missing",
                "the key file does not exist",
                "name the file of your key, such as ~/.ssh/id_ed25519",
            )
        armored = self._run(key_file, message, namespace)
        try:
            return Signed(armored, verify(armored, message, namespace))
        except SignatureRefusedError as error:
            raise _refused(
                "signature_unusable",
                f"ssh-keygen made a signature that does not count: {error.what}",
                "sign with a key of another kind: `ssh-keygen -t ed25519` makes one",
            ) from None

    def _run(self, key_file: Path, message: bytes, namespace: str) -> str:
        options = ["-q", "-Y", "sign", "-f", str(key_file), "-n", namespace, _STATEMENT]
        with files.guarded(), tempfile.TemporaryDirectory(dir=self.scratch) as place:
            files.write_durably(Path(place, _STATEMENT), message)
            try:
                done = subprocess.run(
                    [str(self.program), *options],
                    cwd=place,
                    env=dict(self.environment),
                    stdout=_STANDARD_ERROR,
                    check=False,
                )
            except OSError:
                raise _missing() from None
            made = Path(place, f"{_STATEMENT}.sig")
            if done.returncode != 0 or not made.is_file():
                raise _refused(
                    "signing_refused",
                    "ssh-keygen did not sign",
                    "what it said stands above; a wrong passphrase, a declined confirmation and "
                    "an agent without the key end so",
                )
            return _text(made)


def find_ssh_keygen(
    environment: Mapping[str, str], working_directory: Path, never_inside: Sequence[Path]
) -> Path:
    """The absolute path of ssh-keygen. Raises SigningRefusedError where PATH has none to trust.

    ``never_inside`` are the trees from which nothing is started: the repository's worktree and
    its common directory.
    """
    name = "ssh-keygen.exe" if os.name == "nt" else "ssh-keygen"
    here = working_directory.resolve()
    trees = [tree.resolve() for tree in never_inside]
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        candidate = Path(folder, name)
        if not candidate.is_absolute() or not os.access(candidate, os.X_OK):
            continue
        reached = (candidate.parent.resolve(), candidate.resolve())
        if candidate.is_file() and not _comes_from(reached, here, trees):
            return candidate
    raise _missing()


def _comes_from(reached: Sequence[Path], here: Path, trees: Sequence[Path]) -> bool:
    """Whether a program, by its folder or its own place, is of ``here`` or below ``trees``."""
    folder, place = reached
    return here in (folder, place.parent) or any(
        path.is_relative_to(tree) for tree in trees for path in reached
    )


def _text(path: Path) -> str:
    """The signature's text; what cannot be one is left for verification to refuse."""
    with path.open("rb") as file:
        data = file.read(MAX_ARMORED + 1)
    return data.decode("ascii", "replace").replace("\r\n", "\n")


def _missing() -> SigningRefusedError:
    return _refused(
        "ssh_keygen_missing",
        "ssh-keygen was not found in the directories of PATH outside this repository",
        "install OpenSSH 8.2 or newer, or put its directory on PATH",
    )


def _refused(code: str, what: str, todo: str) -> SigningRefusedError:
    return SigningRefusedError(code, what, todo)
