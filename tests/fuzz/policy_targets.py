"""Targets for what comes with a policy: packs, manifests, roots, and the words of a task."""

from __future__ import annotations

from typing import Final

from citator.search.domains import MAX_CHARACTERS, classify
from citator.trust.errors import KeyRefusedError, PackRefusedError
from citator.trust.pack_format import covers, parse_manifest, parse_pack, parse_root
from tests.fuzz.harness import Target

_JSON: Final = (b'"version":1', b'"sources":[', b'"*"', b'"/"', b"null", b"1e9", b'"..":')


def _pack(data: bytes) -> None:
    pack = parse_pack(data)
    for source in pack.sources:
        assert source.domains <= pack.domains
        allowed = (*pack.hosts, *pack.paths)
        assert all(any(covers(one, place) for one in allowed) for place in source.locators)
        assert not any(mark in place for place in source.locators for mark in ("*", "..", "//"))


def _manifest(data: bytes) -> None:
    assert parse_manifest(data).to_bytes() == data


def _task(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    assert classify(text) == classify(text[:MAX_CHARACTERS])


TARGETS: Final = (
    Target("policy-pack", _pack, (PackRefusedError,), _JSON),
    Target("policy-manifest", _manifest, (PackRefusedError,), _JSON),
    Target("policy-root", parse_root, (PackRefusedError, KeyRefusedError), _JSON),
    Target(
        "task", _task, (), (b"why was ", "律师".encode(), b"#12 ", b"a/b.py ", b"__", b"lease ")
    ),
)
