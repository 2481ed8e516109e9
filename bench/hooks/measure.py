"""What a hook costs as a whole process, beside an interpreter that does nothing.

    python bench/hooks/measure.py [--files 20000] [--rounds 48] [--write]

A repository of so many files is made, with forty signed decisions whose scopes hold every file, and
its table by the use case. Each round starts every event once and ``python -c pass`` once, in turn,
so that what the machine does to one it does to the others. ``nothing`` is an event about a file of
which nothing is known, ``unknown`` one in a repository that is not registered. Wall and processor
time of the process; of ``session-end`` and ``after-commit`` (in every fourth round) without the
process that they leave behind, which has ended before the next is started. Prints JSON; ``--write``
puts it into results.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from tests.service.test_record import ADA, approved
from tests.support.approving import pin
from tests.support.builder import Builder
from tests.support.record import Ledger

from citator.service import hooks_table
from citator.service.proposing import Moment
from citator.service.workspace import Places, Workspace
from citator.store import hook_files
from citator.store.layout import Layout
from citator.trust.pins import Pins

RESULTS: Final = Path(__file__).with_name("results.json")
FOLDERS: Final = 40
LEAVING: Final = ("after-commit", "session-end")


def made(folder: Path, files: int) -> tuple[Workspace, dict[str, Any]]:
    """The repository, its table, and what making that cost."""
    places = Places(folder / "data", folder / "config")
    places.data.mkdir(mode=0o700)
    Pins(Layout(places.data)).write(pin(ADA))
    builder = Builder.init(folder / "repo", checkout=False)
    for number in range(files):
        builder.write(f"src/part{number % FOLDERS}/deep/file{number}.py", f"x = {number}\n")
    builder.write("README.md", "# Nothing is known of this\n")
    builder.commit("Begin")
    ledger = Ledger()
    for number in range(FOLDERS):
        ledger.decide(f"Decide {number}", ruling=f"Rule {number}", paths=[f"src/part{number}/**"])
    approved(builder, ledger)
    workspace = Workspace.open(builder.path, places)
    now = Moment(time.time_ns() // 1_000_000, os.urandom)
    workspace.index.open()
    assert workspace.place.directory.is_dir()
    started = time.process_time()
    assert hooks_table.refresh(workspace, now)
    seconds = time.process_time() - started
    tree = hooks_table.tree_of(workspace)
    assert tree is not None
    path = hook_files.table_of(workspace.place.directory, tree)
    facts = {"files": files, "seconds": round(seconds, 2), "bytes": path.stat().st_size}
    return workspace, facts


def run(command: list[str], said: bytes, environ: dict[str, str]) -> tuple[float, float, bytes]:
    """Wall and processor milliseconds of a process, and what it printed."""
    started = time.perf_counter()
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ
    )
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None
    child.stdin.write(said)
    child.stdin.close()
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    assert status == 0 and child.stderr.read() == b""
    child.stdout.close()
    child.stderr.close()
    child.returncode = 0
    return wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000, out


def main() -> None:
    """Measure, and print what was found."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--files", type=int, default=20_000)
    asked.add_argument("--rounds", type=int, default=48)
    asked.add_argument("--write", action="store_true")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        workspace, table = made(folder, options.files)
        found = measured(workspace, folder, options.rounds)
    machine = f"{platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    machine += f", nice {os.nice(0)}"
    result = {"machine": machine, "rounds": options.rounds, "table": table, "events": found}
    text = json.dumps(result, indent=1) + "\n"
    print(text, end="")
    if options.write:
        RESULTS.write_text(text)


def measured(workspace: Workspace, folder: Path, rounds: int) -> dict[str, Any]:
    """What each event costs."""
    assert workspace.repository.worktree is not None
    here = str(workspace.repository.worktree)
    other = Builder.init(folder / "other").path
    environ = {**os.environ, "CITATOR_DATA_DIR": str(workspace.places.data)}
    mark = hook_files.folder_of(workspace.place.directory) / "asked"
    python = [sys.executable, "-P"]
    hook = [*python, "-m", "citator.hooks"]

    def about(path: str) -> dict[str, Any]:
        text = "x = 1\n" * 2000  # a whole file, as a client sends it
        return {"cwd": here, "tool_input": {"file_path": path, "content": text}}

    ways: dict[str, tuple[list[str], dict[str, Any]]] = {
        "python -c pass": ([*python, "-c", "pass"], {}),
        "session-start": ([*hook, "session-start", "--client", "claude-code"], {"cwd": here}),
        "before-edit": (
            [*hook, "before-edit", "--client", "claude-code"],
            about("src/part7/deep/file7.py"),
        ),
        "before-edit, nothing": (
            [*hook, "before-edit", "--client", "codex"],
            about("README.md"),
        ),
        "before-edit, unknown": (
            [*hook, "before-edit", "--client", "codex"],
            {**about("README.md"), "cwd": str(other)},
        ),
        "after-commit": ([*hook, "after-commit", "--client", "git"], {}),
        "session-end": ([*hook, "session-end", "--client", "claude-code"], {"cwd": here}),
    }
    speaks = {"session-start", "before-edit"}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    os.chdir(here)
    for number in range(rounds):
        for name, (command, said) in ways.items():
            if name in LEAVING and number % 4:
                continue
            mark.touch()
            wall, cpu, out = run(command, json.dumps(said).encode(), environ)
            assert (name in speaks) == bool(out), (name, out)
            times[name].append((wall, cpu))
            if name in LEAVING:
                settle(workspace)
    base = times["python -c pass"]
    return {
        name: told(each, base[::4] if name in LEAVING else base) for name, each in times.items()
    }


def settle(workspace: Workspace) -> None:
    """Wait until the process that a hook left behind is done: it is not what is measured."""
    folder = hook_files.folder_of(workspace.place.directory)
    for _ in range(2000):
        time.sleep(0.02)
        tree = hooks_table.tree_of(workspace)
        done = not hook_files.spooled(workspace.place.directory)
        if done and tree is not None and hooks_table.is_fresh(workspace):
            break
    else:
        raise SystemExit(f"the process behind a hook did not end: {folder}")
    time.sleep(0.05)


def told(times: list[tuple[float, float]], base: list[tuple[float, float]]) -> dict[str, float]:
    """Milliseconds, and how much more than the interpreter alone in the same round."""
    wall, cpu = sorted(one for one, _ in times), sorted(one for _, one in times)
    ratios = [mine[0] / its[0] for mine, its in zip(times, base, strict=True)]
    of_cpu = [mine[1] / its[1] for mine, its in zip(times, base, strict=True)]
    return {
        "wall_p50": round(statistics.median(wall), 1),
        "wall_p95": round(wall[int(len(wall) * 0.95)], 1),
        "cpu_p50": round(statistics.median(cpu), 1),
        "cpu_p95": round(cpu[int(len(cpu) * 0.95)], 1),
        "wall_ratio": round(statistics.median(ratios), 2),
        "cpu_ratio": round(statistics.median(of_cpu), 2),
    }


if __name__ == "__main__":
    main()
