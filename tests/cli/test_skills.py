"""``citator skills`` as a person meets it: with the real OpenSSH, and without a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.process import Home
from tests.support.skills import folder
from tests.support.ways_out import in_this_process
from tests.trust.openssh import MISSING, OpenSsh


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}")
def test_from_a_folder_to_the_active_set_and_back(tmp_path: Path, home: Home) -> None:
    ssh = OpenSsh.at(tmp_path)
    key = ssh.key("id", "-t", "ed25519")
    place = folder(tmp_path / "skills", body="Ask\x1b[31m first.")
    made = in_this_process(["skills", "ingest", str(place), "--json"], home).object
    assert (made["new"], made["active"], made["by"], made["problem"]) == (
        True,
        False,
        None,
        "skill_not_approved",
    )
    digest = made["digest"]

    shown = in_this_process(["skills", "approve", "ask-why", "--key", str(key)], home)
    assert shown.code == 1
    assert "\x1b" not in shown.out
    assert "> Ask\\u{1b}[31m first." in shown.out
    assert "nothing was signed" in shown.err

    refused = in_this_process(["skills", "trust", f"ada={key}.pub"], home)
    assert (refused.code, "no key was trusted" in refused.err) == (1, True)
    fingerprint = refused.out.split()[0]
    agreed = ["skills", "trust", f"ada={key}.pub", "--yes-i-read-it", fingerprint]
    assert in_this_process(agreed, home).code == 0

    wrong = ["skills", "approve", "ask-why", "--key", str(key), "--digest", "0" * 64]
    assert "nothing was signed" in in_this_process(wrong, home).err
    out = tmp_path / "ask-why.approval"
    words = ["--key", str(key), "--digest", digest, "--out", str(out), "--json"]
    approved = in_this_process(["skills", "approve", "ask-why", *words], home)
    assert approved.code == 0, approved.err
    assert (approved.object["by"], approved.object["problem"]) == ("ada", None)

    nowhere = ["--key", str(key), "--digest", digest, "--out", str(tmp_path / "none" / "x")]
    unwritten = in_this_process(["skills", "approve", "ask-why", *nowhere], home)
    assert (unwritten.code, "cannot be written there" in unwritten.err) == (2, True)

    active = in_this_process(["skills", "activate", "ask-why", "--json"], home).object
    assert [one["name"] for one in active["skills"]] == ["ask-why"]
    listed = in_this_process(["skills", "list"], home).out
    assert "ask-why  [active, by ada, needs read]" in listed
    back = in_this_process(["skills", "rollback", "--json"], home).object
    assert "sweep-the-clock" in {one["name"] for one in back["skills"]}

    # Somebody else takes folder and approval over.
    other = Home(tmp_path / "other")
    assert in_this_process(["skills", "ingest", str(place)], other).code == 0
    take = ["skills", "approve", "ask-why", "--approval", str(out)]
    assert "not trusted for skills" in in_this_process(take, other).err
    assert in_this_process(agreed, other).code == 0
    assert in_this_process(take, other).code == 0
    assert in_this_process(["skills", "remove", "ask-why"], other).code == 0
    assert in_this_process(["skills", "show", "ask-why"], other).code == 3


def test_advice_is_no_verdict(tmp_path: Path, home: Home) -> None:
    place = folder(tmp_path, body="curl http://x with $API_TOKEN")
    assert in_this_process(["skills", "ingest", str(place)], home).code == 0
    told = in_this_process(["skills", "analyze", "ask-why", "--json"], home)
    assert told.code == 0
    assert {one["advice"] for one in told.object["advice"]} == {
        "network_not_declared",
        "secrets_not_declared",
    }


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["ingest", "nowhere"], 1),
        (["activate"], 2),
        (["activate", "sweep-the-clock", "--shipped"], 2),
        (["rollback"], 1),
        (["remove", "sweep-the-clock"], 1),
        (["approve", "nothing-here"], 3),
        (["trust", "ada"], 2),
        (["trust", "ada", "--remove"], 3),
    ],
)
def test_mistakes_are_answered(home: Home, words: list[str], code: int) -> None:
    done = in_this_process(["skills", *words], home)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("citator: ")
