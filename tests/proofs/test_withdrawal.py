"""Withdrawal: what was taken back is in no term, no stored text and no file of anything derived.

Proved by enumerating every retained partition and view, for every audience that had asked before,
whoever asks next, and after a process that died in the middle; beside the proof that each of them
did hold it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from citator.index import partition_store
from citator.index.partition_store import Partitions
from citator.model.record import Sensitivity
from citator.model.visibility import Audience
from citator.record.approvals import Approval
from citator.service import hooks_table, kept_views
from citator.service.governing import Asked, governing
from citator.service.proposing import Moment
from citator.service.read_evidence import read_evidence
from citator.service.record_view import view_of
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.store.seal import contents
from citator.trust.ledgers import SecondLedgers
from citator.trust.pins import Pins
from tests.support.approving import Person, files, pin
from tests.support.builder import Builder
from tests.support.record import Ledger

ADA = Person()
EVERYONE = Audience()
UNAPPROVED = Audience(unapproved=True)
INSIDERS = Audience(Sensitivity.RESTRICTED, unapproved=True)
SECRET = "zeppelin"
TEXT = f"Moor the {SECRET} at dusk"


@dataclass
class Clone:
    """A repository whose record holds the text, and the audiences that have asked."""

    builder: Builder
    places: Places
    ledger: Ledger
    item: str
    rejections: list[Approval]

    @property
    def workspace(self) -> Workspace:
        return Workspace.open(self.builder.path, self.places)

    @property
    def derived(self) -> Path:
        return self.workspace.place.derived

    def land(self) -> None:
        """Commit the ledger as it is."""
        approvals = [ADA.says(one) for one in self.ledger.migrations] + self.rejections
        for one in files(self.ledger.migrations, approvals=approvals):
            assert one.content is not None
            self.builder.write(f".citator/{one.path}", one.content)
        self.builder.commit("Land")

    def ask(self, audience: Audience, at: str | None = None) -> bool:
        """Whether an audience finds it."""
        found = governing(self.workspace, audience, Asked(SECRET, at=at))
        return bool(found.decisions)

    def held(self) -> set[str]:
        """Where anything derived still holds the text, in terms, texts or bytes."""
        partitions = Partitions(self.derived / "record" / "partitions")
        found = set()
        for name in partitions.kept():
            partition = partitions.open(name)
            assert partition is not None
            with closing(partition):
                terms = [term for term in partition.terms() if SECRET[:6] in term]
                pairs = [pair for pair in partition.pairs() if SECRET[:6] in "".join(pair)]
                texts = [one for one in partition.all() if SECRET in one.text + one.title]
                if terms or pairs or texts:
                    found.add("partition")
        for path in self.derived.rglob("*"):
            if path.is_file() and SECRET.encode() in path.read_bytes():
                found.add(path.name)
        return found


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    places = Places(tmp_path / "data", tmp_path / "config", lambda size: b"k" * size)
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA))
    ledger = Ledger()
    ledger.decide("Keep sessions in SQLite", paths=["src/**"])
    item = ledger.decide(TEXT, paths=["hangar/**"], body="The wind drops then.\n")
    builder = Builder.init(tmp_path / "repo")
    builder.commit("Begin")
    made = Clone(builder, places, ledger, item, [])
    made.land()
    before = builder.head()
    builder.commit("Go on")
    for audience in (EVERYONE, UNAPPROVED, INSIDERS):
        assert made.ask(audience) and made.ask(audience, before)
    builder.write("hangar/mast.py", "HEIGHT = 9\n")
    builder.commit("Measure the mast")
    hooks_table.refresh(made.workspace, Moment(1_796_000_000_000, lambda size: b"e" * size))
    assert any(name.endswith(".sqlite") for name in made.held())
    assert {"partition", partition_store.FILE} <= made.held()
    return made


def deprecate(clone: Clone) -> None:
    clone.ledger.add({"op": "deprecate_item", "item": clone.item, "reason": "over"})


def supersede(clone: Clone) -> None:
    by = clone.ledger.decide("Use a mast")
    relation = {"op": "add_relation", "source": by, "type": "supersedes", "target": clone.item}
    clone.ledger.add(relation)


def restrict(clone: Clone) -> None:
    raised = {"op": "change_sensitivity", "item": clone.item, "sensitivity": "restricted"}
    clone.ledger.add({**raised, "reason": "it names the place"})


def reject(clone: Clone) -> None:
    clone.rejections.append(ADA.rejects(clone.ledger.migrations[1], "moor at dusk"))


WAYS = (deprecate, supersede, restrict, reject)


@pytest.mark.parametrize("asker", [EVERYONE, INSIDERS], ids=["the same", "another"])
@pytest.mark.parametrize("way", WAYS)
def test_nothing_derived_holds_what_was_withdrawn(
    clone: Clone, way: Callable[[Clone], None], asker: Audience
) -> None:
    way(clone)
    clone.land()

    assert clone.ask(asker) is (way is restrict and asker is INSIDERS)

    if way is restrict:  # those who may see it still hold it, and nobody else does
        kept = [one.read_bytes() for one in (clone.derived / "record" / "views").glob("*.json")]
        asked = [json.loads(contents(one))["audience"] for one in kept if SECRET.encode() in one]
        assert {one["ceiling"] for one in asked} == {"restricted"}
    else:
        assert clone.held() == set()
    assert not clone.ask(EVERYONE)


@pytest.mark.parametrize("step", ["unlink", "retire", "keep"])
def test_a_process_that_dies_in_the_middle_leaves_nothing_for_the_next(
    clone: Clone, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    deprecate(clone)
    clone.land()

    class Killed(BaseException):
        pass

    def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        where = {
            "unlink": (Path, "unlink"),
            "retire": (kept_views, "retire"),
            "keep": (kept_views, "keep"),
        }
        patched.setattr(*where[step], die)
        with pytest.raises(Killed):
            clone.ask(EVERYONE)

    assert not clone.ask(UNAPPROVED)
    assert clone.held() == set()


def test_a_view_that_cannot_be_read_does_not_stop_a_withdrawal(clone: Clone) -> None:
    (clone.derived / "record" / "views" / "zz.json").write_bytes(b"\xff{")
    deprecate(clone)
    clone.land()

    assert not clone.ask(EVERYONE)
    assert clone.held() == set()


def test_a_draft_that_was_deleted_is_gone_too(clone: Clone) -> None:
    made = Ledger(list(clone.ledger.migrations), 500)
    made.decide(f"Paint the {SECRET} red", draft=True)
    draft = made.migrations[-1]
    deprecate(clone)
    clone.builder.write(f".citator/proposals/{draft.file_name()}", draft.render())
    clone.land()
    assert not clone.ask(EVERYONE) and clone.ask(UNAPPROVED)
    assert "partition" in clone.held()
    clone.builder.remove(f".citator/proposals/{draft.file_name()}").commit("Drop it")

    assert not clone.ask(EVERYONE)
    assert clone.held() == set()


def test_a_rejection_that_was_lifted_is_in_no_kept_view(clone: Clone) -> None:
    proposal = Ledger(minted=700)
    proposal.decide("Fly")
    (waiting,) = proposal.migrations
    clone.rejections.append(ADA.rejects(waiting, "paint it vermilion", reason="ghastly"))
    deprecate(clone)
    clone.land()
    assert governing(clone.workspace, EVERYONE, Asked("paint it vermilion")).rejections
    views = clone.derived / "record" / "views"
    assert any(b"vermilion" in one.read_bytes() for one in views.glob("*.json"))
    (no,) = clone.rejections
    clone.ledger.add(
        {"op": "lift_rejection", "rejection": no.id, "reason": "taste"},
        loosens=[f"lift_rejection:{no.id}"],
    )
    clone.land()

    assert not governing(clone.workspace, UNAPPROVED, Asked("paint it vermilion")).rejections
    assert not any(b"vermilion" in one.read_bytes() for one in views.glob("*.json"))


def test_what_the_second_ledger_no_longer_holds_is_gone(clone: Clone, tmp_path: Path) -> None:
    deprecate(clone)
    clone.land()
    apart = Ledger(minted=900)
    apart.decide(f"Hide the {SECRET}", sensitivity="restricted")
    for one in files(apart.migrations, approvals=[ADA.says(m) for m in apart.migrations]):
        assert one.content is not None
        place = tmp_path / "apart" / ".citator" / one.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(one.content)
    workspace = clone.workspace
    ledgers = SecondLedgers(workspace.layout)
    ledgers.set(workspace.repository_id, tmp_path / "apart")
    assert not clone.ask(EVERYONE) and clone.ask(INSIDERS)
    assert "partition" in clone.held()
    shutil.rmtree(tmp_path / "apart")
    (tmp_path / "apart" / ".citator").mkdir(parents=True)

    assert not clone.ask(INSIDERS)
    assert clone.held() == set()


def test_what_is_withdrawn_cannot_be_read_by_its_reference(clone: Clone) -> None:
    view = view_of(clone.workspace, EVERYONE)
    assert view is not None
    with closing(view.partition) as partition:
        refs = [partition.row(unit).ref for unit in range(partition.units)]
    from citator.service.index_history import update

    update(clone.workspace)
    assert sum(SECRET in one.text for one in read_evidence(clone.workspace, refs)) == 1
    deprecate(clone)
    clone.land()
    update(clone.workspace)

    found = read_evidence(clone.workspace, refs, audience=INSIDERS)

    assert sorted(one.problem or "" for one in found) == ["", "unknown_ref"]
    assert all(SECRET not in one.text for one in found)
