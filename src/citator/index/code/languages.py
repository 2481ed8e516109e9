"""The languages whose structure is read: one entry each.

- A language is a name, the endings of its files, a grammar wheel and a query of the same name in
  ``queries/``. Captures: ``@function``, ``@type``, ``@value`` with ``@name`` inside; ``@import``,
  ``@call``; ``@prose`` for comments and documentation, ``@string``. To add one, add an entry, a
  query and a fixture.
- The name of a definition is the bare one: no type parameters, nothing it is qualified with.
- A header that ends as C's do and holds what only C++ has is C++.
- A grammar is loaded when the first file of its language is read. Without its wheel, files of
  the language take part by path and words, and the language is told to be off.
- A parse has so many steps as any source of its size needs, and no more: what makes a grammar look
  for a way out again and again costs no more than source does. Steps are counted, not timed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Parser, Query, Tree

VERSION = "l1"
_LOOKED_AT = 1 << 16
_CHUNK = 1 << 16
# A step is what the grammar counts as one between two looks at its callback: a hundred actions.
_STEPS = 1_000
_BYTES_A_STEP = 8
_CPP = re.compile(
    rb"^[ \t]*(?:namespace\b|class[ \t]+\w|template[ \t]*<|(?:public|private|protected)[ \t]*:)"
    rb"|\bstd::",
    re.M,
)
_ERRORS = "\n(ERROR) @error\n"


@dataclass(frozen=True)
class Language:
    """One entry: ``grammar`` is the attribute of ``module`` that gives the grammar's pointer."""

    name: str
    endings: tuple[str, ...]
    module: str
    grammar: str = "language"
    query_name: str = ""

    @cached_property
    def _grammar(self) -> Any:
        from tree_sitter import Language as Grammar

        return Grammar(getattr(import_module(self.module), self.grammar)())

    @cached_property
    def parser(self) -> Parser:
        """A parser of it. Raises ImportError where its wheel is not installed."""
        from tree_sitter import Parser

        return Parser(self._grammar)

    def parsed(self, content: bytes) -> Tree | None:
        """The tree of ``content``, None where it has none within bounds. Raises ImportError."""
        parser, left = self.parser, _STEPS + len(content) // _BYTES_A_STEP

        def tired(*_: object) -> bool:
            nonlocal left
            left -= 1
            return left < 0

        def read(start: int, _: object) -> bytes:
            return content[start : start + _CHUNK]

        try:
            return parser.parse(read, progress_callback=tired)
        except ValueError:  # cancelled
            parser.reset()
            return None

    @cached_property
    def query(self) -> Query:
        """Its query, compiled, with ``@error`` for what cannot be parsed."""
        from tree_sitter import Query

        file = resources.files(__package__) / "queries" / f"{self.query_name or self.name}.scm"
        return Query(self._grammar, file.read_text("utf-8") + _ERRORS)


LANGUAGES = (
    Language("python", (".py", ".pyi", ".pyw"), "tree_sitter_python"),
    Language("javascript", (".js", ".jsx", ".mjs", ".cjs"), "tree_sitter_javascript"),
    Language(
        "typescript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", "language_typescript"
    ),
    Language("tsx", (".tsx",), "tree_sitter_typescript", "language_tsx", "typescript"),
    Language("go", (".go",), "tree_sitter_go"),
    Language("rust", (".rs",), "tree_sitter_rust"),
    Language("java", (".java",), "tree_sitter_java"),
    Language("c", (".c", ".h"), "tree_sitter_c"),
    Language(
        "cpp", (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".cu", ".cuh"), "tree_sitter_cpp"
    ),
    Language("csharp", (".cs",), "tree_sitter_c_sharp"),
    Language("ruby", (".rb", ".rake"), "tree_sitter_ruby"),
    Language("php", (".php",), "tree_sitter_php", "language_php"),
    Language("kotlin", (".kt", ".kts"), "tree_sitter_kotlin"),
)
_BY_ENDING = {ending: one for one in LANGUAGES for ending in one.endings}


def ending_of(path: str) -> str:
    """The ending of a path with its dot, lower case; empty where it has none."""
    dot = path.rfind(".")
    return path[dot:].lower() if dot > path.rfind("/") else ""


def language_of(path: str, content: bytes = b"") -> Language | None:
    """The language that the ending of ``path`` says, if it is one of ours."""
    ending = ending_of(path)
    if ending == ".h" and _CPP.search(content[:_LOOKED_AT]):
        ending = ".hh"
    return _BY_ENDING.get(ending)
