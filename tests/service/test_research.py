"""A page is fetched from exactly where a person allowed, over TLS that holds, within bounds.

The server is a real one on this machine. The name of its host resolves where the test says; the
connection to the public address that was looked at is led to the server, and noted.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from citator.formats.html_words import words_of
from citator.formats.web_address import Address, Allowed, address_of, allowlist, is_allowed
from citator.model.errors import CitatorError, IntegrityError
from citator.service import research
from citator.service.web_fetch import MAX_BYTES, Fetcher, is_public
from citator.service.workspace import Places
from tests.support.https import certificates, page, serving

HOST, OTHER, PUBLIC = "docs.example.org", "other.example.org", "93.184.215.14"
ALLOWED = (Allowed(HOST, "/3/"), Allowed(HOST, "/one"))


def answer(handler: BaseHTTPRequestHandler) -> None:
    kinds: dict[str, tuple[bytes, int, dict[str, str]]] = {
        "/3/html": (
            b"<p>One<script>x</script><p>Two &amp; \x1b[31m",
            200,
            {"Content_Type": "text/html"},
        ),
        "/3/image": (b"x", 200, {"Content_Type": "image/png"}),
        "/3/zipped": (b"x", 200, {"Content_Encoding": "gzip"}),
        "/3/large": (b"x" * (MAX_BYTES + 1), 200, {}),
        "/3/short": (b"x", 200, {"Content_Length": "9"}),
        "/3/gone": (b"x", 404, {}),
        "/3/moved": (b"", 302, {"Location": "/3/there"}),
        "/3/away": (b"", 302, {"Location": f"https://{OTHER}/3/there"}),
        "/3/up": (b"", 302, {"Location": "/secret"}),
        "/3/plain": (b"", 302, {"Location": f"http://{HOST}/3/there"}),
        "/3/round": (b"", 302, {"Location": "/3/round"}),
    }
    if handler.path == "/3/slow":
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.02)
        return
    body, status, headers = kinds.get(handler.path, (b"Here.\n", 200, {}))
    handler.close_connection = True
    page(handler, body, status, **headers)


@dataclass
class Net:
    """Where names lead, and where connections went."""

    port: int
    ca: Path
    answers: list[Sequence[str]] = field(default_factory=lambda: [[PUBLIC]])
    reached: list[tuple[str, int]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def connect(self, address: tuple[str, int], seconds: float) -> socket.socket:
        self.reached.append(address)
        return socket.create_connection(("127.0.0.1", self.port), seconds)

    def fetcher(self, ca: Path | None = None, seconds: float = 20.0) -> Fetcher:
        return Fetcher(ALLOWED, time.monotonic, ca or self.ca, self.resolve, self.connect, seconds)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    ca, chain = certificates(tmp_path_factory.mktemp("certificates"), HOST)
    with serving(chain, answer) as port:
        yield port, ca


@pytest.fixture
def net(server: tuple[int, Path]) -> Net:
    return Net(*server)


def at(path: str, host: str = HOST) -> Address:
    found = address_of(f"https://{host}{path}")
    assert found is not None
    return found


def refusal(net: Net, path: str, host: str = HOST) -> str:
    with pytest.raises(CitatorError) as caught:
        net.fetcher().get(at(path, host))
    assert caught.value.what
    return caught.value.code


def test_a_page_comes_from_the_address_that_was_looked_at(net: Net) -> None:
    found = net.fetcher().get(at("/3/there"))
    assert (found.content, found.type, found.charset) == (b"Here.\n", "text/plain", "utf-8")
    assert net.reached == [(PUBLIC, 443)]
    assert net.asked == [HOST]


def test_a_name_that_changes_its_mind_is_not_asked_twice(net: Net) -> None:
    net.answers = [[PUBLIC], ["127.0.0.1"]]
    net.fetcher().get(at("/3/there"))
    assert (net.asked, net.reached) == ([HOST], [(PUBLIC, 443)])
    assert refusal(net, "/3/there") == "address_not_public"
    assert net.reached == [(PUBLIC, 443)]


def test_rebinding_at_the_socket_seam(net: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's own calls, with a resolver that answers otherwise each time it is asked."""
    numbers = iter([PUBLIC, "127.0.0.1", "10.0.0.1"])
    looked, went = [], []
    real = socket.create_connection

    def lookup(host: str, port: int, *_: object, **__: object) -> list[object]:
        looked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(numbers), port))]

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        went.append(address)
        monkeypatch.undo()
        return real(("127.0.0.1", net.port), timeout)

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    monkeypatch.setattr(socket, "create_connection", connect)
    assert Fetcher(ALLOWED, time.monotonic, net.ca).get(at("/3/there")).content == b"Here.\n"
    assert (looked, went) == ([HOST], [(PUBLIC, 443)])


def test_one_private_address_among_public_ones_refuses_the_name(net: Net) -> None:
    net.answers = [[PUBLIC, "10.1.2.3"]]
    assert refusal(net, "/3/there") == "address_not_public"
    assert net.reached == []


@pytest.mark.parametrize(
    ("number", "public"),
    [
        (PUBLIC, True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("64:ff9b::5db8:d70e", True),
        *[
            (one, False)
            for one in (
                "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0",
                "100.64.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "::1", "::",
                "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
                "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "localhost",
                "127.1", "",
            )
        ],
    ],
)  # fmt: skip
def test_what_is_public(number: str, public: bool) -> None:
    assert is_public(number) is public


def test_the_certificate_has_to_be_of_the_host_and_of_the_named_authority(
    net: Net, tmp_path: Path
) -> None:
    strange, _ = certificates(tmp_path, HOST)
    with pytest.raises(CitatorError) as caught:
        net.fetcher(strange).get(at("/3/there"))
    assert caught.value.code == "fetch_failed"
    fetcher = Fetcher((Allowed(OTHER, "/"),), time.monotonic, net.ca, net.resolve, net.connect)
    with pytest.raises(CitatorError) as caught:
        fetcher.get(at("/", OTHER))
    assert caught.value.code == "fetch_failed"
    assert net.fetcher().get(at("/3/there")).content == b"Here.\n"


def test_a_redirect_is_followed_on_the_list_alone(net: Net) -> None:
    assert net.fetcher().get(at("/3/moved")).final == f"https://{HOST}/3/there"
    assert net.asked == [HOST, HOST]
    for path in ("/3/away", "/3/up", "/3/plain"):
        assert refusal(net, path) == "redirect_off_list"
    assert refusal(net, "/3/round") == "too_many_redirects"
    assert set(net.asked) == {HOST}


def test_a_redirect_is_resolved_and_looked_at_anew(net: Net) -> None:
    net.answers = [[PUBLIC], ["192.168.0.1"]]
    assert refusal(net, "/3/moved") == "address_not_public"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/3/image", "type_refused"),
        ("/3/zipped", "type_refused"),
        ("/3/large", "page_too_large"),
        ("/3/short", "fetch_failed"),
        ("/3/gone", "not_there"),
    ],
)
def test_what_is_not_taken(net: Net, path: str, code: str) -> None:
    assert refusal(net, path) == code


def test_the_whole_time_is_bounded_however_slowly_it_comes(net: Net) -> None:
    with pytest.raises(CitatorError) as caught:
        net.fetcher(seconds=0.3).get(at("/3/slow"))
    assert caught.value.code == "too_slow"


def test_a_name_that_leads_nowhere_is_said(net: Net) -> None:
    net.answers = [[]]
    assert refusal(net, "/3/there") == "host_unknown"


@pytest.mark.parametrize(
    "url",
    [
        "http://docs.example.org/3/", "https://user@docs.example.org/3/", "https://127.0.0.1/3/",
        "https://docs.example.org/3/../x", "https://docs.example.org/3/%2e%2e/x",
        "https://docs.example.org/3/%2Fx", "https://docs.example.org\\@other.example.org/3/",
        "https://DOCS.example.org/3/", "https://docs.example.org/3/#x", "https://localhost/3/",
        "https://docs.example.org/3/ x", "https://[::1]/3/", "https://0x7f.1/3/", "file:///etc",
        "https://docs.example.org:99999/3/", "https://docs.example.org./3/", "https:docs", "",
        "https://docs.example.org/3/\r\nX: y", "https://docs.example.org/3/%0d%0a",
        "https://docs.example.org/3/%252e", "https://dócs.example.org/",
    ],
)  # fmt: skip
def test_what_is_no_address(url: str) -> None:
    assert address_of(url) is None


def test_a_prefix_ends_where_a_segment_does() -> None:
    for path, allowed in [
        ("/3/", True), ("/3/x", True), ("/3", False), ("/30/", False), ("/one", True),
        ("/one/x", True), ("/oneself", False), ("/", False), ("/3/x?q=/one", True),
    ]:  # fmt: skip
        assert is_allowed(at(path), ALLOWED) is allowed, path
    assert not is_allowed(at("/3/", "docs.example.org.evil.example.com"), ALLOWED)
    assert not is_allowed(Address(HOST, 8443, "/3/"), ALLOWED)


@pytest.mark.parametrize(
    "text",
    [
        "", "allow: all", "allow:\n- '*'", "allow:\n- host: '*.example.org'\n  path: /",
        "allow:\n- host: '*'\n  path: /", "allow:\n- host: docs.example.org\n  path: '*'/",
        "allow:\n- host: docs.example.org\n  path: '3/'", "allow:\n- host: docs.example.org",
        "allow:\n- host: docs.example.org\n  path: /../", "allow:\n- {host: 127.0.0.1, path: /}",
        "allow: []\nmore: 1", "allow:\n- host: docs.example.org\n  path: /\n  scheme: http",
        "allow:\n- host: docs.example.org\n  path: /\n  port: '443'", "allow: &a []\nb: *a",
    ],
)  # fmt: skip
def test_a_list_that_is_not_understood_whole_allows_nothing(text: str) -> None:
    assert allowlist(text) is None


def listing(places: Places) -> None:
    places.config.mkdir(parents=True, exist_ok=True)
    places.config.chmod(0o700)
    (places.config / "research.yaml").write_text(f"allow:\n- host: {HOST}\n  path: /3/\n")
    (places.config / "research.yaml").chmod(0o600)


def test_the_words_of_a_page_are_those_that_it_shows() -> None:
    page = (
        "<HEAD><title>T</title><SCRIPT>é<b></SCRIPT></HEAD><p>1 < 2 &amp; a<b>c</b><!-- > --><br>d"
    )
    assert words_of(page) == "T\n1 < 2 & ac\nd"
    assert words_of("<p>One<script>never closed") == "One"


def test_a_page_is_kept_for_a_day_by_its_digest(places: Places, net: Net) -> None:
    listing(places)
    url, day = f"https://{HOST}/3/html", 86_400
    found = research.research(places, url, 1000, fetcher=net.fetcher())
    assert (found.cached, found.text) == (False, "One\nTwo & \x1b[31m")
    assert found.fetched_at == "1970-01-01T00:16:40Z"
    again = research.research(places, url, 999 + day, fetcher=net.fetcher())
    assert (again.cached, again.digest, len(net.reached)) == (True, found.digest, 1)
    research.research(places, url, 1000 + day, fetcher=net.fetcher())
    research.research(places, url, 1000 + day, fresh=True, fetcher=net.fetcher())
    assert len(net.reached) == 3
    research.research(places, url, 999, fetcher=net.fetcher())  # the clock was set back
    assert len(net.reached) == 4
    research.research(places, url, 1000 + day, fresh=True, fetcher=net.fetcher())
    (kept,) = (places.data / "research").iterdir()
    kept.write_bytes(kept.read_bytes() + b"x")
    with pytest.raises(IntegrityError):
        research.research(places, url, 1000 + day, fetcher=net.fetcher())
    (places.config / "research.yaml").write_text("allow: []\n")
    with pytest.raises(CitatorError) as caught:  # what was kept is not handed out off the list
        research.research(places, url, 1000 + day, fetcher=net.fetcher())
    assert caught.value.code == "not_allowed"


@pytest.mark.skipif(os.name == "nt", reason="the profile's access list is relied on there")
def test_a_list_that_somebody_else_may_write_allows_nothing(places: Places, net: Net) -> None:
    listing(places)
    (places.config / "research.yaml").chmod(0o666)
    with pytest.raises(CitatorError) as caught:
        research.research(places, f"https://{HOST}/3/", 0, fetcher=net.fetcher())
    assert caught.value.code == "allowlist_not_yours"
