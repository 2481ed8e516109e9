"""A migration: one file, one meaning, one digest; nothing that is not understood is taken."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.record.errors import MigrationError, Refusal
from citator.record.migration import MAX_BYTES, MAX_OPERATIONS, Migration, parse
from citator.record.operations import SCHEMAS, checked
from citator.record.replay import replay
from citator.record.ulid import mint
from tests.record.samples import DIGEST, ITEM, OTHER, migrations, sample

FILE = f"""---
citator: 1
id: {ITEM}
author: "Ada"
created_at: "2026-03-01T09:00:00Z"
operations:
  - op: upsert_revision
    item: {OTHER}
    title: "Keep sessions in SQLite"
    ruling: "Sessions are in one SQLite file."
    paths: ["src/session/**", "docs/session.md"]
    base: ["{DIGEST}"]
---
One file, no server.

Redis was tried.
"""


HOSTILE = [
    *(b"\n---\n", b"\r", b"\0", b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\xa8", b": ", b"- ", b"# "),
    *(
        b"&a ",
        b"*a",
        b"!!str ",
        b"<<: ",
        b"{",
        b"}",
        b"[",
        b"]",
        b"'",
        b'"',
        b"|",
        b">",
        b"%",
        b"@",
    ),
    *(b"null", b"~", b"true", b"1e3", b"0x1", b"1:2", b"2026-01-01", b"\\u0000", b"\t", b"? "),
]
PATHS = '["src/session/**", "docs/session.md"]'


def zeros(size: int) -> bytes:
    return b"\0" * size


def refused(text: str | bytes) -> MigrationError:
    with pytest.raises(MigrationError) as caught:
        parse(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return caught.value


def test_a_file_is_read() -> None:
    migration = parse(FILE.encode())
    assert migration.id == ITEM
    assert migration.author == "Ada"
    assert migration.created_at == "2026-03-01T09:00:00Z"
    assert migration.body == "One file, no server.\n\nRedis was tried.\n"
    assert migration.operations == (
        checked(
            {
                "op": "upsert_revision",
                "item": OTHER,
                "title": "Keep sessions in SQLite",
                "ruling": "Sessions are in one SQLite file.",
                "paths": ["docs/session.md", "src/session/**"],
                "base": [DIGEST],
            },
            1,
        ),
    )
    assert (migration.loosens, migration.draft, migration.is_governance) == ((), False, False)
    assert migration.revision is migration.operations[0]


def test_the_digest_of_a_file_is_what_it_was_in_every_release() -> None:
    """An approval signs it: another value here would void every approval there is."""
    assert parse(FILE.encode()).digest == (
        "eccc440f1c98edc6886f9dfe5365f89be37dcca261375a2e6dad97dcd7dfe2c9"
    )
    assert parse(FILE.encode()).links == (
        "09ec38cc5c1b1bbf7e5d0ed6cdda7e646f58a49ba5a6ff97fe24873d3bb8b221",
    )


def test_the_canonical_form_is_what_the_reference_says() -> None:
    head = {
        "citator": 1,
        "id": ITEM,
        "author": "Ada",
        "created_at": "2026-03-01T09:00:00Z",
        "draft": False,
        "loosens": [],
        "operations": [
            {
                "op": "upsert_revision",
                "base": [DIGEST],
                "item": OTHER,
                "title": "Keep sessions in SQLite",
                "ruling": "Sessions are in one SQLite file.",
                "paths": ["docs/session.md", "src/session/**"],
            }
        ],
    }
    line = json.dumps(head, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    canonical = f"{line}\nOne file, no server.\n\nRedis was tried.\n".encode()
    migration = parse(FILE.encode())
    assert migration.canonical() == canonical
    assert migration.digest == hashlib.sha256(canonical).hexdigest()
    link = hashlib.sha256(f"{migration.digest}/0".encode()).hexdigest()
    assert migration.links == (link,)


@settings(derandomize=True, max_examples=250, deadline=None)
@given(migrations())
def test_what_is_rendered_is_read_back(migration: Migration) -> None:
    again = parse(migration.render())
    assert again == migration
    assert again.digest == migration.digest
    assert again.render() == migration.render()


@settings(derandomize=True, max_examples=100, deadline=None)
@given(migrations())
def test_a_checkout_that_converts_line_ends_changes_no_digest(migration: Migration) -> None:
    data = migration.render()
    for other in (
        data.replace(b"\n", b"\r\n"),
        data.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + data,
        data + b"\n\n",
    ):
        assert parse(other).digest == migration.digest


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.replace('"Ada"', "Ada"),
        lambda f: f.replace('"Ada"', "'Ada'"),
        lambda f: f.replace('"Ada"', '"\\u0041da"'),
        lambda f: f.replace('"Ada"', "|-\n  Ada"),
        lambda f: f.replace('"Ada"', ">-\n  Ada\n"),
        lambda f: f.replace('"Ada"', '"  Ada "'),
        lambda f: f.replace("citator: 1", "# a remark\n\ncitator: 1"),
        lambda f: f.replace('"2026-03-01T09:00:00Z"', "2026-03-01T10:00:00.25+01:00"),
        lambda f: f.replace(PATHS, '["docs/session.md","src/session/**"]'),
        lambda f: f.replace(PATHS, '\n    - "docs/session.md"\n    - "src/session/**"'),
        lambda f: f.replace(f'["{DIGEST}"]', DIGEST),
        lambda f: f.replace("citator: 1\nid", "draft: false\nloosens: []\ncitator: 1\nid"),
        lambda f: f.replace("citator: 1\nid", "draft: null\nloosens:\ncitator: 1\nid"),
        lambda f: f.replace("    ruling", "    labels: []\n    trust:\n    ruling"),
        lambda f: f.replace("---\nOne", "---\n\n\nOne"),
        lambda f: f.removesuffix("\n"),
        lambda f: f.replace("  - op", "- op").replace("\n    ", "\n  "),
    ],
)  # fmt: skip
def test_another_spelling_has_the_same_digest(change: Callable[[str], str]) -> None:
    other = change(FILE)
    assert other != FILE
    assert parse(other.encode()).digest == parse(FILE.encode()).digest


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.replace(ITEM, ITEM[:-1] + "B", 1),
        lambda f: f.replace("Ada", "ada"),
        lambda f: f.replace("09:00:00Z", "09:00:01Z"),
        lambda f: f.replace("Keep sessions", "Keep  sessions"),
        lambda f: f.replace("Keep", "Кeep"),
        lambda f: f.replace("one SQLite", "a SQLite"),
        lambda f: f.replace("docs/session.md", "docs/Session.md"),
        lambda f: f.replace(f'    base: ["{DIGEST}"]\n', ""),
        lambda f: f.replace("    paths:", "    trust: reviewed\n    paths:"),
        lambda f: f.replace("no server.", "no server. "),
        lambda f: f.replace("Redis was", "\tRedis was"),
        lambda f: f.replace("\n\nRedis", "\nRedis"),
        lambda f: f.replace("operations:", "draft: true\noperations:"),
        lambda f: f.replace("operations:", 'loosens: ["change_policy"]\noperations:'),
        lambda f: f.replace("---\nOne", f"  - op: deprecate_item\n    item: {ITEM}\n---\nOne"),
    ],
)
def test_another_meaning_has_another_digest(change: Callable[[str], str]) -> None:
    other, first = parse(change(FILE).encode()), parse(FILE.encode())
    assert other.digest != first.digest
    assert set(other.links).isdisjoint(first.links)


def test_the_order_of_operations_is_part_of_the_digest() -> None:
    operations = tuple(checked(sample(name), 1) for name in ("add_alias", "deprecate_item"))
    one = Migration(ITEM, "Ada", "2026-03-01T09:00:00Z", operations, "")
    assert one.digest != replace(one, operations=operations[::-1]).digest


def test_text_and_front_matter_cannot_be_taken_for_each_other() -> None:
    tail = "\n---\ncitator: 1\n---\nmore\n"
    assert parse((FILE + tail).encode()).body == parse(FILE.encode()).body + tail
    rendered = replace(parse(FILE.encode()), body='{"citator":1}\n---\n---\n')
    assert parse(rendered.render()) == rendered


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "---",
        "---\n---\n",
        "---\n---",
        "One file\n",
        "\n" + FILE,
        " " + FILE,
        FILE.replace("---\nOne", "One"),
        FILE.replace("---\nOne", "...\nOne"),
        FILE.replace("---\nOne", " ---\nOne"),
        FILE.replace("---\n", "--- \n", 1),
        "---\n- citator: 1\n---\n",
        "---\njust a text\n---\n",
        "---\n42\n---\n",
        FILE.replace("citator: 1", "citator: 1\ncitator: 1"),
        FILE.replace('author: "Ada"', 'author: "Ada"\nauthor: "Eve"'),
        FILE.replace("    title", '    ruling: "Other."\n    title'),
        FILE.replace("citator: 1", "citator: 1\n? [a, b]\n: x"),
        FILE.replace("citator: 1", "citator: !!int 1\n<<: {author: Eve}"),
        FILE.replace('"Ada"', "!!python/object/apply:os.system [id]"),
        FILE.replace('"Ada"', "&a Ada"),
        FILE.replace('"Ada"', '"Ada'),
        FILE.replace('"Ada"', "!!binary QWRh"),
        FILE.replace('"Ada"', '"A\0da"'),
        FILE.replace('"Ada"', '"\\ud800"'),
        FILE.replace("no server.", "no\0server."),
        FILE.replace("operations:", "operations: " + "[" * 100 + "]" * 100 + "\nold:"),
        FILE.replace("operations:", "\toperations:"),
    ],
)
def test_what_is_no_migration_is_said_to_be_unreadable(text: str) -> None:
    error = refused(text)
    assert error.refusal is Refusal.UNREADABLE
    assert error.code == "migration_unreadable"


def test_an_unreadable_line_is_named_as_an_editor_counts() -> None:
    assert refused(FILE.replace('"Ada"', "&a Ada")).detail == "line 4"
    assert refused(FILE.replace('author: "Ada"', 'author: "Ada"\nauthor: "Eve"')).detail == "line 5"


@pytest.mark.parametrize(
    "data",
    [
        FILE.encode("utf-16"),
        FILE.encode("utf-16-le"),
        FILE.replace("Ada", "Adä").encode("latin-1"),
        FILE.replace("Ada", "A\ud800").encode("utf-8", "surrogatepass"),
        FILE.encode().replace(b"Ada", b"\xc0\xafda"),
        b"\xff\xfe",
    ],
)
def test_what_is_not_utf8_is_refused(data: bytes) -> None:
    error = refused(data)
    assert (error.refusal, error.detail) in (
        (Refusal.UNREADABLE, "it is not UTF-8"),
        (Refusal.UNREADABLE, ""),
    )


@settings(derandomize=True, max_examples=500, deadline=None)
@given(st.data())
def test_a_file_with_anything_in_it_is_a_migration_or_refused(data: st.DataObject) -> None:
    whole = FILE.encode()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole)))
        put = data.draw(st.binary(max_size=6) | st.sampled_from(HOSTILE))
        whole = whole[:at] + put + whole[at + data.draw(st.integers(0, 12)) :]
    try:
        migration = parse(whole)
    except MigrationError:
        return
    again = parse(migration.render())
    assert (again, again.digest) == (migration, migration.digest)
    assert replay([migration]).canonical() == replay([again]).canonical()


BOMB = "a: &a [x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 8)}]\n" for n in range(8)
)


def test_a_text_made_to_expand_does_not() -> None:
    assert refused(f"---\n{BOMB}---\n").refusal is Refusal.UNREADABLE


def test_a_file_that_is_too_large_is_refused_before_it_is_read() -> None:
    assert refused(FILE + "x" * MAX_BYTES).refusal is Refusal.TOO_LARGE
    assert refused(b"\xff" * (MAX_BYTES + 1)).refusal is Refusal.TOO_LARGE
    spare = MAX_BYTES - len(parse(FILE.encode()).render())
    whole = parse((FILE + "x" * (spare - 1)).encode())
    assert len(whole.render()) == MAX_BYTES
    with pytest.raises(MigrationError) as caught:  # what could not be read back is not written
        replace(whole, body="x" + whole.body).render()
    assert caught.value.refusal is Refusal.TOO_LARGE
    reasons = [
        {**sample("deprecate_item", reason="x" * 500), "item": mint(n, zeros)} for n in range(200)
    ]
    many = replace(whole, operations=tuple(checked(one, 1) for one in reasons), body="")
    with pytest.raises(MigrationError):
        many.render()
    assert refused(FILE.replace("operations:", f"# {'x' * 65_536}\noperations:")).refusal is (
        Refusal.TOO_LARGE
    )


@pytest.mark.parametrize("version", ["2", "0", "1.0", "true", '"1"', "null", "[1]", "01", "1e0"])
def test_another_version_is_refused(version: str) -> None:
    assert refused(FILE.replace("citator: 1", f"citator: {version}")).refusal is Refusal.VERSION


def test_a_file_that_says_no_version_is_refused() -> None:
    assert refused(FILE.replace("citator: 1\n", "")).refusal is Refusal.VERSION


@pytest.mark.parametrize("key", ["status", "approved_by", "Author", "tags", "signature", '""'])
def test_an_unknown_field_is_refused(key: str) -> None:
    other = FILE.replace("operations:", f"{key}: x\noperations:")
    assert refused(other).refusal is Refusal.UNKNOWN_FIELD


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"id: {ITEM}\n", ""),
        (f"id: {ITEM}\n", f"id: {ITEM.lower()}\n"),
        (f"id: {ITEM}\n", "id: 12345678901234567\n"),
        (f"id: {ITEM}\n", f"id: [{ITEM}]\n"),
        ('author: "Ada"\n', ""),
        ('author: "Ada"\n', 'author: ""\n'),
        ('author: "Ada"\n', "author: 42\n"),
        ('author: "Ada"\n', "author: true\n"),
        ('author: "Ada"\n', "author: [Ada]\n"),
        ('author: "Ada"\n', f"author: {'a' * 321}\n"),
        ('author: "Ada"\n', 'author: "Ada\\nEve"\n'),
        ('author: "Ada"\n', 'author: "Ada\\u202e"\n'),
        ('created_at: "2026-03-01T09:00:00Z"\n', ""),
        ('"2026-03-01T09:00:00Z"', "2026-03-01"),
        ('"2026-03-01T09:00:00Z"', "20260301"),
        ("operations:", "draft: yes\noperations:"),
        ("operations:", "draft: 1\noperations:"),
        ("operations:", 'draft: "true"\noperations:'),
        ("operations:", "loosens: change_policy\noperations:"),
        ("operations:", 'loosens: ["change policy"]\noperations:'),
        ("operations:", 'loosens: ["restore_item:"]\noperations:'),
        ("operations:", f'loosens: ["{"a" * 201}"]\noperations:'),
        ("operations:", "loosens: [a, a]\noperations:"),
        ("operations:", "loosens: [1]\noperations:"),
    ],
)
def test_a_field_that_holds_what_it_may_not_is_refused(old: str, new: str) -> None:
    assert old in FILE
    error = refused(FILE.replace(old, new))
    assert error.refusal is Refusal.FIELD
    assert error.todo == "see `docs/reference/record.md` for the format"


@pytest.mark.parametrize("operations", ["", " []", " {}", " x", " null", " 5", " {op: x}"])
def test_a_migration_without_operations_is_refused(operations: str) -> None:
    head = FILE.partition("operations:")[0]
    assert refused(f"{head}operations:{operations}\n---\n").refusal is Refusal.FIELD


def test_a_migration_has_no_more_operations_than_a_person_can_review() -> None:
    def file(count: int) -> bytes:
        lines = [f"- {{op: add_alias, alias: a{n}, item: {ITEM}}}" for n in range(count)]
        return (FILE.partition("  - op")[0] + "\n".join(lines) + "\n---\n").encode()

    assert len(parse(file(MAX_OPERATIONS)).operations) == MAX_OPERATIONS
    assert refused(file(MAX_OPERATIONS + 1)).refusal is Refusal.FIELD


def of(*names: str) -> str:
    made = tuple(checked(sample(name), 1) for name in names)
    return Migration(ITEM, "Ada", "2026-03-01T09:00:00Z", made, "").render().decode()


def test_a_file_lands_one_text_and_acts_once_on_a_slot() -> None:
    second = of("upsert_revision").partition("operations:\n")[2].replace(ITEM, OTHER)
    two = of("upsert_revision").replace("\n---\n", "\n" + second, 1)
    assert refused(two).detail == "a migration lands the text of one revision"
    for one, other in (("deprecate_item", "restore_item"), ("add_alias", "add_alias")):
        error = refused(of(one, other))
        assert (error.refusal, error.detail) == (
            Refusal.FIELD,
            "two operations act on one slot",
        )


@pytest.mark.parametrize("name", sorted(SCHEMAS.keys() - {"set_approvers", "set_policy"}))
def test_approvers_and_policy_change_in_a_migration_of_their_own(name: str) -> None:
    assert refused(of("set_policy", name)).refusal is Refusal.GOVERNANCE_MIXED
    assert refused(of(name, "set_approvers")).refusal is Refusal.GOVERNANCE_MIXED
    assert parse(of("set_approvers", "set_policy").encode()).is_governance
    assert not parse(of(name).encode()).is_governance


def test_a_name_of_a_file_carries_the_id_and_is_plain() -> None:
    migration = parse(FILE.encode())
    assert migration.file_name() == f"{ITEM}-keep-sessions-in-sqlite.md"
    assert parse(of("deprecate_item").encode()).file_name() == f"{ITEM}.md"
    for title in ("セッション", "../../etc/passwd", "a" * 200, "NUL", "-- x --", "…"):
        raw = sample("upsert_revision", title=title)
        name = replace(migration, operations=(checked(raw, 1),)).file_name()
        assert name.startswith(ITEM) and name.endswith(".md") and len(name) <= 83
        assert set(name) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghijklmnopqrstuvwxyz-.")
        assert ".." not in name


def test_a_draft_is_made_ready_and_is_then_another_migration() -> None:
    draft = replace(parse(FILE.encode()), draft=True)
    assert parse(draft.render()).draft
    assert draft.ready() == parse(FILE.encode())
    assert draft.ready().digest != draft.digest


def test_no_refusal_repeats_a_word_of_the_file() -> None:
    for text in (
        FILE.replace("citator: 1", "hunter2: 1\ncitator: 1"),
        FILE.replace('"Ada"', "[hunter2]"),
        FILE.replace("upsert_revision", "hunter2"),
        FILE.replace("    title", "    hunter2: 1\n    title"),
        FILE.replace('"Ada"', "&hunter2 Ada"),
    ):
        error = refused(text)
        assert "hunter2" not in f"{error} {error.what} {error.todo} {error.detail}"
