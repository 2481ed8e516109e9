"""Somebody at a shell, with a home, keys and a data directory, who runs the real command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.cli.process import Finished
from tests.support.adversary import Scene
from tests.support.keys import SigningKey
from tests.support.terminals import Shown, at_a_terminal


@dataclass(frozen=True)
class Shell:
    """Somebody at a shell: ``home`` is theirs, ``data`` the data directory their commands use."""

    scene: Scene
    home: Path
    data: Path

    @classmethod
    def of(cls, scene: Scene, name: str, key: SigningKey | None = None) -> Shell:
        """A shell with a home of its own, maybe with a key in it, on a copy of what is pinned."""
        home = scene.folder / name
        (home / ".ssh").mkdir(parents=True)
        if key is not None:
            private = home / ".ssh/id_ed25519"
            private.write_bytes(key.private_text())
            private.chmod(0o600)
            (home / ".ssh/id_ed25519.pub").write_text(key.text)
        data = home / "data"
        shutil.copytree(scene.places.data, data)
        data.chmod(0o700)
        return cls(scene, home, data)

    def environment(self, **extra: str) -> dict[str, str]:
        """What their commands stand in: no agent, no desktop, their own home."""
        kept = {"PATH", "LANG", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"}
        return {
            **{name: value for name, value in os.environ.items() if name in kept},
            "HOME": str(self.home),
            "TERM": "dumb",
            "CITATOR_DATA_DIR": str(self.data),
            "CITATOR_CONFIG_DIR": str(self.home / "config"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self._people()),
            **extra,
        }

    def _people(self) -> Path:
        path = self.home / "gitconfig"
        path.write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        return path

    def run(self, *words: str, **extra: str) -> Finished:
        """Run ``citator WORDS`` at a pipe."""
        done = subprocess.run(
            [sys.executable, "-m", "citator", *words],
            cwd=self.scene.path,
            env=self.environment(**extra),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            start_new_session=True,
            check=False,
        )
        return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())

    def typing(self, *words: str, answers: list[tuple[str, str]]) -> Shown:
        """Run it at a terminal, answering."""
        return at_a_terminal(words, self.scene.path, self.environment(), answers)


def digest_question(scene: Scene) -> tuple[str, str]:
    """What is asked before anything is signed, and the answer that anybody can read off."""
    return "digits of the digest:", scene.proposal.digest[:8]
