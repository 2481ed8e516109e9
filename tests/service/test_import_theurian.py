"""A Theurian record comes in with all its statuses, as proposals and rejections to sign."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from citator.model.errors import UsageError
from citator.model.record import ItemKind, RecordStatus, RelationType, Sensitivity, Trust
from citator.record.importing.draft import Origin
from citator.record.ulid import mint
from citator.service import import_theurian
from citator.service.importing import ImportReport
from citator.service.workspace import Workspace
from citator.trust.ledgers import SecondLedgers
from tests.sources.secrets import tokens
from tests.support.builder import Builder, contents_of
from tests.support.importing import imported, proposals, put, would_be


@dataclass
class Theirs:
    """A record in that format, under construction in ``folder``."""

    folder: Path
    count: int = 0
    ids: list[str] = field(default_factory=list)

    def id(self) -> str:
        self.count += 1
        return mint(1_760_000_000_000 + self.count, lambda size: bytes(size))

    def migrate(
        self,
        *operations: dict[str, Any],
        depends: Iterable[str] = (),
        under: str = "migrations",
        **changes: Any,
    ) -> str:
        """One migration file of these operations; its id."""
        made = self.id()
        values = {
            "apiVersion": "theurian.dev/v1",
            "id": made,
            "createdAt": f"2025-03-{self.count:02d}T10:00:00+00:00",
            "author": "Grace",
            "operations": list(operations),
            **changes,
        }
        if depends:
            values["dependsOn"] = list(depends)
        lines = [f"{key}: {json.dumps(value)}" for key, value in values.items()]
        put(self.folder, {f"{under}/{made}-x.yaml": "\n".join(lines)})
        return made

    def text(
        self,
        item: str,
        body: str,
        status: str = "approved",
        under: str = "knowledge/domain",
        named: str = "../knowledge/domain",
        **meta: Any,
    ) -> dict[str, Any]:
        """The operation that gives an item a text, and the file it pins."""
        revision = self.id()
        name = f"{item.rpartition('.')[2]}.{revision}.md"
        put(self.folder, {f"{under}/{name}": body})
        return {
            "op": "upsertRevision",
            "itemId": item,
            "revisionId": revision,
            "contentFile": f"{named}/{name}",
            "contentSha256": hashlib.sha256(body.encode()).hexdigest(),
            "metadata": {
                "title": f"About {item}",
                "contentType": "text/markdown",
                "kind": "domain",
                "namespace": "domain",
                "status": status,
                "owner": "core",
                **meta,
            },
        }


def created(item: str, **values: Any) -> dict[str, Any]:
    return {
        "op": "createItem",
        "itemId": item,
        "kind": "domain",
        "namespace": "domain",
        "owner": "core",
        **values,
    }


BODY = "# Tokens\n\nA session token is valid for twenty-four hours from its minting.\n"
LATER = "# Tokens\n\nA session token is valid for one hour, and is renewed while it is used.\n"


@pytest.fixture
def workspace(history: Builder, open_workspace: Callable[[Builder], Workspace]) -> Workspace:
    return open_workspace(history)


@pytest.fixture
def theirs(tmp_path: Path) -> Theirs:
    folder = tmp_path / "other" / ".theurian"
    (folder / "migrations").mkdir(parents=True)
    return Theirs(folder)


def bring(workspace: Workspace, theirs: Theirs, **settings: Any) -> ImportReport:
    reading = import_theurian.read(theirs.folder.parent)
    return imported(workspace, Origin.THEURIAN, reading, **settings)


def apart(workspace: Workspace, folder: Path) -> Path:
    """A second ledger that the operator named."""
    place = folder / "second"
    place.mkdir()
    SecondLedgers(workspace.layout).set(workspace.repository_id, place)
    return place


def test_an_item_keeps_its_id_as_an_alias_its_texts_scope_anchors_and_sensitivity(
    workspace: Workspace, history: Builder, theirs: Theirs
) -> None:
    anchor = {"provider": "git", "commitSha": "a" * 40, "filePath": "src/a.py", "lineStart": 3}
    meta: dict[str, Any] = {
        "trustLevel": "reviewed",
        "sensitivity": "public",
        "labels": ["Session tokens", "auth"],
        "scope": {"paths": ["src/auth/**"]},
        "sourceAnchors": [anchor],
        "validTo": "2026-01-01T00:00:00Z",
    }
    theirs.migrate(created("domain.tokens"), theirs.text("domain.tokens", BODY, **meta))
    theirs.migrate(theirs.text("domain.tokens", LATER, **meta))
    theirs.migrate({"op": "addAlias", "alias": "ttl", "itemId": "domain.tokens"})
    report = bring(workspace, theirs)
    assert report.counts == {"proposed": 1, "revised": 1}
    item = would_be(history.path).item("domain.tokens")
    assert item is not None and item.current is not None
    assert item == would_be(history.path).item("ttl")
    assert (item.kind, item.owner) == (ItemKind.DOMAIN, "core")
    assert item.sensitivity is Sensitivity.PUBLIC
    assert [one.body for one in item.revisions] == [BODY, LATER]
    current = item.current
    assert current.title == "About domain.tokens"
    assert current.ruling == (
        "A session token is valid for one hour, and is renewed while it is used."
    )
    assert current.labels == ("auth", "namespace-domain", "ruling-derived", "session-tokens")
    assert current.paths == ("src/auth/**",)
    assert (current.anchors[0].commit, current.anchors[0].path) == ("a" * 40, "src/a.py")
    assert current.trust is Trust.REVIEWED
    assert item.revisions[0].valid_from == "2025-03-02T10:00:00Z"
    assert current.valid_to == "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("status", "outcomes", "becomes"),
    [
        ("approved", {"proposed": 1}, RecordStatus.APPROVED),
        ("proposed", {"proposed": 1}, RecordStatus.APPROVED),
        ("draft", {"proposed": 1}, RecordStatus.APPROVED),
        ("deprecated", {"proposed": 1, "retirement_proposed": 1}, RecordStatus.DEPRECATED),
        ("superseded", {"proposed": 1, "retirement_proposed": 1}, RecordStatus.DEPRECATED),
    ],
)
def test_every_status_comes_in_as_what_would_make_it(
    workspace: Workspace,
    history: Builder,
    theirs: Theirs,
    status: str,
    outcomes: dict[str, int],
    becomes: RecordStatus,
) -> None:
    theirs.migrate(created("domain.tokens"), theirs.text("domain.tokens", BODY, status))
    assert bring(workspace, theirs).counts == outcomes
    item = would_be(history.path).item("domain.tokens")
    assert item is not None and item.status is becomes
    first = proposals(history.path)[0]
    assert first.draft is (status == "draft")


def test_a_rejected_item_is_a_rejection_to_sign_and_no_item(
    workspace: Workspace, history: Builder, theirs: Theirs
) -> None:
    text = theirs.text("domain.cache", BODY, "rejected", scope={"paths": ["src/**"]})
    theirs.migrate(created("domain.cache"), text)
    assert bring(workspace, theirs).counts == {"rejection_pending": 1}
    state = would_be(history.path)
    assert state.items == {}
    (rejected,) = state.rejections.values()
    assert (rejected.value, rejected.kind) == ("About domain.cache", ItemKind.DOMAIN)
    assert rejected.scope == ("src/**",)
    assert bring(workspace, theirs).counts == {"already_there": 1}


def test_what_superseded_is_a_relation_and_the_order_of_replay_is_theirs(
    workspace: Workspace, history: Builder, theirs: Theirs
) -> None:
    earlier = theirs.id()
    base = theirs.migrate(created("domain.v1"), theirs.text("domain.v1", BODY))
    theirs.migrate(created("domain.v2"), theirs.text("domain.v2", LATER))
    theirs.migrate(
        {"op": "deprecateItem", "itemId": "domain.v1", "supersededBy": "domain.v2"},
        {
            "op": "addRelation",
            "sourceItemId": "domain.v1",
            "relationType": "implemented_by",
            "targetItemId": "domain.v2",
            "note": "in part",
        },
        depends=[base],
        id=earlier,
    )
    report = bring(workspace, theirs)
    assert report.counts == {"proposed": 2, "related": 2}
    state = would_be(history.path)
    old, new = state.item("domain.v1"), state.item("domain.v2")
    assert old is not None and new is not None
    assert (old.status, old.superseded_by) == (RecordStatus.SUPERSEDED, (new.id,))
    assert {(one.type, one.note) for one in new.relations} == {
        (RelationType.SUPERSEDES, ""),
        (RelationType.IMPLEMENTS, "in part"),
    }


def test_what_the_repositorys_readers_may_not_see_needs_a_second_ledger(
    workspace: Workspace, history: Builder, theirs: Theirs, tmp_path: Path
) -> None:
    theirs.migrate(created("domain.open"), theirs.text("domain.open", BODY))
    theirs.migrate(
        created("domain.secret"),
        theirs.text("domain.secret", LATER, sensitivity="confidential"),
        {
            "op": "addRelation",
            "sourceItemId": "domain.open",
            "relationType": "related_to",
            "targetItemId": "domain.secret",
        },
    )
    report = bring(workspace, theirs)
    assert report.counts == {"between_ledgers": 1, "needs_second_ledger": 1, "proposed": 1}
    assert set(would_be(history.path).items.values()) == {
        would_be(history.path).item("domain.open")
    }
    second = apart(workspace, tmp_path)
    assert bring(workspace, theirs).counts == {
        "already_there": 1,
        "between_ledgers": 1,
        "proposed": 1,
    }
    assert bring(workspace, theirs).counts == {"already_there": 2, "between_ledgers": 1}
    assert len(proposals(history.path)) == 1
    (secret,) = proposals(second)
    assert secret.operations[0].values["sensitivity"] == "confidential"


def test_an_older_text_that_was_more_sensitive_is_left_out(
    workspace: Workspace, history: Builder, theirs: Theirs
) -> None:
    theirs.migrate(created("domain.t"), theirs.text("domain.t", BODY, sensitivity="restricted"))
    theirs.migrate(theirs.text("domain.t", LATER, sensitivity="internal"))
    report = bring(workspace, theirs)
    assert report.counts == {"more_sensitive_text_left_out": 1, "proposed": 1}
    item = would_be(history.path).item("domain.t")
    assert item is not None
    assert [one.body for one in item.revisions] == [LATER]


def test_a_proposal_there_adds_a_text_and_cannot_lower_a_sensitivity(
    workspace: Workspace, history: Builder, theirs: Theirs, tmp_path: Path
) -> None:
    theirs.migrate(created("domain.t"), theirs.text("domain.t", BODY, sensitivity="confidential"))
    pending = theirs.text("domain.t", LATER, under="proposals/P/domain", sensitivity="public")
    theirs.migrate(pending, under="proposals/P")
    second = apart(workspace, tmp_path)
    bring(workspace, theirs)
    item = would_be(second).item("domain.t")
    assert item is not None
    assert item.sensitivity is Sensitivity.CONFIDENTIAL
    assert [one.body for one in item.revisions] == [BODY, LATER]


def test_tenant_and_group_are_kept_or_the_item_is_not_imported(
    workspace: Workspace, history: Builder, theirs: Theirs
) -> None:
    theirs.migrate(
        created("domain.a"), theirs.text("domain.a", BODY, tenantId="acme", aclGroup="sre")
    )
    theirs.migrate(created("domain.b"), theirs.text("domain.b", LATER, aclGroup="Sr é"))
    report = bring(workspace, theirs)
    assert ("domain.b", "audience_unusable") in report.skipped
    item = would_be(history.path).item("domain.a")
    assert item is not None
    assert (item.tenant, item.groups) == ("acme", ("sre",))
    assert len(would_be(history.path).items) == 1


def test_a_second_run_makes_nothing(workspace: Workspace, history: Builder, theirs: Theirs) -> None:
    theirs.migrate(created("domain.v1"), theirs.text("domain.v1", BODY, "deprecated"))
    theirs.migrate(theirs.text("domain.v1", LATER, "deprecated"))
    bring(workspace, theirs)
    before = contents_of(history.path / ".citator")
    report = bring(workspace, theirs)
    assert not any(line.id for line in report.lines)
    assert contents_of(history.path / ".citator") == before


def test_a_body_counts_only_where_its_digest_is_the_one_that_was_pinned(
    workspace: Workspace, theirs: Theirs, tmp_path: Path
) -> None:
    theirs.migrate(created("domain.a"), theirs.text("domain.a", BODY))
    changed = next((theirs.folder / "knowledge/domain").iterdir())
    changed.write_text("# Tokens\n\nSomething that nobody pinned stands here now.\n")
    outside = theirs.text("domain.b", BODY, under="../../else", named="../../../else")
    theirs.migrate(created("domain.b"), outside)
    gone = theirs.text("domain.c", BODY)
    gone["contentFile"] = "../knowledge/domain/nothing.md"
    theirs.migrate(created("domain.c"), gone)
    report = bring(workspace, theirs)
    assert report.counts == {}
    reasons = sorted(reason for _, reason in report.skipped)
    assert reasons == [*["body_missing"] * 4, "digest_mismatch", "outside"]
    assert (tmp_path / "else").is_dir()


def test_hostile_migrations_never_hide_another(workspace: Workspace, theirs: Theirs) -> None:
    theirs.migrate(created("domain.good"), theirs.text("domain.good", BODY))
    bad: dict[str, str | bytes] = {
        "yaml": "a: [",
        "alias": "a: &x [1]\nb: *x\n",
        "version": 'apiVersion: "theurian.dev/v9"\n',
        "bytes": b"\xff\xfe\x00",
        "bomb": "[" * 5_000,
        "huge": "a" * 5_000_000,
    }
    put(theirs.folder, {f"migrations/{name}.yaml": content for name, content in bad.items()})
    theirs.migrate({"op": "dropEverything", "itemId": "domain.good"})
    theirs.migrate(created("domain.bad; rm"))
    theirs.migrate(created("domain.odd", kind="spell"), theirs.text("domain.odd", LATER, kind="x"))
    (theirs.folder / "migrations/link.yaml").symlink_to("/etc/passwd")
    report = bring(workspace, theirs)
    assert report.counts == {"proposed": 1}
    reasons = sorted(reason for _, reason in report.skipped)
    assert reasons == [
        "alias_refused",
        "item_id_malformed",
        "kind_unknown",
        "link",
        "not_utf8",
        "not_yaml",
        "not_yaml",
        "operation_unknown",
        "other_version",
        "too_large",
    ]


def test_a_secret_in_a_body_blocks_its_item(
    workspace: Workspace, history: Builder, theirs: Theirs
) -> None:
    secret = next(iter(tokens(Random(7)).values()))[0]
    theirs.migrate(created("domain.a"), theirs.text("domain.a", f"{BODY}\n{secret}\n"))
    theirs.migrate(created("domain.b"), theirs.text("domain.b", LATER))
    report = bring(workspace, theirs)
    assert report.counts == {"proposed": 1, "secret_found": 1}
    assert [one.id for one in would_be(history.path).items.values()] == [
        would_be(history.path).aliases["domain.b"]
    ]


def test_what_is_not_markdown_stands_as_code(
    workspace: Workspace, history: Builder, theirs: Theirs
) -> None:
    text = theirs.text("domain.api", "openapi: 3.1.0\n", contentType="application/yaml")
    theirs.migrate(created("domain.api"), text)
    bring(workspace, theirs)
    item = would_be(history.path).item("domain.api")
    assert item is not None and item.current is not None
    assert item.current.body == "```\nopenapi: 3.1.0\n```\n"
    assert item.current.ruling == "About domain.api"


def test_a_directory_without_a_record_is_a_clear_error(
    workspace: Workspace, theirs: Theirs, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="no Theurian record"):
        import_theurian.read(tmp_path / "data")
