"""Starts the server the way each configured client does, or calls the one that runs, and asks it.

- The newest era and the last one with a handshake are both spoken, each with a process of its
  own, because clients of both kinds exist.
- A file in the repository is written by its authors, and so is the command in it. It is started
  only if it is this program, with arguments of ours and no environment; anything else is said to
  differ and left alone. A person's own file is taken at its word.
- An address is called where it is our own HTTP server's (:mod:`citator.service.check_http`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from citator.clients.address import Address, address_of
from citator.clients.editing import NotEditableError
from citator.clients.launch import Launch, expanded, is_off, launch_of
from citator.clients.places import Place, Scope
from citator.clients.table import CLIENTS, Client
from citator.model.errors import CitatorError, NotFoundError
from citator.service.check_http import NotCalled, calling
from citator.service.client_files import read_config
from citator.service.conversation import Conversation, answer_of, tools_of
from citator.service.stdio_exchange import LEGACY, MODERN, Exchange, ExchangeError
from citator.service.wire_clients import Wiring, present
from citator.service.workspace import Places

PATIENCE: Final = 60.0  # what the slowest of the usual clients grants a server, in seconds
HEALTHY: Final = frozenset({"index_being_built", "index_not_built", "no_commits"})


@dataclass(frozen=True, slots=True)
class Trial:
    """How one configured client fared.

    ``seconds`` from the start to the first answer; ``answer`` is the status of a real call, or
    the code of its error; ``eras`` those that worked.
    """

    client: str
    title: str
    scope: Scope
    path: Path
    ok: bool
    detail: str
    todo: str = ""
    seconds: float | None = None
    tools: tuple[str, ...] = ()
    answer: str | None = None
    eras: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checking:
    """What a check needs besides: the clients' environment and a clock in seconds.

    ``places`` is where our own HTTP server would run.
    """

    wiring: Wiring
    environ: Mapping[str, str]
    clock: Callable[[], float]
    places: Places
    patience: float = PATIENCE


def check(checking: Checking, only: Client | None = None) -> tuple[Trial, ...]:
    """Try every configured client, or one. Raises NotFoundError where none is configured."""
    project = checking.wiring.known_project()
    trials: list[Trial] = []
    for client in CLIENTS if only is None else (only,):
        for scope in client.scopes():
            for place in present(client, scope, checking.wiring.surroundings, project):
                trials += _tried(checking, client, scope, place, project)
    if not trials:
        raise NotFoundError(
            "not_configured",
            "no client is configured here" if only is None else f"{only.title} is not configured",
            f"to configure it: citator clients write {'CLIENT' if only is None else only.name}",
        )
    return tuple(trials)


def _tried(
    checking: Checking, client: Client, scope: Scope, place: Place, project: Path | None
) -> Iterator[Trial]:
    """The trial of one file; none where it holds no entry."""
    path = Path(place.path)
    failed = Trial(client.name, client.title, scope, path, ok=False, detail="")
    again = f"citator clients write {client.name} --scope {scope.value}"
    try:
        file = read_config(path, Path(place.base))
        entry = client.editor.entry(file.text, client.keys)
    except CitatorError as error:
        yield replace(failed, detail=error.what, todo=error.todo)
        return
    except NotEditableError as error:
        line = "" if error.line is None else f" (line {error.line})"
        yield replace(failed, detail=f"{error.reason}{line}", todo="mend the file")
        return
    if entry is None:
        return
    launch = launch_of(entry)
    if file.bom and not client.bom:
        yield replace(failed, detail="the client cannot read the byte order mark", todo=again)
    elif is_off(entry):
        yield replace(failed, detail="the entry is switched off", todo="switch it on in the client")
    elif launch is None:
        address = address_of(entry, client.name, client.expands, checking.environ.get)
        if address is None:
            yield replace(failed, detail="the entry starts no command", todo=again)
        else:
            yield _called(checking, failed, address)
    else:
        if client.expands:
            launch = expanded(launch, lambda name: _variable(name, checking.environ, project))
        if scope is Scope.PROJECT and project is not None:
            ours = _trusted(launch, checking, project)
            if ours is None:
                yield replace(
                    failed,
                    detail="a file of the repository names another command; it was not started",
                    todo=f"read it; to put this Citator there: {again}",
                )
                return
            launch = ours
        yield _run(checking, client, replace(failed, todo=again), launch, project)


def _run(
    checking: Checking, client: Client, trial: Trial, launch: Launch, project: Path | None
) -> Trial:
    cwd = _cwd(checking.wiring, client, trial.scope, launch, project)
    environ = _environment(client, checking.environ) | dict(launch.env)
    launch = replace(launch, command=_on_path(launch.command, environ))
    if Path(launch.command).name == launch.command:
        return replace(trial, detail="the command is not on the path")
    words, clock = launch.words, checking.clock
    return _asked(lambda: Exchange(words, cwd, environ, clock, checking.patience), trial)


def _called(checking: Checking, trial: Trial, address: Address) -> Trial:
    """The trial of an entry that points to a server that runs."""
    found = calling(address, checking.places, checking.clock, checking.patience)
    if isinstance(found, NotCalled):
        return replace(trial, detail=found.detail, todo=found.todo)
    trial = replace(trial, todo="`citator serve --http` says what belongs there")
    return _asked(found, trial, "answers")


def _asked(
    begin: Callable[[], AbstractContextManager[Conversation]],
    trial: Trial,
    well: str = "starts and answers",
) -> Trial:
    """Both eras, the tools and a real call; ``trial`` says what to do where that fails."""
    for era in (MODERN, LEGACY):
        try:
            with begin() as exchange:
                seconds = exchange.open(era)
                trial = replace(trial, eras=(*trial.eras, era), tools=tools_of(exchange))
                if era == MODERN:
                    trial = replace(trial, seconds=round(seconds, 3), answer=answer_of(exchange))
        except ExchangeError as error:
            return replace(trial, detail=f"{error.reason} ({era})")
    if trial.answer not in HEALTHY and not _answers(trial.answer):
        return replace(
            trial, detail=f"it starts, and a call fails: {trial.answer}", todo=_todo(trial)
        )
    return replace(trial, ok=True, detail=well, todo="")


def _answers(answer: str | None) -> bool:
    return answer in {"complete", "partial", "abstained"}


def _todo(trial: Trial) -> str:
    if trial.answer == "not_a_repository":
        return (
            "it was not started in a repository: name one with "
            f"`citator clients write {trial.client} --root PATH`, or use --scope project"
        )
    return "run `citator doctor` in the repository"


def _cwd(
    wiring: Wiring, client: Client, scope: Scope, launch: Launch, project: Path | None
) -> Path:
    """Where the client starts its servers."""
    if launch.cwd is not None:
        return Path(launch.cwd)
    if scope is Scope.PROJECT and project is not None:
        return project
    if client.in_project:
        return project or wiring.start.absolute()
    return Path(wiring.surroundings.home)


def _environment(client: Client, environ: Mapping[str, str]) -> dict[str, str]:
    """What the client passes on."""
    kept = client.inherits
    return {name: value for name, value in environ.items() if kept is None or name.upper() in kept}


def _variable(name: str, environ: Mapping[str, str], project: Path | None) -> str | None:
    if name == "workspaceFolder":
        return None if project is None else str(project)
    return environ.get(name.removeprefix("env:"))


def _trusted(launch: Launch, checking: Checking, project: Path) -> Launch | None:
    """The command of a project's file, if it is this program serving; else None."""
    if set(launch.env) - {"CITATOR_DEBUG"} or launch.cwd not in (None, str(project)):
        return None
    for program in (checking.wiring.program, *checking.wiring.aliases):
        if launch.words[: len(program.words)] == program.words:
            rest = launch.words[len(program.words) :]
            return launch if _serves(rest) else None
    if launch.command != "citator" or not _serves(launch.args):
        return None
    found = _on_path(launch.command, checking.environ)
    inside = Path(os.path.realpath(found)).is_relative_to(os.path.realpath(project))
    return None if inside or found == launch.command else replace(launch, command=found)


def _on_path(command: str, environ: Mapping[str, str]) -> str:
    """The file behind a bare name, looked for on the path alone; the name where there is none.

    Windows would look into the current directory first, which is somebody's repository.
    """
    if Path(command).name != command:
        return command
    endings = environ.get("PATHEXT", ".EXE").split(os.pathsep) if os.name == "nt" else []
    for folder in filter(os.path.isabs, environ.get("PATH", "").split(os.pathsep)):
        for ending in ["", *endings]:
            file = Path(folder) / f"{command}{ending}"
            if file.is_file() and os.access(file, os.X_OK):
                return str(file)
    return command


def _serves(words: tuple[str, ...]) -> bool:
    return words[:1] == ("serve",) and all(
        option in ("--root", "--profile") for option in words[1::2]
    )
