"""Puts this program into the configuration of a client, takes it out again, says where it is.

- A plan reads and decides; only carrying it out writes. What lies in the repository is known
  before anything is written, and nothing is ever committed.
- Only our own entry is written. Fields that a person added to it stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from citator.clients.address import REMOTE
from citator.clients.editing import NotEditableError
from citator.clients.launch import Launch
from citator.clients.places import Place, Scope, Surroundings, places
from citator.clients.table import CLIENTS, Client
from citator.git.repository import discover
from citator.model.errors import CitatorError, RefusedError, UsageError
from citator.model.inert import inert_line
from citator.model.plain import is_plain
from citator.service.client_files import ConfigFile, read_config, replace_config


@dataclass(frozen=True)
class Wiring:
    """Who asks, from where, and how this program is started here.

    ``program`` is what gets written; ``aliases`` are other names of the same program. With
    ``root_named`` the repository is named in the user scope, too.
    """

    surroundings: Surroundings
    program: Launch
    start: Path
    root_named: bool = False
    aliases: tuple[Launch, ...] = ()

    def project(self) -> Path:
        """The work tree that holds ``start``. Raises UsageError, GitRefusedError."""
        return self._worktree

    @cached_property
    def _worktree(self) -> Path:
        worktree = discover(self.start).worktree
        if worktree is None:
            raise UsageError(
                "no_work_tree",
                "this repository has no work tree, so it has no project files",
                "name one with --root, or use --scope user",
            )
        return worktree

    def known_project(self) -> Path | None:
        """The work tree, None where there is none."""
        try:
            return self.project()
        except CitatorError:
            return None

    def launch(self, scope: Scope) -> Launch:
        """The command to write for one scope. Raises UsageError."""
        if scope is Scope.PROJECT or self.root_named:
            return self.program.with_args("serve", "--root", str(self.project()))
        return self.program.with_args("serve")


class State(StrEnum):
    """What a file says of this program."""

    ABSENT = "absent"
    UNCONFIGURED = "unconfigured"
    CONFIGURED = "configured"
    DIFFERS = "differs"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Found:
    """One file of one client, and what it says. ``default``: what ``write`` would write to."""

    client: str
    title: str
    scope: Scope
    path: Path
    state: State
    default: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done to one file; ``path`` is None for a client without one.

    ``snippet`` is a file with our entry alone; ``kept`` are fields that somebody else added to
    the entry; ``lost`` means that the client will not find the repository from where it starts.
    """

    client: str
    title: str
    scope: Scope
    path: Path | None
    in_repository: bool
    exists: bool
    changed: bool
    snippet: str
    kept: tuple[str, ...] = ()
    lost: bool = False
    file: ConfigFile | None = field(default=None, repr=False)
    data: bytes = field(default=b"", repr=False)


def survey(wiring: Wiring) -> tuple[Found, ...]:
    """Every file of every client: what is configured where. Reads only."""
    project = wiring.known_project()
    found = []
    for client in CLIENTS:
        for scope in client.scopes():
            known = present(client, scope, wiring.surroundings, project)
            chosen = _chosen(client, scope, known)
            found += [_found(wiring, client, scope, place, place == chosen) for place in known]
    return tuple(found)


def _found(wiring: Wiring, client: Client, scope: Scope, place: Place, chosen: bool) -> Found:
    default = chosen and scope is client.default_scope()
    path = Path(place.path)
    return Found(
        client.name, client.title, scope, path, _state(wiring, client, scope, place), default
    )


def _state(wiring: Wiring, client: Client, scope: Scope, place: Place) -> State:
    try:
        file = read_config(Path(place.path), Path(place.base))
        if file.data is None:
            return State.ABSENT
        if client.editor.entry(file.text, client.keys) is None:
            return State.UNCONFIGURED
        edited = client.editor.put(file.text, client.keys, client.shape(wiring.launch(scope)))
        return State.CONFIGURED if edited == file.text else State.DIFFERS
    except (CitatorError, NotEditableError):
        return State.UNREADABLE


def present(
    client: Client, scope: Scope, surroundings: Surroundings, project: Path | None
) -> tuple[Place, ...]:
    """The files of one scope that exist, or the one that would be made."""
    candidates = places(client.wheres(scope), surroundings, project)
    existing = tuple(place for place in candidates if Path(place.path).exists())
    if existing:
        return existing
    rooms = [place for place in candidates if Path(place.path).parent.is_dir()]
    return tuple((rooms or list(candidates))[:1])


def _chosen(client: Client, scope: Scope, known: tuple[Place, ...]) -> Place | None:
    """The file that holds the entry already, else the preferred one."""
    for place in known:
        try:
            file = read_config(Path(place.path), Path(place.base))
            if client.editor.entry(file.text, client.keys) is not None:
                return place
        except (CitatorError, NotEditableError):
            continue
    return known[0] if known else None


def plan_write(wiring: Wiring, client: Client, scope: Scope | None = None) -> Plan:
    """What ``write`` would do. Raises UsageError, RefusedError."""
    scope = scope or client.default_scope()
    if scope is None:
        launch = wiring.launch(Scope.USER)
        snippet = client.editor.put("", client.keys, client.shape(launch))
        return Plan(client.name, client.title, Scope.USER, None, False, False, False, snippet)
    if scope not in client.scopes():
        raise UsageError(
            "no_such_scope",
            f"{client.title} has no file for the scope {scope.value}",
            f"it has: {', '.join(client.scopes()) or 'none; paste what --print shows'}",
        )
    project = wiring.project() if scope is Scope.PROJECT else wiring.known_project()
    entry = client.shape(wiring.launch(scope))
    place = _chosen(client, scope, present(client, scope, wiring.surroundings, project))
    assert place is not None
    file = read_config(Path(place.path), Path(place.base))
    snippet = client.editor.put("", client.keys, entry)
    try:
        existing = client.editor.entry(file.text, client.keys) or {}
        _require_local(existing, file.path)
        data = file.encoded(client.editor.put(file.text, client.keys, entry), bom=client.bom)
    except NotEditableError as error:
        raise _not_edited(file.path, error, snippet) from None
    return Plan(
        client=client.name,
        title=client.title,
        scope=scope,
        path=file.path,
        in_repository=scope is Scope.PROJECT,
        exists=file.data is not None,
        changed=data != file.data,
        snippet=snippet,
        kept=tuple(
            sorted(name for name in existing if name not in entry.fields and is_plain(name))
        ),
        lost=scope is Scope.USER and not client.in_project and not wiring.root_named,
        file=file,
        data=data,
    )


def plan_removal(wiring: Wiring, client: Client, scope: Scope | None = None) -> tuple[Plan, ...]:
    """What ``remove`` would do, in every file that holds the entry. Raises RefusedError."""
    project = wiring.known_project()
    plans = []
    for each in client.scopes() if scope is None else (scope,):
        for place in present(client, each, wiring.surroundings, project):
            file = read_config(Path(place.path), Path(place.base))
            try:
                edited = client.editor.remove(file.text, client.keys)
            except NotEditableError as error:
                raise _not_edited(file.path, error, "") from None
            if edited == file.text:
                continue
            data = file.encoded(edited, bom=client.bom)
            inside = each is Scope.PROJECT
            plan = Plan(
                client.name,
                client.title,
                each,
                file.path,
                inside,
                True,
                True,
                "",
                file=file,
                data=data,
            )
            plans.append(plan)
    return tuple(plans)


def carry_out(plan: Plan) -> Path | None:
    """Do what was planned; where the old bytes are kept, None where there were none.

    Raises RefusedError ``config_changed``, and StorageError.
    """
    if plan.file is None or not plan.changed:
        return None
    return replace_config(plan.file, plan.data, shared=plan.in_repository)


def _require_local(existing: object, path: Path) -> None:
    if isinstance(existing, dict) and any(key in existing for key in REMOTE):
        raise RefusedError(
            "entry_is_remote",
            f"{inert_line(str(path))} has an entry of this name that points to an address",
            "remove it first: citator clients remove CLIENT",
        )


def _not_edited(path: Path, error: NotEditableError, snippet: str) -> RefusedError:
    where = "" if error.line is None else f" (line {error.line})"
    paste = f"Mend it, or put this there yourself:\n{snippet}" if snippet else "Edit it yourself."
    return RefusedError(
        "config_not_editable",
        f"{inert_line(str(path))} was not changed: {error.reason}{where}",
        paste,
    )
