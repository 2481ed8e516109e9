"""The clients that start our hooks: their files, and the entries that each reads, text to text.

- An entry is ours where its command starts our hooks for that client; all others stay as they are.
- Claude Code and Codex read a list of groups for each event, Cursor a list of commands.
- Neither reads an answer of its compaction hook: what is told again is told at the session start
  that follows it. Cursor reads none before an edit: it is told after the first one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from citator.clients.editing import NotEditableError
from citator.clients.json_text import JsonText
from citator.clients.places import Base, Scope, Where

SECONDS: Final = 5
HOOKS: Final = "hooks"
_OURS: Final = re.compile(r"citator(?:\.hooks|-hook)[\"']?(?:\.exe[\"']?)? [a-z-]+ --client ")

Command = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Listened:
    """An event of a client that we listen to: its name there, which tools it is about, ours."""

    name: str
    event: str
    matcher: str | None = None
    only: str | None = None


@dataclass(frozen=True, slots=True)
class HookClient:
    """One client. ``flat``: its lists hold commands, not groups of them."""

    name: str
    title: str
    listened: tuple[Listened, ...]
    user: Where
    project: Where
    default: Scope
    editor: JsonText
    flat: bool = False

    def where(self, scope: Scope) -> Where:
        """Its file of one scope."""
        return self.user if scope is Scope.USER else self.project

    @property
    def events(self) -> tuple[str, ...]:
        """Our names of what is listened to."""
        return tuple(one.event for one in self.listened)

    def put(self, text: str, command: Command) -> str:
        """``text`` with our entries, each as it is to be. Raises NotEditableError."""
        if self.flat and self.editor.value(text, ("version",)) is None:
            text = self.editor.set(text, ("version",), 1)
        for one in self.listened:
            path, item = (HOOKS, one.name), self._item(one, command(one.event))
            mine = [each for each in self.editor.items(text, path) if self._is_ours(each)]
            if mine != [item]:
                text = self.editor.append(self._without(text, path), path, item)
        return text

    def remove(self, text: str) -> str:
        """``text`` without any entry of ours. Raises NotEditableError."""
        found = self.editor.value(text, (HOOKS,))
        for name in found if isinstance(found, Mapping) else ():
            if isinstance(found[name], list):
                text = self._without(text, (HOOKS, name))
        return text

    def installed(self, text: str) -> tuple[str, ...]:
        """The events of ours that ``text`` listens to. Raises NotEditableError."""
        return tuple(
            one.event
            for one in self.listened
            if any(map(self._is_ours, self.editor.items(text, (HOOKS, one.name))))
        )

    def _without(self, text: str, path: tuple[str, str]) -> str:
        items = self.editor.items(text, path)
        for at in reversed(range(len(items))):
            if self._is_ours(items[at]):
                text = self.editor.take_out(text, path, at)
        return text

    def _item(self, one: Listened, command: str) -> dict[str, Any]:
        matcher = {} if one.matcher is None else {"matcher": one.matcher}
        only = {} if one.only is None else {"if": one.only}
        run = {"command": command, "timeout": SECONDS}
        if self.flat:
            return {**run, **matcher}
        return {**matcher, HOOKS: [{"type": "command", **only, **run}]}

    def _is_ours(self, item: object) -> bool:
        """Raises NotEditableError where a group holds our command and another's."""
        if not isinstance(item, Mapping):
            return False
        if self.flat:
            return _starts_ours(item)
        inner = item.get(HOOKS)
        known = [_starts_ours(one) for one in inner] if isinstance(inner, list) else []
        if any(known) and not all(known):
            raise NotEditableError("a group of hooks holds ours and another's")
        return any(known)


def _starts_ours(entry: object) -> bool:
    command = entry.get("command") if isinstance(entry, Mapping) else None
    return isinstance(command, str) and _OURS.search(command) is not None


_EDITS: Final = "Edit|MultiEdit|Write|NotebookEdit"

HOOK_CLIENTS: Final[tuple[HookClient, ...]] = (
    HookClient(
        "claude-code",
        "Claude Code",
        (
            Listened("SessionStart", "session-start"),
            Listened("PreToolUse", "before-edit", _EDITS),
            Listened("PostToolUse", "after-commit", "Bash", "Bash(git commit *)"),
            Listened("SessionEnd", "session-end"),
        ),
        Where(Base.CLAUDE_FOLDER, "settings.json"),
        Where(Base.PROJECT, ".claude/settings.local.json"),
        Scope.PROJECT,
        JsonText(strict=True),
    ),
    HookClient(
        "codex",
        "Codex",
        (
            Listened("SessionStart", "session-start", "startup|resume|clear|compact"),
            Listened("PreToolUse", "before-edit", "apply_patch"),
            Listened("SessionEnd", "session-end"),
        ),
        Where(Base.CODEX, "hooks.json"),
        Where(Base.PROJECT, ".codex/hooks.json"),
        Scope.USER,
        JsonText(strict=True),
    ),
    HookClient(
        "cursor",
        "Cursor",
        (
            Listened("sessionStart", "session-start"),
            Listened("postToolUse", "before-edit", "Write"),
            Listened("sessionEnd", "session-end"),
        ),
        Where(Base.HOME, ".cursor/hooks.json"),
        Where(Base.PROJECT, ".cursor/hooks.json"),
        Scope.USER,
        JsonText(strict=True),
        flat=True,
    ),
)
