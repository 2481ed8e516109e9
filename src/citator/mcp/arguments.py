"""The arguments of a call, held to the closed schema that its tool shows.

One description does both jobs, so what is promised is what is enforced. The schemas use a small
part of JSON Schema (objects, strings, integers, booleans and arrays, with bounds and defaults);
anything else in one is a KeyError of ours, found by the tests, never a check that silently passes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from citator.model.errors import UsageError
from citator.model.plain import is_plain

_NAME_SHOWN: Final = 40


def checked(schema: Mapping[str, Any], arguments: Mapping[str, object]) -> dict[str, Any]:
    """``arguments`` with defaults filled in. Raises UsageError ``invalid_arguments``.

    A field that the schema does not name, a missing one, a wrong type (nothing is converted) or
    a value out of bounds is an error that names the field and the rule; a field that is not
    listed is repeated only where it is plain.
    """
    properties = schema["properties"]
    for name in arguments:
        if name not in properties:
            shown = f"`{name}`" if is_plain(name) and len(name) <= _NAME_SHOWN else "a field given"
            raise _invalid(f"{shown} is not an argument", f"Use only: {', '.join(properties)}.")
    found: dict[str, Any] = {}
    for name, rule in properties.items():
        if name in arguments:
            found[name] = _value(name, rule, arguments[name])
        elif name in schema["required"]:
            raise _invalid(f"`{name}` is missing", f"Give `{name}`.")
        else:
            found[name] = rule.get("default")
    return found


def _value(name: str, rule: Mapping[str, Any], value: object) -> object:
    return _CHECKS[rule["type"]](name, rule, value)


def _string(name: str, rule: Mapping[str, Any], value: object) -> str:
    if not isinstance(value, str):
        raise _invalid(f"`{name}` is not a string", f"Give `{name}` as a string.")
    if "enum" in rule:
        if value not in rule["enum"]:
            raise _invalid(f"`{name}` is none of its values", f"Use: {', '.join(rule['enum'])}.")
        return value
    _within(name, len(value), rule.get("minLength", 0), rule["maxLength"], " characters")
    return value


def _integer(name: str, rule: Mapping[str, Any], value: object) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _invalid(f"`{name}` is not an integer", f"Give `{name}` as a whole number.")
    _within(name, value, rule["minimum"], rule.get("maximum"), "")
    return value


def _boolean(name: str, rule: Mapping[str, Any], value: object) -> bool:
    if not isinstance(value, bool):
        raise _invalid(f"`{name}` is not a boolean", f"Give `{name}` as true or false.")
    return value


def _array(name: str, rule: Mapping[str, Any], value: object) -> list[object]:
    if not isinstance(value, list):
        raise _invalid(f"`{name}` is not an array", f"Give `{name}` as an array.")
    _within(name, len(value), rule.get("minItems", 0), rule["maxItems"], " items")
    return [_value(f"{name}[{at}]", rule["items"], item) for at, item in enumerate(value)]


def _object(name: str, rule: Mapping[str, Any], value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _invalid(f"`{name}` is not an object", f"Give `{name}` as an object.")
    return checked(rule, value)


_CHECKS: Final[Mapping[str, Callable[[str, Mapping[str, Any], object], object]]] = {
    "string": _string,
    "integer": _integer,
    "boolean": _boolean,
    "array": _array,
    "object": _object,
}


def _within(name: str, size: int, least: int, most: int | None, unit: str) -> None:
    if size < least or (most is not None and size > most):
        bounds = f"at least {least}" if most is None else f"{least} to {most}"
        raise _invalid(f"`{name}` is out of bounds", f"Give `{name}` {bounds}{unit}.")


def _invalid(what: str, todo: str) -> UsageError:
    return UsageError("invalid_arguments", what, todo)
