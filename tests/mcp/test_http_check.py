"""An entry that points to an address is tried where it is our own server, and never elsewhere."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from citator.clients.launch import Launch
from citator.clients.places import Surroundings, System
from citator.service.check_clients import Checking, Trial, check
from citator.service.http_token import token_path
from citator.service.wire_clients import Wiring
from citator.service.workspace import Places
from tests.mcp.conftest import Indexed
from tests.mcp.over_http import HttpServer, name_of

BOTH = ("2026-07-28", "2025-11-25")
SECRET = "hunter2-hunter2-hunter2"


@pytest.fixture(scope="module")
def server(indexed: Indexed) -> Iterator[HttpServer]:
    with HttpServer(indexed.home, ("--root", str(indexed.root))) as running:
        yield running
    assert running.complaints == []


@pytest.fixture
def checking(indexed: Indexed, tmp_path: Path) -> Checking:
    wiring = Wiring(Surroundings(System.LINUX, tmp_path), Launch("citator"), indexed.root)
    places = Places(indexed.home.data, indexed.home.config)
    token = token_path(places)
    environ = {"OURS": token.read_text().strip()} if token.exists() else {}
    return Checking(wiring, environ | {"OTHER": SECRET}, time.monotonic, places)


@pytest.fixture
def url(server: HttpServer, indexed: Indexed) -> str:
    return server.url(name_of(indexed.root, indexed.home))


def tried(checking: Checking, entry: dict[str, Any], *place: str, key: str = "mcpServers") -> Trial:
    """The trial of one entry in the file at ``place`` of the home; without one, Claude Code's."""
    path = Path(checking.wiring.surroundings.home, *(place or (".claude.json",)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({key: {"citator": entry}}), encoding="utf-8")
    (trial,) = check(checking)
    path.unlink()
    return trial


def test_an_address_and_a_token_are_called_in_both_eras(url: str, checking: Checking) -> None:
    entry = {"type": "http", "url": url, "headers": {"Authorization": "Bearer ${OURS}"}}
    trial = tried(checking, entry)
    assert trial.ok, trial
    assert (trial.detail, trial.todo, trial.eras) == ("answers", "", BOTH)
    assert trial.tools[:2] == ("investigate_work", "read_evidence")
    assert trial.answer in {"complete", "partial", "abstained"}
    assert trial.seconds is not None
    for name in ("localhost", "127.0.0.1"):
        assert tried(checking, {**entry, "url": url.replace("127.0.0.1", name)}).ok


def test_each_client_has_its_own_way_to_write_it(url: str, checking: Checking) -> None:
    token = checking.environ["OURS"]
    plain = {"Authorization": f"Bearer {token}"}
    for entry, place, key in (
        (
            {"httpUrl": url, "headers": {"authorization": "Bearer $OURS"}},
            ".gemini/settings.json",
            "",
        ),
        ({"serverUrl": url, "headers": plain}, ".codeium/windsurf/mcp_config.json", ""),
        ({"type": "http", "url": url, "headers": plain}, ".config/Code/User/mcp.json", "servers"),
        (
            {"type": "remote", "url": url, "headers": {"Authorization": "Bearer {env:OURS}"}},
            ".config/opencode/opencode.json",
            "mcp",
        ),
    ):
        trial = tried(checking, entry, *place.split("/"), key=key or "mcpServers")
        assert trial.ok, trial


@pytest.mark.parametrize(
    ("lines", "ok"),
    [
        ('bearer_token_env_var = "OURS"', True),
        ('http_headers = { Authorization = "Bearer TOKEN" }', True),
        ('env_http_headers = { Authorization = "WHOLE" }', True),
        ('headers = { Authorization = "Bearer TOKEN" }', False),  # Codex does not read it
        ('bearer_token_env_var = "UNSET"', False),
    ],
)
def test_codex_has_keys_of_its_own(url: str, checking: Checking, lines: str, ok: bool) -> None:
    token = checking.environ["OURS"]
    path = Path(checking.wiring.surroundings.home, ".codex", "config.toml")
    path.parent.mkdir()
    shown = lines.replace("TOKEN", token)
    path.write_text(f'[mcp_servers.citator]\nurl = "{url}"\n{shown}\n', encoding="utf-8")
    told = {**checking.environ, "WHOLE": f"Bearer {token}"}
    (trial,) = check(replace(checking, environ=told))
    assert trial.ok is ok, trial
    assert ok or trial.detail == "the entry shows no token"


@contextmanager
def trap() -> Iterator[tuple[int, list[bytes]]]:
    """A port of this machine where somebody else listens, and all that was sent there."""
    heard: list[bytes] = []

    def listen(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                caller, _ = listener.accept()
                heard.append(caller.recv(65536))
                caller.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=listen, args=(listener,), daemon=True).start()
        yield listener.getsockname()[1], heard


def test_neither_a_token_nor_a_variable_reaches_anybody_else(
    server: HttpServer, url: str, checking: Checking
) -> None:
    with trap() as (port, heard):
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"127.0.0.1:{server.port}@x:{port}"):
            for shown in ("Bearer ${OURS}", "Bearer ${OTHER}"):
                address = url.replace(f"127.0.0.1:{server.port}", host)
                entry = {"url": address, "headers": {"Authorization": shown, "X": "${OTHER}"}}
                trial = tried(checking, entry)
                assert not trial.ok
                assert SECRET not in repr(trial)
                assert checking.environ["OURS"] not in repr(trial)
        socket.create_connection(("127.0.0.1", port)).close()  # the trap works
        deadline = time.monotonic() + 60
        while not heard:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert heard == [b""]


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1:PORT/NAME/mcp",
        "http://example.org/NAME/mcp",
        "http://127.0.0.1.example.org:PORT/NAME/mcp",
        "http://user@127.0.0.1:PORT/NAME/mcp",
        "http://127.0.0.1:PORT/NAME/mcp?x=1",
        "http://127.0.0.1:PORT/NAME/mcp#x",
        "http://127.0.0.1:PORT/other",
        "http://[::1",
        "http://127.0.0.1:99999/NAME/mcp",
        "http://127.0.0.1:PORT/\r\nX: y/mcp",
        "",
    ],
)
def test_another_address_is_not_called(
    server: HttpServer, indexed: Indexed, checking: Checking, address: str
) -> None:
    name = name_of(indexed.root, indexed.home)
    written = address.replace("PORT", str(server.port)).replace("NAME", name)
    trial = tried(checking, {"url": written, "headers": {"Authorization": "Bearer ${OURS}"}})
    assert trial.detail.endswith("it was not called")
    assert trial.eras == ()


def test_what_is_wrong_is_said(server: HttpServer, url: str, checking: Checking) -> None:
    headers = {"Authorization": "Bearer ${OURS}"}
    assert tried(checking, {"url": url}).detail == "the entry shows no token"
    for shown in ("Bearer ${UNSET}", "Bearer ${OTHER}", "Basic ${OURS}", "Bearer ${OURS} x"):
        trial = tried(checking, {"url": url, "headers": {"Authorization": shown}})
        assert trial.detail == "the entry does not show the server's token"
        assert "http-token" in trial.todo
    moved = url.replace(str(server.port), "1")
    assert (
        f"runs at port {server.port}" in tried(checking, {"url": moved, "headers": headers}).detail
    )
    nobody = f"http://127.0.0.1:{server.port}/{'a' * 16}-{'b' * 12}/mcp"
    trial = tried(checking, {"url": nobody, "headers": headers})
    assert trial.detail == "the address names no repository that the server knows (2026-07-28)"
    assert tried(checking, {"url": url, "disabled": True}).detail == "the entry is switched off"
    late = tried(replace(checking, patience=0.0), {"url": url, "headers": headers})
    assert late.detail == "the server did not answer in time (2026-07-28)"


def test_where_no_server_runs_that_is_said(url: str, checking: Checking, tmp_path: Path) -> None:
    elsewhere = replace(checking, places=Places(tmp_path / "data", tmp_path / "config"))
    trial = tried(elsewhere, {"url": url, "headers": {"Authorization": "Bearer ${OURS}"}})
    assert (trial.ok, trial.detail) == (False, "no HTTP server runs")
    assert trial.todo == "start it: citator serve --http"
