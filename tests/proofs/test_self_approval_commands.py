"""The same adversary with our own commands, a terminal of their own, and programs of their own.

The commands need the pins to be read and a journal to be written; the adversary may read the
operator's directory and works on a copy of it. What the operator is told afterwards counts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from citator.record.migration import parse
from tests.service.test_import_theurian import Theirs, created
from tests.support.adversary import (
    ADA,
    MALLORY,
    MARK,
    TITLE,
    Scene,
    outcome,
    retired,
    solo,
    untouched,
)
from tests.support.shells import Shell, digest_question

pytestmark = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None or sys.platform == "win32",
    reason="NOT PROVED: no ssh-keygen or no pty here, so no command signed anything",
)


def land_by_hand(scene: Scene) -> None:
    """Whatever the commands refused: the files can be put where they would be."""
    for path in sorted((scene.path / ".citator/proposals").glob("*.md")):
        scene.land(parse(path.read_bytes()))
    scene.commit()


# -- the control


def test_the_person_s_own_commands_approve(tmp_path: Path) -> None:
    scene = solo(tmp_path / "scene")
    ada = Shell(scene, Shell.of(scene, "ada", ADA.key).home, scene.places.data)

    asked = ada.typing("approve", scene.proposal.id, answers=[digest_question(scene)])
    landed = ada.run("apply", "--commit")

    assert asked.code == 0, asked.text
    assert TITLE in asked.text
    assert landed.code == 0, landed.err
    after = outcome(scene)
    assert (after.approved, after.words, after.kept) == (True, True, True)


# -- the attacks


def by_typing_at_a_terminal(scene: Scene, mallory: Shell) -> None:
    """Where a key is asked for, a typed approval is written as what it is, and does not count."""
    answers = [digest_question(scene)]
    shown = mallory.typing("approve", scene.proposal.id, "--typed", "ada", answers=answers)
    assert shown.code == 0, shown.text
    assert "weaker than the policy asks for" in shown.text
    applied = mallory.run("apply", "--commit")
    assert "Landed:" not in applied.out


def by_answering_for_the_person(scene: Scene, mallory: Shell) -> None:
    """A terminal of their own and a key of their own: it is not one that may approve."""
    (mallory.home / ".ssh/id_ed25519").write_bytes(MALLORY.key.private_text())
    (mallory.home / ".ssh/id_ed25519.pub").write_text(MALLORY.key.text)
    shown = mallory.typing("approve", scene.proposal.id, answers=[digest_question(scene)])
    assert shown.code == 1
    assert "none of your keys may approve" in shown.text


def _encrypted(mallory: Shell) -> Path:
    key = mallory.home / ".ssh/id_ed25519"
    key.write_bytes(ADA.key.private_text())
    key.chmod(0o600)
    words = ("ssh-keygen", "-q", "-p", "-P", "", "-N", "correct horse", "-f", str(key))
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    key.with_suffix(".pub").write_text(ADA.key.text)
    return key


def by_guessing_a_passphrase(scene: Scene, mallory: Shell) -> None:
    _encrypted(mallory)
    guesses = [("passphrase", guess) for guess in ("", "ada", "password")]
    shown = mallory.typing("approve", scene.proposal.id, answers=[digest_question(scene), *guesses])
    assert shown.code == 1, shown.text
    assert "ssh-keygen did not sign" in shown.text


def by_naming_the_digest_without_a_terminal(scene: Scene, mallory: Shell) -> None:
    _encrypted(mallory)
    done = mallory.run("approve", scene.proposal.id, "--digest", scene.proposal.digest)
    assert done.code == 1
    assert "ssh-keygen did not sign" in done.err


def by_an_ssh_keygen_of_the_repository(scene: Scene, mallory: Shell) -> None:
    """It is first on PATH and in the repository: it is passed over."""
    _encrypted(mallory)
    ran = _fake_keygen(scene.path / "tools", scene)
    path = f"{scene.path / 'tools'}{os.pathsep}{os.environ['PATH']}"
    words = ("approve", scene.proposal.id, "--digest", scene.proposal.digest)
    assert mallory.run(*words, PATH=path).code == 1
    assert not ran.exists()


def by_an_ssh_keygen_of_their_own(scene: Scene, mallory: Shell) -> None:
    """It is outside the repository and is run: what it makes up is verified, and refused."""
    _encrypted(mallory)
    ran = _fake_keygen(mallory.home / "bin", scene)
    path = f"{mallory.home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = mallory.run("approve", scene.proposal.id, "--digest", scene.proposal.digest, PATH=path)
    assert ran.exists()
    assert done.code == 1
    assert "does not count" in done.err


def _fake_keygen(folder: Path, scene: Scene) -> Path:
    """A program that answers with a signature that the person gave to something else."""
    folder.mkdir()
    borrowed = folder / "borrowed"
    borrowed.write_text(ADA.says(scene.made.migrations[0]).signature or "")
    ran = folder / "ran"
    program = folder / "ssh-keygen"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\ncp '{borrowed}' statement.sig\n")
    program.chmod(0o755)
    return ran


def by_a_data_directory_of_their_own(scene: Scene, mallory: Shell) -> None:
    """Their own command believes their own pin. Nobody else's does."""
    (mallory.home / ".ssh/id_ed25519").write_bytes(MALLORY.key.private_text())
    (mallory.home / ".ssh/id_ed25519").chmod(0o600)
    (mallory.home / ".ssh/id_ed25519.pub").write_text(MALLORY.key.text)
    named = ("--yes-i-read-them", MALLORY.key.public.fingerprint)
    assert mallory.run("trust", "pin", *named).code == 0
    words = ("approve", scene.proposal.id, "--digest", scene.proposal.digest)
    assert mallory.run(*words).code == 0
    assert mallory.run("apply", "--commit").code == 0
    listed = mallory.run("decisions", "list", "--json")
    assert '"approved"' in listed.out, listed.err


def by_applying_what_nobody_signed(scene: Scene, mallory: Shell) -> None:
    done = mallory.run("apply", "--commit")
    assert "Landed:" not in done.out
    mallory.run("apply", scene.proposal.id, "--commit")


def by_importing_an_accepted_record(scene: Scene, mallory: Shell) -> None:
    folder = scene.path / "docs/adr"
    folder.mkdir(parents=True)
    (folder / "0001-lobby.md").write_text(
        f"# 1. {TITLE}\n\nDate: 2026-01-01\n\n## Status\n\nAccepted by Ada\n\n"
        f"## Context\n\nThe {MARK} door.\n\n## Decision\n\nYes.\n\n## Consequences\n\nNone.\n"
    )
    done = mallory.run("import", "adr", "docs/adr", "--author", "Ada <ada@example.org>")
    assert done.code == 0, done.err
    assert _proposals(scene) == 2


def by_importing_a_bundle_that_says_approved(scene: Scene, mallory: Shell) -> None:
    folder = scene.folder / "bundle"
    folder.mkdir()
    (folder / "index.md").write_text('---\nokf_version: "0.2"\n---\n\n# All\n')
    (folder / "lobby.md").write_text(
        f"---\ntype: Decision\ntitle: {TITLE}\nstatus: approved\ntrust: reviewed\n"
        'approved: true\nverified: { by: "human:ada", at: 2026-01-01T09:00:00Z }\n'
        f"---\n\nThe {MARK} door.\n"
    )
    done = mallory.run("import", "okf", str(folder), "--owner", "ada")
    assert done.code == 0, done.err
    assert _proposals(scene) == 2


def by_importing_an_approved_theurian_record(scene: Scene, mallory: Shell) -> None:
    folder = scene.folder / "theirs/.theurian"
    (folder / "migrations").mkdir(parents=True)
    theirs = Theirs(folder)
    approved = theirs.text("domain.lobby", f"The {MARK} door.\n", title=TITLE)
    assert approved["metadata"]["status"] == "approved"
    approved["metadata"]["trustLevel"] = "authoritative"
    theirs.migrate(created("domain.lobby"), approved)
    mallory.run("import", "theurian", str(folder.parent))
    approved["metadata"]["trustLevel"] = "reviewed"
    done = mallory.run("import", "theurian", str(folder.parent))
    assert done.code == 0, done.err
    assert _proposals(scene) >= 2


def _proposals(scene: Scene) -> int:
    return len(list((scene.path / ".citator/proposals").glob("*.md")))


def by_pinning_at_a_pipe(scene: Scene, mallory: Shell) -> None:
    """Without a terminal and without the fingerprints nothing is pinned, even in their copy."""
    (mallory.home / ".ssh/id_ed25519.pub").write_text(MALLORY.key.text)
    assert mallory.run("trust", "pin").code == 1
    assert mallory.run("trust", "pin", "--yes-i-read-them", "SHA256:x").code == 1


ATTACKS: list[Callable[[Scene, Shell], None]] = [
    by_typing_at_a_terminal,
    by_answering_for_the_person,
    by_guessing_a_passphrase,
    by_naming_the_digest_without_a_terminal,
    by_an_ssh_keygen_of_the_repository,
    by_an_ssh_keygen_of_their_own,
    by_a_data_directory_of_their_own,
    by_applying_what_nobody_signed,
    by_importing_an_accepted_record,
    by_importing_a_bundle_that_says_approved,
    by_importing_an_approved_theurian_record,
    by_pinning_at_a_pipe,
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: one.__name__)
def test_no_command_approves_for_somebody_else(
    attack: Callable[[Scene, Shell], None], tmp_path: Path
) -> None:
    scene = solo(tmp_path / "scene")
    mallory = Shell.of(scene, "mallory")
    with untouched(scene.places.data.parent):
        attack(scene, mallory)
        land_by_hand(scene)

    after = outcome(scene)
    assert not after.approved
    assert not after.words
    assert after.approvers == {"ada"}
    assert after.kept


def test_a_retired_decision_is_restored_by_no_command(tmp_path: Path) -> None:
    scene = retired(tmp_path / "scene")
    mallory = Shell.of(scene, "mallory")
    with untouched(scene.places.data.parent):
        done = mallory.run("decisions", "restore", scene.item, "--because", "we want it back")
        assert done.code == 0, done.err
        mallory.run("apply", "--commit")
        land_by_hand(scene)

    after = outcome(scene)
    assert (after.approved, after.words) == (False, False)
