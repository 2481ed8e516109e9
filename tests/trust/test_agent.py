"""Public keys at hand: what is no key is passed over, and no private one is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citator.trust.agent import Held, distinct, in_agent, in_folder, of_file, of_line
from tests.support import keys
from tests.trust.openssh import MISSING, OpenSsh

KEY = keys.ed25519_key(3)


def test_a_line_gives_its_key_and_its_comment() -> None:
    found = of_line(KEY.text, "here")
    assert found == Held(KEY.public, "here", None, "somebody@example.org")
    assert of_line("ssh-dss AAAA", "here") is None
    assert of_line("", "here") is None


def test_a_folder_gives_its_public_halves_in_order(tmp_path: Path) -> None:
    for number, name in enumerate(("b.pub", "a.pub"), 1):
        (tmp_path / name).write_text(keys.ed25519_key(number).text)
    (tmp_path / "c.pub").mkdir()
    (tmp_path / "d.pub").write_bytes(b"\xff" * 40_000)
    assert [one.source for one in in_folder(tmp_path)] == ["a.pub", "b.pub"]
    assert in_folder(tmp_path / "none") == []


def test_a_private_key_is_known_by_what_lies_beside_it(tmp_path: Path) -> None:
    private = tmp_path / "key"
    private.write_bytes(KEY.private_text())
    assert of_file(private) is None
    (tmp_path / "key.pub").write_text(KEY.text)
    found = of_file(private)
    assert found is not None
    assert (found.key, found.file) == (KEY.public, tmp_path / "key.pub")


def test_a_key_in_two_places_is_one(tmp_path: Path) -> None:
    held = [Held(KEY.public, "file", tmp_path), Held(KEY.public, "ssh-agent")]
    assert distinct(held) == held[:1]


def test_without_an_agent_there_is_nothing(tmp_path: Path) -> None:
    program = tmp_path / "ssh-keygen"
    assert in_agent(program, {}) == []
    assert in_agent(program, {"SSH_AUTH_SOCK": "/nowhere"}) == []
    if os.name != "nt":
        broken = tmp_path / "ssh-add"
        broken.write_text("#!/bin/sh\necho 'The agent has no identities.'\nexit 1\n")
        broken.chmod(0o755)
        assert in_agent(program, {"SSH_AUTH_SOCK": "/nowhere", "PATH": os.defpath}) == []


@pytest.mark.skipif(bool(MISSING), reason=f"NOT PROVED WITH OPENSSH: no {', '.join(MISSING)}")
@pytest.mark.skipif(os.name == "nt", reason="the agent here is a POSIX one")
def test_the_real_agent_lists_what_it_holds(tmp_path: Path) -> None:
    import shutil

    ssh = OpenSsh.at(tmp_path)
    ssh.key("key", "-t", "ed25519")
    found = of_file(tmp_path / "key")
    program = shutil.which("ssh-keygen")
    assert found is not None and program is not None
    with ssh.agent() as agent:
        assert in_agent(Path(program), agent.environment) == []
        agent.add("key")
        (held,) = in_agent(Path(program), agent.environment)
        assert (held.key, held.source, held.file) == (found.key, "ssh-agent", None)
