"""Attacks by files: what git reads and where, what is changed after approval, what is derived."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from citator.record.migration import Migration
from tests.support.adversary import (
    APPROVED,
    MALLORY,
    MARK,
    Scene,
    outcome,
    solo,
)
from tests.support.attacks import Attack, on
from tests.support.record import text

# -- by what git reads, and where


@on(solo)
def by_a_replaced_blob(scene: Scene) -> None:
    one = scene.made.migrations[0]
    path = f".citator/record/{one.file_name()}"
    forged = scene.write("forged.md", _renamed(one).render())
    blob = scene.git("hash-object", "-w", str(forged))
    forged.unlink()
    scene.git("replace", "-f", scene.git("rev-parse", f"HEAD:{path}"), blob)


def _renamed(one: Migration) -> Migration:
    """An approved migration that says something else."""
    words = one.render().decode().replace(APPROVED, f"Open {MARK} to all")
    from citator.record.migration import parse

    return parse(words.encode())


@on(solo)
def by_an_object_that_is_not_what_its_name_says(scene: Scene) -> None:
    one = scene.made.migrations[0]
    kept = scene.builder.object_file(
        scene.git("rev-parse", f"HEAD:.citator/record/{one.file_name()}")
    )
    place = scene.write("forged.md", _renamed(one).render())
    forged = scene.builder.object_file(scene.git("hash-object", "-w", str(place)))
    place.unlink()
    kept.chmod(0o600)
    shutil.copyfile(forged, kept)


@on(solo)
def by_alternates(scene: Scene) -> None:
    other = scene.copy(scene.folder.parent / "other")
    other.take(MALLORY.says(scene.proposal))
    info = scene.path / ".git/objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{other.path / '.git/objects'}\n")
    scene.git("update-ref", "HEAD", other.git("rev-parse", "HEAD"))


@on(solo)
def by_programs_of_the_repository(scene: Scene) -> None:
    """Hooks, filters, a monitor, a pager and an ssh-keygen of its own: none is run."""
    ran = scene.folder / "ran"
    program = scene.path / "tools/ssh-keygen"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {ran}\nexit 0\n")
    program.chmod(0o755)
    hooks = scene.path / "tools/hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(program, hooks / name)
    (scene.path / ".git/info").mkdir(exist_ok=True)
    (scene.path / ".git/info/attributes").write_text("* filter=evil diff=evil\n")
    scene.write(".gitattributes", "* filter=evil diff=evil\n")
    scene.take(MALLORY.says(scene.proposal))
    for key in ("core.hooksPath", "core.fsmonitor", "core.pager", "filter.evil.smudge"):
        scene.git("config", key, str(hooks if key == "core.hooksPath" else program))
    for key in ("diff.evil.textconv", "diff.external", "gpg.ssh.program", "core.sshCommand"):
        scene.git("config", key, str(program))
    ran.unlink(missing_ok=True)
    scene.notes["ran"] = ran


@on(solo)
def by_another_git_directory(scene: Scene) -> None:
    """The work tree names the git directory of a repository of the adversary's own."""
    other = scene.copy(scene.folder.parent / "other")
    other.take(MALLORY.says(scene.proposal))
    shutil.rmtree(scene.path / ".git")
    (scene.path / ".git").write_text(f"gitdir: {other.path / '.git'}\n")


@on(solo)
def by_links(scene: Scene) -> None:
    outside = scene.folder / "outside"
    shutil.copytree(scene.path / ".citator", outside)
    (outside / "record" / scene.proposal.file_name()).write_bytes(scene.proposal.render())
    scene.land(scene.proposal)
    place = scene.path / ".citator/record" / scene.proposal.file_name()
    place.unlink()
    place.symlink_to(outside / "record" / scene.proposal.file_name())
    approvals = scene.path / ".citator/approvals"
    (approvals / "link.yaml").symlink_to(next(approvals.iterdir()))
    scene.commit()


@on(solo)
def by_a_ledger_that_is_a_link(scene: Scene) -> None:
    outside = scene.folder / "outside"
    scene.take(MALLORY.says(scene.proposal))
    shutil.move(scene.path / ".citator", outside)
    (scene.path / ".citator").symlink_to(outside)
    scene.commit()


@on(solo)
def by_a_ledger_that_is_a_submodule(scene: Scene) -> None:
    commit = scene.take(MALLORY.says(scene.proposal))
    scene.git("rm", "-q", "-r", "--cached", ".citator")
    scene.git("update-index", "--add", "--cacheinfo", f"160000,{commit},.citator")
    scene.git("commit", "-q", "-m", "Move it out")


@on(solo)
def by_names_in_another_case(scene: Scene) -> None:
    for folder in (".CITATOR/record", ".citator/Record", ".citator/RECORD", "\u212a/record"):
        place = scene.path / folder / scene.proposal.file_name()
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(scene.proposal.render())
    for folder in (".CITATOR/approvals", ".citator/Approvals"):
        place = scene.path / folder / "one.yaml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(MALLORY.says(scene.proposal).render())
    scene.git("config", "core.ignoreCase", "true")
    scene.commit()


@on(solo)
def by_a_second_file_with_the_id_of_an_approved_one(scene: Scene) -> None:
    one = scene.made.migrations[0]
    for name in ("0-first.md", "zz-last.md"):
        scene.write(f"record/{name}", _renamed(one).render())
    scene.kept = ()  # which of the two was approved is not guessed: neither counts
    scene.commit()


@on(solo)
def by_a_proposal_with_the_id_of_an_approved_one(scene: Scene) -> None:
    one = scene.made.migrations[0]
    scene.write(f"proposals/{one.file_name()}", _renamed(one).render())
    scene.commit()


# -- by changing what was approved


@on(solo)
def by_editing_what_was_approved(scene: Scene) -> None:
    one = scene.made.migrations[0]
    scene.write(f"record/{one.file_name()}", _renamed(one).render())
    scene.commit()


@on(solo)
def by_editing_and_signing_again(scene: Scene) -> None:
    one = _renamed(scene.made.migrations[0])
    shutil.rmtree(scene.path / ".citator/approvals")
    scene.take(MALLORY.says(one), landing=one)


@on(solo)
def by_taking_away_and_adding_again(scene: Scene) -> None:
    one = scene.made.migrations[0]
    (scene.path / ".citator/record" / one.file_name()).unlink()
    scene.commit()
    scene.take(landing=_renamed(one))


@on(solo)
def by_writing_the_first_version_anew(scene: Scene) -> None:
    """The history is made again so that the edited text is the one that was first added."""
    one = scene.made.migrations[0]
    tree = scene.path / ".citator/record" / one.file_name()
    tree.write_bytes(_renamed(one).render())
    scene.kept = ()
    scene.git("checkout", "-q", "--orphan", "anew")
    scene.commit("Begin")
    scene.git("branch", "-q", "-M", "anew", "main")


@on(solo)
def by_a_later_text_of_an_approved_decision(scene: Scene) -> None:
    made = scene.made.make(text(scene.kept[0], f"Open the {MARK} lobby"))
    scene.take(MALLORY.says(made), landing=made)


# -- by derived state, which is the operator's, too: whoever can write it alone gains nothing


def _derived(scene: Scene) -> Path:
    return scene.workspace().place.derived


def by_deleting_what_is_derived(scene: Scene) -> None:
    """The text is edited after it landed, and all that was derived of the first is deleted."""
    by_editing_what_was_approved(scene)
    shutil.rmtree(_derived(scene))


def by_editing_the_kept_provenance(scene: Scene) -> None:
    """What is kept says that the forged text is what was first added."""
    kept = _derived(scene) / "record/provenance.json"
    raw = kept.read_bytes()
    by_editing_what_was_approved(scene)
    one = scene.made.migrations[0]
    forged = raw.replace(one.digest.encode(), _renamed(one).digest.encode())
    head = scene.git("rev-parse", "HEAD").encode()
    kept.write_bytes(re.sub(rb'"tip": "[0-9a-f]*"', b'"tip": "%s"' % head, forged))
    assert forged != raw


def by_editing_the_kept_views(scene: Scene) -> None:
    """A kept view says that the proposal is approved, and by whose files that is shown."""
    scene.take(MALLORY.says(scene.proposal))
    outcome(scene)
    for kept in (_derived(scene) / "record/views").glob("*.json"):
        seal, _, raw = kept.read_bytes().partition(b"\n")
        values = json.loads(raw)
        approvals = (scene.path / ".citator/approvals").iterdir()
        known = scene.proposal.id.encode()
        paths = [f"approvals/{one.name}" for one in approvals if known in one.read_bytes()]
        file = f"record/{scene.proposal.file_name()}"
        for revision in (scene.proposal.id, *values["proofs"]):
            values["proofs"][revision] = [scene.proposal.digest, file, paths]
            values["assurance"][revision] = ["key", "local_branch"]
        kept.write_bytes(seal + b"\n" + json.dumps(values).encode())


def by_editing_the_kept_words(scene: Scene) -> None:
    """The partition holds another ruling for a decision that was approved."""
    outcome(scene)
    changed = 0
    for path in (_derived(scene) / "record/partitions").rglob("*"):
        if path.is_file() and b"lobby closed" in (raw := path.read_bytes()):
            path.chmod(0o600)
            path.write_bytes(raw.replace(APPROVED.encode(), _LONG))
            changed += 1
    assert changed


_LONG = f"Open the {MARK}".ljust(len(APPROVED), ".").encode()
DERIVED: list[Attack] = [
    by_deleting_what_is_derived,
    by_editing_the_kept_provenance,
    by_editing_the_kept_views,
    by_editing_the_kept_words,
]
