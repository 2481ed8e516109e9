"""What a decision rests on, in a form that can be checked: nothing else is watched.

    file PATH exists                    file PATH is absent
    dependency NAME [< VERSION] [in PATH]     no dependency NAME [in PATH]
    flag KEY = VALUE in PATH            before 2027-01-31

- Every part is a plain token: what does not fit the form is words for people, and is not guessed.
- A premise holds, is broken, or could not be observed: three values, never two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from citator.model.plain import is_plain

MAX_PREMISES: Final = 16
# Where a dependency is looked for that names no file.
MANIFESTS: Final = (
    "pyproject.toml",
    "requirements.txt",
    "setup.cfg",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "Gemfile",
    "composer.json",
    "pom.xml",
    "build.gradle",
)
_PLAIN: Final = r"[A-Za-z0-9_./@+-]{1,200}"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"file (?P<path>{_PLAIN}) (?:(?P<exists>exists)|(?:is )?absent)",
        rf"(?P<no>no )?dependency (?P<name>{_PLAIN})(?:\s?(?P<op><=|>=|==|<|>)\s?"
        r"(?P<version>\d{1,9}(?:\.\d{1,9}){0,5}))?(?: in (?P<path>" + _PLAIN + r"))?",
        rf"flag (?P<key>{_PLAIN})\s?=\s?(?P<value>{_PLAIN}) in (?P<path>{_PLAIN})",
        r"(?:before|until) (?P<date>\d{4}-\d\d-\d\d)",
    )
)
_LINE: Final = re.compile(
    r"^\s{0,3}(?:[-*+] )?premise:\s?(.{3,300})$", re.IGNORECASE | re.MULTILINE
)


class PremiseKind(StrEnum):
    """What a premise is about."""

    FILE = "file"
    DEPENDENCY = "dependency"
    FLAG = "flag"
    DATE = "date"


class Observed(StrEnum):
    """What was seen of a premise."""

    HOLDS = "holds"
    BROKEN = "broken"
    NOT_OBSERVED = "not_observed"


@dataclass(frozen=True, slots=True)
class Premise:
    """One premise. ``wanted`` False means that the file or dependency must not be there.

    ``name`` is the dependency or key, ``op`` and ``value`` what is asked of its version or value.
    """

    kind: PremiseKind
    path: str = ""
    name: str = ""
    op: str = ""
    value: str = ""
    wanted: bool = True

    @property
    def text(self) -> str:
        """Its canonical form, which is read back as the same."""
        where = f" in {self.path}" if self.path else ""
        match self.kind:
            case PremiseKind.FILE:
                return f"file {self.path} {'exists' if self.wanted else 'is absent'}"
            case PremiseKind.FLAG:
                return f"flag {self.name} = {self.value}{where}"
            case PremiseKind.DATE:
                return f"before {self.value}"
            case _:
                version = f" {self.op} {self.value}" if self.op else ""
                return f"{'' if self.wanted else 'no '}dependency {self.name}{version}{where}"


def premise_of(text: str) -> Premise | None:
    """The premise that ``text`` states; None where it has no form that can be checked."""
    text = " ".join(text[:400].split()).rstrip(".;")
    for form in _FORMS:
        match = form.fullmatch(text)
        if match is not None:
            return _made(match.groupdict())
    return None


def _made(said: dict[str, str | None]) -> Premise | None:
    path = said.get("path") or ""
    if path and (not is_plain(path) or path.startswith("/") or ".." in path.split("/")):
        return None
    if said.get("date"):
        return Premise(PremiseKind.DATE, value=said["date"] or "")
    if said.get("key"):
        return Premise(PremiseKind.FLAG, path, said["key"] or "", "=", said["value"] or "")
    if said.get("name"):
        op, version = said.get("op") or "", said.get("version") or ""
        if said.get("no") and op:
            return None
        return Premise(
            PremiseKind.DEPENDENCY, path, said["name"] or "", op, version, not said.get("no")
        )
    return Premise(PremiseKind.FILE, path, wanted=bool(said.get("exists")))


def premises_in(text: str) -> tuple[Premise, ...]:
    """The checkable premises that lines ``Premise: …`` of a text state, each once."""
    found = (premise_of(match[1]) for match in _LINE.finditer(text[:65_536]))
    return tuple(dict.fromkeys(one for one in found if one is not None))[:MAX_PREMISES]
