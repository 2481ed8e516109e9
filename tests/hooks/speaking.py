"""Starts a hook as a client does: in this process, where nothing is to be measured of it."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from citator.hooks import __main__ as hook
from citator.service.workspace import Places, Workspace
from tests.support.builder import Builder


@dataclass
class Speaker:
    """A client in a conversation, that stands in ``folder`` at ``now`` (Unix seconds)."""

    clone: Builder
    data: Path
    folder: Path
    now: int
    session: str = "s-1"

    @property
    def workspace(self) -> Workspace:
        """The repository there, for this machine."""
        places = Places(self.data, self.data.parent / "config", lambda size: b"k" * size)
        return Workspace.open(self.folder, places)

    def raw(self, event: str, said: bytes, client: str = "claude-code") -> str:
        """What the hook prints to ``said``, and nothing is left running."""
        environ = {"CITATOR_DATA_DIR": str(self.data), "CLAUDE_PROJECT_DIR": str(self.folder)}
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(hook, "_start", lambda here: None)
            stream = io.BytesIO(said)
            return hook.answer([event, "--client", client], stream, environ, self.now)

    def says(self, event: str, client: str = "claude-code", **said: Any) -> str:
        """The words that reach the agent; "" for silence."""
        given = {"session_id": self.session, "cwd": str(self.folder), **said}
        out = self.raw(event, json.dumps(given).encode(), client)
        if not out:
            return ""
        form = json.loads(out)
        inner = form.get("hookSpecificOutput", form)
        words = inner.get("additionalContext", inner.get("additional_context"))
        assert isinstance(words, str)
        return words

    def edits(self, path: str | Path, **said: Any) -> str:
        """What is said before an edit of ``path``."""
        return self.says("before-edit", tool_input={"file_path": str(path)}, **said)
