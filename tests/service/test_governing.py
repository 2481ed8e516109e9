"""What the record says to a question: signed words to whoever may see them, and to nobody else."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from citator.index.partition_store import Partitions
from citator.model.errors import NotFoundError, UsageError
from citator.model.evidence import AbstainReason, Status
from citator.model.horizon import Limit
from citator.model.record import ItemKind, RecordStatus, Sensitivity
from citator.model.ruling import Governing
from citator.model.visibility import Audience
from citator.service.governing import Asked, governing
from citator.service.index_history import update
from citator.service.investigate import Question, investigate
from citator.service.read_evidence import read_evidence
from citator.service.record_view import view_of
from citator.service.workspace import Places
from citator.store.layout import Layout
from citator.store.seal import contents, sealed
from citator.trust.ledgers import SecondLedgers
from citator.trust.pins import Pins
from tests.service.test_record import ADA, Open, approved, put
from tests.support.approving import pin
from tests.support.builder import Builder
from tests.support.record import Ledger, text

EVERYONE = Audience()
INSIDERS = Audience(Sensitivity.RESTRICTED, unapproved=True)
RULING = "Sessions live in one SQLite file"


@pytest.fixture(autouse=True)
def pinned(places: Places) -> None:
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA))


def sessions(made: Ledger, **settings: object) -> str:
    return made.decide(
        "Keep sessions in SQLite",
        ruling=RULING,
        paths=["src/session/**"],
        body="A server for sessions was one more thing to run.\n",
        **settings,
    )


def test_a_signed_decision_travels_with_its_ruling(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    item = sessions(made)
    approved(history, made)

    found = governing(open_workspace(history), EVERYONE, Asked("where do sessions live?"))

    (one,) = found.decisions
    assert (one.item, one.status, one.ruling) == (item, RecordStatus.APPROVED, RULING)
    assert (one.signature, one.landed) == ("key", "local_branch")
    assert one.matched == ("sessions", "live")


def test_an_unsigned_decision_is_shown_without_words_to_those_who_see_the_unapproved(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    sessions(made)
    put(history, made.migrations)
    history.commit("Land without asking")
    workspace, asked = open_workspace(history), Asked("where do sessions live?")

    assert governing(workspace, EVERYONE, asked).silent
    (one,) = governing(workspace, INSIDERS, asked).decisions
    assert (one.status, one.ruling, one.signature) == (RecordStatus.PROPOSED, None, "none")


def test_without_a_pin_no_word_travels(
    history: Builder, open_workspace: Open, places: Places
) -> None:
    made = Ledger()
    sessions(made)
    approved(history, made)
    shutil.rmtree(places.data / "trust")

    (one,) = governing(open_workspace(history), INSIDERS, Asked("sessions")).decisions

    assert (one.status, one.ruling) == (RecordStatus.PROPOSED, None)


def test_a_path_brings_the_decisions_that_govern_it(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    item = sessions(made)
    made.decide("Everything is typed", paths=["**/*.py"], kind="convention")
    approved(history, made)
    workspace = open_workspace(history)
    asked = Asked("unrelated words entirely", paths=("src/session/store.py",))

    found = governing(workspace, EVERYONE, asked).decisions
    assert [(one.item == item, one.governs) for one in found] == [(True, True), (False, True)]
    only = governing(workspace, EVERYONE, replace(asked, kinds=(ItemKind.CONVENTION,)))
    assert [one.kind for one in only.decisions] == [ItemKind.CONVENTION]


def test_a_rejection_comes_with_its_reason(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    made.decide("Use Redis for sessions")
    (proposal,) = made.migrations
    no = ADA.rejects(proposal, "Use Redis", scope=("src/session/**",))
    put(history, [], [no])
    history.commit("Record what was rejected")
    workspace = open_workspace(history)

    def notices(question: str, *paths: str) -> list[tuple[str, str | None]]:
        found = governing(workspace, EVERYONE, Asked(question, paths=paths)).rejections
        return [(one.date, one.reason) for one in found]

    told = [("2026-03-02", "we tried it")]
    assert notices("Should we use ＲＥＤＩＳ here?") == told
    assert notices("move the session store over to redis", "src/session/a.py") == told
    assert notices("move the cache over to redis", "src/cache.py") == []
    assert notices("what about memcached?") == []


def test_the_record_speaks_where_history_is_silent(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    made.decide("Quokka telemetry is forbidden")
    approved(history, made)
    workspace = open_workspace(history)
    update(workspace)

    known = investigate(workspace, Question("quokka telemetry"))
    unknown = investigate(workspace, Question("wombat telescopes"))

    assert known.answer.status is Status.COMPLETE and known.answer.abstained is None
    assert len(known.record.decisions) == 1
    assert unknown.answer.abstained is AbstainReason.UNKNOWN_TERMS
    assert unknown.record.silent


def test_a_decision_is_read_by_its_reference(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    sessions(made)
    approved(history, made)
    workspace = open_workspace(history)
    update(workspace)
    (one,) = governing(workspace, EVERYONE, Asked("sessions")).decisions
    prefix = one.ref[:30]

    (item,) = read_evidence(workspace, [prefix])
    assert item.ref == one.ref
    assert item.text.splitlines()[::2] == [
        "# Keep sessions in SQLite",
        RULING,
        "A server for sessions was one more thing to run.",
    ]
    nobody = Audience(Sensitivity.PUBLIC)
    (hidden,) = read_evidence(workspace, [prefix], audience=nobody)
    assert (hidden.problem, hidden.text) == ("unknown_ref", "")


def test_a_kept_view_is_not_believed(history: Builder, open_workspace: Open) -> None:
    """The view is derived; the words that are served are checked against HEAD each time."""
    made = Ledger()
    item = sessions(made)
    approved(history, made)
    workspace = open_workspace(history)
    view = view_of(workspace, EVERYONE)
    assert view is not None and view.partition.texts == 1
    (kept,) = (workspace.place.derived / "record" / "views").glob("*.json")
    said = kept.read_bytes()
    (digest,) = {one.digest for one in view.proofs.values()}
    forged = said.replace(digest.encode(), b"0" * 64)

    def asked() -> Governing:
        return governing(open_workspace(history), EVERYONE, Asked("sessions"))

    kept.write_bytes(forged)  # no seal of ours: made again
    assert [one.item for one in asked().decisions] == [item]
    assert kept.read_bytes() == said
    kept.write_bytes(sealed(workspace.secret, f"view {kept.stem}", contents(forged)))
    found = asked()
    assert found.decisions == () and found.facts == ("decision_unverified",)


def test_a_retired_decision_leaves_no_word_behind(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    item = sessions(made)
    before = approved(history, made)
    workspace = open_workspace(history)
    assert not governing(workspace, INSIDERS, Asked("sessions")).silent
    made.add({"op": "deprecate_item", "item": item, "reason": "moved to a service"})
    approved(history, made)
    workspace = open_workspace(history)

    assert governing(workspace, INSIDERS, Asked("sessions")).silent
    assert governing(workspace, INSIDERS, Asked("sessions", at=before)).silent
    for file in (workspace.place.derived / "record").rglob("*"):
        assert not file.is_file() or b"sessions in SQLite" not in file.read_bytes()


def test_what_one_audience_may_no_longer_see_is_destroyed_when_another_asks(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    item = sessions(made)
    approved(history, made)
    workspace = open_workspace(history)
    assert not governing(workspace, EVERYONE, Asked("sessions")).silent
    raised = {"op": "change_sensitivity", "item": item, "sensitivity": "restricted"}
    made.add({**raised, "reason": "it names the host"})
    approved(history, made)
    workspace = open_workspace(history)

    assert not governing(workspace, INSIDERS, Asked("sessions")).silent

    partitions = Partitions(workspace.place.derived / "record" / "partitions")
    seen = view_of(workspace, INSIDERS)
    assert seen is not None and partitions.kept() == [seen.partition.id]


def test_what_held_at_a_time_and_at_a_commit(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    item = made.decide("Sessions last a day", valid_from="2024-01-01T00:00:00Z")
    first = approved(history, made)
    made.add(text(item, "Sessions last an hour", valid_from="2025-01-01T00:00:00Z"))
    approved(history, made)
    workspace = open_workspace(history)

    def rulings(at: str | None = None, as_of: str | None = None) -> list[str | None]:
        asked = Asked("what do sessions last", at=at, as_of=as_of)
        found = governing(workspace, EVERYONE, asked)
        return [one.ruling for one in found.decisions]

    assert rulings() == ["Sessions last an hour"]
    assert rulings(as_of="2024-06-01T00:00:00Z") == ["Sessions last a day"]
    assert rulings(as_of="2023-06-01T00:00:00Z") == []
    assert rulings(at=first) == ["Sessions last a day"]
    with pytest.raises(UsageError, match="time"):
        rulings(as_of="last spring")
    for unknown in ("0" * 40, "HEAD", "main"):
        with pytest.raises((NotFoundError, UsageError)) as refused:
            rulings(at=unknown)
        assert refused.value.code == "unknown_ref"


def test_a_second_ledger_is_for_those_who_may_see_it(
    history: Builder, open_workspace: Open, tmp_path: Path
) -> None:
    made = Ledger()
    item = made.decide("Rotate the master key yearly", sensitivity="restricted")
    apart = Builder.init(tmp_path / "apart")
    approved(apart, made)
    workspace = open_workspace(history)
    SecondLedgers(workspace.layout).set(workspace.repository_id, apart.path)

    asked = Asked("rotate the master key")
    assert governing(workspace, EVERYONE, asked).silent
    (one,) = governing(workspace, INSIDERS, asked).decisions
    assert (one.item, one.ruling) == (item, "Rotate the master key yearly")


def test_a_tampered_record_says_nothing_and_is_told(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    sessions(made)
    approved(history, made)
    (one,) = made.migrations
    forged = replace(one, body="Never.\n")
    put(history, [forged], [ADA.says(forged)])
    history.commit("Tidy up")
    workspace = open_workspace(history)
    update(workspace)

    found = investigate(workspace, Question("why are stale manifests served?"))

    assert found.record.decisions == () and found.answer.evidence
    told = [(one.limit, one.detail) for one in found.answer.horizon.facts]
    assert (Limit.RECORD_UNREADABLE, "record_tampered") in told


def test_without_a_ledger_nothing_is_made(history: Builder, open_workspace: Open) -> None:
    workspace = open_workspace(history)

    assert governing(workspace, INSIDERS, Asked("sessions")).silent
    assert not (workspace.place.derived / "record").exists()


def test_a_predicted_file_brings_what_governs_it_behind_what_was_named(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    named = [made.decide(f"Decide {number}", paths=["src/mail.py"]) for number in range(2)]
    brought = sessions(made)
    made.decide("Keep sources below src", paths=["src/**"])
    approved(history, made)
    asked = Asked("zeppelin", paths=("src/mail.py",), predicted=("src/session/a.py", "src/b.py"))

    found = governing(open_workspace(history), EVERYONE, asked)

    rows = {one.item: (one.governs, one.brought_by) for one in found.decisions}
    assert [rows[one] for one in named] == [(True, None)] * 2
    assert rows[brought] == (False, "src/session/a.py")
    assert [one.item for one in found.decisions][-1] == brought
    assert len(rows) == 4

    full = replace(asked, limit=3)
    shown = governing(open_workspace(history), EVERYONE, full).decisions
    assert [one.governs for one in shown] == [True] * 3


def test_what_is_brought_is_little_and_displaces_only_the_last_that_words_found(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    said = [made.decide(f"Store wheat in barn {number}") for number in range(5)]
    for number in range(4):
        made.decide(f"Decide {number}", paths=["src/**"])
    approved(history, made)
    workspace = open_workspace(history)

    found = governing(workspace, EVERYONE, Asked("store wheat", predicted=("src/a.py",)))

    assert [one.brought_by for one in found.decisions] == [None] * 3 + ["src/a.py"] * 2
    assert {one.item for one in found.decisions[:3]} < {*said}
    assert not found.silent
    assert found.left_out == 2
    alone = governing(workspace, EVERYONE, Asked("zeppelin", predicted=("src/a.py",)))
    assert len(alone.decisions) == 2
    assert alone.silent


def test_nothing_is_brought_into_another_time(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    sessions(made)
    head = approved(history, made)
    workspace, asked = open_workspace(history), Asked("x", predicted=("src/session/a.py",))

    assert governing(workspace, EVERYONE, asked).decisions
    assert not governing(workspace, EVERYONE, replace(asked, at=head)).decisions
    then = replace(asked, as_of="2026-06-01T00:00:00Z")
    assert not governing(workspace, EVERYONE, then).decisions
    assert not governing(workspace, EVERYONE, replace(asked, kinds=(ItemKind.API,))).decisions
