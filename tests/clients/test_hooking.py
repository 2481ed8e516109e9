"""Our hooks in the files of clients and of git: added, renewed, taken out; all else as it was."""

from __future__ import annotations

import json

import pytest

from citator.clients import git_hook
from citator.clients.blocks import Block
from citator.clients.editing import NotEditableError
from citator.clients.hooking import HOOK_CLIENTS, HookClient

NAMES = [one.name for one in HOOK_CLIENTS]
FOREIGN = (
    "{\n"
    '\t"permissions": {"allow": ["x"]},\n'
    '\t"hooks": {\n'
    '\t\t"PreToolUse": [ {"matcher": "Bash", "hooks": [{"type":"command","command":"mine"}]} ],\n'
    '\t\t"sessionStart": [{"command": "mine"}]\n'
    "\t},\n"
    '\t"version": 1\n'
    "}\n"
)
BLOCK = Block("# begin", "# end")
COMMAND = ("/a b/python", "-P", "-m", "citator.hooks", "after-commit", "--client", "git")


def command(client: HookClient, python: str = "/p/python") -> object:
    return lambda event: f"{python} -P -m citator.hooks {event} --client {client.name}"


@pytest.mark.parametrize("client", HOOK_CLIENTS, ids=NAMES)
@pytest.mark.parametrize("text", [FOREIGN, FOREIGN.replace("\n", "\r\n")], ids=["lf", "crlf"])
def test_what_was_put_in_comes_out_and_nothing_else_was_touched(
    client: HookClient, text: str
) -> None:
    put = client.put(text, command(client))  # type: ignore[arg-type]
    assert client.installed(put) == client.events
    assert client.put(put, command(client)) == put  # type: ignore[arg-type]
    assert client.remove(put) == text
    assert client.installed(text) == ()


@pytest.mark.parametrize("client", HOOK_CLIENTS, ids=NAMES)
def test_another_python_renews_the_entries_and_doubles_none(client: HookClient) -> None:
    once = client.put("", command(client))  # type: ignore[arg-type]
    moved = client.put(once, command(client, '"C:\\q\\python.exe"'))  # type: ignore[arg-type]
    hooks = json.loads(moved)["hooks"]
    assert {name: len(items) for name, items in hooks.items()} == dict.fromkeys(hooks, 1)
    assert "/p/python" not in moved and client.installed(moved) == client.events


@pytest.mark.parametrize("client", HOOK_CLIENTS, ids=NAMES)
def test_a_file_of_ours_alone_says_what_the_client_reads(client: HookClient) -> None:
    made = json.loads(client.put("", command(client)))  # type: ignore[arg-type]
    assert made.get("version") == (1 if client.flat else None)
    for listened in client.listened:
        (item,) = made["hooks"][listened.name]
        inner = item if client.flat else item["hooks"][0]
        assert f" {listened.event} --client {client.name}" in inner["command"]
        assert item.get("matcher") == listened.matcher and inner["timeout"] == 5


@pytest.mark.parametrize(
    "text",
    ["[]", '{"hooks": []}', '{"hooks": {"SessionStart": {}}}', '{"hooks": {"SessionStart": 7}}',
     '{"hooks": {"SessionStart": [], "SessionStart": []}}', '{"hooks": {"SessionStart": [}'],
)  # fmt: skip
def test_a_file_of_another_form_is_left_to_its_author(text: str) -> None:
    with pytest.raises(NotEditableError):
        HOOK_CLIENTS[0].put(text, command(HOOK_CLIENTS[0]))  # type: ignore[arg-type]


def test_a_group_that_holds_ours_and_another_s_is_left_to_its_author() -> None:
    client = HOOK_CLIENTS[0]
    made = json.loads(client.put("", command(client)))  # type: ignore[arg-type]
    made["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "mine"})
    with pytest.raises(NotEditableError):
        client.remove(json.dumps(made))


@pytest.mark.parametrize("text", ["", "a\n", "a", "a\r\nb\r\n", "\n\n", "# begi\n# en\n"])
def test_a_block_comes_out_as_it_went_in(text: str) -> None:
    put = BLOCK.put(text, "one\ntwo")
    assert BLOCK.inside(put) is not None and BLOCK.put(put, "one\ntwo") == put
    assert BLOCK.remove(put) in (text, text + "\n")
    assert BLOCK.remove(BLOCK.put(put, "three")) == BLOCK.remove(put)


@pytest.mark.parametrize("text", ["# begin\n", "# end\n", "# end\n# begin\n", "# begin\n" * 2])
def test_marks_that_do_not_pair_are_left_to_a_person(text: str) -> None:
    with pytest.raises(NotEditableError):
        BLOCK.put(text, "x")
    with pytest.raises(NotEditableError):
        BLOCK.remove(text)


@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/sh\nexit 3\n",
        "#!/usr/bin/env bash\nset -e\nmake\n",
        "#!/usr/bin/env -S zsh -f\necho\n",
        "#!/bin/sh\r\nexit 3\r\n",
        '#!/bin/sh\n. "$(dirname "$0")/h"',
    ],
)
def test_a_hook_of_somebody_else_goes_on_after_ours(script: str) -> None:
    put = git_hook.put(script, COMMAND)
    first, mark, line, *_ = put.splitlines()
    assert first == script.splitlines()[0] and mark == git_hook.BLOCK.begin
    ours, rest = line[:66], line[66:]
    assert ours == "'/a b/python' -P -m citator.hooks after-commit --client git </dev/"
    assert rest == "null >/dev/null 2>&1 || :"
    assert git_hook.put(put, COMMAND) == put and git_hook.remove(put) == script


def test_a_hook_of_ours_alone_goes_whole() -> None:
    assert git_hook.remove(git_hook.put("", COMMAND)) == ""
    assert git_hook.put("", COMMAND).startswith("#!/bin/sh\n")


@pytest.mark.parametrize("script", ["#!/usr/bin/python\n", "make\n", "\x7fELF", "#!/bin/shark\n"])
def test_a_hook_that_is_no_script_of_a_shell_is_its_author_s(script: str) -> None:
    with pytest.raises(NotEditableError):
        git_hook.put(script, COMMAND)
