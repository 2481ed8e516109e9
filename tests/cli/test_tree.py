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
    "why": "--removed --more --limit --words --no-words --root --json --help",
    "treatment": "--svg --words --no-words --root --json --help",
    "locate": "--limit --tests --under --detail --root --json --help",
    "check": "--staged --base --approach --read --all --format --answer --why --words --no-words "
    "--root --json --help",
    "brief": "--detail --set --root --json --help",
    "survey": "--days --root --json --help",
    "prove-absent": "--at --root --json --help",
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
    "hooks": "--help",
    "hooks install": "--client --scope --dry-run --root --json --help",
    "hooks uninstall": "--client --scope --dry-run --root --json --help",
    "hooks status": "--root --json --help",
    "hooks work": "--root --json --help",
    "trust": "--help",
    "trust pin": "--key --ci-key --root-file --from-record --branch --policy --author-may-approve "
    "--no-author-may-approve --signature --approvers --yes-i-read-them --second --root --json "
    "--help",
    "trust show": "--export --second --root --json --help",
    "trust unpin": "--yes --second --root --json --help",
    "trust ledger": "--remove --root --json --help",
    "trust audience": "--ceiling --unapproved --no-unapproved --tenant --group --yes --root --json "
    "--help",
    "trust readership": "--sensitivity --path --clear --yes --root --json --help",
    "trust words": "--signed-by --everything --clear --root --json --help",
    "trust policy": "--because --author --second --root --json --help",
    "trust approvers": "--add --remove --because --author --second --root --json --help",
    "policy": "--help",
    "policy list": "--root --json --help",
    "policy show": "--root --json --help",
    "policy verify": "--root --json --help",
    "policy add": "--digest --root --json --help",
    "policy sign": "--key --days --counter --digest --root --json --help",
    "policy remove": "--pinned-root --yes --root --json --help",
    "skills": "--help",
    "skills ingest": "--root --json --help",
    "skills analyze": "--root --json --help",
    "skills show": "--root --json --help",
    "skills list": "--root --json --help",
    "skills trust": "--yes-i-read-it --remove --root --json --help",
    "skills approve": "--key --digest --approval --out --root --json --help",
    "skills activate": "--shipped --ceiling --root --json --help",
    "skills rollback": "--root --json --help",
    "skills remove": "--root --json --help",
    "research": "--fresh --ca-file --lines --root --json --help",
    "decide": "--title --ruling --kind --owner --sensitivity --scope --refuse --label --alias "
    "--body-file --supersedes --revises --valid-from --valid-to --draft --ready --anyway "
    "--because --author --edit --root --json --help",
    "approve": "--key --typed --show --digest --root --json --help",
    "reject": "--reason --value --scope --kind --change --lift --key --typed --digest --root "
    "--json --help",
    "apply": "--commit --root --json --help",
    "decisions": "--help",
    "decisions list": "--kind --status --path --label --rejections --at --as-of --all --granted "
    "--words --no-words --root --json --help",
    "decisions show": "--at --as-of --all --granted --root --json --help",
    "decisions diff": "--from --to --at --as-of --all --granted --root --json --help",
    "decisions deprecate": "--because --author --root --json --help",
    "decisions restore": "--because --author --root --json --help",
    "decisions relate": "--remove --because --author --root --json --help",
    "decisions classify": "--sensitivity --owner --alias --remove-alias --because --author --root "
    "--json --help",
    "decisions lift": "--because --author --root --json --help",
    "verify": "--pin --at --attest --root --json --help",
    "log": "--limit --before --prune --root --json --help",
    "note": "--help",
    "note add": "--kind --path --root --json --help",
    "note list": "--kind --all --words --no-words --root --json --help",
    "note search": "--words --no-words --root --json --help",
    "note show": "--root --json --help",
    "note edit": "--kind --path --root --json --help",
    "note verify": "--root --json --help",
    "note undo": "--root --json --help",
    "note rm": "--root --json --help",
    "note export": "--root --json --help",
    "note import": "--root --json --help",
    "note promote": "--title --because --root --json --help",
    "note capture": "--last --dry-run --root --json --help",
    "session": "--help",
    "session save": "--wip --root --json --help",
    "session list": "--root --json --help",
    "session show": "--root --json --help",
    "session rm": "--root --json --help",
    "claims": "--help",
    "claims list": "--all --words --no-words --root --json --help",
    "claims start": "--intent --hours --words --no-words --root --json --help",
    "claims release": "--root --json --help",
    "claims extend": "--hours --root --json --help",
    "claims sync": "--remote --root --json --help",
    "claims finish": "--outcome --commit --file --root --json --help",
    "claims outcomes": "--root --json --help",
    "claims undo": "--root --json --help",
    "stats": "--since --root --json --help",
    "import": "--help",
    "import adr": "--kind --scope --sensitivity --owner --author --dry-run --root --json --help",
    "import theurian": "--author --dry-run --root --json --help",
    "import okf": "--kind --sensitivity --owner --author --dry-run --root --json --help",
    "import reviews": "--redact-names --local --propose --owner --author --dry-run --root --json "
    "--help",
    "import mcp-brain": "--root --json --help",
    "export": "--help",
    "export okf": "--ceiling --root --json --help",
    "export madr": "--ceiling --root --json --help",
    "export html": "--title --approved-only --ceiling --root --json --help",
    "eval": "--help",
    "eval locate": "--last --since --tests --resume --fresh --root --json --help",
    "doctor": "--report --overwrite --root --json --help",
    "forget": "--yes --root --json --help",
    "completion": "--help",
}


# Commands whose every part can be said by an option, for scripts.
LONG = {"decide": 36, "trust pin": 30}


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
    assert len(text.splitlines()) <= LONG.get(path, 26)
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
    assert (str(root), profile) == ("there", "all")
    assert "data" in str(places)
