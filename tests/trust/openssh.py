"""The real OpenSSH in tests: keys of its making, its agent, and answers to its questions."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from citator.trust.signing import Keygen, Signed
from citator.trust.statement import NAMESPACE

PROGRAMS = ("ssh-keygen", "ssh-agent", "ssh-add")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]
PRINCIPAL = "approver@example.org"


@dataclass
class OpenSsh:
    """A directory with keys in it, and the environment in which OpenSSH is run."""

    directory: Path
    environment: dict[str, str] = field(default_factory=dict)

    @classmethod
    def at(cls, directory: Path) -> OpenSsh:
        """OpenSSH with nothing of this machine's user: no home, no agent, no desktop."""
        return cls(directory, {"PATH": os.environ["PATH"], "HOME": str(directory)})

    def run(self, *command: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run one of its programs without a terminal."""
        return subprocess.run(
            command,
            cwd=self.directory,
            env=self.environment,
            input=stdin,
            capture_output=True,
            start_new_session=True,
            check=False,
        )

    def key(self, name: str, *options: str, passphrase: str = "") -> Path:
        """Make a key pair; the private key's file."""
        done = self.run("ssh-keygen", "-q", *options, "-N", passphrase, "-C", "", "-f", name)
        assert done.returncode == 0, done.stderr
        return self.directory / name

    def sign(self, key: Path, message: bytes, *, answer: str | None = None) -> Signed:
        """Sign through the product, with ``answer`` to whatever is asked."""
        environment = self.environment | self.answering(answer)
        program = shutil.which("ssh-keygen")
        assert program is not None
        return Keygen(Path(program), environment, self.directory).sign(key, message, NAMESPACE)

    def answering(self, answer: str | None) -> dict[str, str]:
        """An environment whose desktop answers questions with ``answer``; None: says no."""
        script = self.directory / f"answer-{answer}"
        said = "exit 1" if answer is None else f"echo '{answer}'"
        script.write_text(f"#!/bin/sh\necho \"$1\" >> '{self.directory}/asked'\n{said}\n")
        script.chmod(0o755)
        return {"SSH_ASKPASS": str(script), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0"}

    def asked(self) -> list[str]:
        """The questions that were answered or declined, in order."""
        path = self.directory / "asked"
        return path.read_text().splitlines() if path.exists() else []

    def accepts(self, armored: str, message: bytes, public: str, namespace: str) -> bool:
        """Whether ``ssh-keygen -Y verify`` takes the signature."""
        (self.directory / "allowed").write_text(f"{PRINCIPAL} {public}\n")
        (self.directory / "given.sig").write_text(armored)
        options = ("-I", PRINCIPAL, "-f", "allowed", "-n", namespace, "-s", "given.sig")
        return self.run("ssh-keygen", "-Y", "verify", *options, stdin=message).returncode == 0

    @contextmanager
    def agent(self, answer: str | None = "yes") -> Iterator[OpenSsh]:
        """An agent of its own, whose desktop confirms uses with ``answer``; ends with the block."""
        with tempfile.TemporaryDirectory() as short:
            socket = str(Path(short, "agent"))
            process = subprocess.Popen(
                ["ssh-agent", "-D", "-a", socket],
                env=self.environment | self.answering(answer),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            try:
                assert process.stdout is not None
                process.stdout.readline()  # it says where it listens once it does
                yield OpenSsh(self.directory, self.environment | {"SSH_AUTH_SOCK": socket})
            finally:
                process.terminate()
                process.communicate()

    def add(self, *arguments: str, answer: str | None = None) -> None:
        """Load a key into the agent."""
        environment = self.environment | self.answering(answer)
        done = OpenSsh(self.directory, environment).run("ssh-add", *arguments)
        assert done.returncode == 0, done.stderr
