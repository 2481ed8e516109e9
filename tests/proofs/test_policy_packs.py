"""A pack counts whole and signed, or not at all; what is missing is said; nothing stops for it."""

from __future__ import annotations

import copy
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from citator.model.domain import Domain, Gap, GapKind
from citator.model.errors import CitatorError
from citator.service.policy import policy_for
from citator.store.layout import Layout
from citator.trust.errors import PackRefusedError
from citator.trust.pack_format import is_host_locator, is_path, parse_manifest, parse_pack
from citator.trust.packs import FOLDER, Kept, Loaded, shelf_at, shipped, shipped_folder
from citator.trust.remembered import Counters, Seen
from tests.support.keys import ed25519_key
from tests.support.packs import LAW, MOMENT, Offer, with_root

LEGAL = "Is a notarized signature legally required for a lease?"
NO_POLICY = Gap(GapKind.NO_POLICY, "law")
OTHER = ed25519_key(2)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A data directory where the root acme is pinned, with its first key."""
    return with_root(tmp_path / "data")


def kept(layout: Layout) -> Path:
    return layout.trust / FOLDER / "packs" / "acme.law"


def changed(**parts: Any) -> dict[str, Any]:
    return {**copy.deepcopy(LAW), **parts}


def source(**parts: Any) -> dict[str, Any]:
    return changed(sources=[{**LAW["sources"][0], **parts}])


def test_a_signed_pack_covers_its_domain_and_without_it_the_domain_is_missed_by_name(
    layout: Layout,
) -> None:
    before = policy_for(layout, LEGAL, MOMENT).applied
    assert (before.task.domain, before.sources, before.gaps) == (Domain.LAW, (), (NO_POLICY,))
    Offer(LAW).kept(layout)
    after = policy_for(layout, LEGAL, MOMENT).applied
    assert after.sources == after.elsewhere == ("acme.law/statutes",)
    assert after.gaps == ()


def tampered(layout: Layout) -> None:
    Offer(LAW).kept(layout)
    place = kept(layout) / "pack.json"
    place.write_bytes(place.read_bytes().replace(b"primary", b"standard"))


def rolled_back(layout: Layout) -> None:
    Offer(LAW, counter=2).kept(layout)
    Offer(LAW, counter=1).written(kept(layout))


def copied_in(layout: Layout) -> None:
    """A newer one that nobody added: if it counted, the one before could come back unnoticed."""
    Offer(LAW, counter=1).kept(layout)
    Offer(LAW, counter=2).written(kept(layout))


def never_added(layout: Layout) -> None:
    Kept(layout).put("acme.law", Offer(LAW).files)
    Counters(layout).note("pack/acme.law", Seen(0, frozenset({Domain.LAW})))


def root_brought_back(layout: Layout) -> None:
    """From before a key was taken out."""
    Offer(LAW).kept(layout)
    Counters(layout).note("root/acme", Seen(2))


def unsigned(layout: Layout) -> None:
    Offer(LAW).kept(layout)
    (kept(layout) / "manifest.sig").unlink()


def root_taken_away(layout: Layout) -> None:
    Offer(LAW).kept(layout)
    (layout.trust / FOLDER / "roots" / "acme.json").unlink()


def writable_by_others(layout: Layout) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has access lists of another kind")
    Offer(LAW).kept(layout)
    (kept(layout) / "pack.json").chmod(0o666)


ATTACKS: dict[GapKind, list[Callable[[Layout], None]]] = {
    GapKind.TAMPERED: [tampered],
    GapKind.ROLLED_BACK: [rolled_back],
    GapKind.UNSIGNED: [unsigned],
    GapKind.UNTRUSTED_KEY: [Offer(LAW, key=OTHER).kept, root_taken_away, root_brought_back],
    GapKind.NOT_ADDED: [copied_in, never_added],
    GapKind.UNREADABLE: [writable_by_others],
    GapKind.WRONG_NAMESPACE: [Offer(LAW, namespace="citator-approval@v1").kept],
    GapKind.EXPIRED: [Offer(LAW, expires_at="2027-03-01T12:00:00Z").kept],
    GapKind.NOT_YET_VALID: [Offer(LAW, issued_at="2027-03-01T12:00:01Z").kept],
    GapKind.UNKNOWN_FIELDS: [Offer(changed(note="trust me")).kept],
    GapKind.MALFORMED: [
        Offer(source(locators=["*.example.org/"])).kept,
        Offer(source(locators=["other.example.org/"])).kept,
        Offer(source(intents=["anything"])).kept,
        Offer(LAW, raw=b'{"version":1,"version":1}').kept,
        Offer(LAW, raw=b"[" * 60_000).kept,
    ],
    GapKind.TOO_NEW: [Offer(changed(version=2)).kept],
}


@pytest.mark.parametrize(
    ("kind", "attack"), [(kind, one) for kind, several in ATTACKS.items() for one in several]
)
def test_what_does_not_count_is_not_used_is_said_where_it_would_have_been_and_stops_nothing(
    layout: Layout, kind: GapKind, attack: Callable[[Layout], None]
) -> None:
    attack(layout)
    policy = policy_for(layout, LEGAL, MOMENT)
    assert policy.applied.sources == ()
    assert policy.sources == ()
    assert policy.applied.gaps == (NO_POLICY, Gap(kind, "acme.law"))
    elsewhere = policy_for(layout, "why did we drop the cache", MOMENT).applied
    assert elsewhere.gaps == ()
    assert "citator.core/commits" in elsewhere.sources


def test_no_kind_of_refusal_is_without_its_attack() -> None:
    beside = {GapKind.NO_POLICY, GapKind.NO_SOURCE, GapKind.EXPIRES_SOON}
    assert set(ATTACKS) == set(GapKind) - beside


@pytest.mark.parametrize(
    "text",
    [
        *(
            "*",
            "*/",
            "*.org/",
            "**",
            "",
            "/",
            ".",
            "..",
            "a/../b/",
            "./a",
            "a//b",
            "a/*",
            "a/",
            "~",
        ),
        *("org/", "localhost/", "10.0.0.1/", "[::1]/", "example.org", "https://example.org/"),
        *("EXAMPLE.org/", "example.org:443/", "user@example.org/", "example.org/../", ".org/"),
        *(
            "example.org/a/**",
            "example.org/?q=",
            "example.org/%2e%2e/",
            "example.org/\n",
            "a?b.org/",
        ),
    ],
)
def test_everything_cannot_be_written_as_a_host(text: str) -> None:
    assert not is_host_locator(text)
    pack = source(locators=[text])
    pack["envelope"] = {"hosts": [text], "paths": []}
    with pytest.raises(PackRefusedError):
        parse_pack(Offer(pack).data)


@pytest.mark.parametrize(
    "text", ["*", "", "/", ".", "./", "..", "a/..", "../a", "a//b", "a/*", "/etc/", "a\\b", "**/a"]
)
def test_everything_cannot_be_written_as_a_path(text: str) -> None:
    assert not is_path(text)
    pack = source(kind="documents", locators=[text])
    pack["envelope"] = {"hosts": [], "paths": [text]}
    with pytest.raises(PackRefusedError):
        parse_pack(Offer(pack).data)


def test_places_that_are_spelled_out_can_be_written() -> None:
    for host in ("law.example.org/", "law.example.org/a/b.html", "xn--bcher-kva.example/"):
        assert is_host_locator(host)
    for path in ("docs/adr/", ".github/CODEOWNERS", "README.md"):
        assert is_path(path)


def test_documents_are_not_weighed_by_a_source_that_names_none() -> None:
    pack = source(kind="documents", locators=[])
    with pytest.raises(PackRefusedError, match="path by path"):
        parse_pack(Offer(pack).data)


def test_ten_years_pass_and_nothing_stops(layout: Layout) -> None:
    """What ships warns for 90 days, then is expired; questions are answered on every day."""
    begin = datetime(2026, 12, 1, tzinfo=UTC)
    Offer(LAW, expires_at="2029-01-01T00:00:00Z").kept(layout)
    told: dict[str, set[tuple[Gap, ...]]] = {}
    for day in range(0, 3660, 15):
        moment = (begin + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")
        own = policy_for(layout, "why did we drop the cache", moment).applied
        law = policy_for(layout, LEGAL, moment).applied
        assert (own.task.domain, law.task.domain) == (Domain.PROJECT_MEMORY, Domain.LAW)
        told.setdefault("own", set()).add(own.gaps)
        told.setdefault("law", set()).add(law.gaps)
    soon, gone = GapKind.EXPIRES_SOON, GapKind.EXPIRED
    none = Gap(GapKind.NO_POLICY, "project_memory")
    assert told["own"] == {
        (),
        (Gap(soon, "citator.core"),),
        (none, Gap(gone, "citator.core")),
    }
    assert told["law"] == {
        (),
        (Gap(soon, "acme.law"),),
        (NO_POLICY, Gap(gone, "acme.law")),
        (NO_POLICY, Gap(GapKind.NOT_YET_VALID, "acme.law")),
    }


def test_the_warning_comes_ninety_days_before_the_end(layout: Layout) -> None:
    Offer(LAW, expires_at="2027-12-31T00:00:00Z").kept(layout)
    gaps = {
        moment: policy_for(layout, LEGAL, moment).applied.gaps
        for moment in ("2027-10-01T23:59:59Z", "2027-10-02T00:00:01Z", "2027-12-30T23:59:59Z")
    }
    soon = (Gap(GapKind.EXPIRES_SOON, "acme.law"),)
    assert list(gaps.values()) == [(), soon, soon]


def test_what_ships_is_signed_as_it_stands() -> None:
    found = list(shipped("2026-12-01T00:00:00Z"))
    assert [one.pack.id for one in found if isinstance(one, Loaded)] == ["citator.core"]
    assert len(found) == 1


def test_a_byte_of_what_ships_ends_it(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_of = tmp_path / "shipped"
    shutil.copytree(shipped_folder(), copy_of)
    monkeypatch.setattr("citator.trust.packs.shipped_folder", lambda: copy_of)
    assert policy_for(layout, LEGAL, MOMENT).applied.gaps == (NO_POLICY,)
    pack = copy_of / "packs" / "citator.core" / "pack.json"
    pack.write_bytes(pack.read_bytes() + b" ")
    gaps = policy_for(layout, "why did we drop the cache", MOMENT).applied.gaps
    assert gaps == (
        Gap(GapKind.NO_POLICY, "project_memory"),
        Gap(GapKind.TAMPERED, "citator.core"),
    )
    shutil.rmtree(copy_of)
    assert shelf_at(layout, MOMENT).loaded == ()


def test_nothing_that_lies_there_raises(layout: Layout) -> None:
    Offer(LAW).kept(layout)
    for name in ("pack.json", "manifest.json", "manifest.sig"):
        whole = (kept(layout) / name).read_bytes()
        for cut in (b"", whole[: len(whole) // 2], b"\xff" * 70_000, b"{}", b"null", b"\x00"):
            (kept(layout) / name).write_bytes(cut)
            assert shelf_at(layout, MOMENT).refused[0].pack == "acme.law"
        (kept(layout) / name).write_bytes(whole)
    assert shelf_at(layout, MOMENT).refused == ()
    (layout.trust / "counters.json").write_bytes(b"{")
    assert {one.kind for one in shelf_at(layout, MOMENT).refused} == {GapKind.UNREADABLE}


def test_a_manifest_that_is_spelled_in_another_way_is_none() -> None:
    given = Offer(LAW).files
    with pytest.raises(CitatorError):
        parse_manifest(given.manifest + b"\n")
