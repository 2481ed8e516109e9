"""``citator policy``: a person signs, verifies, adds and removes packs; nobody else does."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from citator.store import files
from citator.store.layout import Layout
from citator.trust.packs import Kept
from tests.cli.process import Finished
from tests.cli.process import Home as User
from tests.support.builder import Builder
from tests.support.keys import SigningKey, ed25519_key
from tests.support.packs import LAW, Offer, root_bytes, root_in
from tests.support.ways_out import in_this_process
from tests.trust.openssh import MISSING, OpenSsh


@dataclass(frozen=True)
class Home:
    """A user whose commands run in this process: a process each would be most of the time."""

    path: Path

    def run(self, *words: str | Path) -> Finished:
        """Run at a pipe."""
        return in_this_process([*map(str, words)], User(self.path))


def error_of(done: Finished) -> tuple[int, str]:
    return done.code, json.loads(done.out)["error"]["code"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "user")


FIRST, SECOND, STRANGER = ed25519_key(1), ed25519_key(2), ed25519_key(3)


def lasting(counter: int = 1, pack: dict[str, Any] = LAW) -> Offer:
    return Offer(
        pack,
        key=FIRST,
        counter=counter,
        issued_at="2026-01-01T00:00:00Z",
        expires_at="2036-01-01T00:00:00Z",
    )


def pinned(home: Home, folder: Path, *keys: SigningKey, counter: int = 1) -> None:
    place = root_in(folder, root_bytes(*keys, counter=counter))
    seen = home.run("policy", "verify", place, "--json").object
    assert home.run("policy", "add", place, "--digest", seen["digest"]).code == 0


def test_what_ships_counts_and_is_shown_whole(home: Home) -> None:
    listed = home.run("policy", "list", "--json")
    assert listed.code == 0
    (core,) = listed.object["packs"]
    assert core["pack"] == "citator.core"
    assert core["state"] == "counts"
    assert core["domains"] == ["general", "programming", "project_memory"]
    shown = home.run("policy", "show", "citator.core", "--json").object
    assert {one["id"] for one in shown["sources"]} == {
        "commits",
        "decisions",
        "documents",
        "reviews",
    }
    assert shown["envelope"] == {"hosts": [], "paths": []}
    assert "citator.core" in home.run("policy", "list").out


def test_a_pack_is_added_under_a_pinned_root_and_an_older_one_never_again(
    home: Home, tmp_path: Path
) -> None:
    older = lasting().written(tmp_path / "older")
    newer = lasting(2).written(tmp_path / "newer")
    refused = home.run("policy", "verify", newer, "--json")
    assert error_of(refused) == (4, "pack_untrusted_key")
    pinned(home, tmp_path / "root", FIRST)
    seen = home.run("policy", "verify", newer, "--json").object
    nobody = home.run("policy", "add", newer, "--json")
    assert error_of(nobody) == (1, "not_agreed")
    other = home.run("policy", "add", newer, "--digest", "0" * 64, "--json")
    assert error_of(other) == (1, "another_text")
    assert home.run("policy", "add", newer, "--digest", seen["digest"]).code == 0
    assert home.run("policy", "show", "acme.law", "--json").object["counter"] == 2
    assert home.run("policy", "remove", "acme.law", "--yes").code == 0
    again = home.run("policy", "add", older, "--digest", seen["digest"], "--json")
    assert error_of(again) == (4, "pack_rolled_back")
    assert home.run("policy", "remove", "acme.law", "--yes").code == 3


def test_a_root_is_followed_by_what_a_key_of_it_signed_and_by_nothing_else(
    home: Home, tmp_path: Path
) -> None:
    pinned(home, tmp_path / "first", FIRST)
    pack = lasting().written(tmp_path / "pack")
    digest = home.run("policy", "verify", pack, "--json").object["digest"]
    assert home.run("policy", "add", pack, "--digest", digest).code == 0
    second = root_bytes(SECOND, counter=2)
    for by, code in ((None, "pack_unsigned"), (STRANGER, "pack_untrusted_key")):
        refused = home.run("policy", "verify", root_in(tmp_path / code, second, by), "--json")
        assert error_of(refused) == (4, code)
    same = root_in(tmp_path / "same", root_bytes(SECOND, counter=1), FIRST)
    assert error_of(home.run("policy", "verify", same, "--json")) == (4, "pack_rolled_back")
    follows = root_in(tmp_path / "follows", second, FIRST)
    digest = home.run("policy", "verify", follows, "--json").object["digest"]
    assert home.run("policy", "add", follows, "--digest", digest).code == 0
    listed = home.run("policy", "list", "--json")
    assert listed.code == 1
    assert [one["state"] for one in listed.object["packs"]] == ["counts", "untrusted_key"]
    assert listed.object["roots"] == [
        {"name": "acme", "counter": 2, "keys": [SECOND.public.fingerprint]}
    ]
    assert home.run("policy", "remove", "acme", "--pinned-root", "--yes").code == 0
    back = home.run("policy", "verify", tmp_path / "first", "--json")
    assert error_of(back) == (4, "pack_rolled_back")


def test_a_name_takes_nothing_away_that_is_no_root(home: Home, tmp_path: Path) -> None:
    pinned(home, tmp_path / "first", FIRST)
    counters = home.path / "data" / "trust" / "counters.json"
    for name in ("../../counters", str(counters.with_suffix("")), "", "."):
        done = home.run("policy", "remove", name, "--pinned-root", "--yes", "--json")
        assert error_of(done) == (3, "unknown_root")
    assert counters.exists()


def test_whoever_is_killed_while_adding_has_added_nothing_and_adds_it_again(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned(home, tmp_path / "root", FIRST)
    write = files.write_atomically

    def add(counter: int, killed_at: int) -> str:
        pack = lasting(counter).written(tmp_path / str(counter))
        left = iter(range(killed_at))

        def once(path: Path, data: bytes, mode: int | None = None) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            write(path, data, mode)

        monkeypatch.setattr(files, "write_atomically", once)
        digest = home.run("policy", "verify", pack, "--json").object["digest"]
        with suppress(KeyboardInterrupt):
            home.run("policy", "add", pack, "--digest", digest)
        monkeypatch.setattr(files, "write_atomically", write)
        assert home.run("policy", "list", "--json").object["packs"][0]["state"] == "counts"
        found = home.run("policy", "list", "--json").object["packs"][1:]
        return str(found[0]["state"]) if found else "none"

    assert add(1, 99) == "counts"
    states = [add(2, killed_at) for killed_at in range(4)]
    assert states == ["counts", "tampered", "not_added", "not_added"]
    assert add(2, 99) == "counts"
    assert home.run("policy", "list", "--json").object["packs"][1]["counter"] == 2


def test_what_is_damaged_counts_for_nothing_and_the_way_out_that_is_told_leads_out(
    home: Home, tmp_path: Path
) -> None:
    pinned(home, tmp_path / "root", FIRST)
    pack = lasting().written(tmp_path / "pack")
    digest = home.run("policy", "verify", pack, "--json").object["digest"]
    assert home.run("policy", "add", pack, "--digest", digest).code == 0
    counters = home.path / "data" / "trust" / "counters.json"
    counters.write_text("{", "ascii")
    told = home.run("policy", "list", "--json").object
    assert [one["state"] for one in told["packs"]] == ["counts", "unreadable"]
    assert told["roots"] == []
    refused = home.run("policy", "add", pack, "--digest", digest)
    assert "`trust/counters.json`" in refused.err and "move it aside" in refused.err
    counters.unlink()
    states = [one["state"] for one in home.run("policy", "list", "--json").object["packs"]]
    assert states == ["counts", "untrusted_key"]
    refused = home.run("policy", "verify", tmp_path / "root")
    assert "citator policy remove NAME --pinned-root" in refused.err
    assert home.run("policy", "remove", "acme", "--pinned-root", "--yes").code == 0
    pinned(home, tmp_path / "root", FIRST)
    assert home.run("policy", "add", pack, "--digest", digest).code == 0
    assert home.run("policy", "list").code == 0


@pytest.mark.skipif(bool(MISSING), reason="OpenSSH is not installed")
def test_a_pack_is_signed_with_the_persons_own_key(home: Home, tmp_path: Path) -> None:
    ssh = OpenSsh.at(tmp_path)
    key = ssh.key("acme", "-t", "ed25519")
    public = key.with_suffix(".pub").read_text("utf-8").strip()
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "pack.json").write_text(json.dumps(LAW), "utf-8")
    unsigned = home.run("policy", "sign", folder, "--key", key, "--json")
    assert error_of(unsigned) == (1, "not_agreed")
    digest = Offer(LAW, raw=(folder / "pack.json").read_bytes()).manifest.digest
    (folder / "manifest.sig").mkdir()
    unwritten = home.run("policy", "sign", folder, "--key", key, "--digest", digest, "--json")
    assert error_of(unwritten) == (1, "folder_not_writable")
    (folder / "manifest.sig").rmdir()
    for counter in (1, 2):
        signed = home.run("policy", "sign", folder, "--key", key, "--digest", digest)
        assert signed.code == 0, signed.err
        assert json.loads((folder / "manifest.json").read_bytes())["counter"] == counter
    root = json.dumps({"version": 1, "root": "acme", "counter": 1, "keys": [public]}).encode()
    place = root_in(tmp_path / "root", root)
    shown = home.run("policy", "verify", place, "--json").object
    assert home.run("policy", "add", place, "--digest", shown["digest"]).code == 0
    assert home.run("policy", "verify", folder, "--json").object["counts"] is True


def test_a_root_of_the_package_cannot_be_pinned_over(home: Home, tmp_path: Path) -> None:
    mine = root_in(tmp_path / "root", root_bytes(FIRST, name="citator", counter=9))
    assert error_of(home.run("policy", "verify", mine, "--json")) == (4, "pack_untrusted_key")
    Kept(Layout(home.path / "data")).pin("citator", root_bytes(FIRST, name="citator"))
    forged = {**LAW, "root": "citator"}
    place = lasting(pack=forged).written(tmp_path / "forged")
    assert error_of(home.run("policy", "verify", place, "--json")) == (4, "pack_untrusted_key")


def test_a_folder_without_either_is_told(home: Home, tmp_path: Path) -> None:
    found = home.run("policy", "verify", tmp_path, "--json")
    assert error_of(found) == (2, "no_pack_there")


LEGAL = "Is a notarized signature legally required for a lease?"


def test_a_missing_domain_is_named_when_nothing_is_found_and_evidence_is_never_withheld(
    home: Home, ferry: Path, tmp_path: Path
) -> None:
    silent = home.run("ask", LEGAL, "--json", "--root", ferry)
    assert silent.code == 3
    assert silent.object["policy"]["domain"] == "law"
    assert silent.object["policy"]["gaps"] == [{"kind": "no_policy", "of": "law"}]
    assert "no policy here covers the domain law" in home.run("ask", LEGAL, "--root", ferry).out
    unclear = home.run("ask", "zither glockenspiel", "--root", ferry)
    assert (unclear.code, "it was answered as general" in unclear.out) == (3, True)
    shop = Builder.init(tmp_path / "shop")
    commit = shop.write("total.py", "x = 1\n").commit(
        "Round the VAT of an invoice down\n\nThe tax office takes whole cents, because halves had"
        " been rounded up on one side alone."
    )
    found = home.run("ask", "VAT rounding on an invoice", "--json", "--root", shop.path)
    assert found.code == 0
    assert found.object["evidence"][0]["object_id"] == commit
    assert found.object["policy"]["gaps"] == [{"kind": "no_policy", "of": "accounting"}]
    pinned(home, tmp_path / "root", FIRST)
    pack = lasting().written(tmp_path / "pack")
    digest = home.run("policy", "verify", pack, "--json").object["digest"]
    assert home.run("policy", "add", pack, "--digest", digest).code == 0
    covered = home.run("ask", LEGAL, "--json", "--root", ferry).object["policy"]
    assert (covered["gaps"], covered["sources"]) == ([], ["acme.law/statutes"])
    assert "Sources for law: acme.law/statutes." in home.run("ask", LEGAL, "--root", ferry).out
    unclear = home.run("ask", "apple pie without butter", "--json", "--root", ferry)
    assert unclear.code == 3
    assert unclear.object["policy"]["rule"] == "nothing"
    assert "citator.core/commits" in unclear.object["policy"]["sources"]
    assert "acme.law counts until" in home.run("doctor", "--root", ferry).out
    report = home.run("doctor", "--report", "-", "--root", ferry)
    assert report.code == 0
    assert "acme" not in report.out
