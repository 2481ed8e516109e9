"""What ships is signed together by a key that nobody has afterwards."""

from __future__ import annotations

import shutil
from pathlib import Path

from scripts.sign_shipped import sign_pack

from citator.trust.pack_format import Root, parse_manifest
from citator.trust.packs import MANIFEST, read_folder, shipped_folder, weigh
from tests.support.keys import fresh_ed25519

TIME = "2027-01-01T00:00:00Z"
FIVE_YEARS = 1826


def test_signing_anew_is_one_counter_on_under_a_key_that_is_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "citator.core"
    shutil.copytree(shipped_folder() / "packs" / "citator.core", folder)
    before = parse_manifest((folder / MANIFEST).read_bytes())
    key = fresh_ed25519()
    sign_pack(folder, key, TIME, FIVE_YEARS)
    root = Root("citator", 1, (key.public,))
    loaded = weigh(read_folder(folder), root, "2027-01-02T00:00:00Z", before.counter)
    assert loaded.manifest.counter == before.counter + 1
    assert loaded.manifest.expires_at == "2032-01-01T00:00:00Z"
    assert loaded.manifest.digest == before.digest
    secret = key.private.private_bytes_raw()  # type: ignore[union-attr]
    assert len(secret) == 32
    assert not any(secret in one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())


def test_a_fresh_key_is_another_each_time() -> None:
    assert fresh_ed25519().public.text != fresh_ed25519().public.text
