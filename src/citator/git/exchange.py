"""One ref of a remote, fetched and moved by compare-and-swap: all that reaches a network.

- It happens in an empty bare repository of ours, made for it and taken away after it: no branch,
  index, hook or setting of the repository takes part, and nothing is written there.
- The address is the one the repository's configuration has for a remote; git goes there over
  files, https or ssh alone, with the person's own credentials, and asks nobody.
- A push names what it replaces. Where the ref moved meanwhile nothing happens, and that is told.
- Every process has so many seconds. What is read is bounded, and is data.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citator.git.configuration import remote_named
from citator.git.objects import ObjectReader, StoredObject
from citator.git.records import Head, Repository
from citator.git.runner import Git, ended, is_id, within
from citator.model.errors import RefusedError
from citator.model.plain import is_plain

SECONDS: Final = 30.0
MOST_NAME: Final = 200
_ENTRY: Final = re.compile(rb"(\d{6}) (\w+) ([0-9a-f]+) +(\d+|-)\t([^\0]*)")
_SCP: Final = re.compile(r"(?:[A-Za-z0-9_.+-]{1,64}@)?[A-Za-z0-9_.-]{2,255}:[^:].*")
_URL: Final = re.compile(r"(?:file|https|ssh)://[^\0-\x20]+")
_WHO: Final = b"citator <claims@citator.invalid>"


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote of the repository: its name where that is plain, and where it is."""

    name: str | None
    address: str


def remote_of(repo: Repository, head: Head, asked: str | None = None) -> Remote:
    """The remote to exchange with. Raises RefusedError ``no_remote``, ``remote_not_allowed``."""
    found = remote_named(Git.of(repo), head.branch, asked)
    if found is None:
        raise RefusedError(
            "no_remote",
            "this repository has no such remote" if asked else "no remote is configured here",
            "claims stay visible in this clone; `git remote -v` lists what is configured",
        )
    name, address = found
    return Remote(name if is_plain(name) else None, _allowed(repo, address))


def _allowed(repo: Repository, address: str) -> str:
    """An address that git is sent to; a path is made absolute from where git would read it."""
    if _URL.fullmatch(address):
        return address
    path = Path(address) if Path(address).is_absolute() else None
    option = address.startswith("-")
    if path is None and not option and "://" not in address and "::" not in address:
        if _SCP.fullmatch(address):
            return address
        path = Path(repo.worktree or repo.git_dir, address)
    if path is None or not address.isprintable():
        raise RefusedError(
            "remote_not_allowed",
            "the remote is reached in a way that is not used here",
            "claims go over https, ssh or a path: see `git remote -v`",
        )
    return os.path.normpath(path)


@dataclass(frozen=True, slots=True)
class Exchange:
    """The ref ``ref`` of a remote. Use :func:`exchange`."""

    repo: Repository
    git: Git
    remote: Remote
    ref: str

    def tip(self) -> str | None:
        """The commit that the remote has there now, None where there is none; fetched.

        Raises RefusedError ``remote_unreachable``, ``remote_silent``, ``remote_damaged``.
        """
        said = self._reached("ls-remote", "--quiet", "--refs", self.remote.address, self.ref)
        facts = said.decode("ascii", "replace").partition("\n")[0].split("\t")
        if len(facts) != 2 or not is_id(self.repo, facts[0]) or facts[1] != self.ref:
            return None
        self._reached(
            *("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"),
            *("--no-write-fetch-head", self.remote.address, f"+{self.ref}:{self.ref}"),
        )
        found = self.git.attempt("rev-parse", "--quiet", "--verify", f"{self.ref}^0")
        tip = found.output.decode("ascii", "replace").strip()
        if found.code != 0 or not is_id(self.repo, tip):
            raise RefusedError(
                "remote_damaged",
                f"what the remote has at {self.ref} is no commit",
                "ask who runs it; claims go on working in this clone",
            )
        return tip

    def files(self, tip: str, most: int, limit_bytes: int) -> Iterator[tuple[str, bytes | None]]:
        """The first ``most`` plain files at the root of ``tip``; None for one that is too large."""
        listed: list[tuple[str, str, int]] = []
        with self.git.start("ls-tree", "-z", "-l", tip) as child:
            rest = b""
            while len(listed) < most and (chunk := child.stdout.read(65_536)):
                *records, rest = (rest + chunk).split(b"\0")
                for record in records:
                    found = _ENTRY.fullmatch(record)
                    if found and found[1] == b"100644" and found[4].isdigit():
                        name = found[5].decode("ascii", "replace")[:MOST_NAME]
                        listed.append((name, found[3].decode(), int(found[4])))
        with ObjectReader(self.repo) as objects:
            for name, id, size in listed[:most]:
                read = objects.read(id, limit_bytes) if size <= limit_bytes else None
                yield name, read.content if isinstance(read, StoredObject) else None

    def commit(self, files: Mapping[str, bytes], parent: str | None, at: int) -> str:
        """A commit of exactly ``files`` after ``parent``, at ``at`` (Unix seconds); its id."""
        head = b"commit refs/citator/next\ncommitter %s %d +0000\n" % (_WHO, at)
        stream = [b"feature done\n", head, _data(b"Claims\n")]
        stream += [b"from %s\n" % parent.encode()] if parent else []
        stream += [b"deleteall\n"]
        for name, content in sorted(files.items()):
            stream += [b"M 100644 inline %s\n" % name.encode("ascii"), _data(content)]
        stream += [b"\ndone\n"]
        with self.git.start("fast-import", "--quiet", "--force", feed=b"".join(stream)) as child:
            child.stdout.read()
            ended(child)
        return self.git.run("rev-parse", "--verify", "refs/citator/next^0").decode().strip()

    def push(self, commit: str, expected: str | None) -> bool:
        """Move the ref from ``expected`` (None: it is not there) to ``commit``; False where the
        remote did not. Raises RefusedError ``remote_silent``."""
        command = (
            *("push", "--quiet", "--porcelain", "--no-verify", "--no-recurse-submodules"),
            f"--force-with-lease={self.ref}:{expected or ''}",
            *(self.remote.address, f"{commit}:{self.ref}"),
        )
        _, code = within(self.git, command, SECONDS)
        if code is None:
            raise _silent()
        return code == 0

    def _reached(self, *command: str) -> bytes:
        said, code = within(self.git, command, SECONDS)
        if code is None:
            raise _silent()
        if code != 0:
            raise RefusedError(
                "remote_unreachable",
                "git could not read from the remote",
                "see whether `git ls-remote` answers there; claims go on working in this clone",
            )
        return said


@contextmanager
def exchange(repo: Repository, remote: Remote, folder: Path, ref: str) -> Iterator[Exchange]:
    """An exchange with ``remote``, in the empty directory ``folder`` that the caller takes away."""
    Git(folder).run(
        *("init", "--quiet", "--bare", "--template="),
        f"--object-format={repo.object_format}",
        str(folder),
    )
    ours = Repository(folder, folder, None, repo.object_format, shallow=False, partial=False)
    yield Exchange(ours, Git.reaching(folder), remote, ref)


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _silent() -> RefusedError:
    return RefusedError(
        "remote_silent",
        "the remote did not answer in time",
        "try again when it is reachable; claims go on working in this clone",
    )
