"""Builds real git repositories for tests, the same bytes every time.

- Nothing of the machine takes part: no system or user configuration, fixed people, fixed time.
  Object ids are therefore the same on every machine and may be asserted.
- Every commit is one ``git fast-import``: any path bytes, modes, encodings and parents work, on
  any platform, whether or not they could be checked out there.
- What was written waits until :meth:`Builder.commit`; the work tree then equals HEAD
  (``checkout=False`` keeps only the objects: for names a file system refuses).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

EPOCH: Final = 1_704_067_200  # 2024-01-01T00:00:00Z; each commit is a minute later than the last
AUTHOR: Final = "Ada Author <ada@example.org>"
COMMITTER: Final = "Cal Committer <cal@example.org>"


def environment(**extra: str) -> dict[str, str]:
    """An environment in which git reads no configuration of the machine or its user."""
    kept = {"PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "PATHEXT", "COMSPEC"}
    return {name: value for name, value in os.environ.items() if name.upper() in kept} | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
        "TZ": "UTC",
        **extra,
    }


def run_git(
    folder: Path, *args: str | bytes, stdin: bytes | None = None, env: Mapping[str, str] = {}
) -> bytes:
    """What ``git ARGS`` prints in ``folder``. Raises AssertionError with its stderr."""
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *args],
        cwd=folder,
        env=environment(**env),
        input=b"" if stdin is None else stdin,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, f"git {args!r}: {done.stderr!r}"
    return done.stdout


@dataclass(frozen=True, slots=True)
class _Entry:
    """A change of one path: content or object id, or both None for a removal."""

    mode: str = "100644"
    content: bytes | None = None
    object_id: str | None = None


@dataclass(slots=True)
class Builder:
    """One repository under construction at ``path``. Start with :meth:`init`."""

    path: Path
    bare: bool = False
    checkout: bool = True
    clock: int = EPOCH
    _pending: dict[bytes, _Entry] = field(default_factory=dict)

    # -- beginnings

    @classmethod
    def init(
        cls,
        path: Path,
        *,
        object_format: str = "sha1",
        bare: bool = False,
        branch: str = "main",
        checkout: bool = True,
    ) -> Builder:
        """An empty repository at ``path`` (made, with its parents) on ``branch``."""
        path.mkdir(parents=True, exist_ok=True)
        options = [f"--object-format={object_format}", f"--initial-branch={branch}"]
        run_git(path, "init", "-q", "--template=", *options, *(["--bare"] if bare else []))
        return cls(path, bare, checkout and not bare)

    def clone(
        self,
        path: Path,
        *,
        depth: int | None = None,
        filter: str | None = None,
        bare: bool = False,
        checkout: bool = True,
    ) -> Builder:
        """A clone over the file protocol: shallow with ``depth``, partial with ``filter``."""
        options = ["-q", "--template="]
        if depth is not None:
            options.append(f"--depth={depth}")
        if filter is not None:
            self.git("config", "uploadpack.allowFilter", "true")
            self.git("config", "uploadpack.allowAnySHA1InWant", "true")
            options.append(f"--filter={filter}")
        options += ["--bare"] if bare else [] if checkout else ["--no-checkout"]
        path.parent.mkdir(parents=True, exist_ok=True)
        run_git(path.parent, "clone", *options, self.path.resolve().as_uri(), str(path))
        return Builder(path, bare, checkout and not bare, self.clock)

    def worktree(self, path: Path, branch: str) -> Builder:
        """A linked worktree at ``path`` on the new branch ``branch`` (from HEAD)."""
        self.git("worktree", "add", "-q", "-b", branch, str(path))
        return Builder(path, clock=self.clock)

    # -- content

    def write(
        self, path: str | bytes, content: str | bytes = "", *, mode: str = "100644"
    ) -> Builder:
        """Put a file into the next commit."""
        data = content.encode() if isinstance(content, str) else content
        return self._put(path, _Entry(mode, content=data))

    def symlink(self, path: str | bytes, target: str | bytes) -> Builder:
        """Put a symbolic link into the next commit."""
        return self.write(path, target, mode="120000")

    def gitlink(self, path: str | bytes, commit: str) -> Builder:
        """Put a submodule's entry (and nothing else of it) into the next commit."""
        return self._put(path, _Entry("160000", object_id=commit))

    def remove(self, path: str | bytes) -> Builder:
        """Take a file or folder out of the next commit."""
        return self._put(path, _Entry())

    def submodule(self, path: str, other: Builder) -> Builder:
        """Clone ``other`` to ``path`` as a submodule, in the next commit."""
        self.git("submodule", "add", "-q", other.path.resolve().as_uri(), path)
        self.write(".gitmodules", (self.path / ".gitmodules").read_bytes())
        return self.gitlink(path, other.head())

    def _put(self, path: str | bytes, entry: _Entry) -> Builder:
        self._pending[path.encode() if isinstance(path, str) else path] = entry
        return self

    # -- history

    def commit(
        self,
        message: str | bytes = "Change something",
        *,
        author: str | bytes = AUTHOR,
        committer: str | bytes = COMMITTER,
        date: int | None = None,
        encoding: str | None = None,
        parents: Sequence[str] | None = None,
    ) -> str:
        """Commit what waits (nothing: an empty commit) on HEAD; its id.

        A ``str`` message gets a final newline as git's own does, and is written in ``encoding``
        where Python knows that; ``bytes`` are written as they are. ``encoding`` also becomes the
        commit's encoding header. ``date`` is Unix seconds. ``parents`` replaces HEAD.
        """
        if parents is None:
            head = self.head_or_none()
            parents = [] if head is None else [head]
        if isinstance(message, str):
            message = _encoded(message.removesuffix("\n") + "\n" if message else "", encoding)
        stream = [*self._header(author, committer, date, encoding), _data(message)]
        stream += [
            b"%s %s\n" % (b"merge" if at else b"from", _b(p)) for at, p in enumerate(parents)
        ]
        stream += [_change(path, entry) for path, entry in self._pending.items()]
        self._pending.clear()
        return self._import(stream)

    def amend(self, message: str | bytes | None = None, *, date: int | None = None) -> str:
        """Replace HEAD's commit by one with the same parents, what waits, and ``message``."""
        head, *parents = self.git("rev-list", "--parents", "-1", "HEAD").decode().split()
        tree = self.git("rev-parse", f"{head}^{{tree}}").decode().strip()
        if message is None:
            message = self.git("cat-file", "commit", head).split(b"\n\n", 1)[1]
        self._pending = {b"": _Entry("040000", object_id=tree), **self._pending}
        return self.commit(message, parents=parents, date=date)

    def raw_commit(self, content: bytes, *, move: bool = True) -> str:
        """Store ``content`` as a commit object unchecked; HEAD moves there unless told not to."""
        object_id = self.raw_object("commit", content)
        if move:
            self.git("update-ref", "HEAD", object_id)
            self._sync()
        return object_id

    def raw_object(self, kind: str, content: bytes) -> str:
        """Store any object unchecked; its id."""
        args = ("hash-object", "-t", kind, "-w", "--literally", "--stdin")
        return self.git(*args, stdin=content).decode().strip()

    def merge(self, *branches: str, message: str = "Merge") -> str:
        """Merge ``branches`` (two or more: an octopus), never fast-forward; HEAD's id."""
        self.git(
            "merge", "-q", "--no-ff", "--no-edit", "-m", message, *branches, env=self._people()
        )
        return self.head()

    def many(self, count: int, *, files: int = 200, body: str | None = None) -> str:
        """``count`` explained commits on HEAD in one stream, each touching two files; HEAD's id."""
        head = self.head_or_none()

        def stream() -> Iterator[bytes]:
            for number in range(count):
                yield from self._header(AUTHOR, COMMITTER, None, None)
                text = body or "Because case {n} needed it, and the other way was slower."
                message = f"Change number {number}\n\n{text.replace('{n}', str(number))}\n"
                yield _data(message.encode())
                if number == 0 and head is not None:
                    yield b"from %s\n" % _b(head)
                for path in (f"src/part{number % files}.txt", f"doc/page{number % 7}.md"):
                    yield _change(_b(path), _Entry(content=_b(f"{path} at {number}\n")))

        return self._import(stream())

    def _header(
        self, author: str | bytes, committer: str | bytes, date: int | None, encoding: str | None
    ) -> list[bytes]:
        self.clock += 60
        when = _b(str(self.clock if date is None else date))
        lines = [b"commit refs/builder/new\nmark :1\n"]
        for role, person in ((b"author", author), (b"committer", committer)):
            who = _encoded(person, encoding) if isinstance(person, str) else person
            lines.append(b"%s %s %s +0000\n" % (role, who, when))
        if encoding is not None:
            lines.append(b"encoding %s\n" % _b(encoding))
        return lines

    def _import(self, stream: Sequence[bytes] | Iterator[bytes]) -> str:
        args = ("fast-import", "--quiet", "--force", "--date-format=raw-permissive")
        body = b"".join([*stream, b"get-mark :1\n", b"reset refs/builder/new\n\n"])
        object_id = self.git(*args, stdin=body).decode().split()[0]
        self.git("update-ref", "HEAD", object_id)
        self._sync()
        return object_id

    def _sync(self) -> None:
        if self.checkout:
            self.git("reset", "-q", "--hard")

    def _people(self) -> dict[str, str]:
        self.clock += 60
        people: dict[str, str] = {}
        for role, person in (("AUTHOR", AUTHOR), ("COMMITTER", COMMITTER)):
            name, email = person.rstrip(">").split(" <")
            people |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": email}
            people[f"GIT_{role}_DATE"] = f"{self.clock} +0000"
        return people

    # -- names

    def branch(self, name: str, at: str = "HEAD") -> Builder:
        """A branch at ``at``; HEAD stays."""
        self.git("branch", name, at)
        return self

    def switch(self, name: str, *, create: bool = False) -> Builder:
        """HEAD on branch ``name`` (made at HEAD with ``create``), or detached at a commit id."""
        if not create and re.fullmatch("[0-9a-f]{7,64}", name):
            self.git("update-ref", "--no-deref", "HEAD", name)
            (self.git_dir() / "HEAD").write_text(f"{self.resolve(name)}\n")
        else:
            if create:
                self.git("branch", name)
            self.git("symbolic-ref", "HEAD", f"refs/heads/{name}")
        self._sync()
        return self

    def orphan(self, name: str) -> Builder:
        """HEAD on the unborn branch ``name``."""
        self.git("symbolic-ref", "HEAD", f"refs/heads/{name}")
        return self

    def tag(self, name: str, message: str | None = None) -> Builder:
        """A tag at HEAD: annotated where it has a message."""
        options = [] if message is None else ["-a", "-m", message]
        self.git("tag", *options, name, env=self._people())
        return self

    def replace(self, old: str, new: str) -> Builder:
        """A replace ref: git would show ``new`` for ``old``."""
        self.git("replace", old, new)
        return self

    def graft(self, commit: str, *parents: str) -> Builder:
        """A line in ``info/grafts``: git would believe in these parents."""
        info = self.git_dir() / "info"
        info.mkdir(exist_ok=True)
        with (info / "grafts").open("a") as file:
            file.write(" ".join((commit, *parents)) + "\n")
        return self

    # -- damage

    def object_file(self, object_id: str) -> Path:
        """Where the loose object ``object_id`` is stored."""
        return self.git_dir() / "objects" / object_id[:2] / object_id[2:]

    def lose(self, object_id: str) -> Builder:
        """Delete a loose object."""
        self.object_file(object_id).unlink()
        return self

    def corrupt(self, object_id: str) -> Builder:
        """Overwrite the end of a loose object."""
        file = self.object_file(object_id)
        file.chmod(0o600)
        content = file.read_bytes()
        file.write_bytes(
            content[: len(content) // 2] + b"\xff" * (len(content) - len(content) // 2)
        )
        return self

    # -- questions

    def git(
        self, *args: str | bytes, stdin: bytes | None = None, env: Mapping[str, str] = {}
    ) -> bytes:
        """What ``git ARGS`` prints in this repository."""
        return run_git(self.path, *args, stdin=stdin, env=env)

    def attempt(self, *args: str) -> bytes:
        """Run ``git ARGS`` as a person would, whether or not it fails; what it complained."""
        command = ["git", *args]
        done = subprocess.run(
            command, cwd=self.path, env=environment(), capture_output=True, check=False
        )
        return done.stderr

    def head(self) -> str:
        """The commit at HEAD."""
        return self.resolve("HEAD")

    def head_or_none(self) -> str | None:
        """The commit at HEAD, None where unborn."""
        return self.git("rev-list", "-1", "--ignore-missing", "HEAD", "--").decode().strip() or None

    def resolve(self, revision: str) -> str:
        """The object id ``revision`` names, such as ``main~2`` or ``HEAD:path``."""
        return self.git("rev-parse", "--verify", "--end-of-options", revision).decode().strip()

    def git_dir(self) -> Path:
        """The git directory of this work tree."""
        return Path(os.fsdecode(self.git("rev-parse", "--absolute-git-dir").rstrip(b"\n")))


def contents_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file under ``folder`` with its mode and bytes: to prove that nothing was written."""
    found: dict[str, tuple[int, bytes]] = {}
    for file in sorted(folder.rglob("*")):
        status = file.lstat()
        if file.is_symlink():
            content = os.fsencode(file.readlink())
        else:
            content = file.read_bytes() if file.is_file() else b""
        found[file.relative_to(folder).as_posix()] = (status.st_mode, content)
    return found


def _b(text: str) -> bytes:
    return text.encode()


def _encoded(text: str, encoding: str | None) -> bytes:
    try:
        return text.encode(encoding or "utf-8")
    except LookupError:
        return text.encode()


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _change(path: bytes, entry: _Entry) -> bytes:
    quoted = b'"%s"' % b"".join(
        b"\\%03o" % byte if byte in b'"\\' or not 32 <= byte < 127 else bytes([byte])
        for byte in path
    )
    if entry.object_id is not None:
        return b"M %s %s %s\n" % (_b(entry.mode), _b(entry.object_id), quoted)
    if entry.content is not None:
        return b"M %s inline %s\n%s" % (_b(entry.mode), quoted, _data(entry.content))
    return b"D %s\n" % quoted
