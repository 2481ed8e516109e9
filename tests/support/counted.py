"""Counts work at the seams of the product: never time, so that two machines count the same.

Git processes by what they do, objects read through them, signatures verified, texts and postings of
partitions read, partitions built.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from citator.git import runner
from citator.git.objects import ObjectReader
from citator.index import partition_building
from citator.index.partition import Partition
from citator.trust import signatures


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """What is done inside, by name."""
    found: Counter[str] = Counter()

    def counting(name: Callable[..., str], inner: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **settings: Any) -> Any:
            found[name(*args)] += 1
            return inner(*args, **settings)

        return call

    def verb(_: Any, command: list[str], *rest: Any) -> str:
        named = [one for one in command[1:] if not one.startswith("-") and "=" not in one]
        return f"git {named[0] if named else '?'}"

    with ExitStack() as held:
        for where, attribute, name in (
            (runner.Child, "__init__", verb),
            (ObjectReader, "read", lambda *_: "objects read"),
            (signatures, "verify", lambda *_: "signatures verified"),
            (Partition, "_kept", lambda *_: "partition texts read"),
            (Partition, "_postings", lambda *_: "postings read"),
            (Partition, "_raw_term", lambda *_: "terms compared"),
            (partition_building, "build", lambda *_: "partitions built"),
        ):
            inner = getattr(where, attribute)
            held.enter_context(patch.object(where, attribute, counting(name, inner)))
        yield found
