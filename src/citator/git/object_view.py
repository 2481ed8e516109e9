"""git over the stored objects of a repository, and nothing else of it.

In a partial clone git wants to fetch each absent object, and dies where it may not: telling it
not to is obeyed by some versions and fatal in all. So it is shown the objects through an empty
repository of its own, where no remote exists to promise anything: what is absent is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from citator.git.records import Repository
from citator.git.runner import Git

_CONFIG = "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n"


@contextmanager
def object_git(repo: Repository) -> Iterator[Git]:
    """A git that reads the objects of ``repo``: no refs, and in a partial clone no remotes."""
    if not repo.partial:
        yield Git.of(repo)
        return
    with TemporaryDirectory(prefix="citator-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/none\n")
        if repo.object_format == "sha256":
            (folder / "config").write_text(_CONFIG)
        objects = str(repo.common_dir / "objects")
        yield Git(folder, f"--git-dir={folder}", GIT_OBJECT_DIRECTORY=objects)
