"""The dependencies that manifests and lock files of the common ecosystems name.

- A name is folded as its ecosystem folds it; names of two ecosystems are two things.
- Files are read as data: bounded, by parsers of the standard library or by lines, never run.
  What cannot be read names nothing.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

MAX_BYTES: Final = 2 << 20
MAX_NAME: Final = 200
_MAX_TOML: Final = 512 << 10
_REQUIREMENT: Final = re.compile(
    r"\s{0,20}([A-Za-z0-9][A-Za-z0-9._-]{0,99})\s{0,4}(?:\[[^\]\n]{0,200}\])?\s{0,4}(?=$|[<>=!~;@#,\s])"
)
_SEPARATORS: Final = re.compile(r"[-_.]+")


@dataclass(frozen=True, slots=True)
class Named:
    """The dependencies of one file: ``lock`` says that a program chose most of them."""

    ecosystem: str
    names: frozenset[str]
    lock: bool = False


def named_in(path: str, content: bytes | None) -> Named | None:
    """What a file names; None where its name is that of no manifest. ``content`` None: nothing."""
    found = _reader(path)
    if found is None:
        return None
    ecosystem, lock, read = found
    names: list[str] = []
    if content is not None and len(content) <= MAX_BYTES:
        with suppress(ValueError, TypeError, AttributeError, RecursionError):
            names = [one for one in read(content.decode("utf-8-sig", "replace")) if one]
    kept = frozenset(folded(ecosystem, one) for one in names if 1 < len(one) <= MAX_NAME)
    return Named(ecosystem, kept, lock)


def folded(ecosystem: str, name: str) -> str:
    """The name as its ecosystem compares it."""
    if ecosystem == "pypi":
        return _SEPARATORS.sub("-", name).lower()
    return name if ecosystem in ("go", "maven") else name.lower()


def is_manifest(path: str) -> bool:
    """Whether a path has the name of a manifest or a lock file."""
    return _reader(path) is not None


Read = Callable[[str], Iterable[str]]


def _reader(path: str) -> tuple[str, bool, Read] | None:
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    for pattern, found in _BY_PATTERN:
        if pattern.search(path):
            return found
    return None


def _requirement(text: str) -> list[str]:
    match = _REQUIREMENT.match(text)
    return [match[1]] if match else []


def _requirements(text: str) -> Iterable[str]:
    for line in text.split("\n"):
        if not line.lstrip().startswith(("#", "-", "git+", "http")):
            yield from _requirement(line)


def _tables(value: Any) -> Iterable[str]:
    """The keys of a table, and of none where it is none."""
    return [one for one in value if one != "python"] if isinstance(value, Mapping) else ()


def _texts(value: Any) -> Iterable[str]:
    for one in value if isinstance(value, list) else ():
        if isinstance(one, str):
            yield from _requirement(one)


def _toml(text: str) -> dict[str, Any]:
    return tomllib.loads(text) if len(text) <= _MAX_TOML else {}


def _at(value: Any, *keys: str) -> Any:
    for one in keys:
        value = value.get(one) if isinstance(value, Mapping) else None
    return value


def _pyproject(text: str) -> Iterable[str]:
    found = _toml(text)
    yield from _texts(_at(found, "project", "dependencies"))
    yield from _texts(_at(found, "build-system", "requires"))
    for group in (_at(found, "project", "optional-dependencies"), _at(found, "dependency-groups")):
        for one in (group or {}).values():
            yield from _texts(one)
    poetry = _at(found, "tool", "poetry")
    yield from _tables(_at(poetry, "dependencies"))
    yield from _tables(_at(poetry, "dev-dependencies"))
    for one in (_at(poetry, "group") or {}).values():
        yield from _tables(_at(one, "dependencies"))


def _pipfile(text: str) -> Iterable[str]:
    found = _toml(text)
    return [*_tables(_at(found, "packages")), *_tables(_at(found, "dev-packages"))]


_SETUP_LIST: Final = re.compile(
    r"(?:install_requires|extras_require|tests_require|setup_requires)\b[^\[{]{0,40}[\[{]([^\])}]{0,20000})"
)
_QUOTED: Final = re.compile(r"[\"']([^\"'\n]{1,200})[\"']")


def _setup_py(text: str) -> Iterable[str]:
    for block in _SETUP_LIST.findall(text):
        for one in _QUOTED.findall(block):
            yield from _requirement(one)


def _setup_cfg(text: str) -> Iterable[str]:
    inside = False
    section = ""
    for line in text.split("\n"):
        if line.startswith("["):
            section, inside = line.strip(), False
        elif line[:1] not in (" ", "\t", ""):
            inside = (
                line.partition("=")[0].strip()
                in ("install_requires", "tests_require", "setup_requires")
                or section == "[options.extras_require]"
            )
            if inside and "=" in line:
                yield from _requirement(line.partition("=")[2])
        elif inside:
            yield from _requirement(line)


_NPM: Final = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


def _package_json(text: str) -> Iterable[str]:
    found = json.loads(text)
    return [name for one in _NPM for name in _tables(_at(found, one))]


def _composer_json(text: str) -> Iterable[str]:
    found = json.loads(text)
    names = [*_tables(_at(found, "require")), *_tables(_at(found, "require-dev"))]
    return [one for one in names if "/" in one]


def _package_lock(text: str) -> Iterable[str]:
    found = json.loads(text)
    packages = (one.rpartition("node_modules/")[2] for one in _tables(_at(found, "packages")))
    return [*packages, *_tables(_at(found, "dependencies"))]


def _pipfile_lock(text: str) -> Iterable[str]:
    found = json.loads(text)
    return [*_tables(_at(found, "default")), *_tables(_at(found, "develop"))]


def _cargo(text: str) -> Iterable[str]:
    found = _toml(text)
    places = [found, _at(found, "workspace"), *(_at(found, "target") or {}).values()]
    for place in places:
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield from _tables(_at(place, kind))


def _by(pattern: str) -> Read:
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda text: compiled.findall(text)


_GEM: Final = _by(
    r"^\s{0,40}(?:gem|\w{1,20}\.add_(?:runtime_|development_)?dependency)"
    r"[ (]{1,3}[\"']([\w.-]{1,100})[\"']"
)
_LOCKED_TOML: Final = _by(r'^name = "([^"\n]{1,200})"')
_MAVEN: Final = _by(
    r"<dependency>\s{0,80}<groupId>[^<]{1,200}</groupId>\s{0,80}<artifactId>([^<\s]{1,200})</artifactId>"
)
_GRADLE: Final = _by(r"[\"'][\w.-]{1,100}:([\w.-]{1,100}):[^\"'\n]{0,100}[\"']")
_NUGET: Final = _by(
    r"<(?:PackageReference|PackageVersion|package)\s{1,20}(?:Include|id)=\"([^\"\n]{1,200})\""
)

_BY_NAME: Final[Mapping[str, tuple[str, bool, Read]]] = {
    "pyproject.toml": ("pypi", False, _pyproject),
    "setup.py": ("pypi", False, _setup_py),
    "setup.cfg": ("pypi", False, _setup_cfg),
    "Pipfile": ("pypi", False, _pipfile),
    "Pipfile.lock": ("pypi", True, _pipfile_lock),
    "poetry.lock": ("pypi", True, _LOCKED_TOML),
    "uv.lock": ("pypi", True, _LOCKED_TOML),
    "pdm.lock": ("pypi", True, _LOCKED_TOML),
    "package.json": ("npm", False, _package_json),
    "package-lock.json": ("npm", True, _package_lock),
    "yarn.lock": ("npm", True, _by(r'^"?(@?[\w./-]{1,200})@')),
    "pnpm-lock.yaml": (
        "npm",
        True,
        _by(r"^  '?/?(@?[\w.-]{1,100}(?:/[\w.-]{1,100})?)@[^\n:]{1,200}:$"),
    ),
    "composer.json": ("composer", False, _composer_json),
    "composer.lock": ("composer", True, _by(r'^\s{1,20}"name": "([\w.-]{1,100}/[\w.-]{1,100})"')),
    "Cargo.toml": ("cargo", False, _cargo),
    "Cargo.lock": ("cargo", True, _LOCKED_TOML),
    "Gemfile": ("gem", False, _GEM),
    "Gemfile.lock": ("gem", True, _by(r"^ {4}([\w.-]{1,100}) \(")),
    "go.mod": (
        "go",
        False,
        _by(r"^(?:require )?\s{0,8}([\w.-]{1,100}\.[a-z]{2,10}/[^\s]{1,200}) v\d[^\n]{0,100}$"),
    ),
    "go.sum": ("go", True, _by(r"^([\w.-]{1,100}\.[a-z]{2,10}/[^\s]{1,200}) v")),
    "pom.xml": ("maven", False, _MAVEN),
    "build.gradle": ("maven", False, _GRADLE),
    "build.gradle.kts": ("maven", False, _GRADLE),
    "packages.config": ("nuget", False, _NUGET),
    "Directory.Packages.props": ("nuget", False, _NUGET),
    "pubspec.yaml": ("pub", False, _by(r"^  ([a-z_][a-z0-9_]{1,80}):(?: |$)")),
    "mix.exs": ("hex", False, _by(r"\{:([a-z_][a-z0-9_]{1,80}),")),
}
_BY_PATTERN: Final = (
    (
        re.compile(r"(?:^|/)requirements[\w.-]{0,60}lock[\w.-]{0,60}\.txt$"),
        ("pypi", True, _requirements),
    ),
    (
        re.compile(
            r"(?:^|/)(?:[\w.-]{0,60}requirements|constraints)[\w.-]{0,60}\.(?:txt|in)$|(?:^|/)requirements/[\w.-]{1,80}\.(?:txt|in)$"
        ),
        ("pypi", False, _requirements),
    ),
    (
        re.compile(r"(?:^|/)environment[\w.-]{0,60}\.ya?ml$"),
        ("conda", False, _by(r"^\s{0,8}- ([a-z0-9][\w.-]{1,80})(?:[ =<>!~]|$)")),
    ),
    (re.compile(r"\.gemspec$"), ("gem", False, _GEM)),
    (re.compile(r"\.(?:cs|fs|vb)proj$"), ("nuget", False, _NUGET)),
    (
        re.compile(r"(?:^|/)libs\.versions\.toml$"),
        ("maven", False, _by(r"\bname ?= ?\"([\w.-]{1,100})\"")),
    ),
)
ECOSYSTEMS: Final = tuple(
    sorted({one[0] for one in (*_BY_NAME.values(), *(found for _, found in _BY_PATTERN))})
)
