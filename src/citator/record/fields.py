"""What a field of a migration may hold: closed, typed, bounded; checked before anything is kept.

- A text is one printable line: no control, no invisible, no direction mark. It may be served once
  it is signed, so it is held to that from the start.
- A checked value is in its one canonical spelling, so that one meaning has one digest.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from citator.formats.globs import MAX_PATTERN, problem_with
from citator.model.plain import is_plain
from citator.record.printable import is_printable
from citator.record.ulid import is_ulid

Check = Callable[[Any], Any]

_SLUG = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d"
_TIME = re.compile(
    rf"\d{{4}}-\d\d-\d\dT{_CLOCK}:[0-5]\d(?:\.\d{{1,9}})?(?:Z|[+-]{_CLOCK})", re.ASCII
)
_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,60}")
MAX_LISTED = 64


class BadValueError(ValueError):
    """The value is not what the field may hold. Its text is ours, none of the value's."""


def text(maximum: int, minimum: int = 1) -> Check:
    """One printable line of ``minimum`` to ``maximum`` characters, in NFC, ends trimmed."""

    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise BadValueError("a text is wanted; quote it")
        line = unicodedata.normalize("NFC", value).strip()
        if not minimum <= len(line) <= maximum:
            raise BadValueError(f"{minimum} to {maximum} characters are wanted")
        if not is_printable(line):
            raise BadValueError(
                "one line without control, invisible or unknown characters is wanted"
            )
        return line

    return check


_PATTERN = text(MAX_PATTERN)


def ulid(value: Any) -> str:
    """A ULID."""
    if not isinstance(value, str) or not is_ulid(value):
        raise BadValueError("a ULID is wanted")
    return value


def digest(value: Any) -> str:
    """A SHA-256 in hexadecimal."""
    if not isinstance(value, str) or not _DIGEST.fullmatch(value):
        raise BadValueError("a SHA-256 is wanted")
    return value


def alias(value: Any) -> str:
    """A plain name that is no ULID: lower-case words joined by ``.``, ``_`` or ``-``."""
    if not isinstance(value, str) or not _SLUG.fullmatch(value) or not is_plain(value):
        raise BadValueError("lower-case words joined by `.`, `_` or `-` are wanted")
    if is_ulid(value.upper()):
        raise BadValueError("a name that cannot be taken for an id is wanted")
    return value


def time(value: Any) -> str:
    """An RFC 3339 time with its offset, as UTC to the second: ``2026-03-01T09:00:00Z``."""
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise BadValueError("a time like 2026-03-01T09:00:00Z is wanted")
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00")).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadValueError("a time like 2026-03-01T09:00:00Z is wanted") from None
    return moment.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def path_pattern(value: Any) -> str:
    """A path pattern that can match: one that cannot would govern nothing, and nobody would see."""
    pattern: str = _PATTERN(value)
    if problem_with(pattern) is not None:
        raise BadValueError("a path pattern like `src/**/*.py` is wanted")
    return pattern


def media_type(value: Any) -> str:
    """A media type such as ``text/markdown``."""
    if not isinstance(value, str) or not _MEDIA_TYPE.fullmatch(value):
        raise BadValueError("a media type is wanted")
    return value


def one_of(names: type[StrEnum]) -> Check:
    """The value of a closed vocabulary."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in {name.value for name in names}:
            raise BadValueError(f"one of {', '.join(name.value for name in names)} is wanted")
        return value

    return check


def number(least: int, most: int) -> Check:
    """A whole number from ``least`` to ``most``."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadValueError(f"a whole number from {least} to {most} is wanted")
        return value

    return check


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise BadValueError("true or false is wanted")
    return value


def listed(check: Check, most: int = MAX_LISTED, *, ordered: bool = False) -> Check:
    """A list of at most ``most`` distinct values; sorted where the order says nothing."""

    def check_all(value: Any) -> list[Any]:
        if not isinstance(value, list) or len(value) > most:
            raise BadValueError(f"a list of at most {most} is wanted")
        found = [check(one) for one in value]
        if any(one in found[:index] for index, one in enumerate(found)):
            raise BadValueError("a list without repeats is wanted")
        return found if ordered else sorted(found)

    return check_all


def table(**fields: tuple[Check, bool]) -> Check:
    """A mapping with exactly these keys: ``name=(check, needed)``. What is None is left out."""

    def check(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise BadValueError("a mapping is wanted")
        for key in value:
            if key not in fields:
                raise BadValueError("a key is none of this mapping's")
        found = {}
        for name, (rule, needed) in fields.items():
            if value.get(name) is not None:
                found[name] = rule(value[name])
            elif needed:
                raise BadValueError(f"`{name}` is wanted")
        return found

    return check


_REFUSED = listed(text(200))
_REFUSE = table(
    packages=(_REFUSED, False),
    imports=(_REFUSED, False),
    paths=(listed(path_pattern), False),
    patterns=(listed(text(200, 3)), False),
)


def refuse(value: Any) -> dict[str, Any]:
    """What a decision refuses: ``{packages, imports, paths, patterns}``, at least one of them."""
    found = {key: listed for key, listed in _REFUSE(value).items() if listed}
    if not found:
        raise BadValueError("a package, an import, a path or a pattern is wanted")
    if any(not one.replace("*", "").strip() for one in found.get("patterns", ())):
        raise BadValueError("a pattern with more than `*` is wanted")
    return found


def _lines(value: Any) -> list[int]:
    pair = value if isinstance(value, list) else []
    if len(pair) != 2 or any(isinstance(n, bool) or not isinstance(n, int) for n in pair):
        raise BadValueError("two line numbers are wanted")
    if not 1 <= pair[0] <= pair[1] <= 10_000_000:
        raise BadValueError("two line numbers in order are wanted")
    return pair


def _object_id(value: Any) -> str:
    if not isinstance(value, str) or not _OBJECT_ID.fullmatch(value):
        raise BadValueError("a whole object id is wanted")
    return value


_ANCHOR = table(
    commit=(_object_id, False),
    blob=(_object_id, False),
    path=(text(512), False),
    lines=(_lines, False),
    uri=(text(512), False),
)


def anchor(value: Any) -> dict[str, Any]:
    """Where a revision points: ``{commit, blob, path, lines, uri}``, at least one of them."""
    found: dict[str, Any] = _ANCHOR(value)
    if not found or list(found) == ["lines"]:
        raise BadValueError("a commit, a blob, a path or an address is wanted")
    return found
