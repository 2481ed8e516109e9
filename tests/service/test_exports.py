"""Exports hold what an audience may see and nothing else, and are the same bytes each time."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from citator.formats.adr import read_adr
from citator.formats.front_matter import read_front_matter
from citator.formats.html_page import render
from citator.formats.markdown import outline
from citator.formats.okf import parse
from citator.model.document import AdrStatus
from citator.model.errors import RefusedError
from citator.model.record import RecordStatus, Sensitivity
from citator.model.visibility import Audience
from citator.record.evaluation import History, evaluate
from citator.record.ledger import read
from citator.service import export_html, export_madr, export_okf
from tests.support.approving import files
from tests.support.builder import contents_of
from tests.support.exported import HOSTILE, ledger, record
from tests.support.record import Ledger

ALL = Audience(Sensitivity.RESTRICTED, unapproved=True)


def whole(audience: Audience, *, withheld: bool = True) -> dict[str, bytes]:
    """Every file of every export for an audience."""
    made, _ = ledger(withheld=withheld)
    records = [record(made)]
    page = render(export_html.page_of(records, audience, "Decisions")).encode()
    bundle = {f"okf/{path}": one for path, one in export_okf.bundle(records, audience).items()}
    files = {f"madr/{path}": one for path, one in export_madr.tree_of(records, audience).items()}
    return {"page.html": page, **bundle, **files}


def test_two_exports_of_one_state_are_the_same_bytes(tmp_path: Path) -> None:
    made, _ = ledger()
    for name in ("one", "two"):
        export_okf.export([record(made)], Audience(), tmp_path / name / "okf")
        export_madr.export([record(made)], Audience(), tmp_path / name / "madr")
        export_html.export([record(made)], Audience(), tmp_path / name / "page.html", "D")
    assert contents_of(tmp_path / "one") == contents_of(tmp_path / "two")
    assert len(contents_of(tmp_path / "one")) == 14


def test_what_is_withheld_leaves_no_trace_and_stands_there_for_who_may_see_it() -> None:
    without = whole(Audience(), withheld=False)
    assert whole(Audience()) == without
    seen = whole(Audience(Sensitivity.RESTRICTED))
    assert any(b"Words of what is withheld." in content for content in seen.values())
    assert b"withheld reason" in seen["page.html"]
    assert not any(b"withheld" in content for content in without.values())


def test_only_what_is_approved_and_in_force_has_its_text_exported() -> None:
    found = b"".join(whole(Audience(Sensitivity.RESTRICTED)).values())
    assert b"Put slow calls on a queue" in found
    assert b"Words of what was retired." not in found
    assert b"Keep the log for ever" not in found
    assert b"Shard the queue" not in found
    assert b"Shard the queue" in whole(ALL)["page.html"]


def test_a_page_draws_how_decisions_treat_each_other_by_their_ids() -> None:
    made = Ledger()
    old, new, other = (made.decide(f"Keep {name}") for name in ("files", "tables", "queues"))
    for source, kind, target in ((new, "supersedes", old), (other, "contradicts", new)):
        made.add({"op": "add_relation", "source": source, "type": kind, "target": target})
    page = export_html.page_of([record(made)], Audience(), "D")
    cards = {card.id: card for card in page.cards}
    assert (cards[new].standing, cards[new].reason) == ("caution", "questioned by Keep queues")
    assert [(one.treatment, one.by) for one in cards[new].treated] == [("questions", other)]
    assert [(one.treatment, one.counts) for one in cards[old].treated] == [("supersedes", True)]
    text = render(page)
    assert text.count("<summary>Treatment</summary>") == 2
    drawn = text[text.index("<svg") : text.index("</svg>")]
    assert "<style" not in drawn
    assert "Keep" not in drawn


def test_an_unpinned_record_exports_nothing_but_proposals_to_who_may_see_them() -> None:
    made, _ = ledger()
    unpinned = evaluate(read(files(made.migrations)), None, History())
    assert list(export_okf.bundle([unpinned], ALL)) == ["index.md", "log.md"]
    assert export_madr.tree_of([unpinned], ALL) == {}
    assert export_html.page_of([unpinned], Audience(), "D").cards == ()
    assert export_html.page_of([unpinned], ALL, "D").cards != ()


def test_a_bundle_is_conformant_and_its_relations_have_both_ends() -> None:
    made, items = ledger()
    tree = export_okf.bundle([record(made)], Audience())
    assert tree["index.md"].startswith(b'---\nokf_version: "0.2"\n---\n')
    concepts = {
        path: parse(path, content.decode())
        for path, content in tree.items()
        if path not in ("index.md", "log.md")
    }
    assert all(one.text("type") == "Decision" and not one.unreadable for one in concepts.values())
    log = concepts[f"decisions/{items['log']}.md"]
    assert log.values["citator_relations"] == [
        {
            "type": "depends_on",
            "target": f"/decisions/{items['queue']}.md",
            "note": "for its order",
        }
    ]
    hostile = concepts[f"decisions/{items['hostile']}.md"]
    assert hostile.text("title") == HOSTILE
    queue = concepts[f"decisions/{items['queue']}.md"]
    assert queue.stale_after == "2027-01-01"
    assert queue.text("citator_sensitivity") == "internal"
    assert "verified" not in queue.values


def test_the_manifest_digests_every_file(tmp_path: Path) -> None:
    made, _ = ledger()
    count, manifest = export_okf.export([record(made)], Audience(), tmp_path / "okf")
    assert count == 3
    values = json.loads(manifest)
    listed = {
        path.relative_to(tmp_path / "okf").as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (tmp_path / "okf").rglob("*.md")
    }
    assert values["files"] == listed
    assert (tmp_path / "okf/citator-export.json").read_bytes() == manifest


def test_an_exported_decision_reads_back_as_the_madr_record_it_says_it_is() -> None:
    made, _ = ledger()
    tree = export_madr.tree_of([record(made)], Audience())
    assert sorted(tree)[:2] == [
        "0007-put-slow-calls-on-a-queue.md",
        "0008-keep-the-log-for-a-year.md",
    ]
    text = tree["0007-put-slow-calls-on-a-queue.md"].decode()
    lines = text.split("\n")
    front = read_front_matter(lines)
    below = lines[front.lines :]
    structure = outline(below)
    found = read_adr("adr/0007-x.md", structure.headings[0].title, below, structure, front)
    assert found is not None
    assert (found.number, found.status, found.date) == (7, AdrStatus.ACCEPTED, "2026-03-01")
    assert [(one.level, one.title) for one in structure.headings] == [
        (1, "Put slow calls on a queue"),
        (2, "Context and Problem Statement"),
        (2, "Considered Options"),
        (2, "Decision Outcome"),
        (3, "Why not threads"),
        (3, "Consequences"),
        (2, "Pros and Cons of the Options"),
        (2, "More Information"),
    ]
    assert "## Decision Outcome\n\nEvery slow call goes through a queue" in text
    assert "* needed by [Keep the log for a year](0008-keep-the-log-for-a-year.md)" in text


@pytest.mark.parametrize("kind", ["okf", "madr"])
def test_a_target_that_is_not_ours_is_left_alone(tmp_path: Path, kind: str) -> None:
    made, _ = ledger()
    export = {"okf": export_okf.export, "madr": export_madr.export}[kind]
    target = tmp_path / "out"
    target.mkdir()
    export([record(made)], Audience(), target)
    export([record(ledger(withheld=False)[0])], Audience(Sensitivity.RESTRICTED), target)
    (target / "notes.txt").write_text("mine")
    before = contents_of(target)
    with pytest.raises(RefusedError, match="did not put there"):
        export([record(made)], Audience(), target)
    (target / "notes.txt").unlink()
    first = next(path for path in target.rglob("*.md"))
    first.write_text("edited by hand")
    with pytest.raises(RefusedError):
        export([record(made)], Audience(), target)
    assert first.read_text() == "edited by hand"
    assert set(contents_of(target)) == set(before) - {"notes.txt"}
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(RefusedError):
        export([record(made)], Audience(), tmp_path / "link")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "out"]


def test_a_page_replaces_a_page_and_nothing_else(tmp_path: Path) -> None:
    made, _ = ledger()
    target = tmp_path / "page.html"
    assert export_html.export([record(made)], Audience(), target, "One") == 4
    assert export_html.export([record(made)], Audience(), target, "Two") == 4
    assert b"<title>Two</title>" in target.read_bytes()
    target.write_text("<title>mine</title>")
    with pytest.raises(RefusedError):
        export_html.export([record(made)], Audience(), target, "Three")
    assert target.read_text() == "<title>mine</title>"


def test_the_page_says_how_each_decision_stands() -> None:
    made, items = ledger()
    page = export_html.page_of([record(made)], ALL, "Decisions")
    standing = {card.id: (card.standing, card.reason) for card in page.cards}
    assert standing[items["queue"]] == ("in_force", "")
    assert standing[items["old"]] == ("not_in_force", RecordStatus.SUPERSEDED.value)
    proposed = [one for one in page.cards if one.standing == "unassessed"]
    assert [one.title for one in proposed] == ["Shard the queue"]
    (gone,) = (one for one in page.cards if one.id == items["old"])
    assert (gone.title, gone.body) == ("", "")
    assert [(one.words, one.other) for one in gone.relations] == [("superseded by", items["log"])]
    assert ("2026-03-01", "a thread a call", "lost on restart", "a pool of processes") in (
        page.rejections
    )


def test_a_secret_in_a_decision_is_redacted_wherever_it_is_exported() -> None:
    from random import Random

    from tests.sources.secrets import tokens

    secret = next(iter(tokens(Random(3)).values()))[0]
    made, _ = ledger()
    made.decide("Use the key", body=f"The key is {secret} for now.\n")
    records = [record(made)]
    page = render(export_html.page_of(records, ALL, "D"))
    every = [page.encode(), *export_okf.bundle(records, ALL).values()]
    every += export_madr.tree_of(records, ALL).values()
    assert not any(secret.encode() in one for one in every)
    assert any(b"[redacted:" in one for one in every)
