"""A year of tickets, replayed: how much of what a brief shows is noise, with and without feedback.

    python -m bench.feedback.year --mirrors DIR --data DIR --out bench/feedback/year.json NAME …

- *Tickets* are the commits of the main line in the last 365 days of a history that name a number
  and change at least one source file; their files are what the work touched. *Notes* are what
  ``citator note capture`` would have kept, each from when the main line has its commit. *Reverts*
  are those of ``citator treatment``, known from the second of the reverting commit on.
- At each ticket the brief shows the five notes of most points that are hot and not stale. A note
  that is about a file which the ticket touched was of use; the rest is noise. What the outcome
  teaches counts from the next ticket on: nothing later than a ticket takes part in what it is
  shown. Each policy goes through the year by itself, since what it shows is what it learns from.
- The notes, their scores and the feedback are the product's own; policies that it does not have
  are named in the README.
- *innocent*: the same year with one ticket of twenty, drawn by chance, reverted a week later: what
  is demoted then is demoted for nothing. *guilty*: one note of ten, drawn by chance, does harm:
  half of the tickets before which it is shown are reverted a week later, and no other.
- Intervals: 2,000 draws of whole weeks with replacement, of the difference to ``decay`` alone;
  of all repositories that were shown a hundred notes, of the mean of their differences.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from citator.git import history
from citator.git.records import RawCommit, Repository
from citator.git.runner import Git
from citator.index.code.kinds import is_test
from citator.index.code.languages import language_of
from citator.model.treatment import Treatment
from citator.service.capture_notes import noted
from citator.service.treatment import bring_up, treatments
from citator.service.workspace import Places, Workspace
from citator.team.notes import Content
from citator.team.scoring import (
    DAY,
    HOT,
    LEAST_REVERTED,
    MOST_DOWN,
    MOST_UP,
    Facts,
    Feedback,
    Periods,
    score,
)

Weeks = dict[int, list[int]]
YEAR = 365 * DAY
SHOWN = 5
LEAST_SHOWN = 100
DRAWS = 2_000
NUMBER = re.compile(r"#\d+")
WEEK = 7 * DAY
MOST_FILES = 30
INNOCENT_SHARE = 0.05
GUILTY_SHARE = 0.1
HARM = 0.5


@dataclass(frozen=True)
class Ticket:
    """One ticket: when it was completed, what it touched; when it was reverted, and reinstated."""

    time: int
    paths: frozenset[str]
    words: frozenset[str]
    reverted: int | None = None
    reinstated: int | None = None

    def is_reverted(self, now: int) -> bool:
        """Whether it was known at ``now`` to be reverted."""
        if self.reverted is None or self.reverted > now:
            return False
        return self.reinstated is None or self.reinstated > now


@dataclass
class Note:
    """A captured note, and in the work of which tickets it was shown and of use."""

    born: int
    content: Content
    words: frozenset[str]
    shown: list[tuple[int, bool]] = field(default_factory=list)


def main() -> None:
    """Replay, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+")
    for name in ("--mirrors", "--data", "--out"):
        parser.add_argument(name, required=True, type=Path)
    said = parser.parse_args()
    found: dict[str, dict[str, object]] = {}
    pooled: dict[str, list[tuple[Weeks, dict[str, int]]]] = defaultdict(list)
    for name in said.names:
        workspace = Workspace.open(
            said.mirrors / name / "repo", Places(said.data, said.data / "config")
        )
        tickets, notes = year(workspace)
        row: dict[str, object] = {
            "tickets": len(tickets),
            "reverted": sum(one.reverted is not None for one in tickets),
            "notes": len(notes),
        }
        weeks = {name: replayed(tickets, notes, policy) for name, policy in POLICIES.items()}
        drawn = random.Random(17)
        guilty = frozenset(at for at in range(len(notes)) if drawn.random() < GUILTY_SHARE)
        for policy in ("decay", "shipped", "counted"):
            innocent = replayed(by_chance(tickets), notes, POLICIES[policy])
            weeks[f"innocent reverts, {policy}"] = innocent
            harmful = replayed(calm(tickets), notes, POLICIES[policy], guilty)
            weeks[f"guilty notes, {policy}"] = harmful
        for policy, (by_week, told) in weeks.items():
            row[policy] = {**summary(by_week), **told, **against([by_week], [weeks["decay"][0]])}
            pooled[policy].append((by_week, told))
        found[name] = row
        print(name, json.dumps(row))
    large = [
        at for at, (weeks, _) in enumerate(pooled["decay"])
        if sum(one[0] for one in weeks.values()) >= LEAST_SHOWN
    ]  # fmt: skip
    found["all"] = {"compared": len(large)} | {
        name: {
            **summed([some[at] for at in large]),
            **against([some[at][0] for at in large], [pooled["decay"][at][0] for at in large]),
        }
        for name, some in pooled.items()
    }
    print(json.dumps(found["all"]))
    said.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def year(workspace: Workspace) -> tuple[list[Ticket], list[Note]]:
    """The tickets of the last year, and the notes that were there by their time, oldest first."""
    repo, tip = workspace.repository, str(workspace.head.commit)
    bring_up(workspace)
    walked, line = commits(repo, tip)
    begin = line[tip] - YEAR
    notes, tickets, waiting = [], [], list[Content]()
    with treatments(workspace) as treated:
        for raw in walked:
            made = noted(raw) if len(raw.parents) == 1 else None
            waiting += [made[0]] if made is not None else []
            time = line.get(raw.object_id)
            if time is None:
                continue
            notes += [Note(time, one, words_of(one.text)) for one in waiting]
            waiting.clear()
            if time < begin or not is_ticket(raw):
                continue
            reverted = reinstated = None
            for edge in treated.of(raw.object_id):
                if edge.treatment is Treatment.REVERTS and edge.strength.decides and not edge.part:
                    reverted = line.get(edge.by, line[tip])
                    back = [one for one in treated.of(edge.by) if one.strength.decides]
                    reinstated = min((line.get(one.by, line[tip]) for one in back), default=None)
            touched = frozenset(raw.paths or ())
            subject = words_of(raw.message.partition("\n")[0])
            tickets.append(Ticket(time, touched, subject, reverted, reinstated))
    tickets.sort(key=lambda one: one.time)
    return tickets, sorted(notes, key=lambda one: one.born)


def commits(repo: Repository, tip: str) -> tuple[list[RawCommit], dict[str, int]]:
    """All commits of fifteen months, parents first; those of the main line with their time."""
    listed = Git.of(repo).run("log", "--first-parent", "--format=%H %ct", "--max-count=20000", tip)
    rows = [(one, int(time)) for one, time in map(str.split, listed.decode().splitlines())]
    since = rows[0][1] - YEAR - 90 * DAY
    base = next((one for one, time in rows if time < since), None)
    with history.commits(repo, tip, [] if base is None else [base]) as walk:
        return list(walk), {one: time for one, time in rows if time >= since}


def is_ticket(raw: RawCommit) -> bool:
    """Whether a commit stands for a ticket."""
    paths = raw.paths or ()
    source = any(language_of(one) and not is_test(one) for one in paths)
    return source and len(paths) <= MOST_FILES and NUMBER.search(raw.message[:4000]) is not None


def words_of(text: str) -> frozenset[str]:
    """The words of a text that are long enough to say something."""
    return frozenset(one for one in re.findall(r"[a-z][a-z0-9_]{3,}", text.lower()))


# -- policies: hundredths of a point for what was learned


DECAY = Periods()
NEVER = Periods(36_500, 36_500)


@dataclass(frozen=True)
class Policy:
    """How notes are chosen: what was learned is ``worth``, and ``asked`` those alone that share a
    word with the subject of the ticket."""

    worth: Callable[[Feedback], int]
    periods: Periods = DECAY
    asked: bool = False


def nothing(known: Feedback) -> int:
    return 0


def shipped(known: Feedback) -> int:
    return known.worth


def counted(known: Feedback) -> int:
    """By number alone, whatever the share."""
    down = -1000 * known.reverted if known.reverted >= LEAST_REVERTED else 0
    return max(MOST_DOWN, min(MOST_UP, 500 * known.helped + down))


def unused_too(known: Feedback) -> int:
    """Also three points less for each completed ticket without use, from the third on."""
    idle = known.shown - known.helped - known.reverted
    return max(MOST_DOWN, known.worth - (300 * idle if idle >= LEAST_REVERTED else 0))


POLICIES = {
    "no decay": Policy(nothing, NEVER),
    "decay": Policy(nothing),
    "shipped": Policy(shipped),
    "counted": Policy(counted),
    "unused too": Policy(unused_too),
    "asked": Policy(nothing, asked=True),
    "asked, shipped": Policy(shipped, asked=True),
}


def replayed(
    tickets: Sequence[Ticket],
    notes: Sequence[Note],
    policy: Policy,
    guilty: frozenset[int] = frozenset(),
) -> tuple[Weeks, dict[str, int]]:
    """By week: how many notes were shown, how many of them were of use, tickets with one of use,
    tickets. And how many notes were ever shown and demoted; of the ``guilty`` too."""
    known, drawn = list(tickets), random.Random(13)
    for one in notes:
        one.shown.clear()
    born = [one.born for one in notes]
    weeks: Weeks = defaultdict(lambda: [0, 0, 0, 0])
    demoted: set[int] = set()
    life = policy.periods.stale_days * DAY
    for number, ticket in enumerate(tickets):
        pool = []
        for at in range(bisect_left(born, ticket.time - life), bisect_left(born, ticket.time)):
            note = notes[at]
            if policy.asked and note.words.isdisjoint(ticket.words):
                continue
            points, below = points_of(note, known, ticket.time, policy)
            if below:
                demoted.add(at)
            elif points >= HOT:
                pool.append((-points, -note.born, at))
        pool.sort()
        chosen = [at for _, _, at in pool[:SHOWN]]
        uses = [is_used(notes[at].content.paths, ticket.paths) for at in chosen]
        for at, used in zip(chosen, uses, strict=True):
            notes[at].shown.append((number, used))
        if not guilty.isdisjoint(chosen) and drawn.random() < HARM:
            known[number] = replace(ticket, reverted=ticket.time + WEEK, reinstated=None)
        week = weeks[(ticket.time - tickets[0].time) // WEEK]
        for place, count in enumerate((len(chosen), sum(uses), any(uses), 1)):
            week[place] += count
    ever = {at for at, one in enumerate(notes) if one.shown}
    told = {"notes shown": len(ever), "demoted": len(demoted)}
    if guilty:
        told |= {"guilty shown": len(ever & guilty), "guilty demoted": len(demoted & guilty)}
        told["times guilty were shown"] = sum(len(notes[at].shown) for at in ever & guilty)
    return dict(weeks), told


def by_chance(tickets: Sequence[Ticket]) -> list[Ticket]:
    """The same tickets, some of them reverted for no reason."""
    drawn = random.Random(11)
    return [
        replace(one, reverted=one.time + WEEK, reinstated=None)
        if drawn.random() < INNOCENT_SHARE
        else replace(one, reverted=None, reinstated=None)
        for one in tickets
    ]


def calm(tickets: Sequence[Ticket]) -> list[Ticket]:
    """The same tickets, none of them reverted."""
    return [replace(one, reverted=None, reinstated=None) for one in tickets]


def points_of(
    note: Note,
    tickets: Sequence[Ticket],
    now: int,
    policy: Policy,
) -> tuple[int, bool]:
    """The points of a note, and whether feedback speaks against it."""
    facts = Facts(now - note.born, 1, max(note.content.files, len(note.content.paths)), False)
    plain = score(facts, policy.periods)
    parts = plain.recency + plain.frequency + plain.impact + plain.explicit
    if not note.shown:
        return parts // 100, False
    helped = reverted = 0
    for number, used in note.shown:
        back = tickets[number].is_reverted(now)
        reverted += back
        helped += used and not back
    learned = policy.worth(Feedback(len(note.shown), helped, reverted))
    return (parts + learned) // 100, learned < 0


def is_used(about: Sequence[str], touched: frozenset[str]) -> bool:
    """Whether a ticket touched a file that a note is about."""
    return not touched.isdisjoint(about)


# -- figures


def summary(weeks: Weeks) -> dict[str, object]:
    """The share of noise in what was shown, and of tickets that were shown something of use."""
    shown, useful, some, tickets = (sum(one[at] for one in weeks.values()) for at in range(4))
    return {
        "shown": shown,
        "noise": round(1 - useful / shown, 4) if shown else None,
        "tickets with use": round(some / tickets, 4),
    }


def against(some: Sequence[Weeks], others: Sequence[Weeks]) -> dict[str, object]:
    """The mean over repositories of the difference of noise to another policy, in points of a
    hundred, and where it lies. Not of all showings together: a policy that shows more where there
    is less noise would gain by that alone."""
    drawn, pairs = random.Random(7), list(zip(some, others, strict=True))
    keys = [sorted(set(weeks) | set(other)) for weeks, other in pairs]

    def difference(chosen: Sequence[Sequence[int]]) -> float:
        gaps = [
            noise(weeks, these) - noise(other, these)
            for (weeks, other), these in zip(pairs, chosen, strict=True)
        ]
        return 100 * sum(gaps) / len(gaps)

    draws = sorted(
        difference([drawn.choices(these, k=len(these)) for these in keys]) for _ in range(DRAWS)
    )
    ends = draws[DRAWS // 40], draws[-DRAWS // 40]
    return {"to decay": round(difference(keys), 2), "95 %": [round(one, 2) for one in ends]}


def noise(weeks: Weeks, keys: Sequence[int]) -> float:
    """The share of noise in what was shown in some weeks; 0 where nothing was."""
    rows = [weeks[one] for one in keys if one in weeks]
    shown = sum(one[0] for one in rows)
    return 1 - sum(one[1] for one in rows) / shown if shown else 0.0


def summed(some: Sequence[tuple[Weeks, dict[str, int]]]) -> dict[str, object]:
    """The counts of several repositories together, and the means of their shares."""
    each = [summary(weeks) for weeks, _ in some]
    found: dict[str, object] = {"shown": sum(int(str(one["shown"])) for one in each)}
    for key in ("noise", "tickets with use"):
        known = [float(str(one[key])) for one in each if one[key] is not None]
        found[f"mean {key}"] = round(sum(known) / len(known), 4)
    return found | {key: sum(told[key] for _, told in some) for key in some[0][1]}


if __name__ == "__main__":
    main()
