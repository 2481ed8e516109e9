"""Every way in which something leaves: commands at a pipe, tools over stdio, and their failures.

- Nothing here asks for words of the repository (``--words``, ``--read``, ``read``): what leaves
  must be references, plain facts, sentences of ours, or words of the call.
- The questions and refs are honest: no payload is in a call.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any, Final, Protocol

from tests.cli.process import Finished
from tests.cli.process import Home as User
from tests.mcp.serving import Era, Home, Server
from tests.support.surfaces import QUESTION

UNKNOWN: Final = f"commit:v1:{'0' * 64}"
GENERAL: Final = "mailer retry queue bound memory"
COMMANDS: Final = (
    "ask",
    "read",
    "init",
    "index",
    "index build",
    "index status",
    "index promote",
    "index rollback",
    "serve",
    "clients",
    "clients list",
    "clients write",
    "clients remove",
    "clients check",
    "hooks",
    "hooks install",
    "hooks uninstall",
    "hooks status",
    "hooks work",
    "trust",
    "trust pin",
    "trust show",
    "trust unpin",
    "trust ledger",
    "trust audience",
    "trust readership",
    "trust policy",
    "trust approvers",
    "policy",
    "policy list",
    "policy show",
    "policy verify",
    "policy add",
    "policy sign",
    "policy remove",
    "skills",
    "skills ingest",
    "skills analyze",
    "skills show",
    "skills list",
    "skills trust",
    "skills approve",
    "skills activate",
    "skills rollback",
    "skills remove",
    "research",
    "decide",
    "approve",
    "reject",
    "apply",
    "decisions",
    "decisions list",
    "decisions show",
    "decisions diff",
    "decisions deprecate",
    "decisions restore",
    "decisions relate",
    "decisions classify",
    "decisions lift",
    "verify",
    "log",
    "note",
    "note add",
    "note list",
    "note search",
    "note show",
    "note edit",
    "note verify",
    "note undo",
    "note rm",
    "note export",
    "note import",
    "note promote",
    "note capture",
    "brief",
    "session",
    "session save",
    "session list",
    "session show",
    "session rm",
    "claims finish",
    "claims outcomes",
    "claims undo",
    "import",
    "import mcp-brain",
    "import adr",
    "import theurian",
    "import okf",
    "import reviews",
    "export",
    "export okf",
    "export madr",
    "export html",
    "eval locate",
    "why",
    "locate",
    "index watch",
    "doctor",
    "forget",
    "completion",
)


@dataclass(frozen=True)
class Way:
    """One command line. ``codes`` are the exit codes it may end with."""

    name: str
    words: tuple[str, ...]
    codes: tuple[int, ...] = (0,)
    place: str = "root"


def _rooted() -> Iterator[Way]:
    ask = ("ask", QUESTION)
    yield Way("ask", (*ask, "--limit", "50"))
    yield Way("ask in general", ("ask", GENERAL, "--limit", "50"))
    yield Way("ask without words", (*ask, "--no-words"))
    yield Way("ask, abstaining", ("ask", "zeppelin hangar quorum"), (3,))
    yield Way("ask, nothing asked", ("ask", "the"), (3,))
    yield Way("ask, bad cursor", (*ask, "--cursor", "AAAA"), (2,))
    yield Way("ask, bad limit", (*ask, "--limit", "many"), (2,))
    yield Way("read, no reference", ("read", "not/a ref"), (2,))
    yield Way("read, unknown", ("read", UNKNOWN), (3,))
    yield Way("read, ambiguous", ("read", "commit:v1:0"), (2, 3))
    yield Way("init", ("init",))
    yield Way("doctor", ("doctor",), (0, 1))
    yield Way("index status", ("index", "status"))
    yield Way("index build", ("index", "build"))
    yield Way("index promote, unknown", ("index", "promote", "99"), (1, 2, 3))
    yield Way("index rollback, nowhere", ("index", "rollback"), (1, 2, 3))
    yield Way("clients list", ("clients", "list"))
    yield Way("clients write, shown", ("clients", "write", "vscode", "--print"))
    yield Way("clients check, none", ("clients", "check"), (0, 1, 3))
    yield Way("hooks status", ("hooks", "status"))
    yield Way("hooks work", ("hooks", "work", "--json"))
    yield Way("hooks install", ("hooks", "install", "--client", "git", "--dry-run", "--json"))
    yield Way("hooks uninstall, none", ("hooks", "uninstall", "--client", "git"))
    yield Way("doctor, its report", ("doctor", "--report", "-"))
    yield Way("why, a question", ("why", QUESTION), (0, 3))
    yield Way("why, a phrase", ("why", "--removed", GENERAL), (0, 3))
    yield Way("why, a file", ("why", "README.md"), (0, 3))
    yield Way("why, a line", ("why", "README.md:1"), (0, 3))
    yield Way("why, the last commit's files", ("why", "docs"), (0, 3))
    yield Way("why, unknown", ("why", "0" * 40), (3,))
    yield Way("check", ("check", "--all"))
    yield Way("check, paths", ("check", "README.md", "docs/gone.md", "--json"))
    yield Way("check, an approach", ("check", "--approach", GENERAL, "--format", "sarif"))
    yield Way("check, a base", ("check", "--base", "HEAD~1", "--format", "github"))
    yield Way("check, no base", ("check", "--base", "nowhere"), (3,))
    yield Way("check, an answer", ("check", "--answer", f"{'0' * 12}=applies"), (3,))
    yield Way("survey", ("survey",))
    yield Way("brief", ("brief", "--detail"))
    yield Way("brief, corrected", ("brief", "--set", "stack=c,make"))
    yield Way("brief, no such setting", ("brief", "--set", "stack=a b"), (2,))
    yield Way("prove-absent", ("prove-absent", GENERAL), (3,))
    yield Way("locate", ("locate", GENERAL, "--limit", "100"), (0, 3))
    yield Way("locate, in detail", ("locate", QUESTION, "--detail", "--tests"), (0, 3))
    yield Way("locate, nothing", ("locate", " "), (2,))
    yield Way("eval locate", ("eval", "locate"), (0, 3))
    yield Way("note capture", ("note", "capture", "--last", "500"))
    yield Way("note list, everything", ("note", "list", "--all"))
    yield Way("note search", ("note", "search", "queue"), (0, 3))
    yield Way("note add", ("note", "add", "The queue is bounded", "--path", "src/mailer.py"))
    yield Way("note show, unknown", ("note", "show", "0" * 12), (3,))
    yield Way("session save", ("session", "save", "Bound the queue"))
    yield Way("session list", ("session", "list"))
    yield Way("session show", ("session", "show"), (0, 3))
    yield Way("session rm, unknown", ("session", "rm", "0" * 12), (3,))
    yield Way("note import, no notes", ("note", "import", "README.md"), (2,))
    yield Way("claims finish, unknown", ("claims", "finish", "404", "--outcome", "reverted"), (3,))
    yield Way("claims outcomes", ("claims", "outcomes"))
    yield Way("claims undo, unknown", ("claims", "undo", "404"), (3,))
    yield Way("import mcp-brain, no store", ("import", "mcp-brain", "README.md"), (2,))
    yield Way("forget, not agreed", ("forget",), (1,))


def _of_the_record() -> Iterator[Way]:
    yield Way("decisions list", ("decisions", "list"))
    yield Way("decisions list, everything", ("decisions", "list", "--all", "--rejections"))
    yield Way("decisions list, of a path", ("decisions", "list", "--path", "src/mailer.py"))
    yield Way("decisions list, then", ("decisions", "list", "--at", "HEAD"))
    yield Way("decisions list, at nothing", ("decisions", "list", "--at", "nothing"), (3,))
    for verb in ("show", "diff", "deprecate", "restore"):
        yield Way(f"decisions {verb}, unknown", ("decisions", verb, "nothing-here"), (2, 3))
    yield Way("approve, unknown", ("approve", "nothing-here"), (3,))
    yield Way("reject, unknown", ("reject", "nothing-here", "--reason", "because"), (3,))
    yield Way("decide, no such draft", ("decide", "--ready", "nothing-here"), (3,))
    yield Way("apply, unknown", ("apply", "nothing-here"), (3,))
    yield Way("trust show", ("trust", "show"), (1, 3))
    yield Way("trust ledger", ("trust", "ledger"))
    yield Way("trust audience", ("trust", "audience"))
    yield Way("trust readership", ("trust", "readership"))
    yield Way("trust pin, no such key", ("trust", "pin", "--key", "nothing-here"), (2,))
    yield Way("research, off", ("research", "https://docs.example.org/"), (1,))
    yield Way("skills list", ("skills", "list"))
    yield Way("skills show, unknown", ("skills", "show", "nothing-here"), (3,))
    yield Way("skills ingest, no folder", ("skills", "ingest", "nothing-here"), (1,))
    yield Way("verify, unpinned", ("verify",), (1,))
    yield Way("log", ("log",))


def _damaged() -> Iterator[Way]:
    yield Way("ask, damaged index", ("ask", QUESTION), (4,), "damaged")
    yield Way("doctor, damaged index", ("doctor",), (0, 1), "damaged")
    yield Way("index status, damaged index", ("index", "status"), (0, 4), "damaged")
    yield Way("ask, broken repository", ("ask", QUESTION), (5,), "broken")
    yield Way("doctor, broken repository", ("doctor",), (1,), "broken")
    yield Way("ask, no repository", ("ask", QUESTION), (2, 5), "nowhere")


def _bare() -> Iterator[Way]:
    yield Way("no such command", ("aks",), (2,), "none")
    yield Way("no such option", ("ask", QUESTION, "--loud"), (2,), "none")
    yield Way("help", ("--help",), place="none")
    for name in COMMANDS:
        yield Way(f"help of {name}", (*name.split(), "--help"), place="none")
    for shell in ("bash", "zsh", "fish"):
        yield Way(f"completion for {shell}", ("completion", shell), place="none")


def _all() -> Iterator[Way]:
    for way in (*_rooted(), *_of_the_record(), *_damaged()):
        yield way
        yield Way(f"{way.name}, as JSON", (*way.words, "--json"), way.codes, way.place)
    yield from _bare()


WAYS: Final = tuple(_all())


@dataclass(frozen=True)
class Grounds:
    """Where commands run: an attacked repository, its user, and damaged copies of both."""

    root: Path
    user: User
    hurt: User
    broken: Path
    nowhere: Path

    def line(self, way: Way) -> list[str]:
        """The words of a way, with the repository it is about."""
        places = {"root": self.root, "damaged": self.root, "broken": self.broken}
        if way.place == "none":
            return list(way.words)
        return [*way.words, "--root", str(places.get(way.place, self.nowhere))]

    def who(self, way: Way) -> User:
        """Whose data a way reads."""
        return self.hurt if way.place == "damaged" else self.user


def grounds(root: Path, user: User, folder: Path) -> Grounds:
    """Damage copies of an indexed user's data and of the repository, under ``folder``."""
    hurt = User(folder / "hurt")
    copytree(user.path, hurt.path)
    # The files of the engine, not the manifest: without that the generation would be no generation.
    for file in (hurt.path / "data").rglob("generations/*/engine/*.*"):
        if file.is_file():
            file.write_bytes(bytes(byte ^ 0x5A for byte in file.read_bytes()))
    broken = folder / "broken"
    copytree(root, broken, symlinks=True)
    (broken / ".git" / "HEAD").write_bytes(b"ref: refs/heads/\xff zqx\n")
    nowhere = folder / "nowhere"
    nowhere.mkdir()
    return Grounds(root, user, hurt, broken, nowhere)


def in_this_process(words: list[str], user: User, **extra: str) -> Finished:
    """Run one command line here: the command itself, without the cost of a process."""
    from citator.cli.main import run

    raw = io.BytesIO(), io.BytesIO()
    streams = [io.TextIOWrapper(one, encoding="utf-8") for one in raw]
    before = dict(os.environ)
    os.environ.update(user.environment(**extra))
    os.environ.pop("CITATOR_DEBUG", None)
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            code = run(words, sys.exit)
    finally:
        os.environ.clear()
        os.environ.update(before)
    for stream in streams:
        stream.flush()
    return Finished(code, *(one.getvalue().decode("utf-8") for one in raw))


class Asking(Protocol):
    """A client in some era, over some transport."""

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]: ...

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]: ...


def _about(argument: dict[str, str]) -> dict[str, Any]:
    reference = {"type": "ref/resource", "uri": "citator://evidence/{ref}"}
    return {"ref": reference, "argument": argument}


def tool_calls(speaker: Asking) -> Iterator[tuple[str, Any]]:
    """Every call and failing call of the tools, by name, as messages."""
    call = speaker.call
    cursor = ""
    for page in range(20):
        found = call("investigate_work", task=QUESTION, limit=20, cursor=cursor)
        yield f"investigate_work page {page}", found
        cursor = found["structuredContent"].get("cursor", "")
        for row in found["structuredContent"]["evidence"]:
            begun = {"name": "ref", "value": row["locator"][:12]}
            yield f"completion of {row['ref']}", speaker.ask("completion/complete", _about(begun))
        if not cursor:
            break
    yield "investigate_work in general", call("investigate_work", task=GENERAL, limit=20)
    yield "investigate_work, abstaining", call("investigate_work", task="zeppelin hangar quorum")
    yield "investigate_work, bad cursor", call("investigate_work", task=QUESTION, cursor="AAAA")
    yield "investigate_work, unknown field", call("investigate_work", task=QUESTION, loud=1)
    yield "investigate_work, bad type", call("investigate_work", task=7)
    refs = ["not/a ref", UNKNOWN, "commit:v1:0", "commit:v1:"]
    yield "read_evidence, bad references", call("read_evidence", refs=refs)
    yield "read_evidence, nothing", call("read_evidence", refs=[])
    everything = {"limit": 50, "detail": True, "include_tests": True}
    yield "why, a question", call("why", target=QUESTION)
    yield "why, what is gone", call("why", target=GENERAL, removed=True)
    yield "why, a file", call("why", target="README.md")
    yield "why, a line", call("why", target="README.md:1")
    yield "why, unknown", call("why", target="0" * 40)
    yield "check_change, the work tree", call("check_change")
    yield "check_change, paths", call("check_change", paths=["README.md", "docs/gone.md"])
    yield "check_change, an approach", call("check_change", approach=GENERAL)
    yield "check_change, a patch", call("check_change", patch="--- /dev/null\n+++ b/a\n@@ x\n")
    yield "remember", call("remember", text="The queue is bounded", paths=["a b.py"])
    yield "remember, a session", call("remember", session="Bound it | Test the queue")
    yield "get_brief", call("get_brief")
    yield "get_brief in detail", call("get_brief", detail=True)
    yield "remember, unknown", call("remember", id="0" * 12, do="verify")
    yield "start_work, a task", call("start_work", ticket="404", task=QUESTION)
    yield "start_work, files", call("start_work", ticket="405", files=["README.md", "docs/gone.md"])
    yield "finish_work, unknown", call("finish_work", ticket="406", outcome="completed")
    yield "check_change, an answer", call("check_change", answers=["0=applies"])
    yield "locate_files", call("locate_files", issue=QUESTION)
    yield "locate_files in detail", call("locate_files", issue=GENERAL, **everything)
    yield "locate_files in a folder", call("locate_files", issue=GENERAL, paths=["docs", "no/such"])
    yield "locate_files, nothing asked", call("locate_files", issue=" ")
    yield "locate_files, unknown field", call("locate_files", issue=QUESTION, loud=1)
    for listed in ("tools", "prompts", "resources", "resources/templates"):
        yield f"{listed}/list", speaker.ask(f"{listed}/list")
    for uri in (UNKNOWN, f"citator://evidence/{UNKNOWN}", "citator://evidence/zqx", "file:///zqx"):
        yield f"resources/read {uri}", speaker.ask("resources/read", {"uri": uri})
    yield "no such prompt", speaker.ask("prompts/get", {"name": "approve"})
    yield "a prompt without its words", speaker.ask("prompts/get", {"name": "why"})
    yield "no such tool", speaker.ask("tools/call", {"name": "approve", "arguments": {}})
    yield "no such method", speaker.ask("citator/approve")


Calls = Callable[[Asking], Iterator[tuple[str, Any]]]


def served(root: Path, home: Home, era: Era, calls: Calls = tool_calls) -> dict[str, Any]:
    """What each of ``calls`` answers in ``era``, and what the server wrote to standard error."""
    with Server(root, home) as server:
        found = dict(calls(server.open(era)))
    return {**found, "standard error": server.complaints}


def strings_in(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a JSON value with the key it stands under; keys are strings too."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield "key", name
            yield from strings_in(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item, key)
    elif isinstance(value, str):
        yield key, value


def as_text(value: Any) -> str:
    """A message as its readers see it: JSON, and what its strings hold."""
    if isinstance(value, str):
        return value
    held = "\n".join(text for _, text in strings_in(value))
    return json.dumps(value, ensure_ascii=False) + "\n" + held
