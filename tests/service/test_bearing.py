"""What the record says of files: by the scopes alone, for one audience, signed words or none."""

from __future__ import annotations

import pytest

from citator.model.record import RecordStatus, Sensitivity
from citator.model.visibility import Audience
from citator.service.bearing import MOST_DECISIONS, Bearing, bearing_on
from citator.service.locate import Wanted, locate
from citator.service.workspace import Places
from citator.store.layout import Layout
from citator.trust.pins import Pins
from tests.service.test_record import ADA, Open, approved, put
from tests.support.approving import files, pin
from tests.support.builder import Builder
from tests.support.record import Ledger

EVERYONE = Audience()
INSIDERS = Audience(Sensitivity.RESTRICTED, unapproved=True)
RULING = "Sessions live in one SQLite file"
PATHS = ("src/session/store.py", "src/mail.py", "README")


@pytest.fixture(autouse=True)
def pinned(places: Places) -> None:
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA))


def test_a_decision_is_about_the_files_that_its_scope_holds(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    wide = made.decide("Keep sources below src", paths=["src/**"])
    near = made.decide("Keep sessions in SQLite", ruling=RULING, paths=["src/session/**"])
    made.decide("Be kind")
    approved(history, made)

    found = bearing_on(open_workspace(history), EVERYONE, PATHS)

    assert found.decisions == ((near, wide), (wide,), ())
    assert [one.ruling for one in found.record.decisions] == [RULING, "Keep sources below src"]
    assert (found.record.left_out, found.rejections) == (0, ((), (), ()))


def test_a_rejection_with_a_scope_is_told_of_the_files_it_is_about(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    made.decide("Use Redis for sessions")
    made.decide("Use tabs")
    scoped, everywhere = made.migrations
    said = [
        ADA.rejects(scoped, "Use Redis for sessions", scope=("src/session/**",)),
        ADA.rejects(everywhere, "Use tabs"),
    ]
    for one in files(approvals=said, proposals=made.migrations):
        assert one.content is not None
        history.write(f".citator/{one.path}", one.content)
    history.commit("Say no twice")

    found = bearing_on(open_workspace(history), EVERYONE, PATHS)

    (notice,) = found.record.rejections
    assert (notice.reason, notice.migration) == ("we tried it", scoped.id)
    assert found.rejections == ((notice.rejection,), (), ())


def test_what_an_audience_may_not_see_is_about_no_file(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    hidden = made.decide("Hide it", paths=["src/**"], sensitivity="restricted")
    approved(history, made)
    workspace = open_workspace(history)

    assert bearing_on(workspace, EVERYONE, PATHS) == Bearing(
        decisions=((), (), ()), rejections=((), (), ())
    )
    assert bearing_on(workspace, INSIDERS, PATHS).decisions[1] == (hidden,)


def test_without_a_signature_there_are_no_words(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    item = made.decide("Keep sessions in SQLite", ruling=RULING, paths=["src/session/**"])
    put(history, made.migrations)
    history.commit("Land without asking")
    workspace = open_workspace(history)

    assert bearing_on(workspace, EVERYONE, PATHS).record.silent
    (one,) = bearing_on(workspace, INSIDERS, PATHS).record.decisions
    assert (one.item, one.status, one.ruling) == (item, RecordStatus.PROPOSED, None)


def test_what_is_too_many_is_counted(history: Builder, open_workspace: Open) -> None:
    made = Ledger()
    for number in range(MOST_DECISIONS + 2):
        made.decide(f"Decide {number}", paths=["src/**"])
    approved(history, made)

    found = bearing_on(open_workspace(history), EVERYONE, PATHS)

    assert len(found.record.decisions) == MOST_DECISIONS == len(found.decisions[1])
    assert found.record.left_out == 2


def test_an_answer_of_locate_says_what_governs_its_files(
    history: Builder, open_workspace: Open
) -> None:
    made = Ledger()
    item = made.decide("Keep sessions in SQLite", ruling=RULING, paths=["src/session/**"])
    approved(history, made)
    history.write("src/session/store.py", "def wheat():\n    pass\n")
    history.write("src/mail.py", "def wheat_mail():\n    pass\n")
    history.commit("Store wheat")

    found = locate(open_workspace(history), Wanted("wheat"))

    about = {one.path: one.decisions for one in found.files}
    assert (about["src/session/store.py"], about["src/mail.py"]) == ((item,), ())
    assert [one.ruling for one in found.record.decisions] == [RULING]
