"""``citator trust`` and ``citator verify``, as a person and a CI meet them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from citator.service.workspace import Places
from tests.cli.process import Finished, Home
from tests.cli.test_record_journey import Desk
from tests.support.builder import Builder
from tests.support.keys import ed25519_key, rsa_key
from tests.support.office import Office
from tests.support.ways_out import in_this_process
from tests.trust.openssh import MISSING, OpenSsh

ADA, BOB = ed25519_key(1), ed25519_key(2)


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    folder = tmp_path / "keys"
    folder.mkdir()
    (folder / "ada.pub").write_text(ADA.text)
    (folder / "bob.pub").write_text(BOB.text)
    (folder / "rsa.pub").write_text(rsa_key().text)
    (folder / "private").write_bytes(ADA.private_text())
    return folder


@pytest.fixture
def office(tmp_path: Path, home: Home) -> Office:
    builder = Builder.init(tmp_path / "repo")
    builder.write("a", "b").commit("Begin\n\nBecause.")
    builder.git("config", "user.name", "Ada")
    builder.git("config", "user.email", "ada@example.org")
    places = Places(home.path / "data", home.path / "config", lambda size: b"k" * size)
    return Office(builder, places)


def trust(office: Office, home: Home, *words: str | Path) -> Finished:
    line = ["trust", *map(str, words), "--root", str(office.builder.path)]
    return in_this_process(line, home)


def pinned(office: Office, home: Home, keys: Path) -> dict[str, object]:
    words = ("pin", "--key", keys / "ada.pub", "--key", f"bob@example.org={keys / 'bob.pub'}")
    named = [part for key in (ADA, BOB) for part in ("--yes-i-read-them", key.public.fingerprint)]
    done = trust(office, home, *words, *named, "--json")
    assert done.code == 0, done.err
    return done.object


def test_the_keys_are_shown_with_labels_and_where_they_came_from(
    office: Office, home: Home, keys: Path
) -> None:
    told = trust(office, home, "pin", "--key", keys / "ada.pub", "--key", f"bob={keys / 'bob.pub'}")
    assert told.code == 1
    for part in (
        ADA.public.fingerprint,
        BOB.public.fingerprint,
        "ada@example.org <ada@example.org>",
        f"from {keys / 'bob.pub'}",
        "an author may not approve their own proposal",
        "every decision: signed with a key, 1 approver",
    ):
        assert part in told.out
    assert "nothing was pinned" in told.err
    assert not (office.builder.path / ".citator").exists()


@pytest.mark.parametrize("named", [(), ("ada",), ("ada", "bob", "ada+rsa"), ("bob", "rsa")])
def test_every_key_has_to_be_named_and_no_other(
    office: Office, home: Home, keys: Path, named: tuple[str, ...]
) -> None:
    prints = {"ada": ADA, "bob": BOB, "rsa": rsa_key(), "ada+rsa": rsa_key()}
    words = [
        part for name in named for part in ("--yes-i-read-them", prints[name].public.fingerprint)
    ]
    keyed = ("--key", keys / "ada.pub", "--key", f"bob={keys / 'bob.pub'}")
    told = trust(office, home, "pin", *keyed, *words, "--json")
    assert (told.code, told.object["error"]["code"]) == (1, "not_agreed")
    assert not (home.path / "data" / "trust").exists()


def test_what_is_pinned_is_shown_and_taken_away(office: Office, home: Home, keys: Path) -> None:
    made = pinned(office, home, keys)
    shown = trust(office, home, "show", "--json").object
    assert shown["record"] == made["record"]
    assert [one["label"] for one in shown["approvers"]] == ["ada@example.org", "bob@example.org"]
    assert shown["holds"] is True
    told = trust(office, home, "show").out
    assert "May approve now:" in told
    assert trust(office, home, "unpin", "--json").code == 1
    assert trust(office, home, "unpin", "--yes", "--json").object == {"unpinned": True}
    assert trust(office, home, "show", "--json").object["error"]["code"] == "not_pinned"
    assert trust(office, home, "unpin", "--yes").code == 3


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("pin", "--key", "missing.pub"), "no_such_key"),
        (("pin", "--root-file", "missing"), "no_such_path"),
        (("pin", "--policy", "missing"), "no_such_path"),
        (("pin", "--ci-key", "ci.pub"), "usage"),
        (("pin", "--approvers", "0"), "usage"),
        (("ledger", "missing"), "no_such_path"),
        (("show",), "not_pinned"),
        (("show", "--export"), "not_pinned"),
        (("show", "--second"), "no_second_ledger"),
        (("policy",), "not_pinned"),
        (("audience", "--ceiling", "secret"), "usage"),
        (("audience", "--ceiling", "restricted"), "not_agreed"),
    ],
)
def test_what_cannot_be_done_says_why(
    office: Office, home: Home, words: tuple[str, ...], code: str
) -> None:
    told = trust(office, home, *words, "--json")
    assert told.code in (1, 2, 3)
    error = told.object["error"]
    assert error["code"] == code
    assert error["what"]


def test_one_key_under_two_labels_is_refused(office: Office, home: Home, keys: Path) -> None:
    words = ("--key", f"a={keys / 'ada.pub'}", "--key", f"b={keys / 'ada.pub'}")
    told = trust(office, home, "pin", *words, "--json")
    assert (told.code, told.object["error"]["code"]) == (4, "pin_malformed")


def test_a_root_is_handed_over_as_a_file(
    office: Office, home: Home, keys: Path, tmp_path: Path
) -> None:
    made = pinned(office, home, keys)
    root = tmp_path / "root.json"
    root.write_text(trust(office, home, "show", "--export").out)
    assert json.loads(root.read_text())["record"] == made["record"]
    other = Home(tmp_path / "other")
    named = [part for key in (ADA, BOB) for part in ("--yes-i-read-them", key.public.fingerprint)]
    told = trust(office, other, "pin", "--root-file", root, *named, "--json")
    assert told.object["record"] == made["record"]
    assert told.object["policy"] == made["policy"]
    assert trust(office, other, "pin", "--root-file", root, *named[:2]).code == 1
    ours = (office.root / "ledger.yaml").read_text()
    (office.root / "ledger.yaml").write_text(ours.replace(str(made["record"])[:8], "0" * 8))
    told = trust(office, other, "pin", "--root-file", root, *named, "--json")
    assert told.object["error"]["code"] == "another_record"


def test_what_the_repository_names_is_marked_as_its_claim(
    office: Office, home: Home, keys: Path, tmp_path: Path
) -> None:
    office.pin()
    office.landed()
    other = Home(tmp_path / "other")
    told = trust(office, other, "pin", "--from-record")
    assert "CLAIMED: signed in this repository" in told.out
    assert "check it with its owner" in told.out


def test_a_policy_and_approvers_are_proposed(
    office: Office, home: Home, keys: Path, tmp_path: Path
) -> None:
    pinned(office, home, keys)
    file = tmp_path / "policy.json"
    policy = trust(office, home, "policy", "--json").object["policy"]
    policy["floor"]["approvers"] = 2
    file.write_text(json.dumps(policy))
    done = trust(office, home, "policy", file, "--because", "two people", "--json")
    assert done.object["status"] == "proposed"
    listed = trust(office, home, "approvers", "--json").object["approvers"]
    assert {one["label"] for one in listed} == {"ada@example.org", "bob@example.org"}
    done = trust(office, home, "approvers", "--remove", "bob@example.org", "--json")
    (path,) = [
        one for one in (office.root / "proposals").iterdir() if done.object["id"] in one.name
    ]
    assert "bob@example.org" not in path.read_text()
    unknown = trust(office, home, "approvers", "--remove", "eve", "--json")
    assert (unknown.code, unknown.object["error"]["code"]) == (3, "unknown_approver")


def test_the_second_ledger_and_the_audience_are_named(
    office: Office, home: Home, tmp_path: Path
) -> None:
    place = tmp_path / "second"
    place.mkdir()
    assert trust(office, home, "ledger", "--json").object == {"ledger": None}
    assert trust(office, home, "ledger", place, "--json").object == {"ledger": str(place)}
    inside = trust(office, home, "ledger", office.builder.path, "--json")
    assert (inside.code, inside.object["error"]["code"]) == (2, "ledger_inside")
    assert trust(office, home, "ledger", "--remove", "--json").object == {"ledger": None}
    told = trust(office, home, "audience", "--ceiling", "public", "--yes", "--json").object
    assert told == {"ceiling": "public", "unapproved": False, "tenant": None, "groups": []}
    told = trust(office, home, "audience", "--json").object
    assert told["ceiling"] == "public"


def test_a_private_key_is_never_read(office: Office, home: Home, keys: Path) -> None:
    told = trust(office, home, "pin", "--key", keys / "private", "--json")
    assert told.object["error"]["code"] == "no_such_key"
    (keys / "private.pub").write_text(ADA.text)
    (keys / "private").unlink()
    told = trust(office, home, "pin", "--key", keys / "private")
    assert ADA.public.fingerprint in told.out


# -- verify


@pytest.mark.skipif(bool(MISSING), reason=f"NOT PROVED WITH OPENSSH: no {', '.join(MISSING)}")
@pytest.mark.skipif(os.name == "nt", reason="the person here has a POSIX home")
def test_a_ci_verifies_in_a_fresh_clone_and_attests_with_its_own_key(
    office: Office, home: Home, tmp_path: Path
) -> None:
    office.pin()
    office.landed()
    person = tmp_path / "person"
    person.mkdir()
    ssh = OpenSsh.at(person)
    ci_key = ssh.key("ci-key", "-t", "ed25519")
    words = ["--key", str(tmp_path / "ada.pub"), "--ci-key", f"ci={ci_key}.pub"]
    (tmp_path / "ada.pub").write_text(office.person.key.text)
    fingerprints = ssh.run("ssh-keygen", "-l", "-f", "ci-key.pub").stdout.decode().split()[1]
    named = ["--yes-i-read-them", office.person.key.public.fingerprint]
    done = trust(office, home, "pin", *words, *named, "--yes-i-read-them", fingerprints)
    assert done.code == 0, done.err
    root = tmp_path / "root.json"
    root.write_text(trust(office, home, "show", "--export").out)
    clone = office.builder.clone(tmp_path / "clone")
    ci = Desk(Home(tmp_path / "ci"), clone, ssh)
    told = ci.run("verify", "--pin", root, "--attest", ci_key, "--json")
    assert told.code == 0, told.err
    (path,) = (clone.path / ".citator" / "attestations").iterdir()
    assert told.object["attestation"] == str(path)
    target = office.root / "attestations"
    target.mkdir()
    (target / path.name).write_bytes(path.read_bytes())
    office.commit()
    line = ["decisions", "list", "--json", "--root", str(office.builder.path)]
    (one,) = in_this_process(line, home).object["decisions"]
    assert one["assurance"] == {"signature": "key", "landed": "verified_by_ci"}


def test_a_ci_fails_with_four_and_says_on_what(office: Office, home: Home, tmp_path: Path) -> None:
    office.pin()
    office.landed()
    root = tmp_path / "root.json"
    root.write_text(trust(office, home, "show", "--export").out)
    (file,) = (office.root / "approvals").iterdir()
    file.unlink()
    office.commit()
    ci = Home(tmp_path / "ci")
    line = ["verify", "--pin", str(root), "--root", str(office.builder.path)]
    told = in_this_process([*line, "--json"], ci)
    assert (told.code, told.object["verified"]) == (4, False)
    assert [one["code"] for one in told.object["findings"]] == ["unsigned"]
    told = in_this_process(line, ci)
    assert told.code == 4
    assert told.out.startswith("!!  01")
    root.write_text("{}")
    told = in_this_process([*line, "--json"], ci)
    assert (told.code, told.object["error"]["code"]) == (4, "pin_damaged")


def test_nothing_verifies_without_a_root(office: Office, home: Home) -> None:
    office.decide()
    office.commit()
    told = in_this_process(["verify", "--json", "--root", str(office.builder.path)], home)
    assert (told.code, told.object["error"]["code"]) == (1, "not_pinned")
