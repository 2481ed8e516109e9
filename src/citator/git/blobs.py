"""Reads the content of files."""

from __future__ import annotations

from citator.git.closing import Closing
from citator.git.objects import ObjectReader, Unread
from citator.git.records import Repository

__all__ = ["BlobReader", "Unread"]


class BlobReader(Closing):
    """Blobs of one repository, for one thread. Use as a context manager.

    Holds one git process from the first read to the end.
    """

    def __init__(self, repo: Repository) -> None:
        self._objects = ObjectReader(repo)

    def read(self, object_id: str, limit_bytes: int) -> bytes | Unread:
        """The whole content of a blob of at most ``limit_bytes``, or why not.

        What is not a blob counts as missing. Raises UsageError for what is no object id.
        """
        found = self._objects.read(object_id, limit_bytes)
        if isinstance(found, Unread):
            return found
        return found.content if found.kind == "blob" else Unread.MISSING

    def close(self) -> None:
        """End the process."""
        self._objects.close()
