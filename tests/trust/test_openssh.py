"""With the real OpenSSH: what it signs we accept, what we sign in tests it accepts.

Security keys are synthetic here: ``ssh-keygen`` verifies them, no hardware made them.
"""

from __future__ import annotations

import errno
import os
import select
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from citator.trust.assurance import Signature
from citator.trust.errors import SignatureRefusedError, SigningRefusedError
from citator.trust.keys import parse_public_key
from citator.trust.signatures import verify
from citator.trust.signing import find_ssh_keygen
from citator.trust.statement import NAMESPACE
from tests.support import keys
from tests.trust.openssh import MISSING, OpenSsh

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"NOT PROVED WITH OPENSSH: no {', '.join(MISSING)}"),
    pytest.mark.skipif(os.name == "nt", reason="questions are answered by shell scripts here"),
]

MESSAGE = '{"reason":"größer"}'.encode()
KINDS = {
    "ed25519": ("-t", "ed25519"),
    "p256": ("-t", "ecdsa", "-b", "256"),
    "p384": ("-t", "ecdsa", "-b", "384"),
    "p521": ("-t", "ecdsa", "-b", "521"),
    "rsa": ("-t", "rsa", "-b", "2048"),
}
OURS = keys.every_kind()


@pytest.fixture
def ssh(tmp_path: Path) -> OpenSsh:
    return OpenSsh.at(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_what_it_signs_is_accepted(ssh: OpenSsh, kind: str) -> None:
    key = ssh.key("key", *KINDS[kind])
    public = parse_public_key((ssh.directory / "key.pub").read_text())
    signed = ssh.sign(key, MESSAGE)
    assert verify(signed.armored, MESSAGE, NAMESPACE) == signed.facts
    assert signed.facts.key == public
    assert signed.facts.strength is Signature.KEY
    assert ssh.asked() == []
    printed = ssh.run("ssh-keygen", "-l", "-f", "key.pub").stdout.decode().split()
    assert printed[1] == public.fingerprint


@pytest.mark.parametrize("option", ["sha256", "sha512"])
@pytest.mark.parametrize("kind", KINDS)
def test_both_of_its_hashes_are_accepted(ssh: OpenSsh, kind: str, option: str) -> None:
    ssh.key("key", *KINDS[kind])
    made = ssh.run(
        "ssh-keygen",
        "-Y",
        "sign",
        "-O",
        f"hashalg={option}",
        "-f",
        "key",
        "-n",
        NAMESPACE,
        stdin=MESSAGE,
    )
    assert verify(made.stdout.decode(), MESSAGE, NAMESPACE).hash_name == option


@pytest.mark.parametrize("kind", OURS)
def test_what_is_signed_in_process_it_accepts_too(ssh: OpenSsh, kind: str) -> None:
    key = OURS[kind]
    for hash_name in ("sha256", "sha512"):
        armored = key.parts(MESSAGE, hash_name=hash_name).armored
        assert ssh.accepts(armored, MESSAGE, key.public.text, NAMESPACE)
        assert not ssh.accepts(armored, MESSAGE + b" ", key.public.text, NAMESPACE)
        assert not ssh.accepts(armored, MESSAGE, key.public.text, "git")


def test_it_does_not_say_whether_a_key_was_touched_and_we_do(ssh: OpenSsh) -> None:
    untouched = keys.sk_ed25519_key(flags=0)
    armored = untouched.sign(MESSAGE)
    public = f"{untouched.public.text}"
    assert ssh.accepts(armored, MESSAGE, public, NAMESPACE)
    assert verify(armored, MESSAGE, NAMESPACE).strength is Signature.KEY


def test_both_refuse_the_same_tampering(ssh: OpenSsh) -> None:
    key = keys.ed25519_key()
    right = key.parts(MESSAGE)
    assert ssh.accepts(right.armored, MESSAGE, key.public.text, NAMESPACE)
    for wrong in (
        replace(right, version=2),
        replace(right, tail=b"\0"),
        replace(right, hash_name=b"sha256"),
        replace(right, key=keys.ed25519_key(2).public.blob),
        key.parts(MESSAGE, "git"),
    ):
        assert not ssh.accepts(wrong.armored, MESSAGE, key.public.text, NAMESPACE)
        with pytest.raises(SignatureRefusedError):
            verify(wrong.armored, MESSAGE, NAMESPACE)


def test_a_passphrase_is_asked_for_where_somebody_can_answer(ssh: OpenSsh) -> None:
    key = ssh.key("key", "-t", "ed25519", passphrase="right horse")
    assert ssh.sign(key, MESSAGE, answer="right horse").facts.strength is Signature.KEY
    assert len(ssh.asked()) == 1


@pytest.mark.parametrize("answer", ["wrong horse", None])
def test_without_the_passphrase_nothing_is_signed(ssh: OpenSsh, answer: str | None) -> None:
    key = ssh.key("key", "-t", "ed25519", passphrase="right horse")
    with pytest.raises(SigningRefusedError) as caught:
        ssh.sign(key, MESSAGE, answer=answer)
    assert caught.value.code == "signing_refused"
    assert ssh.asked() != []


def test_an_agent_signs_for_a_public_key_alone(ssh: OpenSsh) -> None:
    key = ssh.key("key", "-t", "ed25519", passphrase="right horse")
    public = key.with_suffix(".pub")
    with ssh.agent() as agent:
        agent.add(key.name, answer="right horse")
        key.unlink()
        before = ssh.asked()
        signed = agent.sign(public, MESSAGE)
        assert signed.facts.key == parse_public_key(public.read_text())
        assert ssh.asked() == before
        agent.add("-D")
        with pytest.raises(SigningRefusedError) as caught:
            agent.sign(public, MESSAGE)
        assert caught.value.code == "signing_refused"


@pytest.mark.parametrize("answer", ["yes", "no", None])
def test_an_agent_that_must_confirm_signs_only_when_confirmed(
    ssh: OpenSsh, answer: str | None
) -> None:
    key = ssh.key("key", "-t", "ed25519")
    with ssh.agent(answer) as agent:
        agent.add("-c", key.name)
        key.rename(key.with_suffix(".aside"))
        if answer == "yes":
            agent.sign(key.with_suffix(".pub"), MESSAGE)
        else:
            with pytest.raises(SigningRefusedError) as caught:
                agent.sign(key.with_suffix(".pub"), MESSAGE)
            assert caught.value.code == "signing_refused"
        assert sum(line.startswith("Allow use of key") for line in ssh.asked()) == 1


def test_a_passphrase_is_typed_at_the_terminal(ssh: OpenSsh) -> None:
    key = ssh.key("key", "-t", "ed25519", passphrase="right horse")
    outcome = typed(ssh, key, "right horse")
    assert outcome.endswith("signed\r\n"), outcome
    assert "horse" not in outcome
    assert "signing_refused" in typed(ssh, key, "wrong horse")


def test_the_programs_place_is_found_on_this_machine(tmp_path: Path) -> None:
    found = find_ssh_keygen(os.environ, tmp_path, [tmp_path])
    assert found.name == "ssh-keygen"
    assert found.is_absolute()


def typed(ssh: OpenSsh, key: Path, answer: str) -> str:
    """What the terminal shows when a process signs and ``answer`` is typed at it."""
    if sys.platform == "win32":
        raise AssertionError("no pseudo-terminal")
    import pty

    program = find_ssh_keygen(os.environ, ssh.directory, [])
    script = (
        "import os, sys; from pathlib import Path; os.setsid(); os.open(os.ttyname(0), os.O_RDWR)\n"
        "from citator.trust.signing import Keygen; from citator.model.errors import CitatorError\n"
        "program, scratch, key = map(Path, sys.argv[1:])\n"
        "keygen = Keygen(program, os.environ, scratch)\n"
        "try:\n"
        f"    keygen.sign(key, {MESSAGE!r}, {NAMESPACE!r}); print('signed')\n"
        "except CitatorError as error:\n"
        "    print(error.code)\n"
    )
    main, side = pty.openpty()
    command = [sys.executable, "-c", script, str(program), str(ssh.directory), str(key)]
    environment = ssh.environment | {"DISPLAY": ":0", "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=environment):
        os.close(side)
        shown, answered = b"", False
        while chunk := _read(main):
            shown += chunk
            if b"passphrase" in shown and not answered:
                os.write(main, answer.encode() + b"\n")
                answered = True
    os.close(main)
    return shown.decode()


def _read(terminal: int) -> bytes:
    """What is shown next; nothing once the other side is gone."""
    assert select.select([terminal], [], [], 60)[0], "nothing was shown for a minute"
    try:
        return os.read(terminal, 4096)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        return b""
