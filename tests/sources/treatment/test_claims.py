"""What a message claims to undo, in every form that is met, and what only looks like it."""

from __future__ import annotations

import pytest

from citator.model.treatment import Rule, Treatment
from citator.sources.treatment.claims import Claim, claims_of
from citator.sources.treatment.names import Name, Naming, names_of, title_of

SHA = "0123456789abcdef0123456789abcdef01234567"
OTHER = "89abcdef0123456789abcdef0123456789abcdef"


def undoing(message: str) -> list[Claim]:
    kinds = (Treatment.REVERTS, Treatment.REINSTATES)
    return [one for one in claims_of(message) if one.treatment in kinds]


def title(text: str) -> Name:
    name = title_of(text)
    assert name is not None
    return name


def by_id(digits: str) -> Name:
    return Name(Naming.ID, digits)


def change(number: int) -> Name:
    return Name(Naming.CHANGE, str(number))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (f'Revert "Add a cache"\n\nThis reverts commit {SHA}.', [by_id(SHA)]),
        (f"Fix the build\n\nThis reverts commit {SHA}.", [by_id(SHA)]),
        ("Reverts 01234567", [by_id("01234567")]),
        ('Revert "Add a cache"', [title("Add a cache")]),
        ('Revert "Add a cache (#12)" (#15)', [change(12)]),
        ('Revert "Add a cache (#12)" (#15)\n\nReverts some/repo#12', [change(12)]),
        ('Revert "Revert "Add a cache""', [title('Revert "Add a cache"')]),
        ("Revert PR #18602", [change(18602)]),
        ("Revert #1, #2 and #3", [change(1), change(2), change(3)]),
        ('Revert "One thing" and "Another thing"', [title("One thing"), title("Another thing")]),
        ("revert(api): feat: add a cache", [title("feat: add a cache")]),
        ("revert: feat: add a cache", [title("feat: add a cache")]),
        ('Refs #277 -- Reverted "Removed the cache."', [title("Removed the cache")]),
        ("Reverted [15701] due to compatibility", [Name(Naming.REVISION, "15701")]),
        ("Reverted r15701.", [Name(Naming.REVISION, "15701")]),
        ("Back out 0123456789", [by_id("0123456789")]),
        ('Backed out "Add a cache"', [title("Add a cache")]),
        ("X\n\nReverts https://example.org/some/repo/pull/77", [change(77)]),
        ("X\n\nSo this reverts commits 0123456 and 89abcde.", [by_id("0123456"), by_id("89abcde")]),
        (
            "Go back\n\nThis reverts these commits:\n\n- 0123456\n- 89abcde\n\nEnd 7654321.",
            [by_id("0123456"), by_id("89abcde")],
        ),
        (
            f'Revert "Merge pull request #9 from a/b"\n\nThis reverts commit {SHA}, reversing\n'
            f"changes made to {OTHER}.",
            [by_id(SHA)],
        ),
        (
            'Merge pull request #51 from a/revert-50-b\n\nRevert "Add a cache"',
            [title("Add a cache")],
        ),
        ("Automated rollback of commit 0123456.", [by_id("0123456")]),
        ("Undo 0123456", [by_id("0123456")]),
        ("Undo changeset 3839: it is used", [Name(Naming.REVISION, "3839")]),
        ("Prevented a thing. Reverts r16105, refs #17.", [Name(Naming.REVISION, "16105")]),
        ('time: revert "shard the timer" (#8)', [title("shard the timer")]),
    ],
)
def test_a_revert_names_its_targets(message: str, expected: list[Name]) -> None:
    found = undoing(message)
    assert [one.treatment for one in found] == [Treatment.REVERTS] * len(expected)
    assert [one.names[0] for one in found] == expected
    assert not any(one.mention or one.part for one in found)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ('Reapply "Add a cache"', title("Add a cache")),
        ('Reland "Add a cache"', title("Add a cache")),
        ('[net] Re-land: "Add a cache"', title("Add a cache")),
        ("Reinstate #12", change(12)),
        ("revert the revert of #123", change(123)),
        ("X\n\nThis relands commit 0123456.", by_id("0123456")),
        ("Add it again\n\nReinstates: a123456", by_id("a123456")),
    ],
)
def test_a_reinstatement_names_its_target(message: str, expected: Name) -> None:
    (found,) = undoing(message)
    assert (found.treatment, found.names[0]) == (Treatment.REINSTATES, expected)


def test_a_reapplication_also_reverts_the_revert_it_names() -> None:
    found = undoing(f'Reapply "Add a cache"\n\nThis reverts commit {SHA}.')
    assert {(one.treatment, one.names[0]) for one in found} == {
        (Treatment.REINSTATES, title("Add a cache")),
        (Treatment.REVERTS, by_id(SHA)),
    }


@pytest.mark.parametrize(
    "message",
    [
        "Partial revert of 165f44aa.",
        "Partially reverts 165f44aa",
        "Reverted part of 165f44aa which was wrong",
        "Revert most of 165f44aa",
        "X\n\nThis partly reverts commit 165f44aa.",
        "Reverted unintentional change in 165f44aa",
        "Move it back, because of a loop (reverts parts of 165f44aa)",
        "X\n\nThis is a partial revert of 165f44aa",
        "X\n\nRemove the dependency, partially reverting 165f44aa.",
    ],
)
def test_a_part_is_said_to_be_one(message: str) -> None:
    (found,) = undoing(message)
    assert (found.part, found.names[0]) == (True, by_id("165f44aa"))


@pytest.mark.parametrize(
    "message",
    [
        "Make git-revert a builtin",
        "Revert to the old sentinel as in 0123456",
        "revert: fix a leak of options\n\nThe command leaked. See 0123456.",
        "Let users revert their drafts (#12)",
        "Improve undo\n\nUndo lost the cursor since 0123456.",
        "X\n\nThis was introduced in 0123456 and then reverted in 89abcde, so try again.",
        "X\n\n> This reverts commit 0123456.\n\nThe above was quoted.",
        "X\n\n```\nThis reverts commit 0123456.\n```",
        "X\n\n    This reverts commit 0123456.",
        "Bump a\n\n<li><code>b6e9a91</code> Revert &quot;x&quot; b6e9a91</li>",
        'Reverted the "kind" field to its value. Added a field named "crate_types".',
        "We may want to revert this later, see #55",
        "Restore the scroll position of 0123456789 pixels",
    ],
)
def test_what_only_speaks_of_reverts_claims_none(message: str) -> None:
    assert [one for one in undoing(message) if not one.tentative] == []


def test_a_squash_that_repeats_a_revert_only_mentions_it() -> None:
    (found,) = undoing(
        f"Rework the cache (#7)\n\n* Add a map\n\n* Revert it\n\nThis reverts commit {SHA}.\n"
    )
    assert (found.mention, found.rule) == (True, Rule.MENTION)


def test_a_list_below_a_revert_is_no_squash() -> None:
    found = undoing(f"Revert the rework\n\n- breaks b\n- breaks c\n\nThis reverts commit {SHA}.")
    assert [one.mention for one in found] == [False]


def test_a_title_without_quotation_marks_is_tentative() -> None:
    (found,) = undoing("Revert Add a cache")
    assert (found.tentative, found.names) == (True, (title("Add a cache"),))


def test_a_title_and_a_sentence_name_one_target() -> None:
    (found,) = undoing(f'Revert "Add a cache (#12)"\n\nThis reverts commit {SHA}.')
    assert found.names == (by_id(SHA), change(12), title("Add a cache"))


@pytest.mark.parametrize(
    ("trailer", "treatment"),
    [
        ("Reverts: a123456", Treatment.REVERTS),
        ("Reinstates: a123456", Treatment.REINSTATES),
        ("Supersedes: a123456", Treatment.SUPERSEDES),
        ("Deprecates: a123456", Treatment.SUPERSEDES),
        ("Amends: a123456", Treatment.LIMITS),
        ("Premise-Invalidated: a123456", Treatment.QUESTIONS),
        ('Fixes: a123456 ("Add a cache")', Treatment.FIXES),
        ("Implements: a123456", Treatment.IMPLEMENTS),
        ("Accepted: a123456", Treatment.FOLLOWS),
        ("See-also: a123456", Treatment.CITES),
    ],
)
def test_trailers_are_read_as_they_are(trailer: str, treatment: Treatment) -> None:
    message = f"Change it\n\nBecause.\n\n{trailer}\nSigned-off-by: A <a@example.org>"
    assert [(one.treatment, one.names) for one in claims_of(message)] == [
        (treatment, (by_id("a123456"),))
    ]


def test_what_a_commit_rejects_is_its_own_alternative() -> None:
    message = (
        "Use a queue\n\nBecause.\n\nAlternative-Rejected: polling, see a123456\nRuled-out: cron"
    )
    rejected = [one for one in claims_of(message) if one.treatment is Treatment.REJECTS]
    assert [one.names for one in rejected] == [()]


def test_citations_say_how_they_cite() -> None:
    message = (
        "Tune it (#9)\n\nFollow-up to #7. Fixes a regression introduced in a123456.\n"
        "See also #5, ADR-0012 and 01J9ZK4E3M8QW7X2V5T6R1N0PA; 7654321 is a number."
    )
    assert [(one.treatment, one.names[0].text) for one in claims_of(message)] == [
        (Treatment.FOLLOWS, "7"),
        (Treatment.FIXES, "a123456"),
        (Treatment.CITES, "5"),
        (Treatment.CITES, "12"),
        (Treatment.CITES, "01J9ZK4E3M8QW7X2V5T6R1N0PA"),
    ]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Add a cache (#12)", [title("Add a cache"), change(12)]),
        (
            "Merge pull request #12 from a/b\n\nAdd a cache",
            [title("Merge pull request #12 from a/b"), title("Add a cache"), change(12)],
        ),
        ("Auto merge of #12 - a:b, r=c", [title("Auto merge of #12 - a:b, r=c"), change(12)]),
        ("Fix\n\nSee merge request a/b!12", [title("Fix"), change(12)]),
        (
            "Fix\n\ngit-svn-id: http://example.org/trunk@88 bcc190cf-cafb",
            [title("Fix"), Name(Naming.REVISION, "88")],
        ),
        (
            f"Fix\n\n(cherry picked from commit {SHA})",
            [title("Fix"), Name(Naming.COPY_OF, SHA)],
        ),
    ],
)
def test_commits_are_called_by_title_number_and_origin(message: str, expected: list[Name]) -> None:
    assert list(names_of(message)) == expected


def test_a_title_is_one_with_and_without_its_number_and_case() -> None:
    assert title("Add  a cache (#12)") == title("add a cache.") == title("Add a cache (#1) (#2)")
    assert title_of("  ") is None


@pytest.mark.parametrize(
    "message",
    [
        "Revert " + '"' * 5_000,
        "revert " * 20_000,
        "x\n\n" + "this reverts commit " * 20_000,
        "x\n\n" + "* a\n" * 50_000,
        'Revert "' + 'Revert "' * 5_000,
        "[" * 50_000 + "revert",
        "a, " * 30_000 + ": revert #1",
        "x\n\n" + "0123456 " * 50_000,
        "x\n\n" + "https://a/" * 20_000,
        "\0\ufffd\u202eRevert \u201cx\u201d\n\n\r\r\n",
    ],
)
def test_a_hostile_message_is_read_in_bounds(message: str) -> None:
    assert len(claims_of(message)) <= 60
