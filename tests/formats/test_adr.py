"""What decision records state of themselves, dialect by dialect."""

from __future__ import annotations

import pytest

from citator.formats.adr import Adr, read_adr
from citator.formats.front_matter import read_front_matter
from citator.formats.markdown import outline
from citator.model.document import AdrStatus

ACCEPTED, PROPOSED = AdrStatus.ACCEPTED, AdrStatus.PROPOSED
SUPERSEDED, REJECTED = AdrStatus.SUPERSEDED, AdrStatus.REJECTED


def adr(text: str, path: str = "docs/adr/0007-title.md") -> Adr | None:
    lines = text.split("\n")
    front = read_front_matter(lines)
    below = lines[front.lines :]
    structure = outline(below)
    title = structure.headings[0].title if structure.headings else None
    return read_adr(path, title, below, structure, front)


def status(text: str) -> AdrStatus | None:
    found = adr(text)
    assert found is not None
    return found.status


def test_madr_2_states_in_a_list_under_the_title() -> None:
    text = "# Use X\n\n* Status: accepted\n* Deciders: A, B\n* Date: 2020-01-02\n\n## Context\n"
    assert adr(text) == Adr(7, ACCEPTED, "2020-01-02")


def test_madr_3_and_4_state_in_front_matter() -> None:
    text = '---\nstatus: "superseded by ADR-0123"\ndate: 2024-05-06\ndeciders: A\n---\n# Use X\n'
    assert adr(text) == Adr(7, SUPERSEDED, "2024-05-06", superseded_by=("ADR-0123",))


def test_nygard_states_in_a_section() -> None:
    text = (
        "# 7. Use X\n\nDate: 2019-03-04\n\n## Status\n\nAccepted\n\n"
        "Supersedes [2. Use W](0002_use_w.md)\n\n## Context\n\n## Decision\n"
    )
    assert adr(text) == Adr(7, ACCEPTED, "2019-03-04", supersedes=("docs/adr/0002_use_w.md",))


def test_a_line_added_by_a_tool_wins_over_the_older_status() -> None:
    text = "# 7. Use X\n\n## Status\n\nAccepted\n\nSuperceded by [9. Use Y](0009-use-y.md)\n"
    assert adr(text) == Adr(7, SUPERSEDED, superseded_by=("docs/adr/0009-use-y.md",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# T\n**Status:** Accepted\n", ACCEPTED),
        ("# T\n**Status**: Accepted\n", ACCEPTED),
        ("# T\n- **Status**: *rejected*\n", REJECTED),
        ("# T\n__Status:__ Draft\n", PROPOSED),
        ("# T\nStatus: Deprecated since 2021-01-01\n", AdrStatus.DEPRECATED),
        ("# T\n\n| Status | Accepted |\n|---|---|\n", ACCEPTED),
        ("# T\n## Status: Proposed\n", PROPOSED),
        ("# T\n## Status\n\n✅ Accepted\n", ACCEPTED),
        ("# T\n## 2. Status\n\n**Accepted**, 2020-01-01\n", ACCEPTED),
        ("# T\n## Status\n\n- [ ] Proposed\n- [x] Accepted (2021-05-06)\n", ACCEPTED),
        ("# T\n## Status\n\n~~Proposed~~ Accepted\n", ACCEPTED),
        ("# T\nStatus\n------\n\nAccepted by the team\n", ACCEPTED),
        ("# T\n**Status:**\nAccepted\n", ACCEPTED),
        ("# T\n* Status: accepted, but superseded by [Y](0009-y.md)\n", SUPERSEDED),
        ("# T\n* Status:\n  accepted\n", ACCEPTED),
        ("# T\n## Status\nSuperseded\nby [Y](0009-y.md)\n", SUPERSEDED),
    ],
)
def test_a_status_is_found_in_each_form(text: str, expected: AdrStatus) -> None:
    assert status(text) == expected


def test_a_value_wrapped_over_lines_is_one_value() -> None:
    text = "# T\n\n* Status: superseded\n  by [ADR-0005](0005-x.md)\n* Date: 2020-01-02\n"
    assert adr(text) == Adr(7, SUPERSEDED, "2020-01-02", superseded_by=("docs/adr/0005-x.md",))


@pytest.mark.parametrize(
    "text",
    [
        "# T\n\nWe accepted that this is slow. Status: accepted by all.\n",
        "# T\n## Status\n\nWe accepted that the queue reorders.\n",
        "# T\n## Status\n\nAccepted risk is high here.\n",
        "# T\n## Context\n\nStatus: accepted\n",
        "# T\n```\nStatus: accepted\n```\n",
        "# T\n\n    Status: accepted\n",
        "# T\n\n> Status: accepted\n",
        "# T\n<!-- Status: accepted -->\n",
        "# T\n## Status\n\n```\nAccepted\n```\n",
        "# T\n## Status\n\n<!--\nAccepted\n-->\n",
        "# T\n## Status\n\nProposed | Accepted | Rejected\n",
        "# T\n* Status: [proposed | rejected | accepted | superseded by [ADR-5](0005-e.md)]\n",
        '---\nstatus: "{proposed | accepted}"\n---\n# T\n',
        "# T\n## Status\n\n- [ ] Accepted\n",
        "# T\n## Status\n\nReverted by a discussion\n",
        "# T\nStatus: Acceptedish\n",
        "# T\n## Statusses\n\nAccepted\n",
    ],
)
def test_prose_code_quotations_comments_and_templates_state_nothing(text: str) -> None:
    assert status(text) is None


def test_front_matter_wins_over_lines_and_lines_over_a_section() -> None:
    assert status("---\nstatus: rejected\n---\n# T\nStatus: accepted\n") == REJECTED
    assert status("# T\nStatus: rejected\n## Status\nAccepted\n") == REJECTED


def test_links_become_paths_or_numbers() -> None:
    text = (
        "# T\n* Supersedes: [A](../old/0001-a%20b.md#why), ADR-12 and 0003-c.md\n"
        "* Superseded by: [elsewhere](https://example.org/0004.md), none\n"
    )
    assert adr(text) == Adr(
        7, None, supersedes=("docs/old/0001-a b.md", "docs/adr/0003-c.md", "ADR-0012")
    )


def test_a_link_out_of_the_repository_is_named_by_its_number_only() -> None:
    text = "# T\n* Supersedes: [ADR-3](../../../../etc/passwd.md)\n"
    assert adr(text) == Adr(7, None, supersedes=("ADR-0003",))


def test_a_list_of_links_counts_where_it_says_what_they_are() -> None:
    text = (
        "# T\nStatus: accepted\n\n## Links\n\n* Supersedes [A](0001-a.md)\n* See [B](0002-b.md)\n"
    )
    assert adr(text) == Adr(7, ACCEPTED, supersedes=("docs/adr/0001-a.md",))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2020-01-02", "2020-01-02"),
        ("2020/01/02", "2020-01-02"),
        ("on 2020.01.02, in the meeting", "2020-01-02"),
        ("2020-13-02", None),
        ("2020-02-30", None),
        ("yesterday", None),
    ],
)
def test_a_date_is_a_real_day(written: str, expected: str | None) -> None:
    found = adr(f"# T\n* Date: {written}\n")
    assert found is not None
    assert found.date == expected


@pytest.mark.parametrize(
    ("path", "title", "number"),
    [
        ("adr/0012-x.md", "T", 12),
        ("adr/adr-3-x.md", "T", 3),
        ("adr/ADR_004.md", "T", 4),
        ("adr/x.md", "ADR-0005: T", 5),
        ("adr/x.md", "6. T", 6),
        ("adr/2020-01-02-x.md", "Status", None),
    ],
)
def test_the_number_comes_from_the_name_or_the_title(
    path: str, title: str, number: int | None
) -> None:
    found = adr(f"# {title}\n\nStatus: accepted\n", path)
    assert found is not None
    assert found.number == number


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/post.md", "---\nstatus: draft\n---\n# A post\n"),
        ("README.md", "# Project\n\nStatus: accepted\n"),
        ("docs/guide.md", "# Guide\n\n## Status\n\nAccepted\n"),
    ],
)
def test_a_text_that_is_no_record_states_nothing(path: str, text: str) -> None:
    assert adr(text, path) is None


def test_a_record_outside_a_known_folder_is_known_by_its_sections() -> None:
    text = "# Use X\n\n## Status\n\nAccepted\n\n## Context\n\nA.\n\n## Decision\n\nB.\n"
    assert adr(text, "notes/x.md") == Adr(None, ACCEPTED)


def test_hostile_values_end() -> None:
    for unit in ("[", "](", "* ", "ADR-", "status: ", "| ", "(<", "~~"):
        adr(f"# T\n* Status: {unit * 50_000}\n\n## Status\n\n{unit * 50_000}\n")
