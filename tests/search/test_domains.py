"""What a task is about is found by rules as data; nothing of it refuses anything."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from citator.model.domain import Domain, Intent
from citator.search.domains import (
    MAX_CHARACTERS,
    MOST_WORDS,
    classify,
    normalised,
    rules_of,
    shipped_rules,
)

CASES = Path(__file__).parents[2] / "bench" / "domains" / "cases.jsonl"
LANGUAGES = {"en", "es", "de", "fr", "pt", "it", "zh"}
OWN = {Domain.PROGRAMMING, Domain.PROJECT_MEMORY, Domain.GENERAL}


@pytest.mark.parametrize(
    ("task", "domain", "intent"),
    [
        ("why did we delete the old cache", Domain.PROJECT_MEMORY, Intent.EXPLAIN),
        ("what is our architecture", Domain.PROJECT_MEMORY, Intent.LEARN),
        ("who introduced the vulnerability scanner", Domain.PROJECT_MEMORY, Intent.FIND),
        ("¿Por qué quitamos la licencia?", Domain.PROJECT_MEMORY, Intent.EXPLAIN),
        ("Warum wurde der Cache entfernt?", Domain.PROJECT_MEMORY, Intent.EXPLAIN),
        ("我们为什么去掉了缓存？", Domain.PROJECT_MEMORY, Intent.EXPLAIN),
        ("rename taxRule to TaxRule", Domain.PROGRAMMING, Intent.CHANGE),
        ("Should I sue my landlord?", Domain.LAW, Intent.CHOOSE),
        ("Faut-il un avocat ?", Domain.LAW, Intent.CHOOSE),
        ("Quale aliquota IVA per gli ebook?", Domain.ACCOUNTING, Intent.UNCLEAR),
        ("钓鱼邮件有哪些特征？", Domain.CYBERSECURITY, Intent.UNCLEAR),
        ("How large must a tap target be?", Domain.UX, Intent.LEARN),
        ("Qual a dosagem de paracetamol?", Domain.MEDICINE, Intent.UNCLEAR),
        ("Lohnt sich ein Kredit?", Domain.FINANCE, Intent.UNCLEAR),
    ],
)
def test_a_task_has_the_domain_and_the_intent_of_its_words(
    task: str, domain: Domain, intent: Intent
) -> None:
    found = classify(task)
    assert (found.domain, found.intent) == (domain, intent)
    assert found.rule.startswith(domain.value)
    assert found.matched


def test_the_rule_that_fired_is_named_with_the_words_under_it() -> None:
    found = classify("Is a notarized signature required for a lease?")
    assert (found.rule, found.matched) == ("law.en", ("notarized", "signature", "lease"))


@pytest.mark.parametrize(
    "task", ["license contract", "UI layout", "firewall rule", "hello", "", "?"]
)
def test_an_unclear_task_is_general_by_nothing(task: str) -> None:
    found = classify(task)
    assert (found.domain, found.rule, found.unclear) == (Domain.GENERAL, "nothing", True)


def test_a_word_of_another_domain_does_not_take_a_question_from_the_project() -> None:
    for word in ("lawsuit", "VAT", "phishing", "usability", "diagnosis", "mortgage"):
        assert classify(word).domain not in OWN
        assert classify(f"why did we drop the {word} module").domain is Domain.PROJECT_MEMORY
        assert classify(f"fix the {word} parser in tests/test_it.py").domain is Domain.PROGRAMMING
        assert classify(f"why did we drop the {word} module").also is classify(word).domain
    assert classify("why did we drop the parser module").also is None


def test_no_case_of_the_projects_own_history_is_taken_from_it() -> None:
    rules = shipped_rules()
    rows = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    wrong = [
        one["task"]
        for one in rows
        if one["domain"] in ("project_memory", "programming", "general")
        and classify(one["task"], rules).domain not in OWN
    ]
    assert len(rows) >= 200
    assert {one["language"] for one in rows} == LANGUAGES
    assert wrong == []


def test_the_rules_are_written_as_they_are_looked_up() -> None:
    data = json.loads((files("citator.search") / "domains.json").read_text("utf-8"))
    terms = [
        term
        for languages in data["domains"].values()
        for weights in languages.values()
        for listed in weights.values()
        for term in listed.split(", ")
    ]
    assert all(normalised(term) == term and term for term in terms)
    assert all(len(term.split(" ")) <= MOST_WORDS for term in terms)
    assert set(data["domains"]) == set(Domain) - {Domain.GENERAL}
    assert set(data["intents"]) == set(Intent) - {Intent.UNCLEAR}
    assert all(
        set(one) >= {"en", "es", "de", "fr", "pt", "it", "zh"} for one in data["domains"].values()
    )
    assert rules_of(data) == shipped_rules()


@pytest.mark.parametrize(
    "piece", ["a", "law ", "_", "0", "e\u0301", "漏洞", "`", "/", "\ud800", "#"]
)
def test_a_long_task_is_read_to_its_bound(piece: str) -> None:
    long = piece * (200_000 // len(piece))
    assert classify(long) == classify(long[:MAX_CHARACTERS])
