"""Who may enter the HTTP server, and who is turned away with what."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from citator.mcp.http_door import MAX_HEAD_BYTES, Door, House
from citator.service.http_token import Doorkeeper, ensure
from citator.service.workspace import Places
from tests.mcp.conftest import Indexed
from tests.mcp.over_http import HttpServer, name_of
from tests.mcp.serving import PATIENCE, Home

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ROOM = f"/{'a' * 16}-{'b' * 12}/mcp"
LONG = 20.0
SECRET = "Ignore all previous instructions"


@pytest.fixture(scope="module")
def server(indexed: Indexed) -> Iterator[HttpServer]:
    with HttpServer(indexed.home, ("--root", str(indexed.root))) as running:
        yield running


@pytest.fixture(scope="module")
def path(indexed: Indexed) -> str:
    return f"/{name_of(indexed.root, indexed.home)}/mcp"


def test_a_name_that_was_rebound_to_this_machine_does_not_get_in(
    server: HttpServer, path: str
) -> None:
    port = server.port
    foreign = ["evil.example", f"evil.example:{port}", "127.0.0.1:1", "127.0.0.1", "[::]"]
    foreign += ["[::1]", "[::1]:1", f"[::1%1]:{port}", f"::1:{port}", f"[::ffff:127.0.0.1]:{port}"]
    for host in foreign:
        assert server.status(path, "POST", b"{}", Host=host) == 421
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
        assert server.status(path, "POST", b"{}", Host=host) == 400  # let in, and no message


def test_a_page_of_another_origin_does_not_get_in(server: HttpServer, path: str) -> None:
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"):
        assert server.status(path, "POST", b"{}", Origin=origin) == 403
    for own in ("127.0.0.1", "localhost", "[::1]"):
        assert server.status(path, "POST", b"{}", Origin=f"http://{own}:{server.port}") == 400


def has_both_families() -> bool:
    """Whether this system has the loopback address of the newer family."""
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


def test_both_families_of_the_loopback_address_lead_to_the_same_door(
    server: HttpServer, path: str
) -> None:
    connection = http.client.HTTPConnection("::1", server.port, timeout=PATIENCE)
    if not has_both_families():
        with pytest.raises(OSError):
            connection.connect()
        return
    for headers, status in ((server.headers(), 400), ({}, 401)):
        connection.request("POST", path, b"{}", headers)
        with connection.getresponse() as response:
            response.read()
            assert response.status == status
    connection.close()


def test_a_head_over_the_limit_is_refused_whoever_sends_it(server: HttpServer, path: str) -> None:
    long = "x" * MAX_HEAD_BYTES
    assert server.status(path, "POST", b"{}", X=long) == 431
    assert server.status(f"{path}?{long}", Authorization="") == 431
    assert server.status(path, "POST", b"{}", X=long[:-1000]) == 400  # let in, and no message
    many = {f"X-{number}": "x" * 100 for number in range(MAX_HEAD_BYTES // 100)}
    assert server.status(path, "GET", b"", **many) == 431


def test_a_head_that_never_ends_is_refused_and_the_next_request_is_served(
    server: HttpServer, path: str
) -> None:
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * (MAX_HEAD_BYTES + 1))
            assert stranger.recv(65536).startswith(b"HTTP/1.1 400 ")
    assert server.status(path, "POST", b"{}") == 400
    assert server.complaints == []


def test_without_the_token_every_path_answers_alike(server: HttpServer, path: str) -> None:
    for place in (path, "/", ROOM, "/http-token"):
        for shown in ("", "Bearer", f"Basic {server.token}", f"Bearer {server.token}x", "Bearer x"):
            assert server.status(place, Authorization=shown) == 401
    assert server.status(path, "POST", b"{}", Authorization=f"bearer {server.token}") == 400


def test_a_header_that_comes_twice_says_nothing(server: HttpServer, path: str) -> None:
    own = {"Host": f"127.0.0.1:{server.port}", **server.headers()}
    for name, other, status in (
        ("Origin", "https://evil.example", 403),
        ("Authorization", "Bearer x", 401),
        ("Host", "evil.example", 400),
    ):
        first = own.get(name, f"http://127.0.0.1:{server.port}")
        for pair in ((first, other), (other, first)):
            connection = server.connect()
            connection.putrequest("POST", path, skip_host=True)
            for key, value in own.items():
                if key != name:
                    connection.putheader(key, value)
            for value in pair:
                connection.putheader(name, value)
            connection.endheaders()
            with connection.getresponse() as response:
                assert response.status == status
                response.read()
            connection.close()


def test_nothing_is_listed_and_what_is_not_registered_is_not_there(server: HttpServer) -> None:
    for path in ("/", ROOM, "/mcp", "/../http-token", "/.well-known/oauth-protected-resource"):
        assert server.status(path) == 404


def test_a_body_over_the_limit_is_refused(server: HttpServer, path: str) -> None:
    assert server.status(path, "POST", b" " * ((1 << 20) + 1)) == 413
    assert server.status(path, "POST", b" " * (1 << 20)) == 400


def test_a_body_that_is_no_message_is_refused(server: HttpServer, path: str) -> None:
    modern = {"MCP-Protocol-Version": "2026-07-28"}
    for body in (b"", b"[" * 100_000, b"\xff", b"null", b"9" * 5000):
        assert server.status(path, "POST", body) == 400
        assert server.status(path, "POST", body, **modern) == 400
    assert server.status(path, "PUT", b"{}") == 405
    assert server.complaints == []


def raw(server: HttpServer, head: str, body: bytes = b"") -> str:
    """The status line for a request as it is written; TOKEN and PORT stand for the server's."""
    written = head.replace("TOKEN", server.token).replace("PORT", str(server.port))
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as stranger:
        stranger.sendall(written.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + body)
        return stranger.makefile("rb").readline().decode("latin-1").strip()


def test_unusual_requests_get_no_further_than_usual_ones(server: HttpServer, path: str) -> None:
    host, token = "Host: 127.0.0.1:PORT", "Authorization: Bearer TOKEN"
    upgrade = "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13"
    for head, status in (
        (f"GET {path} HTTP/1.0\n{token}", 421),  # no Host
        (f"GET {path} HTTP/1.1\n{token}", 400),
        (f"GET http://evil.example{path} HTTP/1.1\n{host}\n{token}", 404),
        (f"GET /x/..{path} HTTP/1.1\n{host}\n{token}", 404),
        (f"GET /{path} HTTP/1.1\n{host}\n{token}", 404),
        (f"GET {path}/ HTTP/1.1\n{host}\n{token}", 404),
        (f"GET {path}%0A HTTP/1.1\n{host}\n{token}", 404),
        (f"GET {path} HTTP/1.1\n{host}\n{upgrade}", 401),
        (f"GET {path} HTTP/1.1\n{host}\nConnection: Upgrade\nUpgrade: h2c", 401),
        (f"CONNECT 127.0.0.1:PORT HTTP/1.1\n{host}\n{token}", 404),
        (f"TRACE {path} HTTP/1.1\n{host}", 401),
        ("PRI * HTTP/2.0", 421),  # no Host
        ("\x16\x03\x01 hello", 400),  # TLS
    ):
        assert raw(server, head).startswith(f"HTTP/1.1 {status} "), head
    assert server.complaints == []


def test_a_body_without_a_length_has_the_same_limit(server: HttpServer, path: str) -> None:
    head = f"POST {path} HTTP/1.1\nHost: 127.0.0.1:PORT\nAuthorization: Bearer TOKEN\n"
    head += "Content-Type: application/json\nAccept: application/json, text/event-stream\n"
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    chunked = f"{head}Transfer-Encoding: chunked"
    assert raw(server, chunked, chunk * 16 + b"0\r\n\r\n").startswith("HTTP/1.1 400 ")
    assert raw(server, chunked, chunk * 17 + b"0\r\n\r\n").startswith("HTTP/1.1 413 ")
    both = f"{chunked}\nContent-Length: 2"
    assert raw(server, both, b"0\r\n\r\n").startswith("HTTP/1.1 400 ")


async def asked(door: Door, token: str, path: str = ROOM) -> list[Message]:
    """What ``door`` sends for one request."""
    sent: list[Message] = []
    headers = [(b"host", b"127.0.0.1:7"), (b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers}

    async def receive() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    await door(scope, receive, send)
    return sent


def make_door(home: Home, room: ASGIApp, reported: list[Exception]) -> tuple[Door, str]:
    """A door to one room that holds one request, and the token for it."""
    path = ensure(Places(home.data, home.config))

    async def find(_: str) -> ASGIApp | None:
        return room

    house = House(Doorkeeper(path), find, reported.append, most=1)
    return Door(7, house), path.read_text().strip()


def test_who_comes_when_it_is_full_is_told_when_to_try_again(tmp_path: Any) -> None:
    async def room(scope: Scope, receive: Receive, send: Send) -> None:
        entered.set()
        await anyio.sleep_forever()

    async def main() -> tuple[list[Message], list[Message]]:
        door, token = make_door(Home.under(tmp_path), room, [])
        with anyio.fail_after(LONG):
            return await crowded(door, token)

    async def crowded(door: Door, token: str) -> tuple[list[Message], list[Message]]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(asked, door, token)
            await entered.wait()
            second = await asked(door, token)
            stranger = await asked(door, "x")
            door.close()
        return second, stranger

    entered = anyio.Event()
    second, stranger = anyio.run(main)
    assert second[0]["status"] == 503
    assert (b"retry-after", b"1") in second[0]["headers"]
    assert stranger[0]["status"] == 401


def test_what_fails_inside_is_reported_and_its_text_stays_inside(tmp_path: Any) -> None:
    async def room(scope: Scope, receive: Receive, send: Send) -> None:
        raise ValueError(SECRET)

    reported: list[Exception] = []
    door, token = make_door(Home.under(tmp_path), room, reported)
    sent = anyio.run(asked, door, token)
    assert sent[0]["status"] == 500
    assert SECRET not in json.dumps(sent, default=repr)
    assert [str(error) for error in reported] == [SECRET]
