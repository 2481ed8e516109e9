"""What is kept is believed only behind the seal of this data directory."""

from __future__ import annotations

from citator.store.seal import sealed, unsealed

SECRET = b"s" * 32


def test_a_seal_is_of_one_secret_one_purpose_and_these_bytes() -> None:
    kept = sealed(SECRET, "views", b"where to look")

    assert unsealed(SECRET, "views", kept) == b"where to look"
    assert unsealed(b"t" * 32, "views", kept) is None
    assert unsealed(SECRET, "provenance", kept) is None
    assert unsealed(SECRET, "views", kept + b"!") is None
    assert unsealed(SECRET, "views", b"0" * 64 + b"\nwhere to look") is None
    assert unsealed(SECRET, "views", b"") is None
