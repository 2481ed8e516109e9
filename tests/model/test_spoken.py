"""Names in code spans, and nothing else of a text."""

from __future__ import annotations

from citator.model.spoken import MAX_NAMES, names_in


def test_names_in_code_spans_are_spoken_of() -> None:
    text = "Because `Mill.grind()` and ``mill::sift`` leak, `left-pad` and `a b c` stay; run x."
    assert names_in(text) == ("Mill.grind", "mill.sift", "left-pad")


def test_what_is_fenced_odd_or_too_much_is_none() -> None:
    assert (
        names_in("```\n`inside`\n```\n`$(rm)` `--flag` `x` `3d` `None` `a/b.py` `a\u0430b`") == ()
    )
    assert len(names_in(" ".join(f"`name{n}`" for n in range(40)))) == MAX_NAMES
    assert names_in("`" * 100_000) == ()
