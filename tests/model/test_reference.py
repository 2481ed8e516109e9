from __future__ import annotations

import pytest

from citator.model.reference import DocumentKind, is_ref, make_ref, split_ref

OID = "a" * 40


def test_a_reference_changes_with_everything_it_covers() -> None:
    base = make_ref(DocumentKind.COMMIT, OID, (1, 3), "text", "v1")
    others = {
        make_ref(DocumentKind.MARKDOWN, OID, (1, 3), "text", "v1"),
        make_ref(DocumentKind.COMMIT, "b" * 40, (1, 3), "text", "v1"),
        make_ref(DocumentKind.COMMIT, OID, (1, 4), "text", "v1"),
        make_ref(DocumentKind.COMMIT, OID, (1, 3), "text.", "v1"),
        make_ref(DocumentKind.COMMIT, OID, (1, 3), "text", "v2"),
    }
    assert len(others) == 5
    assert base not in others
    assert base == make_ref(DocumentKind.COMMIT, OID, (1, 3), "text", "v1")


def test_fields_cannot_run_into_each_other() -> None:
    one = make_ref(DocumentKind.COMMIT, OID, (1, 1), "b", "va")
    two = make_ref(DocumentKind.COMMIT, OID, (1, 1), "ab", "v")
    assert one != two


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("commit:v1:" + "0" * 64, (DocumentKind.COMMIT, "0" * 64)),
        ("markdown:v1:abcdef", (DocumentKind.MARKDOWN, "abcdef")),
        ("commit:abcdef", (DocumentKind.COMMIT, "abcdef")),
        ("abcdef12", (None, "abcdef12")),
    ],
)
def test_prefixes_are_understood(text: str, split: tuple[DocumentKind | None, str]) -> None:
    assert split_ref(text) == split


@pytest.mark.parametrize(
    "text",
    ["", "abc", "ABCDEF", "commit:v2:abcdef", "note:v1:abcdef", "abcdefg", "abcdef\n", "0" * 65],
)
def test_bad_forms_are_not_references(text: str) -> None:
    assert split_ref(text) is None
    assert not is_ref(text)


def test_only_a_whole_reference_is_one() -> None:
    whole = make_ref(DocumentKind.COMMIT, OID, (1, 1), "x", "v")
    assert is_ref(whole)
    assert not is_ref(whole[:-1])
