"""The twenty are there, by their names."""

from __future__ import annotations

import re
from pathlib import Path

TWENTY = {
    "scope": ("cross_tenant_absent", "caller_cannot_widen", "background_respects_boundary"),
    "evidence": (
        "claim_resolves_to_source",
        "source_delete_reaches_derived",
        "rebuild_from_retained",
    ),
    "gateway": ("no_bypass_path", "model_cannot_claim_human_authority"),
    "tombstone": (
        "laundering_sequence",
        "survives_ttl_and_prune",
        "key_normalization_attack",
        "reextraction_stays_inactive",
        "no_second_memory_unit",
    ),
    "correction": ("survives_reindex", "retraction_without_replacement"),
    "deletion": ("absent_after_reindex_and_restart", "absent_from_shared_copies"),
    "retrieval": ("k_is_an_upper_bound",),
    "prompt": ("recall_is_fenced_as_data", "model_ignores_embedded_instructions"),
}


def test_each_of_the_twenty_is_a_test_of_its_group() -> None:
    for group, names in TWENTY.items():
        text = (Path(__file__).parent / f"test_{group}.py").read_text(encoding="utf-8")
        assert re.findall(rf"^def test_{group}__(\w+)", text, re.M) == list(names)
    assert sum(map(len, TWENTY.values())) == 20
