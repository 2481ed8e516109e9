"""Nothing that we hand to an agent approves, or tells it how: everything it is given is read here.

What a person does with their own hands (sign, reject, land, pin, set a policy) is named in no tool,
prompt, instruction, resource, entry of a client or remedy that an agent gets, and no example of
ours allows an agent more than single tools.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import citator
from citator.clients.table import CLIENTS
from citator.mcp.definitions import INSTRUCTIONS, PROFILES
from citator.mcp.failures import A_PERSON, failure_object
from citator.mcp.prompts import PROMPTS
from citator.model.errors import RefusedError
from tests.cli.process import Home as User
from tests.mcp.serving import ERAS, TOOL_NAMES, Home, Server
from tests.support.builder import Builder
from tests.support.ways_out import as_text, in_this_process, strings_in, tool_calls

ROOT = Path(__file__).parents[2]
HANDS = "approve|reject|apply|trust|policy"
# In a sentence, on a command line, or in the argument list of an entry.
RUNS = re.compile(rf"\bcitator(?:\.exe)?[\s\"',\[\]:]+(?:--\S+\s+)*(?:{HANDS})\b", re.IGNORECASE)
# Allowing everything of ours, or any command line of ours, at once.
GRANTS = re.compile(
    r"Bash\(\s*citator|mcp__citator(?:__\*|[\"'\s,)]|$)|citator:\*|"
    r"[\"']?(?:autoApprove|alwaysAllow|alwaysApprove)[\"']?\s*[:=]\s*(?:true|\[\s*[\"']\*)|"
    r"[\"']?trust[\"']?\s*[:=]\s*true",
    re.IGNORECASE,
)
NAMES = re.compile(rf"\b(?:{HANDS}|sign|pin|accept|grant|promote|unlock)(?:\b|_)")
EXAMPLES = [
    *sorted((ROOT / "docs/how-to/clients").glob("*.md")),
    ROOT / "docs/how-to/connect-your-agent.md",
    ROOT / "docs/how-to/containers.md",
    ROOT / "docs/how-to/serve-over-http.md",
    *sorted((ROOT / "examples").rglob("*.py")),
]


def found(text: str) -> list[str]:
    """What of a text would let an agent approve."""
    return [one.group() for one in (*RUNS.finditer(text), *GRANTS.finditer(text))]


@pytest.mark.parametrize(
    "text",
    [
        "run `citator approve 01JD4Q` next",
        "citator trust pin",
        '{"command": "citator", "args": ["approve"]}'.replace('"args": ', ""),
        '["citator", "policy"]',
        "citator --json apply --commit",
        '"permissions": {"allow": ["Bash(citator:*)"]}',
        '"allow": ["mcp__citator"]',
        "mcp__citator__*",
        '"autoApprove": ["*"]',
        "alwaysAllow = true",
        '"trust": true',
    ],
)
def test_it_would_be_noticed(text: str) -> None:
    assert found(text) != []


@pytest.mark.parametrize(
    "text", ["citator decide", "a person approves it", "mcp__citator__read_evidence", "citator ask"]
)
def test_what_an_agent_may_do_is_not_taken_for_it(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("profile", list(PROFILES))
def test_no_tool_approves(profile: str) -> None:
    for tool in PROFILES[profile]:
        assert NAMES.search(tool["name"]) is None
        assert found(as_text(tool)) == []
        for key, text in strings_in(tool["inputSchema"]):
            assert key != "key" or NAMES.search(text) is None, text
    assert {one["name"] for one in PROFILES[profile]} <= set(TOOL_NAMES)


def test_no_prompt_and_no_instruction_approves() -> None:
    assert found(INSTRUCTIONS) == []
    for prompt in PROMPTS.values():
        assert found(prompt.text + as_text(prompt.definition)) == []


@pytest.fixture
def repository(tmp_path: Path) -> Builder:
    builder = Builder.init(tmp_path / "repo")
    builder.write("src/mail.py", "limit = 100\n")
    builder.commit("Bound the mailer retry queue\n\nBecause memory ran out in an hour without it.")
    return builder


@pytest.mark.parametrize("era", ERAS)
def test_no_answer_of_the_server_names_what_a_person_does(
    era: Any, repository: Builder, tmp_path: Path
) -> None:
    user = User(tmp_path / "user")
    assert in_this_process(["index", "build", "--root", str(repository.path)], user).code == 0
    home = Home(user.path / "data", user.path / "config")
    wish = {"title": "Bound the queue", "ruling": "The queue is bound.", "body": "Memory.\n"}
    with Server(repository.path, home) as server:
        speaker = server.open(era)
        said = dict(tool_calls(speaker))
        proposed = said["propose_decision"] = speaker.call("propose_decision", **wish)
        known = proposed["structuredContent"]["id"]
        said["propose_decision, by id"] = speaker.call("propose_decision", id=known)
        said["propose_decision, unknown"] = speaker.call("propose_decision", id="0" * 26)
        said["propose_decision, nothing"] = speaker.call("propose_decision")
    assert proposed["structuredContent"]["status"] == "proposed"
    assert len(said) > 20
    for way, message in said.items():
        assert found(as_text(message)) == [], way


def remedies() -> Iterator[tuple[str, str]]:
    """Every string of our sources, with its file: errors are made of them, wherever raised."""
    package = Path(citator.__file__).parent
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield path.relative_to(package).as_posix(), node.value


def test_no_remedy_that_names_a_person_s_command_reaches_a_client() -> None:
    named = [(path, text) for path, text in remedies() if RUNS.search(text)]
    below = [text for path, text in named if not path.startswith("cli/")]
    assert len(below) > 10  # the control: there are such remedies, for people
    for text in below:
        for error in (RefusedError("code", "what", text), RefusedError("code", text, "todo")):
            assert found(as_text(failure_object(error))) == []
    told = failure_object(RefusedError("not_pinned", "nobody pinned it", "run `citator trust pin`"))
    assert told == {"error": {"code": "not_pinned", "what": "nobody pinned it", "todo": A_PERSON}}
    kept = failure_object(RefusedError("code", "what", "citator index build"))
    assert kept["error"]["todo"] == "citator index build"


def test_what_the_server_says_holds_no_person_s_command() -> None:
    for path, text in remedies():
        if path.startswith("mcp/"):
            assert found(text) == [], (path, text)


@pytest.mark.parametrize("client", [one.name for one in CLIENTS])
def test_no_entry_that_we_write_approves_or_allows(
    client: str, repository: Builder, tmp_path: Path
) -> None:
    user = User(tmp_path / "user")
    words = ["clients", "write", client, "--print", "--json", "--root", str(repository.path)]
    done = in_this_process(words, user)
    assert done.code == 0, done.err
    assert "serve" in done.out
    assert found(done.out) == []
    assert re.search(r"allow|autoapprove|trust", json.dumps(done.object), re.IGNORECASE) is None


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda one: one.name)
def test_no_example_of_ours_allows_an_agent_to(page: Path) -> None:
    assert found(page.read_text("utf-8")) == []
