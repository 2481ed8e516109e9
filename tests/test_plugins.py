"""What is shipped for clients is of this product: its version, its hooks, its tools, its words."""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from scripts.bundle import FILES, bundle

from citator import __version__
from citator.clients.hooking import HOOK_CLIENTS
from citator.mcp.tools import TOOLS
from citator.service.install_hooks import AGENTS_TEXT

ROOT = Path(__file__).parents[1]
PLUGINS = ROOT / "plugins"
CLAUDE = PLUGINS / "claude-code"
NAME = "io.github.citator/citator"


def read(*steps: str) -> dict[str, Any]:
    raw = ROOT.joinpath(*steps).read_bytes()
    assert raw.isascii() and b"\r" not in raw
    value = json.loads(raw)
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(
    "path",
    [
        "plugins/claude-code/.claude-plugin/plugin.json",
        "plugins/gemini/gemini-extension.json",
        "plugins/mcpb/manifest.json",
        "server.json",
    ],
)
def test_each_manifest_is_of_this_version(path: str) -> None:
    said = read(path)
    assert said["version"] == __version__
    assert re.fullmatch(r"[a-z0-9./-]+", said["name"]) and 0 < len(said["description"]) <= 120


def test_the_plugin_has_the_hooks_that_the_command_installs() -> None:
    (client,) = (one for one in HOOK_CLIENTS if one.name == "claude-code")
    made = client.put("", lambda event: f"citator-hook {event} --client claude-code")
    assert read("plugins/claude-code/hooks/hooks.json")["hooks"] == json.loads(made)["hooks"]
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"citator", "citator-hook"} <= set(scripts["project"]["scripts"])


def test_a_market_offers_the_plugin_by_its_own_name() -> None:
    market = read("plugins/.claude-plugin/marketplace.json")
    (offer,) = market["plugins"]
    assert (PLUGINS / offer["source"]).resolve() == CLAUDE
    plugin = read("plugins/claude-code/.claude-plugin/plugin.json")
    assert (offer["name"], offer["description"]) == (plugin["name"], plugin["description"])
    assert plugin["network"] == {"hosts": []}


def test_each_starts_the_server_and_nothing_else() -> None:
    start = {"command": "citator", "args": ["serve"]}
    plugin = read("plugins/claude-code/.mcp.json")["mcpServers"]
    assert plugin == {"citator": {"type": "stdio", **start}}
    extension = read("plugins/gemini/gemini-extension.json")
    assert extension["mcpServers"] == {"citator": start}
    assert (PLUGINS / "gemini" / extension["contextFileName"]).is_file()


def test_the_skill_is_one_text_in_the_open_form_and_names_tools_that_exist() -> None:
    text = (PLUGINS / "skills/citator/SKILL.md").read_text(encoding="utf-8")
    assert (CLAUDE / "skills/citator/SKILL.md").read_text(encoding="utf-8") == text
    _, front, body = text.split("---\n", 2)
    said = dict(line.split(": ", 1) for line in front.splitlines())
    assert said["name"] == "citator" and len(said["description"]) <= 1024
    assert set(said) <= {"name", "description", "license", "compatibility", "metadata"}
    named = set(re.findall(r"`([a-z]+_[a-z]+|why|remember)`", body))
    assert named == set(TOOLS)


def test_the_lines_for_any_agent_name_tools_that_exist() -> None:
    assert (PLUGINS / "gemini/GEMINI.md").read_text(encoding="utf-8") == AGENTS_TEXT
    named = set(re.findall(r"`([a-z_]+)`", AGENTS_TEXT)) - {"citator"}
    assert named <= set(TOOLS) and len(AGENTS_TEXT) < 700


def test_the_registry_entry_is_of_the_published_package() -> None:
    said = read("server.json")
    assert said["$schema"].endswith("/schemas/2025-12-11/server.schema.json")
    assert said["name"] == NAME
    assert f"<!-- mcp-name: {NAME} -->" in (ROOT / "README.md").read_text(encoding="utf-8")
    (package,) = said["packages"]
    told = {name: package[name] for name in ("registryType", "identifier", "version", "transport")}
    assert told == {
        "registryType": "pypi",
        "identifier": "citator",
        "version": __version__,
        "transport": {"type": "stdio"},
    }


def test_the_bundle_holds_what_it_starts_and_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    first, second = tmp_path / "a.mcpb", tmp_path / "b.mcpb"
    bundle(first)
    bundle(second)
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as made:
        assert made.namelist() == list(FILES)
        manifest = json.loads(made.read("manifest.json"))
        project = tomllib.loads(made.read("pyproject.toml").decode())["project"]
    server = manifest["server"]
    assert manifest["manifest_version"] == "0.4" and server["type"] == "uv"
    assert server["entry_point"] in FILES and server["mcp_config"]["command"] == "uv"
    assert all(one["description"] for one in manifest["user_config"].values())
    assert project["dependencies"] == [f"citator=={__version__}"]
    assert project["version"] == __version__
