"""The repository's own settings, ``.citator/config.yaml``: what to read and how to search.

- A closed schema. Every problem is reported; what is sound is used, the rest is the default.
- The file is written by authors of the repository, so it never grants trust, and a problem names
  its line and a code, not the words that stand there.
- At most 64 KiB; no aliases, no tags, no repeated keys.

    include: ["**"]              which paths are documents (patterns: see formats/globs.py)
    exclude: ["vendor/**"]       which of those are not
    protected_branch: main       the branch whose record counts
    retrieval:
      results: 8                 evidence items an answer shows, 1..50
      per_document: 2            at most so many of one document, 1..10
      expansion: true            words of other languages through the word space
      vectors: true              the vector leg: always, never (false), or unset: once a server
                                 had the time to fill it
    notes:
      suspect_days: 60           a note that nobody confirmed for so long is suspect, 1..3650
      stale_days: 90             and stale: in no brief; more than suspect_days
    brief:
      rulings: 300               tokens (bytes / 4) that rulings may take in a brief, 1..700
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citator.formats.globs import PathFilter, problem_with

if TYPE_CHECKING:
    from citator.formats.yaml_safe import Loaded

MAX_BYTES = 65_536
MAX_PATTERNS = 256
PATH = ".citator/config.yaml"

_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./@+-]{0,199}")
_KEYS = ("include", "exclude", "protected_branch", "retrieval", "notes", "brief")
MOST_DAYS = 3650
MOST_RULINGS = 700


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Search settings: a starting point that a caller's own options replace.

    ``vectors`` None means where they were filled, which a server does when it has time.
    """

    results: int = 8
    per_document: int = 2
    expansion: bool = True
    vectors: bool | None = None


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """After how many days without a confirmation a note is suspect, and stale."""

    suspect_days: int = 60
    stale_days: int = 90


@dataclass(frozen=True, slots=True)
class Briefing:
    """How many tokens (bytes / 4) the rulings of a brief may take."""

    rulings: int = 300


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force. Patterns are usable; ``protected_branch`` None means unset."""

    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    protected_branch: str | None = None
    retrieval: Retrieval = field(default_factory=Retrieval)
    notes: Lifetimes = field(default_factory=Lifetimes)
    brief: Briefing = field(default_factory=Briefing)

    def paths(self) -> PathFilter:
        """The filter of ``include`` and ``exclude``."""
        return PathFilter.of(self.include, self.exclude)


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """What was not used: a closed code, the known key it stands under, the 1-based line."""

    code: str
    key: str | None = None
    line: int | None = None

    def sentence(self) -> str:
        """The problem for a person, without words of the file."""
        where = f" on line {self.line}" if self.line else ""
        under = f" under {self.key}" if self.key else ""
        return f"{PATH}: {_MEANING[self.code]}{under}{where}"


_MEANING = {
    "too_large": f"larger than {MAX_BYTES} bytes, so none of it was used",
    "not_utf8": "not UTF-8, so none of it was used",
    "not_yaml": "not YAML, so none of it was used",
    "too_deep": "nested too deeply, so none of it was used",
    "alias_refused": "an anchor, an alias or a merge key, so none of it was used",
    "tag_refused": "a tag, so none of it was used",
    "key_not_text": "a key that is not text, so none of it was used",
    "many_documents": "more than one YAML document, so none of it was used",
    "not_a_mapping": "not a mapping of settings, so none of it was used",
    "repeated_key": "a key that stands twice: neither was used",
    "unknown_key": "a setting that does not exist",
    "wrong_type": "a value of the wrong type",
    "out_of_range": "a number outside its range",
    "bad_branch": "not a branch name",
    "empty_pattern": "an empty pattern",
    "long_pattern": "a pattern that is too long",
    "negated_pattern": "a negated pattern: use exclude instead",
    "impossible_pattern": "a pattern that can match no path",
    "too_many_patterns": f"more than {MAX_PATTERNS} patterns: the rest was not used",
}


def parse(data: bytes) -> tuple[Config, tuple[ConfigProblem, ...]]:
    """The settings in ``data``, and every problem in it. Never raises."""
    if len(data) > MAX_BYTES:
        return Config(), (ConfigProblem("too_large"),)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Config(), (ConfigProblem("not_utf8"),)
    # Here, because most repositories have no such file and PyYAML is slow to import.
    from citator.formats.yaml_safe import load

    reader = _Reader(load(text))
    return reader.config(), tuple(reader.problems)


class _Reader:
    def __init__(self, loaded: Loaded) -> None:
        self._lines = loaded.lines
        self.problems = [ConfigProblem(one.code, None, one.line) for one in loaded.problems]
        self._values: dict[str, object] = {}
        if isinstance(loaded.value, dict):
            self._values = loaded.value
        elif loaded.readable and loaded.value is not None:
            self._report("not_a_mapping")

    def config(self) -> Config:
        for key in self._values:
            if key not in _KEYS:
                self.problems.append(ConfigProblem("unknown_key", None, self._lines.get(key)))
        default = Config()
        return Config(
            include=self._patterns("include", default.include),
            exclude=self._patterns("exclude", default.exclude),
            protected_branch=self._branch(),
            retrieval=self._retrieval(),
            notes=self._lifetimes(),
            brief=self._briefing(),
        )

    def _patterns(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = self._values.get(key)
        if value is None:
            return default
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list):
            self._report("wrong_type", key)
            return default
        if len(items) > MAX_PATTERNS:
            self._report("too_many_patterns", key)
        return tuple(one for one in items[:MAX_PATTERNS] if self._is_pattern(key, one))

    def _is_pattern(self, key: str, value: object) -> bool:
        code = problem_with(value) if isinstance(value, str) else "wrong_type"
        if code is not None:
            self._report(code, key)
        return code is None

    def _branch(self) -> str | None:
        value = self._values.get("protected_branch")
        if value is None:
            return None
        if not isinstance(value, str):
            self._report("wrong_type", "protected_branch")
            return None
        if not _BRANCH.fullmatch(value) or ".." in value:
            self._report("bad_branch", "protected_branch")
            return None
        return value

    def _retrieval(self) -> Retrieval:
        value = self._values.get("retrieval")
        default = Retrieval()
        if value is None:
            return default
        if not isinstance(value, dict):
            self._report("wrong_type", "retrieval")
            return default
        known = {"results", "per_document", "expansion", "vectors"}
        for _ in value.keys() - known:
            self._report("unknown_key", "retrieval")
        return Retrieval(
            results=self._number(value, "results", default.results, 50),
            per_document=self._number(value, "per_document", default.per_document, 10),
            expansion=self._switch(value, "expansion") is not False,
            vectors=self._switch(value, "vectors"),
        )

    def _lifetimes(self) -> Lifetimes:
        value = self._values.get("notes")
        default = Lifetimes()
        if value is None:
            return default
        if not isinstance(value, dict):
            self._report("wrong_type", "notes")
            return default
        for _ in value.keys() - {"suspect_days", "stale_days"}:
            self._report("unknown_key", "notes")
        suspect = self._number(value, "suspect_days", default.suspect_days, MOST_DAYS, "notes")
        stale = self._number(value, "stale_days", default.stale_days, MOST_DAYS, "notes")
        if stale <= suspect:
            self._report("out_of_range", "notes")
            return default
        return Lifetimes(suspect, stale)

    def _briefing(self) -> Briefing:
        value = self._values.get("brief")
        default = Briefing()
        if value is None:
            return default
        if not isinstance(value, dict):
            self._report("wrong_type", "brief")
            return default
        for _ in value.keys() - {"rulings"}:
            self._report("unknown_key", "brief")
        return Briefing(self._number(value, "rulings", default.rulings, MOST_RULINGS, "brief"))

    def _number(
        self,
        values: dict[str, object],
        key: str,
        default: int,
        most: int,
        under: str = "retrieval",
    ) -> int:
        value = values.get(key)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool):
            self._report("wrong_type", f"{under}.{key}")
            return default
        if not 1 <= value <= most:
            self._report("out_of_range", f"{under}.{key}")
            return default
        return value

    def _switch(self, values: dict[str, object], key: str) -> bool | None:
        value = values.get(key)
        if value is None or isinstance(value, bool):
            return value
        self._report("wrong_type", f"retrieval.{key}")
        return None

    def _report(self, code: str, key: str | None = None) -> None:
        line = self._lines.get(key.split(".")[0]) if key else None
        self.problems.append(ConfigProblem(code, key, line))
