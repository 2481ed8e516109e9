"""Whose unsigned words may travel: the commits of a repository that the operator said to trust.

- Said by a person's command, per repository id, and kept outside every repository. Where nothing
  is said, or what was said cannot be relied on, no commit's words travel unasked.
- A commit is trusted by its own git signature over its own bytes, by a key that is listed; or,
  where the operator said so, all of a repository are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from citator.store.layout import Layout
from citator.trust.errors import KeyRefusedError, PinRefusedError, SignatureRefusedError
from citator.trust.keys import PublicKey, parse_public_key
from citator.trust.owned_json import PerRepository, damaged
from citator.trust.signatures import verify

VERSION: Final = 1
MAX_KEYS: Final = 200
NAMESPACE: Final = "git"


@dataclass(frozen=True, slots=True)
class WordTrust:
    """Whose words: of all commits of a repository, or of those that one of ``keys`` signed."""

    everything: bool = False
    keys: tuple[PublicKey, ...] = ()

    def covers(self, signature: str | None, payload: bytes) -> bool:
        """Whether the words of a commit travel: ``payload`` is what its ``signature`` is over."""
        if self.everything:
            return True
        if signature is None or not self.keys:
            return False
        try:
            facts = verify(signature, payload, NAMESPACE)
        except SignatureRefusedError:
            return False
        return facts.key.text in {one.text for one in self.keys}


class Words:
    """What was said in one data directory."""

    def __init__(self, layout: Layout) -> None:
        self._file = PerRepository(layout, "words", VERSION)

    def of(self, repository: str) -> WordTrust | None:
        """What was said of ``repository`` (its id). Raises PinRefusedError, StorageError."""
        said = self._file.said(repository)
        return None if said is None else _parsed(said)

    def relied_on(self, repository: str) -> WordTrust | None:
        """The same; None where it cannot be relied on. Raises StorageError."""
        try:
            return self.of(repository)
        except PinRefusedError:
            return None

    def set(self, repository: str, trust: WordTrust | None) -> None:
        """Say it, durably, or (None) nothing any more. For a person's command alone."""
        parts = None
        if trust is not None:
            keys = sorted(one.text for one in trust.keys)
            parts = {"everything": trust.everything, "keys": keys}
        self._file.say(repository, parts)


def _parsed(said: object) -> WordTrust:
    if not isinstance(said, dict) or said.keys() != {"everything", "keys"}:
        raise damaged()
    everything, keys = said["everything"], said["keys"]
    if not isinstance(everything, bool) or not isinstance(keys, list) or len(keys) > MAX_KEYS:
        raise damaged()
    try:
        return WordTrust(everything, tuple(parse_public_key(str(one)) for one in keys))
    except KeyRefusedError:
        raise damaged() from None
