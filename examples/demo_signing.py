"""The hand that signs in the demo: a key made for it, in its own directory.

- Where OpenSSH is there, the real commands sign, as a person's do. Elsewhere the same statement is
  signed in this process, and that is said: the product itself has no such way.
- The key is another in every run. Nothing of ``~/.ssh`` or of an agent is looked at.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from tests.support.keys import SigningKey, ed25519_key

from examples.demo_stage import Demo, expect, say

WHO = "mara@ferry.example"


@dataclass(frozen=True, slots=True)
class Hand:
    """Signs what stands in ``root``. ``openssh``: with the real commands."""

    demo: Demo
    root: Path
    key: SigningKey
    openssh: bool

    @classmethod
    def made(cls, demo: Demo, root: Path, *, openssh: bool | None = None) -> Hand:
        """A hand with a new key, whose two files lie beside ``root``."""
        hand = cls(demo, root, ed25519_key(secrets.randbits(250)), _usable(openssh))
        hand.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(hand.file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(hand.key.private_text())
        public = hand.file.with_suffix(".pub")
        public.write_text(f"{hand.key.public.text} {WHO}\n", encoding="ascii", newline="\n")
        return hand

    @property
    def file(self) -> Path:
        """The private key."""
        return self.demo.home / "keys" / "mara"

    @property
    def name(self) -> str:
        """The private key, as it is named from ``root``."""
        return f"../keys/{self.file.name}"

    def pin(self, *, show: bool = False) -> None:
        """Believe this key, on this machine, for the record in ``root``."""
        words = ("--key", f"{self.name}.pub", "--yes-i-read-them", self.key.public.fingerprint)
        self.demo.citator(self.root, "trust", "pin", *words, show=show)

    def approve(self, id: str, *, show: bool = False, whole: bool = False) -> None:
        """Sign the proposal, having read it. ``whole``: show what it would change, too."""
        seen = [("What would change:", "\n"), ("Digest:", "")] if whole else [("Digest:", "")]
        digest = self._digest(id)
        if self.openssh:
            words = ("approve", id, "--digest", digest, "--key", self.name)
            self.demo.citator(self.root, *words, show=show, parts=seen)
            return
        self.demo.citator(self.root, "approve", id, "--show", show=show, parts=seen)
        self._sign(id, show=show)

    def reject(self, id: str, reason: str, change: str, *, show: bool = False) -> None:
        """Sign a no to the proposal."""
        if self.openssh:
            words = ("--reason", reason, "--change", change, "--key", self.name)
            digest = ("--digest", self._digest(id))
            seen = [("It would be REJECTED", "")]
            self.demo.citator(self.root, "reject", id, *words, *digest, show=show, parts=seen)
            return
        self._sign(id, reason, change, show=show)

    def _digest(self, id: str) -> str:
        return str(self.demo.json(self.root, "approve", id, "--show")["digest"])

    def _sign(self, id: str, reason: str = "", change: str = "", *, show: bool) -> None:
        """Sign in this process: a no where there is a reason for one."""
        from citator.service import approve
        from citator.service.proposing import Moment
        from citator.service.workspace import Places, Workspace
        from citator.trust.agent import Held
        from citator.trust.assurance import Signature

        places = Places(self.demo.home / "data", self.demo.home / "config")
        seen = approve.shown(Workspace.open(self.root, places), id)
        moment = Moment(time.time_ns() // 1_000_000, secrets.token_bytes)
        if reason:
            asked = approve.Rejecting(reason, change=change)
            statement = approve.rejection(seen, asked, moment)
        else:
            statement = approve.approval(seen, moment)
        said = approve.sign(
            seen.desk,
            statement,
            seen.migration,
            [Held(self.key.public, "demo")],
            lambda held, message: (self.key.sign(message), held.key, Signature.KEY),
            moment,
        )
        expect(said.counts, "a signature by the pinned key counts")
        if show:
            verdict = said.statement.verdict.value
            say(f"  Signed by the demo itself (no ssh-keygen here): {verdict} {id}")


def _usable(asked: bool | None) -> bool:
    """Whether OpenSSH is there and takes a key file that Python wrote."""
    found = os.name == "posix" and shutil.which("ssh-keygen") is not None
    return found if asked is None else asked
