"""Targets for what a client, a diff and git hand over: lines, arguments, settings, patches.

What an editor of a client's settings wrote is read back by it, and taken out again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Final, cast

from citator.clients.editing import Editor, Entry, NotEditableError
from citator.clients.table import JSONC, STRICT, TOML, YAML
from citator.formats import patch
from citator.git.blame import hunks_in, unquoted
from citator.git.objects import ObjectReader, StoredObject, Unread
from citator.git.records import Repository
from citator.git.tree_objects import Trees, UnreadableTreeError
from citator.hooks.asked import MOST_PATHS, asked, inside
from citator.mcp.arguments import checked
from citator.mcp.definitions import PROFILES
from citator.mcp.handshake import handshake_answer
from citator.mcp.prelude import MAX_LINE, Wire, discovery_answer
from citator.mcp.transport import _lines, _message
from citator.model.errors import UsageError
from citator.search.cursor import cursor_at, offset_of
from citator.team import claims
from tests.fuzz.harness import Target

KEYS: Final = ("mcpServers", "citator")
ENTRY: Final = Entry({"command": "citator", "args": ["serve", "--root", "/a b"]})


def _answers(data: bytes) -> None:
    for answer in (handshake_answer(data), discovery_answer(data)):
        if answer is not None:
            said = json.loads(answer)
            assert said["id"] == json.loads(data)["id"]
            assert answer.count(b"\n") == 1


def _stream(data: bytes) -> None:
    """Lines of a connection whose input has ended."""
    lines = list(_lines(Wire(-1, -1, data, ended=True)))
    assert b"\n".join(lines) == data.removesuffix(b"\n") or not data.strip(b"\n")
    for line in lines:
        assert len(line) <= MAX_LINE
        _message(line)


def _arguments(data: bytes) -> None:
    """The arguments of each tool in turn."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(said, dict):
        refused = 0
        for tool in PROFILES["all"]:
            try:
                checked(tool["inputSchema"], said)
            except UsageError as error:
                assert len(error.what) < 200
                refused += 1
        assert refused


def _edited(editor: Editor, data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    before = editor.entry(text, KEYS)
    wired = editor.put(text, KEYS, ENTRY)
    entry = editor.entry(wired, KEYS)
    assert entry is not None
    assert dict(entry) == {**(before or {}), **ENTRY.fields}
    assert editor.put(wired, KEYS, ENTRY) == wired
    assert editor.entry(editor.remove(wired, KEYS), KEYS) is None


def _patch(data: bytes) -> None:
    found = patch.parse(data)
    for one in found.files:
        for path in (one.old_path, one.new_path):
            assert path is None or patch.safe_path(path) == path
            assert path is None or ".." not in path.split("/")
        for sign in "+-":
            assert all(number >= 0 for number, _ in one.numbered(sign))


def _hunks(data: bytes) -> None:
    hunks_in(data)
    unquoted(data)


class _Stored:
    """One object, whatever is asked for, for a while: trees that hold themselves."""

    def __init__(self, data: bytes) -> None:
        self.left, self.data = 40, data

    def read(self, object_id: str, limit_bytes: int) -> StoredObject | Unread:
        self.left -= 1
        return StoredObject("tree", self.data) if self.left > 0 else Unread.MISSING


def _tree(data: bytes) -> None:
    repository = cast(Repository, type("R", (), {"object_format": "sha1"}))
    for node in Trees(repository, cast(ObjectReader, _Stored(data))).walk("a" * 40):
        assert b"\0" not in node.path
    trees = Trees(repository, cast(ObjectReader, _Stored(data)))
    trees.differences(None, "a" * 40)


def _hook(data: bytes) -> None:
    """What a client says to its hook."""
    found = asked(BytesIO(data))
    assert len(found.paths) <= MOST_PATHS
    top = Path("/nowhere/tree")
    for path in found.paths:
        named = inside(path, top, top)
        assert named is None or not {"..", ".git"} & set(named.casefold().split("/"))


def _claim(data: bytes) -> None:
    """A claim as another machine wrote it: one spelling, and the same whoever is met first."""
    claims.is_newer(data)
    made = claims.parse(data)
    if made is not None:
        assert claims.parse(made.rendered()) == made
        assert claims.merged(made, made) == made


def _cursor(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    assert cursor_at(offset_of(text, "why", b"s"), "why", b"s") == text


def _editing(editor: Editor) -> Callable[[bytes], None]:
    return partial(_edited, editor)


_REFUSED: Final = (NotEditableError,)
_LINES: Final = (
    b'"jsonrpc":"2.0"',
    b'"method":"initialize"',
    b'"id":',
    b"\n",
    b"{}",
    b"null",
    b'"\\ud800"',
)
_NAMED: Final = (b'"mcpServers"', b'"citator"', b"//", b"/*", b"*/", b",", b"{", b"}")

TARGETS: Final = (
    Target("mcp-line", _answers, (), _LINES),
    Target("mcp-stream", _stream, (), _LINES, 65_536),
    Target("mcp-arguments", _arguments, (), (b'"task"', b'"refs"', b'"limit"', b"1e400", b"null")),
    Target("client-json", _editing(STRICT), _REFUSED, _NAMED),
    Target("client-jsonc", _editing(JSONC), _REFUSED, _NAMED),
    Target(
        "client-toml",
        _editing(TOML),
        _REFUSED,
        (b"[mcpServers.citator]\n", b'"""', b"= {", b"[[a]]\n"),
    ),
    Target(
        "client-yaml",
        _editing(YAML),
        _REFUSED,
        (b"mcpServers:\n", b"  citator:\n", b"&a ", b"*a", b"|\n"),
        1_024,
    ),
    Target(
        "patch",
        _patch,
        (),
        (b"diff --git a/", b"\n--- ", b"\n+++ ", b"\n@@ -1 +1 @@\n", b"../", b'"'),
    ),
    Target("hunks", _hunks, (), (b"@@ -", b" +", b" @@\n", b"\\", b'"')),
    Target(
        "tree", _tree, (UnreadableTreeError,), (b"40000 ", b"100644 ", b"\0", b"120000 "), 2_048
    ),
    Target("hook", _hook, (), (b'"tool_input":', b'"cwd"', b"*** Begin Patch", b"../", b'\\"')),
    Target("claim", _claim, (), (b'"files":', b'"expires":', b"null", b"1e9", b'"\\ud800"')),
    Target("cursor", _cursor, (UsageError,), (b"AAAA", b"_", b"-", b"=")),
)
