"""Lists the files of a commit, and what differs between two commits.

- Paths are literal: no pattern, no magic, no rename detection, no attribute takes part.
- What cannot be read is told, not hidden: a folder as an entry of kind ``tree``, a blob by its
  unknown size.
- Links are entries like any other; nothing is followed.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import islice
from typing import IO, Final

from citator.git.object_view import object_git
from citator.git.objects import ObjectReader, sizes_of
from citator.git.records import Repository, TreeEntry
from citator.git.refusals import broken, unknown_commit
from citator.git.runner import checked_id
from citator.git.tree_objects import Node, Pair, Trees, UnreadableTreeError
from citator.model import stop

_CHUNK: Final = 64 * 1024
_COMPARE: Final = (
    *("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff"),
    "--ignore-submodules=none",
)


def entries(repo: Repository, commit: str, pathspecs: Sequence[str] = ()) -> Iterator[TreeEntry]:
    """The files (and submodules) of ``commit``, in tree order.

    ``pathspecs`` are literal paths of files or folders, surrogate-escaped: with any, only what
    is at or below one of them. Raises NotFoundError ``unknown_commit``, GitRefusedError.
    """
    checked_id(repo, commit)
    listed = yield from _listed(repo, commit, pathspecs)
    if listed is not None:
        yield from islice(_walked(repo, commit, pathspecs), listed, None)


def _listed(
    repo: Repository, commit: str, pathspecs: Sequence[str]
) -> Generator[TreeEntry, None, int | None]:
    """What git lists. Returns None at the end, or after how many entries it gave up."""
    command = ("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", *pathspecs)
    count = 0
    with object_git(repo) as git, git.start(*command) as child:
        for record in _records(child.stdout):
            facts, _, path = record.partition(b"\t")
            mode, _kind, object_id, size = facts.split()
            entry = Node(mode.decode(), object_id.decode(), path)
            yield _entry(entry, int(size) if size.isdigit() else None)
            count += 1
        code = child.finish()
        stop.checkpoint()
    return None if code == 0 else count


def _walked(repo: Repository, commit: str, pathspecs: Sequence[str]) -> Iterator[TreeEntry]:
    """The same, tree by tree, past what cannot be read."""
    wanted = [spec.encode("utf-8", "surrogateescape").rstrip(b"/") for spec in pathspecs]
    with ObjectReader(repo) as objects:
        trees = Trees(repo, objects)
        try:
            root = trees.root_of(commit)
        except UnreadableTreeError:
            raise unknown_commit() from None
        nodes = [node for node in trees.walk(root) if _is_wanted(node, wanted)]
    sizes = sizes_of(repo, (node.object_id for node in nodes if node.kind == "blob"))
    for node in nodes:
        yield _entry(node, sizes.get(node.object_id))


def _is_wanted(node: Node, wanted: Sequence[bytes]) -> bool:
    """Whether a node is at or below a wanted path, or is an unread folder that may hold one."""
    if not wanted:
        return True
    within = any(node.path == path or node.path.startswith(path + b"/") for path in wanted)
    above = node.kind == "tree" and (
        not node.path or any(path.startswith(node.path + b"/") for path in wanted)
    )
    return within or above


def changed(
    repo: Repository, old_commit: str, new_commit: str
) -> list[tuple[TreeEntry | None, TreeEntry | None]]:
    """The entries that differ between two commits, old and new, by the bytes of their path.

    Raises NotFoundError ``unknown_commit``, and GitRefusedError where a folder that takes part
    in the comparison cannot be read.
    """
    pairs = _compared_by_git(repo, checked_id(repo, old_commit), checked_id(repo, new_commit))
    if pairs is None:
        pairs = _compared_tree_by_tree(repo, old_commit, new_commit)
    nodes = [node for pair in pairs for node in pair if node is not None]
    sizes = sizes_of(repo, (node.object_id for node in nodes if node.kind == "blob"))

    def entry(node: Node | None) -> TreeEntry | None:
        return None if node is None else _entry(node, sizes.get(node.object_id))

    return [(entry(old), entry(new)) for old, new in pairs]


def _compared_by_git(repo: Repository, old: str, new: str) -> list[Pair] | None:
    """What differs; None where git could not tell."""
    pairs: list[Pair] = []
    with object_git(repo) as git, git.start(*_COMPARE, old, new, "--") as child:
        records = _records(child.stdout)
        for facts, path in zip(records, records, strict=True):
            old_mode, new_mode, old_id, new_id, _ = facts[1:].decode().split()
            before, after = Node(old_mode, old_id, path), Node(new_mode, new_id, path)
            pairs.append((_existing(before), _existing(after)))
        code = child.finish()
        stop.checkpoint()
    return pairs if code == 0 else None


def _existing(node: Node) -> Node | None:
    return None if node.mode == "000000" else node


def _compared_tree_by_tree(repo: Repository, old: str, new: str) -> list[Pair]:
    with ObjectReader(repo) as objects:
        trees = Trees(repo, objects)
        try:
            roots = trees.root_of(old), trees.root_of(new)
        except UnreadableTreeError:
            raise unknown_commit() from None
        try:
            return trees.differences(*roots)
        except UnreadableTreeError:
            raise broken() from None


def _records(stream: IO[bytes]) -> Iterator[bytes]:
    """What is printed, NUL by NUL; an unfinished end is dropped."""
    rest = b""
    while chunk := stream.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole


def _entry(node: Node, size: int | None) -> TreeEntry:
    path = node.path.decode("utf-8", "surrogateescape")
    return TreeEntry(node.mode, node.kind, node.object_id, path, size)
