"""The register of attacks: each is a function that acts on a copy of the scene it is for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.support.adversary import Scene

Build = Callable[[Path], Scene]
Attack = Callable[[Scene], None]
ATTACKS: dict[str, tuple[Build, Attack]] = {}


def on(build: Build) -> Callable[[Attack], Attack]:
    """Register an attack under its own name, on a scene."""

    def register(attack: Attack) -> Attack:
        ATTACKS[attack.__name__] = (build, attack)
        return attack

    return register
