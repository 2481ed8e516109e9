"""Targets for what the record, the trust and imports are read from: a value, or a refusal of ours.

What is read is written and read back the same; where bytes have one form, no others are accepted.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from citator.formats import config, json_values, reviews, reviews_github, reviews_gitlab
from citator.formats.front_matter import read_front_matter
from citator.formats.json_values import NotJsonError
from citator.formats.review_gathering import Gathering, without_names
from citator.formats.yaml_safe import load
from citator.model.errors import CitatorError, IntegrityError
from citator.record import approvals, attestations, ledger, migration
from citator.record.errors import MigrationError
from citator.record.importing.draft import Draft, Origin
from citator.record.importing.plan import Planner
from citator.record.replay import replay
from citator.record.ulid import mint
from citator.service import import_adr, import_okf, import_theurian, note_sharing
from citator.store.journal import Journal
from citator.store.layout import Layout
from citator.trust import agent, canonical, grants, pins, policy, readership, signatures, statement
from citator.trust.canonical import CanonicalError
from citator.trust.errors import (
    KeyRefusedError,
    PinRefusedError,
    PolicyRefusedError,
    SignatureRefusedError,
    StatementRefusedError,
)
from citator.trust.keys import key_from_blob, parse_public_key
from tests.fuzz.harness import Target
from tests.fuzz.text_targets import text_of

NOW: Final = "2026-03-01T09:00:00Z"


@contextmanager
def holding(data: bytes, *path: str) -> Iterator[Path]:
    """An owner-only directory that holds ``data`` at ``path``."""
    folder = Path(tempfile.mkdtemp(prefix="citator-fuzz-"))
    try:
        place = folder.joinpath(*path)
        for parent in reversed(place.relative_to(folder).parents[:-1]):
            (folder / parent).mkdir(mode=0o700)
        place.write_bytes(data)
        place.chmod(0o600)
        yield folder
    finally:
        shutil.rmtree(folder)


def _migration(data: bytes) -> None:
    made = migration.parse(data)
    again = migration.parse(made.render())
    assert again == made
    assert again.digest == made.digest
    replay([made])


def _ledger(data: bytes) -> None:
    """Files apart by a line ``===``: the first line of each is its path."""
    files = []
    for part in data.split(b"\n===\n")[:32]:
        path, _, content = part.partition(b"\n")
        files.append(ledger.LedgerFile(path.decode("utf-8", "surrogateescape"), content))
    found = ledger.read(files)
    assert found.landed == ledger.read(files[::-1]).landed
    replay(list(found.landed.values()))


def _approval(data: bytes) -> None:
    found = approvals.parse(data)
    assert approvals.parse(found.render()).statement == found.statement
    approvals.checked(found)


def _attestation(data: bytes) -> None:
    attestations.checked(data)


def _public_key(data: bytes) -> None:
    """What names approvers: the text of ``.pub`` files and of an agent's list."""
    text = data.decode("utf-8", "replace")
    for line in text.splitlines()[:8]:
        agent.of_line(line, "a file")
    key = parse_public_key(text)
    assert parse_public_key(key.text) == key
    assert key_from_blob(key.blob) == key


def _signature(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    signatures.parse(text)
    signatures.verify(text, b"{}", statement.NAMESPACE)


def _signature_blob(data: bytes) -> None:
    signatures.verify(signatures.armor(data[:8_000]), b"{}", statement.NAMESPACE)


def _statement(data: bytes) -> None:
    assert statement.parse_statement(data).to_bytes() == data


def _pin(data: bytes) -> None:
    assert pins.parse_pin(data).to_bytes() == data


def _policy(data: bytes) -> None:
    value = load(text_of(data)).value
    if isinstance(value, dict):
        made = policy.parse_policy(value)
        assert policy.parse_policy(made.to_dict()).digest == made.digest


def _canonical(data: bytes) -> None:
    assert canonical.encode(canonical.decode(data, 65_536)) == data


def _kept_trust(data: bytes) -> None:
    for name, read in (
        ("grants", lambda layout: grants.Grants(layout).relied_on()),
        ("readership", lambda layout: readership.Readerships(layout).relied_on("a" * 64)),
    ):
        with holding(data, "trust", f"{name}.json") as folder:
            read(Layout(folder))


def _config(data: bytes) -> None:
    found, _ = config.parse(data)
    found.paths().selects("src/a.py")


def _review(data: bytes) -> None:
    lines = text_of(data).split("\n")
    front = read_front_matter(lines)
    kept = reviews.parse(front.values, "\n".join(lines[front.lines :]))
    if kept is not None:
        reviews.render(kept)


def _review_export(data: bytes) -> None:
    gatherings = Gathering("github"), Gathering("gitlab")
    for value in json_values.mappings(json_values.read_values(text_of(data))):
        if not reviews_github.take(gatherings[0], value):
            reviews_gitlab.take(gatherings[1], value)
    for one in gatherings:
        for change in one.changes():
            without_names(change)
            for thread in change.threads:
                kept = reviews.Kept(
                    change.provider, change.number, change.about, change.state, change.title, thread
                )
                lines = reviews.render(kept).split("\n")
                front = read_front_matter(lines)
                reviews.parse(front.values, "\n".join(lines[front.lines :]))


def _planned(origin: Origin, drafts: tuple[Draft, ...]) -> None:
    ticks = count(1_700_000_000_000)
    planner = Planner(origin, (), "Ada", NOW, lambda: mint(next(ticks), lambda size: b"\7" * size))
    for step in planner.plan(drafts):
        if step.migration is not None:
            again = migration.parse(step.migration.render())
            assert again.digest == step.migration.digest


def _adr(data: bytes) -> None:
    with holding(data, "0001-a.md") as folder:
        found = import_adr.read(folder, "docs/adr/", import_adr.Options())
    _planned(Origin.ADR, found.drafts)


def _okf(data: bytes) -> None:
    with holding(data, "a", "b.md") as folder:
        found = import_okf.read(folder, import_okf.Options())
    _planned(Origin.OKF, found.drafts)


def _theurian(data: bytes) -> None:
    with holding(data, "migrations", "0001.yaml") as folder:
        (folder / "bodies").mkdir()
        (folder / "bodies" / "a.md").write_text("# Keep it\n\nIt is kept.\n", "utf-8")
        found = import_theurian.read(folder)
    _planned(Origin.THEURIAN, found.drafts)


def _journal(data: bytes) -> None:
    with holding(data, "journal", "000000000001.jsonl") as folder:
        journal = Journal(folder / "journal")
        for entry in journal.newest():
            assert entry.line() in data
        verified = journal.verify()
        assert verified.last <= data.count(b"\n")
        journal.append("note_added", NOW)
        assert journal.newest(1)[0].event == "note_added"


def _notes(data: bytes) -> None:
    """The lines of an export of notes, as an import weighs each."""
    for line in data.decode("utf-8", "replace").splitlines()[:64]:
        note_sharing._content(note_sharing._line(line))


def _foreign_store(data: bytes) -> None:
    with holding(data, "memory.db") as folder:
        list(note_sharing._memories(folder / "memory.db"))


def sample_store(folder: Path) -> bytes:
    """A small store of another program's memories, for the corpus."""
    with sqlite3.connect(folder / "memory.db") as store:
        store.execute("CREATE TABLE memories (category, content, status, scope_type, scope_value)")
        store.execute("INSERT INTO memories VALUES ('gotcha', 'Mind it', 'x', 'file', 'a.py')")
    store.close()
    return (folder / "memory.db").read_bytes()


_YAML: Final = (b"&a ", b"*a", b"<<: ", b"!!str ", b'"\\u0000"', b"citator: 1\n")
_JSON: Final = (b'"', b":", b"{}", b"[]", b"null", b"1e9", b'"\\ud800"', b"true")

TARGETS: Final = (
    Target("migration", _migration, (MigrationError,), (*_YAML, b"\n  - ", b"\n---\n"), 16_384),
    Target("ledger", _ledger, (), (*_YAML, b"\n===\n", b"record/a.md\n"), 16_384),
    Target("approval", _approval, (IntegrityError,), (*_YAML, b"signature: |\n"), 16_384),
    Target("attestation", _attestation, (IntegrityError,), _YAML, 16_384),
    Target("public-key", _public_key, (KeyRefusedError,), (b"ssh-ed25519 ", b"AAAA", b"=")),
    Target(
        "signature", _signature, (SignatureRefusedError,), (b"-----BEGIN SSH SIGNATURE-----\n",)
    ),
    Target("signature-blob", _signature_blob, (SignatureRefusedError,), (b"\0\0\0\1", b"SSHSIG")),
    Target("statement", _statement, (StatementRefusedError,), _JSON),
    Target("pin", _pin, (PinRefusedError,), _JSON),
    Target("policy", _policy, (PolicyRefusedError,), _YAML),
    Target("canonical", _canonical, (CanonicalError,), _JSON),
    Target("kept-trust", _kept_trust, (), _JSON),
    Target("config", _config, (), (*_YAML, b"include:", b"**/", b"retrieval:")),
    Target("review", _review, (), (*_YAML, b"\n> ", b"citator_review: 1\n")),
    Target("review-export", _review_export, (NotJsonError,), (*_JSON, b'"number":', b'"notes":')),
    Target("adr", _adr, (CitatorError,), (b"## Status\n", b"Superseded by ", b"](0002-b.md)")),
    Target("okf", _okf, (CitatorError,), (*_YAML, b"type: ", b"](../c.md)")),
    Target("theurian", _theurian, (CitatorError,), (*_YAML, b"- op: ", b"dependsOn:")),
    Target("journal", _journal, (IntegrityError,), (*_JSON, b"\n", b'"n":')),
    Target("notes", _notes, (), (*_JSON, b'"kind"', b'"paths"')),
    Target("foreign-store", _foreign_store, (CitatorError,), (b"CREATE TABLE ", b"CREATE VIEW ")),
)
