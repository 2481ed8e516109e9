"""Every way out of the record: those that show no words, and those by which words are asked for.

- *Quiet* ways show references, closed words and plain names. Under a root that a person pinned,
  what a key signed to be shown goes with them (``SIGNED``), and the names a person believes.
- *Asked* ways are a request for words by name: ``decisions show``, ``approve --show``, an export,
  an import. What they show is inert, and stands quoted or fenced.
- No call holds a mark: a question names what the record is about in honest words.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from citator.record.migration import Migration
from citator.service.workspace import Places, Workspace
from citator.store.layout import Layout
from citator.trust.pins import Pins
from tests.cli.process import COMMAND
from tests.cli.process import Home as User
from tests.support.approving import pin
from tests.support.hostile_record import HOSTILE, POLICY, PROMPT, TOLD_NO, UNBOUNDED, Made
from tests.support.hostile_reviews import abroad
from tests.support.surfaces import FORGED, ORDER, QUESTION
from tests.support.ways_out import UNKNOWN, Asking, Way

# What a pinned key signed in order to be shown.
SIGNED: Final = frozenset(
    {"ruling", "reason of an honest no", "rejection reason", "signed rejection reason"}
)
HEARD: Final = frozenset({"ruling", "reason of an honest no"})  # what honest questions bring
# Plain names that a person pinned or signed, where a command is about them.
NAMED: Final[Mapping[str, frozenset[str]]] = {
    "decisions list": frozenset({"alias"}),
    "trust show": frozenset({"approver label", "protected branch"}),
    "trust policy": frozenset({"protected branch"}),
    "trust approvers": frozenset({"approver label"}),
    # A file is the answer to "where?"; what it defines is named where the name is plain.
    "locate": frozenset({"function name", "code file name"}),
    "ask": frozenset({"code file name"}),
    # A plain or percent-encoded path is the answer to "which file is wrong?".
    "verify": frozenset({"refused file name", "landed file name", "approval file name"}),
}
# What a person handed in, and is told of by its path: percent-encoded wherever it is no name.
PATHS_HANDED_IN: Final = frozenset(
    {
        "record file name",
        "skipped file name",
        "bundle file name",
        "their file name",
        "exported file name",
        "unreadable file name",
    }
)
QUOTE: Final = "    > "
FENCE: Final = re.compile(r"\[citator ([0-9a-f]{24}) begin: quoted from the repository: .*\]")
ALL_DAY: Final = "2026-06-01T00:00:00Z"


@dataclass(frozen=True)
class Known:
    """What calls name: ids and paths, none of them an author's words.

    ``abroad`` are folders to import from, ``out`` a folder for exports, ``root_file`` a root.
    """

    item: str
    retired: str
    waiting: Migration
    open: Migration
    draft: str
    head: str
    abroad: Mapping[str, Path]
    out: Path
    root_file: Path


def known_of(made: Made, head: str, folder: Path) -> Known:
    """What :func:`tests.support.hostile_record.hostile` committed, and folders below ``folder``."""
    root_file = folder / "root.json"
    root_file.write_bytes(pin(HOSTILE, policy=POLICY).to_bytes() + b"\n")
    return Known(
        made.item,
        made.retired,
        made.waiting,
        made.open,
        made.draft.id,
        head,
        abroad(folder / "abroad"),
        folder / "out",
        root_file,
    )


@contextmanager
def pinned(root: Path, user: User) -> Iterator[None]:
    """While a person believes the record's own key, here."""
    places = Places(user.path / "data", user.path / "config")
    workspace = Workspace.open(root, places)
    bound = replace(pin(HOSTILE, policy=POLICY), repositories=(workspace.repository_id,), places=())
    pins = Pins(Layout(places.data))
    pins.write(bound)
    try:
        yield
    finally:
        pins.remove(bound.record)


def quiet(known: Known, tag: str) -> Iterator[Way]:
    """The commands that show no words. ``tag`` keeps the exports of two runs apart."""
    listing = ("decisions", "list")
    yield Way("decisions list", listing)
    yield Way("decisions list, all", (*listing, "--all", "--no-words", "--rejections"))
    yield Way("decisions list, rejections", (*listing, "--rejections"))
    yield Way("decisions list, of a path", (*listing, "--path", "src/mail.py"))
    yield Way("decisions list, of a kind", (*listing, "--kind", "decision"))
    yield Way("decisions list, approved", (*listing, "--status", "approved"))
    yield Way("decisions list, of a day", (*listing, "--as-of", "2026-06-01"))
    yield Way("decisions list, at a commit", (*listing, "--at", known.head))
    yield Way("decisions list, of no time", (*listing, "--as-of", "yesterday"), (2,))
    yield Way("decisions show, unknown", ("decisions", "show", "0" * 26), (3,))
    yield Way("decisions show, retired", ("decisions", "show", known.retired), (0, 3))
    yield Way(
        "decisions diff, no such text", ("decisions", "diff", known.item, "--to", "0"), (2, 3)
    )
    more = ("relate", known.item, "depends_on", "0" * 26, "--because", "no", "--author", "Ada")
    yield Way("decisions relate, to nothing", ("decisions", *more), (1, 3))
    yield Way("approve, unseen", ("approve", known.waiting.id, "--json"), (1,))
    yield Way("approve, of another", ("approve", known.open.id, "--json"), (1,))
    yield Way("approve, a draft", ("approve", known.draft, "--json"), (1,))
    yield Way("reject, no reason", ("reject", known.waiting.id), (2,))
    yield Way("reject, unseen", ("reject", known.waiting.id, "--reason", "no", "--json"), (1,))
    told_no = ("--title", TOLD_NO, "--ruling", "As before.", "--author", "Ada")
    yield Way("decide, told no", ("decide", *told_no, "--supersedes", "0" * 26), (1, 3))
    yield Way("apply, not approved", ("apply", known.waiting.id), (1, 3))
    yield Way("apply", ("apply",), (0, 1))
    yield Way("trust show", ("trust", "show"), (0, 1))
    yield Way("trust show, as a file", ("trust", "show", "--export"), (0, 1))
    yield Way("trust policy", ("trust", "policy"), (0, 1))
    yield Way("trust approvers", ("trust", "approvers"), (0, 1))
    yield Way("trust audience", ("trust", "audience"))
    yield Way("trust readership", ("trust", "readership"))
    yield Way("verify", ("verify",), (1, 4))
    yield Way("verify, under a root", ("verify", "--pin", str(known.root_file)), (4,))
    yield Way("log", ("log",))
    yield Way("doctor", ("doctor",), (0, 1))
    yield Way("doctor, its report", ("doctor", "--report", "-"))
    yield Way("locate", ("locate", QUESTION))
    yield Way("locate, in detail", ("locate", QUESTION, "--detail", "--tests"))
    yield Way("ask", ("ask", QUESTION, "--limit", "50"))
    yield Way("ask, of what was told no", ("ask", UNBOUNDED), (0, 3))
    for form in ("okf", "madr", "html"):
        yield Way(f"export {form}", ("export", form, str(known.out / f"{tag}-{form}")))


def asked(known: Known) -> Iterator[Way]:
    """The commands by which words are asked for; they write nothing and sign nothing."""
    everything = ("--all", "--words", "--rejections")
    yield Way("decisions list, in words", ("decisions", "list", *everything))
    yield Way("decisions show", ("decisions", "show", known.item, "--all"), (0, 3))
    yield Way("decisions show, retired", ("decisions", "show", known.retired, "--all"), (0, 3))
    yield Way("decisions diff", ("decisions", "diff", known.item, "--all"), (0, 2, 3))
    yield Way("approve --show", ("approve", known.waiting.id, "--show"))
    yield Way("approve --show, of another", ("approve", known.open.id, "--show"))
    yield Way("approve --show, a draft", ("approve", known.draft, "--show"))
    yield Way("trust pin, as it claims", ("trust", "pin", "--from-record"), (1,))
    yield Way("ask, in words", ("ask", QUESTION, "--words", "--read", "3"))
    for form in ("adr", "okf", "theurian"):
        line = ("import", form, str(known.abroad[form]), "--dry-run", "--author", "Ada")
        yield Way(f"import {form}", line, (0, 1))
    line = ("import", "reviews", str(known.abroad["reviews"]), "--dry-run", "--author", "Ada")
    yield Way("import reviews", line)
    broken = ("import", "reviews", str(known.abroad["broken"]))
    yield Way("import reviews, unreadable", broken, (1,))
    yield Way("import reviews, to propose", (*line, "--propose"), (0, 1))


def in_both_forms(ways: Iterator[Way]) -> Iterator[Way]:
    """Each as text and as JSON."""
    for way in ways:
        yield way
        if "--json" not in way.words and "--export" not in way.words:
            yield Way(f"{way.name}, as JSON", (*way.words, "--json"), way.codes, way.place)


def may_show(way: str, *, pinned: bool) -> frozenset[str]:
    """The surfaces of the record that a quiet way may show."""
    names = frozenset[str]().union(*(few for name, few in NAMED.items() if way.startswith(name)))
    return names | SIGNED if pinned else names & (NAMED["verify"] | NAMED["locate"] | NAMED["ask"])


def tool_may_show(way: str, *, pinned: bool) -> frozenset[str]:
    """The surfaces of the record that a tool may show: what was signed, and files as answers."""
    named = NAMED["locate"] if "locate_files" in way else NAMED["ask"]
    return (SIGNED if pinned else frozenset()) | named


def record_calls(speaker: Asking, known: Known) -> Iterator[tuple[str, Any]]:
    """Every call of the tools that is about the record, and every failure of one."""
    call = speaker.call

    def investigate(task: str = QUESTION, **more: Any) -> dict[str, Any]:
        return call("investigate_work", task=task, **more)

    yield "asked", investigate()
    yield "asked what was told no", investigate(UNBOUNDED)
    yield "asked of a path", investigate(paths=["src/mail.py"])
    yield "asked of many paths", investigate(paths=["src/mail.py", "src", "nothing/here.py"])
    yield "asked of kinds", investigate(kinds=["decision", "security"])
    yield "asked of a day", investigate(as_of=ALL_DAY)
    yield "asked at a commit", investigate(at=known.head)
    yield (
        "asked of all at once",
        investigate(paths=["src/mail.py"], kinds=["decision"], as_of=ALL_DAY, at=known.head),
    )
    yield "asked of no time", investigate(as_of="yesterday")
    yield "locate_files of the record", call("locate_files", issue=QUESTION, detail=True)
    yield "asked at no commit", investigate(at="0" * 40)
    yield "asked at a name", investigate(at="main")
    yield "asked of no kind", investigate(kinds=["gossip"])
    yield "asked of no path", investigate(paths=[""])
    for name, id in (
        ("waiting", known.waiting.id),
        ("another", known.open.id),
        ("a draft", known.draft),
        ("a decision", known.item),
        ("nothing", "0" * 26),
        ("no id", "../x"),
    ):
        yield f"how {name} stands", call("propose_decision", id=id)
    wish = {"title": "A bound for the mailer", "ruling": "It has one.", "body": "Memory ran out."}
    propose = "propose_decision"
    yield "proposed without a text", call(propose, title="A bound")
    yield "proposed with an id", call(propose, id=known.item, title="A bound")
    yield "proposed with an unknown field", call(propose, **wish, approved=True)
    yield "proposed to revise nothing", call(propose, **wish, revises="0" * 26)
    yield "proposed in place of nothing", call(propose, **wish, supersedes="0" * 26)
    yield "proposed in place of the retired", call(propose, **wish, supersedes=known.retired)
    yield "proposed for no path", call(propose, **wish, paths=["src/[.py"])
    yield "proposed of no kind", call(propose, **wish, kind="gossip")
    yield "proposed what steers", call(propose, **{**wish, "title": "A\x1b[2J bound"})
    secret = f"token = ghp_{'a1B2' * 9}"
    yield "proposed with a secret", call(propose, **{**wish, "body": secret})
    begun = {"name": "ref", "value": "decision:v1:"}
    template = {"type": "ref/resource", "uri": "citator://evidence/{ref}"}
    yield "completed", speaker.ask("completion/complete", {"ref": template, "argument": begun})
    yield "read, unknown", call("read_evidence", refs=[f"decision:v1:{'0' * 64}", UNKNOWN])
    uri = f"citator://evidence/decision:v1:{'0' * 64}"
    yield "a resource, unknown", speaker.ask("resources/read", {"uri": uri})
    for prompt, argument in (("why", "question"), ("before-you-change", "change")):
        given = {"name": prompt, "arguments": {argument: QUESTION}}
        yield f"the prompt {prompt}", speaker.ask("prompts/get", given)


def told_no(speaker: Asking) -> dict[str, Any]:
    """A proposal of what a person rejected: under a pinned root it is refused and not written."""
    return speaker.call(
        "propose_decision", title=TOLD_NO, ruling="As before.", body="It was simpler."
    )


def read_on_request(speaker: Asking) -> str:
    """The text of the decisions that a question finds, as a client reads it."""
    found = speaker.call("investigate_work", task=QUESTION, read=3)["structuredContent"]
    refs = [one["ref"] for one in found.get("decisions", ())]
    if not refs:
        return ""
    items = speaker.call("read_evidence", refs=refs)["structuredContent"]["items"]
    return "\n".join(one.get("text", "") for one in items)


def watched(root: Path, user: User, *, as_json: bool) -> str:
    """What one round of ``index watch`` says."""
    form = ["--json"] if as_json else []
    process = subprocess.Popen(
        [*COMMAND, "index", "watch", "--root", str(root), *form],
        env=user.environment(CITATOR_DEBUG=""),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    with process.stdout:
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
        rest = process.stdout.read()
    process.wait(60)
    return (first + rest).decode("utf-8")


def files_below(folder: Path) -> dict[str, str]:
    """The text of every file below ``folder``, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def outside(told: str) -> list[str]:
    """The lines of ``told`` that are neither quoted nor fenced: what looks like our own."""
    found, closing = [], None
    for line in told.split("\n"):
        begun = FENCE.fullmatch(line)
        if closing is None and begun is not None:
            closing = f"[citator {begun[1]} end]"
        elif closing is None and not line.startswith(QUOTE):
            found.append(line)
        elif line == closing:
            closing = None
    return found


def spoken(told: str) -> list[str]:
    """The lines outside quotes and fences that give an order or pretend to be ours."""
    ours = (FORGED, PROMPT)
    return [line for line in outside(told) if ORDER in line or line.startswith(ours)]
