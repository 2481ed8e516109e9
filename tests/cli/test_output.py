"""Output is valid UTF-8 and JSON whatever the text holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from citator.cli import output
from citator.model.horizon import HorizonFact, Limit


@dataclass(frozen=True)
class Pair:
    name: str
    items: tuple[int, ...]


def test_a_lone_surrogate_becomes_a_visible_escape(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    output.write_lines(["caf\udce9"])
    output.flush()
    assert capfdbinary.readouterr().out == b"caf\\u{dce9}\n"


def test_json_is_one_line_of_utf8_with_every_character_whole(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    output.write_json({"a": "é\n日本", "b": "\udcff"})
    raw = capfdbinary.readouterr().out
    assert raw.count(b"\n") == 1
    assert json.loads(raw.decode("utf-8")) == {"a": "é\n日本", "b": "\\u{dcff}"}


def test_values_become_what_json_knows() -> None:
    value = {"pair": Pair("x", (1, 2)), "limit": Limit.SHALLOW, "path": Path("a")}
    assert output.plain(value) == {
        "pair": {"name": "x", "items": [1, 2]},
        "limit": "shallow",
        "path": "a",
    }
    assert output.plain(HorizonFact(Limit.TOO_LARGE, 3)) == {
        "limit": "too_large",
        "count": 3,
        "detail": None,
    }


def test_a_value_that_json_does_not_know_is_an_error() -> None:
    with pytest.raises(TypeError, match="object"):
        output.plain(object())
