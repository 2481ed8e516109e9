"""``locate_files``: ten files in 400 tokens, everything on request, plain tokens alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from citator.locate.reasons import Cause, Reason
from citator.mcp.answers import RESULT_BYTES, size
from citator.mcp.definitions import compact
from citator.mcp.located import located_object
from citator.model.horizon import Horizon
from citator.service.locate import Located, LocatedFile, LocatedFunction
from citator.service.reason_wording import NOTHING_SAID
from citator.store.layout import Layout
from citator.trust.pins import Pins
from tests.mcp.conftest import build
from tests.mcp.serving import Home, Server, Speaker
from tests.support.approving import Person, files, pin
from tests.support.builder import Builder
from tests.support.record import Ledger

ADA = Person()
RULING = "Retries are counted by the mailer and never by the queue, so that a slow relay is seen"
ISSUE = """Mailer retries a message for ever when the relay answers slowly

Traceback (most recent call last):
  File "/srv/shop/notifications/delivery/mailer.py", line 2, in deliver_message
RuntimeError: relay gone
"""
FOLDERS = ("notifications/delivery", "notifications/templates", "billing/invoices/rendering")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Builder, Home, str]:
    """A repository of a few dozen files with paths as long as real ones, and two decisions."""
    folder = tmp_path_factory.mktemp("shop")
    builder = Builder.init(folder / "repository")
    for number in range(36):
        path = f"src/shop/{FOLDERS[number % 3]}/message_relay_{number:02}.py"
        builder.write(path, f"class Relay{number}:\n    def retry(self):\n        return 'slow'\n")
    builder.commit("Send messages over a relay\n\nBecause the old queue lost every slow message.")
    builder.write(
        "src/shop/notifications/delivery/mailer.py",
        "def deliver_message(relay):\n    relay.retry()\n",
    )
    builder.write("tests/test_mailer.py", "def test_retry_of_slow_relay():\n    pass\n")
    builder.commit("Let the mailer retry a message\n\nBecause a slow relay answered too late.")
    made = Ledger()
    made.decide("Count retries", ruling=RULING, paths=["src/shop/notifications/**"])
    item = made.decide("Keep it simple", ruling=RULING, paths=["src/shop/**"])
    made.decide("Use Redis for retries")
    kept, said = made.migrations[:2], made.migrations[2]
    approvals = [*map(ADA.says, kept), ADA.rejects(said, "Redis", scope=("src/**",))]
    for one in files(kept, [said], approvals):
        assert one.content is not None
        builder.write(f".citator/{one.path}", one.content)
    builder.commit("Land decisions")
    home = Home.under(folder)
    home.data.mkdir(mode=0o700)
    Pins(Layout(home.data)).write(pin(ADA))
    build(builder.path, home)
    return builder, home, item


@pytest.fixture(scope="module", params=["legacy", "modern"])
def speaker(shop: tuple[Builder, Home, str], request: pytest.FixtureRequest) -> Iterator[Speaker]:
    with Server(shop[0].path, shop[1]) as server:
        yield server.open(request.param)


def test_ten_files_are_at_most_400_tokens(speaker: Speaker) -> None:
    found = speaker.answer("locate_files", issue=ISSUE)

    assert len(compact(found).encode()) / 4 <= 400
    assert len(found["files"]) == 10
    first = found["files"][0]
    assert first["path"] == "src/shop/notifications/delivery/mailer.py"
    assert first["why"].startswith("in the traceback, frame 1 of 1")
    assert first["in"] == ["deliver_message 1-2"]
    assert found["horizon"]["complete"] is True


def test_decisions_and_rejections_say_which_files_they_are_about(
    speaker: Speaker, shop: tuple[Builder, Home, str]
) -> None:
    found = speaker.answer("locate_files", issue=ISSUE)

    near, wide = found["decisions"]
    sent = [at for at, one in enumerate(found["files"], 1) if "/notifications/" in one["path"]]
    assert (near["files"], near["status"], near["signature"]) == (sent, "approved", "key")
    assert (wide["item"], wide["files"]) == (shop[2], list(range(1, 11)))
    (no,) = found["rejections"]
    assert no["files"] == list(range(1, 11))


def test_detail_shows_everything(speaker: Speaker) -> None:
    found = speaker.answer("locate_files", issue=ISSUE, detail=True)

    assert [one["ruling"] for one in found["decisions"]] == [RULING] * 2
    assert [one["reason"] for one in found["rejections"]] == ["we tried it"]
    assert all(one["in"] and one["why"] for one in found["files"])
    assert found["considered"] == 37
    ref = found["decisions"][0]["ref"]
    (read,) = speaker.answer("read_evidence", refs=[ref])["items"]
    assert RULING in read["text"]


def test_answers_are_held_to_paths_and_tests_take_part_on_request(speaker: Speaker) -> None:
    def paths(**given: Any) -> list[str]:
        files = speaker.answer("locate_files", issue=ISSUE, limit=50, **given)["files"]
        return [one["path"] for one in files]

    inside = paths(paths=["src/shop/billing", "src/shop/notifications/delivery/mailer.py"])
    assert len(inside) == 13
    assert "tests/test_mailer.py" not in paths()
    assert "tests/test_mailer.py" in paths(include_tests=True)
    assert paths(paths=["nowhere"]) == []


def test_an_issue_of_nothing_here_has_no_files(speaker: Speaker) -> None:
    found = speaker.answer("locate_files", issue="zebra quagga")
    assert (found["files"], found["note"]) == ([], NOTHING_SAID)
    assert "note" not in speaker.answer("locate_files", issue="zebra relay")


@pytest.mark.parametrize(
    "given",
    [
        {"issue": ""},
        {"issue": "x", "limit": 51},
        {"issue": "x", "paths": []},
        {"issue": "x", "detail": "yes"},
        {"issue": "x", "under": "src"},
    ],
)
def test_what_the_schema_does_not_say_is_refused(speaker: Speaker, given: dict[str, Any]) -> None:
    assert speaker.failure("locate_files", **given)["code"] == "invalid_arguments"


def test_an_issue_of_no_words_is_refused(speaker: Speaker) -> None:
    assert speaker.failure("locate_files", issue=" \n ")["code"] == "empty_issue"


def test_the_list_of_tools_is_ready_before_anything_of_locate_is_loaded() -> None:
    code = "import sys, citator.mcp.server; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, check=True)
    loaded = told.stdout.decode().split()
    assert "citator.mcp.tools.locate_files" in loaded
    assert not [one for one in loaded if one.startswith(("citator.locate", "numpy"))]


def located(*paths: str) -> Located:
    """An answer in which everything is as long as it may be."""
    word = "w" * 60
    return Located(
        tuple(
            LocatedFile(
                path,
                0.123,
                (Reason(Cause.WORDS, (word,) * 4), Reason(Cause.DEFINES, (word,) * 2)),
                (LocatedFunction(word, False, 1, 2), LocatedFunction(None, True, 3, 4)),
                "generated",
            )
            for path in paths
        ),
        len(paths),
        0,
        (),
        Horizon("a" * 40, None),
    )


def test_what_is_said_of_files_shrinks_before_the_list_does() -> None:
    short = located_object(located(*(f"src/{number:02}" for number in range(10))), detail=False)
    assert len(short["files"]) == 10
    assert len(compact(short).encode()) <= 1600
    whole = located_object(located("src/a"), detail=True)
    assert whole["files"][0]["in"] == [f"{'w' * 60} 1-2", "3-4"]
    assert whole["files"][0]["state"] == "generated"


def test_a_result_has_a_cap_and_says_how_many_files_did_not_fit() -> None:
    found = located_object(located(*("%20" * 1000 + str(n) for n in range(50))), detail=False)
    assert size(found) <= RESULT_BYTES
    assert found["left_out"] == 50 - len(found["files"])
    assert found["files"]
