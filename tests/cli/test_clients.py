"""``clients``, as a user meets it: nothing is written unsaid, and what was written works."""

from __future__ import annotations

import dataclasses
import json
import sys
import tomllib
from pathlib import Path

import pytest

from citator.cli.surroundings import client_folders, program
from citator.clients.launch import Launch
from citator.clients.places import Base, System
from citator.clients.table import CLIENTS
from citator.service.check_clients import Trial
from citator.service.wire_clients import Found, State
from tests.cli.process import Finished, Home
from tests.mcp.serving import TOOL_NAMES
from tests.support.builder import Builder, contents_of

PLAN_KEYS = {
    "client", "scope", "path", "in_repository", "exists", "changed", "kept", "snippet", "backup",
}  # fmt: skip
HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "clients"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    builder = Builder.init(tmp_path / "repo")
    builder.write("pump.md", "# Pump\n\nThe pump was replaced by a siphon.\n")
    builder.commit("Replace the pump\n\nThe pump leaked, because its seal was never specified.")
    return builder.path


@pytest.fixture
def citator(home: Home, repository: Path) -> Citator:
    return Citator(home, repository)


@dataclasses.dataclass(frozen=True)
class Citator:
    """A user with a home of their own, standing in a repository."""

    home: Home
    repository: Path

    def __call__(self, *words: str | Path, cwd: Path | None = None) -> Finished:
        self.home.path.mkdir(exist_ok=True)
        return self.home.run(
            "clients",
            *words,
            cwd=cwd or self.repository,
            HOME=str(self.home.path),
            USERPROFILE=str(self.home.path),
            APPDATA=str(self.home.path / "AppData" / "Roaming"),
            XDG_CONFIG_HOME="",
            CODEX_HOME="",
            CLAUDE_CONFIG_DIR="",
        )


def test_a_client_is_configured_checked_and_taken_out_again(citator: Citator) -> None:
    config = citator.home.path / ".codex" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('model = "m" # mine\n', encoding="utf-8")
    written = citator("write", "codex", "--json").object
    assert set(written) == PLAN_KEYS
    assert (written["client"], written["scope"]) == ("codex", "user")
    assert (written["path"], written["backup"]) == (str(config), f"{config}.citator-backup-1")
    assert (written["changed"], written["exists"], written["in_repository"]) == (True, True, False)
    entry = tomllib.loads(config.read_text(encoding="utf-8"))["mcp_servers"]["citator"]
    assert entry["args"][-1] == "serve"
    assert config.read_text(encoding="utf-8") == f'model = "m" # mine\n\n{written["snippet"]}'
    again = citator("write", "codex", "--json").object
    assert (again["changed"], again["backup"]) == (False, None)
    assert citator("write", "codex").out.startswith(f"Already there: {config}\n")
    listed = citator("list", "--json").object["clients"]
    assert {frozenset(item) for item in listed} == {
        frozenset(field.name for field in dataclasses.fields(Found))
    }
    assert [item["client"] for item in listed if item["state"] == "configured"] == ["codex"]
    checked = citator("check", "--json")
    assert checked.code == 0, checked.out
    (trial,) = checked.object["clients"]
    assert set(trial) == {field.name for field in dataclasses.fields(Trial)}
    assert trial["ok"] is True
    assert trial["tools"] == TOOL_NAMES
    removed = citator("remove", "codex", "--json").object
    assert removed == {
        "client": "codex",
        "removed": [{"scope": "user", "path": str(config), "backup": f"{config}.citator-backup-2"}],
    }
    assert config.read_text(encoding="utf-8") == 'model = "m" # mine\n'
    assert citator("remove", "codex").out == "There was no entry.\n"


def test_a_file_in_the_repository_is_named_before_it_is_written(citator: Citator) -> None:
    below = citator.repository / "deep"
    below.mkdir()
    told = citator("write", "cursor", cwd=below).out.splitlines()
    path = citator.repository / ".cursor" / "mcp.json"
    assert told[:2] == [f"In this repository: {path} (new, not committed)", f"Written: {path}"]
    args = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]["citator"]["args"]
    assert args[-3:] == ["serve", "--root", str(citator.repository)]
    gone = citator("remove", "cursor").out.splitlines()
    assert gone[0] == f"In this repository: {path} (changed, not committed)"
    assert gone[1].startswith("Removed. Kept as it was: ")


def test_printing_and_listing_write_nothing(citator: Citator) -> None:
    before = contents_of(citator.repository)
    shown = citator("write", "claude-code", "--scope", "project", "--print")
    assert json.loads(shown.out)["mcpServers"]["citator"]["type"] == "stdio"
    assert shown.err == f"For {citator.repository / '.mcp.json'}:\n"
    generic = citator("write", "generic", "--root", citator.repository)
    args = json.loads(generic.out)["mcpServers"]["citator"]["args"]
    assert args[-2:] == ["--root", str(citator.repository)]
    assert citator("write", "zed", "--print", "--json").object["changed"] is False
    rows = citator("list").out.splitlines()
    assert len(rows) == sum(len(client.scopes()) for client in CLIENTS)
    assert contents_of(citator.repository) == before
    assert list(citator.home.path.iterdir()) == []


def test_what_does_not_work_ends_with_its_code(citator: Citator) -> None:
    assert citator("check").code == 3
    assert citator("check", "zed", "--json").object["error"]["code"] == "not_configured"
    assert citator("write", "emacs").code == 2
    assert citator("write", "goose", "--scope", "project").code == 2
    assert citator("write", "cursor", cwd=citator.home.path).code == 2
    (citator.home.path / ".claude.json").write_text("{", encoding="utf-8")
    broken = citator("write", "claude-code")
    assert broken.code == 1
    assert "a name or a string" in broken.err or "a value is missing" in broken.err
    assert '      "type": "stdio",' in broken.err
    assert (citator.home.path / ".claude.json").read_text(encoding="utf-8") == "{"
    assert citator("write", "windsurf").out.count("does not start servers in the project") == 1
    unhealthy = citator("check", "windsurf")
    assert unhealthy.code == 1
    assert unhealthy.out.startswith("!!  Windsurf (user): ")


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not have")
def test_a_folders_name_cannot_steer_the_terminal(citator: Citator, tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "re\x1b[2Jpo\n!!")
    builder.write("a", "a")
    builder.commit("Add a")
    for words in (["list"], ["write", "zed", "--print"], ["write", "zed"], ["remove", "zed"]):
        told = citator(*words, cwd=builder.path)
        assert told.code == 0
        assert "\x1b" not in told.out + told.err
        assert "\n!!" not in told.out + told.err
    assert (builder.path / ".zed" / "settings.json").exists()


def test_the_program_is_the_script_that_runs_or_the_module(tmp_path: Path) -> None:
    suffix = ".exe" if sys.platform == "win32" else ""
    script = tmp_path / "bin" / f"citator{suffix}"
    python = tmp_path / "bin" / f"python{suffix}"
    module = Launch(str(python), ("-P", "-m", "citator"))
    assert program(str(tmp_path / "citator" / "__main__.py"), str(python)) == (module, ())
    script.parent.mkdir()
    script.write_bytes(b"")
    assert program(str(script), str(python)) == (Launch(str(script)), (module,))
    assert program(str(tmp_path / "__main__.py"), str(python)) == (module, (Launch(str(script)),))


def test_folders_come_from_the_environment_where_they_are_absolute(tmp_path: Path) -> None:
    folders = client_folders({"XDG_CONFIG_HOME": "relative", "CODEX_HOME": str(tmp_path)})
    assert folders.xdg_config is None
    assert folders.base(Base.CODEX, None) == tmp_path
    assert folders.home == Path.home()
    assert folders.system in System


@pytest.mark.parametrize("form", [Found, Trial])
def test_every_key_of_the_json_is_documented(form: type) -> None:
    page = (HOW_TO.parents[1] / "reference" / "json.md").read_text(encoding="utf-8")
    names = PLAN_KEYS | {field.name for field in dataclasses.fields(form)}
    assert {name for name in names if f"`{name}`" not in page} == set()
    assert {state for state in State if f"`{state}`" not in page} == set()


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_each_client_has_a_page_that_names_its_command(client: object) -> None:
    name = getattr(client, "name", "")
    page = (HOW_TO / f"{name}.md").read_text(encoding="utf-8")
    assert f"citator clients write {name}" in page
