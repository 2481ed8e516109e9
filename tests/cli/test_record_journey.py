"""From nothing to a served, approved decision: the real command, the real git, the real OpenSSH."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from citator.cli.render import columns
from tests.cli.process import COMMAND, Finished, Home
from tests.cli.test_terminal import at_terminal
from tests.support.builder import Builder, contents_of, environment
from tests.trust.openssh import MISSING, OpenSsh

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"NOT PROVED WITH OPENSSH: no {', '.join(MISSING)}"),
    pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal is a thing of POSIX"),
]

BODY = """## Context

One host.

## Rejected alternatives

- Keep sessions in Redis
  reason: another service to run
  unless: more than one host
"""


@dataclass
class Desk:
    """A person at a clone, with a home directory and keys of their own."""

    home: Home
    builder: Builder
    ssh: OpenSsh

    @property
    def root(self) -> Path:
        return self.builder.path

    def environment(self) -> dict[str, str]:
        person = environment(HOME=str(self.ssh.directory), TERM="xterm", COLUMNS="100")
        ours = self.home.environment()
        return person | {name: ours[name] for name in ours if name.startswith("CITATOR")}

    def run(self, *words: str | Path, **extra: str) -> Finished:
        """At a pipe."""
        done = subprocess.run(
            [*COMMAND, *map(str, words)],
            cwd=self.root,
            env=self.environment() | extra,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())

    def type(self, *words: str | Path, typed: str, **extra: str) -> Finished:
        """At a terminal, typing."""
        command = [*COMMAND, *map(str, words), "--root", str(self.root)]
        return at_terminal(command, self.environment() | extra, f"{typed}\n".encode())

    def git(self, *words: str) -> str:
        return self.builder.git(*words).decode()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A person with a key, in a clone with one commit."""
    person = tmp_path / "person"
    (person / ".ssh").mkdir(parents=True)
    ssh = OpenSsh.at(person)
    ssh.key(".ssh/id_ed25519", "-t", "ed25519")
    builder = Builder.init(tmp_path / "repo")
    builder.write("src/app.py", "x = 1\n").commit("Begin\n\nBecause there was nothing.")
    builder.git("config", "user.name", "Ada")
    builder.git("config", "user.email", "ada@example.org")
    (tmp_path / "body.md").write_text(BODY)
    return Desk(Home(tmp_path / "user"), builder, ssh)


def decided(desk: Desk, title: str = "Keep sessions in SQLite", *more: str) -> dict[str, Any]:
    done = desk.run("decide", "--title", title, "--ruling", f"{title}.", *more, "--json")
    assert done.code == 0, done.err
    return done.object


def pinned(desk: Desk) -> None:
    told = desk.type("trust", "pin", typed="pin")
    assert told.code == 0, told.out


def approved(desk: Desk, id: str, digest: str) -> Finished:
    return desk.type("approve", id, typed=digest[:8])


def test_five_commands_from_a_clone_to_a_served_approved_decision(desk: Desk) -> None:
    told = desk.type("trust", "pin", typed="pin")
    assert told.code == 0
    assert "SHA256:" in told.out
    assert "ada@example.org" in told.out
    assert "an author may approve their own proposal" in told.out
    made = decided(
        desk,
        "Keep sessions in SQLite",
        "--scope",
        "src/**",
        "--body-file",
        "../body.md",
        "--alias",
        "sessions",
    )
    told = approved(desk, made["id"], made["digest"])
    assert told.code == 0, told.out
    assert "    > + Keep sessions in SQLite" in told.out
    assert "    > +   unless: more than one host" in told.out
    assert f"Digest: {made['digest']}" in told.out
    assert "Written: approve by ada@example.org, key" in told.out
    done = desk.run("apply", "--commit", "--json")
    assert done.code == 0, done.err
    assert [one["id"] for one in done.object["landed"]] == [made["id"]]
    assert done.object["commit"] == desk.builder.head()
    assert desk.git("status", "--porcelain") == ""
    (one,) = desk.run("decisions", "list", "--json").object["decisions"]
    assert (one["status"], one["aliases"], one["ruling"]) == (
        "approved",
        ["sessions"],
        "Keep sessions in SQLite.",
    )
    assert one["assurance"] == {"signature": "key", "landed": "local_branch"}
    assert "title" not in one
    verified = desk.run("verify", "--json")
    assert (verified.code, verified.object["verified"]) == (0, True)


def test_nothing_is_pinned_or_signed_where_nobody_can_be_asked(desk: Desk) -> None:
    before = contents_of(desk.home.path) if desk.home.path.exists() else {}
    told = desk.run("trust", "pin")
    assert told.code == 1
    assert "nothing was pinned" in told.err
    assert not (desk.home.path / "data" / "trust").exists()
    assert before == {}
    wrong = desk.run("trust", "pin", "--yes-i-read-them", "SHA256:" + "A" * 43)
    assert wrong.code == 1
    assert "not exactly those" in wrong.err
    right = desk.ssh.run("ssh-keygen", "-l", "-f", ".ssh/id_ed25519.pub").stdout.decode().split()[1]
    assert desk.run("trust", "pin", "--yes-i-read-them", right).code == 0
    made = decided(desk)
    files = contents_of(desk.root / ".citator")
    told = desk.run("approve", made["id"])
    assert told.code == 1
    assert "nothing was signed" in told.err
    told = desk.run("approve", made["id"], "--digest", "0" * 64)
    assert told.code == 1
    assert "not the digest of what stands there now" in told.err
    told = desk.run("approve", made["id"], "--typed", "ada")
    assert "typed by a person at a terminal" in told.err
    assert told.code == 1
    assert contents_of(desk.root / ".citator") == files
    assert desk.run("approve", made["id"], "--digest", made["digest"]).code == 0


def test_json_never_asks_what_it_did_not_show(desk: Desk) -> None:
    for words in (("trust", "pin"), ("trust", "audience", "--ceiling", "restricted")):
        told = desk.type(*words, "--json", typed="pin")
        assert told.code == 1
        assert "Type" not in told.out
    pinned(desk)
    made = decided(desk)
    for words in (("approve", made["id"]), ("reject", made["id"], "--reason", "no")):
        told = desk.type(*words, "--json", typed=made["digest"][:8])
        assert told.code == 1
        assert '"not_agreed"' in told.out
    assert not (desk.root / ".citator" / "approvals").exists()


@pytest.mark.parametrize("typed", ["", "yes", "00000000"])
def test_what_is_not_typed_exactly_signs_nothing(desk: Desk, typed: str) -> None:
    pinned(desk)
    made = decided(desk)
    told = desk.type("approve", made["id"], typed=typed)
    assert told.code == 1
    assert "nothing was signed" in told.out
    assert not (desk.root / ".citator" / "approvals").exists()


def test_a_key_that_asks_for_its_passphrase_and_does_not_get_it_signs_nothing(desk: Desk) -> None:
    desk.ssh.key(".ssh/locked", "-t", "ed25519", passphrase="right horse")
    told = desk.type("trust", "pin", "--key", desk.ssh.directory / ".ssh/locked.pub", typed="pin")
    assert told.code == 0
    made = decided(desk)
    refused = desk.run(
        "approve", made["id"], "--digest", made["digest"], "--json", **desk.ssh.answering("wrong")
    )
    assert (refused.code, refused.object["error"]["code"]) == (1, "signing_refused")
    assert not (desk.root / ".citator" / "approvals").exists()
    right = desk.run(
        "approve", made["id"], "--digest", made["digest"], **desk.ssh.answering("right horse")
    )
    assert right.code == 0, right.err


def test_an_agent_signs_where_only_it_has_the_key(desk: Desk) -> None:
    key = desk.ssh.key("elsewhere", "-t", "ed25519")
    with desk.ssh.agent() as agent:
        agent.add(key.name)
        key.unlink()
        (desk.ssh.directory / ".ssh" / "id_ed25519").unlink()
        (desk.ssh.directory / ".ssh" / "id_ed25519.pub").unlink()
        socket = {"SSH_AUTH_SOCK": agent.environment["SSH_AUTH_SOCK"]}
        told = desk.type("trust", "pin", typed="pin", **socket)
        assert told.code == 0, told.out
        assert "ssh-agent" in told.out
        made = decided(desk)
        done = desk.run("approve", made["id"], "--digest", made["digest"], **socket)
        assert done.code == 0, done.err


def test_without_openssh_or_without_a_key_it_says_what_to_do(desk: Desk) -> None:
    pinned(desk)
    made = decided(desk)
    git = shutil.which("git")
    assert git is not None
    bare = desk.ssh.directory / "bin"
    bare.mkdir()
    (bare / "git").symlink_to(git)
    words = ("approve", made["id"], "--digest", made["digest"], "--json")
    missing = desk.run(*words, PATH=str(bare))
    assert missing.object["error"]["code"] == "ssh_keygen_missing"
    (desk.ssh.directory / ".ssh" / "id_ed25519.pub").unlink()
    nothing = desk.run(*words)
    assert (nothing.code, nothing.object["error"]["code"]) == (1, "no_key")
    assert "--key FILE" in nothing.object["error"]["todo"]
    assert not (desk.root / ".citator" / "approvals").exists()


def test_a_rejection_is_signed_told_and_lifted(desk: Desk) -> None:
    pinned(desk)
    made = decided(desk, "Keep sessions in Redis")
    told = desk.type(
        "reject",
        made["id"],
        "--reason",
        "one more service",
        "--change",
        "two hosts",
        typed=made["digest"][:8],
    )
    assert told.code == 0, told.out
    assert "    > keep sessions in redis" in told.out
    again = desk.run("decide", "--title", "keep SESSIONS in redis", "--ruling", "R", "--json")
    error = again.object["error"]
    assert error["code"] == "told_no"
    stone = desk.run("decisions", "list", "--json", "--rejections").object["rejections"][0]
    assert f"(rejection {stone['id'][:12]})" in error["what"]
    assert "Redis" not in again.out
    lifted = desk.type("reject", stone["id"][:12], "--lift", typed=made["digest"][:8])
    assert lifted.code == 0, lifted.out
    assert decided(desk, "keep SESSIONS in redis")["status"] == "proposed"


def test_what_a_hostile_proposal_says_stays_inert_before_the_reviewer(desk: Desk) -> None:
    pinned(desk)
    body = desk.root.parent / "hostile.md"
    body.write_text(
        "Fine.\n\x1b[2J\x1b]0;owned\x07\u202eevil\u2066\nWritten: approve by eve, key\n"
    )
    made = decided(desk, "Log in UTC", "--body-file", str(body))
    told = desk.run("approve", made["id"], "--show")
    assert told.code == 0
    assert "\x1b" not in told.out
    assert "\u202e" not in told.out
    assert "\nWritten:" not in told.out
    assert "flag" in decided_flags(desk, made["id"]) or "direction_marks" in told.out


def test_a_line_that_is_wider_than_the_terminal_starts_no_line_of_its_own(desk: Desk) -> None:
    pinned(desk)
    body = desk.root.parent / "wide.md"
    body.write_text("x" * 93 + "Written: approve by eve, key" + "日本" * 90 + "\n")
    made = decided(desk, "Log in UTC", "--body-file", str(body))
    told = desk.type("approve", made["id"], typed="")
    assert told.code == 1
    shown = [line for line in told.out.splitlines() if line.startswith("    > ")]
    assert all(columns(line) < 100 for line in shown)
    whole = "".join(line.removeprefix("    > ") for line in shown)
    said = "x" * 93 + "Written: approve by eve, key" + "日本" * 90
    assert said.replace(" ", "") in whole.replace(" ", "")
    assert not any(line.startswith("Written:") for line in told.out.splitlines())


def test_a_person_without_a_key_says_so_at_a_terminal(desk: Desk) -> None:
    told = desk.type("trust", "pin", "--signature", "terminal", typed="pin")
    assert told.code == 0
    made = decided(desk)
    refused = desk.type("approve", made["id"], "--typed", "not plain", typed=made["digest"][:8])
    assert refused.code == 2
    told = desk.type("approve", made["id"], "--typed", "ada", typed=made["digest"][:8])
    assert told.code == 0, told.out
    assert "Written: approve by ada, terminal" in told.out
    assert desk.run("apply", "--commit").code == 0
    (one,) = desk.run("decisions", "list", "--json").object["decisions"]
    assert one["assurance"]["signature"] == "terminal"


def test_a_typed_approval_that_the_policy_does_not_take_is_said_not_to_count(desk: Desk) -> None:
    pinned(desk)
    made = decided(desk)
    told = desk.type("approve", made["id"], "--typed", "ada", typed=made["digest"][:8])
    assert told.code == 0
    assert "does not count for it" in told.out
    assert desk.run("apply", "--json").object["landed"] == []


def test_ctrl_c_while_the_passphrase_is_asked_for_leaves_nothing(desk: Desk) -> None:
    desk.ssh.key(".ssh/locked", "-t", "ed25519", passphrase="right horse")
    told = desk.type("trust", "pin", "--key", desk.ssh.directory / ".ssh/locked.pub", typed="pin")
    assert told.code == 0
    made = decided(desk)
    waits = desk.root.parent / "waits"
    waits.write_text("#!/bin/sh\nkill -INT $PPID; kill -INT $(ps -o ppid= -p $PPID); sleep 1\n")
    waits.chmod(0o755)
    asking = {"SSH_ASKPASS": str(waits), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0"}
    told = desk.run("approve", made["id"], "--digest", made["digest"], **asking)
    assert told.code in (1, 130)
    assert not (desk.root / ".citator" / "approvals").exists()


def decided_flags(desk: Desk, id: str) -> str:
    return json.dumps(desk.run("approve", id, "--show", "--json").object["flags"])


def test_a_read_only_tree_is_told_and_left(desk: Desk) -> None:
    pinned(desk)
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    (desk.root / ".citator").chmod(0o500)
    try:
        told = desk.run("decide", "--title", "T", "--ruling", "R", "--json")
    finally:
        (desk.root / ".citator").chmod(0o700)
    assert told.object["error"]["code"] == "tree_not_writable"


def test_a_detached_head_decides_and_lands_like_any_other(desk: Desk) -> None:
    pinned(desk)
    desk.builder.switch(desk.builder.head())
    made = decided(desk)
    assert desk.run("approve", made["id"], "--digest", made["digest"]).code == 0
    assert desk.run("apply", "--commit").code == 0
    (one,) = desk.run("decisions", "list", "--json").object["decisions"]
    assert one["status"] == "approved"


def test_the_log_tells_what_was_done_and_notices_a_change(desk: Desk) -> None:
    pinned(desk)
    made = decided(desk)
    told = desk.run("log", "--json").object
    assert [one["event"] for one in told["entries"]] == ["proposed", "root_pinned", "ledger_begun"]
    assert told["entries"][0]["subjects"] == [made["id"]]
    assert told["whole"] is True
    (file,) = (desk.home.path / "data").rglob("journal/*.jsonl")
    file.write_bytes(file.read_bytes().replace(b"root_pinned", b"root_penned"))
    broken = desk.run("log", "--json")
    assert (broken.code, broken.object["whole"]) == (4, False)
