"""A report for whoever looks into a fault: what is installed, what is there, what was measured.

- Versions, numbers, truth values and words of closed lists of ours; nothing else. A last look at
  every value (:func:`reduced`) withholds any text that is not one short word without ``/``,
  ``\\`` or ``@``: no path, address or name passes, whatever a later change adds above it.
- Nothing of the repository is in it but counts: no path, branch, id, message or setting's text;
  and of its record not even those: it grows with what an audience may not see.
- It reads, and changes nothing but the one file that it is asked for; it never writes over a
  file unless told to.
"""

from __future__ import annotations

import os
import platform
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from citator.git import repository
from citator.model.errors import CitatorError, RefusedError
from citator.model.utc import utc_text
from citator.service import doctor, index_history
from citator.service.formats import formats
from citator.service.horizon import summed
from citator.service.registered import registered
from citator.service.workspace import Places, Workspace
from citator.store import files, stamp
from citator.store.log import lines, path_of

FORMAT: Final = 1
FOLDER: Final = "reports"
LAST_ERRORS: Final = 20
WITHHELD: Final = "withheld"
_WORD: Final = re.compile(r"[A-Za-z0-9_.:+-]{1,64}")


@dataclass(frozen=True, slots=True)
class Asking:
    """What a report is about. ``now`` in Unix seconds, ``ticks`` in seconds for durations,
    ``variables`` the names of our environment variables that are set."""

    start: Path
    places: Places
    now: float
    ticks: Callable[[], float]
    variables: tuple[str, ...] = ()


@dataclass
class _Gathering:
    """The report as it grows: a step that fails leaves its code and does not stop the others."""

    asking: Asking
    timings: dict[str, float] = field(default_factory=dict)
    problems: list[dict[str, str]] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = self.asking.ticks()
        try:
            yield
        except CitatorError as error:
            self.problems.append({"step": name, "code": error.code})
        finally:
            self.timings[name] = round((self.asking.ticks() - start) * 1000, 1)


def gather(asking: Asking) -> dict[str, Any]:
    """The report, as it is written."""
    gathering = _Gathering(asking)
    report: dict[str, Any] = {
        "report": FORMAT,
        "made_at": utc_text(asking.now),
        "system": _system(),
        "variables": list(asking.variables),
    }
    with gathering.step("data"):
        report["data"] = _data(asking.places)
    workspace: Workspace | None = None
    with gathering.step("open"):
        workspace = Workspace.open(asking.start, asking.places)
        report["repository"] = _repository(workspace)
    if workspace is not None:
        with gathering.step("limits"):
            report["limits"] = _limits(workspace)
        with gathering.step("index"):
            report["index"] = _index(workspace)
        with gathering.step("settings"):
            report["settings"] = _settings(workspace)
        with gathering.step("index_open"):
            report["index_limits"] = _index_limits(workspace)
    with gathering.step("checks"):
        report["checks"] = {
            check.name.replace(" ", "_"): check.ok
            for check in doctor.examine(asking.start, asking.places)
        }
    with gathering.step("errors"):
        report["errors"] = _errors(asking.places)
    found = {**report, "problems": gathering.problems, "timings_ms": gathering.timings}
    return {key: reduced(value) for key, value in found.items()}


def reduced(value: Any) -> Any:
    """``value`` with every text withheld that is not one short word; keys are held to it too."""
    if isinstance(value, dict):
        return {reduced(str(key)): reduced(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [reduced(item) for item in value]
    if isinstance(value, str):
        return value if _WORD.fullmatch(value) else WITHHELD
    return value if value is None or isinstance(value, bool | int | float) else WITHHELD


def _system() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "machine": platform.machine(),
        "versions": doctor.versions(),
    }


def _data(places: Places) -> dict[str, Any]:
    data = places.data
    if not data.is_dir():
        return {"exists": False}
    log = path_of(data)
    return {
        "exists": True,
        "format": stamp.found(data),
        "formats": {
            kind.path.rpartition("/")[2]: kind.number
            for kind in formats()
            if not kind.path.endswith("*")
        },
        "owner_only": os.name != "posix" or not stat.S_IMODE(data.stat().st_mode) & 0o077,
        "writable": os.access(data, os.W_OK),
        "repositories": len(registered(places)),
        "log_bytes": files.usage(log.parent),
        "bytes": files.usage(data) - sum(map(files.usage, data.glob("*/derived/record"))),
    }


def _repository(workspace: Workspace) -> dict[str, Any]:
    found, head = workspace.repository, workspace.head
    at = "unborn" if head.commit is None else "detached" if head.branch is None else "branch"
    return {
        "object_format": found.object_format,
        "shallow": found.shallow,
        "partial": found.partial,
        "bare": found.worktree is None,
        "linked_worktree": found.git_dir != found.common_dir,
        "head": at,
        "registered": workspace.layout.known(found.common_dir) is not None,
    }


def _limits(workspace: Workspace) -> dict[str, int | None]:
    facts = repository.limits(workspace.repository, workspace.head)
    return {fact.limit.value: fact.count for fact in facts}


def _is_kept(workspace: Workspace) -> bool:
    return workspace.layout.known(workspace.repository.common_dir) is not None


def _index(workspace: Workspace) -> dict[str, Any]:
    if workspace.head.commit is None or not _is_kept(workspace):
        return {"built": False}
    state = index_history.status(workspace)
    found: dict[str, Any] = {
        "built": state.current is not None,
        "generations": len(state.generations),
        "behind": state.behind,
        "examined": state.examined,
        "explained": state.explained,
        "outdated": index_history.is_outdated(workspace),
        "versions_now": index_history.versions(workspace),
        "bytes": files.usage(workspace.place.index),
        "vector_bytes": files.usage(workspace.place.vectors),
        "lexicon_bytes": files.usage(workspace.place.lexicon),
    }
    if state.current is not None:
        current = state.current
        found |= {
            "generation": current.number,
            "documents": current.documents,
            "passages": current.passages,
            "versions": current.versions,
            "details": dict(current.details),
        }
    return found


def _index_limits(workspace: Workspace) -> dict[str, int | None]:
    if workspace.head.commit is None or not _is_kept(workspace):
        return {}
    snapshot = workspace.index.open()
    if snapshot is None:
        return {}
    with closing(snapshot):
        return {fact.limit.value: fact.count for fact in summed(snapshot.facts)}


def _settings(workspace: Workspace) -> dict[str, Any]:
    config = workspace.config
    retrieval = config.retrieval
    return {
        "include": len(config.include),
        "exclude": len(config.exclude),
        "results": retrieval.results,
        "per_document": retrieval.per_document,
        "expansion": retrieval.expansion,
        "vectors": retrieval.vectors,
    }


def _errors(places: Places) -> list[dict[str, Any]]:
    """The last errors, newest first: when, which, in which command."""
    stamp.require_readable(places.data)
    failed = [line for line in lines(places.data) if line.get("level") == "error"]
    keys = ("t", "command", "code", "kind", "exit")
    return [
        {key: line[key] for key in keys if line.get(key) is not None}
        for line in islice(reversed(failed), LAST_ERRORS)
    ]


def kept(data: Path, now: float, report: bytes) -> Path:
    """Write a report into the data directory; where it is. Raises StorageError, IntegrityError."""
    stamp.bring_up(data)
    folder = data / FOLDER
    files.make_directory(folder)
    name = datetime.fromtimestamp(now, UTC).strftime("report-%Y%m%dT%H%M%S")
    for number in range(1, 1000):
        path = folder / (f"{name}.json" if number == 1 else f"{name}-{number}.json")
        try:
            return written(path, report, overwrite=False)
        except RefusedError as error:
            if error.code != "report_exists":
                raise
    raise _not_written()


def written(path: Path, report: bytes, *, overwrite: bool) -> Path:
    """Write a report to ``path``, the owner's alone; where it is.

    Raises RefusedError ``report_exists`` where something is there and ``overwrite`` is not said,
    ``report_not_written`` where it cannot be written.
    """
    path = path.absolute()
    if overwrite:
        try:
            files.write_atomically(path, report)
        except CitatorError:
            raise _not_written() from None
        return path
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise RefusedError(
            "report_exists",
            "there is something at that path already, and it was left as it is",
            "name another file, or add --overwrite",
        ) from None
    except OSError:
        raise _not_written() from None
    with os.fdopen(descriptor, "wb") as file:
        file.write(report)
    return path


def _not_written() -> RefusedError:
    return RefusedError(
        "report_not_written",
        "the report could not be written there",
        "name a file in a folder that is there and yours, or - to see it",
    )
