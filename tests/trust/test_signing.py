"""Which ssh-keygen is started, with what, and what is believed of what it makes.

The programs here are stand-ins that fail in one way each; ``test_openssh.py`` has the real one.
"""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path

import pytest

import citator.trust
from citator.trust.errors import SigningRefusedError
from citator.trust.signing import Keygen, find_ssh_keygen
from citator.trust.statement import NAMESPACE
from tests.support import keys

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")

MESSAGE = b"{}"
KEY = keys.ed25519_key()


def program(folder: Path, script: str = "exit 1") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ssh-keygen"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def keygen(tmp_path: Path, script: str) -> Keygen:
    return Keygen(program(tmp_path / "bin", script), {"PATH": os.defpath}, tmp_path)


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "id_ed25519"
    path.write_bytes(KEY.private_text())
    return path


def refusal(signer: Keygen, key_file: Path) -> str:
    with pytest.raises(SigningRefusedError) as caught:
        signer.sign(key_file, MESSAGE, NAMESPACE)
    assert caught.value.what
    assert caught.value.todo
    return caught.value.code


def find(path: str, here: Path, *trees: Path) -> Path | None:
    try:
        return find_ssh_keygen({"PATH": path}, here, trees)
    except SigningRefusedError as error:
        assert error.code == "ssh_keygen_missing"
        return None


def test_the_first_on_path_is_found(tmp_path: Path) -> None:
    first, second = program(tmp_path / "a"), program(tmp_path / "b")
    path = os.pathsep.join(map(str, (tmp_path / "none", first.parent, second.parent)))
    assert find(path, tmp_path) == first


def test_no_program_is_an_error_that_says_so(tmp_path: Path) -> None:
    assert find(str(tmp_path), tmp_path / "here") is None
    (tmp_path / "ssh-keygen").write_text("not executable")
    assert find(str(tmp_path), tmp_path / "here") is None


def test_nothing_of_the_working_directory_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, right = program(tmp_path / "here"), program(tmp_path / "bin")
    monkeypatch.chdir(mine.parent)
    (tmp_path / "link").symlink_to(mine.parent)
    for folder in ("", ".", str(mine.parent), str(tmp_path / "link")):
        path = os.pathsep.join((folder, str(right.parent)))
        assert find(path, mine.parent) == right


def test_nothing_of_the_repository_is_started_by_whatever_link(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    inside, right = program(repository / "tools" / "bin"), program(tmp_path / "bin")
    (tmp_path / "folder").symlink_to(inside.parent)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "ssh-keygen").symlink_to(inside)
    out = repository / "out"
    out.mkdir()
    (out / "ssh-keygen").symlink_to(right)
    for folder in (inside.parent, tmp_path / "folder", tmp_path / "linked", out):
        path = os.pathsep.join((str(folder), str(right.parent)))
        assert find(path, tmp_path, repository) == right
        assert find(str(folder), tmp_path, repository) is None
    assert find(str(inside.parent), tmp_path) == inside


def test_a_program_that_is_gone_is_an_error_that_says_so(tmp_path: Path, key_file: Path) -> None:
    gone = Keygen(tmp_path / "gone" / "ssh-keygen", {}, tmp_path)
    assert refusal(gone, key_file) == "ssh_keygen_missing"


def test_a_key_file_is_named_whole_and_exists(tmp_path: Path, key_file: Path) -> None:
    signer = keygen(tmp_path, "exit 0")
    assert refusal(signer, tmp_path / "none") == "signing_key_missing"
    assert refusal(signer, Path(key_file.name)) == "signing_key_missing"


def test_a_refusal_is_passed_on(tmp_path: Path, key_file: Path) -> None:
    assert refusal(keygen(tmp_path, "exit 255"), key_file) == "signing_refused"
    assert refusal(keygen(tmp_path, "exit 0"), key_file) == "signing_refused"
    assert refusal(keygen(tmp_path, "kill -9 $$"), key_file) == "signing_refused"


@pytest.mark.parametrize("made", ["nonsense", "for something else", "over something else"])
def test_what_does_not_verify_is_not_believed(tmp_path: Path, key_file: Path, made: str) -> None:
    signature = {
        "nonsense": "\u00ff" * 40_000,
        "for something else": KEY.sign(MESSAGE, "git"),
        "over something else": KEY.sign(MESSAGE + b" "),
    }[made]
    (tmp_path / "made").write_text(signature)
    signer = keygen(tmp_path, f"cp '{tmp_path / 'made'}' statement.sig")
    assert refusal(signer, key_file) == "signature_unusable"


def test_a_signature_is_kept_with_plain_line_ends_and_nothing_is_left_behind(
    tmp_path: Path, key_file: Path
) -> None:
    (tmp_path / "made").write_bytes(KEY.sign(MESSAGE).replace("\n", "\r\n").encode())
    (tmp_path / "scratch").mkdir()
    script = f"cp '{tmp_path / 'made'}' statement.sig; ls -ld . statement > '{tmp_path / 'modes'}'"
    signer = Keygen(program(tmp_path / "bin", script), {"PATH": os.defpath}, tmp_path / "scratch")
    signed = signer.sign(key_file, MESSAGE, NAMESPACE)
    assert signed.armored == KEY.sign(MESSAGE)
    assert signed.facts.key == KEY.public
    assert list((tmp_path / "scratch").iterdir()) == []
    modes = [line.split()[0][:10] for line in (tmp_path / "modes").read_text().splitlines()]
    assert sorted(modes) == ["-rw-------", "drwx------"]


def test_the_program_gets_the_persons_environment_and_what_it_says_goes_to_the_terminal(
    tmp_path: Path, key_file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    signer = Keygen(
        program(tmp_path / "bin", 'echo "agent $SSH_AUTH_SOCK"; exit 1'),
        {"SSH_AUTH_SOCK": "/some/where"},
        tmp_path,
    )
    assert refusal(signer, key_file) == "signing_refused"
    assert capfd.readouterr() == ("", "agent /some/where\n")


def test_the_package_has_no_other_way_to_sign() -> None:
    """No private key is loaded and nothing is signed in this process, anywhere in the package."""
    folder = Path(citator.trust.__file__).parents[1]
    names = {
        "load_ssh_private_key",
        "load_pem_private_key",
        "load_der_private_key",
        "from_private_bytes",
        "generate_private_key",
        "derive_private_key",
        "private_bytes",
        "Ed25519PrivateKey",
        "RSAPrivateKey",
        "EllipticCurvePrivateKey",
    }
    used = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                used.add(node.attr)
            elif isinstance(node, ast.Name):
                used.add(node.id)
            elif isinstance(node, ast.alias):
                used.add(node.name)
    assert "verify" in used
    assert used & names == set()
