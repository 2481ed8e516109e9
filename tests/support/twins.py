"""Worlds that differ in one thing: whether they hold, or ever held, what an audience may not see.

- *holds*: the record is there; *decoy*: another of the same shape is, every word as long and of
  another alphabet; *never*: none ever was; *before*: it is there and not yet retired.
- The words that everybody may see, those that are withheld and those of the decoy share no
  character, so that no shared word, stem or character sequence can excuse a difference.
- Ids, keys, times and secrets are given, and each world is asked at the same place on disk: over a
  second ledger nothing at all may differ. A ledger in the repository is part of its commits, so
  there the worlds differ in the ids of commits and in what follows from one; ``World.names`` says
  which those are, one by one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from citator.model.record import Sensitivity
from citator.model.reference import DocumentKind
from citator.model.visibility import Audience
from citator.record.approvals import Approval
from citator.record.migration import Migration
from citator.record.replay import replay
from citator.service import index_history
from citator.service.index_history import update
from citator.service.opened import opened
from citator.service.record_view import view_of
from citator.service.workspace import Places, Workspace
from citator.sources.decisions import document_of
from citator.store.layout import Layout
from citator.trust.grants import Grants
from citator.trust.ledgers import SecondLedgers
from citator.trust.pins import Pins
from tests.support.approving import Person, files, pin
from tests.support.builder import Builder
from tests.support.record import Ledger

World_ = Literal["holds", "decoy", "never", "before"]
ADA: Final = Person()
EVERYTHING: Final = Audience(Sensitivity.RESTRICTED, True, "acme", ("ops",))
MEMBER: Final = Audience(Sensitivity.CONFIDENTIAL, groups=("dev",))
UNAPPROVED: Final = Audience(unapproved=True)
LATER: Final = 9_000


@dataclass(frozen=True)
class Script:
    """Three alphabets that share no character: of all, of what is withheld, of the decoy."""

    name: str
    seen: str
    hidden: str
    decoy: str
    space: str = " "

    def word(self, number: int, letters: str | None = None) -> str:
        """A word of six letters, another for each ``number``."""
        letters = letters or self.seen
        digits, left = [], number * 7 + 11
        for place in range(5):
            left, digit = divmod(left, len(letters))
            digits.append(letters[(digit + place) % len(letters)])
        return "".join([letters[number % len(letters)], *digits])

    def words(self, first: int, count: int, letters: str | None = None) -> str:
        """Several words as one text."""
        return self.space.join(self.word(first + at, letters) for at in range(count))

    def disguised(self, text: str) -> str:
        """``text`` of withheld words as the decoy says it."""
        return text.translate(str.maketrans(self.hidden, self.decoy))


LATIN: Final = Script("latin", "abcdefghi", "prtuxz", "jklmno")
JAPANESE: Final = Script("japanese", "あいうえおかきくけ", "サシスセソタ", "山川田中木火", "")
ARABIC: Final = Script("arabic", "ابتثجح", "دذرزسش", "صضطظعغ")


@dataclass
class Part:
    """What one ledger gets: landed, proposed, said."""

    landed: list[Migration] = field(default_factory=list)
    proposals: list[Migration] = field(default_factory=list)
    approvals: list[Approval] = field(default_factory=list)

    def approved(self, *migrations: Migration) -> None:
        """Land migrations with an approval each."""
        self.landed += migrations
        self.approvals += [ADA.says(one) for one in migrations]

    def write(self, builder: Builder, batch: int) -> None:
        """Put the files into the next commit."""
        for one in files(self.landed, self.proposals, self.approvals):
            assert one.content is not None
            name = one.path.replace("approvals/", f"approvals/{batch}-")
            builder.write(f".citator/{name}", one.content)


@dataclass(frozen=True)
class Face:
    """One way in which something is withheld. ``number`` chooses its words and its ids."""

    name: str
    number: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    second: bool = False


REPOSITORY: Final = (
    Face("above", 1, {"sensitivity": "restricted"}),
    Face("tenant", 2, {"tenant": "acme"}),
    Face("groups", 3, {"groups": ["ops"]}),
    Face("draft", 4),
    Face("proposed", 5),
    Face("deprecated", 6),
    Face("superseded", 7),
    Face("rejected", 8),
)
SECOND: Final = (
    Face("confidential", 11, {"sensitivity": "confidential"}, True),
    Face("restricted", 12, {"sensitivity": "restricted"}, True),
    Face("of a tenant", 13, {"sensitivity": "confidential", "tenant": "acme"}, True),
    Face("of a group", 14, {"sensitivity": "confidential", "groups": ["ops"]}, True),
    Face("told no", 15, {"sensitivity": "restricted", "tenant": "acme", "groups": ["ops"]}, True),
)


@dataclass(frozen=True)
class Secrets:
    """What a caller could ask for who knew everything about one withheld record."""

    face: Face
    words: str
    item: str
    migration: str
    ref: str
    path: str
    alias: str


@dataclass(frozen=True)
class Plan:
    """What there is in a world: a script, what is withheld, how many decisions all may see;
    whether the second ledger is a repository of its own."""

    script: Script = LATIN
    faces: tuple[Face, ...] = ()
    decisions: int = 4
    versioned: bool = False

    def title(self, face: Face) -> str:
        """The withheld title."""
        return self.script.words(face.number * 4, 3, self.script.hidden)

    def seen(self) -> Ledger:
        """The decisions that everybody may see."""
        made, script = Ledger(), self.script
        for number in range(self.decisions):
            made.decide(
                script.words(100 + number * 5, 3),
                ruling=script.words(100 + number * 5, 3),
                paths=[f"src/{'abcdefghi'[number]}/**"],
                body=script.words(102 + number * 5, 4) + ".\n",
                kind=("decision", "security", "convention", "api")[number % 4],
            )
        return made

    def hidden(self, face: Face, seen: Ledger, *, decoy: bool) -> tuple[Ledger, str]:
        """The withheld decision with all that is done to it, and its item."""
        made = Ledger(list(seen.migrations), LATER + 100 * face.number)
        script, title = self.script, self.title(face)
        said = script.disguised if decoy else str
        letters = said(LATIN.word(face.number, LATIN.hidden) if script is LATIN else "")
        item = made.decide(
            said(title),
            ruling=said(title),
            paths=[f"{letters or 'zz' + str(face.number)}/**"],
            body=said(script.words(face.number * 4 + 2, 3, script.hidden)) + ".\n",
            draft=face.name == "draft",
            **face.settings,
        )
        return made, item


def secrets_of(plan: Plan) -> list[Secrets]:
    """What could be known of each withheld record of ``plan``."""
    found = []
    for face in plan.faces:
        made, item = plan.hidden(face, plan.seen(), decoy=False)
        migration = made.migrations[-1]
        revision = replay([replace(migration, draft=False)]).items[item].current
        assert revision is not None
        revision = replace(revision, digest=migration.digest)
        found.append(
            Secrets(
                face,
                plan.title(face),
                item,
                migration.id,
                str(document_of(revision).passages[0].ref),
                revision.paths[0].replace("**", "file.py"),
                f"alias-{face.number}",
            )
        )
    return found


@dataclass(frozen=True)
class World:
    """One world, at rest in ``folder``. Ask it at its ``place``."""

    kind: World_
    plan: Plan
    folder: Path
    commits: tuple[str, ...]

    @property
    def in_repository(self) -> bool:
        """Whether something is withheld in the repository itself."""
        return any(not face.second for face in self.plan.faces)

    def names(self, place: Path) -> list[tuple[str, str]]:
        """Each commit id, and each name that follows from one, with what stands for it: longest
        first. References of commits are digests over the id, and how small an index of them gets
        depends on its digits; nothing else here follows from it."""
        found = [(one, f"<commit {at}>") for at, one in enumerate(self.commits)]
        number = dict(found)
        with opened(workspace_at(place)) as (_, view):
            found += [
                (row.ref, f"<ref of {number[row.object_id]} {row.start}>")
                for row in view.scan()
                if row.kind is DocumentKind.COMMIT
            ]
        current = index_history.status(workspace_at(place)).current
        assert current is not None
        found.append((f'"bytes":{current.bytes}', '"bytes":<size of the index>'))
        return sorted(found, key=lambda one: -len(one[0]))


def places_at(place: Path) -> Places:
    """The operator's directories of a world at ``place``."""
    return Places(place / "data", place / "config", lambda size: b"k" * size)


def workspace_at(place: Path) -> Workspace:
    """The repository of a world at ``place``."""
    return Workspace.open(place / "repo", places_at(place))


def built(kind: World_, plan: Plan, place: Path, folder: Path) -> World:
    """Build a world at ``place``, and put it to rest in ``folder``.

    Of worlds over a second ledger the repository and its index are one and the same.
    """
    base = folder.parent / f"base {plan.script.name} {plan.decisions}"
    if all(face.second for face in plan.faces) and base.is_dir():
        shutil.copytree(base, place, symlinks=True)
        builder = Builder(place / "repo")
        commits = builder.git("rev-list", "--reverse", "HEAD").decode().split()
        _operated(place, plan, _apart(plan, kind))
        shutil.move(place, folder)
        return World(kind, plan, folder, tuple(commits))
    place.mkdir(parents=True)
    builder = Builder.init(place / "repo")
    script = plan.script
    seen = plan.seen()
    own = Part()
    own.approved(*seen.migrations)
    commits = [_explained(builder, script, 0), _documented(builder, script)]
    own.write(builder, 1)
    commits.append(builder.commit("Land"))
    if kind != "never":
        for face in plan.faces:
            if not face.second:
                _withhold(own, face, plan, seen, kind)
    first = len(seen.migrations)
    later = Part(own.landed[first:], own.proposals, own.approvals[first:])
    later.approvals += _rejections(plan, seen, kind, second=False)
    later.write(builder, 2)
    commits += [_explained(builder, script, 1), _explained(builder, script, 2)]
    if all(face.second for face in plan.faces):
        _operated(place, plan, Part())
        shutil.copytree(place, base, symlinks=True)
        shutil.rmtree(place)
        return built(kind, plan, place, folder)
    _operated(place, plan, _apart(plan, kind))
    shutil.move(place, folder)
    return World(kind, plan, folder, tuple(commits))


def _apart(plan: Plan, kind: World_) -> Part:
    """What the second ledger holds."""
    part = Part()
    for face in plan.faces if kind != "never" else ():
        if face.second:
            _withhold(part, face, plan, plan.seen(), kind)
    if kind != "never":
        part.approvals += _rejections(plan, plan.seen(), kind, second=True)
    return part


def _withhold(part: Part, face: Face, plan: Plan, seen: Ledger, kind: World_) -> None:
    made, item = plan.hidden(face, seen, decoy=kind == "decoy")
    (decided,) = made.migrations[len(seen.migrations) :]
    retires = kind != "before"
    if face.name in ("draft", "proposed") or (face.name in ("rejected", "told no") and retires):
        part.proposals.append(decided)
        return
    part.approved(decided)
    if face.name == "deprecated" and retires:
        part.approved(made.add({"op": "deprecate_item", "item": item, "reason": "over"}))
    if face.name == "superseded" and retires:
        by = next(iter(seen.state.items))
        relation = {"op": "add_relation", "source": by, "type": "supersedes", "target": item}
        part.approved(made.add(relation))


def _rejections(plan: Plan, seen: Ledger, kind: World_, *, second: bool) -> list[Approval]:
    """What was told no. In the repository that is known to all, whatever became of the proposal;
    in the second ledger the rejection itself is withheld."""
    found = []
    for face in plan.faces:
        if face.name == ("told no" if second else "rejected") and kind != "before":
            proposal = plan.hidden(face, seen, decoy=second and kind == "decoy")[0].migrations[-1]
            script = plan.script
            value = (
                script.words(face.number * 4, 3, script.hidden) if second else script.words(90, 2)
            )
            said = script.disguised(value) if kind == "decoy" and second else value
            found.append(ADA.rejects(proposal, said, reason="over"))
    return found


def _explained(builder: Builder, script: Script, number: int) -> str:
    """A commit that says why, in words that all may see."""
    first = 10 + number * 9
    body = "\n".join(script.words(first + at, 6) + "." for at in range(3))
    builder.write(f"src/{'abc'[number]}/{'def'[number]}.py", str(number))
    return builder.commit(f"{script.words(first, 3)}\n\n{body}\n{script.words(first + 3, 7)}.")


def _documented(builder: Builder, script: Script) -> str:
    builder.write("docs/bead.md", f"# {script.words(50, 2)}\n\n{script.words(52, 12)}.\n")
    builder.write("docs/cage.md", f"# {script.words(60, 2)}\n\n{script.words(10, 12)}.\n")
    return builder.commit("wip")


def _operated(place: Path, plan: Plan, apart: Part) -> None:
    """What the operator set up: a root, a second ledger, an index."""
    places = places_at(place)
    places.data.mkdir(mode=0o700, exist_ok=True)
    Pins(Layout(places.data)).write(pin(ADA))
    workspace = Workspace.open(place / "repo", places)
    assert workspace.secret
    if any(face.second for face in plan.faces):
        folder = place / "apart" / ".citator"
        shutil.rmtree(place / "apart", ignore_errors=True)
        for one in files(apart.landed, apart.proposals, apart.approvals):
            assert one.content is not None
            (folder / one.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / one.path).write_bytes(one.content)
        if plan.versioned:
            other = Builder.init(place / "apart")
            other.git("add", "-A")
            who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
            other.git(*who, "commit", "-q", "-m", "Land")
        SecondLedgers(workspace.layout).set(workspace.repository_id, place / "apart")
    update(workspace)


@contextmanager
def standing(world: World, place: Path, audience: Audience) -> Iterator[Path]:
    """A copy of the world at its place, serving ``audience``, for as long as the block runs."""
    shutil.copytree(world.folder, place, symlinks=True)
    # Tables of the installed word space, the same for everyone, and slow to make.
    tables, made = world.folder.parent / "tables", Layout(place / "data").shared
    if tables.is_dir():
        shutil.copytree(tables, made, dirs_exist_ok=True)
    try:
        Grants(Layout(place / "data")).write(audience)
        yield place
        if made.is_dir() and not tables.is_dir():
            shutil.copytree(made, tables)
    finally:
        shutil.rmtree(place)


def partition_id(place: Path, audience: Audience) -> str:
    """The id of the partition that ``audience`` has in the world at ``place``."""
    view = view_of(workspace_at(place), audience)
    assert view is not None
    with closing(view.partition) as partition:
        return partition.id
