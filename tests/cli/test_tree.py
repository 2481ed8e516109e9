"""The names of commands and options are a promise; help pages are short and show an example."""

from __future__ import annotations

import click
import pytest

from citator import __version__
from citator.cli.completion import entry_of, walk
from citator.cli.main import run
from citator.cli.tree import citator

SURFACE = {
    "": "--version --help",
    "ask": "--read --limit --cursor --words --no-words --root --json --help",
    "read": "--lines --root --json --help",
    "init": "--words --no-words --root --json --help",
    "index": "--help",
    "index build": "--fresh --root --json --help",
    "index status": "--root --json --help",
    "index promote": "--root --json --help",
    "index rollback": "--root --json --help",
    "index watch": "--root --json --help",
    "serve": "--root --profile --http --port --end-with-input --rotate-token --help",
    "clients": "--help",
    "clients list": "--root --json --help",
    "clients write": "--scope --print --root --json --help",
    "clients remove": "--scope --root --json --help",
    "clients check": "--root --json --help",
    "doctor": "--report --overwrite --root --json --help",
    "forget": "--yes --root --json --help",
    "completion": "--help",
}


def no_server(*_: object) -> int:
    raise AssertionError("nobody asked to serve")


def test_the_commands_and_their_options_are_these() -> None:
    tree = entry_of(citator, click.Context(citator), ())
    found = {
        " ".join(entry.path): " ".join(name for name, _ in entry.options) for entry in walk(tree)
    }
    assert found == SURFACE
    assert list(found) == list(SURFACE)


@pytest.mark.parametrize("path", [path for path in SURFACE if path])
def test_help_is_short_and_shows_an_example(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*path.split(), "--help"], no_server) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Usage: citator {path}")
    assert f"  citator {path.split()[0]}" in text or "source <(citator completion" in text
    assert len(text.splitlines()) <= 26
    assert max(map(len, text.splitlines())) <= 88


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([], no_server) == 0
    assert "Ask a code base why." in capsys.readouterr().out


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_said(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([flag], no_server) == 0
    assert capsys.readouterr().out == f"citator {__version__}\n"


@pytest.mark.parametrize(
    ("words", "message", "todo"),
    [
        (["aks"], "no command named 'aks'. Did you mean ask?", "See: citator --help"),
        (["xyzzy"], "no command named 'xyzzy'", "See: citator --help"),
        (["index", "bild"], "no command named 'bild'. Did you mean build?", "See: citator index"),
        (["a\x1b[2J\n"], r"no command named 'a\\u{1b}[2J '", "See: citator --help"),
        (["ask"], "Missing argument 'QUESTION...'", "See: citator ask --help"),
        (["ask", "q", "--read", "9"], "Invalid value for '--read'", "See: citator ask --help"),
        (["read", "--nope"], "No such option", "See: citator read --help"),
    ],
)
def test_a_call_whose_words_are_off_ends_with_two(
    words: list[str], message: str, todo: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words, no_server) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"citator: {message}")
    assert todo in told.err


def test_serving_hands_over_to_the_server_with_the_directories(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CITATOR_DATA_DIR", "/data")
    monkeypatch.setenv("CITATOR_CONFIG_DIR", "/config")
    seen: list[object] = []
    assert run(["serve", "--root", "there"], lambda *given: seen.extend(given)) == 0
    root, places, profile = seen
    assert (str(root), profile) == ("there", "evidence")
    assert "data" in str(places)
