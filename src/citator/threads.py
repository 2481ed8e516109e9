"""How many threads numerical libraries may use: said before any of them is loaded."""

from __future__ import annotations

from collections.abc import MutableMapping

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def use_one_thread(environ: MutableMapping[str, str]) -> None:
    """Keep numerical libraries to one thread, unless somebody asked for more.

    They read this when they are loaded. Our matrices are small: a second thread spins for
    longer than it works, and takes five times the CPU on a busy machine.
    """
    for name in _THREADS:
        environ.setdefault(name, "1")
