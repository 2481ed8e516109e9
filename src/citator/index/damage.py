"""What the engine's failures mean: nothing of it escapes, neither an error nor a panic.

A panic in the engine is no ``Exception`` in Python, so it is caught by its name.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from citator.model.errors import CitatorError, IntegrityError, StorageError
from citator.store.files import storage_error, write_durably

PROBE_BYTES = 1 << 20
# The engine locks a file to read, so that even a reader can be refused by the system.
_SAID = {
    "PermissionDenied": errno.EACCES,
    "ReadOnlyFilesystem": errno.EROFS,
    "StorageFull": errno.ENOSPC,
    "No space left": errno.ENOSPC,
}


def damaged(detail: str) -> IntegrityError:
    """The index cannot be what was written. ``detail`` is a plain word or two of ours."""
    return IntegrityError(
        "index_damaged",
        f"the history index on this machine is damaged ({detail})",
        "it is derived from the repository: `citator index build --fresh` makes it again",
    )


@contextmanager
def reading() -> Iterator[None]:
    """Turn whatever the engine raises while reading into an IntegrityError.

    Where the system refused, into a StorageError.
    """
    try:
        yield
    except CitatorError:
        raise
    except Exception as error:
        for said, number in _SAID.items():
            if said in str(error):
                raise storage_error(OSError(number, said)) from error
        raise damaged("it could not be read") from error
    except BaseException as error:
        if not _is_panic(error):
            raise
        raise damaged("its bytes make no sense") from None


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn whatever the engine raises while writing in ``folder`` into a StorageError.

    The engine may hide why a write failed, so the disk is asked once more.
    """
    try:
        yield
    except (CitatorError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except OSError as error:
        raise storage_error(error) from error
    except Exception as error:
        raise _asked_again(folder) from error
    except BaseException as error:
        if not _is_panic(error):
            raise
        raise _asked_again(folder) from None


def _is_panic(error: BaseException) -> bool:
    return type(error).__name__ == "PanicException"


def _asked_again(folder: Path) -> StorageError:
    """What writing some more to the disk says."""
    probe = folder / "probe"
    try:
        write_durably(probe, bytes(PROBE_BYTES))
    except OSError as error:
        return storage_error(error)
    finally:
        with suppress(OSError):
            probe.unlink()
    return storage_error(OSError(errno.EIO, ""))
