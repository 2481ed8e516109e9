"""Reasons of commits that travel unasked: of whom the operator said so, and of nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from citator.git.commit_objects import signed_part
from citator.service.check import check
from citator.service.check_findings import Wanted
from citator.service.intent import Intent, Source
from citator.service.proposing import Moment
from citator.service.trusted_words import trust_words, trusted
from citator.service.workspace import Places, Workspace
from citator.trust.words import WordTrust
from tests.index.test_removals import CODE
from tests.support.builder import Builder
from tests.support.keys import SigningKey, ed25519_key

MOMENT = Moment(1_780_000_000_000, lambda size: b"e" * size)
WHY = "It served stale rows,\nbecause nothing\u202e invalidated it."
ADA, EVE = ed25519_key(1), ed25519_key(9)


def signed(built: Builder, key: SigningKey, over: bytes | None = None) -> str:
    """Sign HEAD as git does, and make that HEAD; ``over`` other bytes, for a wrong signature."""
    content = built.git("cat-file", "commit", "HEAD")
    armored = key.sign(content if over is None else over, "git").rstrip("\n").replace("\n", "\n ")
    head, _, message = content.partition(b"\n\n")
    return built.raw_commit(head + b"\ngpgsig " + armored.encode() + b"\n\n" + message)


@pytest.fixture
def built(tmp_path: Path, places: Places) -> Builder:
    places.data.mkdir(mode=0o700)
    builder = Builder.init(tmp_path / "repo")
    builder.write("src/rows.py", CODE).commit("Begin")
    builder.remove("src/rows.py").commit(f"Remove the row cache\n\n{WHY}\n")
    return builder


def says(built: Builder, places: Places, trust: WordTrust | None) -> str | None:
    workspace = Workspace.open(built.path, places)
    trust_words(workspace, trust, MOMENT)
    intent = Intent(Source.PATHS, paths=("src/rows.py",))
    (one,) = check(workspace, intent, MOMENT.text, Wanted(quiet=True)).findings
    assert one.removal is not None
    return one.removal.says


def test_a_commit_that_a_listed_key_signed_says_why(built: Builder, places: Places) -> None:
    signed(built, ADA)
    line = "It served stale rows, because nothing\\u{202e} invalidated it."
    assert says(built, places, WordTrust(keys=(ADA.public,))) == line
    assert says(built, places, WordTrust(keys=(EVE.public,))) is None
    assert says(built, places, WordTrust()) is None
    assert says(built, places, None) is None


def test_a_signature_over_other_bytes_or_none_says_nothing_but_where_all_are_trusted(
    built: Builder, places: Places
) -> None:
    assert says(built, places, WordTrust(keys=(ADA.public,))) is None
    signed(built, ADA, over=b"something else")
    assert says(built, places, WordTrust(keys=(ADA.public,))) is None
    assert (says(built, places, WordTrust(everything=True)) or "").startswith("It served stale")


def test_the_signed_part_is_all_but_signatures(built: Builder) -> None:
    before = built.git("cat-file", "commit", "HEAD")
    assert signed_part(before) == (None, before)
    signed(built, ADA)
    signature, payload = signed_part(built.git("cat-file", "commit", "HEAD"))
    assert payload == before
    assert signature is not None and signature.endswith("-----END SSH SIGNATURE-----\n")
    pgp = before.replace(b"\n\n", b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n\n", 1)
    assert signed_part(pgp) == (None, before)


def test_what_was_said_and_spoiled_trusts_nobody(built: Builder, places: Places) -> None:
    workspace = Workspace.open(built.path, places)
    assert trusted(workspace) is None
    trust_words(workspace, WordTrust(everything=True), MOMENT)
    assert trusted(workspace) == WordTrust(everything=True)
    (places.data / "trust" / "words.json").write_text("{}")
    assert trusted(workspace) is None
