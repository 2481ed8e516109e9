"""The repository is not trusted: nothing it names is run, fetched, written or believed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from citator.git import surroundings
from citator.git.blobs import BlobReader
from citator.git.history import between, commits, count_between, reachable
from citator.git.records import Repository
from citator.git.repository import discover, has_commit, head, limits, root_ids
from citator.git.runner import Git
from citator.git.trees import changed, entries
from citator.git.version import version
from citator.model.errors import CitatorError, GitRefusedError
from tests.support.builder import Builder, contents_of
from tests.support.stand_in import git_that, posix_only


@pytest.fixture
def built(tmp_path: Path) -> Builder:
    built = Builder.init(tmp_path / "repo")
    built.write("a.md", "# A\n").write("d/b.txt", "b").commit("first")
    built.write("a.md", "# A, changed\n").write(".gitattributes", "* diff=evil filter=evil\n")
    built.commit("second")
    return built


def use_everything(start: Path) -> Repository:
    """Call every public function of the layer."""
    repo = discover(start)
    limits(repo)
    root_ids(repo)
    version()
    tip = head(repo).commit
    assert tip is not None
    assert has_commit(repo, tip)
    old = next(commits(repo, tip)).object_id
    assert len(list(reachable(repo, tip))) >= 2
    between(repo, old, tip)
    count_between(repo, old, tip)
    changed(repo, old, tip)
    with BlobReader(repo) as reader:
        for entry in entries(repo, tip):
            reader.read(entry.object_id, 1 << 20)
    return repo


class Trap:
    """A program that leaves a mark when it is run."""

    def __init__(self, folder: Path) -> None:
        self.mark = folder / "mark"
        self.program = folder / ("trap.bat" if os.name == "nt" else "trap")
        if os.name == "nt":
            self.program.write_text(f"@echo off\necho run > {self.mark}\n")
        else:
            self.program.write_text(f"#!/bin/sh\necho run >> '{self.mark}'\n")
            self.program.chmod(0o755)

    def sprung(self) -> bool:
        """Whether it was run since the last time this was asked."""
        was = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return was


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    folder = tmp_path / "trap"
    folder.mkdir()
    return Trap(folder)


@pytest.fixture
def hostile(built: Builder, trap: Trap) -> Builder:
    """A repository whose configuration names the trap wherever git takes a program."""
    program = trap.program.as_posix()
    settings = {
        "core.fsmonitor": program,
        "core.pager": program,
        "core.sshCommand": program,
        "core.askPass": program,
        "core.editor": program,
        "core.gitProxy": program,
        "core.alternateRefsCommand": program,
        "credential.helper": "!" + program,
        "diff.external": program,
        "diff.evil.command": program,
        "diff.evil.textconv": program,
        "filter.evil.clean": program,
        "filter.evil.smudge": program,
        "filter.evil.process": program,
        "gpg.program": program,
        "log.showSignature": "true",
        "interactive.diffFilter": program,
        "pager.log": program,
        "pager.rev-list": program,
        "pager.diff-tree": program,
        "sequence.editor": program,
        "uploadpack.packObjectsHook": program,
        "alias.rev-list": "!" + program,
        "alias.whatever": "!" + program,
        "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true",
        "remote.origin.partialCloneFilter": "blob:none",
        "remote.origin.uploadpack": program,
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "protocol.file.allow": "always",
        "gc.auto": "1",
        "maintenance.auto": "true",
    }
    for name, value in settings.items():
        built.git("config", name, value)
    hooks = built.path / ".git" / "hooks"
    hooks.mkdir()
    for hook in ("reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / hook).write_bytes(trap.program.read_bytes())
        (hooks / hook).chmod(0o755)
    return built


def test_no_program_that_a_repository_names_is_run(hostile: Builder, trap: Trap) -> None:
    use_everything(hostile.path)
    assert not trap.sprung()


def test_a_missing_promised_object_runs_nothing_and_asks_nobody(
    hostile: Builder, trap: Trap
) -> None:
    hostile.lose(hostile.resolve("HEAD:d/b.txt"))
    hostile.lose(hostile.resolve("HEAD:d"))
    repo = discover(hostile.path)
    tip = hostile.head()
    assert [commit.paths for commit in commits(repo, tip)] == [None, (".gitattributes", "a.md")]
    assert [entry.path for entry in entries(repo, tip)] == [".gitattributes", "a.md", "d"]
    assert not has_commit(repo, "1" * 40)
    assert not trap.sprung()


@pytest.mark.parametrize("kind", ["work tree", "linked work tree", "bare", "partial"])
def test_nothing_is_written_into_a_repository(built: Builder, tmp_path: Path, kind: str) -> None:
    if kind == "linked work tree":
        built = built.worktree(tmp_path / "linked", "side")
    elif kind != "work tree":
        filter = "blob:none" if kind == "partial" else None
        built = built.clone(tmp_path / "clone", filter=filter, bare=kind == "bare")
    before = contents_of(tmp_path)
    use_everything(built.path)
    assert contents_of(tmp_path) == before


def test_a_command_that_would_refresh_the_index_does_not(built: Builder) -> None:
    file = built.path / "a.md"
    os.utime(file, (1_000_000_000, 1_000_000_000))
    index = (built.path / ".git" / "index").read_bytes()
    Git(built.path).run("status")
    assert (built.path / ".git" / "index").read_bytes() == index
    built.git("status")
    assert (built.path / ".git" / "index").read_bytes() != index


# Commands that do run a program when git is called plainly: each proves the trap, then the guard.
DANGERS: dict[str, tuple[str, ...]] = {
    "fsmonitor": ("status",),
    "external diff": ("diff", "HEAD~1", "HEAD"),
    "signature": ("log", "-1"),
    "transport": ("ls-remote", "origin"),
    "hook": ("update-ref", "refs/heads/other", "HEAD"),
}


@pytest.fixture
def signed(hostile: Builder, trap: Trap) -> Builder:
    """The same with a signed commit at HEAD, so that showing signatures runs a program."""
    raw = hostile.git("cat-file", "commit", "HEAD")
    headers, _, message = raw.partition(b"\n\n")
    signature = b"-----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----"
    hostile.checkout = False
    hostile.raw_commit(headers + b"\ngpgsig " + signature + b"\n\n" + message)
    trap.sprung()  # building it ran a hook
    return hostile


@pytest.mark.parametrize("danger", DANGERS)
def test_the_guard_holds_for_commands_that_would_run_programs(
    signed: Builder, trap: Trap, danger: str
) -> None:
    if danger != "transport":
        signed.git("config", "--unset", "remote.origin.promisor")
    plainly = signed.attempt(*DANGERS[danger])
    assert trap.sprung(), plainly
    Git.of(discover(signed.path)).attempt(*DANGERS[danger])
    assert not trap.sprung()


def test_nobody_is_asked_for_a_password(
    hostile: Builder, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_ASKPASS", str(trap.program))
    monkeypatch.setenv("SSH_ASKPASS", str(trap.program))
    question = b"protocol=https\nhost=example.org\n\n"
    asked = Git.of(discover(hostile.path)).attempt("credential", "fill", feed=question)
    assert not trap.sprung()
    assert b"terminal prompts disabled" in asked.complaint


def test_an_absent_object_starts_no_fetch(built: Builder) -> None:
    built.git("config", "remote.origin.url", "file:///nowhere")
    built.git("config", "remote.origin.promisor", "true")
    asked = Git.of(discover(built.path)).attempt("cat-file", "-e", "1" * 40)
    assert asked.code != 0
    assert b"not allowed" not in asked.complaint


def test_the_pager_is_none(hostile: Builder) -> None:
    assert Git.of(discover(hostile.path)).run("var", "GIT_PAGER") == b"cat\n"


def test_a_file_of_attributes_that_the_repository_names_is_not_read(
    built: Builder, tmp_path: Path
) -> None:
    (tmp_path / "attributes").write_text("* evil\n")
    built.git("config", "core.attributesFile", str(tmp_path / "attributes"))
    question = ("check-attr", "evil", "--", "x.md")
    assert built.git(*question) == b"x.md: evil: set\n"
    assert Git.of(discover(built.path)).run(*question) == b"x.md: evil: unspecified\n"


# -- the environment


REDIRECTIONS = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_SHALLOW_FILE",
    "GIT_EXEC_PATH",
    "GIT_PREFIX",
)


@pytest.mark.parametrize("name", REDIRECTIONS)
def test_a_variable_that_would_lead_elsewhere_is_not_passed_on(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    other = Builder.init(tmp_path / "other")
    other.many(3)
    expected = list(commits(discover(built.path), built.head()))
    monkeypatch.setenv(name, str(other.path / ".git"))
    repo = use_everything(built.path)
    assert repo.worktree == built.path
    assert list(commits(repo, head(repo).commit or "")) == expected


def test_traces_and_programs_of_the_environment_are_not_passed_on(
    signed: Builder, trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_TRACE", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE_SETUP"):
        monkeypatch.setenv(name, str(tmp_path / "trace"))
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_EDITOR", "PAGER"):
        monkeypatch.setenv(name, str(trap.program))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.bare")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "nonsense")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare'='nonsense'")
    use_everything(signed.path)
    Git.of(discover(signed.path)).attempt("diff", "HEAD~1", "HEAD")
    assert not (tmp_path / "trace").exists()
    assert not trap.sprung()


def test_of_gits_own_variables_only_harmless_ones_are_kept() -> None:
    inherited = {
        "PATH": "/bin",
        "HOME": "/home/ada",
        "GIT_CONFIG_GLOBAL": "/home/ada/.gitconfig",
        "GIT_CEILING_DIRECTORIES": "/home",
        "GIT_DIR": "/elsewhere",
        "git_dir": "/elsewhere",
        "GIT_ANYTHING_NEW": "1",
        "GIT_ALLOW_PROTOCOL": "file:ext",
        "LC_MESSAGES": "de_DE",
        "LANGUAGE": "de",
        "LC_ALL": "de_DE.UTF-8",
    }
    assert surroundings.environment(inherited) == {
        "PATH": "/bin",
        "HOME": "/home/ada",
        "GIT_CONFIG_GLOBAL": "/home/ada/.gitconfig",
        "GIT_CEILING_DIRECTORIES": "/home",
        **surroundings.FIXED,
    }
    assert surroundings.FIXED["LC_ALL"] == "C"


# -- git itself


def code_of(ask: Callable[[], object]) -> tuple[type[CitatorError], str]:
    with pytest.raises(CitatorError) as raised:
        ask()
    assert raised.value.todo
    return type(raised.value), raised.value.code


def test_without_git_the_error_says_so(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("", str(tmp_path), "relative", os.pathsep):
        monkeypatch.setenv("PATH", path)
        assert code_of(lambda: discover(built.path)) == (GitRefusedError, "git_missing")


@posix_only
def test_a_git_in_the_current_folder_is_not_taken(
    built: Builder, tmp_path: Path, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_that(built.path, f"exec '{trap.program}'")
    monkeypatch.chdir(built.path)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "./", os.environ["PATH"]]))
    assert discover(built.path).worktree == built.path
    assert not trap.sprung()


@posix_only
@pytest.mark.parametrize(
    "script",
    [
        "printf '%s\\n' true --is-shallow-repository --show-object-format a b c",
        "echo 'usage: git rev-parse'; echo 'usage: git rev-parse' >&2; exit 129",
        "echo 'error: unknown option' >&2; exit 129",
    ],
)
def test_an_old_git_is_named_as_the_problem(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setenv("PATH", str(git_that(tmp_path / "bin", script)))
    assert code_of(lambda: discover(built.path)) == (GitRefusedError, "git_too_old")


@posix_only
def test_a_flood_of_complaints_is_bounded_and_never_shown(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = discover(built.path)
    script = (
        'i=0; while [ $i -lt 3000 ]; do echo "SECRET WORDS $i $i $i $i $i" >&2; i=$((i+1)); done'
    )
    path = git_that(tmp_path / "bin", f"{script}; exit 128")
    monkeypatch.setenv("PATH", str(path))
    outcome = Git.of(repo).attempt("anything")
    assert (outcome.code, len(outcome.complaint)) == (128, 4096)
    with pytest.raises(GitRefusedError) as raised:
        Git.of(repo).run("anything")
    assert "SECRET" not in raised.value.what + raised.value.todo + str(raised.value)
