"""What an import statement names, and which files of a tree that could be.

- A target is a path without its ending, as the language writes it but with slashes: ``a/b/c``;
  with leading dots where it is relative (``./x``, ``../x``).
- A target is found by its longest end that is the end of a path of the tree (its ending left
  out, or the folder of an ``__init__``, ``index`` or ``mod``): approximate, for every language
  the same, and wrong only towards one file too many.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

_FROM = re.compile(r"from\s+(\.*)\s*([\w.]*)\s+import\s+(.*)", re.S)
_NAME = re.compile(r"[A-Za-z_]\w*")
_QUOTES = "\"'`<>;() "
_INDEXES = ("__init__", "index", "mod", "lib", "main")
_WIDEST = 24


def targets(statement: str, language: str) -> list[str]:
    """The targets an import names. ``statement`` is what the query captured, on one line."""
    if language == "python":
        return _python(statement)
    if language == "rust":
        return _rust(statement)
    text = statement.strip(_QUOTES)
    if language in ("java", "kotlin", "csharp"):
        return [text.replace(".", "/").removesuffix("/*")]
    if language == "php":
        return [text.replace("\\", "/").lstrip("/")]
    return [_without_ending(text)] if text else []


def _python(statement: str) -> list[str]:
    found = _FROM.match(statement)
    if found is None:
        names = statement.removeprefix("import").split(",")
        return [name.split(" as ")[0].strip().replace(".", "/") for name in names]
    dots, module, imported = found.groups()
    base = module.replace(".", "/")
    if dots:
        base = "/".join(["." if len(dots) == 1 else "/".join([".."] * (len(dots) - 1)), base])
    base = base.rstrip("/")
    parts = [part.split(" as ")[0] for part in imported.strip("() ").split(",")]
    names = [match[0] for part in parts if (match := _NAME.search(part))]
    return [base, *(f"{base}/{name}" for name in names[:60])]


def _rust(statement: str) -> list[str]:
    """``use a::{b, c::d}`` and ``mod x``."""
    head, _, inner = statement.partition("{")
    base = [part for part in head.replace(" ", "").split("::") if part]
    if not inner:
        return [_rust_path(base)]
    leaves = [leaf.strip(" {}").split("::")[0] for leaf in inner.split(",")]
    return [_rust_path([*base, leaf.split(" as ")[0]]) for leaf in leaves if leaf][:60]


def _rust_path(parts: Sequence[str]) -> str:
    kept = [part.split(" as ")[0] for part in parts if part not in ("crate", "self")]
    if kept and kept[0] == "super":
        return "/".join([".." if part == "super" else part for part in kept])
    return "/".join(kept)


def _without_ending(path: str) -> str:
    head, dot, ending = path.rpartition(".")
    plain = dot and "/" not in ending and ending.isalnum() and len(ending) <= 4 and head[-1:] != "."
    return head if plain and head not in ("", ".") else path


class Resolver:
    """Finds the files of one tree that targets name."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._by_path: dict[str, list[int]] = {}
        self._by_end: dict[str, list[int]] = {}
        self._stems: list[list[str]] = []
        self._folders: dict[str, list[int]] = {}
        for index, path in enumerate(paths):
            folder, stem = _placed(path)
            self._folders.setdefault(folder, []).append(index)
            self._by_path.setdefault(stem, []).append(index)
            self._by_end.setdefault(stem.rpartition("/")[2], []).append(index)
            self._stems.append(stem.split("/"))

    def files(self, target: str, importer: str) -> list[int]:
        """The files that ``target``, as ``importer`` (a path) names it, could be."""
        if target.startswith("."):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(importer), target))
            return self._by_path.get(place, [])
        exact = self._by_path.get(target)
        if exact is not None:
            return exact
        beside = self._by_path.get(posixpath.join(posixpath.dirname(importer), target))
        if beside is not None:
            return beside
        return self._by_longest_end(target) or self._folder(target)

    def _by_longest_end(self, target: str) -> list[int]:
        parts = target.split("/")
        best: list[int] = []
        most = 1
        for index in self._by_end.get(parts[-1], ()):
            stem = self._stems[index]
            shared = _shared_end(stem, parts)
            whole = shared == len(parts) or shared == len(stem)
            if not whole or shared < most or (shared == 1 and len(parts) > 1):
                continue
            if shared > most:
                best, most = [], shared
            best.append(index)
        return best if len(best) <= _WIDEST else []

    def _folder(self, target: str) -> list[int]:
        """The files of a folder, for languages that import folders."""
        parts = target.split("/")
        for cut in range(len(parts)):
            files = self._folders.get("/".join(parts[cut:]))
            if files is not None and (cut == 0 or len(parts) - cut >= 1):
                return files if len(files) <= _WIDEST else []
        return []


def found_by(path: str) -> set[str]:
    """The last parts of all targets that could mean ``path``, but for those that end in dots."""
    return {one.rpartition("/")[2] for one in _placed(path)}


def _placed(path: str) -> tuple[str, str]:
    """The folder of a path, and the path without its ending; of a file that stands for its folder,
    the folder."""
    stem = path[: path.rfind(".")] if "." in path.rpartition("/")[2] else path
    folder, _, name = stem.rpartition("/")
    return folder, folder if name in _INDEXES and folder else stem


def _shared_end(one: Sequence[str], other: Sequence[str]) -> int:
    shared = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        shared += 1
    return shared


def edges(
    paths: Sequence[str], imports: Iterable[tuple[int, Sequence[str]]]
) -> list[tuple[int, int]]:
    """(importer, imported) for every import of a file of the tree, each once."""
    resolver = Resolver(paths)
    found: set[tuple[int, int]] = set()
    for importer, names in imports:
        for target in names:
            for imported in resolver.files(target, paths[importer]):
                if imported != importer:
                    found.add((importer, imported))
    return sorted(found)
