"""Every fuzzing target, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.fuzz import policy_targets, record_targets, skill_targets, text_targets, wire_targets
from tests.fuzz.harness import Target

TARGETS: Final[Mapping[str, Target]] = {
    one.name: one
    for one in (
        *text_targets.TARGETS,
        *record_targets.TARGETS,
        *wire_targets.TARGETS,
        *policy_targets.TARGETS,
        *skill_targets.TARGETS,
    )
}
