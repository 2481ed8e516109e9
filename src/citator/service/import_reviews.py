"""``import reviews``: saved API exports → one file a thread, joined to the commits it is about.

- Everything is read and understood before anything is written: an export that is broken, too large
  or too deep stops the import with nothing done.
- Secrets are taken out of what is kept. Names can be.
- With ``propose``, a resolved thread of a merged change whose later commit touched its file becomes
  a proposal that cites both. The reviewer's words are evidence; the proposal is nobody's yet.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from citator.formats import reviews_github, reviews_gitlab
from citator.formats.json_values import NotJsonError, mappings, read_values
from citator.formats.one_line import first_sentence, one_line
from citator.formats.review_gathering import CONVERSATION, Gathering, without_names
from citator.formats.reviews import (
    About,
    Change,
    ChangeState,
    Kept,
    Thread,
    ThreadState,
    render,
)
from citator.formats.steering import Sign, signs
from citator.git import history
from citator.git.records import RawCommit
from citator.model.errors import RefusedError, UsageError
from citator.model.plain import percent_encoded
from citator.model.record import RULING_CHARACTERS, ItemKind, is_of_record
from citator.model.utc import utc_text
from citator.record import fields
from citator.record.importing.draft import Draft, Support, Text, content_digest
from citator.service import journal
from citator.service.desk import one_writer, writing_the_tree
from citator.service.import_files import Found, read_directory
from citator.service.importing import Reading
from citator.service.journal import Event
from citator.service.record import worktree
from citator.service.review_joins import Joins, join
from citator.service.workspace import Workspace
from citator.sources.redaction import redact
from citator.sources.reviews import FOLDER
from citator.store import files

MAX_BYTES: Final = 64 * 1024 * 1024

_WILD: Final = re.compile(r"([*?\[\]\\])")


@dataclass(frozen=True, slots=True)
class Options:
    """How to keep them: without names; in the local data, not in the repository; not at all."""

    redact_names: bool = False
    local: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """What was read and kept.

    ``files`` counts the exports, ``changes`` the changes and issues in them, ``threads`` those with
    words, ``joined`` the changes that have commits here; ``states`` counts threads by state.
    ``new``, ``changed`` and ``same`` count files; ``unknown`` entries of no known shape;
    ``redactions`` secrets that were taken out. ``flags`` counts threads with signs of steering.
    """

    written: bool
    files: int
    changes: int
    threads: int
    joined: int
    new: int
    changed: int
    same: int
    unknown: int
    redactions: int
    states: dict[str, int] = field(default_factory=dict)
    flags: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gathered:
    """Changes as they were read, joined to the history."""

    files: int
    unknown: int
    changes: tuple[Change, ...]
    joins: dict[str, Joins]

    def commits(self, change: Change) -> tuple[str, ...]:
        """The commits of a change, oldest first."""
        return self.joins[change.provider].of(change)


def gather(workspace: Workspace, folder: Path, options: Options) -> Gathered:
    """Read every export in ``folder`` and join it.

    Raises UsageError, RefusedError ``export_unreadable``, GitRefusedError.
    """
    found = read_directory(folder, (".json", ".jsonl", ".ndjson"), MAX_BYTES)
    if not found:
        raise UsageError(
            "no_exports",
            "there is no JSON file in that directory",
            "save some first: docs/how-to/import-reviews.md has the commands",
        )
    gatherings = [Gathering("github"), Gathering("gitlab")]
    unknown = 0
    for file in found:
        for value in _values(file):
            taken = reviews_github.take(gatherings[0], value)
            taken = taken or reviews_gitlab.take(gatherings[1], value)
            unknown += not taken
    changes = [change for one in gatherings for change in one.changes()]
    joins = {
        one.provider: join(
            workspace.repository,
            workspace.head.commit,
            [change for change in changes if change.provider == one.provider],
        )
        for one in gatherings
    }
    if options.redact_names:
        changes = [without_names(change) for change in changes]
    return Gathered(len(found), unknown, tuple(changes), joins)


def _values(file: Found) -> list[dict[str, object]]:
    text = file.text
    problem = file.problem or ("not_utf8" if text is None else "")
    try:
        values = [] if text is None else read_values(text)
    except NotJsonError as error:
        problem = str(error)
        values = []
    if problem:
        name = percent_encoded(file.path)
        raise RefusedError(
            "export_unreadable",
            f"an export cannot be read ({problem}): {name[:120]}; nothing was written",
            "save it again, or take it out of the directory",
        )
    return [dict(one) for value in values for one in mappings(value)]


def keep(workspace: Workspace, gathered: Gathered, options: Options, at: str) -> ReviewReport:
    """Write one file a thread, each whole, at the time ``at``.

    Raises StorageError, RefusedError, LockedError.
    """
    base = workspace.place.local / "reviews" if options.local else worktree(workspace) / FOLDER
    tree: dict[str, bytes] = {}
    states: Counter[str] = Counter()
    flags: Counter[str] = Counter()
    redactions = joined = 0
    for change in gathered.changes:
        commits = gathered.commits(change)
        joined += bool(commits)
        for thread in change.threads:
            text, taken = redact(render(_kept(change, thread, commits)))
            tree[path_of(change, thread)] = text.encode("utf-8", "replace")
            redactions += taken
            states[thread.state.value] += 1
            flags.update(sign.value for sign in _signs(thread))
    news = Counter(_news(base / path, content) for path, content in tree.items())
    if news["new"] + news["changed"] and not options.dry_run:
        with one_writer(workspace), writing_the_tree():
            _write(base, tree, options)
            journal.note(workspace, Event.REVIEWS_KEPT, at, digests=(_digest(tree),))
    return ReviewReport(
        written=not options.dry_run,
        files=gathered.files,
        changes=len(gathered.changes),
        threads=len(tree),
        joined=joined,
        new=news["new"],
        changed=news["changed"],
        same=news["same"],
        unknown=gathered.unknown,
        redactions=redactions,
        states=dict(sorted(states.items())),
        flags=dict(sorted(flags.items())),
    )


def _kept(change: Change, thread: Thread, commits: Sequence[str]) -> Kept:
    return Kept(
        change.provider,
        change.number,
        change.about,
        change.state,
        change.title,
        thread,
        tuple(commits),
    )


def path_of(change: Change, thread: Thread) -> str:
    """Where a thread is kept below the reviews' folder. It holds no words of anybody."""
    digest = hashlib.sha256(thread.id.encode()).hexdigest()[:12]
    name = "main" if thread.id == CONVERSATION else digest
    return f"{change.provider}/{change.about.value}-{change.number}/{name}.md"


def _signs(thread: Thread) -> tuple[Sign, ...]:
    return signs("\n".join(one.text for one in thread.comments))


def _digest(tree: dict[str, bytes]) -> str:
    """One digest over all files of a run: what the journal keeps of them."""
    listed = sorted((path, hashlib.sha256(content).hexdigest()) for path, content in tree.items())
    return hashlib.sha256("".join(f"{path}\0{one}\n" for path, one in listed).encode()).hexdigest()


def _news(path: Path, content: bytes) -> str:
    try:
        return "same" if path.read_bytes() == content else "changed"
    except OSError:
        return "new"


def _write(base: Path, tree: dict[str, bytes], options: Options) -> None:
    for path, content in sorted(tree.items()):
        place = base / path
        _require_no_link(base, place)
        if _news(place, content) == "same":
            continue
        if options.local:
            files.make_directory(place.parent)
        with files.guarded():
            place.parent.mkdir(parents=True, exist_ok=True)
        files.write_atomically(place, content, mode=None if options.local else 0o644)


def _require_no_link(base: Path, place: Path) -> None:
    for one in (base.parent, base, place.parent.parent, place.parent, place):
        if one.is_symlink():
            raise RefusedError(
                "link_in_the_way",
                "a link stands where `.citator` keeps its files",
                "replace the link by a directory, if you know how it came there",
            )


def drafts(workspace: Workspace, gathered: Gathered, owner: str) -> Reading:
    """The proposals that threads could become: see the module."""
    wanted = [
        (change, thread)
        for change in gathered.changes
        if change.about is About.CHANGE and change.state is ChangeState.MERGED
        for thread in change.threads
        if thread.state is ThreadState.RESOLVED and thread.comments and _governs(thread.path)
    ]
    commits = {id for change, _ in wanted for id in gathered.commits(change)}
    known = _raw(workspace, commits)
    found = []
    for change, thread in wanted:
        fix = _fix(thread, [known[id] for id in gathered.commits(change) if id in known])
        if fix is not None:
            found.append(_draft(change, thread, fix, owner))
    return Reading(tuple(found), len(wanted))


def _governs(path: str | None) -> bool:
    """Whether a decision about ``path`` could say so: without its scope it would hold everywhere.

    What is said of the record's own files is no rule about the code.
    """
    if path is None or is_of_record(path.lower()):
        return False
    try:
        fields.path_pattern(_scope(path))
    except fields.BadValueError:
        return False
    return True


def _scope(path: str) -> str:
    """The pattern that means ``path`` alone."""
    return _WILD.sub(r"\\\1", path)


def _raw(workspace: Workspace, wanted: set[str]) -> dict[str, RawCommit]:
    head = workspace.head.commit
    if head is None or not wanted:
        return {}
    with history.commits(workspace.repository, head) as walk:
        return {raw.object_id: raw for raw in walk if raw.object_id in wanted}


def _fix(thread: Thread, commits: Sequence[RawCommit]) -> RawCommit | None:
    """The last commit of the change that touched the thread's file after the thread began."""
    began = thread.comments[0].at
    for raw in reversed(commits):
        after = began is None or raw.committed_at is None or utc_text(raw.committed_at) > began
        ordinary = len(raw.parents) < 2
        if ordinary and after and thread.path in (raw.paths or ()):
            return raw
    return None


def _draft(change: Change, thread: Thread, fix: RawCommit, owner: str) -> Draft:
    objection = thread.comments[0]
    path = thread.path or ""
    said = one_line(first_sentence(objection.text), RULING_CHARACTERS)
    body = render(_kept(change, thread, (fix.object_id,))).split("---\n", 2)[2].strip("\n")
    mark = "!" if change.provider == "gitlab" else "#"
    name = f"{change.provider}:{mark}{change.number}:{thread.id}"
    text = Text(
        title=one_line(said, 120) or f"Review of {mark}{change.number}",
        ruling=said,
        body=f"A review of {mark}{change.number} asked for this; commit {fix.object_id} answered "
        f"it.\n\n{body}\n",
        content=content_digest(name, objection.text, fix.object_id),
        derived=True,
        paths=(_scope(path),),
        anchors=(_anchor(fix.object_id, path, thread.line),),
    )
    return Draft(
        key=name,
        texts=(text,),
        kind=ItemKind.CONVENTION,
        owner=owner,
        support=(
            Support(f"review:{name}", "the thread that objected"),
            Support(f"commit:{fix.object_id}", "the commit that answered it"),
        ),
    )


def _anchor(commit: str, path: str, line: int | None) -> dict[str, object]:
    anchor: dict[str, object] = {"commit": commit}
    if len(path) <= 512 and path.isprintable():
        anchor["path"] = path
        if line is not None and line > 0:
            anchor["lines"] = [line, line]
    return anchor
