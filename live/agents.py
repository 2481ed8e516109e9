"""How each agent is asked one question from a script, with a stand-in for its model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple


class Ask(NamedTuple):
    """A command, and what it needs in its environment."""

    command: list[str]
    environment: dict[str, str]


def claude_code(question: str, model: str, tool: str = "investigate_work") -> Ask:
    """Claude Code, allowed to call the one tool."""
    allowed = ["--allowedTools", f"mcp__citator__{tool}"]
    own = {"ANTHROPIC_BASE_URL": model, "ANTHROPIC_API_KEY": "none"}
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return Ask(["claude", "-p", question, *allowed], {**own, **quiet})


def codex(question: str, model: str, _: str = "") -> Ask:
    """Codex, without its sandbox, which not every machine can make."""
    provider = f'{{name="s",base_url="{model}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}}'
    settings = [
        'model="scripted"',
        'model_provider="scripted"',
        f"model_providers.scripted={provider}",
    ]
    options = [part for setting in settings for part in ("-c", setting)]
    free = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    return Ask(["codex", "exec", *free, *options, question], {"SCRIPTED_KEY": "none"})


def gemini_cli(question: str, model: str, _: str = "") -> Ask:
    """Gemini CLI, on a named model: the automatic choice asks a model which to take."""
    own = {"GOOGLE_GEMINI_BASE_URL": model, "GEMINI_API_KEY": "none"}
    return Ask(["gemini", "-m", "gemini-2.5-flash", "--yolo", "-p", question], own)


def opencode(question: str, model: str, _: str = "") -> Ask:
    """OpenCode, with a provider of its own for the stand-in."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{model}/v1", "apiKey": "none"},
        "models": {"scripted": {}},
    }
    content = json.dumps({"provider": {"scripted": provider}})
    own = {"OPENCODE_CONFIG_CONTENT": content, "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    return Ask(["opencode", "run", "-m", "scripted/scripted", question], own)


AGENTS: Final[dict[str, Callable[..., Ask]]] = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini-cli": gemini_cli,
    "opencode": opencode,
}


def trust(home: Path, root: Path) -> None:
    """Let Gemini CLI start servers in ``root`` and not ask which account to use."""
    folder = home / ".gemini"
    folder.mkdir(exist_ok=True)
    (folder / "trustedFolders.json").write_text(json.dumps({str(root): "TRUST_FOLDER"}))
    path = folder / "settings.json"
    settings = json.loads(path.read_text("utf-8")) if path.exists() else {}
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    path.write_text(json.dumps(settings), "utf-8")
