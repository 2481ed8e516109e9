"""Rule 9: the product works where a network cannot be used, and starts nothing that could.

Every process runs under an audit hook that ends it at its first attempt to open a socket to
anywhere, to look up a name, or to start a program other than git and Python. A socket pair is
not a network: event loops wake themselves through one. The one declared exception, a page that
a person asks for where their own list allows it, is proved in ``test_research.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mcp.conftest import CACHE_QUESTION, explained
from tests.mcp.serving import Home, Server
from tests.support.builder import Builder, run_git

CAUGHT = 97

HOOK = f"""
import os, sys

def forbid(event, details):
    if event == "subprocess.Popen":
        name = os.path.basename(os.fspath(details[0])).lower()
        allowed = name.startswith(("git", "python"))
    elif event == "socket.__new__":
        allowed = os.name == "nt" or int(details[1]) in (-1, 1)  # an open one, or AF_UNIX
    elif event in ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"):
        target = details[1]
        allowed = isinstance(target, tuple) and os.name == "nt" and target[0] == "127.0.0.1"
    else:
        allowed = event not in (
            "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
            "socket.getnameinfo", "os.system", "os.exec", "os.posix_spawn",
        )
    if not allowed:
        sys.stderr.write("forbidden: " + event + chr(10))
        sys.stderr.flush()
        os._exit({CAUGHT})

sys.addaudithook(forbid)
"""


@pytest.fixture
def hooked(tmp_path: Path) -> dict[str, str]:
    """What to add to an environment so that every Python in it runs under the hook."""
    folder = tmp_path / "hook"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(HOOK)
    inherited = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([str(folder), *([inherited] if inherited else [])])}


def run(home: Home, hooked: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    """Run a Python command line under the hook."""
    environment = {**home.environment(), **hooked}
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        env=environment,
        check=False,
        encoding="utf-8",
    )


@pytest.mark.parametrize(
    "attempt",
    [
        "import socket; socket.create_connection(('192.0.2.1', 9), 0.01)",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "import socket; socket.getaddrinfo('example.org', 443)",
        "import urllib.request; urllib.request.urlopen('http://192.0.2.1/', timeout=0.01)",
        "import subprocess; subprocess.run(['curl', 'http://192.0.2.1/'])",
        "import os; os.system('true')",
    ],
)
def test_the_hook_catches_what_it_is_for(
    tmp_path: Path, hooked: dict[str, str], attempt: str
) -> None:
    done = run(Home.under(tmp_path), hooked, "-c", attempt)
    assert done.returncode == CAUGHT, done.stderr
    assert "forbidden: " in done.stderr


def test_the_command_line_needs_no_network(tmp_path: Path, hooked: dict[str, str]) -> None:
    builder, commits = explained(tmp_path / "repository")
    home, root = Home.under(tmp_path), str(builder.path)

    def citator(*arguments: str) -> str:
        done = run(home, hooked, "-m", "citator", *arguments, "--root", root)
        assert done.returncode == 0, done.stderr
        return done.stdout

    citator("init")
    found = json.loads(citator("ask", CACHE_QUESTION, "--json"))
    best = found["evidence"][0]
    assert best["locator"] == commits["cache"]
    assert "took forty seconds" in citator("read", best["ref"])
    citator("index", "status")
    citator("doctor")
    foreign = run(
        home, hooked, "-m", "citator", "ask", "¿por qué se cambió la caché?", "--json",
        "--root", root,
    )  # fmt: skip
    assert foreign.returncode in (0, 3), foreign.stderr
    assert json.loads(foreign.stdout)["horizon"]["facts"] == []  # no leg was off


def test_the_server_needs_no_network(tmp_path: Path, hooked: dict[str, str]) -> None:
    builder, commits = explained(tmp_path / "repository")
    home = Home.under(tmp_path)
    assert run(home, hooked, "-m", "citator", "init", "--root", str(builder.path)).returncode == 0
    with Server(builder.path, home, hooked) as server:
        speaker = server.open("modern")
        found = speaker.answer("investigate_work", task=CACHE_QUESTION, read=1)
        assert found["evidence"][0]["locator"] == commits["cache"]
        ref = found["evidence"][0]["ref"]
        assert speaker.answer("read_evidence", refs=[ref])["items"][0]["ref"] == ref
        assert server.leave() == 0
        assert server.complaints == ""


@pytest.mark.skipif(sys.platform == "win32", reason="git finds remote helpers by their script")
def test_git_is_never_led_to_a_remote(tmp_path: Path, hooked: dict[str, str]) -> None:
    builder, commits = explained(tmp_path / "origin")
    partial = builder.clone(tmp_path / "partial", filter="blob:none", checkout=False)
    called = tmp_path / "called"
    tools = tmp_path / "tools"
    tools.mkdir()
    helper = tools / "git-remote-canary"
    helper.write_text(f"#!/bin/sh\ntouch '{called}'\nexit 1\n")
    helper.chmod(0o755)
    partial.git("config", "remote.origin.url", "canary::anywhere")
    path = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}

    home = Home.under(tmp_path)
    done = run(
        home, {**hooked, **path}, "-m", "citator", "ask", CACHE_QUESTION, "--json",
        "--root", str(partial.path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["evidence"][0]["locator"] == commits["cache"]
    assert "partial_clone" in done.stdout
    assert not called.exists()

    # Positive control: a git that may reach its remote calls the helper for the same blob.
    blob = builder.resolve("HEAD:docs/adr/0004-one-file.md")
    control = Builder(partial.path)
    with pytest.raises(AssertionError):
        run_git(
            control.path, "cat-file", "blob", blob, env={**path, "GIT_ALLOW_PROTOCOL": "canary"}
        )
    assert called.exists()


# -- the one exception

SOURCE = Path(__file__).parents[2] / "src" / "citator"


def files_that_say(words: str) -> list[str]:
    """The files of the source that say ``words``."""
    return sorted(
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if words in path.read_text(encoding="utf-8")
    )


def test_one_command_reaches_one_place_that_reaches_a_remote() -> None:
    assert files_that_say("exchange_environment(") == ["git/runner.py", "git/surroundings.py"]
    assert files_that_say("def reaching(") == ["git/runner.py"]
    assert files_that_say("Git.reaching(") == ["git/exchange.py"]
    assert files_that_say("citator.git.exchange import") == ["service/claims_sync.py"]
    assert files_that_say("claims_sync.sync(") == ["cli/claims.py"]
    assert files_that_say("claims_sync import") == []


@pytest.mark.skipif(sys.platform == "win32", reason="git finds remote helpers by their script")
def test_claims_reach_the_remote_when_a_sync_is_asked_for_and_never_otherwise(
    tmp_path: Path, hooked: dict[str, str]
) -> None:
    builder, _ = explained(tmp_path / "origin")
    shared = builder.clone(tmp_path / "shared.git", bare=True)
    clone = shared.clone(tmp_path / "clone")
    address = clone.git("config", "remote.origin.url").decode().strip()
    called, tools = tmp_path / "called", tmp_path / "tools"
    tools.mkdir()
    for name in ("git-remote-canary", "git-remote-http", "git-remote-https", "ssh"):
        helper = tools / name
        helper.write_text(f"#!/bin/sh\necho {name} >>'{called}'\nexit 1\n")
        helper.chmod(0o755)
    path = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    home = Home.under(tmp_path)

    def claims(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        words = ("-m", "citator", "claims", *arguments, "--root", str(clone.path))
        return run(home, {**hooked, **path, **more}, *words)

    clone.git("config", "remote.origin.url", "canary::x")
    for words in (("start", "7", "a.py"), ("list",), ("release", "7")):
        done = claims(*words)
        assert done.returncode == 0, done.stderr
    done = claims("sync")
    assert (done.returncode, "remote is reached in a way" in done.stderr) == (1, True)
    assert not called.exists()

    # What the person's own settings make of an address is held to the same transports.
    clone.git("config", "remote.origin.url", "https://example.org/x.git")
    settings = tmp_path / "gitconfig"
    settings.write_text('[url "canary::x"]\n\tinsteadOf = https://example.org/\n')
    done = claims("sync", GIT_CONFIG_GLOBAL=str(settings))
    assert (done.returncode, "could not read from the remote" in done.stderr) == (1, True)
    assert not called.exists()

    clone.git("config", "remote.origin.url", address)
    done = claims("sync", "--json")
    assert (done.returncode, json.loads(done.stdout)["sent"]) == (0, 1), done.stderr
    assert not called.exists()

    # Positive control: a sync over ssh starts ssh, the person's own.
    clone.git("config", "remote.origin.url", "ssh://example.org/x.git")
    assert claims("sync").returncode == 1
    assert called.read_text() == "ssh\n"
