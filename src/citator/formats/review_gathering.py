"""Puts what several saved exports say of the same changes together.

An export may list changes, threads and single comments apart; the last word about a state is that
of the source that knows it (a list of threads knows what is resolved, a list of comments does not).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from citator.formats.reviews import (
    About,
    Change,
    ChangeState,
    Comment,
    Thread,
    ThreadState,
    is_object_id,
)

CONVERSATION: Final = "conversation"

_MENTION: Final = re.compile(r"(?<![\w@./])@([A-Za-z0-9](?:[\w.-]{0,62}[A-Za-z0-9])?)")
_TRAILER: Final = re.compile(
    r"^([a-z]{1,20}(?:-[a-z]{1,20}){0,3}-by): *([^\n<]{1,100}?) *<[^<>\n]{1,200}>",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass
class _Thread:
    """A thread in the making: comments by id, and whether its state is known."""

    comments: dict[str, Comment] = field(default_factory=dict)
    state: ThreadState | None = None
    guess: ThreadState = ThreadState.OPEN
    path: str | None = None
    line: int | None = None
    commit: str | None = None


@dataclass
class _Change:
    """A change in the making."""

    title: str = ""
    state: ChangeState = ChangeState.OPEN
    commits: dict[str, None] = field(default_factory=dict)
    branch: str | None = None
    merged_at: str | None = None
    threads: dict[str, _Thread] = field(default_factory=dict)


@dataclass
class Gathering:
    """The changes and issues of one provider. ``unknown`` counts entries of no known shape."""

    provider: str
    unknown: int = 0
    _changes: dict[tuple[About, int], _Change] = field(default_factory=dict)

    def change(self, about: About, number: int) -> _Change:
        """The change or issue of this number."""
        return self._changes.setdefault((about, number), _Change())

    def describe(
        self,
        about: About,
        number: int,
        *,
        title: str,
        state: ChangeState,
        commits: tuple[object, ...] = (),
        branch: str | None = None,
        merged_at: str | None = None,
        opening: Comment | None = None,
    ) -> None:
        """What is said of a change as a whole; ``opening`` is its description."""
        found = self.change(about, number)
        found.title, found.state = title or found.title, state
        found.commits.update(dict.fromkeys(str(one) for one in commits if is_object_id(one)))
        found.branch, found.merged_at = branch or found.branch, merged_at or found.merged_at
        if opening is not None:
            self.comment(about, number, CONVERSATION, "", opening)

    def comment(
        self,
        about: About,
        number: int,
        thread: str,
        id: str,
        comment: Comment,
        *,
        place: Mapping[str, Any] | None = None,
        guess: ThreadState | None = None,
    ) -> None:
        """One comment of a thread. ``place`` may hold path, line and commit."""
        found = self.change(about, number).threads.setdefault(thread, _Thread())
        if comment.text.strip():
            found.comments.setdefault(id, comment)
        for key in ("path", "line", "commit"):
            if place and place.get(key) is not None and getattr(found, key) is None:
                setattr(found, key, place[key])
        found.guess = guess or found.guess

    def state(self, about: About, number: int, thread: str, state: ThreadState) -> None:
        """How a thread stands, from a source that knows."""
        self.change(about, number).threads.setdefault(thread, _Thread()).state = state

    def changes(self) -> list[Change]:
        """Everything, by number, each thread's comments by time."""
        return [
            _whole(self.provider, about, number, found)
            for (about, number), found in sorted(self._changes.items())
        ]


def _whole(provider: str, about: About, number: int, found: _Change) -> Change:
    threads = [
        Thread(
            id=id,
            state=_state(id, one, found.state, about),
            comments=tuple(sorted(one.comments.values(), key=lambda said: said.at or "")),
            path=one.path,
            line=one.line,
            commit=one.commit if is_object_id(one.commit) else None,
        )
        for id, one in sorted(found.threads.items())
        if one.comments
    ]
    return Change(
        provider=provider,
        number=number,
        about=about,
        title=found.title or f"{about.value} {number}",
        state=found.state,
        threads=tuple(threads),
        commits=tuple(found.commits),
        branch=found.branch,
        merged_at=found.merged_at,
    )


def _state(id: str, one: _Thread, change: ChangeState, about: About) -> ThreadState:
    if one.state is not None:
        return one.state
    if id != CONVERSATION:
        return one.guess
    if change is ChangeState.OPEN:
        return ThreadState.OPEN
    done = change is ChangeState.MERGED or about is About.ISSUE
    return ThreadState.RESOLVED if done else ThreadState.DISMISSED


def without_names(change: Change) -> Change:
    """The change with its people numbered in the order they spoke, mentions included."""
    names: dict[str, str] = {}
    said = sorted(
        (one for thread in change.threads for one in thread.comments), key=lambda one: one.at or ""
    )
    for comment in said:
        names.setdefault(comment.author, f"person-{len(names) + 1}")
    threads = [
        replace(
            thread,
            comments=tuple(
                Comment(names[one.author], one.at, _unnamed(one.text, names))
                for one in thread.comments
            ),
        )
        for thread in change.threads
    ]
    return replace(change, threads=tuple(threads), title=_unnamed(change.title, names), branch=None)


def _unnamed(text: str, names: dict[str, str]) -> str:
    """``text`` with mentions, and the addresses of ``Co-authored-by`` and the like, numbered."""

    def mention(match: re.Match[str]) -> str:
        return f"@{names.setdefault(match[1], f'person-{len(names) + 1}')}"

    def trailer(match: re.Match[str]) -> str:
        return f"{match[1]}: {names.setdefault(match[2], f'person-{len(names) + 1}')}"

    return _MENTION.sub(mention, _TRAILER.sub(trailer, text))
