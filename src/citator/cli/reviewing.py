"""What a reviewer sees of a proposal: everything, inert, nothing cut.

Lines that quote a proposal start with ``>`` after their indent; all else is of this program. What
is wider than the terminal is folded here, so that no part of it starts a line of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from citator.cli.output import inert_words, plain
from citator.cli.render import broken, columns
from citator.cli.surroundings import Screen
from citator.cli.words import SIGNATURES, counted
from citator.model.inert import inert_line

if TYPE_CHECKING:
    from citator.model.record import Rejected
    from citator.service.preview import Change, Preview

QUOTE = "    > "


def fitting(lines: Iterable[str], screen: Screen) -> list[str]:
    """``lines``, those that quote folded to the width of whoever watches."""
    if not screen.person:
        return list(lines)
    return [part for line in lines for part in _folded(line, screen.width)]


def _folded(line: str, width: int) -> list[str]:
    if not line.startswith(QUOTE) or columns(line) < width:
        return [line]
    room = width - columns(QUOTE) - 1
    return [QUOTE + part for part in broken(line.removeprefix(QUOTE), room)]


def preview_lines(seen: Preview) -> list[str]:
    """A proposal, as a reviewer reads it at a terminal."""
    made = seen.migration
    lines = [
        f"Proposal {made.id}",
        f"  by (as it says of itself), {made.created_at}:",
        f"{QUOTE}{inert_line(made.author)}",
    ]
    if seen.desk.second:
        lines.append("  in the second ledger, outside this repository")
    lines += ["", "What would change:", *_change_lines(seen)]
    if seen.text:
        lines += ["", "Its text (+ new, - gone):"]
        lines += [f"{QUOTE}{inert_line(line)}" for line in seen.text]
    if made.loosens:
        lines += ["", "It LOOSENS, and says so:", *(f"  {word}" for word in made.loosens)]
    for one in seen.against:
        lines += ["", *_against_lines(one)]
    if seen.flags:
        lines += ["", "Signs of a text that steers a machine (look, they prove nothing):"]
        lines += [f"  {flag.value}" for flag in seen.flags]
    if seen.problem is not None:
        lines += ["", f"It would have NO EFFECT: {seen.problem.sentence}"]
    if seen.conflicts:
        lines += ["", "It DISAGREES with what stands: what it builds on was changed since."]
    return [*lines, "", *_standing_lines(seen)]


def _change_lines(seen: Preview) -> list[str]:
    if not seen.changes:
        return ["  nothing in the state of the record"]
    lines: list[str] = []
    subject = None
    for one in seen.changes:
        if one.item != subject:
            subject = one.item
            lines.append(f"  {f'decision {subject}' if subject else 'the record'}")
        lines += _one_change(one)
    return lines


def _one_change(one: Change) -> list[str]:
    mark = "  LOOSENS" if one.loosens else ""
    lines = [f"  {one.what}:{mark}"]
    if one.before:
        lines.append(f"{QUOTE}- {inert_line(one.before)}")
    if one.after:
        lines.append(f"{QUOTE}+ {inert_line(one.after)}")
    return lines


def _against_lines(one: Rejected) -> list[str]:
    lines = [
        f"TOLD NO on {one.at[:10]} (rejection {one.id[:12]}), which speaks against it:",
        f"{QUOTE}{inert_line(one.value)}",
        f"{QUOTE}{inert_line(one.reason)}",
    ]
    return [*lines, f"{QUOTE}unless: {inert_line(one.change)}"] if one.change else lines


def _standing_lines(seen: Preview) -> list[str]:
    lines = [f"Digest: {seen.migration.digest}"]
    if seen.needed is None:
        return [*lines, "Nobody pinned the root of this record here: citator trust pin"]
    needed = seen.needed
    people = counted(needed.approvers, "approver")
    lines.append(f"The policy asks for: {SIGNATURES[needed.signature.value]}, {people}")
    lines.append(f"There is so far: {SIGNATURES[seen.reached.value]}")
    return lines


def preview_object(seen: Preview) -> dict[str, Any]:
    """The same, as JSON: inert, too."""
    needed = seen.needed
    form: dict[str, Any] = {
        "id": seen.migration.id,
        "digest": seen.migration.digest,
        "author": seen.migration.author,
        "created_at": seen.migration.created_at,
        "draft": seen.migration.draft,
        "second": seen.desk.second,
        "changes": plain(seen.changes),
        "text": list(seen.text),
        "loosens": list(seen.loosenings),
        "against": [plain(one) for one in seen.against],
        "flags": [flag.value for flag in seen.flags],
        "problem": seen.problem.refusal.value if seen.problem else None,
        "conflicts": len(seen.conflicts),
        "reached": seen.reached.value,
        "needed": None
        if needed is None
        else {
            "signature": needed.signature.value,
            "approvers": needed.approvers,
            "landed": needed.landed.value,
        },
    }
    inert_form: dict[str, Any] = inert_words(form)
    return inert_form
