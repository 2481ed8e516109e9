"""One gate, one small proof: each beside its control, through the use case that a face calls.

The comparisons of whole worlds are in ``test_absence.py``; these say which gate it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from citator.index.analysis import Analyser
from citator.model.errors import NotFoundError
from citator.model.record import RecordStatus, Sensitivity
from citator.model.visibility import Audience
from citator.record.approvals import Approval
from citator.record.ulid import mint
from citator.service.decide import Links
from citator.service.decision_template import Wish
from citator.service.decisions import Listing, Wanted, listing
from citator.service.governing import Asked, governing
from citator.service.index_history import update
from citator.service.opened import opened
from citator.service.propose_decision import Reply, propose_decision, status_of
from citator.service.proposing import Moment
from citator.service.report import Asking, gather
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.trust.ledgers import SecondLedgers
from citator.trust.pins import Pins
from tests.support.approving import Person, files, pin
from tests.support.builder import Builder
from tests.support.record import Ledger

ADA = Person()
EVERYONE = Audience()
UNAPPROVED = Audience(unapproved=True)
INSIDERS = Audience(Sensitivity.RESTRICTED, True, "acme", ("ops",))
NOW = 1_773_000_000_000
TODAY = "2026-06-01T00:00:00Z"


@dataclass
class Clone:
    """A repository with a pinned record."""

    builder: Builder
    places: Places
    ledger: Ledger = field(default_factory=Ledger)
    rejections: list[Approval] = field(default_factory=list)
    proposals: list[str] = field(default_factory=list)

    @property
    def workspace(self) -> Workspace:
        return Workspace.open(self.builder.path, self.places)

    def land(self, *unsigned: str) -> str:
        """Commit the ledger; the migrations named are proposals."""
        made = self.ledger.migrations
        landed = [one for one in made if one.id not in unsigned]
        waiting = [one for one in made if one.id in unsigned]
        approvals = [ADA.says(one) for one in landed] + self.rejections
        for one in files(landed, waiting, approvals):
            assert one.content is not None
            self.builder.write(f".citator/{one.path}", one.content)
        return self.builder.commit("Land\n\nIt was decided yesterday, because nobody objected.")

    def propose(self, title: str, audience: Audience, **links: str) -> Reply:
        """Propose as a client does, at a given time and chance."""
        supersedes = (links["supersedes"],) if "supersedes" in links else ()
        wish = Wish(title, ruling=title, owner="team", body=title)
        named = Links(supersedes, links.get("revises"))
        moment = Moment(NOW, lambda size: b"\7" * size)
        return propose_decision(self.workspace, wish, named, None, moment, audience)

    def listed(self, audience: Audience, at: str | None = None) -> Listing:
        """The decisions as a command lists them."""
        return listing(self.workspace, audience, Wanted(at=at), TODAY)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    places = Places(tmp_path / "data", tmp_path / "config", lambda size: b"k" * size)
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA))
    made = Clone(Builder.init(tmp_path / "repo"), places)
    made.ledger.decide("Keep sessions in SQLite")
    return made


def first(ledger: Ledger) -> str:
    return next(iter(ledger.state.items))


def notices(clone: Clone, audience: Audience, words: str) -> int:
    return len(governing(clone.workspace, audience, Asked(words)).rejections)


def test_the_name_of_a_ledger_file_is_in_no_index_of_history(clone: Clone) -> None:
    clone.ledger.decide("Moor zeppelins at dusk")
    draft = clone.ledger.migrations[-1]
    clone.builder.write("src/mooring.py", "")
    clone.land(draft.id)
    update(clone.workspace)

    with opened(clone.workspace) as (_, view):
        assert view.find_path("src/mooring.py")
        assert not view.find_path(f".citator/proposals/{draft.file_name()}")
        (hidden,), (seen,) = map(Analyser().terms, ("zeppelins", "mooring"))
        assert (view.document_frequency(hidden), view.document_frequency(seen)) == (0, 1)


def test_a_rejection_is_for_the_tenant_and_groups_of_what_it_was_about(clone: Clone) -> None:
    for title, settings in (("Sell hats", {"tenant": "acme"}), ("Sell wigs", {"groups": ["ops"]})):
        clone.ledger.decide(title, **settings)
        proposal = clone.ledger.migrations[-1]
        clone.rejections.append(ADA.rejects(proposal, title))
        clone.proposals.append(proposal.id)
    clone.land(*clone.proposals)

    for title in ("sell hats", "sell wigs"):
        assert notices(clone, INSIDERS, title) == 1
        assert notices(clone, EVERYONE, title) == 0


def test_a_rejection_is_as_sensitive_as_the_decision_it_came_with(clone: Clone) -> None:
    item = clone.ledger.decide("Rotate the keys", sensitivity="restricted")
    rejected = {"op": "reject_value", "value": "burn the keys", "reason": "no"}
    clone.ledger.add({"op": "change_owner", "item": item, "owner": "ops"}, rejected)
    clone.land()

    assert notices(clone, INSIDERS, "burn the keys") == 1
    assert notices(clone, EVERYONE, "burn the keys") == 0


def test_only_a_rejection_that_may_be_known_is_told_to_who_proposes(clone: Clone) -> None:
    no = {"op": "reject_value", "value": "use redis", "reason": "no", "sensitivity": "restricted"}
    clone.ledger.add(no)
    clone.land()

    assert clone.propose("Use Redis", INSIDERS).status == "told_no"
    assert clone.propose("Use Redis", EVERYONE).status == "proposed"


@pytest.mark.parametrize("link", ["revises", "supersedes"])
def test_nobody_builds_on_what_they_may_not_see(clone: Clone, link: str) -> None:
    withheld = clone.ledger.decide("Rotate the keys", sensitivity="restricted")
    clone.land()
    said = set()
    for item in (withheld, mint(NOW, lambda size: b"\0" * size), "keys"):
        with pytest.raises(NotFoundError) as refused:
            clone.propose("Never rotate keys", EVERYONE, **{link: item})
        said.add((refused.value.code, refused.value.what, refused.value.todo))

    assert len(said) == 1 and not (clone.builder.path / ".citator/proposals").is_dir()
    assert clone.propose("Never rotate keys", INSIDERS, **{link: withheld}).status == "proposed"


def test_an_id_tells_nothing_of_a_withheld_one_that_is_ahead_of_the_clock(clone: Clone) -> None:
    clone.land()
    alone = clone.propose("Use a queue", EVERYONE)
    clone.ledger.minted = 3_000_000
    clone.ledger.decide("Moor zeppelins")
    clone.land(clone.ledger.migrations[-1].id)
    beside = clone.propose("Use a queue", EVERYONE)
    insider = clone.propose("Use a queue", INSIDERS)

    assert alone.id is not None and beside.id is not None and insider.id is not None
    assert beside.id[:10] == alone.id[:10] < clone.ledger.migrations[-1].id[:10] < insider.id[:10]


def test_how_a_proposal_stands_is_told_to_who_proposed_it_and_to_who_sees_it(clone: Clone) -> None:
    clone.land()
    own = clone.propose("Use a queue", EVERYONE)
    assert own.id is not None
    clone.ledger.decide("Moor zeppelins")
    theirs = clone.ledger.migrations[-1].id
    clone.ledger.decide("Rotate the keys", tenant="acme")
    closed = clone.ledger.migrations[-1].id
    clone.land(theirs, closed)

    def statuses(audience: Audience) -> list[str]:
        return [
            status_of(clone.workspace, one, audience).status
            for one in (own.id or "", theirs, closed)
        ]

    assert statuses(EVERYONE) == ["proposed", "unknown", "unknown"]
    assert statuses(UNAPPROVED) == ["proposed", "proposed", "unknown"]
    assert statuses(INSIDERS) == ["proposed", "proposed", "proposed"]


def test_a_listing_names_nothing_that_is_withheld(clone: Clone) -> None:
    old = first(clone.ledger)
    kept = clone.ledger.decide("Keep logs a year", paths=["log/**"])
    new = clone.ledger.decide("Keep sessions nowhere", sensitivity="restricted")
    supersedes = {"op": "add_relation", "source": new, "type": "supersedes", "target": old}
    related = {"op": "add_relation", "source": kept, "type": "related_to", "target": new}
    inverse = {"op": "add_relation", "source": new, "type": "related_to", "target": kept}
    for one in (
        supersedes,
        related,
        inverse,
        {"op": "add_alias", "item": old, "alias": "sessions"},
    ):
        clone.ledger.add(one)
    clone.land()

    def told(audience: Audience) -> str:
        return repr([one for one in clone.listed(audience).decisions if one.id != new])

    assert told(INSIDERS).count(new) > 2
    assert new not in told(EVERYONE)
    assert "'sessions'" not in told(EVERYONE)


def test_what_may_no_longer_be_seen_is_not_seen_at_an_earlier_commit(clone: Clone) -> None:
    item = first(clone.ledger)
    before = clone.land()
    raised = {"op": "change_sensitivity", "item": item, "sensitivity": "restricted"}
    clone.ledger.add({**raised, "reason": "it names the host"})
    clone.land()

    def seen(audience: Audience) -> Sequence[str]:
        found = clone.listed(audience, at=before).decisions
        asked = governing(clone.workspace, audience, Asked("sessions", at=before)).decisions
        return [one.id for one in found] + [one.item for one in asked]

    assert seen(INSIDERS) == [item, item]
    assert seen(EVERYONE) == []


def test_what_is_wrong_with_a_file_is_told_to_who_sees_every_file(clone: Clone) -> None:
    clone.builder.write(".citator/approvals/broken.yaml", "citator: 1\n")
    clone.land()

    assert [code for code, _ in clone.listed(INSIDERS).problems] == ["approval_malformed"]
    assert clone.listed(EVERYONE).problems == ()


def test_a_second_ledger_is_not_looked_for_where_nothing_of_it_may_be_seen(
    clone: Clone, tmp_path: Path
) -> None:
    clone.land()
    workspace = clone.workspace
    SecondLedgers(workspace.layout).set(workspace.repository_id, tmp_path / "gone")

    assert governing(workspace, INSIDERS, Asked("sessions")).facts == ("second_ledger_missing",)
    assert governing(workspace, EVERYONE, Asked("sessions")).facts == ()
    assert clone.propose("Use a queue", EVERYONE).status == RecordStatus.PROPOSED.value


def test_a_report_that_is_given_away_does_not_grow_with_the_record(clone: Clone) -> None:
    clone.land()
    assert not governing(clone.workspace, EVERYONE, Asked("sessions")).silent
    derived = clone.workspace.place.derived

    def size() -> int:
        asking = Asking(clone.builder.path, clone.places, 1.0, lambda: 0.0)
        return int(gather(asking)["data"]["bytes"])

    before = size()
    (derived / "record" / "more").write_bytes(b"0" * 1_000)
    assert size() == before
    (derived / "more").write_bytes(b"0" * 1_000)
    assert size() == before + 1_000
