"""What a repository is built and checked with, told by its manifests and linters' files.

- The words are ours and closed: a file's name, and a pattern in it, speak for one of them. No word
  of a file is ever one.
- Pure: what the files are called, and a reader of bounded contents, are handed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final

READ_BYTES: Final = 1 << 16

_NAMES: Final[Mapping[str, str]] = {
    "pyproject.toml": "python",
    "setup.py": "python",
    "setup.cfg": "python",
    "requirements.txt": "python",
    "tsconfig.json": "typescript",
    "package.json": "node",
    "Cargo.toml": "rust",
    "go.mod": "go",
    "Gemfile": "ruby",
    "pom.xml": "java",
    "build.gradle": "jvm",
    "build.gradle.kts": "jvm",
    "settings.gradle": "jvm",
    "settings.gradle.kts": "jvm",
    "build.sbt": "scala",
    "composer.json": "php",
    "mix.exs": "elixir",
    "pubspec.yaml": "dart",
    "Package.swift": "swift",
    "stack.yaml": "haskell",
    "cabal.project": "haskell",
    "Project.toml": "julia",
    "DESCRIPTION": "r",
    "global.json": "dotnet",
    "Directory.Build.props": "dotnet",
    "deno.json": "deno",
    "CMakeLists.txt": "cmake",
    "meson.build": "meson",
    "configure.ac": "autotools",
    "BUILD.bazel": "bazel",
    "WORKSPACE": "bazel",
    "MODULE.bazel": "bazel",
    "Makefile": "make",
    "GNUmakefile": "make",
    "justfile": "just",
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile": "pipenv",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "package-lock.json": "npm",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "lerna.json": "lerna",
    "nx.json": "nx",
    "turbo.json": "turborepo",
    "gradlew": "gradle",
    "mvnw": "maven",
    "Dockerfile": "docker",
    "flake.nix": "nix",
    "pytest.ini": "pytest",
    "tox.ini": "tox",
    "noxfile.py": "nox",
    ".rspec": "rspec",
    "phpunit.xml": "phpunit",
    "phpunit.xml.dist": "phpunit",
    "ruff.toml": "ruff",
    ".ruff.toml": "ruff",
    ".flake8": "flake8",
    ".pylintrc": "pylint",
    "mypy.ini": "mypy",
    ".mypy.ini": "mypy",
    "pyrightconfig.json": "pyright",
    ".eslintrc": "eslint",
    ".eslintrc.js": "eslint",
    ".eslintrc.cjs": "eslint",
    ".eslintrc.json": "eslint",
    ".eslintrc.yml": "eslint",
    "eslint.config.js": "eslint",
    "eslint.config.mjs": "eslint",
    "eslint.config.ts": "eslint",
    ".prettierrc": "prettier",
    ".prettierrc.js": "prettier",
    ".prettierrc.json": "prettier",
    ".prettierrc.yml": "prettier",
    "prettier.config.js": "prettier",
    "biome.json": "biome",
    "biome.jsonc": "biome",
    "rustfmt.toml": "rustfmt",
    ".rustfmt.toml": "rustfmt",
    "clippy.toml": "clippy",
    ".clippy.toml": "clippy",
    ".golangci.yml": "golangci",
    ".golangci.yaml": "golangci",
    ".rubocop.yml": "rubocop",
    ".standard.yml": "standardrb",
    "checkstyle.xml": "checkstyle",
    "detekt.yml": "detekt",
    ".clang-format": "clang-format",
    ".clang-tidy": "clang-tidy",
    "phpstan.neon": "phpstan",
    "phpstan.neon.dist": "phpstan",
    ".php-cs-fixer.dist.php": "php-cs-fixer",
    ".swiftlint.yml": "swiftlint",
    ".scalafmt.conf": "scalafmt",
    ".formatter.exs": "mix-format",
    ".stylelintrc.json": "stylelint",
    ".pre-commit-config.yaml": "pre-commit",
    "lefthook.yml": "lefthook",
    ".commitlintrc.json": "commitlint",
    "commitlint.config.js": "commitlint",
    ".editorconfig": "editorconfig",
}
_SECTION: Final = (
    rb"^\[+tool[.]\"?(ruff|black|isort|mypy|pyright|basedpyright|pylint|pytest|tox|nox|coverage"
    rb"|poetry|uv|pdm|hatch|towncrier|commitizen|flake8)\b"
)
_INI: Final = rb"^\[(?:tool:)?(flake8|mypy|pytest|tox|isort|pylint|coverage)\b"
_NODE: Final = (
    rb"\"(typescript|react|vue|svelte|angular|next|express|jest|vitest|mocha|eslint|prettier|biome"
    rb"|webpack|vite|rollup|husky|turbo)\"[ \t]*:"
)
_READ: Final[Mapping[str, re.Pattern[bytes]]] = {
    "pyproject.toml": re.compile(_SECTION, re.M),
    "setup.cfg": re.compile(_INI, re.M),
    "tox.ini": re.compile(_INI, re.M),
    "package.json": re.compile(_NODE),
    "Cargo.toml": re.compile(rb"^\[(?:workspace[.])?lints[.](clippy)\b", re.M),
    "Gemfile": re.compile(rb"^[ \t]{0,8}gem ['\"](rails|rspec|rubocop|minitest)['\"]", re.M),
    "composer.json": re.compile(rb"\"[a-z-]{1,20}/(phpunit|phpstan|laravel|symfony)\""),
    ".editorconfig": re.compile(rb"^indent_style[ \t]*=[ \t]*(tab)s?\b", re.M),
}
_FOUND: Final[Mapping[str, str]] = {"turbo": "turborepo", "tab": "tabs"}
FILES: Final = frozenset(_NAMES)
# What is told after the rest: what most have, and what says little of how to write here.
_LAST: Final = (
    *("make", "gradle", "maven", "npm", "coverage", "hatch", "docker", "nix", "husky", "webpack"),
    *("rollup", "vite", "express", "editorconfig"),
)


def stack_of(names: Collection[str], read: Callable[[str], bytes | None]) -> tuple[str, ...]:
    """What the files at the top of a repository speak for, each once, in an order of ours.

    ``names`` are the regular files there; ``read`` gives at most :data:`READ_BYTES` of one.
    """
    found: dict[str, None] = {}
    for name, word in _NAMES.items():
        if name in names:
            found.setdefault(word)
    for name, pattern in _READ.items():
        if name in names:
            said = {one.decode("ascii") for one in pattern.findall(read(name) or b"")}
            for word in sorted(said):
                found.setdefault(_FOUND.get(word, word))
    return tuple(sorted(found, key=lambda word: _LAST.index(word) + 1 if word in _LAST else 0))
