"""Targets for skills and for research: packed folders, approvals, addresses, lists, pages."""

from __future__ import annotations

from typing import Final

from citator.formats.html_words import words_of
from citator.formats.web_address import Allowed, address_of, allowlist, is_allowed
from citator.trust.errors import SkillRefusedError, StatementRefusedError
from citator.trust.skill_advice import advise
from citator.trust.skill_folder import unpacked
from citator.trust.skill_statement import parse_approval
from tests.fuzz.harness import Target

HOST: Final = "docs.example.org"


def _skill(data: bytes) -> None:
    skill = unpacked(data)
    assert skill.packed == data
    advise(skill)


def _approval(data: bytes) -> None:
    assert parse_approval(data).to_bytes() == data.strip()


def _address(data: bytes) -> None:
    found = address_of(data.decode("utf-8", "surrogateescape"))
    if found is None:
        return
    assert found.text.startswith("https://")
    assert ".." not in found.path.split("/")
    assert not is_allowed(found, [Allowed("other.example.org", "/")]) or found.host != HOST


def _list(data: bytes) -> None:
    for one in allowlist(data.decode("utf-8", "replace")) or ():
        assert "*" not in one.host
        assert one.path.startswith("/")


def _page(data: bytes) -> None:
    words_of(data.decode("utf-8", "replace"))


TARGETS: Final = (
    Target("skill", _skill, (SkillRefusedError,), (b"\0-\0", b"\0x\0", b"SKILL.md", b"name: ")),
    Target("skill-approval", _approval, (StatementRefusedError,), (b'"intents":[', b"null")),
    Target("web-address", _address, (), (b"https://", b"@", b"%2e", b"..", b"//", b"\\", b"[::1]")),
    Target("web-list", _list, (), (b"allow:\n", b"- host: ", b"path: /", b"*", b"port: 1")),
    Target("html-words", _page, (), (b"<script>", b"</p>", b"<!--", b"&amp;", b"<![CDATA[", b"<?")),
)
