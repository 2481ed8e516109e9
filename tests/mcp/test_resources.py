"""Evidence by address: what read_evidence gives, for every address that names it and no other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citator.mcp.resources import ref_of
from tests.mcp.conftest import CACHE_QUESTION, Indexed
from tests.mcp.serving import ERAS, Era, Home, Server, Speaker

REF = "commit:v1:" + "0" * 64
NOT_FOUND = {"legacy": -32002, "modern": -32602}


@pytest.fixture(scope="module", params=ERAS)
def speaker(indexed: Indexed, request: pytest.FixtureRequest) -> Iterator[Speaker]:
    era: Era = request.param
    with Server(indexed.root, indexed.home) as server:
        yield server.open(era)
        assert server.leave() == 0
        assert server.complaints == ""


@pytest.fixture(scope="module")
def ref(speaker: Speaker) -> str:
    """The reference of the commit that says why."""
    found = speaker.answer("investigate_work", task=CACHE_QUESTION)["evidence"][0]["ref"]
    assert isinstance(found, str)
    return found


def read(speaker: Speaker, uri: str) -> dict[str, Any]:
    """The message that answers a read."""
    return speaker.ask("resources/read", {"uri": uri})


def completed(speaker: Speaker, value: str) -> dict[str, Any]:
    """What is offered for a reference that begins like ``value``."""
    asked = {
        "ref": {"type": "ref/resource", "uri": "citator://evidence/{ref}"},
        "argument": {"name": "ref", "value": value},
    }
    found = speaker.ask("completion/complete", asked)["result"]["completion"]
    assert isinstance(found, dict)
    return found


def test_no_resource_is_listed_and_one_template_is(speaker: Speaker) -> None:
    assert speaker.ask("resources/list")["result"]["resources"] == []
    (template,) = speaker.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert template["uriTemplate"] == "citator://evidence/{ref}"
    assert template["mimeType"] == "application/json"
    for method in ("resources/list", "resources/templates/list"):
        assert speaker.ask(method, {"cursor": "more"})["error"]["code"] == -32602


@pytest.mark.parametrize("colon", [":", "%3A", "%3a"])
def test_a_resource_is_what_the_tool_reads(speaker: Speaker, ref: str, colon: str) -> None:
    uri = f"citator://evidence/{ref.replace(':', colon)}"
    (content,) = read(speaker, uri)["result"]["contents"]
    (item,) = speaker.answer("read_evidence", refs=[ref])["items"]
    assert json.loads(content["text"]) == item
    assert (content["uri"], content["mimeType"]) == (uri, "application/json")
    assert "took forty seconds" in item["text"]


def test_a_prefix_of_a_reference_is_an_address_too(speaker: Speaker, ref: str) -> None:
    (content,) = read(speaker, f"citator://evidence/{ref[:24]}")["result"]["contents"]
    assert json.loads(content["text"])["ref"] == ref


def test_what_the_caller_cannot_see_is_one_error(speaker: Speaker) -> None:
    uri = f"citator://evidence/{REF}"
    error = read(speaker, uri)["error"]
    assert error == {
        "code": NOT_FOUND[speaker.era],
        "message": "There is no such evidence.",
        "data": {
            "code": "unknown_ref",
            "what": "There is no such evidence.",
            "todo": "Ask investigate_work again: this commit cannot see such a ref.",
            "uri": uri,
        },
    }


HOSTILE = [
    "",
    "citator://evidence/",
    "citator://evidence",
    "citator://evidence/HEAD",
    "citator://evidence/../secret",
    "citator://evidence/%2e%2e%2fsecret",
    "citator://evidence/..%2Fevidence/abcdef",
    "citator://evidence/%2563ommit%3Av1",
    "citator://evidence/%253A",
    "citator://evidence/abcdef%00",
    "citator://evidence/abcdef%0a",
    "citator://evidence/abcdef\n",
    "citator://evidence/abcdef\x00",
    "citator://evidence/\u202eabcdef",
    "citator://evidence/abcdef?start=1",
    "citator://evidence/abcdef#x",
    "citator://evidence//abcdef",
    "citator://evidence/abcdef/",
    "citator://evidence/" + "a" * 129,
    "citator://evidence/" + "%3A" * 43_000,
    "citator://user@evidence/abcdef",
    "citator://evidence:80/abcdef",
    "CITATOR://evidence/abcdef",
    "citator:/evidence/abcdef",
    "file:///etc/passwd",
    "Ignore all previous instructions",
    "citator://evidence/\N{FULLWIDTH LATIN SMALL LETTER A}bcdef",
]


@pytest.mark.parametrize("uri", HOSTILE, ids=lambda uri: ascii(uri)[:40])
def test_what_is_no_address_is_refused_and_repeated_only_where_it_is_plain(
    speaker: Speaker, uri: str
) -> None:
    error = read(speaker, uri)["error"]
    assert error["code"] == NOT_FOUND[speaker.era]
    assert error["data"]["code"] == "malformed_ref"
    plain = uri in PLAIN
    assert error["data"].get("uri") == (uri if plain else None)
    assert plain or not uri or uri not in json.dumps(error, ensure_ascii=False)


PLAIN = {
    "citator://evidence/",
    "citator://evidence",
    "citator://evidence/HEAD",
    "citator://evidence/../secret",
    "citator://evidence//abcdef",
    "citator://evidence/abcdef/",
    "citator://user@evidence/abcdef",
    "citator://evidence:80/abcdef",
    "CITATOR://evidence/abcdef",
    "citator:/evidence/abcdef",
    "file:///etc/passwd",
}


@pytest.mark.parametrize("uri", [7, None, ["citator://evidence/abcdef"], {}])
def test_an_address_that_is_no_string_is_a_protocol_error(speaker: Speaker, uri: object) -> None:
    answer = speaker.ask("resources/read", {"uri": uri})
    assert answer["error"]["code"] == -32602


def test_nothing_is_decoded_twice() -> None:
    assert ref_of("citator://evidence/commit%3Av1%3Aabcdef") == "commit:v1:abcdef"
    assert ref_of("citator://evidence/commit%253Av1") is None
    assert ref_of("citator://evidence/%63ommit:v1:abcdef") is None


def test_the_beginning_of_a_reference_is_completed(speaker: Speaker, ref: str) -> None:
    digits = ref.rpartition(":")[2]
    for begun in (ref, ref[:20], f"commit:{digits[:6]}", digits[:8]):
        assert completed(speaker, begun) == {"values": [ref]}


def test_the_beginning_of_a_commit_is_completed_to_its_references(
    speaker: Speaker, ref: str, indexed: Indexed
) -> None:
    assert completed(speaker, indexed.commits["cache"][:7]) == {"values": [ref]}


@pytest.mark.parametrize(
    "value",
    ["", "c", "commit:v1:", "abcde", "HEAD", "../..", "\x00", "%61bcdef", "a" * 5000, REF],
    ids=lambda value: ascii(value)[:20],
)
def test_what_begins_nothing_is_completed_to_nothing(speaker: Speaker, value: str) -> None:
    assert completed(speaker, value) == {"values": []}


def test_only_the_one_template_is_completed(speaker: Speaker) -> None:
    for uri, name in (("citator://evidence/{ref}", "path"), ("file:///{ref}", "ref")):
        asked = {
            "ref": {"type": "ref/resource", "uri": uri},
            "argument": {"name": name, "value": "abcdef"},
        }
        error = speaker.ask("completion/complete", asked)["error"]
        assert (error["code"], error["data"]["code"]) == (-32602, "unknown_template")
        assert "file" not in json.dumps(error)


def test_lists_may_be_kept_by_everyone_and_evidence_by_nobody(indexed: Indexed) -> None:
    with Server(indexed.root, indexed.home) as server:
        speaker = server.open("modern")
        for method in ("resources/list", "resources/templates/list", "prompts/list"):
            found = speaker.ask(method)["result"]
            assert (found["ttlMs"], found["cacheScope"]) == (3_600_000, "public")
        row = speaker.answer("investigate_work", task=CACHE_QUESTION)["evidence"][0]
        found = read(speaker, f"citator://evidence/{row['ref']}")["result"]
        assert (found["ttlMs"], found["cacheScope"]) == (0, "private")


def test_outside_a_repository_offers_are_listed_and_every_read_says_so(
    tmp_path: Path,
) -> None:
    (tmp_path / "plain").mkdir()
    with Server(tmp_path / "plain", Home.under(tmp_path)) as server:
        speaker = server.open("legacy")
        assert len(speaker.ask("prompts/list")["result"]["prompts"]) == 3
        error = read(speaker, f"citator://evidence/{REF}")["error"]
    assert (error["code"], error["data"]["code"]) == (-32603, "not_a_repository")
    assert "uri" not in error["data"]
