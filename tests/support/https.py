"""A real HTTPS server on this machine, under an authority that is made for one test."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Answer = Callable[[BaseHTTPRequestHandler], None]


def certificates(folder: Path, *hosts: str) -> tuple[Path, Path]:
    """An authority's certificate, and a chain with its key for ``hosts``, as files."""
    folder.mkdir(parents=True, exist_ok=True)
    authority, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
    root = _made(name, name, authority.public_key(), authority, ca=True)
    mine = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0])])
    leaf = _made(mine, name, key.public_key(), authority, hosts=hosts)
    ca, chain = folder / "ca.pem", folder / "server.pem"
    pem = serialization.Encoding.PEM
    ca.write_bytes(root.public_bytes(pem))
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    chain.write_bytes(leaf.public_bytes(pem) + private)
    return ca, chain


def _made(
    subject: x509.Name,
    issuer: x509.Name,
    public: Any,
    signing: ec.EllipticCurvePrivateKey,
    *,
    hosts: tuple[str, ...] = (),
    ca: bool = False,
) -> x509.Certificate:
    now = datetime.now(UTC)
    signer = x509.SubjectKeyIdentifier.from_public_key(signing.public_key())
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(signer), critical=False
        )
    )
    if ca:
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        builder = builder.add_extension(usage, critical=True)
    if hosts:
        names = x509.SubjectAlternativeName([x509.DNSName(one) for one in hosts])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(signing, hashes.SHA256())


@contextmanager
def serving(chain: Path, answer: Answer) -> Iterator[int]:
    """Serve ``answer`` to each GET, on a port of the loopback address, for the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def page(
    handler: BaseHTTPRequestHandler,
    body: bytes,
    status: int = 200,
    **headers: str,
) -> None:
    """Answer with ``body`` (``text/plain`` where nothing else is said)."""
    handler.send_response(status)
    said = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))}
    for name, value in {**said, **{key.replace("_", "-"): v for key, v in headers.items()}}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)
