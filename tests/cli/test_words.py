"""Every member of a closed vocabulary has its sentence."""

from __future__ import annotations

from citator.cli.words import (
    ABSTENTIONS,
    FINDINGS,
    LIMITS,
    SIGNATURES,
    counted,
    coverage,
    limit_sentence,
    size,
)
from citator.model.evidence import AbstainReason
from citator.model.horizon import HorizonFact, Limit
from citator.service.findings import FindingKind
from citator.trust.assurance import Signature


def test_no_word_of_a_vocabulary_is_without_a_sentence() -> None:
    assert set(LIMITS) == set(Limit)
    assert set(ABSTENTIONS) == set(AbstainReason)
    assert set(FINDINGS) == {kind.value for kind in FindingKind}
    assert set(SIGNATURES) == {level.value for level in Signature}


def test_a_limit_says_how_many_where_it_knows() -> None:
    assert limit_sentence(HorizonFact(Limit.TOO_LARGE, 1200)) == "files too large to read: 1,200"
    assert limit_sentence(HorizonFact(Limit.LEG_OFF, None, "vectors")) == (
        "a way of searching was off (vectors)"
    )


def test_numbers_read_as_a_person_writes_them() -> None:
    assert counted(1, "commit") == "1 commit"
    assert counted(1234, "passage") == "1,234 passages"
    assert [size(n) for n in (0, 1023, 1024, 5 * 1024**2, 3 * 1024**3)] == [
        "0 B",
        "1023 B",
        "1.0 KiB",
        "5.0 MiB",
        "3.0 GiB",
    ]


def test_the_share_of_explained_commits_is_said() -> None:
    assert coverage(0, 0) == []
    assert coverage(25, 20) == ["20 of 25 commits say why (80%)."]
