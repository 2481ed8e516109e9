"""git over the stored objects of a repository, and nothing else of it.

In a partial clone git wants to fetch each absent object, and dies where it may not: telling it
not to is obeyed by some versions and fatal in all. So it is shown the objects through an empty
repository of its own, where no remote exists to promise anything: what is absent is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from citator.git.records import Repository
from citator.git.runner import Git
from citator.model.errors import StorageError

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

_CONFIG = "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n"


@contextmanager
def object_git(repo: Repository) -> Iterator[Git]:
    """A git that reads the objects of ``repo``: no refs, and in a partial clone no remotes."""
    if not repo.partial:
        yield Git.of(repo)
        return
    with _temporary_folder() as name:
        folder = Path(name)
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/none\n")
        if repo.object_format == "sha256":
            (folder / "config").write_text(_CONFIG)
        objects = str(repo.common_dir / "objects")
        yield Git(folder, f"--git-dir={folder}", GIT_OBJECT_DIRECTORY=objects)


def _temporary_folder() -> TemporaryDirectory[str]:
    from tempfile import TemporaryDirectory  # only partial clones pay for its import

    try:
        return TemporaryDirectory(prefix="citator-", ignore_cleanup_errors=True)
    except OSError as error:
        raise StorageError(
            "no_temporary_folder",
            "a temporary folder cannot be made",
            "make room on the disk, or let TMPDIR name a folder that can be written",
        ) from error
