"""What a shell gets that can write the operator's directory or use the person's key: it succeeds.

No software on one account prevents this, and nobody is to mistake it. The page
``docs/explanation/approval.md`` holds the table; each row is done here, and has exactly its
outcome.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.record.approvals import Approval
from citator.service.governing import Asked, governing
from citator.store.layout import Layout
from citator.store.seal import contents, sealed
from citator.trust.assurance import Signature, Threshold
from citator.trust.grants import Grants
from citator.trust.pins import Pins
from citator.trust.policy import Policy
from tests.support.adversary import (
    ADA,
    BOB,
    MALLORY,
    MARK,
    QUESTION,
    TITLE,
    Scene,
    delegated,
    departed,
    outcome,
    solo,
    told,
)
from tests.support.approving import SOLO, TEAM, Person, pin
from tests.support.keys import sk_ed25519_key
from tests.support.record import creation
from tests.support.shells import Shell
from tests.trust.openssh import MISSING, OpenSsh

PAGE = Path(__file__).parents[2] / "docs/explanation/approval.md"
TYPED = Policy("main", author_may_approve=True, floor=Threshold(Signature.TERMINAL))
needs_openssh = pytest.mark.skipif(
    bool(MISSING) or sys.platform == "win32",
    reason="NOT PROVED: no OpenSSH here, so no command signed anything",
)


def said(scene: Scene) -> str:
    """The outcome in the words of the page."""
    found = outcome(scene)
    if not found.approved:
        return "not approved, but its words travel" if found.words else "not approved"
    assert found.record is not None
    return f"approved at `{found.record.assurance_of(scene.proposal.id).signature.value}`"


def write_a_pin(scene: Scene, folder: Path) -> str:
    (path,) = (scene.places.data / "trust/pins").iterdir()
    path.write_bytes(path.read_bytes().replace(*_their_keys()))
    scene.take(MALLORY.says(scene.proposal))
    return said(scene)


def _their_keys() -> tuple[bytes, bytes]:
    return ADA.key.public.text.encode(), MALLORY.key.public.text.encode()


def run_trust_pin(scene: Scene, folder: Path) -> str:
    shell = replace(Shell.of(scene, "mallory", MALLORY.key), data=scene.places.data)
    named = ("--yes-i-read-them", MALLORY.key.public.fingerprint)
    assert shell.run("trust", "pin", *named).code == 0
    words = ("approve", scene.proposal.id, "--digest", scene.proposal.digest)
    assert shell.run(*words).code == 0
    assert shell.run("apply", "--commit").code == 0
    return said(scene)


def use_a_key_without_passphrase(scene: Scene, folder: Path) -> str:
    shell = Shell.of(scene, "mallory", ADA.key)
    words = ("approve", scene.proposal.id, "--digest", scene.proposal.digest)
    assert shell.run(*words).code == 0
    assert shell.run("apply", "--commit").code == 0
    return said(scene)


def use_an_unlocked_agent(scene: Scene, folder: Path) -> str:
    shell = Shell.of(scene, "mallory")
    folder.mkdir()
    openssh = OpenSsh.at(folder)
    key = folder / "ada"
    key.write_bytes(ADA.key.private_text())
    key.chmod(0o600)
    words = ("approve", scene.proposal.id, "--digest", scene.proposal.digest)
    with openssh.agent() as agent:
        agent.add(str(key))
        key.unlink()
        socket = {"SSH_AUTH_SOCK": agent.environment["SSH_AUTH_SOCK"]}
        done = shell.run(*words, **socket)
    assert done.code == 0, done.err
    assert openssh.asked() == []
    assert shell.run("apply", "--commit").code == 0
    return said(scene)


def type_where_typing_is_enough(scene: Scene, folder: Path) -> str:
    """Not even the directory is needed: the policy that a person pinned asks for no key."""
    scene.pin(pin(ADA, policy=TYPED))
    statement = ADA.says(scene.proposal, policy=TYPED.digest).statement
    scene.take(Approval(statement, typed_by="ada"))
    listed = Shell.of(scene, "reader").run("decisions", "list", "--json")
    assert scene.item in listed.out
    assert MARK not in told(scene) + listed.out
    return said(scene)


def delete_what_is_remembered(scene: Scene, folder: Path) -> str:
    outcome(scene)
    (path,) = (scene.places.data / "trust").glob("remembered-*.json")
    path.unlink()
    scene.git("reset", "-q", "--hard", scene.notes["before"])
    scene.take(BOB.says(scene.proposal))
    return said(scene)


def write_history_before_it_was_seen(scene: Scene, folder: Path) -> str:
    """Not even the directory is needed: this machine has never seen the removal."""
    assert not list((scene.places.data / "trust").glob("remembered-*.json"))
    scene.git("reset", "-q", "--hard", scene.notes["before"])
    scene.take(BOB.says(scene.proposal))
    scene.git("cherry-pick", "--allow-empty", scene.notes["removed"])
    return said(scene)


def grant_oneself_drafts(scene: Scene, folder: Path) -> str:
    """What is unapproved is then shown, as what it is."""
    Grants(Layout(scene.places.data)).write(Audience(Sensitivity.INTERNAL, unapproved=True))
    served = Grants(Layout(scene.places.data)).relied_on()
    found = governing(scene.workspace(), served, Asked(QUESTION)).decisions
    shown = [(one.item, one.status.value, one.ruling) for one in found]
    assert (scene.item, "proposed", None) in shown
    return f"{said(scene)}; shown as `proposed`, without its words"


def seal_a_forged_view(scene: Scene, folder: Path) -> str:
    scene.take(MALLORY.says(scene.proposal))
    told(scene)
    secret = (scene.places.data / "secret").read_bytes()
    file = f"record/{scene.proposal.file_name()}"
    paths = [f"approvals/{one.name}" for one in (scene.path / ".citator/approvals").iterdir()]
    by_mallory = [one for one in paths if _of(scene, one)]
    for kept in (scene.workspace().place.derived / "record/views").glob("*.json"):
        values = json.loads(contents(kept.read_bytes()))
        for revision in values["proofs"]:
            values["proofs"][revision] = [scene.proposal.digest, file, by_mallory]
        forged = json.dumps(values).encode()
        kept.write_bytes(sealed(secret, f"view {kept.stem}", forged))
    return said(scene)


def _of(scene: Scene, path: str) -> bool:
    return scene.proposal.id.encode() in (scene.path / ".citator" / path).read_bytes()


def claim_a_touch(scene: Scene, folder: Path) -> str:
    """A key that only says that it lives in hardware, pinned by whoever made it."""
    software = Person("mallory", sk_ed25519_key(66))
    scene.pin(pin(software))
    scene.take(software.says(scene.proposal))
    return said(scene)


def write_under_another_name(scene: Scene, folder: Path) -> str:
    """An approver proposes as somebody else and approves it. It takes a pinned key."""
    scene.pin(pin(ADA, BOB, policy=TEAM))
    operations = creation(scene.item, TITLE, {})
    own = scene.made.make(*operations, author="Zed <zed@example.org>", body=f"{MARK}\n")
    scene.proposal = own
    scene.take(BOB.says(own, policy=TEAM.digest), landing=own)
    return said(scene)


def ask_from_a_directory_of_ones_own(scene: Scene, folder: Path) -> str:
    mine = replace(scene, folder=folder)
    shutil.copytree(scene.folder, folder, symlinks=True)
    Pins(Layout(mine.places.data)).write(pin(MALLORY))
    shutil.rmtree(mine.path)
    scene.take(MALLORY.says(scene.proposal))
    mine.path.symlink_to(scene.path)
    assert outcome(mine).approved
    return f"{said(scene)}; whoever asks from there is told that it is"


ROWS: dict[str, tuple[Callable[[Path], Scene], Callable[[Scene, Path], str]]] = {
    "write_a_pin": (solo, write_a_pin),
    "run_trust_pin": (solo, run_trust_pin),
    "use_a_key_without_passphrase": (solo, use_a_key_without_passphrase),
    "use_an_unlocked_agent": (solo, use_an_unlocked_agent),
    "type_where_typing_is_enough": (solo, type_where_typing_is_enough),
    "delete_what_is_remembered": (departed, delete_what_is_remembered),
    "write_history_before_it_was_seen": (departed, write_history_before_it_was_seen),
    "grant_oneself_drafts": (solo, grant_oneself_drafts),
    "seal_a_forged_view": (solo, seal_a_forged_view),
    "claim_a_touch": (solo, claim_a_touch),
    "write_under_another_name": (delegated, write_under_another_name),
    "ask_from_a_directory_of_ones_own": (solo, ask_from_a_directory_of_ones_own),
}
COMMANDS = {"run_trust_pin", "use_a_key_without_passphrase", "use_an_unlocked_agent"}


def table() -> dict[str, str]:
    """The rows of the page: what is done, and what it gets."""
    rows = re.findall(r"^\| `([a-z_]+)` \|[^|]*\| ([^|]*?) \|$", PAGE.read_text("utf-8"), re.M)
    return dict(rows)


def test_the_page_has_a_row_for_each_and_no_other() -> None:
    assert list(table()) == list(ROWS)


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=needs_openssh if one in COMMANDS else ()) for one in ROWS],
)
def test_it_gets_exactly_what_the_page_says(name: str, tmp_path: Path) -> None:
    build, act = ROWS[name]
    scene = build(tmp_path / "scene")
    assert name == "write_history_before_it_was_seen" or said(scene) == "not approved"
    assert SOLO.floor.signature is Signature.KEY

    assert act(scene, tmp_path / "own") == table()[name]
