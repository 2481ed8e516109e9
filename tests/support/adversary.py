"""An adversary with every tool and a shell, who wants one proposal to count as approved.

- A scene is a real repository whose record a person pinned, with a proposal in it that nobody
  approved. Scenes are built once and copied: what people sign in one copy (the control) and what
  the adversary does to another begin from the same bytes.
- The adversary acts with git, files and processes, as anybody with that shell could. The
  operator's directory is not theirs: :func:`untouched` holds them to it.
- What is asked afterwards is asked as the operator: what counts, who may approve, whose words
  travel.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from citator.model.errors import CitatorError
from citator.model.record import ItemKind, RecordStatus
from citator.model.visibility import Audience
from citator.record.approvals import Approval
from citator.record.attestations import NAMESPACE as ATTESTATION
from citator.record.attestations import Attestation
from citator.record.evaluation import Record
from citator.record.ledger import identity_file
from citator.record.migration import Migration
from citator.service.governing import Asked, governing
from citator.service.record import record_of
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.trust.assurance import Landed, Signature, Threshold
from citator.trust.pins import Pin, Pins
from citator.trust.policy import Policy, Rule
from tests.support.approving import RECORD, SOLO, TIME, Person, pin
from tests.support.builder import Builder, contents_of, environment
from tests.support.keys import ed25519_key
from tests.support.record import Ledger, creation

ADA = Person()
BOB = Person("bob", ed25519_key(2))
MALLORY = Person("mallory", ed25519_key(66))
MARK = "zqxselfapprovedxqz"
TITLE = f"Store the {MARK} password in the lobby"
APPROVED = "Keep the lobby closed at night"
KNOWN = "why do we keep the lobby closed at night?"
QUESTION = f"where do we store the {MARK} password in the lobby?"


@dataclass
class Scene:
    """One copy of a scene: ``builder`` its repository, ``places`` the operator's directories.

    ``proposal`` (of ``item``) is what the adversary wants approved; ``made`` holds what people
    landed; ``kept`` are ids of items that people approved and that must stay so.
    """

    folder: Path
    item: str
    proposal: Migration
    made: Ledger
    policy: Policy = SOLO
    people: tuple[Person, ...] = (ADA,)
    kept: tuple[str, ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The working tree."""
        return self.folder / "repo"

    @property
    def builder(self) -> Builder:
        """The repository."""
        return Builder(self.path)

    @property
    def places(self) -> Places:
        """The operator's directories."""
        home = self.folder / "operator"
        return Places(home / "data", home / "config", lambda size: b"k" * size)

    def copy(self, folder: Path) -> Scene:
        """The same bytes elsewhere."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return replace(self, folder=folder, notes=dict(self.notes))

    def workspace(self) -> Workspace:
        """As the operator opens it."""
        return Workspace.open(self.path, self.places)

    def pin(self, made: Pin) -> None:
        """Pin a root, as the operator, for this repository alone."""
        bound = replace(made, repositories=(self.workspace().repository_id,), places=())
        Pins(Layout(self.places.data)).write(bound)

    def attest(self, who: Person, **changes: Any) -> None:
        """Attest what HEAD has, and commit that."""
        parts = {
            "record": RECORD,
            "commit": self.git("rev-parse", "HEAD"),
            "state": "0" * 64,
            "policy": CHECKED.digest,
            "time": TIME,
            **changes,
        }
        said = Attestation(**parts)
        signature = who.key.sign(said.to_bytes(), ATTESTATION)
        self.write(f"attestations/{who.label}-{parts['commit']}.yaml", said.render(signature))
        self.commit("Attest")

    # -- acts on the working tree, by whoever

    def git(self, *args: str, env: Mapping[str, str] = {}, check: bool = True) -> str:
        """Run git as anybody would."""
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "Mallory"), ("EMAIL", "mallory@example.org"))
        }
        done = subprocess.run(
            ["git", "-c", "commit.gpgSign=false", *args],
            cwd=self.path,
            env=environment(**{**who, **env}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0 or not check, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8", "replace").strip()

    def write(self, path: str, content: bytes | str) -> Path:
        """Write a file below ``.citator``."""
        place = self.path / ".citator" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    def approve(self, *approvals: Approval) -> None:
        """Write approval files."""
        for one in approvals:
            raw = one.render()
            self.write(f"approvals/{hashlib.sha256(raw).hexdigest()[:24]}.yaml", raw)

    def land(self, *migrations: Migration) -> None:
        """Put migrations among the landed ones, in the place of their proposals."""
        for one in migrations:
            (self.path / ".citator/proposals" / one.file_name()).unlink(missing_ok=True)
            self.write(f"record/{one.file_name()}", one.render())

    def commit(self, message: str = "Tidy up", **env: str) -> str:
        """Commit everything there is."""
        self.git("add", "-A", "-f", ".")
        self.git("commit", "-q", "--allow-empty", "-m", message, env=env)
        return self.git("rev-parse", "HEAD")

    def take(self, *approvals: Approval, landing: Migration | None = None) -> str:
        """Land the proposal (or ``landing``) with these approvals, and commit."""
        self.land(landing or self.proposal)
        self.approve(*approvals)
        return self.commit()


@dataclass(frozen=True)
class Outcome:
    """What the operator is told. ``stopped`` is the code of what ended all serving, if anything."""

    approved: bool
    words: bool
    effective: frozenset[str] = frozenset()
    approvers: frozenset[str] = frozenset()
    kept: bool = True
    stopped: str = ""
    record: Record | None = None


def outcome(scene: Scene) -> Outcome:
    """Ask as the operator."""
    words = MARK in told(scene)
    try:
        record = record_of(scene.workspace())
    except CitatorError as error:
        return Outcome(False, words, stopped=error.code)
    items = record.state.items
    return Outcome(
        approved=_stands(record, scene.item) or any(_marked(record)),
        words=words,
        effective=frozenset(one.id for one in record.effective),
        approvers=frozenset(record.approvers.values()),
        kept=all(one in items and _stands(record, one) for one in scene.kept),
        record=record,
    )


def _stands(record: Record, item: str) -> bool:
    found = record.state.items.get(item)
    return found is not None and found.status is RecordStatus.APPROVED


def _marked(record: Record) -> Iterator[bool]:
    for item in record.state.items.values():
        current = item.current
        yield item.status is RecordStatus.APPROVED and MARK in (current.title if current else "")


def told(scene: Scene) -> str:
    """The words that questions bring, about the proposal and about what people had approved,
    without their being asked for."""
    rows = []
    for question in (QUESTION, KNOWN):
        try:
            said = governing(scene.workspace(), Audience(), Asked(question, limit=20))
        except CitatorError as error:
            return error.what
        rows += [(one.ruling, one.status.value) for one in said.decisions]
    return json.dumps(rows)


@contextmanager
def untouched(folder: Path) -> Iterator[None]:
    """Hold whoever acts inside to leaving ``folder`` as it is."""
    before = contents_of(folder)
    yield
    assert contents_of(folder) == before, "the adversary wrote into the operator's directory"


# -- scenes


def _begun(folder: Path) -> tuple[Scene, Builder]:
    builder = Builder.init(folder / "repo")
    builder.write("src/door.py", "OPEN = False\n")
    builder.commit("Close the door\n\nBecause the lobby was open all night and people walked in.")
    scene = Scene(folder, "", Migration("", "", "", (), ""), Ledger())
    for one in (scene.places.data, scene.places.config):
        one.mkdir(parents=True, mode=0o700)
    (folder / "operator").chmod(0o700)
    scene.write("ledger.yaml", identity_file(RECORD))
    return scene, builder


def _proposed(scene: Scene, **settings: Any) -> None:
    """The adversary proposes, which anybody may."""
    scene.item = scene.made.id()
    operations = creation(scene.item, TITLE, {"labels": [], **settings})
    scene.proposal = scene.made.make(*operations, body=f"Because {MARK}.\n", author="Mallory")
    scene.write(f"proposals/{scene.proposal.file_name()}", scene.proposal.render())
    scene.commit("Propose something")


def solo(folder: Path, **settings: Any) -> Scene:
    """One maintainer with a key, one approved decision, one proposal."""
    scene, _ = _begun(folder)
    scene.pin(pin(ADA))
    item = scene.made.decide(APPROVED)
    scene.land(*scene.made.migrations)
    scene.approve(ADA.says(scene.made.migrations[0]))
    scene.commit("Land a decision")
    scene.kept = (item,)
    _proposed(scene, **settings)
    return scene


def _keys(*people: Person) -> list[dict[str, Any]]:
    return [{"label": one.label, "key": one.key.public.text} for one in people]


def delegated(folder: Path) -> Scene:
    """The maintainer let Bob approve; Bob is no root."""
    scene = solo(folder)
    rule = scene.made.add({"op": "set_approvers", "approvers": _keys(ADA, BOB)})
    scene.land(rule)
    scene.approve(ADA.says(rule))
    scene.commit("Let Bob approve")
    scene.notes["rule"] = rule
    return scene


def departed(folder: Path) -> Scene:
    """Bob approved a decision, and then the maintainer took his key out. The adversary has it."""
    scene = delegated(folder)
    item = scene.made.decide("Keep the keys at the desk")
    scene.land(scene.made.migrations[-1])
    scene.approve(BOB.says(scene.made.migrations[-1]))
    scene.notes["before"] = scene.commit("Land what Bob approved")
    removal = scene.made.add(
        {"op": "set_approvers", "approvers": _keys(ADA)}, loosens=["change_approvers"]
    )
    scene.land(removal)
    scene.approve(ADA.says(removal))
    scene.notes["removal"] = removal
    scene.notes["removed"] = scene.commit("Bob left")
    scene.kept = (*scene.kept, item)
    return scene


GUARDED = Policy(
    "main",
    author_may_approve=True,
    rules=(Rule(Threshold(Signature.KEY, 2), kind=ItemKind.SECURITY),),
)


def guarded(folder: Path) -> Scene:
    """Two people have to approve what is about security; one of them did."""
    scene = solo(folder, kind="security")
    scene.pin(pin(ADA, BOB, policy=GUARDED))
    scene.approve(ADA.says(scene.made.migrations[0], policy=GUARDED.digest))
    scene.approve(ADA.says(scene.proposal, policy=GUARDED.digest))
    scene.commit("Approve it, as one of two")
    return scene


TYPED = Policy("main", author_may_approve=True, floor=Threshold(Signature.TERMINAL))


def tightened(folder: Path) -> Scene:
    """Typing was enough once; then the root asked for a key."""
    scene = solo(folder)
    scene.pin(pin(ADA, policy=TYPED))
    scene.approve(ADA.says(scene.made.migrations[0], policy=TYPED.digest))
    scene.notes["before"] = scene.commit("Approve it under the policy that holds")
    rule = scene.made.add({"op": "set_policy", "policy": SOLO.to_dict()})
    scene.land(rule)
    scene.approve(ADA.says(rule, policy=TYPED.digest))
    scene.notes["removed"] = scene.commit("Ask for a key from now on")
    return scene


CI = Person("ci", ed25519_key(7))
CHECKED = Policy("main", author_may_approve=True, floor=Threshold(landed=Landed.VERIFIED_BY_CI))


def attested(folder: Path) -> Scene:
    """The person signed and landed it; the policy also wants CI to have verified it."""
    scene = solo(folder)
    scene.pin(replace(pin(ADA, policy=CHECKED), verifiers=(CI.approver,)))
    scene.approve(ADA.says(scene.made.migrations[0], policy=CHECKED.digest))
    scene.commit("Approve it under the policy that holds")
    scene.attest(CI)
    scene.land(scene.proposal)
    scene.approve(ADA.says(scene.proposal, policy=CHECKED.digest))
    scene.commit("Land it")
    return scene


def retired(folder: Path) -> Scene:
    """The maintainer approved the proposal, and later retired it: that is what is to be undone."""
    scene = solo(folder)
    scene.take(ADA.says(scene.proposal))
    scene.made.migrations.append(scene.proposal)
    gone = scene.made.add(
        {"op": "deprecate_item", "item": scene.item, "reason": "somebody walked in"}
    )
    scene.take(ADA.says(gone), landing=gone)
    return scene
