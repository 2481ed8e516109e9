"""Fuzz every parser, or those named, for a while: ``python -m bench.fuzz.run 600 [NAME ...]``.

- Each target gets the same processor time. Inputs come from the kept corpus, changed by a seeded
  generator; on Python 3.12 and newer an input that reaches a new line of the product joins the
  inputs that are changed next (``sys.monitoring``: a line costs only the first time).
- ``--engine atheris`` uses that coverage-guided fuzzer instead, where it is installed.
- What fails is written to ``build/fuzz/<target>/``, smallest first found, and named with its seed;
  what grew the coverage is written there too and is not kept: the corpus stays small and ours.
- ``--json FILE`` keeps the figures: inputs, slowest input, new inputs, lines reached, peak memory.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.harness import FindingError, Target, corpus, mutated, tried
from tests.fuzz.targets import TARGETS

OUT = Path("build/fuzz")
MOST_MEMORY = 4 << 30
MOST_INPUTS = 4_000
PACKAGE = f"{os.sep}citator{os.sep}"


@dataclass
class Figures:
    """What one target did. Seconds are of the processor."""

    target: str
    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_bytes: int = 0
    lines: int = 0
    grown: int = 0
    findings: list[str] = field(default_factory=list)


class Reached:
    """The lines of the product that ran; counts nothing where Python cannot tell cheaply."""

    def __init__(self) -> None:
        self.lines: set[tuple[int, int]] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count while this is open."""
        monitoring: Any = getattr(sys, "monitoring", None)
        if monitoring is None:
            yield
            return

        def line(code: Any, number: int) -> Any:
            if PACKAGE in code.co_filename:
                self.lines.add((id(code), number))
            return monitoring.DISABLE

        monitoring.use_tool_id(monitoring.COVERAGE_ID, "citator-fuzz")
        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, line)
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)
        monitoring.restart_events()
        try:
            yield
        finally:
            monitoring.set_events(monitoring.COVERAGE_ID, 0)
            monitoring.free_tool_id(monitoring.COVERAGE_ID)


def kept(target: Target, kind: str, data: bytes) -> Path:
    """Where an input was written."""
    place = OUT / target.name / f"{kind}-{sha256(data).hexdigest()[:12]}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return place


def fuzzed(target: Target, seconds: float, seed: int) -> Figures:
    """Fuzz one target for ``seconds`` of processor time."""
    pool, found, reached = corpus(target), Figures(target.name), Reached()
    chance, seen = Random(f"{target.name}:{seed}"), set[str]()
    begun = time.process_time()
    with reached.watching():
        queue = list(pool)
        while (took := time.process_time() - begun) < seconds:
            data = queue.pop() if queue else mutated(chance.choice(pool), pool, target, chance)
            before = len(reached.lines)
            found.inputs += 1
            try:
                spent = tried(target, data)
            except FindingError as error:
                cause = error.__cause__ or error
                told = "".join(traceback.format_exception(cause)[-2:]).replace(sys.base_prefix, "…")
                where = f"{type(cause).__name__} {traceback.extract_tb(cause.__traceback__)[-1:]}"
                if where not in seen:
                    seen.add(where)
                    found.findings.append(f"{error} ({kept(target, 'finding', data)})\n{told}")
                continue
            if spent > found.slowest:
                found.slowest, found.slowest_bytes = spent, len(data)
                if spent > 0.5:
                    kept(target, "slow", data)
            if len(reached.lines) > before and len(pool) < MOST_INPUTS:
                pool.append(data)
                found.grown += 1
    found.seconds, found.lines = took, len(reached.lines)
    found.grown = max(0, found.grown - len(corpus(target))) if found.lines else 0
    return found


def with_atheris(target: Target, seconds: float) -> None:
    """Hand one target to atheris, which ends the process."""
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

    folder = OUT / target.name / "atheris"
    folder.mkdir(parents=True, exist_ok=True)
    said = [f"-max_total_time={seconds:.0f}", f"-max_len={target.most}", "-timeout=20"]
    said += [f"-artifact_prefix={folder}{os.sep}", "-print_final_stats=1", "-verbosity=0"]
    places = [str(folder), str(Path("tests/fuzz/corpus") / target.name)]
    atheris.Setup([sys.argv[0], *said, *places], lambda data: tried(target, data))
    atheris.Fuzz()


def limited() -> None:
    """Bound this process's memory, where the system can."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def peak() -> int:
    """The most memory that this process had, in MiB; 0 where the system does not say."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> (
        20 if sys.platform == "darwin" else 10
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("seconds", type=float, help="processor seconds, shared by the targets")
    parser.add_argument("names", nargs="*", metavar="NAME", help="targets; all without one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=["own", "atheris"], default="own")
    parser.add_argument("--json", type=Path, metavar="FILE")
    said = parser.parse_args()
    names = said.names or list(TARGETS)
    share = said.seconds / len(names)
    if said.engine == "atheris":
        return atheris_each(names, share)
    limited()
    every: list[dict[str, Any]] = []
    for name in names:
        found = fuzzed(TARGETS[name], share, said.seed)
        every.append({**asdict(found), "peak_mib": peak()})
        print(
            f"{name:16} {found.inputs:8} inputs  slowest {found.slowest * 1000:7.1f} ms"
            f" ({found.slowest_bytes} B)  {found.lines:5} lines  {len(found.findings)} findings",
            flush=True,
        )
        for one in found.findings:
            print(one, file=sys.stderr, flush=True)
        gc.collect()
    if said.json is not None:
        head = {"python": platform.python_version(), "seed": said.seed, "seconds": said.seconds}
        said.json.write_text(json.dumps({**head, "targets": every}, indent=1) + "\n", "utf-8")
    return int(any(one["findings"] for one in every))


def atheris_each(names: list[str], share: float) -> int:
    """Each target in a process of its own, which instruments the product as it loads it."""
    failed = 0
    for name in names:
        code = (
            "import atheris\n"
            "with atheris.instrument_imports(include=['citator']):\n"
            "    from bench.fuzz.run import with_atheris\n"
            "    from tests.fuzz.targets import TARGETS\n"
            f"with_atheris(TARGETS[{name!r}], {share})\n"
        )
        done = subprocess.run([sys.executable, "-c", code], check=False)
        print(f"{name:16} atheris ended with {done.returncode}", flush=True)
        failed |= done.returncode != 0
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
