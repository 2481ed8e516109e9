"""A rejection speaks against the same value in every spelling, and against nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.formats.globs import compiled, problem_with
from citator.model.record import ItemKind, Rejected, Sensitivity
from citator.model.visibility import Audience
from citator.record.folding import folded, rejection_key
from citator.record.rejections import holds_words, may_meet, told_no, value_of
from tests.support.record import Ledger, text


def rejected(value: str, number: int = 1, **settings: object) -> Rejected:
    return Rejected(
        id=f"{number:064x}",
        key=rejection_key(value, None, ()),
        folded=folded(value),
        value=value,
        reason="one more server to run",
        source="01J9ZK4E3M8QW7X2V5T6R1N0PA",
        at=f"2026-03-01T12:00:{number:02}Z",
        **settings,  # type: ignore[arg-type]
    )


def says_no(value: str, *proposed: str) -> bool:
    return bool(told_no([rejected(value)], None, values=proposed, kind=None, paths=()))


@pytest.mark.parametrize(
    "spelling",
    [
        "Use Redis for sessions",
        "USE REDIS FOR SESSIONS!",
        "use   redis\tfor sessions.",
        "use-redis-for-sessions",
        "use_redis_for_sessions",
        "use – redis — for ‑ sessions",
        "“Use Redis for sessions”",
        "Ｕｓｅ Ｒｅｄｉｓ ｆｏｒ ｓｅｓｓｉｏｎｓ",
        "𝐔𝐬𝐞 𝐑𝐞𝐝𝐢𝐬 𝐟𝐨𝐫 𝐬𝐞𝐬𝐬𝐢𝐨𝐧𝐬",
        "Usе Rеdіs fоr sеssіоns",  # Cyrillic vowels
        "Uѕе Rеdіѕ fοr ѕеѕѕіоnѕ",
        "USΕ RΕDΙS FΟR SESSΙOΝS",  # Greek capitals, the last of them a Nu
        "Use Re\u200bdis for ses\u2060sions",
        "U\u00adse Redis for sessions",
        "Use Redis\u202e for sessions\u202c",
        "Use R\ufe0fedis for\U000e0100 sessions",
        "Use\u3164 Redis\u115f for sessions",
        "Use Rédïs for sessions",
        "Use Re\u0301dis for sessions",
        "We now use Redis for sessions",
        "Decision: use Redis for sessions (again)",
        "Use Redis for sessions, in production",
    ],
)
def test_a_value_is_the_same_in_every_spelling(spelling: str) -> None:
    assert says_no("Use Redis for sessions", spelling)


@pytest.mark.parametrize(
    ("value", "title"),
    [
        ("Use Redis for sessions", "Use Redis for queues"),
        ("Use Redis for sessions", "Use Redis"),
        ("Use Redis", "Reuse Redis"),
        ("Use Redis", "Use Redisson"),
        ("Use Redis", "Use the Redis"),
        ("use c", "Use Clang"),
        ("go", "Gopher"),
        ("レディス", "レディスト"),
        ("表", "表示を速くする"),
        ("استخدم ريديس", "استخدم ريديسون"),
        ("...", "Anything at all"),
        ("\u200b\u200b", "Anything at all"),
    ],
)
def test_another_value_is_another_value(value: str, title: str) -> None:
    assert not says_no(value, title)


@pytest.mark.parametrize(
    ("value", "title"),
    [
        ("Redisを使う", "セッションにRedisを使うことにした"),
        ("Redisを使う", "ＲｅｄｉｓをつかうなどＲｅｄｉｓを使う。"),
        ("レディス", "ﾚﾃﾞｨｽを使う"),
        ("レディスを使う", "「レディスを使う」"),
        ("使用缓存", "我们使用缓存吧"),
        ("表", "表"),
        ("استخدم ريديس للجلسات", "قرار: استخدم ريـديس للجلسات؟"),
        ("استخدم ريديس", "\u202bاستخدم\u202c ريديس"),
        ("ﺭﻳﺪﻳﺲ", "ريديس"),
        ("Использовать Redis", "ИСПОЛЬЗОВАТЬ REDIS"),
        ("ΝΑΙ ΣΤΟ REDIS", "ναι στο Redis"),
        ("Straße", "STRASSE"),
        ("İstanbul", "istanbul"),
    ],
)
def test_other_scripts_fold_and_have_their_own_word_borders(value: str, title: str) -> None:
    assert says_no(value, title)


def test_a_ruling_says_a_value_only_as_a_whole() -> None:
    assert says_no("Use Redis", "Sessions", "use  REDIS.")
    assert not says_no("Use Redis", "Sessions", "We do not use Redis here")
    assert says_no("Use Redis", "Do not use Redis")  # a person reads it; nothing is blocked by this
    assert not says_no("Use Redis")


def test_a_kind_narrows_a_rejection_and_is_narrowed_by_none() -> None:
    about = rejected("Use Redis", kind=ItemKind.OPERATIONS)
    for kind, told in ((ItemKind.OPERATIONS, 1), (ItemKind.API, 0), (None, 1)):
        assert len(told_no([about], None, values=["use redis"], kind=kind, paths=())) == told
    everything = rejected("Use Redis")
    assert told_no([everything], None, values=["use redis"], kind=ItemKind.API, paths=())


@pytest.mark.parametrize(
    ("scope", "paths", "met"),
    [
        ([], ["src/a.py"], True),
        (["src/**"], [], True),
        (["src/session/**"], ["src/session/store.py"], True),
        (["src/session/**"], ["src/other/store.py"], False),
        (["src/session"], ["src/session/deep/store.py"], True),
        (["src/session/"], ["src/session"], True),
        (["**/*.py"], ["docs/**"], True),
        (["**/*.py"], ["docs/*.md"], False),
        (["*.py"], ["src/*.py"], False),
        (["src/*/api/**"], ["src/v1/**/x.py"], True),
        (["src/a*b.py"], ["src/*c.py"], False),
        (["src/a*b*"], ["src/*c.py"], True),
        (["src/[ab].py"], ["src/c.py"], True),  # a class meets any character: on the safe side
        (["src/?.py"], ["src/ab.py"], False),
        (["src/\\*.py"], ["src/x.py"], False),
        (["src/\\*.py"], ["src/\\*.py/below"], True),
        (["./src/x"], ["src/x"], True),
        (["a/**/b/**/c"], ["a/b/c"], True),
        (["a", "b/**"], ["c/**", "b/x"], True),
    ],
)
def test_scopes_meet_where_one_path_can_be_in_both(
    scope: list[str], paths: list[str], met: bool
) -> None:
    assert may_meet(scope, paths) is met
    assert may_meet(paths, scope) is met
    about = rejected("Use Redis", scope=tuple(scope))
    assert bool(told_no([about], None, values=["use redis"], kind=None, paths=paths)) is met


_segment = st.text("ab*?[]\\", min_size=1, max_size=4) | st.just("**")
_pattern = st.lists(_segment, min_size=1, max_size=4).map("/".join)
_path = st.lists(st.text("ab*", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)


@settings(derandomize=True, max_examples=400, deadline=None)
@given(_pattern, _pattern, _path)
def test_patterns_that_hold_one_path_always_meet(one: str, other: str, path: str) -> None:
    if problem_with(one) or problem_with(other):
        return
    assert may_meet([one], [path.replace("*", "\\*")]) or not compiled(one).fullmatch(path)
    if compiled(one).fullmatch(path) and compiled(other).fullmatch(path):
        assert may_meet([one], [other])
    assert may_meet([one], [other]) is may_meet([other], [one])


def test_patterns_made_to_be_slow_are_not() -> None:
    wild = "*a" * 250 + "*"
    assert may_meet([f"{wild}b"], [f"{wild}c"]) is False
    deep = "/".join(["**", "a"] * 120)
    assert may_meet([deep + "/b*"], [deep + "/c*"]) is False


def test_an_audience_is_told_only_of_what_it_may_know() -> None:
    public = rejected("Use Redis", 1, sensitivity=Sensitivity.PUBLIC)
    secret = rejected("Use Redis", 2, sensitivity=Sensitivity.RESTRICTED)
    theirs = rejected("Use Redis", 3, tenant="acme")
    group = rejected("Use Redis", 4, groups=("ops", "sec"))
    every = [group, theirs, secret, public]

    def numbers(audience: Audience | None) -> list[int]:
        found = told_no(every, audience, values=["use redis"], kind=None, paths=())
        return [int(one.id, 16) for one in found]

    assert numbers(Audience()) == [1]
    assert numbers(Audience(ceiling=Sensitivity.RESTRICTED)) == [1, 2]
    assert numbers(Audience(tenant="acme")) == [1, 3]
    assert numbers(Audience(groups=("sec",))) == [1, 4]
    assert numbers(Audience(ceiling=Sensitivity.PUBLIC, tenant="acme", groups=("ops",))) == [1]
    assert numbers(None) == [1, 2, 3, 4]


def test_the_answer_depends_on_no_order() -> None:
    many = [rejected("Use Redis", number) for number in (3, 1, 2, 1)]
    found = told_no(many, None, values=["use redis"], kind=None, paths=())
    assert [one.at[-3:-1] for one in found] == ["01", "02", "03"]


def test_a_rejected_value_cannot_be_laundered() -> None:
    """Rejected, then the whole record turned over, then said again under another item."""
    ledger = Ledger()
    first = ledger.decide("Keep sessions in SQLite")
    ledger.add({"op": "reject_value", "value": "Keep sessions in Redis", "reason": "a server more"})
    second = ledger.decide("Keep sessions in files")
    ledger.add({"op": "add_relation", "source": second, "type": "supersedes", "target": first})
    ledger.add({"op": "deprecate_item", "item": second})
    third = ledger.decide("Keep sessions somewhere")
    assert ledger.state.refused == ()

    again = ledger.make(text(third, "Keep sessions in Rеdis", ruling="Sessions are in memory"))
    other = ledger.make(text(third, "Keep sessions in memory"))

    standing = ledger.state.rejections.values()
    (told,) = told_no(standing, Audience(), values=value_of(again), kind=None, paths=())
    assert told.value == "Keep sessions in Redis"
    assert told_no(standing, Audience(), values=value_of(other), kind=None, paths=()) == ()

    ledger.add(
        {"op": "lift_rejection", "rejection": told.id, "reason": "we run one now"},
        loosens=[f"lift_rejection:{told.id}"],
    )
    lifted = ledger.state.rejections.values()
    assert told_no(lifted, None, values=value_of(again), kind=None, paths=()) == ()


def test_what_a_proposal_asserts() -> None:
    ledger = Ledger()
    item = ledger.decide("One")
    made = ledger.make(text(item, "A title", ruling="A ruling"), body="Use Redis\n")
    assert value_of(made) == ("A title", "A ruling")
    assert value_of(ledger.make({"op": "deprecate_item", "item": item})) == ()


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12))
def test_what_stands_between_spaces_is_held(before: str, value: str, after: str) -> None:
    words = folded(value)
    whole = folded(f"{before} {words} {after}")
    if words and len(words) > 1 and f" {words} " in f" {whole} ":
        assert holds_words(whole, words)
